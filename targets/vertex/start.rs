//! What a replica does before the training starts: rank, secrets, folders, the GPUs' network.

use super::job::Request;
use super::payload::NfsMount;
use crate::launch::{Splice, Word, before, given, splices};
use crate::vertex::job::VERTEX_PROJECT;
use serde::Serialize;
use slipform_model::catalog::MountRoots;
use slipform_model::nouns::{Filesystem, Group, GroupPart, Launch, Options, Rendezvous};
use slipform_model::plan::{
    self, Env, Later, Launcher, MountPlan, Planned, RunValue, Server, Source,
};
use slipform_model::{Diagnostic, NounId};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    VERTEX_RUN_VALUE = "vertex/run-value":
        "Vertex AI does not tell this value of a run",
        "leave it out, or run on GKE";
    VERTEX_ENTRYPOINT = "vertex/entrypoint":
        "something has to be done before the image's entry point, and a script cannot call what it does not know",
        "name the command of the image: `command([...])`";
}

/// The script that every replica starts with.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Start {
    pub(crate) title: String,
    /// Its replicas are of one worker pool, and not the primary's.
    pub(crate) beside: bool,
    pub(crate) nodes: i64,
    /// Processes of one node.
    pub(crate) processes: i64,
    pub(crate) port: i64,
    pub(crate) project: String,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) links: Vec<Link>,
    pub(crate) scratch: Vec<String>,
    pub(crate) script: Option<String>,
    pub(crate) library_path: Option<String>,
    /// Variables of the blueprint that win against what the stack sets.
    pub(crate) own: Vec<String>,
    /// Worker pools whose first replica it is told of.
    pub(crate) hosts: Vec<usize>,
    pub(crate) workdir: Option<String>,
    /// Variables that each replica works out.
    pub(crate) env: Vec<Variable>,
    /// Words of the command that each replica works out.
    pub(crate) words: Vec<Splice>,
    /// How many words there are before the parameters of a trial, where these are spelled without dashes.
    pub(crate) parameters: Option<usize>,
    /// How many words each command before the training has.
    pub(crate) setup: Vec<usize>,
    /// How many words each command after it has.
    pub(crate) cleanup: Vec<usize>,
    /// The words of those together.
    pub(crate) last: usize,
    pub(crate) launcher: &'static str,
    #[serde(skip)]
    pub(crate) scratch_gib: u64,
    #[serde(skip)]
    pub(crate) nfs: Vec<(NfsMount, Option<Later>)>,
}

/// A variable and its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// A secret of Secret Manager.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Secret {
    pub(crate) variable: String,
    pub(crate) name: String,
    /// The field of a JSON object, where the secret holds more than one value.
    pub(crate) key: Option<String>,
}

/// A folder under another name.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Link {
    pub(crate) source: String,
    pub(crate) path: String,
}

/// The key of a secret that stands for the whole of it.
const WHOLE: &str = "value";

impl Start {
    /// Whether the launch can start without any of it.
    pub(crate) fn is_needless(&self) -> bool {
        let plain = match self.launcher {
            "torchrun" | "torchrun c10d" | "single" => self.nodes == 1,
            launcher => [ENTRYPOINT, PACKAGES].contains(&launcher),
        };
        plain && self.first_need().is_none()
    }

    /// What only the script can do, whatever starts behind it.
    fn first_need(&self) -> Option<&'static str> {
        let fabric = self.script.is_some() || self.library_path.is_some();
        let needs = [
            (!self.secrets.is_empty(), "a secret has to be read"),
            (!self.links.is_empty(), "a mount has to be put where it is expected"),
            (!self.scratch.is_empty(), "a folder for scratch has to be made"),
            (self.workdir.is_some(), "the folder to start in has to be entered"),
            (
                !self.env.is_empty() || !self.words.is_empty(),
                "what only the run knows has to be looked up",
            ),
            (
                !self.setup.is_empty() || !self.cleanup.is_empty(),
                "commands of its own have to be run",
            ),
            (self.parameters.is_some(), "the parameters of a trial have to be spelled otherwise"),
            (fabric, "the environment of the fabric has to be set"),
        ];
        needs.into_iter().find_map(|(needed, what)| needed.then_some(what))
    }
}

