//! The `README.md` of an output folder: what is in it, and the commands that apply it, in order.
//!
//! Everything follows from the plan and from which artifacts there are: what is not rendered is not spoken of.

use crate::template::Templates;
use crate::{Artifact, Stage};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use slipform_model::nouns::Body;
use slipform_model::plan::{Place, Plan};
use slipform_model::{Noun, NounId};
use std::collections::BTreeSet;
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
    what: String,
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
}

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
    let readme = Files(artifacts).readme(plan);
    // every value goes through a filter that spells any text
    let content = TEMPLATES.render("README.md", &readme).unwrap_or_default();
    Artifact { path: "README.md".into(), content, executable: false, nouns: Vec::new() }
}

/// The artifacts, to be asked what there is.
#[derive(Clone, Copy)]
struct Files<'a>(&'a [Artifact]);

impl<'a> Files<'a> {
    fn has(self, path: &Utf8Path) -> bool {
        self.0.iter().any(|it| it.path == path)
    }

    fn has_in(self, folder: &Utf8Path) -> bool {
        self.0.iter().any(|it| it.path.starts_with(folder))
    }

    fn is_root(self, folder: &Utf8Path) -> bool {
        self.0
            .iter()
            .any(|it| it.path.parent() == Some(folder) && it.path.extension() == Some("tf"))
    }

    fn readme(self, plan: &'a Plan) -> Readme<'a> {
        let model = &plan.model;
        let mut readme = Readme {
            name: &model.name,
            environment: &model.environment,
            project: model.project.as_deref(),
            foundation: Some(Stage::Foundation.folder())
                .filter(|folder| self.is_root(folder))
                .map(Utf8PathBuf::into_string),
            images: model.images().filter_map(|(noun, _)| self.image(plan, noun)).collect(),
            ..Readme::default()
        };
        for noun in &model.nouns {
            match &noun.body {
                Body::GkeCluster(_) => self.gke(plan, noun.id, &mut readme),
                Body::SlurmCluster(_) => readme.slurm.extend(self.slurm(plan, noun.id)),
                _ => {}
            }
        }
        for (noun, _) in model.workloads() {
            self.job(plan, noun.id, &mut readme);
        }
        readme.terraform = readme.foundation.is_some() || !readme.roots.is_empty();
        readme.folders = self.folders();
        readme
    }

    fn image(self, plan: &'a Plan, noun: &Noun) -> Option<ImageStep<'a>> {
        let folder = Stage::Image(plan.name(noun.id)?.clone()).folder();
        let Body::Image(image) = &noun.body else { return None };
        let (reference, copies) = (plan.image(noun.id)?, !image.copy.is_empty());
        self.has_in(&folder).then(|| ImageStep { reference, copies, folder: folder.into_string() })
    }

    fn gke(self, plan: &'a Plan, id: NounId, readme: &mut Readme<'a>) {
        let Some(cluster) = plan.cluster(id) else { return };
        let root = Stage::Cluster(cluster.name.clone()).folder();
        if self.is_root(&root) {
            readme.roots.push(Root { name: &cluster.name, folder: root.into_string() });
        }
        let folder = Stage::Queues(cluster.name.clone()).folder();
        let runs_here = |id: NounId| {
            plan.pool(id).is_some_and(|pool| plan.cluster(pool.cluster) == Some(cluster))
        };
        let workloads = plan
            .workloads()
            .filter(|(_, run)| matches!(run.place, Place::Pool(pool) if runs_here(pool)));
        let workloads: Vec<JobSet<'_>> = workloads
            .filter_map(|(_, run)| {
                let folder = Stage::Workload(run.name.clone()).folder();
                let overlay = self.overlay(&folder)?;
                let fill = self.has(&folder.join("base/fill-deferred.sh"));
                Some(JobSet {
                    name: &run.name,
                    namespace: &run.namespace,
                    folder: folder.into_string(),
                    overlay: overlay.into_string(),
                    fill,
                })
            })
            .collect();
        if self.has_in(&folder) || !workloads.is_empty() {
            readme.clusters.push(Cluster {
                name: &cluster.name,
                location: &cluster.location,
                objects: self.has(&folder.join("kustomization.yaml")),
                install: self.has(&folder.join("install.sh")),
                fill: self.has(&folder.join("fill-deferred.sh")),
                folder: folder.into_string(),
                workloads,
            });
        }
    }

    /// The overlay of a workload: there is one for the environment that is built.
    fn overlay(self, folder: &Utf8Path) -> Option<Utf8PathBuf> {
        let overlays = folder.join("overlays");
        let found = self.0.iter().find(|it| it.path.starts_with(&overlays))?;
        found.path.parent().map(Utf8Path::to_owned)
    }

    fn slurm(self, plan: &'a Plan, id: NounId) -> Option<Root<'a>> {
        let name = plan.name(id)?;
        let folder = Stage::Cluster(name.clone()).folder();
        self.has(&folder.join("slurm.conf")).then(|| Root { name, folder: folder.into_string() })
    }

    fn job(self, plan: &'a Plan, id: NounId, readme: &mut Readme<'a>) {
        let Some(run) = plan.workload(id) else { return };
        let folder = Stage::Workload(run.name.clone()).folder();
        if !self.has(&folder.join("submit.sh")) {
            return;
        }
        let folder = folder.into_string();
        match run.place {
            Place::Pool(_) => {}
            Place::Partition(partition) => {
                let cluster =
                    plan.partition(partition).and_then(|partition| plan.name(partition.cluster));
                let place = cluster.map_or("", String::as_str);
                readme.jobs.push(Job { name: &run.name, place, folder });
            }
            Place::Vertex(cluster) => {
                let Some(Body::VertexCluster(body)) =
                    plan.model.get(cluster).map(|noun| &noun.body)
                else {
                    return;
                };
                readme.custom_jobs.push(Job { name: &run.name, place: &body.region.value, folder });
            }
        }
    }

    /// The folders that hold files, with a word for each.
    fn folders(self) -> Vec<Folder> {
        let tops: BTreeSet<Utf8PathBuf> = self.0.iter().filter_map(|it| top(&it.path)).collect();
        tops.into_iter()
            .map(|path| Folder { what: what(&path, self), path: path.into_string() })
            .collect()
    }
}

/// The folder of a stage: the first component, or two where the first only gathers.
fn top(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut parts = path.components();
    let first = Utf8PathBuf::from(parts.next()?.as_str());
    let second = parts.next()?;
    let gathers = first.as_str().starts_with("20-") || first.as_str().starts_with("50-");
    Some(if gathers { first.join(second.as_str()) } else { first })
}

fn what(folder: &Utf8Path, files: Files<'_>) -> String {
    let has = |name: &str| files.has(&folder.join(name));
    let words = match folder.as_str().split_once('-') {
        Some(("10", _)) => "Terraform: networks, buckets, filesystems, registries, identities",
        Some(("20", _)) => "a container image: Dockerfile and Cloud Build",
        Some(("30", _)) if has("slurm.conf") => "the configuration of a Slurm cluster",
        Some(("30", _)) => "Terraform: a cluster and its node pools",
        Some(("40", _)) => "Kubernetes objects that are there before any workload",
        _ if files
            .0
            .iter()
            .any(|it| it.path.starts_with(folder) && it.path.extension() == Some("sbatch")) =>
        {
            "a batch job of Slurm"
        }
        _ if has("base/kustomization.yaml") => "a JobSet, with an overlay for the environment",
        _ => "a custom job of Vertex AI",
    };
    words.to_owned()
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
