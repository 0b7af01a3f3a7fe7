//! What a replica does before the training starts: rank, secrets, folders, the GPUs' network.

use super::job::Site;
use super::payload::NfsMount;
use crate::vertex::job::VERTEX_PROJECT;
use serde::Serialize;
use slipform_model::catalog::MountRoots;
use slipform_model::nouns::Filesystem;
use slipform_model::plan::{Env, Later, Launcher, MountPlan, Planned, Server, Source};
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
    pub(crate) port: u16,
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
pub(crate) fn start(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> Start {
    let stack = site.stack();
    let mut start = Start {
        title: format!("The launcher of {}.", site.run.name),
        nodes: site.replicas(),
        processes: site.run.lead.processes_per_node.max(1),
        port: site.run.lead.port,
        project: site.plan.project().unwrap_or_default().to_owned(),
        secrets: secrets(site, refused),
        script: stack.and_then(|stack| stack.env_script.clone()),
        library_path: stack.and_then(|stack| stack.env.get(LIBRARY_PATH).cloned()),
        workdir: site.gang.program.workdir.clone(),
        launcher: launcher(site),
        ..Start::default()
    };
    for mount in &site.gang.program.mounts {
        start.mount(site, mount, refused);
    }
    start
}

/// The variable that is added to instead of replaced, since images have their own.
pub(crate) const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

fn launcher(site: Site<'_>) -> &'static str {
    let several = site.run.lead.processes_per_node > 1;
    match site.gang.program.launcher.value {
        Launcher::Torchrun => "torchrun",
        Launcher::Srun if several => "ranks",
        Launcher::Mpirun => "mpirun",
        Launcher::Srun | Launcher::Python | Launcher::Command => "single",
    }
}

fn secrets(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for variable in &site.gang.program.env {
        let Env::Secret { name, key } = &variable.value else { continue };
        let key = (key != WHOLE).then(|| key.clone());
        secrets.push(Secret { variable: variable.name.clone(), name: name.clone(), key });
        if site.plan.project().is_none() {
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
    fn mount(&mut self, site: Site<'_>, mount: &MountPlan, refused: &mut Vec<Diagnostic>) {
        let path = &mount.path.value;
        let source = match &mount.source.value {
            Source::Bucket { noun: _, name, access: _ } => {
                Some(format!("{}/{name}", roots(site).gcs))
            }
            Source::Share { noun, server } => {
                self.share(site, site.plan.get(*noun), server, mount.source.span, refused)
            }
            Source::Scratch { size } => {
                self.scratch_gib += size.gib();
                self.scratch.push(path.clone());
                None
            }
        };
        let Some(source) = source.map(|source| mount.inside(&source)) else { return };
        if source != *path {
            self.links.push(Link { source, path: path.clone() });
        }
    }

    /// The folder under which a filesystem appears.
    fn share(
        &mut self,
        site: Site<'_>,
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
        let folder = format!("{}/{mount_point}", roots(site).nfs);
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
fn roots(site: Site<'_>) -> &MountRoots {
    &site.plan.catalog().vertex().mount_roots
}

/// What stands in a request for a value that Terraform knows.
pub(crate) fn marker(later: &Later) -> String {
    format!("${{{}}}", later.output)
}
