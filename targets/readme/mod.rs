//! The `README.md` of an output folder: what is in it, what must be there before, and the commands that apply it, in order.
//!
//! Everything follows from the plan and from which artifacts there are: what is not rendered is not spoken of.

mod before;
mod data;
mod gke;
mod gone;
mod jobset;
mod quotas;
mod secrets;
mod slurm;

use crate::on_nodes::Program;
use crate::template::Templates;
use crate::{Artifact, Stage};
use before::{Before, Uses};
use data::Data;
use gone::Gone;
use jobset::{JobSet, precedence};
use secrets::{Account, File, Secret, Stored};
use serde::Serialize;
use slipform_model::nouns::{Body, Workload};
use slipform_model::plan::{Place, Plan, Run};
use slipform_model::{Noun, NounId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::LazyLock;

static TEMPLATES: LazyLock<Templates> =
    LazyLock::new(|| Templates::new(&[("README.md", include_str!("../templates/README.md"))]));

#[derive(Default, Serialize)]
struct Readme<'a> {
    name: &'a str,
    environment: &'a str,
    project: Option<&'a str>,
    before: Before<'a>,
    folders: Vec<Folder>,
    foundation: Option<Foundation>,
    images: Vec<ImageStep<'a>>,
    roots: Vec<Root<'a>>,
    workload_identity: Option<String>,
    /// Clusters whose nodes are an identity that is made here.
    nodes: Vec<&'a str>,
    slurm: Vec<Root<'a>>,
    existing_gke: Vec<gke::Site<'a>>,
    existing_slurm: Vec<slurm::Site<'a>>,
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
    stored: Vec<Stored<'a>>,
    custom_jobs: Vec<Job<'a>>,
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
    /// Its control plane is reached by a name that Google resolves.
    dns_endpoint: bool,
    folder: String,
    /// There are objects to apply before any workload.
    objects: bool,
    install: bool,
    fill: bool,
    secrets: Vec<Secret<'a>>,
    /// What tries the cluster's nodes before others rest on them.
    tests: Vec<JobSet<'a>>,
    workloads: Vec<JobSet<'a>>,
    /// Where all workloads are on this one cluster, and too many to be listed: how many.
    many: Option<usize>,
    /// Kueue admits workloads, in these namespaces.
    namespaces: BTreeSet<&'a str>,
    /// Nodes of some workloads come through a request of theirs.
    queued: bool,
    /// Which workloads take the place of which: `multi (high) before single (medium)`.
    precedence: Option<String>,
}

/// The most workloads that are listed one by one.
const LISTED: usize = 20;

/// A job that a script of its own submits.
#[derive(Serialize)]
struct Job<'a> {
    name: &'a str,
    /// The partition's cluster, or the region.
    place: &'a str,
    folder: String,
    /// It tries its place before others rest on it.
    test: bool,
    /// What the blueprint says of it.
    doc: Option<&'a str>,
}

