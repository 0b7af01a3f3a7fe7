//! A workload on Vertex AI as the request that creates its custom job.

use super::capacity;
use super::payload::{
    ContainerSpec, CustomJob, DiskSpec, EncryptionSpec, EnvVar, JobSpec, MachineSpec, Model,
    OutputDirectory, Payload, PoolPlace, PscInterfaceConfig, PythonPackageSpec, Task,
    TrainingPipeline, TuningJob, WorkerPool, literal, unreplaced,
};
use super::refuse::{model_name, service_account};
use super::start::{LIBRARY_PATH, Start, marker, of_replica, start};
use super::study::StudySpec;
use crate::Stage;
use crate::launch::{TORCHRUN_GRACE, given};
use crate::schema::Document;
use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::catalog::VertexStack;
use slipform_model::nouns::{GroupPart, ModelUpload, VertexCluster, Workload};
use slipform_model::plan::{
    self, Env, Gang, Later, Launcher, Piece, Planned, Reducers, Run, Sound, VertexPlan, VertexSite,
    Word,
};
use slipform_model::{Diagnostic, Noun, NounId};
use slipform_source::Spanned;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) VERTEX_PROJECT = "vertex/project":
        "this has no address without a project",
        "declare `param project: ProjectId`";
}

/// A sort of job of the API's.
pub(crate) struct Form {
    /// The document that patches name.
    pub(crate) document: &'static str,
    /// Its shape.
    pub(crate) shape: Document,
    /// As people call it.
    pub(crate) title: &'static str,
    /// The collection that it is created in.
    pub(crate) collection: &'static str,
    /// The field that says what runs.
    pub(crate) spec: &'static str,
    /// The group of commands of gcloud, where it has one.
    pub(crate) command: Option<&'static str>,
}

/// A run.
pub(crate) const CUSTOM_JOB: Form = Form {
    document: "custom_job",
    shape: Document::CustomJob,
    title: "custom job",
    collection: "customJobs",
    spec: "jobSpec",
    command: Some("custom-jobs"),
};

/// A run for each of many parameters.
pub(crate) const TUNING_JOB: Form = Form {
    document: "tuning_job",
    shape: Document::TuningJob,
    title: "hyperparameter tuning job",
    collection: "hyperparameterTuningJobs",
    spec: "trialJobSpec",
    command: Some("hp-tuning-jobs"),
};

/// A run, and the model that is kept of it.
pub(crate) const TRAINING_PIPELINE: Form = Form {
    document: "training_pipeline",
    shape: Document::TrainingPipeline,
    title: "training pipeline",
    collection: "trainingPipelines",
    spec: "trainingTaskInputs",
    command: None,
};

/// All sorts.
pub(crate) const FORMS: [&Form; 3] = [&CUSTOM_JOB, &TUNING_JOB, &TRAINING_PIPELINE];

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
        // Its groups have a part each, and those that reduce a pool.
        let plan::VertexSite { cluster, parts: _, tensorboard: _, reducers: _ } = site;
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

    /// Those of the groups.
    pub(crate) fn of_groups(self) -> Vec<Request<'a>> {
        let of = |gang: &'a Gang| {
            let Planned { noun, body, plan, .. } = self.plan.machines_of(gang);
            Self {
                gang,
                part: Some(self.plan.part_of(self.site, gang.program.noun)),
                cluster_noun: noun,
                cluster: body,
                machines: plan,
                ..self
            }
        };
        self.run.groups().iter().map(of).collect()
    }

    /// What people see it called.
    pub(crate) fn title(&self) -> &'a str {
        self.workload.title.set().map_or(&self.run.name, |title| &title.value)
    }

    /// Which of the API's jobs it is.
    pub(crate) fn form(&self) -> &'static Form {
        if self.workload.tuning.is_some() {
            &TUNING_JOB
        } else if self.workload.upload.is_some() {
            &TRAINING_PIPELINE
        } else {
            &CUSTOM_JOB
        }
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
) -> (Payload, Vec<Place>) {
    let request = own.request;
    let mut places = Places { spec: request.form().spec, list: Vec::new() };
    let job_spec = spec(own, groups, &mut places, refused);
    let display_name = request.title().to_owned();
    let labels = crate::labels::of_vertex_job(request.plan, request.workload, request.run);
    let key = request.cluster.encryption_key.as_ref();
    let encryption_spec = key.map(|key| EncryptionSpec { kms_key_name: key.value.clone() });
    let workload = request.workload;
    let payload = match (&workload.tuning, &workload.upload) {
        (None, None) => {
            Payload::Custom(Box::new(CustomJob { display_name, labels, job_spec, encryption_spec }))
        }
        (None, Some(upload)) => {
            let ModelUpload::Upload { id, parent, .. } = &upload.value;
            Payload::Pipeline(Box::new(TrainingPipeline {
                display_name,
                training_task_definition: request.plan.catalog().vertex().custom_task.clone(),
                training_task_inputs: job_spec,
                model_to_upload: Model::new(&upload.value, labels.clone(), encryption_spec.clone()),
                model_id: id.clone(),
                parent_model: parent
                    .as_ref()
                    .map(|parent| model_name(request, parent, upload.span, refused)),
                labels,
                encryption_spec,
            }))
        }
        (Some(tuning), _) => Payload::Tuning(Box::new(TuningJob {
            display_name,
            labels,
            study_spec: StudySpec::from(&tuning.value),
            max_trial_count: tuning.value.trials,
            parallel_trial_count: tuning.value.parallel,
            max_failed_trial_count: tuning.value.failures,
            trial_job_spec: job_spec,
            encryption_spec,
        })),
    };
    (payload, places.list)
}

