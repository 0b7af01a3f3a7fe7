//! The `README.md` of an output folder: what is in it, what must be there before, and the commands that apply it, in order.
//!
//! Everything follows from the plan and from which artifacts there are: what is not rendered is not spoken of.

mod abroad;
mod before;
mod data;
mod gke;
mod gone;
mod held;
mod jobset;
mod machines;
mod operate;
mod quotas;
mod secrets;
mod slurm;
mod toolkit;
mod versions;

use crate::on_nodes::Program;
use crate::template::Templates;
use crate::{Artifact, Stage};
use crate::{chains, packer};
use before::{Before, Uses};
use data::Data;
use gone::Gone;
use jobset::{JobSet, giving_way, precedence};
use operate::{OnGke, OnSlurm, OnVertex};
use secrets::{Account, File, Secret, Stored};
use serde::Serialize;
use slipform_model::nouns::{
    Bucket, Dashboard, Filesystem, GkeCluster, Identity, Image, MachineImage, Network, Ref,
    Registry, Reservation, SlurmCluster, Workload,
};
use slipform_model::plan::{Derived, Launcher, Planned, Site, Sound};
use slipform_model::{Diagnostic, NounId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::LazyLock;

/// The page and its sections: one that an output has no use for is never read.
macro_rules! sections {
    ($($name:literal)*) => {
        Templates::of_pages(&[$(($name, include_str!(concat!("../templates/", $name)))),*])
    };
}

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    sections! {
        "README.md" "before.md" "reservations.md" "images.md" "machine-images.md" "existing.md" "data.md" "toolkit.md" "machines.md"
        "jobs/gke.md" "jobs/gke-held.md" "jobs/gke-tests.md" "jobs/slurm.md" "jobs/vertex.md"
        "operate/gke.md" "operate/slurm.md" "operate/vertex.md" "gone.md"
    }
});

#[derive(Default, Serialize)]
struct Readme<'a> {
    name: &'a str,
    environment: &'a str,
    project: Option<&'a str>,
    before: Before<'a>,
    folders: Vec<Folder>,
    foundation: Option<Foundation>,
    images: Vec<ImageStep<'a>>,
    /// Images of machines that Packer builds by itself.
    machine_images: Vec<MachineImageStep<'a>>,
    roots: Vec<Root<'a>>,
    /// Plain machines of Compute Engine.
    machines: Vec<machines::Group<'a>>,
    workload_identity: Option<String>,
    /// Clusters whose nodes are an identity that is made here.
    nodes: Vec<&'a str>,
    slurm: Vec<Root<'a>>,
    /// Slurm clusters that Cluster Toolkit makes.
    toolkit: Vec<toolkit::Deployment<'a>>,
    existing_gke: Vec<gke::Existing<'a>>,
    existing_slurm: Vec<slurm::Existing<'a>>,
    /// Jobs of several groups.
    grouped: Vec<slurm::Grouped<'a>>,
    /// Google's registries that enroot imports from.
    registries: BTreeSet<&'a str>,
    /// What workloads only read.
    data: Vec<Data<'a>>,
    /// Some of it is in buckets.
    fill_buckets: bool,
    clusters: Vec<Cluster<'a>>,
    /// Programs of jobs of Slurm that are in no image.
    programs: Vec<Program>,
    /// What jobs of Slurm read from the home folder of who submits them.
    files: Vec<File<'a>>,
    jobs: Vec<Job<'a>>,
    slurm_runs: Vec<OnSlurm<'a>>,
    stored: Vec<Stored<'a>>,
    custom_jobs: Vec<Job<'a>>,
    vertex_runs: Vec<OnVertex<'a>>,
    /// Some root uses Terraform.
    terraform: bool,
    gone: Gone<'a>,
}

/// A folder and what is in it.
#[derive(Serialize)]
struct Folder {
    path: String,
    what: String,
}

/// The root that the others stand on.
#[derive(Serialize)]
struct Foundation {
    folder: String,
    /// `Networks, buckets, identities`
    title: String,
}

#[derive(Serialize)]
struct ImageStep<'a> {
    folder: String,
    reference: &'a str,
    /// It copies files that are not in its folder.
    copies: bool,
}

#[derive(Serialize)]
struct MachineImageStep<'a> {
    folder: String,
    name: &'a str,
    /// Packer comes in by the rights of who runs it.
    os_login: bool,
}

/// A cluster's folder.
#[derive(Serialize)]
struct Root<'a> {
    name: &'a str,
    folder: String,
    /// Something counts there what jobs of Slurm use.
    counts: bool,
}