/// Writes the page for what was rendered.
pub fn readme(plan: &Plan, artifacts: &[Artifact]) -> Artifact {
    let files = Files(artifacts.iter().map(|it| it.path.as_str()).collect());
    // every value goes through a filter that spells any text
    let content = TEMPLATES.render("README.md", &files.readme(plan)).unwrap_or_default();
    let path = "README.md".into();
    Artifact { path, content, executable: false, nouns: Vec::new(), applied: None }
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
        let root =
            |stage: Stage| Some(stage.folder().into_string()).filter(|folder| self.is_root(folder));
        let mut readme = Readme {
            name: &model.name,
            environment: &model.environment,
            project: model.project.as_deref(),
            foundation: root(Stage::Foundation).map(|folder| Foundation::of(plan, folder)),
            workload_identity: root(Stage::WorkloadIdentity),
            nodes: nodes(plan),
            images: model.images().filter_map(|(noun, _)| self.image(plan, noun)).collect(),
            ..Readme::default()
        };
        let mut workloads: BTreeMap<NounId, Vec<(&'p Noun, JobSet<'p>)>> = BTreeMap::new();
        let all = plan.workloads().count();
        let mut submitted = Submitted::default();
        let mut started = BTreeSet::new();
        for (noun, body) in model.workloads() {
            let Some(run) = plan.workload(noun.id) else { continue };
            match run.place {
                Place::Pool(pool) => {
                    if let (Some(pool), Some(job)) =
                        (plan.pool(pool), self.job_set(plan, noun, run))
                    {
                        started.insert(noun.id);
                        workloads.entry(pool.cluster).or_default().push((noun, job));
                    }
                }
                Place::Partition(partition) => {
                    let cluster = plan.partition(partition).and_then(|it| plan.name(it.cluster));
                    let job = self.job(noun, body, run, cluster.map_or("", String::as_str));
                    submitted.slurm.extend(job.is_some().then_some(noun));
                    readme.jobs.extend(job);
                }
                Place::Vertex(cluster) => {
                    if let Some(Body::VertexCluster(vertex)) =
                        plan.model.get(cluster).map(|it| &it.body)
                    {
                        let job = self.job(noun, body, run, &vertex.region.value);
                        submitted.vertex.extend(job.is_some().then_some(noun));
                        readme.custom_jobs.extend(job);
                    }
                }
            }
        }
        started.extend(submitted.slurm.iter().chain(&submitted.vertex).map(|noun| noun.id));
        readme.existing_gke = gke::existing(plan);
        readme.existing_slurm = slurm::existing(plan, &submitted.slurm);
        readme.registries = slurm::registries(plan, &submitted.slurm);
        readme.programs = slurm::programs(plan, &submitted.slurm);
        readme.jobs.sort_by_key(|job| !job.test);
        readme.custom_jobs.sort_by_key(|job| !job.test);
        readme.files = secrets::files(plan, submitted.slurm.iter().copied());
        readme.stored =
            secrets::stored(plan, submitted.vertex.iter().copied(), |noun| account(plan, noun));
        for noun in &model.nouns {
            match &noun.body {
                Body::GkeCluster(_) => {
                    let workloads = workloads.remove(&noun.id).unwrap_or_default();
                    let many =
                        Some(workloads.len()).filter(|count| *count > LISTED && *count == all);
                    self.gke(plan, noun, workloads, many, &mut readme);
                }
                Body::SlurmCluster(_) => readme.slurm.extend(self.slurm(plan, noun.id)),
                _ => {}
            }
        }
        // without a foundation there is no other root either
        readme.terraform = readme.foundation.is_some();
        if readme.terraform {
            readme.gone = Gone::of(plan);
        }
        readme.data = data::of(plan, |id| started.contains(&id));
        readme.fill_buckets = readme.data.iter().any(|it| it.bucket);
        readme.folders = self.folders(plan);
        readme.before = Before::of(plan, &self.uses(&readme, &submitted));
        readme
    }

    /// What the commands of the page touch.
    fn uses<'p>(&self, readme: &Readme<'p>, submitted: &Submitted<'p>) -> Uses {
        Uses {
            foundation: readme.foundation.is_some(),
            terraform: readme.terraform,
            images: !readme.images.is_empty(),
            kubectl: !readme.clusters.is_empty(),
            helm: self.0.iter().any(|path| path.ends_with(".values.yaml")),
            vertex: submitted.vertex.iter().map(|noun| noun.id).collect(),
            secrets: !readme.stored.is_empty(),
        }
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
        noun: &'p Noun,
        workloads: Vec<(&'p Noun, JobSet<'p>)>,
        many: Option<usize>,
        readme: &mut Readme<'p>,
    ) {
        let Some(cluster) = plan.cluster(noun.id) else { return };
        let root = Stage::Cluster(cluster.name.clone()).folder().into_string();
        if self.is_root(&root) {
            readme.roots.push(Root { name: &cluster.name, folder: root });
        }
        let folder = Stage::Queues(cluster.name.clone()).folder().into_string();
        if !workloads.is_empty() || self.within(&folder).next().is_some() {
            let secrets = secrets::in_cluster(plan, workloads.iter().map(|(noun, _)| *noun));
            let test = |noun: &Noun| matches!(&noun.body, Body::Workload(it) if it.test);
            let admitted = workloads.iter().map(|(_, job)| job).filter(|job| job.admitted);
            let namespaces = admitted.map(|job| job.namespace).collect();
            let queued = workloads.iter().any(|(_, job)| job.queued);
            let (tests, others): (Vec<_>, Vec<_>) =
                workloads.into_iter().partition(|(noun, _)| test(noun));
            let jobs = |all: Vec<(&Noun, JobSet<'p>)>| -> Vec<JobSet<'p>> {
                all.into_iter().map(|(_, job)| job).collect()
            };
            let others = if many.is_some() { Vec::new() } else { others };
            readme.clusters.push(Cluster {
                name: &cluster.name,
                location: &cluster.location,
                dns_endpoint: cluster.dns_endpoint,
                objects: self.has(&folder, "kustomization.yaml"),
                install: self.has(&folder, "install.sh"),
                fill: self.has(&folder, "fill-deferred.sh"),
                folder,
                secrets,
                precedence: precedence(plan, others.iter().map(|(noun, _)| noun.id)),
                tests: jobs(tests),
                workloads: jobs(others),
                many,
                namespaces,
                queued,
            });
        }
    }

    fn slurm<'p>(&self, plan: &'p Plan, id: NounId) -> Option<Root<'p>> {
        let name = plan.name(id)?;
        let folder = Stage::Cluster(name.clone()).folder().into_string();
        self.has(&folder, "slurm.conf").then_some(Root { name, folder })
    }

    fn job<'p>(
        &self,
        noun: &'p Noun,
        body: &Workload,
        run: &'p Run,
        place: &'p str,
    ) -> Option<Job<'p>> {
        let folder = Stage::Workload(run.name.clone()).folder().into_string();
        self.has(&folder, "submit.sh").then_some(Job {
            name: &run.name,
            place,
            folder,
            test: body.test,
            doc: noun.doc.as_deref(),
        })
    }

    /// The folders that hold files, with a word for each; those of many workloads as one.
    fn folders(&self, plan: &Plan) -> Vec<Folder> {
        let mut folders = Vec::new();
        let mut gathered: BTreeMap<&'static str, Vec<Folder>> = BTreeMap::new();
        for (stage, what) in Stage::described(plan) {
            let what = match stage {
                Stage::Foundation => format!("{what}: {}", Foundation::holds(plan)),
                _ => what.to_owned(),
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
    fn of(plan: &Plan, folder: String) -> Self {
        let holds = Self::holds(plan);
        let mut letters = holds.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string());
        Self { folder, title: first.unwrap_or_default() + letters.as_str() }
    }

    /// What the root makes, in words.
    fn holds(plan: &Plan) -> String {
        let made = || plan.model.nouns.iter().filter(|noun| !noun.existing);
        let any = |is: fn(&Body) -> bool| made().any(|noun| is(&noun.body));
        let pushes = |body: &Body| matches!(body, Body::Image(it) if it.push_to.is_some());
        let kinds = [
            ("networks", any(|body| matches!(body, Body::Network(_)))),
            ("buckets", any(|body| matches!(body, Body::Bucket(_)))),
            ("filesystems", any(gone::is_instance)),
            ("registries", any(|body| matches!(body, Body::Registry(_))) || any(pushes)),
            ("identities", any(|body| matches!(body, Body::Identity(_)))),
            ("dashboards", any(|body| matches!(body, Body::Dashboard(_)))),
        ];
        let kinds: Vec<&str> =
            kinds.into_iter().filter_map(|(kind, is_there)| is_there.then_some(kind)).collect();
        if kinds.is_empty() { "interfaces of the project".to_owned() } else { kinds.join(", ") }
    }
}

/// Workloads that a script of their own submits.
#[derive(Default)]
struct Submitted<'a> {
    slurm: Vec<&'a Noun>,
    vertex: Vec<&'a Noun>,
}

/// The account that a job acts as.
fn account(plan: &Plan, workload: &Noun) -> Account {
    let Body::Workload(body) = &workload.body else { return Account::Platform };
    let own = body.identity.as_ref().and_then(|identity| plan.email(identity.value));
    own.map_or(Account::Platform, Account::Own)
}

fn nodes(plan: &Plan) -> Vec<&str> {
    let clusters = plan.model.gke_clusters().filter(|(noun, _)| !noun.existing);
    let made = |id| plan.model.get(id).is_some_and(|noun| !noun.existing);
    let named = clusters.filter(|(_, cluster)| {
        cluster.node_identity.as_ref().is_some_and(|identity| made(identity.value))
    });
    named.filter_map(|(noun, _)| plan.name(noun.id).map(String::as_str)).collect()
}