/// What starts where nothing is put before the image's own entry point.
const ENTRYPOINT: &str = "entrypoint";

/// What starts where Google's image installs packages first.
const PACKAGES: &str = "packages";

/// The script of a gang; what cannot be done is said in `refused`.
pub(crate) fn start(request: Request<'_>, refused: &mut Vec<Diagnostic>) -> Start {
    let stack = request.stack();
    // `grace` is torchrun's, among the variables of the request; chips and replicas of the model are nothing that Vertex AI
    // asks.
    let plan::Run {
        site: _,
        name,
        grace: _,
        chips: _,
        data_parallel: _,
        gangs: _,
        // A rule says when a job succeeds; it tells no failures apart.
        success: _,
        on_failure: _,
        coordinator: _,
        // Replicas have names of their own.
        host_names: _,
        // The job names it, not its replicas.
        dashboard: _,
    } = request.run;
    let plan::Gang {
        program,
        // A job is replicas that Vertex AI counts and tells of each other.
        role: _,
        slices: _,
        nodes_per_slice: _,
        nodes: _,
        chips_per_node: _,
        world_size: _,
        rendezvous: _,
        processes_per_node,
        port,
        // Its machines are not divided, and nothing there is a pod.
        request: _,
        pod: _,
        // The container's, in the request.
        image: _,
        // Vertex AI gives what the machine has.
        shared_memory: _,
        // Of the stack.
        fabric: _,
        // The job acts as its workload does, and so do groups.
        identity: _,
        // The run's.
        grace: _,
        // Rules.
        after: _,
        ready_when: _,
        retries: _,
        decides: _,
    } = request.gang;
    // The rest of the command and of the variables is the request's.
    let plan::Program {
        noun: _,
        place: _,
        image: _,
        launcher: _,
        // Given to the script behind the words of its own commands.
        command: _,
        packages: _,
        gpu_check: _,
        setup: _,
        cleanup,
        env,
        mounts,
        workdir,
        sidecars: _,
    } = &**program;
    let mut start = Start {
        title: title(request.part, name),
        beside: request.part.is_some(),
        nodes: request.replicas(),
        processes: (*processes_per_node).max(1),
        port: *port,
        project: request.plan.project().unwrap_or_default().to_owned(),
        secrets: secrets(request, refused),
        script: stack.and_then(|stack| stack.env_script.clone()),
        library_path: stack.and_then(|stack| stack.env.get(LIBRARY_PATH).cloned()),
        own: own(request),
        hosts: hosts(request),
        workdir: workdir.clone(),
        env: env.iter().filter_map(|it| local(request, it)).collect(),
        words: splices(&given(program), of_replica, |value| known(request, value)),
        parameters: plain(request).then(|| given(program).len()),
        setup: before(program).iter().map(Vec::len).collect(),
        cleanup: cleanup.iter().map(Vec::len).collect(),
        last: cleanup.iter().map(Vec::len).sum(),
        launcher: launcher(request),
        ..Start::default()
    };
    unknown(request, refused);
    for mount in mounts {
        start.mount(request, mount);
    }
    if let (ENTRYPOINT | PACKAGES, Some(need)) = (start.launcher, start.first_need()) {
        let (what, help) = match start.launcher {
            PACKAGES => {
                ("a module of `packages`", "leave `packages` out, and use an image that has them")
            }
            _ => ("the image's entry point", "name the command of the image: `command([...])`"),
        };
        let message = format!("{need} before {what}, which no script knows on Vertex AI");
        let at = request.gang.program.launcher.span;
        refused.push(Diagnostic::error(VERTEX_ENTRYPOINT, message, at).help(help));
    }
    start
}

