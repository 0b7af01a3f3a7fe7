//! DaemonSets that prepare nodes for the fabric: the NCCL plugin and its libraries, and the injector of devices.
//!
//! Images, versions and the nodes that they are for come from the catalog. What is not an image but a chart, or has no
//! form known here, is named in the folder's README and in `install.sh`.

use super::context::text;
use super::kustomize::Stream;
use super::objects::{
    Affinity, Amount, Container, DaemonSetSpec, Meta, NodeAffinity, NodeTerm, NodeTerms, Object,
    PodSpec, PodTemplate, Requirement, Resources, SecurityContext, Selector, TemplateMeta, Text,
    Toleration, UpdateStrategy, Volume, VolumeMount, VolumeSource,
};
use super::words;
use slipform_model::catalog::{GpuDirect, Installer, Stack};
use slipform_model::plan::PoolPlan;
use std::collections::BTreeMap;

const INJECTOR: &str = "device-injector";
/// Keeps a container until it is told to end.
const IDLE: &str = "trap : TERM INT; sleep infinity & wait";
const PREPARE_TCPXO: &str = include_str!("scripts/tcpxo-prepare.sh");

/// The installers that the pools of a cluster need, each once.
pub(crate) struct Installers<'a> {
    own: Vec<Own<'a>>,
    /// What is installed by other means.
    pub(crate) others: Vec<&'a Installer>,
}

struct Own<'a> {
    name: String,
    installer: &'a Installer,
    image: String,
    from: Option<&'static str>,
    prepare: Option<&'static str>,
}

impl<'a> Installers<'a> {
    pub(crate) fn of(pools: impl Iterator<Item = &'a PoolPlan>) -> Self {
        let mut found = Self { own: Vec::new(), others: Vec::new() };
        for stack in pools.filter_map(|pool| pool.stack.as_ref()) {
            for installer in stack.gke.iter().flat_map(|gke| &gke.installers) {
                found.add(stack, installer);
            }
        }
        found
    }

    fn add(&mut self, stack: &'a Stack, installer: &'a Installer) {
        let Some((image, from)) = recipe(stack, installer) else {
            if !self.others.iter().any(|other| other.name == installer.name) {
                self.others.push(installer);
            }
            return;
        };
        let same = |own: &Own<'a>| own.image == image && own.installer.name == installer.name;
        if self.own.iter().any(same) {
            return;
        }
        let taken = self.own.iter().any(|own| own.name == installer.name);
        let name = if taken {
            format!("{}-{}", installer.name, stack.name)
        } else {
            installer.name.clone()
        };
        let prepare =
            (from.is_some() && stack.gpudirect == GpuDirect::Tcpxo).then_some(PREPARE_TCPXO);
        self.own.push(Own { name, installer, image, from, prepare });
    }

    pub(crate) fn render(&self, origin: &str) -> Stream {
        let mut stream = Stream::default();
        for own in &self.own {
            stream.object(origin, &own.daemon_set());
        }
        stream
    }
}

/// The image of an installer, and the folder that its plugin is in; `None` for what is not installed as a DaemonSet.
fn recipe(stack: &Stack, installer: &Installer) -> Option<(String, Option<&'static str>)> {
    let image = installer.image.as_ref()?.to_string();
    if installer.name == INJECTOR {
        return Some((image, None));
    }
    let from = match stack.gpudirect {
        GpuDirect::Tcpx => "/var/lib/tcpx",
        GpuDirect::Tcpxo => "/var/lib/tcpxo",
        GpuDirect::Rdma => "/var/lib/gib",
        GpuDirect::None => return None,
    };
    installer.name.starts_with("nccl-").then_some((image, Some(from)))
}

impl<'a> Own<'a> {
    fn daemon_set(&'a self) -> Object<'a, DaemonSetSpec<'a>> {
        let namespace = self.installer.namespace.as_deref().unwrap_or("kube-system");
        let labels = || [(Text::from("k8s-app"), text(&self.name))].into();
        let mut spec = PodSpec {
            priority_class_name: Some("system-node-critical"),
            host_network: Some(true),
            host_pid: Some(true),
            affinity: Some(self.nodes()),
            tolerations: vec![Toleration {
                key: None,
                operator: "Exists",
                value: None,
                effect: None,
            }],
            ..PodSpec::default()
        };
        match self.from {
            Some(from) => self.plugin(from, &mut spec),
            None => self.injector(&mut spec),
        }
        let spec = DaemonSetSpec {
            selector: Selector { match_labels: labels(), match_expressions: Vec::new() },
            update_strategy: UpdateStrategy { kind: "RollingUpdate" },
            template: PodTemplate {
                metadata: TemplateMeta { labels: labels(), annotations: BTreeMap::new() },
                spec,
            },
        };
        let mut meta = Meta::of(text(&self.name), text(namespace));
        meta.labels = labels();
        Object::new("apps/v1", "DaemonSet", meta, spec)
    }

