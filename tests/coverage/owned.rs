//! What of the documents that may be patched follows from each field: found by changing the field.

use serde::Deserialize;
use slipform_targets::Artifact;
use std::collections::{BTreeMap, BTreeSet};

/// Terraform's resources, as patches name them.
const RESOURCES: [(&str, &str); 12] = [
    ("google_compute_network", "network"),
    ("google_compute_subnetwork", "subnetwork"),
    ("google_storage_bucket", "bucket"),
    ("google_filestore_instance", "filesystem"),
    ("google_lustre_instance", "filesystem"),
    ("google_artifact_registry_repository", "registry"),
    ("google_vertex_ai_tensorboard", "tensorboard"),
    ("google_compute_reservation", "reservation"),
    ("google_container_cluster", "cluster"),
    ("google_container_node_pool", "node_pool"),
    ("google_compute_instance_template", "instance_template"),
    ("google_compute_instance_group_manager", "instance_group"),
];

/// Kubernetes' objects, as patches name them.
const OBJECTS: [(&str, &str); 3] = [
    ("JobSet", "jobset"),
    ("ClusterQueue", "cluster_queue"),
    ("ResourceFlavor", "resource_flavor"),
];

/// Modules of Cluster Toolkit, as patches name them.
const MODULES: [(&str, &str); 5] = [
    ("schedmd-slurm-gcp-v6-nodeset", "node_set"),
    ("schedmd-slurm-gcp-v6-nodeset-tpu", "tpu_node_set"),
    ("schedmd-slurm-gcp-v6-partition", "slurm_partition"),
    ("schedmd-slurm-gcp-v6-controller", "controller"),
    ("schedmd-slurm-gcp-v6-login", "login"),
];

/// Keys that blueprints of these tests choose, which stand for any.
const CHOSEN: [&str; 2] = ["team", "rack"];

/// What tells items of a list apart.
const NAMES: [&str; 3] = ["name", "mountPath", "containerPort"];

/// What documents say.
#[derive(Default)]
pub(crate) struct Said {
    /// By where it stands, each item of a list and each block by its own name.
    leaves: BTreeMap<String, Leaf>,
    /// Documents, and items of lists in them.
    things: BTreeSet<String>,
}

struct Leaf {
    document: &'static str,
    /// Without names of items.
    path: String,
    /// The document or item that it is in.
    of: String,
    value: String,
}

/// Where something is told.
#[derive(Clone)]
struct Place {
    document: &'static str,
    full: String,
    path: String,
    of: String,
}

impl Place {
    fn at(&self, key: &str) -> Self {
        let key = if CHOSEN.contains(&key) { "*" } else { key };
        let path =
            if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { path, full: format!("{}\n{key}", self.full), ..self.clone() }
    }

    fn item(&self, name: &str) -> Self {
        let full = format!("{}\n[{name}]", self.full);
        Self { of: full.clone(), full, ..self.clone() }
    }
}

impl Said {
    /// Everything that the documents in some artifacts say.
    pub(crate) fn of(artifacts: &[Artifact]) -> Self {
        let mut said = Self::default();
        for artifact in artifacts {
            let text = &artifact.content;
            match artifact.path.extension() {
                Some("tf") => said.terraform(&hcl::parse(text).unwrap()),
                Some("yaml") if artifact.path.ends_with("cluster.yaml") => said.toolkit(text),
                Some("yaml") => said.kubernetes(text),
                Some("sbatch") => said.sbatch(text),
                Some("conf") if artifact.path.ends_with("slurm.conf") => said.slurm_conf(text),
                Some("json") if text.contains("workerPoolSpecs") => {
                    let tree = serde_yaml::from_str(text).unwrap();
                    said.document("custom_job", "", |said, place| said.tree(place, &tree));
                }
                _ => {}
            }
        }
        said
    }

