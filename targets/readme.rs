//! The `README.md` of an output folder: what is in it, and the commands that apply it, in order.
//!
//! Everything follows from the plan and from which artifacts there are: what is not rendered is not spoken of.

use crate::template::Templates;
use crate::{Artifact, Stage};
use serde::Serialize;
use slipform_model::nouns::Body;
use slipform_model::plan::{Place, Plan, WorkloadPlan};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Templates> =
    LazyLock::new(|| Templates::new(&[("README.md", include_str!("templates/README.md"))]));

#[derive(Default, Serialize)]
struct Readme<'a> {
    name: &'a str,
    environment: &'a str,
    project: Option<&'a str>,
    folders: Vec<Folder>,
    foundation: Option<String>,
    images: Vec<ImageStep<'a>>,
    roots: Vec<Root<'a>>,
    slurm: Vec<Root<'a>>,
    clusters: Vec<Cluster<'a>>,
    jobs: Vec<Job<'a>>,
    custom_jobs: Vec<Job<'a>>,
    /// Some root uses Terraform.
    terraform: bool,
}

/// A folder and what is in it.
#[derive(Serialize)]
struct Folder {
    path: String,
    what: &'static str,
}

#[derive(Serialize)]
struct ImageStep<'a> {
    folder: String,
    reference: &'a str,
    /// It copies files that are not in its folder.
    copies: bool,
}

/// A cluster's folder.
#[derive(Serialize)]
struct Root<'a> {
    name: &'a str,
    folder: String,
}

/// A GKE cluster with what it holds.
#[derive(Serialize)]
struct Cluster<'a> {
    name: &'a str,
    location: &'a str,
    folder: String,
    /// There are objects to apply before any workload.
    objects: bool,
    install: bool,
    fill: bool,
    workloads: Vec<JobSet<'a>>,
    /// Where all workloads are on this one cluster, and too many to be listed: how many.
    many: Option<usize>,
}

/// The most workloads that are listed one by one.
const LISTED: usize = 20;

#[derive(Serialize)]
struct JobSet<'a> {
    name: &'a str,
    namespace: &'a str,
    folder: String,
    overlay: String,
    fill: bool,
}

/// A job that a script of its own submits.
#[derive(Serialize)]
struct Job<'a> {
    name: &'a str,
    /// The partition's cluster, or the region.
    place: &'a str,
    folder: String,
}

