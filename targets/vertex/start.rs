//! What a replica does before the training starts: rank, secrets, folders, the GPUs' network.

use super::job::Site;
use super::payload::NfsMount;
use crate::deferred::output_name;
use serde::Serialize;
use slipform_model::nouns::{Access, Body, EnvValue, Launch, Mount, MountSource, Storage};
use slipform_model::{Deferred, Diagnostic, Noun, NounId};
use slipform_source::Span;

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
    pub(crate) nfs: Vec<(NfsMount, Option<Deferred>)>,
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
        processes: site.run.processes_per_node.max(1),
        port: site.run.port,
        project: site.plan.model.project.clone().unwrap_or_default(),
        secrets: secrets(site, refused),
        script: stack.and_then(|stack| stack.env_script.clone()),
        library_path: stack.and_then(|stack| stack.env.get(LIBRARY_PATH).cloned()),
        workdir: site.workload.workdir.clone(),
        launcher: launcher(site, refused),
        ..Start::default()
    };
    for mount in &site.workload.mounts {
        start.mount(site, &mount.value, mount.span, refused);
    }
    start
}

/// The variable that is added to instead of replaced, since images have their own.
pub(crate) const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

fn launcher(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> &'static str {
    let launch = &site.workload.launch;
    let several = site.run.processes_per_node > 1;
    match &launch.value {
        Launch::Torchrun { .. } => "torchrun",
        Launch::Srun { .. } if several => "ranks",
        Launch::Mpirun { .. } if site.replicas() > 1 => {
            let message = format!(
                "`mpirun` starts processes on {} nodes over SSH, which replicas of Vertex AI do not have",
                site.replicas()
            );
            refused.push(
                Diagnostic::error("vertex/mpirun", message, launch.span)
                    .help("use `torchrun` or `srun`, which need no SSH"),
            );
            "mpirun"
        }
        Launch::Mpirun { .. } => "mpirun",
        Launch::Srun { .. } | Launch::Python { .. } | Launch::Command { .. } => "single",
    }
}

fn secrets(site: Site<'_>, refused: &mut Vec<Diagnostic>) -> Vec<Secret> {
    let mut secrets = Vec::new();
    for (variable, value) in &site.workload.env {
        let EnvValue::Secret { name, key } = &value.value else { continue };
        let key = (key != WHOLE).then(|| key.clone());
        secrets.push(Secret { variable: variable.clone(), name: name.clone(), key });
        if site.plan.model.project.is_none() {
            let message =
                format!("secret `{name}` is read from a project, and the blueprint has none");
            refused.push(
                Diagnostic::error("vertex/project", message, value.span)
                    .help("add a parameter of type `ProjectId`"),
            );
        }
    }
    secrets
}

impl Start {
    fn mount(&mut self, site: Site<'_>, mount: &Mount, span: Span, refused: &mut Vec<Diagnostic>) {
        let Mount::Mount { source, path, folder, read_only, .. } = mount;
        if *read_only && !matches!(source.value, MountSource::Bucket(id) if is_read_only(site, id))
        {
            let message = format!(
                "Vertex AI mounts for reading and writing, so nothing keeps jobs from writing to {}",
                path.value
            );
            refused.push(Diagnostic::warning("vertex/read-only", message, span));
        }
        let source = match &source.value {
            MountSource::Bucket(id) => {
                site.plan.name(*id).map(|name| format!("{}/{name}", root(site, "gcs")))
            }
            MountSource::Filesystem(id) => self.share(site, *id, source.span, refused),
            MountSource::Scratch { size } => {
                self.scratch_gib += size.gib();
                self.scratch.push(path.value.clone());
                None
            }
        };
        let Some(source) = source else { return };
        let source = match folder.as_deref().map(|folder| folder.trim_matches('/')) {
            Some(folder) if !folder.is_empty() => format!("{source}/{folder}"),
            _ => source,
        };
        if source != path.value {
            self.links.push(Link { source, path: path.value.clone() });
        }
    }

    /// The folder under which a filesystem appears.
    fn share(
        &mut self,
        site: Site<'_>,
        id: NounId,
        span: Span,
        refused: &mut Vec<Diagnostic>,
    ) -> Option<String> {
        let noun = site.plan.model.get(id)?;
        let Body::Filesystem(filesystem) = &noun.body else { return None };
        let (server, path, address) = match &filesystem.storage.value {
            Storage::Nfs { server, export } => (server.clone(), export.clone(), None),
            Storage::Filestore { .. } => {
                let address = Deferred { noun: id, field: "address".into() };
                let marker = marker(&output_name(site.plan, &address));
                (marker, format!("/{}", filesystem.share), Some(address))
            }
            Storage::Lustre { .. } | Storage::Path { .. } => {
                refused.push(unmounted(noun, &filesystem.storage.value, span));
                return None;
            }
        };
        if site.cluster.network.is_none() {
            let message = format!(
                "jobs of `{}` are on no network that reaches `{}`",
                site.cluster_noun.path, noun.path
            );
            refused.push(
                Diagnostic::error("vertex/network", message, span).help(
                    "add `network = \"projects/NUMBER/global/networks/NAME\"` to the cluster",
                ),
            );
        }
        let mount_point = site.plan.name(id)?.clone();
        let folder = format!("{}/{mount_point}", root(site, "nfs"));
        if !self.nfs.iter().any(|(known, _)| known.mount_point == mount_point) {
            self.nfs.push((NfsMount { server, path, mount_point }, address));
        }
        Some(folder)
    }
}

fn is_read_only(site: Site<'_>, bucket: NounId) -> bool {
    let body = site.plan.model.get(bucket).map(|noun| &noun.body);
    matches!(body, Some(Body::Bucket(bucket)) if bucket.access == Access::Read)
}

fn unmounted(noun: &Noun, storage: &Storage, span: Span) -> Diagnostic {
    let (what, help) = match storage {
        Storage::Path { .. } => (
            "a folder of one's own machines",
            "put the data in a bucket, or on an NFS server that Vertex AI can reach",
        ),
        _ => (
            "a Lustre filesystem, which custom jobs are not given here",
            "add it with `patch custom_job`, or put the data in a bucket",
        ),
    };
    Diagnostic::error(
        "vertex/filesystem",
        format!("`{}` is {what}, and Vertex AI does not mount it", noun.path),
        span,
    )
    .help(help)
}

/// The folder under which mounts of a kind appear.
fn root<'a>(site: Site<'a>, kind: &str) -> &'a str {
    site.plan
        .model
        .catalog
        .vertex()
        .and_then(|facts| facts.mount_roots.get(kind))
        .map_or("", String::as_str)
}

/// What stands in a request for a value that Terraform knows.
pub(crate) fn marker(output: &str) -> String {
    format!("${{{output}}}")
}
