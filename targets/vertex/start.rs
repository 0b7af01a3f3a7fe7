//! What a replica does before the training starts: rank, secrets, folders, the GPUs' network.

use super::job::Request;
use super::payload::NfsMount;
use crate::vertex::job::VERTEX_PROJECT;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::catalog::MountRoots;
use slipform_model::nouns::{Filesystem, GroupPart};
use slipform_model::plan::{self, Env, Later, Launcher, MountPlan, Planned, Server, Source};

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
    pub(crate) workdir: Option<String>,
    pub(crate) launcher: &'static str,
    #[serde(skip)]
    pub(crate) scratch_gib: u64,
    #[serde(skip)]
    pub(crate) nfs: Vec<(NfsMount, Option<Later>)>,
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
        let plain = matches!(self.launcher, "torchrun" | "single");
        let folders = self.links.is_empty() && self.scratch.is_empty() && self.workdir.is_none();
        self.nodes == 1
            && plain
            && folders
            && self.secrets.is_empty()
            && self.script.is_none()
            && self.library_path.is_none()
    }
}

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
        // Of pods.
        request: _,
        selection: _,
        misfits: _,
        // The container's, in the request.
        image: _,
        // Vertex AI gives what the machine has.
        shared_memory: _,
        // Of the stack.
        fabric: _,
        // The job acts as its workload does, and so do groups.
        identity: _,
        account: _,
        // Rules.
        after: _,
        ready_when: _,
        retries: _,
        domain: _,
        decides: _,
    } = request.gang;
    // The command and the variables are the request's, secrets excepted.
    let plan::Program {
        noun: _,
        place: _,
        image: _,
        launcher: _,
        command: _,
        env: _,
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
        workdir: workdir.clone(),
        launcher: launcher(request),
        ..Start::default()
    };
    for mount in mounts {
        start.mount(request, mount);
    }
    start
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

/// The variable that is added to instead of replaced, since images have their own.
pub(crate) const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

fn launcher(request: Request<'_>) -> &'static str {
    let several = request.gang.processes_per_node > 1;
    match request.gang.program.launcher.value {
        Launcher::Torchrun => "torchrun",
        Launcher::Srun if several => "ranks",
        Launcher::Mpirun => "mpirun",
        Launcher::Srun | Launcher::Python | Launcher::Command => "single",
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
        let plan::MountPlan { source, folder: _, path, access: _, purpose: _, span: _ } = mount;
        let path = &path.value;
        let root = match &source.value {
            Source::Bucket { noun: _, name, access: _ } => {
                Some(format!("{}/{name}", roots(request).gcs))
            }
            Source::Share { noun, server } => self.share(request, request.plan.get(*noun), server),
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
            Server::Lustre { .. } | Server::Nodes { .. } => return None,
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
