//! What prepares nodes for the fabric: DaemonSets with the NCCL plugin and its libraries, the injector of devices, and
//! room for drivers that are installed by a chart.
//!
//! Images and versions come from the catalog, the nodes from the pools that have the stack.

use super::context::text;
use super::fabric;
use super::kustomize::Stream;
use super::objects::{
    Affinity, Amount, Container, DaemonSetSpec, Meta, NodeAffinity, NodeTerm, NodeTerms, Object,
    Pairs, PodSpec, PodTemplate, Pods, QuotaSpec, Requirement, Resources, ScopeRequirement,
    ScopeSelector, SecurityContext, Selector, TemplateMeta, Text, Toleration, UpdateStrategy,
    Volume, VolumeMount, VolumeSource,
};
use super::words;
use slipform_model::catalog::{Catalog, Component, Installer, Preparation, Recipe, Stack};
use slipform_model::plan::PoolPlan;
use std::collections::{BTreeMap, BTreeSet};

/// Classes of pods that GKE admits to a namespace by quota alone.
const SYSTEM_CLASSES: [&str; 2] = ["system-node-critical", "system-cluster-critical"];
const APERTURE_DEVICES: &str = include_str!("scripts/aperture-devices.sh");

/// What the pools of a cluster need, each once.
pub(crate) struct Installers<'a> {
    own: Vec<Own<'a>>,
    /// What is installed from its own release, with the pools that need it.
    pub(crate) components: Vec<Needed<'a>>,
    idle: &'a str,
}

/// A component that pools need.
pub(crate) struct Needed<'a> {
    pub(crate) component: &'a Component,
    pub(crate) pools: Vec<&'a PoolPlan>,
}

struct Own<'a> {
    name: String,
    image: String,
    installer: &'a Installer,
    /// What it writes on the node last, which workloads wait for.
    complete: Option<String>,
    accelerators: BTreeSet<&'a str>,
}

impl<'a> Installers<'a> {
    pub(crate) fn of(
        catalog: &'a Catalog,
        idle: &'a str,
        pools: impl Iterator<Item = &'a PoolPlan>,
    ) -> Self {
        let mut found = Self { own: Vec::new(), components: Vec::new(), idle };
        for pool in pools {
            let slicing = pool.slicing.as_ref().and_then(|it| it.component.as_deref());
            if let Some(component) = slicing.and_then(|name| catalog.component(name)) {
                found.need(component, pool);
            }
            let Some(stack) = &pool.stack else { continue };
            let Some(gke) = &stack.gke else { continue };
            for installer in &gke.installers {
                found.add(stack, installer, pool);
            }
            for component in catalog.components(gke) {
                found.need(component, pool);
            }
        }
        found
    }

    fn need(&mut self, component: &'a Component, pool: &'a PoolPlan) {
        match self.components.iter_mut().find(|it| it.component.name == component.name) {
            Some(needed) => needed.pools.push(pool),
            None => self.components.push(Needed { component, pools: vec![pool] }),
        }
    }

    fn add(&mut self, stack: &'a Stack, installer: &'a Installer, pool: &'a PoolPlan) {
        let image = stack.reference(&installer.image);
        let accelerator = pool.selector.get(words::ACCELERATOR).map(String::as_str);
        let same = |own: &&mut Own<'a>| own.image == image && own.installer.name == installer.name;
        if let Some(own) = self.own.iter_mut().find(same) {
            own.accelerators.extend(accelerator);
            return;
        }
        let taken = self.own.iter().any(|own| own.name == installer.name);
        let name = if taken {
            format!("{}-{}", installer.name, stack.name)
        } else {
            installer.name.clone()
        };
        let file = stack.gke.as_ref().and_then(|gke| gke.on_node(gke.installed.as_deref()?));
        let complete = file.map(|file| fabric::complete(&file));
        let accelerators = accelerator.into_iter().collect();
        self.own.push(Own { name, image, installer, complete, accelerators });
    }

    pub(crate) fn render(&self, origin: &str) -> Stream {
        let mut stream = Stream::default();
        for own in &self.own {
            stream.object(origin, &own.daemon_set(self.idle));
        }
        for needed in &self.components {
            needed.room(origin, &mut stream);
        }
        stream
    }
}