/// A GKE cluster with what it holds.
#[derive(Serialize)]
struct Cluster<'a> {
    name: &'a str,
    /// What it is told by among all.
    title: String,
    /// The project that it is of.
    project: Option<&'a str>,
    location: &'a str,
    /// Its control plane is reached by a name that Google resolves.
    dns_endpoint: bool,
    /// Commands reach it from inside of its network alone: the ranges that they may come from there.
    inside: Option<Inside<'a>>,
    folder: String,
    /// Namespaces that someone else makes.
    given: Vec<gke::Given<'a>>,
    /// There are objects to apply before any workload.
    objects: bool,
    install: bool,
    fill: bool,
    secrets: Vec<Secret<'a>>,
    /// What else workloads take for granted there.
    held: BTreeSet<held::Object<'a>>,
    /// What tries the cluster's nodes before others rest on them.
    tests: Vec<JobSet<'a>>,
    workloads: Vec<JobSet<'a>>,
    /// Where all workloads are on this one cluster, and too many to be listed: how many.
    many: Option<usize>,
    /// What commands about its workloads name.
    runs: Option<OnGke<'a>>,
    /// Which workloads take the place of which: `multi (high) before single (medium)`.
    precedence: Option<String>,
    giving_way: Vec<String>,
}

/// Where a control plane without an address outside is reached from.
#[derive(Serialize)]
struct Inside<'a> {
    network: &'a str,
    ranges: Vec<String>,
}

impl<'a> Inside<'a> {
    /// Of a cluster that is made here; of others nobody knows.
    fn of(plan: Sound<'a>, cluster: Planned<'a, GkeCluster>) -> Option<Self> {
        let body = cluster.body;
        let inside = cluster.is_made() && body.private_endpoint && !cluster.plan.dns_endpoint;
        inside.then(|| Self {
            network: plan.get(body.network.value).name(),
            ranges: body.authorized.values().map(ToString::to_string).collect(),
        })
    }
}

/// The most workloads that are listed one by one.
const LISTED: usize = 20;

/// A job that a script of its own submits.
#[derive(Serialize)]
struct Job<'a> {
    name: &'a str,
    /// What people see it called on Vertex AI.
    title: &'a str,
    /// What tells it there from jobs that are called alike.
    labels: String,
    /// The commands of gcloud about it there.
    command: &'static str,
    /// The partition's cluster, or the region.
    place: &'a str,
    folder: String,
    /// It tries its place before others rest on it.
    test: bool,
    /// The jobs that one script submits with it, each of which the next ones wait for in the queue.
    chain: Vec<&'a str>,
    /// It is submitted with another one.
    chained: bool,
    /// How many jobs it waits for in the queue, those that these wait for among them.
    behind: usize,
    /// The job whose model it makes a version of, which is there once that one has ended.
    version_of: Option<&'a str>,
    /// It submits jobs of its own, which are called as it likes.
    submits: bool,
    /// What the blueprint says of it.
    doc: Option<&'a str>,
}

/// Writes the page for what was rendered.
///
/// # Errors
///
/// What has no spelling there.
pub fn readme(plan: Sound<'_>, artifacts: &[Artifact]) -> Result<Artifact, Box<Diagnostic>> {
    let files = Files(artifacts.iter().map(|it| it.path.as_str()).collect());
    let content = TEMPLATES.page("README.md", &files.readme(plan))?;
    let path = "README.md".into();
    Ok(Artifact { path, content, executable: false, nouns: Vec::new(), applied: None })
}

/// The paths of the artifacts, to be asked what there is.
struct Files<'a>(BTreeSet<&'a str>);

impl<'a> Files<'a> {
    fn has(&self, folder: &str, name: &str) -> bool {
        self.0.contains(format!("{folder}/{name}").as_str())
    }