/// Writes the page for what was rendered.
pub fn readme(plan: &Plan, artifacts: &[Artifact]) -> Artifact {
    let files = Files(artifacts.iter().map(|it| it.path.as_str()).collect());
    // every value goes through a filter that spells any text
    let content = TEMPLATES.render("README.md", &files.readme(plan)).unwrap_or_default();
    Artifact { path: "README.md".into(), content, executable: false, nouns: Vec::new() }
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
        from.map_while(|path| path.strip_prefix(&prefix)).collect::<Vec<_>>().into_iter()
    }

    fn is_root(&self, folder: &str) -> bool {
        self.within(folder).any(|path| path.ends_with(".tf"))
    }

    fn readme<'p>(&self, plan: &'p Plan) -> Readme<'p> {
        let model = &plan.model;
        let foundation = Stage::Foundation.folder().into_string();
        let mut readme = Readme {
            name: &model.name,
            environment: &model.environment,
            project: model.project.as_deref(),
            foundation: Some(foundation).filter(|folder| self.is_root(folder)),
            images: model.images().filter_map(|(noun, _)| self.image(plan, noun)).collect(),
            ..Readme::default()
        };
        let mut workloads: BTreeMap<NounId, Vec<JobSet<'p>>> = BTreeMap::new();
        let all = plan.workloads().count();
        for (_, run) in plan.workloads() {
            match run.place {
                Place::Pool(pool) => {
                    if let (Some(pool), Some(job)) = (plan.pool(pool), self.job_set(run)) {
                        workloads.entry(pool.cluster).or_default().push(job);
                    }
                }
                Place::Partition(partition) => {
                    let cluster = plan.partition(partition).and_then(|it| plan.name(it.cluster));
                    readme.jobs.extend(self.job(run, cluster.map_or("", String::as_str)));
                }
                Place::Vertex(cluster) => {
                    if let Some(Body::VertexCluster(body)) =
                        plan.model.get(cluster).map(|it| &it.body)
                    {
                        readme.custom_jobs.extend(self.job(run, &body.region.value));
                    }
                }
            }
        }
        for noun in &model.nouns {
            match &noun.body {
                Body::GkeCluster(_) => {
                    let workloads = workloads.remove(&noun.id).unwrap_or_default();
                    let many =
                        Some(workloads.len()).filter(|count| *count > LISTED && *count == all);
                    self.gke(plan, noun.id, workloads, many, &mut readme);
                }
                Body::SlurmCluster(_) => readme.slurm.extend(self.slurm(plan, noun.id)),
                _ => {}
            }
        }
        readme.terraform = readme.foundation.is_some() || !readme.roots.is_empty();
        readme.folders = self.folders();
        readme
    }

    fn image<'p>(&self, plan: &'p Plan, noun: &Noun) -> Option<ImageStep<'p>> {
        let folder = Stage::Image(plan.name(noun.id)?.clone()).folder().into_string();
        let Body::Image(image) = &noun.body else { return None };
        let (reference, copies) = (plan.image(noun.id)?, !image.copy.is_empty());
        self.has(&folder, "cloudbuild.yaml").then_some(ImageStep { reference, copies, folder })
    }

    fn gke<'p>(
        &self,
        plan: &'p Plan,
        id: NounId,
        workloads: Vec<JobSet<'p>>,
        many: Option<usize>,
        readme: &mut Readme<'p>,
    ) {
        let Some(cluster) = plan.cluster(id) else { return };
        let root = Stage::Cluster(cluster.name.clone()).folder().into_string();
        if self.is_root(&root) {
            readme.roots.push(Root { name: &cluster.name, folder: root });
        }
        let folder = Stage::Queues(cluster.name.clone()).folder().into_string();
        if !workloads.is_empty() || self.within(&folder).next().is_some() {
            readme.clusters.push(Cluster {
                name: &cluster.name,
                location: &cluster.location,
                objects: self.has(&folder, "kustomization.yaml"),
                install: self.has(&folder, "install.sh"),
                fill: self.has(&folder, "fill-deferred.sh"),
                folder,
                workloads: if many.is_some() { Vec::new() } else { workloads },
                many,
            });
        }
    }

    /// A workload with its overlay: there is one for the environment that is built.
    fn job_set<'p>(&self, run: &'p WorkloadPlan) -> Option<JobSet<'p>> {
        let folder = Stage::Workload(run.name.clone()).folder().into_string();
        let overlay = self.within(&folder).find_map(|path| path.strip_prefix("overlays/"))?;
        let overlay = format!("{folder}/overlays/{}", overlay.split('/').next()?);
        let fill = self.has(&folder, "base/fill-deferred.sh");
        Some(JobSet { name: &run.name, namespace: &run.namespace, folder, overlay, fill })
    }

    fn slurm<'p>(&self, plan: &'p Plan, id: NounId) -> Option<Root<'p>> {
        let name = plan.name(id)?;
        let folder = Stage::Cluster(name.clone()).folder().into_string();
        self.has(&folder, "slurm.conf").then_some(Root { name, folder })
    }

    fn job<'p>(&self, run: &'p WorkloadPlan, place: &'p str) -> Option<Job<'p>> {
        let folder = Stage::Workload(run.name.clone()).folder().into_string();
        self.has(&folder, "submit.sh").then_some(Job { name: &run.name, place, folder })
    }

    /// The folders that hold files, with a word for each.
    fn folders(&self) -> Vec<Folder> {
        let tops: BTreeSet<&str> = self.0.iter().filter_map(|path| top(path)).collect();
        let is_workload = |path: &&str| path.starts_with(WORKLOADS);
        let gathered = tops.iter().copied().filter(is_workload).count() > LISTED;
        let listed = tops.iter().filter(|path| !(gathered && is_workload(path)));
        let mut folders: Vec<Folder> =
            listed.map(|path| Folder { what: self.what(path), path: (*path).to_owned() }).collect();
        if gathered {
            let path = WORKLOADS.trim_end_matches('/').to_owned();
            folders.push(Folder { what: "the workloads, a folder each", path });
        }
        folders
    }

    fn what(&self, folder: &str) -> &'static str {
        match folder.split('-').next() {
            Some("10") => "Terraform: networks, buckets, filesystems, registries, identities",
            Some("20") => "a container image: Dockerfile and Cloud Build",
            Some("30") if self.has(folder, "slurm.conf") => "the configuration of a Slurm cluster",
            Some("30") => "Terraform: a cluster and its node pools",
            Some("40") => "Kubernetes objects that are there before any workload",
            _ if self.has(folder, "base/kustomization.yaml") => {
                "a JobSet, with an overlay for the environment"
            }
            _ if self.within(folder).any(|path| path.ends_with(".sbatch")) => {
                "a batch job of Slurm"
            }
            _ => "a custom job of Vertex AI",
        }
    }
}

