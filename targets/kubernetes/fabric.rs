//! What a pod needs to reach the fabric of its GPUs: interfaces, devices, the daemon beside it, the environment, and
//! claims. All of it is the catalog's; nothing here knows a stack by name.

use super::context::{Nodes, text};
use super::launch::value;
use super::objects::{
    Asks, Capabilities, Container, EnvVar, Exec, Probe, SecurityContext, Text, Volume, VolumeMount,
    VolumeSource,
};
use super::words;
use crate::document::yaml_string;
use serde::{Serialize, Serializer as _};
use serde_json::Serializer;
use serde_json::ser::Formatter;
use slipform_model::catalog::{self, Claim, Daemon, GkeStack, Stack, VolumeKind};
use slipform_model::plan::{PoolPlan, Program};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// Where the memory that processes share is mounted; a workload says how much, so the stack's own does not count.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// The interface that every pod has.
const FIRST: &str = "eth0";

/// How often the daemon is asked whether it is ready, in seconds, and how many times.
const READY: (u32, u32) = (5, 120);

/// The fabric of a pool, as its pods see it.
#[derive(Clone, Copy)]
pub(crate) struct Fabric<'a> {
    stack: &'a Stack,
    gke: &'a GkeStack,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Interface<'a> {
    interface_name: &'a str,
    network: &'a str,
}

#[derive(Serialize)]
struct Device<'a> {
    path: &'a str,
}

impl<'a> Fabric<'a> {
    /// The fabric of a pool that has one on GKE.
    pub(crate) fn of(nodes: Nodes<'a>) -> Option<Self> {
        let stack = nodes.pool.stack.as_ref()?;
        Some(Self { stack, gke: stack.gke.as_ref()? })
    }

    pub(crate) fn env_script(&self) -> Option<&'a str> {
        self.gke.env_script.as_deref()
    }

    /// Variables of a program that are the stack's.
    pub(crate) fn owned(&self, program: &'a Program) -> Vec<&'a str> {
        program.owned(self.stack).collect()
    }

    /// A file that the workload's container sees once the node is prepared: what our installer writes last, or on a
    /// cluster that has an owner of its own the plugin's.
    pub(crate) fn installed(&self, existing: bool) -> Option<String> {
        let file = self.gke.installed.as_deref()?;
        Some(if existing { file.to_owned() } else { complete(file) })
    }

    pub(crate) fn interface(&self) -> Option<&'a str> {
        self.gke.socket_interface.as_deref()
    }

    /// The container that moves the workload's bytes, which ends with it.
    pub(crate) fn daemon(&self) -> Option<Container<'a>> {
        let daemon = self.gke.daemon.as_ref()?;
        Some(Container {
            name: text(&daemon.container),
            image: daemon.image.to_string().into(),
            restart_policy: Some("Always"),
            command: daemon.command.iter().map(|word| text(word)).collect(),
            env: variables(&daemon.env).collect(),
            security_context: capabilities(&daemon.capabilities),
            startup_probe: daemon.ready_file.as_deref().map(|file| Probe {
                asks: Asks::Exec(Exec { command: vec!["test".into(), "-e".into(), text(file)] }),
                period_seconds: READY.0,
                failure_threshold: READY.1,
            }),
            volume_mounts: mounts(&daemon.mounts).collect(),
            ..Container::default()
        })
    }

    /// The environment of the workload. What a script of the stack sets is left to the script.
    pub(crate) fn env(&self) -> impl Iterator<Item = EnvVar<'a>> {
        let profile = self.gke.env_script.is_none().then_some(&self.stack.profile);
        let own = &self.gke.env;
        let profile = profile.into_iter().flatten().filter(|(key, _)| !own.contains_key(*key));
        variables(own).chain(profile.map(|(key, it)| value(text(key), text(it))))
    }

    pub(crate) fn security(&self) -> Option<SecurityContext<'a>> {
        capabilities(&self.gke.capabilities)
    }

    /// Mounts of the workload's container.
    pub(crate) fn mounts(&self) -> impl Iterator<Item = VolumeMount<'a>> {
        mounts(&self.gke.mounts).filter(|mount| mount.mount_path != SHARED_MEMORY)
    }

    /// Volumes of the pod that something mounts.
    pub(crate) fn volumes(&self) -> impl Iterator<Item = Volume<'a>> {
        let gke = self.gke;
        let used = move |name: &str| {
            let daemon = gke.daemon.iter().flat_map(|daemon: &Daemon| &daemon.mounts);
            let own = gke.mounts.iter().filter(|mount| mount.path != SHARED_MEMORY);
            own.chain(daemon).any(|mount| mount.volume == name)
        };
        gke.volumes.iter().filter(move |volume| used(&volume.name)).map(volume)
    }

    /// Names that volumes of the fabric have.
    pub(crate) fn volume_names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.gke.volumes.iter().map(|volume| volume.name.as_str())
    }

    /// Claims of devices and domains.
    pub(crate) fn claims(&self) -> &'a [Claim] {
        &self.gke.claims
    }
}