    fn nodes(&self) -> Affinity<'a> {
        let accelerators = &self.installer.accelerators;
        let requirement = if accelerators.is_empty() {
            Requirement { key: words::ANY_GPU.into(), operator: "Exists", values: Vec::new() }
        } else {
            let values = accelerators.iter().map(|it| text(it)).collect();
            Requirement { key: words::ACCELERATOR.into(), operator: "In", values }
        };
        let terms = NodeTerms {
            node_selector_terms: vec![NodeTerm { match_expressions: vec![requirement] }],
        };
        Affinity {
            node_affinity: NodeAffinity {
                required_during_scheduling_ignored_during_execution: terms,
            },
        }
    }

    /// Unpacks the plugin once and copies it to the node, then idles.
    fn plugin(&'a self, from: &'static str, spec: &mut PodSpec<'a>) {
        let mut script = String::from(
            "set -ex\nchmod 755 /scripts/container_entry.sh\n/scripts/container_entry.sh install --install-nccl\n",
        );
        let mut volume_mounts = Vec::new();
        for (number, path) in self.installer.host_paths.iter().enumerate() {
            let name = format!("target-{number}");
            let target = format!("/target/{number}");
            script.push_str(&copy(from, path, &target));
            volume_mounts.push(VolumeMount::new(name.clone(), target));
            spec.volumes.push(host_path(name, text(path)));
        }
        spec.volumes.push(host_path("unpacked", from.into()));
        volume_mounts.push(VolumeMount::new("unpacked", from));
        if let Some(prepare) = self.prepare {
            spec.init_containers.push(Container {
                command: ["nsenter", "--target=1", "--all", "--", "bash", "-c"]
                    .map(Text::from)
                    .into(),
                args: vec![prepare.into()],
                ..self.privileged("prepare")
            });
        }
        spec.init_containers.push(Container {
            command: ["/bin/sh", "-c"].map(Text::from).into(),
            args: vec![script.into()],
            volume_mounts,
            ..self.privileged("install")
        });
        spec.containers.push(Container {
            name: "idle".into(),
            image: text(&self.image),
            command: ["/bin/sh", "-c", IDLE].map(Text::from).into(),
            ..Container::default()
        });
    }

    /// Serves the container runtime of the node.
    fn injector(&'a self, spec: &mut PodSpec<'a>) {
        let mut volume_mounts = Vec::new();
        for (name, path) in [("dev", "/dev"), ("nri", "/var/run/nri")] {
            volume_mounts.push(VolumeMount::new(name, path));
            let source = VolumeSource::HostPath { path: path.into(), form: None };
            spec.volumes.push(Volume { name: name.into(), source });
        }
        spec.containers.push(Container { volume_mounts, ..self.privileged("injector") });
    }

    fn privileged(&'a self, name: &'static str) -> Container<'a> {
        let requests = [(Text::from("cpu"), Amount::Text("150m".to_owned()))].into();
        Container {
            name: name.into(),
            image: text(&self.image),
            resources: Resources { requests, ..Resources::default() },
            security_context: Some(SecurityContext { privileged: Some(true), capabilities: None }),
            ..Container::default()
        }
    }
}

fn host_path<'a>(name: impl Into<Text<'a>>, path: Text<'a>) -> Volume<'a> {
    Volume {
        name: name.into(),
        source: VolumeSource::HostPath { path, form: Some("DirectoryOrCreate") },
    }
}

/// The lines that fill one folder of the node: the whole plugin, its libraries, or the libraries in a folder of their
/// own.
fn copy(from: &str, host: &str, target: &str) -> String {
    if host.ends_with("/lib64") {
        format!("cp -r {from}/lib64/. {target}\n")
    } else if from.rsplit('/').next() == host.rsplit('/').next() {
        format!("cp -r {from}/. {target}\n")
    } else {
        format!("mkdir -p {target}/lib64\ncp -r {from}/lib64/. {target}/lib64\n")
    }
}