/// What the folders of workloads start with.
const WORKLOADS: &str = "50-workloads/";

/// The folder of a stage: the first component, or two where the first only gathers.
fn top(path: &str) -> Option<&str> {
    let gathers = path.starts_with("20-") || path.starts_with("50-");
    let depth = if gathers { 2 } else { 1 };
    let (end, _) = path.match_indices('/').nth(depth - 1)?;
    path.get(..end)
}

#[cfg(test)]
mod tests {
    use crate::render;
    use crate::testing::{Blueprint, cidr, python, record, variant};

    /// One workload on each platform.
    fn everywhere() -> Blueprint {
        let mut blueprint = Blueprint::new();
        let network = blueprint.noun(
            "network",
            "fabric",
            &[
                ("region", "us-east4".into()),
                ("pods", cidr("10.64.0.0/14")),
                ("services", cidr("10.128.0.0/20")),
            ],
        );
        let push_to = variant(
            "registry",
            &[("location", "us-east4".into()), ("repository", "training".into())],
        );
        let image = [
            ("from", "nvcr.io/nvidia/nemo:24.07".into()),
            ("push_to", push_to),
            ("copy", record(&[("src", "/app".into())])),
        ];
        let image = blueprint.noun("image", "nemo", &image);
        let network = [("network", blueprint.to(network)), ("zone", "us-east4-a".into())];
        let gke = blueprint.noun("cluster on gke", "a3m", &network);
        let pool = blueprint.inside(
            gke,
            "pool",
            "gpus",
            &[("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())],
        );
        let hpc = blueprint.noun("cluster on slurm", "hpc", &[]);
        let partition = blueprint.inside(
            hpc,
            "partition",
            "gpu",
            &[("machine", "hgx-h100".into()), ("nodes", 2.into())],
        );
        let managed = [("region", "us-east4".into()), ("machine", "a3-megagpu-8g".into())];
        let managed = blueprint.noun("cluster on vertex", "managed", &managed);
        for (name, place) in [("on-gke", pool), ("on-slurm", partition), ("on-vertex", managed)] {
            let fields = [
                ("place", blueprint.to(place)),
                ("image", blueprint.to(image)),
                ("nodes", 2.into()),
                ("launch", python()),
            ];
            blueprint.noun("workload", name, &fields);
        }
        blueprint
    }

    fn page(blueprint: Blueprint, only: &[&str]) -> Option<String> {
        let out = render(&blueprint.plan(), only);
        out.artifacts.into_iter().find(|it| it.path == "README.md").map(|it| it.content)
    }

    #[test]
    fn the_last_step_names_terraform_only_where_there_is_some() {
        let mut blueprint = Blueprint::new();
        let hpc = blueprint.noun("cluster on slurm", "hpc", &[]);
        let machine = [("machine", "hgx-h100".into()), ("nodes", 2.into())];
        blueprint.inside(hpc, "partition", "gpu", &machine);
        let shown = |blueprint| page(blueprint, &[]).unwrap_or_default();
        let (slurm, all) = (shown(blueprint), shown(everywhere()));
        assert!(slurm.contains("## Tear down\n\nThe other way round.\n"), "{slurm}");
        assert!(!slurm.to_lowercase().contains("terraform"), "{slurm}");
        assert!(all.contains("Terraform says what to lift first"), "{all}");
    }

    #[test]
    fn the_page_says_how_each_platform_is_applied() {
        insta::assert_snapshot!(page(everywhere(), &[]).unwrap());
    }

    #[test]
    fn what_is_not_rendered_is_not_spoken_of() {
        let page = page(everywhere(), &["slurm"]).unwrap();
        assert!(page.contains("50-workloads/on-slurm/submit.sh"));
        for other in ["terraform", "kubectl", "gcloud builds", "gcloud ai"] {
            assert!(!page.contains(other), "{other}");
        }
    }

    #[test]
    fn an_empty_output_has_no_page() {
        assert_eq!(page(Blueprint::new(), &[]), None);
    }
}