/// What runs, once or in each trial.
fn spec(
    own: &Started<'_>,
    groups: &[Started<'_>],
    places: &mut Places,
    refused: &mut Vec<Diagnostic>,
) -> JobSpec {
    let mut worker_pool_specs = Vec::new();
    for it in std::iter::once(own).chain(groups) {
        pools(it, &mut worker_pool_specs, places, refused);
    }
    let request = own.request;
    if let Some(reducers) = &request.site.reducers {
        put(&mut worker_pool_specs, REDUCERS, reduction_server(reducers));
    }
    let cluster = request.cluster;
    let dashboard = request.run.dashboard.as_ref();
    if let Some(resource) = dashboard {
        places.add("/tensorboard", resource);
    }
    let text = |said: &Option<Spanned<String>>| said.as_ref().map(|it| it.value.clone());
    JobSpec {
        worker_pool_specs,
        scheduling: capacity::scheduling(request),
        service_account: service_account(request, refused),
        network: cluster.network.clone(),
        reserved_ip_ranges: cluster.reserved_ranges.iter().map(|it| it.value.clone()).collect(),
        psc_interface_config: text(&cluster.network_attachment)
            .map(|network_attachment| PscInterfaceConfig { network_attachment }),
        base_output_directory: output_directory(request),
        tensorboard: dashboard.map(marker).or_else(|| request.site.tensorboard.clone()),
        enable_web_access: cluster.web_access,
        enable_dashboard_access: cluster.dashboard_access,
        experiment: text(&cluster.experiment),
        experiment_run: text(&cluster.experiment_run),
        persistent_resource_id: text(&cluster.persistent_resource),
    }
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
        let pool = format!("/workerPoolSpecs/{at}");
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
            task: task(*request, start, &pool, places),
        };
        put(specs, at, taken);
    }
}

fn put(specs: &mut Vec<PoolPlace>, at: usize, pool: WorkerPool) {
    if specs.len() <= at {
        specs.resize(at + 1, PoolPlace::Empty {});
    }
    if let Some(place) = specs.get_mut(at) {
        *place = PoolPlace::Taken(Box::new(pool));
    }
}

/// The place of servers, which machines that reduce have.
const REDUCERS: usize = 2;

/// Google's own image with its own command, on machines that nobody reserved.
fn reduction_server(reducers: &Reducers) -> WorkerPool {
    // what they send is what rules ask of them
    let Reducers { machine, nodes, needed: _, egress: _, trainers: _, image, disk, disk_gb } =
        reducers;
    WorkerPool {
        machine_spec: MachineSpec { machine_type: machine.name.clone(), ..MachineSpec::default() },
        replica_count: *nodes,
        disk_spec: DiskSpec { boot_disk_type: disk.as_str(), boot_disk_size_gb: *disk_gb },
        nfs_mounts: Vec::new(),
        task: Task::ContainerSpec(ContainerSpec {
            image_uri: image.clone(),
            ..ContainerSpec::default()
        }),
    }
}