    /// What lies in a folder, relative to it.
    fn within(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let prefix = format!("{folder}/");
        let from = self.0.range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded));
        from.map_while(move |path| path.strip_prefix(prefix.as_str()))
    }

    fn is_root(&self, folder: &str) -> bool {
        self.within(folder).any(|path| path.ends_with(".tf"))
    }

    fn readme<'p>(&self, plan: Sound<'p>) -> Readme<'p> {
        let root =
            |stage: Stage| Some(stage.folder().into_string()).filter(|folder| self.is_root(folder));
        let mut readme = Readme {
            name: plan.blueprint(),
            environment: plan.environment(),
            project: plan.project(),
            foundation: root(Stage::Foundation).map(|folder| Foundation::of(plan, folder)),
            workload_identity: root(Stage::WorkloadIdentity),
            nodes: nodes(plan),
            machines: plan.made().map(|it| machines::Group::of(plan, it)).collect(),
            images: plan.all().filter_map(|image| self.image(image)).collect(),
            machine_images: self.machine_images(plan),
            ..Readme::default()
        };
        let all = plan.all::<Workload>().count();
        let mut runs = self.runs(plan);
        readme.existing_gke = gke::existing(plan);
        readme.existing_slurm = slurm::existing(plan, &runs.slurm);
        readme.grouped = slurm::grouped(plan, &runs.slurm);
        readme.registries = slurm::registries(&runs.slurm);
        readme.programs = slurm::programs(&runs.slurm);
        readme.slurm_runs = runs.slurm.iter().filter_map(|job| OnSlurm::of(plan, *job)).collect();
        readme.vertex_runs =
            runs.vertex.iter().filter_map(|job| OnVertex::of(plan, *job)).collect();
        readme.jobs = std::mem::take(&mut runs.jobs);
        readme.custom_jobs = std::mem::take(&mut runs.custom_jobs);
        readme.files = secrets::files(runs.slurm.iter().copied());
        readme.stored = secrets::stored(runs.vertex.iter().copied(), |it| account(plan, it));
        for cluster in plan.all::<GkeCluster>() {
            let workloads = runs.gke.remove(&cluster.reference()).unwrap_or_default();
            let many = Some(workloads.len()).filter(|count| *count > LISTED && *count == all);
            self.gke(plan, cluster, workloads, many, &mut readme);
        }
        readme.slurm.extend(plan.all().filter_map(|cluster| self.slurm(cluster)));
        let on_cloud = plan.made::<SlurmCluster>();
        readme.toolkit = on_cloud.filter_map(|it| self.toolkit(plan, it)).collect();
        // without a foundation there is no other root either
        readme.terraform = readme.foundation.is_some();
        if readme.terraform {
            readme.gone = Gone::of(plan);
        }
        readme.data = data::of(plan, |id| runs.started.contains(&id));
        readme.fill_buckets = readme.data.iter().any(|it| it.bucket);
        readme.folders = self.folders(plan);
        readme.before = Before::of(plan, &self.uses(&readme, &runs));
        readme
    }

    /// What the commands of the page start, where each platform has it; tests before others.
    fn runs<'p>(&self, plan: Sound<'p>) -> Runs<'p> {
        let mut runs = Runs::default();
        for workload in plan.all::<Workload>() {
            let starts = match &workload.plan.site {
                Site::Gke(site) => self.job_set(plan, workload).map(|job| {
                    runs.gke.entry(site.cluster).or_default().push((workload, job));
                }),
                Site::Slurm(site) => self.job(workload, plan.get(site.cluster).name()).map(|job| {
                    runs.slurm.push(workload);
                    runs.jobs.push(job);
                }),
                Site::Vertex(site) => {
                    let cluster = plan.get(site.cluster);
                    self.job(workload, &cluster.body.region.value).map(|mut job| {
                        job.labels = operate::labels(plan, workload);
                        runs.vertex.push(workload);
                        runs.custom_jobs.push(job);
                    })
                }
            };
            runs.started.extend(starts.map(|()| workload.noun.id));
        }
        runs.chain(plan);
        runs.version(plan);
        runs.slurm.sort_by_key(|it| !it.body.test);
        runs.vertex.sort_by_key(|it| !it.body.test);
        runs.jobs.sort_by_key(|job| !job.test);
        runs.custom_jobs.sort_by_key(|job| !job.test);
        runs
    }

    /// What the commands of the page touch.
    fn uses<'p>(&self, readme: &Readme<'p>, runs: &Runs<'p>) -> Uses<'p> {
        Uses {
            foundation: readme.foundation.is_some(),
            terraform: readme.terraform,
            images: !readme.images.is_empty(),
            packer: !readme.machine_images.is_empty()
                || readme.toolkit.iter().any(|it| it.builds()),
            machine_images: !readme.machine_images.is_empty(),
            packer_login: readme.machine_images.iter().any(|image| image.os_login),
            kubectl: !readme.clusters.is_empty(),
            helm: self.0.iter().any(|path| path.ends_with(".values.yaml")),
            toolkit: !readme.toolkit.is_empty(),
            machines: !readme.machines.is_empty(),
            vertex: runs.vertex.clone(),
            secrets: !readme.stored.is_empty(),
        }
    }

    fn image<'p>(&self, image: Planned<'p, Image>) -> Option<ImageStep<'p>> {
        let folder = Stage::Image(image.name().to_owned()).folder().into_string();
        let (reference, copies) = (image.plan, !image.body.copy.is_empty());
        self.has(&folder, "cloudbuild.yaml").then_some(ImageStep { reference, copies, folder })
    }

    /// In an order in which each is there before what starts from it.
    fn machine_images<'p>(&self, plan: Sound<'p>) -> Vec<MachineImageStep<'p>> {
        let mut steps: Vec<(Ref<MachineImage>, MachineImageStep<'p>)> = Vec::new();
        for image in plan.made::<MachineImage>() {
            let folder = Stage::MachineImage(image.name().to_owned()).folder().into_string();
            if self.has(&folder, packer::TEMPLATE) {
                steps.push((
                    image.reference(),
                    MachineImageStep { folder, name: image.name(), os_login: image.body.os_login },
                ));
            }
        }
        let from = |image: Ref<MachineImage>| plan.get(image).body.from.as_ref()?.value.built();
        let most = steps.len();
        let depth = |image| std::iter::successors(Some(image), |it| from(*it)).take(most).count();
        steps.sort_by_key(|(image, _)| depth(*image));
        steps.into_iter().map(|(_, step)| step).collect()
    }

    fn gke<'p>(
        &self,
        plan: Sound<'p>,
        cluster: Planned<'p, GkeCluster>,
        workloads: Vec<(Planned<'p, Workload>, JobSet<'p>)>,
        many: Option<usize>,
        readme: &mut Readme<'p>,
    ) {
        let noun = cluster;
        let cluster = cluster.plan;
        let root = Stage::Cluster(cluster.name.clone()).folder().into_string();
        if self.is_root(&root) {
            readme.roots.push(Root { name: &cluster.name, folder: root, counts: false });
        }
        let folder = Stage::queues(plan, noun).folder().into_string();
        if !workloads.is_empty() || self.within(&folder).next().is_some() {
            let secrets = secrets::in_cluster(workloads.iter().map(|(workload, _)| *workload));
            let held = held::in_cluster(workloads.iter().map(|(workload, _)| *workload));
            let runs = OnGke::of(plan, noun, &workloads, many.is_some());
            let (tests, others): (Vec<_>, Vec<_>) =
                workloads.into_iter().partition(|(workload, _)| workload.body.test);
            let jobs = |all: Vec<(Planned<'p, Workload>, JobSet<'p>)>| -> Vec<JobSet<'p>> {
                all.into_iter().map(|(_, job)| job).collect()
            };
            let others = if many.is_some() { Vec::new() } else { others };
            readme.clusters.push(Cluster {
                name: &cluster.name,
                title: Stage::title(plan, noun),
                project: plan.other_project(noun.noun.id).or(plan.project()),
                location: &cluster.location,
                dns_endpoint: cluster.dns_endpoint,
                inside: Inside::of(plan, noun),
                given: gke::given(plan, noun),
                objects: self.has(&folder, "kustomization.yaml"),
                install: self.has(&folder, "install.sh"),
                fill: self.has(&folder, "fill-deferred.sh"),
                folder,
                secrets,
                held,
                precedence: precedence(plan, others.iter().map(|(workload, _)| workload.plan)),
                giving_way: giving_way(plan, others.iter().map(|(workload, _)| workload.plan)),
                tests: jobs(tests),
                workloads: jobs(others),
                many,
                runs,
            });
        }
    }

    fn slurm<'p>(&self, cluster: Planned<'p, SlurmCluster>) -> Option<Root<'p>> {
        let name = cluster.name();
        let folder = Stage::Cluster(name.to_owned()).folder().into_string();
        let counts = cluster.body.accounting.is_some();
        self.has(&folder, "slurm.conf").then_some(Root { name, folder, counts })
    }

    fn toolkit<'p>(
        &self,
        plan: Sound<'p>,
        cluster: Planned<'p, SlurmCluster>,
    ) -> Option<toolkit::Deployment<'p>> {
        let folder = Stage::Cluster(cluster.name().to_owned()).folder().into_string();
        let made = self.has(&folder, "cluster.yaml");
        made.then(|| toolkit::Deployment::of(plan, cluster, folder)).flatten()
    }

    fn job<'p>(&self, workload: Planned<'p, Workload>, place: &'p str) -> Option<Job<'p>> {
        let Planned { noun, body, plan: run, .. } = workload;
        let folder = Stage::Workload(run.name.clone()).folder().into_string();
        self.has(&folder, "submit.sh").then_some(Job {
            name: &run.name,
            title: operate::title(body, run),
            labels: String::new(),
            command: operate::command(body),
            place,
            folder,
            test: body.test,
            chain: Vec::new(),
            chained: false,
            behind: 0,
            version_of: None,
            submits: run.lead().program.launcher.value == Launcher::Submitter,
            doc: noun.doc.as_deref(),
        })
    }

    /// The folders that hold files, with a word for each; those of many workloads as one.
    fn folders(&self, plan: Sound<'_>) -> Vec<Folder> {
        let mut folders = Vec::new();
        let mut gathered: BTreeMap<&'static str, Vec<Folder>> = BTreeMap::new();
        for (stage, what) in Stage::described(plan) {
            let what = match stage == Stage::Foundation {
                true => format!("{what}: {}", Foundation::holds(plan)),
                false => what.to_owned(),
            };
            let folder = Folder { path: stage.folder().into_string(), what };
            if self.within(&folder.path).next().is_none() {
                continue;
            }
            match stage.gathered() {
                Some(within) => gathered.entry(within).or_default().push(folder),
                None => folders.push(folder),
            }
        }
        for (path, inside) in gathered {
            if inside.len() > LISTED {
                let what = "the workloads, a folder each".to_owned();
                folders.push(Folder { path: path.into(), what });
            } else {
                folders.extend(inside);
            }
        }
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        folders
    }
}

