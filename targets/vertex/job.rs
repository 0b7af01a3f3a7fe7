//! A workload on Vertex AI as the request that creates its custom job.

use super::capacity;
use super::payload::{
    ContainerSpec, CustomJob, DiskSpec, EnvVar, JobSpec, MachineSpec, OutputDirectory, PoolPlace,
    WorkerPool, literal,
};
use super::start::{LIBRARY_PATH, Start, marker, of_replica, start};
use crate::Stage;
use crate::launch::{TORCHRUN_GRACE, given};
use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::catalog::VertexStack;
use slipform_model::nouns::{GroupPart, VertexCluster, Workload};
use slipform_model::plan::{
    self, Env, Gang, Later, Launcher, Piece, Place as Ground, Planned, Run, Sound, VertexPlan,
    VertexSite, Word,
};
use slipform_model::{Diagnostic, Noun, NounId};

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) VERTEX_PROJECT = "vertex/project":
        "this has no address without a project",
        "declare `param project: ProjectId`";
}

/// What the worker pools of a gang are rendered from; those of the workload's own nodes say what is of the whole job.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) plan: Sound<'a>,
    pub(crate) noun: &'a Noun,
    pub(crate) workload: &'a Workload,
    pub(crate) run: &'a Run,
    pub(crate) site: &'a VertexSite,
    pub(crate) gang: &'a Gang,
    /// What its group is to the job; nothing for the workload's own nodes.
    pub(crate) part: Option<GroupPart>,
    pub(crate) cluster_noun: &'a Noun,
    pub(crate) cluster: &'a VertexCluster,
    pub(crate) machines: &'a VertexPlan,
}

/// A place of the request that a Terraform output goes to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Place {
    /// A JSON pointer.
    pub(crate) pointer: String,
    /// What stands there until then.
    pub(crate) marker: String,
    /// The output.
    pub(crate) name: String,
    /// The root that has it, seen from the request's folder.
    pub(crate) root: String,
}

impl<'a> Request<'a> {
    /// That of the workload's own nodes.
    pub(crate) fn of_own(
        plan: Sound<'a>,
        workload: Planned<'a, Workload>,
        site: &'a VertexSite,
    ) -> Self {
        // Its groups have a part each.
        let plan::VertexSite { cluster, parts: _ } = site;
        let cluster = plan.get(*cluster);
        Self {
            plan,
            noun: workload.noun,
            workload: workload.body,
            run: workload.plan,
            site,
            gang: workload.plan.lead(),
            part: None,
            cluster_noun: cluster.noun,
            cluster: cluster.body,
            machines: cluster.plan,
        }
    }

    /// Those of the groups. In a sound plan each has machines of Vertex AI, and a part in the job.
    pub(crate) fn of_groups(self) -> Vec<Request<'a>> {
        let of = |gang: &'a Gang| {
            let Ground::Vertex(cluster) = gang.program.place.value else { return None };
            let Planned { noun, body, plan, .. } = self.plan.get(cluster);
            Some(Self {
                gang,
                part: Some(*self.site.parts.get(&gang.program.noun)?),
                cluster_noun: noun,
                cluster: body,
                machines: plan,
                ..self
            })
        };
        self.run.groups().iter().filter_map(of).collect()
    }

    /// The file of its launcher, beside the request.
    pub(crate) fn launcher(&self) -> &'static str {
        match self.part {
            None => "launch.sh",
            Some(GroupPart::Workers) => "launch-workers.sh",
            Some(GroupPart::Servers) => "launch-servers.sh",
            Some(GroupPart::Evaluators) => "launch-evaluators.sh",
        }
    }

    /// What its files are made from.
    pub(crate) fn nouns(&self) -> [NounId; 2] {
        [self.gang.program.noun, self.cluster_noun.id]
    }

    /// What stands in the request for its launcher.
    pub(crate) fn launcher_marker(&self) -> String {
        format!("@{}", self.launcher())
    }

    /// The positions of its worker pools in the job, and the replicas of each. The primary is alone.
    fn pools(&self) -> Vec<(usize, i64)> {
        let replicas = self.replicas();
        match self.part {
            None if replicas > 1 => vec![(0, 1), (1, replicas - 1)],
            None => vec![(0, 1)],
            Some(GroupPart::Workers) => vec![(1, replicas)],
            Some(GroupPart::Servers) => vec![(2, replicas)],
            Some(GroupPart::Evaluators) => vec![(3, replicas)],
        }
    }

    /// Replicas that start by themselves: one for TPUs, whose hosts follow from the topology.
    pub(crate) fn replicas(&self) -> i64 {
        if self.machines.machine.tpu.is_some() { 1 } else { self.gang.nodes.max(1) }
    }

    /// The GPUs' network, where it is used.
    pub(crate) fn stack(&self) -> Option<&'a VertexStack> {
        self.machines.stack.as_ref().filter(|_| self.gang.fabric)?.vertex.as_ref()
    }
}