impl<'a> Needed<'a> {
    /// The accelerators of the nodes that need it.
    pub(crate) fn accelerators(&self) -> BTreeSet<&'a str> {
        let labels = self.pools.iter().filter_map(|pool| pool.selector.get(words::ACCELERATOR));
        labels.map(String::as_str).collect()
    }

    /// Its namespace, with a quota for its pods where GKE admits them by quota alone.
    fn room(&self, origin: &str, stream: &mut Stream) {
        let (Some(pods), Some(namespace)) =
            (self.component.system_pods, self.component.namespace.as_deref())
        else {
            return;
        };
        let meta = Meta::named(text(namespace));
        let object: Object<'_, Pairs<'_>> =
            Object { spec: None, ..Object::new("v1", "Namespace", meta, Pairs::new()) };
        stream.object(origin, &object);
        let nodes = self.pools.iter().fold(0i64, |sum, pool| sum.saturating_add(pool.max_nodes()));
        let pods = nodes.saturating_mul(pods.each_node.into()).saturating_add(pods.besides.into());
        let spec = QuotaSpec {
            hard: Pods { pods },
            scope_selector: ScopeSelector {
                match_expressions: vec![ScopeRequirement {
                    scope_name: "PriorityClass",
                    operator: "In",
                    values: SYSTEM_CLASSES.map(Text::from).into(),
                }],
            },
        };
        let name = format!("{}-quota", self.component.name);
        let meta = Meta::of(name, text(namespace));
        stream.object(origin, &Object::new("v1", "ResourceQuota", meta, spec));
    }
}

/// The script that prepares a node.
fn prepared_by(preparation: Preparation) -> &'static str {
    match preparation {
        Preparation::ApertureDevices => APERTURE_DEVICES,
    }
}

impl<'a> Own<'a> {
    fn daemon_set(&'a self, idle: &'a str) -> Object<'a, DaemonSetSpec<'a>> {
        let labels = || [(Text::from("k8s-app"), text(&self.name))].into();
        let mut spec = PodSpec {
            priority_class_name: Some("system-node-critical".into()),
            automount_service_account_token: Some(false),
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
        let update = match &self.installer.recipe {
            Recipe::Plugin { unpacked, prepare } => {
                self.plugin(unpacked, *prepare, idle, &mut spec);
                // running processes have the plugin's libraries mapped: another version comes with another node
                "OnDelete"
            }
            Recipe::DeviceInjector => {
                self.injector(&mut spec);
                "RollingUpdate"
            }
        };
        let spec = DaemonSetSpec {
            selector: Selector { match_labels: labels(), match_expressions: Vec::new() },
            update_strategy: UpdateStrategy { kind: update },
            template: PodTemplate {
                metadata: TemplateMeta { labels: labels(), annotations: BTreeMap::new() },
                spec,
            },
        };
        let mut meta = Meta::of(text(&self.name), "kube-system");
        meta.labels = labels();
        Object::new("apps/v1", "DaemonSet", meta, spec)
    }

    fn nodes(&self) -> Affinity<'a> {
        on_accelerators(self.accelerators.iter().copied(), [])
    }

    /// Unpacks the plugin once and copies it to the node; what is left of the pod does nothing.
    fn plugin(
        &'a self,
        from: &'a str,
        prepare: Option<Preparation>,
        idle: &'a str,
        spec: &mut PodSpec<'a>,
    ) {
        let complete = self.complete_in_pod();
        let mut script = String::from("set -ex\n");
        script.extend(complete.iter().map(|file| format!("rm -f {file}\n")));
        script.push_str(
            "chmod 755 /scripts/container_entry.sh\n/scripts/container_entry.sh install --install-nccl\n",
        );
        let mut volume_mounts = Vec::new();
        for (number, path) in self.installer.host_paths.iter().enumerate() {
            let name = format!("target-{number}");
            let target = format!("/target/{number}");
            script.push_str(&copy(from, path, &target));
            volume_mounts.push(VolumeMount::new(name.clone(), target));
            spec.volumes.push(host_path(name, text(path)));
        }
        script.extend(complete.iter().map(|file| format!("touch {file}\n")));
        spec.volumes.push(host_path("unpacked", text(from)));
        volume_mounts.push(VolumeMount::new("unpacked", from));
        if let Some(prepare) = prepare {
            spec.init_containers.push(Container {
                command: ["nsenter", "--target=1", "--all", "--", "bash", "-c"]
                    .map(Text::from)
                    .into(),
                args: vec![prepared_by(prepare).into()],
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
            image: text(idle),
            ..Container::default()
        });
    }

    /// What it writes last, as its own container sees it.
    fn complete_in_pod(&self) -> Option<String> {
        let (number, rest) = self.installer.fills(self.complete.as_deref()?)?;
        Some(format!("/target/{number}/{rest}"))
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

/// The nodes with one of these accelerators, which meet further conditions.
pub(crate) fn on_accelerators<'a, const MORE: usize>(
    accelerators: impl Iterator<Item = &'a str>,
    more: [Requirement<'a>; MORE],
) -> Affinity<'a> {
    let values = accelerators.map(text).collect();
    let own = Requirement { key: words::ACCELERATOR.into(), operator: "In", values };
    on_nodes(std::iter::once(own).chain(more).collect())
}

/// The nodes that meet all conditions.
pub(crate) fn on_nodes(match_expressions: Vec<Requirement<'_>>) -> Affinity<'_> {
    let terms = NodeTerms { node_selector_terms: vec![NodeTerm { match_expressions }] };
    Affinity {
        node_affinity: NodeAffinity {
            required_during_scheduling_ignored_during_execution: Some(terms),
            preferred_during_scheduling_ignored_during_execution: Vec::new(),
        },
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