impl Foundation {
    fn of(plan: Sound<'_>, folder: String) -> Self {
        let holds = Self::holds(plan);
        let mut letters = holds.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string());
        Self { folder, title: first.unwrap_or_default() + letters.as_str() }
    }

    /// What the root makes, in words.
    fn holds(plan: Sound<'_>) -> String {
        let pushes = || plan.made::<Image>().any(|image| image.body.push_to.is_some());
        let kinds = [
            ("networks", makes::<Network>(plan)),
            ("buckets", makes::<Bucket>(plan)),
            ("filesystems", plan.made::<Filesystem>().any(|it| it.body.storage.value.is_managed())),
            ("registries", makes::<Registry>(plan) || pushes()),
            ("identities", makes::<Identity>(plan)),
            ("dashboards", makes::<Dashboard>(plan)),
            ("reservations", makes::<Reservation>(plan)),
        ];
        let kinds: Vec<&str> =
            kinds.into_iter().filter_map(|(kind, is_there)| is_there.then_some(kind)).collect();
        if kinds.is_empty() { "interfaces of the project".to_owned() } else { kinds.join(", ") }
    }
}

/// Whether something of a kind is made.
fn makes<K: Derived>(plan: Sound<'_>) -> bool {
    plan.made::<K>().next().is_some()
}