/// What an installer writes beside a file of the plugin once all files are there.
pub(crate) fn complete(file: &str) -> String {
    format!("{file}.complete")
}

/// Annotations of the pods of a pool: their interfaces, and the devices of the daemon.
pub(crate) fn annotations(pool: &PoolPlan) -> Vec<(Text<'_>, String)> {
    let mut annotations = Vec::new();
    let networks = &pool.data_networks;
    if !networks.is_empty() {
        let first = [Interface { interface_name: FIRST, network: "default" }];
        let others = networks
            .iter()
            .map(|it| Interface { interface_name: &it.interface, network: &it.object });
        annotations.push((words::DEFAULT_INTERFACE.into(), FIRST.to_owned()));
        annotations.push((words::INTERFACES.into(), json_lines(first.into_iter().chain(others))));
    }
    let gke = pool.stack.as_ref().and_then(|stack| stack.gke.as_ref());
    if let Some(daemon) =
        gke.and_then(|gke| gke.daemon.as_ref()).filter(|daemon| !daemon.devices.is_empty())
    {
        let key = match &daemon.device_annotation {
            Some(key) => text(key),
            None => format!("{}{}", words::DEVICES, daemon.container).into(),
        };
        let devices: Vec<_> = daemon.devices.iter().map(|path| Device { path }).collect();
        annotations.push((key, yaml_string(&devices).unwrap_or_default()));
    }
    annotations
}

/// A JSON list with one element a line.
pub(crate) fn json_lines<T: Serialize>(items: impl Iterator<Item = T>) -> String {
    let mut text = Vec::new();
    let mut printer = Serializer::with_formatter(&mut text, Lines { depth: 0 });
    let printed = printer.collect_seq(items).is_ok();
    printed.then(|| String::from_utf8(text).ok()).flatten().unwrap_or_default()
}

/// Prints the elements of the outermost list on a line each.
struct Lines {
    /// Lists around what is printed.
    depth: usize,
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth += 1;
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        out.write_all(if self.depth == 0 { b"\n]" } else { b"]" })
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        out.write_all(if first { b"" } else { b"," })?;
        out.write_all(if self.depth == 1 { b"\n  " } else { b"" })
    }
}

fn variables(env: &BTreeMap<String, String>) -> impl Iterator<Item = EnvVar<'_>> {
    env.iter().map(|(key, it)| value(text(key), text(it)))
}

fn mounts(mounts: &[catalog::Mount]) -> impl Iterator<Item = VolumeMount<'_>> {
    mounts.iter().map(|mount| VolumeMount::new(text(&mount.volume), text(&mount.path)))
}

fn capabilities(names: &[String]) -> Option<SecurityContext<'_>> {
    let add: Vec<Text<'_>> = names.iter().map(|name| text(name)).collect();
    (!add.is_empty())
        .then_some(SecurityContext { privileged: None, capabilities: Some(Capabilities { add }) })
}

fn volume(volume: &catalog::Volume) -> Volume<'_> {
    let size = volume.size.as_deref().map(text);
    let source = match volume.kind {
        VolumeKind::HostPath => VolumeSource::HostPath {
            path: volume.path.as_deref().map_or(Cow::Borrowed("/"), text),
            form: None,
        },
        VolumeKind::EmptyDir => VolumeSource::EmptyDir { medium: None, size_limit: size },
        VolumeKind::Memory => VolumeSource::EmptyDir { medium: Some("Memory"), size_limit: size },
    };
    Volume { name: text(&volume.name), source }
}