    /// The paths of documents at which another one says something else of what both have.
    pub(crate) fn unlike<'s>(
        &'s self,
        other: &'s Self,
    ) -> impl Iterator<Item = (&'static str, &'s str)> {
        let only = |a: &'s Self, b: &'s Self| {
            let differs = move |(at, leaf): &(&'s String, &'s Leaf)| match b.leaves.get(*at) {
                Some(same) => same.value != leaf.value,
                None => b.things.contains(&leaf.of),
            };
            a.leaves.iter().filter(differs).map(|(_, leaf)| (leaf.document, leaf.path.as_str()))
        };
        only(self, other).chain(only(other, self))
    }

    fn document(&mut self, document: &'static str, name: &str, say: impl FnOnce(&mut Self, Place)) {
        let full = format!("{document} {name}");
        let place = Place { document, path: String::new(), of: full.clone(), full };
        self.things.insert(place.of.clone());
        say(self, place);
    }

    fn leaf(&mut self, place: Place, value: String) {
        let Place { document, full, path, of } = place;
        self.leaves.insert(full, Leaf { document, path, of, value });
    }

    fn terraform(&mut self, body: &hcl::Body) {
        for block in body.blocks().filter(|block| block.identifier() == "resource") {
            let labels: Vec<&str> = block.labels().iter().map(|label| label.as_str()).collect();
            let [resource, name] = labels[..] else { continue };
            if let Some((_, document)) = RESOURCES.iter().find(|(known, _)| *known == resource) {
                self.document(document, name, |said, place| said.body(&place, block.body()));
            }
        }
    }

    fn body(&mut self, place: &Place, body: &hcl::Body) {
        for attribute in body.attributes() {
            self.leaf(place.at(attribute.key()), format!("{:?}", attribute.expr()));
        }
        for block in body.blocks() {
            self.body(&place.at(block.identifier()), block.body());
        }
    }

    fn kubernetes(&mut self, text: &str) {
        for document in serde_yaml::Deserializer::from_str(text) {
            let Ok(tree) = serde_yaml::Value::deserialize(document) else { continue };
            let kind = tree.get("kind").and_then(|kind| kind.as_str());
            let Some((kind, document)) = OBJECTS.iter().find(|(known, _)| Some(*known) == kind)
            else {
                continue;
            };
            let name = tree.get("metadata").and_then(|it| it.get("name")?.as_str());
            // what has one JobSet has it under any name
            let name = name.filter(|_| *kind != "JobSet").unwrap_or_default();
            self.document(document, name, |said, place| said.tree(place, &tree));
        }
    }

    fn toolkit(&mut self, text: &str) {
        let tree: serde_yaml::Value = serde_yaml::from_str(text).unwrap();
        let groups = tree.get("deployment_groups").and_then(|it| it.as_sequence());
        let modules =
            groups.into_iter().flatten().filter_map(|group| group.get("modules")?.as_sequence());
        for module in modules.flatten() {
            let told = |key: &str| module.get(key).and_then(|it| it.as_str()).unwrap_or_default();
            let known = MODULES.iter().find(|(source, _)| told("source").ends_with(source));
            let (Some((_, document)), Some(settings)) = (known, module.get("settings")) else {
                continue;
            };
            self.document(document, told("id"), |said, place| said.tree(place, settings));
        }
    }

    fn tree(&mut self, place: Place, tree: &serde_yaml::Value) {
        match tree {
            serde_yaml::Value::Mapping(entries) => {
                for (key, value) in entries {
                    self.tree(place.at(key.as_str().unwrap_or_default()), value);
                }
            }
            serde_yaml::Value::Sequence(items) if items.iter().any(|item| item.is_mapping()) => {
                for (at, item) in items.iter().enumerate() {
                    let name = NAMES.iter().find_map(|name| item.get(name));
                    let name = name.map_or(at.to_string(), |name| format!("{name:?}"));
                    let place = place.item(&name);
                    self.things.insert(place.of.clone());
                    self.tree(place, item);
                }
            }
            leaf => self.leaf(place, format!("{leaf:?}")),
        }
    }

    /// Settings of a cluster alone: lines of nodes and of partitions have several words.
    fn slurm_conf(&mut self, text: &str) {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.contains(' '));
        self.document("slurm_conf", "", |said, place| {
            for (name, value) in lines.filter_map(|line| line.split_once('=')) {
                said.leaf(place.at(name), value.to_owned());
            }
        });
    }

    fn sbatch(&mut self, text: &str) {
        let options = text.lines().filter_map(|line| line.strip_prefix("#SBATCH --"));
        self.document("sbatch", "", |said, place| {
            for option in options {
                let (name, value) = option.split_once('=').unwrap_or((option, ""));
                said.leaf(place.at(&name.replace('-', "_")), value.to_owned());
            }
        });
    }
}
