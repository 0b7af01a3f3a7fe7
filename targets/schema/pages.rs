//! Where consumers describe what their documents may hold.

use super::Shape;
use super::slurm_conf::FILES;

/// The page of a document, or of what lies below some of its keys: of several rows the one whose keys are the most.
const PAGES: &[(&str, &str, &str)] = &[
    ("jobset", "", "https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/"),
    ("jobset", "spec.replicatedJobs.template", "{kubernetes}#jobtemplatespec-v1-batch"),
    ("jobset", "spec.replicatedJobs.template.spec", "{kubernetes}#jobspec-v1-batch"),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template",
        "{kubernetes}#podtemplatespec-v1-core",
    ),
    ("jobset", "spec.replicatedJobs.template.spec.template.spec", "{kubernetes}#podspec-v1-core"),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template.spec.containers",
        "{kubernetes}#container-v1-core",
    ),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template.spec.initContainers",
        "{kubernetes}#container-v1-core",
    ),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template.spec.volumes",
        "{kubernetes}#volume-v1-core",
    ),
    ("jobset", "metadata", OBJECT_META),
    ("clusterqueue", "", KUEUE),
    ("clusterqueue", "metadata", OBJECT_META),
    ("resourceflavor", "", KUEUE),
    ("resourceflavor", "metadata", OBJECT_META),
    ("customjob", "", "{vertex}projects.locations.customJobs"),
    ("customjob", "jobSpec", "{vertex}CustomJobSpec"),
    ("hyperparametertuningjob", "", "{vertex}projects.locations.hyperparameterTuningJobs"),
    ("hyperparametertuningjob", "studySpec", "{vertex}StudySpec"),
    ("hyperparametertuningjob", "trialJobSpec", "{vertex}CustomJobSpec"),
    ("trainingpipeline", "", "{vertex}projects.locations.trainingPipelines"),
    ("trainingpipeline", "modelToUpload", "{vertex}projects.locations.models"),
    ("trainingpipeline", "trainingTaskInputs", "{vertex}CustomJobSpec"),
    ("nodeset", "", "{toolkit}compute/schedmd-slurm-gcp-v6-nodeset#inputs"),
    ("tpunodeset", "", "{toolkit}compute/schedmd-slurm-gcp-v6-nodeset-tpu#inputs"),
    ("slurmpartition", "", "{toolkit}compute/schedmd-slurm-gcp-v6-partition#inputs"),
    ("controller", "", "{toolkit}scheduler/schedmd-slurm-gcp-v6-controller#inputs"),
    ("login", "", "{toolkit}scheduler/schedmd-slurm-gcp-v6-login#inputs"),
];

const KUEUE: &str = "https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/";
const OBJECT_META: &str = "{kubernetes}#objectmeta-v1-meta";

/// What stands for the beginnings that many pages share.
const HEADS: &[(&str, &str)] = &[
    ("{kubernetes}", "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/"),
    ("{vertex}", "https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1/"),
    (
        "{toolkit}",
        "https://github.com/GoogleCloudPlatform/cluster-toolkit/tree/{version}/community/modules/",
    ),
];

/// Pages of the provider, by the names of resources without their first word.
const TERRAFORM: &str =
    "https://registry.terraform.io/providers/hashicorp/google/{version}/docs/resources/";

/// The pages of Slurm's files, of which each setting has an anchor.
const SLURM: &str = "https://slurm.schedmd.com/";

impl Shape {
    /// The page on which the consumer describes what stands at a path of keys, of the release that the shape is of. `None` of a
    /// document that no blueprint may patch.
    #[must_use]
    pub fn page(&self, path: &[String]) -> Option<String> {
        let version = |text: String| text.replace("{version}", self.library.version);
        if let Some(resource) = self.root.title.strip_prefix("google_") {
            return Some(version(format!("{TERRAFORM}{resource}")));
        }
        if let Some(file) = FILES.iter().find(|file| file.name == self.root.title) {
            let anchor = path.first().map(|key| format!("#OPT_{key}")).unwrap_or_default();
            return Some(format!("{SLURM}{}.html{anchor}", file.page));
        }
        let is_it =
            |key: &str| self.library.roots.get(key).is_some_and(|it| std::ptr::eq(it, self.root));
        let of_it = PAGES.iter().filter(|(document, ..)| is_it(document));
        let (.., page) =
            of_it.filter(|(_, keys, _)| leads(keys, path)).max_by_key(|it| it.1.len())?;
        let head = HEADS.iter().find_map(|(head, text)| Some((text, page.strip_prefix(head)?)));
        Some(version(
            head.map_or_else(|| (*page).to_owned(), |(head, rest)| format!("{head}{rest}")),
        ))
    }
}

/// Whether a path begins with keys.
fn leads(keys: &str, path: &[String]) -> bool {
    let mut path = path.iter();
    keys.split_terminator('.').all(|key| path.next().is_some_and(|it| it == key))
}