/// Collects the places of values that Terraform knows, below what runs.
struct Places {
    /// The field of the request that says what runs.
    spec: &'static str,
    list: Vec<Place>,
}

impl Places {
    fn add(&mut self, pointer: &str, later: &Later) {
        self.list.push(Place {
            pointer: format!("/{}{pointer}", self.spec),
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
        spell: &dyn Fn(&str) -> String,
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

fn task(request: Request<'_>, start: &Start, pool: &str, places: &mut Places) -> Task {
    let words = given(&request.gang.program);
    let words: Vec<&Word> = words.iter().collect();
    let packages = &request.gang.program.packages;
    if !packages.is_empty() {
        // a rule asks for the interpreter, `-m` and a module
        let module = words.get(2).map(|word| plain(word)).unwrap_or_default();
        let said = Said::new(request, &words, 3, &format!("{pool}/pythonPackageSpec"), places);
        return Task::PythonPackageSpec(PythonPackageSpec {
            executor_image_uri: request.gang.image.clone(),
            package_uris: packages.clone(),
            python_module: module,
            args: said.args,
            env: said.env,
        });
    }
    let (command, first) = if start.is_needless() {
        bare(request, start, &words)
    } else {
        let launcher = request.launcher_marker();
        (["bash", "-c", &launcher, &request.run.name].map(str::to_owned).to_vec(), 0)
    };
    let said = Said::new(request, &words, first, &format!("{pool}/containerSpec"), places);
    Task::ContainerSpec(ContainerSpec {
        image_uri: request.gang.image.clone(),
        command,
        args: said.args,
        env: said.env,
    })
}

/// The text of a word that is known.
fn plain(word: &Word) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        Piece::Later(_) | Piece::Run(_) => None,
    };
    word.0.iter().filter_map(text).collect()
}

/// What a task is told: words behind its own, and variables.
struct Said {
    args: Vec<String>,
    env: Vec<EnvVar>,
}

impl Said {
    /// The words from the `first` on.
    fn new(
        request: Request<'_>,
        words: &[&Word],
        first: usize,
        task: &str,
        places: &mut Places,
    ) -> Self {
        let nodes = request.gang.nodes;
        let mut said = Self { args: Vec::new(), env: Vec::new() };
        let variables = variables(request);
        let known = |text: &str| unreplaced(text, |name| variables.contains_key(name));
        for word in words.iter().skip(first) {
            let pointer = format!("{task}/args/{}", said.args.len());
            said.args.push(places.word(&pointer, word, nodes, &known));
        }
        for (name, word) in &variables {
            let pointer = format!("{task}/env/{}/value", said.env.len());
            let value = places.word(&pointer, word, nodes, &literal);
            said.env.push(EnvVar { value, name: name.clone() });
        }
        said
    }
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
        Launcher::Srun
        | Launcher::Mpirun
        | Launcher::Python
        | Launcher::Command
        | Launcher::Submitter => {}
    }
    match words.first().map(|word| word.0.as_slice()) {
        Some([Piece::Text(program)]) => (vec![program.clone()], 1),
        // a program whose name is known later is the container's entry point's argument
        _ => (vec!["env".to_owned()], 0),
    }
}

/// How large Horovod's messages are.
const FUSION: &str = "HOROVOD_FUSION_THRESHOLD";

/// What Horovod gathers before it sends, where the nodes with GPUs speak to a Reduction Server.
fn fusion(request: Request<'_>) -> Option<u64> {
    let trains = matches!(request.part, None | Some(GroupPart::Workers));
    let horovod = request.gang.program.texts().any(|text| text.contains("horovod"));
    let reduced = request.site.reducers.is_some() && trains && horovod;
    reduced.then_some(request.plan.catalog().limits().vertex.fusion_bytes)
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
    if let Some(bytes) = fusion(request) {
        variables.insert(FUSION.to_owned(), bytes.to_string().as_str().into());
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

fn output_directory(request: Request<'_>) -> Option<OutputDirectory> {
    let bucket = request.plan.get(request.cluster.staging?.value).name();
    let folder = request.cluster.staging_folder.as_ref();
    let folder = folder.map(|folder| format!("{}/", folder.value)).unwrap_or_default();
    let output_uri_prefix = format!("gs://{bucket}/{folder}{}", request.run.name);
    Some(OutputDirectory { output_uri_prefix })
}