/// What the commands of the page start, by platform.
#[derive(Default)]
struct Runs<'a> {
    started: BTreeSet<NounId>,
    gke: BTreeMap<Ref<GkeCluster>, Vec<(Planned<'a, Workload>, JobSet<'a>)>>,
    slurm: Vec<Planned<'a, Workload>>,
    /// With where they run.
    vertex: Vec<Planned<'a, Workload>>,
    /// Of Slurm, tests first.
    jobs: Vec<Job<'a>>,
    /// Of Vertex AI, tests first.
    custom_jobs: Vec<Job<'a>>,
}

impl<'a> Runs<'a> {
    /// Tells jobs of Slurm which of them one script submits.
    fn chain(&mut self, plan: Sound<'a>) {
        let chains = self.slurm.iter().map(|job| chains::before(plan, *job).unwrap_or_default());
        let chains: Vec<_> = chains.collect();
        let before = chains.iter().filter_map(|chain| chain.split_last());
        let chained: BTreeSet<NounId> =
            before.flat_map(|(_, before)| before).map(|it| it.noun.id).collect();
        for ((job, workload), chain) in self.jobs.iter_mut().zip(&self.slurm).zip(&chains) {
            job.chain = chain.iter().map(|it| it.plan.name.as_str()).collect();
            job.chained = chained.contains(&workload.noun.id);
            job.behind = plan.queued_behind(workload.noun.id).count();
        }
    }

    /// Tells jobs of Vertex AI whose model they make a version of.
    fn version(&mut self, plan: Sound<'a>) {
        for (job, workload) in self.custom_jobs.iter_mut().zip(&self.vertex) {
            job.version_of = versions::maker(plan, &self.vertex, *workload);
        }
    }
}

/// The account that a job acts as.
fn account(plan: Sound<'_>, workload: Planned<'_, Workload>) -> Account {
    let own = workload.body.identity.and_then(|identity| plan.email(identity.value));
    own.map_or(Account::Platform, Account::Own)
}

fn nodes(plan: Sound<'_>) -> Vec<&str> {
    let named = plan.made::<GkeCluster>().filter(|cluster| {
        let identity = cluster.body.node_identity;
        identity.is_some_and(|identity| plan.get(identity.value).is_made())
    });
    named.map(|cluster| cluster.name()).collect()
}