/// A gang of a job, and what each of its replicas does first.
pub(crate) struct Started<'a> {
    pub(crate) request: Request<'a>,
    pub(crate) start: Start,
}

impl<'a> Started<'a> {
    pub(crate) fn new(request: Request<'a>, refused: &mut Vec<Diagnostic>) -> Self {
        Self { request, start: start(request, refused) }
    }
}

/// The request, and the places in it that are filled when it is sent.
pub(crate) fn job(
    own: &Started<'_>,
    groups: &[Started<'_>],
    refused: &mut Vec<Diagnostic>,
) -> (CustomJob, Vec<Place>) {
    let mut places = Places::default();
    let mut worker_pool_specs = Vec::new();
    for it in std::iter::once(own).chain(groups) {
        pools(it, &mut worker_pool_specs, &mut places, refused);
    }
    let request = own.request;
    let dashboard = request.run.dashboard.as_ref();
    if let Some(resource) = dashboard {
        places.add("/jobSpec/tensorboard", resource);
    }
    let own = crate::labels::of_blueprint(request.plan);
    let own = own.map(|(key, value)| (key.to_owned(), value));
    // where they differ, what is nearer to the workload goes first
    let of_groups = groups.iter().flat_map(|it| &it.request.cluster.labels);
    let given = of_groups.chain(&request.cluster.labels).chain(&request.workload.labels);
    let job = CustomJob {
        display_name: request.run.name.clone(),
        labels: own.chain(given.map(|(key, value)| (key.clone(), value.clone()))).collect(),
        job_spec: JobSpec {
            worker_pool_specs,
            scheduling: capacity::scheduling(request),
            service_account: service_account(request, refused),
            network: request.cluster.network.clone(),
            base_output_directory: output_directory(request),
            tensorboard: dashboard.map(marker),
        },
    };
    (job, places.list)
}

/// Puts the worker pools of a gang into their places; those before them that nothing takes stay empty.
fn pools(
    Started { request, start }: &Started<'_>,
    specs: &mut Vec<PoolPlace>,
    places: &mut Places,
    refused: &mut Vec<Diagnostic>,
) {
    let machine_spec = machine(*request, refused);
    let disk_spec = disk(*request, start);
    for (at, replica_count) in request.pools() {
        let pool = format!("/jobSpec/workerPoolSpecs/{at}");
        for (index, (_, address)) in start.nfs.iter().enumerate() {
            if let Some(address) = address {
                places.add(&format!("{pool}/nfsMounts/{index}/server"), address);
            }
        }
        let taken = WorkerPool {
            machine_spec: machine_spec.clone(),
            replica_count,
            disk_spec: disk_spec.clone(),
            nfs_mounts: start.nfs.iter().map(|(mount, _)| mount.clone()).collect(),
            container_spec: container(*request, start, &pool, places),
        };
        if specs.len() <= at {
            specs.resize(at + 1, PoolPlace::Empty {});
        }
        if let Some(place) = specs.get_mut(at) {
            *place = PoolPlace::Taken(Box::new(taken));
        }
    }
}

/// Collects the places of values that Terraform knows.
#[derive(Default)]
struct Places {
    list: Vec<Place>,
}

impl Places {
    fn add(&mut self, pointer: &str, later: &Later) {
        self.list.push(Place {
            pointer: pointer.to_owned(),
            marker: marker(later),
            name: later.output.clone(),
            root: Stage::above(later),
        });
    }

    /// A word as the request holds it; what is known later leaves a marker.
    fn word(
        &mut self,
        pointer: &str,
        word: &Word,
        nodes: i64,
        spell: fn(&str) -> String,
    ) -> String {
        // the script of each replica puts the word in
        if word.of_run().any(of_replica) {
            return String::new();
        }
        let pieces = word.0.iter().map(|piece| match piece {
            Piece::Text(text) => spell(text),
            Piece::Later(later) => {
                self.add(pointer, later);
                marker(later)
            }
            Piece::Run(_) => nodes.to_string(),
        });
        pieces.collect()
    }
}

fn container(
    request: Request<'_>,
    start: &Start,
    pool: &str,
    places: &mut Places,
) -> ContainerSpec {
    let words = given(&request.gang.program);
    let words: Vec<&Word> = words.iter().collect();
    let nodes = request.gang.nodes;
    let (command, first) = if start.is_needless() {
        bare(request, start, &words)
    } else {
        let launcher = request.launcher_marker();
        (["bash", "-c", &launcher, &request.run.name].map(str::to_owned).to_vec(), 0)
    };
    let mut spec = ContainerSpec {
        image_uri: request.gang.image.clone(),
        command,
        ..ContainerSpec::default()
    };
    for word in words.into_iter().skip(first) {
        let pointer = format!("{pool}/containerSpec/args/{}", spec.args.len());
        spec.args.push(places.word(&pointer, word, nodes, str::to_owned));
    }
    for (name, word) in variables(request) {
        let pointer = format!("{pool}/containerSpec/env/{}/value", spec.env.len());
        spec.env.push(EnvVar { value: places.word(&pointer, &word, nodes, literal), name });
    }
    spec
}

/// The command of a launch that needs nothing before it, and how many of its words are used up.
fn bare(request: Request<'_>, start: &Start, words: &[&Word]) -> (Vec<String>, usize) {
    match request.gang.program.launcher.value {
        Launcher::Torchrun { .. } => {
            let processes = format!("--nproc_per_node={}", start.processes);
            return (vec!["torchrun".to_owned(), "--standalone".to_owned(), processes], 0);
        }
        // without a command the image's own is started
        Launcher::Entrypoint => return (Vec::new(), 0),
        Launcher::Srun | Launcher::Mpirun | Launcher::Python | Launcher::Command => {}
    }
    match words.first().map(|word| word.0.as_slice()) {
        Some([Piece::Text(program)]) => (vec![program.clone()], 1),
        // a program whose name is known later is the container's entry point's argument
        _ => (vec!["env".to_owned()], 0),
    }
}

/// What the stack sets, then what the workload sets.
fn variables(request: Request<'_>) -> IndexMap<String, Word> {
    let stack = request
        .stack()
        .into_iter()
        .flat_map(|stack| &stack.env)
        .filter(|(name, _)| *name != LIBRARY_PATH);
    let mut variables: IndexMap<String, Word> =
        stack.map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    if request.gang.program.launcher.value.is_torchrun() {
        let grace = request.run.grace.0.to_string();
        variables.insert(TORCHRUN_GRACE.to_owned(), grace.as_str().into());
    }
    for variable in &request.gang.program.env {
        if let Env::Word(word) = &variable.value
            && !word.of_run().any(of_replica)
        {
            variables.insert(variable.name.clone(), word.clone());
        }
    }
    variables
}

fn machine(request: Request<'_>, refused: &mut Vec<Diagnostic>) -> MachineSpec {
    let machine = &request.machines.machine;
    let accelerator = machine.vertex.accelerator_type.clone().filter(|_| request.machines.gpus > 0);
    MachineSpec {
        machine_type: machine.name.clone(),
        accelerator_count: accelerator.is_some().then_some(request.machines.gpus),
        accelerator_type: accelerator,
        tpu_topology: request
            .machines
            .slice(request.gang.nodes)
            .map(|slice| slice.topology.to_string()),
        reservation_affinity: capacity::reservation(request, refused),
    }
}

/// The boot disk holds scratch space too: replicas have no other disk that is known to be there.
fn disk(request: Request<'_>, start: &Start) -> DiskSpec {
    let size = request.cluster.disk.gib().saturating_add(start.scratch_gib);
    DiskSpec { boot_disk_type: request.machines.disk.as_str(), boot_disk_size_gb: size }
}

fn service_account(request: Request<'_>, refused: &mut Vec<Diagnostic>) -> Option<String> {
    let identity = request.workload.identity.as_ref()?;
    if request.plan.project().is_none() {
        let message =
            "the address of a service account names its project, and the blueprint has none";
        refused.push(
            Diagnostic::error(VERTEX_PROJECT, message, identity.span)
                .help("add a parameter of type `ProjectId`"),
        );
    }
    request.plan.email(identity.value)
}

fn output_directory(request: Request<'_>) -> Option<OutputDirectory> {
    let bucket = request.plan.get(request.cluster.staging?.value).name();
    Some(OutputDirectory { output_uri_prefix: format!("gs://{bucket}/{}", request.run.name) })
}
