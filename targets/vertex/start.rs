//! What a replica does before the training starts: rank, secrets, folders, the GPUs' network.

use super::job::Request;
use super::payload::NfsMount;
use crate::vertex::job::VERTEX_PROJECT;
use serde::Serialize;
use slipform_model::catalog::MountRoots;
use slipform_model::nouns::Filesystem;
use slipform_model::plan::{self, Env, Later, Launcher, MountPlan, Planned, Server, Source};
use slipform_model::{Diagnostic, Noun};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    VERTEX_FILESYSTEM = "vertex/filesystem":
        "Vertex AI does not mount this filesystem",
        "mount a bucket, or a filesystem that a server exports over NFS";
}

/// The script that every replica starts with.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Start {
    pub(crate) title: String,
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

/// The script of a workload; what cannot be done is said in `refused`.
pub(crate) fn start(request: Request<'_>, refused: &mut Vec<Diagnostic>) -> Start {
    let stack = request.stack();
    // `grace` is torchrun's, among the variables of the request; chips and replicas of the model are nothing that Vertex AI
    // asks.
    let plan::Run { site: _, name, grace: _, chips: _, data_parallel: _, gangs: _ } = request.run;
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
        // Jobs act as their nodes do; groups are refused.
        identity: _,
        account: _,
        pod: _,
        after: _,
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
    } = &**program;
    let mut start = Start {
        title: format!("The launcher of {name}."),
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
        start.mount(request, mount, refused);
    }
    start
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
    fn mount(&mut self, request: Request<'_>, mount: &MountPlan, refused: &mut Vec<Diagnostic>) {
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
            Source::Share { noun, server } => {
                self.share(request, request.plan.get(*noun), server, source.span, refused)
            }
            // A rule keeps both away from here.
            Source::Object { kind: _, name: _ } | Source::HostPath { path: _ } => None,
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
        span: Span,
        refused: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let (server, path, address) = match server {
            Server::Nfs { server, export } => (server.clone(), export.clone(), None),
            Server::Filestore { share, address } => {
                (marker(address), format!("/{share}"), Some(address.clone()))
            }
            Server::Lustre { .. } | Server::Nodes { .. } => {
                refused.push(unmounted(filesystem.noun, server, span));
                return None;
            }
        };
        let mount_point = filesystem.name().to_owned();
        let folder = format!("{}/{mount_point}", roots(request).nfs);
        if !self.nfs.iter().any(|(known, _)| known.mount_point == mount_point) {
            self.nfs.push((NfsMount { server, path, mount_point }, address));
        }
        Some(folder)
    }
}

fn unmounted(noun: &Noun, server: &Server, span: Span) -> Diagnostic {
    let (what, help) = match server {
        Server::Nodes { .. } => (
            "a folder of one's own machines",
            "put the data in a bucket, or on an NFS server that Vertex AI can reach",
        ),
        _ => (
            "a Lustre filesystem, which custom jobs are not given here",
            "add it with `patch custom_job`, or put the data in a bucket",
        ),
    };
    Diagnostic::error(
        VERTEX_FILESYSTEM,
        format!("`{}` is {what}, and Vertex AI does not mount it", noun.path),
        span,
    )
    .help(help)
}

/// The folders under which mounts appear.
fn roots(request: Request<'_>) -> &MountRoots {
    &request.plan.catalog().vertex().mount_roots
}

/// What stands in a request for a value that Terraform knows.
pub(crate) fn marker(later: &Later) -> String {
    format!("${{{}}}", later.output)
}