/// Whether the program reads parameters of a trial as `name=value`; they are given as `--name=value`.
fn plain(request: Request<'_>) -> bool {
    let own = request.gang.program.noun;
    let group = request.plan.all::<Group>().find(|group| group.noun.id == own);
    let launch = group.map_or(&request.workload.launch, |group| &group.body.launch);
    let options = match &launch.value {
        Launch::Torchrun { options, .. }
        | Launch::Srun { options, .. }
        | Launch::Mpirun { options, .. }
        | Launch::Python { options, .. }
        | Launch::Submitter { options, .. } => *options,
        Launch::Command { .. } | Launch::Entrypoint { .. } => Options::Dashed,
    };
    request.workload.tuning.is_some() && options == Options::Plain
}

fn title(part: Option<GroupPart>, name: &str) -> String {
    let whose = match part {
        None => "",
        Some(GroupPart::Workers) => "the workers of ",
        Some(GroupPart::Servers) => "the servers of ",
        Some(GroupPart::Evaluators) => "the evaluators of ",
    };
    format!("The launcher of {whose}{name}.")
}

/// Variables that the stack's script, or its path of libraries, would set as well. Those that each replica works out come
/// behind it.
fn own(request: Request<'_>) -> Vec<String> {
    let stack = request.machines.stack.as_ref().filter(|_| request.stack().is_some());
    let variables = request.gang.program.env.iter().filter(|it| local(request, it).is_none());
    let names = variables.map(|it| it.name.as_str());
    let owned = names.filter(|name| stack.is_some_and(|stack| stack.owns(name)));
    owned.map(str::to_owned).collect()
}

/// A variable whose value each replica works out.
fn local(request: Request<'_>, variable: &plan::Variable) -> Option<Variable> {
    match &variable.value {
        Env::Word(word) if word.of_run().any(of_replica) => Some(Variable {
            name: variable.name.clone(),
            value: Word::of(word, |value| known(request, value)),
        }),
        Env::Word(_) | Env::Secret { .. } => None,
    }
}

/// Whether a value is known when a replica runs, not before.
pub(crate) fn of_replica(value: RunValue) -> bool {
    !matches!(value, RunValue::NodeCount)
}

/// The worker pool whose first replica a gang of the run is reached at: the first for the workload's own nodes, which are no
/// part, and the place of its part for a group.
fn pool_of(request: Request<'_>, gang: NounId) -> usize {
    if gang == request.noun.id { 0 } else { request.plan.part_of(request.site, gang) as usize + 1 }
}

/// The worker pools of other gangs whose first replica this one is told of, once each.
fn hosts(request: Request<'_>) -> Vec<usize> {
    let others = request.gang.program.hosts().filter(|gang| *gang != request.gang.program.noun);
    let pools: BTreeSet<usize> = others.map(|gang| pool_of(request, gang)).collect();
    pools.into_iter().collect()
}

/// What the script calls a value of a run.
fn known(request: Request<'_>, value: RunValue) -> String {
    let spelled = match value {
        RunValue::Id => "$CLOUD_ML_JOB_ID",
        RunValue::NodeRank => "$NODE_RANK",
        RunValue::Host(gang) if gang == request.gang.program.noun => "$MASTER_ADDR",
        RunValue::Host(gang) => return format!("\"$POOL_{}\"", pool_of(request, gang)),
        RunValue::NodeCount => return request.gang.nodes.to_string(),
        // refused
        RunValue::Attempt | RunValue::SliceIndex | RunValue::ArrayIndex => "",
    };
    format!("\"{spelled}\"")
}

/// Says which values of a run Vertex AI does not tell. The hosts of a slice are one replica of it.
fn unknown(request: Request<'_>, refused: &mut Vec<Diagnostic>) {
    let slice = request.machines.machine.tpu.is_some() && request.gang.nodes > 1;
    for (value, span) in request.gang.program.known_to_run() {
        let told = match value {
            RunValue::Attempt | RunValue::SliceIndex | RunValue::ArrayIndex => false,
            RunValue::NodeRank | RunValue::Host(_) => !slice,
            RunValue::Id | RunValue::NodeCount => true,
        };
        if !told {
            let message = format!("Vertex AI does not tell its replicas their `{}`", value.name());
            refused.push(
                Diagnostic::error(VERTEX_RUN_VALUE, message, span)
                    .help("leave it out, or run on GKE"),
            );
        }
    }
}

