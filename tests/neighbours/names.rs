//! What a consumer knows things by: the addresses of resources, names, ranges and whatever is found by them.

use hcl::structure::{Block, Structure};
use hcl::{Body, Expression};
use serde_yaml::Value;
use slipform_targets::Output;
use std::collections::BTreeMap;

/// Fields that say what something is called, or where it lies.
const KEYS: &[&str] = &[
    "name",
    "account_id",
    "repository_id",
    "instance_id",
    "vpc",
    "subnet",
    "firewall",
    "cidr",
    "range",
    "ip_cidr_range",
    "range_name",
    "master_ipv4_cidr_block",
    "reserved_ip_range",
    "network",
    "subnetwork",
    "prefix_length",
    "from",
    "location",
    "zone",
    "service_account",
    "hostname",
    "node_name",
    "queueName",
    "network_name",
    "subnetwork_name",
    "network_address",
];

/// What stands in an output.
#[derive(Default)]
pub(crate) struct Named {
    /// Whatever has a name, and its names and ranges, by where they are said.
    pub(crate) values: BTreeMap<String, String>,
    /// Resources of Terraform, with the noun that each is of.
    pub(crate) origins: BTreeMap<String, String>,
    /// What the variables of each root come to.
    variables: BTreeMap<String, Body>,
}

/// Everything that an output names.
pub(crate) fn named(output: &Output) -> Named {
    let mut found = Named::default();
    for file in output.artifacts.iter().filter(|file| file.path.ends_with("terraform.tfvars")) {
        let folder = file.path.parent().unwrap().to_string();
        found.variables.insert(folder, hcl::parse(&file.content).unwrap());
    }
    for file in &output.artifacts {
        let folder = file.path.parent().map(ToString::to_string).unwrap_or_default();
        match file.path.extension() {
            Some("tf") => found.root(&folder, &file.content),
            Some("yaml" | "yml") => found.documents(&folder, &file.content),
            Some("conf") => found.lines(&file.content),
            _ => {}
        }
    }
    found
}

impl Named {
    fn put(&mut self, key: String, value: impl ToString) {
        self.values.insert(key, value.to_string());
    }

    fn root(&mut self, folder: &str, text: &str) {
        let body: Body = hcl::parse(text).unwrap();
        for block in body.into_blocks() {
            let labels: Vec<&str> = block.labels().iter().map(|label| label.as_str()).collect();
            let address = format!("{folder}/{}", labels.join("."));
            match block.identifier() {
                "resource" => {
                    self.put(address.clone(), "");
                    self.body(&address, &block.body);
                }
                "locals" => self.body(&format!("{folder}/local"), &block.body),
                _ => {}
            }
        }
        let mut above = "";
        for line in text.lines() {
            if let ["resource ", kind, " ", label, " {"] =
                line.split('"').collect::<Vec<_>>().as_slice()
            {
                let origin = above.trim_start_matches("# ").to_owned();
                self.origins.insert(format!("{folder}/{kind}.{label}"), origin);
            }
            above = line;
        }
    }

    fn body(&mut self, path: &str, body: &Body) {
        for structure in body.iter() {
            match structure {
                Structure::Attribute(attribute) => {
                    self.expression(path, attribute.key.as_str(), &attribute.expr);
                }
                Structure::Block(block) => self.block(path, block),
            }
        }
    }

    fn block(&mut self, path: &str, block: &Block) {
        let inner =
            block.body.attributes().find(|it| ["id", "range_name"].contains(&it.key.as_str()));
        let of = inner.map(|it| format!("[{}]", written(&it.expr))).unwrap_or_default();
        self.body(&format!("{path}.{}{of}", block.identifier()), &block.body);
    }

    fn expression(&mut self, path: &str, key: &str, expr: &Expression) {
        let path = format!("{path}.{key}");
        match expr {
            Expression::Object(fields) => {
                for (key, value) in fields {
                    self.expression(&path, &key.to_string(), value);
                }
            }
            other if KEYS.contains(&key) => {
                let text = self.known(&path, other);
                self.put(path, text);
            }
            _ => {}
        }
    }

    /// An expression, or the value of the variable that it is.
    fn known(&self, path: &str, expr: &Expression) -> String {
        let text = written(expr);
        let folder = path.split('/').next().unwrap();
        let values = self.variables.get(folder).zip(text.strip_prefix("var."));
        let value =
            values.and_then(|(body, name)| body.attributes().find(|it| it.key.as_str() == name));
        value.map_or(text, |it| written(&it.expr))
    }

    fn documents(&mut self, folder: &str, text: &str) {
        for document in serde_yaml::Deserializer::from_str(text) {
            let Ok(value) = <Value as serde::Deserialize>::deserialize(document) else { continue };
            let text = |keys: &[&str]| {
                let found = keys.iter().try_fold(&value, |value, key| value.get(*key));
                found.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let kind = text(&["kind"]);
            let path = match kind.as_str() {
                "" | "Kustomization" => folder.to_owned(),
                // a run is in the namespace of its queue
                kind => format!("{folder}/{kind} {}", text(&["metadata", "name"])),
            };
            self.put(path.clone(), "");
            // what a run is made of has its names from its own words
            if !["JobSet", "PodTemplate"].contains(&kind.as_str()) {
                self.value(&path, "", &value);
            }
        }
    }

    /// Items of lists go by what they are called, so that none moves another.
    fn value(&mut self, path: &str, key: &str, value: &Value) {
        match value {
            Value::Mapping(fields) => {
                for (key, value) in fields {
                    let key = key.as_str().unwrap_or_default();
                    self.value(&format!("{path}.{key}"), key, value);
                }
            }
            Value::Sequence(items) => {
                for item in items {
                    let id =
                        ["id", "name", "group"].iter().find_map(|key| item.get(*key)?.as_str());
                    let Some(id) = id else { continue };
                    self.put(format!("{path}[{id}]"), "");
                    self.value(&format!("{path}[{id}]"), key, item);
                }
            }
            Value::String(text) if KEYS.contains(&key) => self.put(path.to_owned(), text),
            _ => {}
        }
    }

    fn lines(&mut self, text: &str) {
        let words = [
            "NodeName=",
            "PartitionName=",
            "NodeSet=",
            "ClusterName=",
            "SwitchName=",
            "BlockName=",
        ];
        for line in text.lines().filter(|line| words.iter().any(|word| line.starts_with(word))) {
            let first = line.split_whitespace().next().unwrap_or_default();
            self.put(first.to_owned(), "");
        }
    }
}

/// An expression as it is written.
fn written(expr: &Expression) -> String {
    hcl::format::to_string(expr).unwrap()
}