/// The variable that is added to instead of replaced, since images have their own.
pub(crate) const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

fn launcher(request: Request<'_>) -> &'static str {
    let several = request.gang.processes_per_node > 1;
    match request.gang.program.launcher.value {
        _ if !request.gang.program.packages.is_empty() => PACKAGES,
        Launcher::Torchrun { rendezvous: Rendezvous::Static } => "torchrun",
        Launcher::Torchrun { rendezvous: Rendezvous::C10d } => "torchrun c10d",
        Launcher::Srun if several => "ranks",
        Launcher::Mpirun => "mpirun",
        // a rule keeps what submits jobs of Slurm away from here
        Launcher::Srun | Launcher::Python | Launcher::Command | Launcher::Submitter => "single",
        Launcher::Entrypoint => ENTRYPOINT,
    }
}

fn secrets(request: Request<'_>, refused: &mut Vec<Diagnostic>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for variable in &request.gang.program.env {
        let Env::Secret { name, key } = &variable.value else { continue };
        let key = (key != WHOLE).then(|| key.clone());
        secrets.push(Secret { variable: variable.name.clone(), name: name.clone(), key });
        if request.plan.project().is_none() {
            let message =
                format!("secret `{name}` is read from a project, and the blueprint has none");
            refused.push(
                Diagnostic::error(VERTEX_PROJECT, message, variable.span)
                    .help("add a parameter of type `ProjectId`"),
            );
        }
    }
    secrets
}

impl Start {
    fn mount(&mut self, request: Request<'_>, mount: &MountPlan) {
        // Nothing is cached, so `purpose` does not matter; `folder` is asked below, and who may write is a rule's.
        let plan::MountPlan {
            source,
            folder: _,
            path,
            access: _,
            purpose: _,
            cache: _,
            cpus: _,
            memory: _,
            span: _,
        } = mount;
        let path = &path.value;
        let root = match &source.value {
            Source::Bucket { noun: _, name, access: _ } => {
                Some(format!("{}/{name}", roots(request).gcs))
            }
            Source::Share { noun, server } => self.share(request, request.plan.get(*noun), server),
            // Rules keep these away from here.
            Source::Object { kind: _, name: _ }
            | Source::HostPath { path: _ }
            | Source::LocalCheckpoints { noun: _, name: _, memory: _ } => None,
            Source::Scratch { size } => {
                self.scratch_gib += size.gib();
                self.scratch.push(path.clone());
                None
            }
        };
        let Some(source) = root.map(|root| mount.inside(&root)) else { return };
        if source != *path {
            self.links.push(Link { source, path: path.clone() });
        }
    }

    /// The folder under which a filesystem appears.
    fn share(
        &mut self,
        request: Request<'_>,
        filesystem: Planned<'_, Filesystem>,
        server: &Server,
    ) -> Option<String> {
        let (server, path, address) = match server {
            Server::Nfs { server, export } => (server.clone(), export.clone(), None),
            Server::Filestore { share, address } => {
                (marker(address), format!("/{share}"), Some(address.clone()))
            }
            // Nothing mounts them there: a plan with one is not sound.
            Server::Lustre { .. } | Server::Disk { .. } | Server::Nodes { .. } => return None,
        };
        let mount_point = filesystem.name().to_owned();
        let folder = format!("{}/{mount_point}", roots(request).nfs);
        if !self.nfs.iter().any(|(known, _)| known.mount_point == mount_point) {
            self.nfs.push((NfsMount { server, path, mount_point }, address));
        }
        Some(folder)
    }
}

/// The folders under which mounts appear.
fn roots(request: Request<'_>) -> &MountRoots {
    &request.plan.catalog().vertex().mount_roots
}

/// What stands in a request for a value that Terraform knows.
pub(crate) fn marker(later: &Later) -> String {
    format!("${{{}}}", later.output)
}
