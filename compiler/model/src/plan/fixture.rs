//! Blueprints built by hand for tests: a noun is a kind, a name and the fields that differ from the defaults.

use crate::catalog::Catalog;
use crate::nouns::Body;
use crate::plan::{Plan, facts};
use crate::{Model, Noun, NounId, NounRef, Placed, Range, Value};
use slipform_source::{FileId, Span};
use std::sync::Arc;

pub(crate) struct Blueprint {
    nouns: Vec<Noun>,
    catalog: Catalog,
}

/// A noun with its kind, to be referred to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Made {
    pub(crate) id: NounId,
    kind: &'static str,
}

impl Made {
    pub(crate) fn get(self) -> Value {
        Value::Ref(NounRef { id: self.id, kind: self.kind.into() })
    }
}

/// The place of a field: its noun's number and its position there.
pub(crate) fn at(noun: usize, field: usize) -> Span {
    Span::new(FileId(0), noun * 100 + field, noun * 100 + field + 1)
}

fn nowhere() -> Span {
    at(0, 99)
}

/// A value as a blueprint writes it, for the literals that are not numbers or plain words.
pub(crate) fn lit(text: &str) -> Value {
    if let Ok(quantity) = text.parse() {
        return match quantity {
            crate::Quantity::Size(size) => Value::Size(size),
            crate::Quantity::Duration(duration) => Value::Duration(duration),
        };
    }
    let cidr = text.parse().map(Value::Cidr).ok();
    let topology = || text.parse().map(Value::Topology).ok();
    cidr.or_else(topology).unwrap_or_else(|| Value::str(text))
}

pub(crate) fn range(from: i64, to: i64) -> Value {
    Value::Range(Range(from, to))
}

pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items, nowhere())
}

pub(crate) fn record(entries: &[(&str, Value)]) -> Value {
    Value::record(entries.iter().cloned(), nowhere())
}

pub(crate) fn variant(name: &str, entries: &[(&str, Value)]) -> Value {
    match record(entries) {
        Value::Record(record) => Value::Variant(name.into(), record),
        other => other,
    }
}

pub(crate) fn mount(source: Value, path: &str) -> Value {
    let entries = [
        ("source", source),
        ("path", path.into()),
        ("read_only", false.into()),
        ("use", "data".into()),
    ];
    variant("mount", &entries)
}

pub(crate) fn torchrun() -> Value {
    variant(
        "torchrun",
        &[("script", "train.py".into()), ("args", record(&[])), ("module", false.into())],
    )
}

pub(crate) fn python() -> Value {
    variant(
        "python",
        &[("script", "train.py".into()), ("args", record(&[])), ("module", false.into())],
    )
}

impl Blueprint {
    pub(crate) fn new() -> Self {
        Self { nouns: Vec::new(), catalog: Catalog::builtin().clone() }
    }

    fn push(
        &mut self,
        kind: &'static str,
        path: &str,
        parent: Option<Made>,
        body: Body,
        fields: Placed,
    ) -> Made {
        let id = NounId(self.nouns.len() as u32);
        let Value::Record(fields) = fields.value else { panic!("fields are a record") };
        self.nouns.push(Noun {
            id,
            name: path.rsplit('.').next().unwrap_or(path).to_owned(),
            path: path.to_owned(),
            parent: parent.map(|parent| parent.id),
            existing: false,
            doc: None,
            span: at(id.0 as usize, 0),
            origin: format!("{kind} {path}"),
            body,
            fields,
            patches: Vec::new(),
            allowed: Vec::new(),
        });
        Made { id, kind }
    }

    fn add(
        &mut self,
        (kind, platform): (&'static str, Option<&'static str>),
        path: &str,
        parent: Option<Made>,
        defaults: &[(&str, Value)],
        fields: &[(&str, Value)],
    ) -> Made {
        let number = self.nouns.len();
        let mut all: crate::Record = Default::default();
        for (name, value) in defaults.iter().chain(fields) {
            let span = at(number, 1 + all.get_index_of(*name).unwrap_or(all.len()));
            all.insert(Arc::from(*name), Placed { value: value.clone(), span });
        }
        // As in evaluation: an optional field that is not set is not in the record.
        all.retain(|_, field| field.value != Value::Absent);
        let fields = Placed { value: Value::Record(Arc::new(all)), span: at(number, 0) };
        let body =
            Body::lower(kind, platform, &fields).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.push(kind, path, parent, body, fields)
    }

    pub(crate) fn broken(&mut self, kind: &'static str, path: &str) -> Made {
        let fields = Placed { value: record(&[]), span: nowhere() };
        self.push(kind, path, None, Body::Broken { kind, platform: None }, fields)
    }

    pub(crate) fn existing(&mut self, noun: Made) {
        self.nouns[noun.id.0 as usize].existing = true;
    }

    pub(crate) fn network(&mut self, path: &str, fields: &[(&str, Value)]) -> Made {
        let defaults = [
            ("region", "us-east4".into()),
            ("subnet", lit("10.0.0.0/20")),
            ("pods", lit("10.64.0.0/14")),
            ("services", lit("10.4.0.0/20")),
            ("accelerators", lit("192.168.0.0/16")),
            ("mtu", 8896.into()),
            ("nat", true.into()),
            ("flow_logs", true.into()),
        ];
        self.add(("network", None), path, None, &defaults, fields)
    }

    pub(crate) fn bucket(&mut self, path: &str, fields: &[(&str, Value)]) -> Made {
        let defaults = [
            ("location", "us-east4".into()),
            ("name", Value::Auto),
            ("hierarchical", false.into()),
            ("versioning", false.into()),
            ("soft_delete", lit("7d")),
            ("access", "write".into()),
            ("force_destroy", false.into()),
            ("labels", record(&[])),
        ];
        self.add(("bucket", None), path, None, &defaults, fields)
    }

    pub(crate) fn filesystem(&mut self, path: &str, storage: Value, network: Made) -> Made {
        let defaults = [
            ("storage", storage),
            ("network", network.get()),
            ("share", "home".into()),
            ("deletion_protection", true.into()),
            ("labels", record(&[])),
        ];
        self.add(("filesystem", None), path, None, &defaults, &[])
    }

    pub(crate) fn registry(&mut self, path: &str) -> Made {
        let defaults = [
            ("location", "us-east4".into()),
            ("name", Value::Auto),
            ("keep", 20.into()),
            ("labels", record(&[])),
        ];
        self.add(("registry", None), path, None, &defaults, &[])
    }

    pub(crate) fn identity(&mut self, path: &str) -> Made {
        self.add(
            ("identity", None),
            path,
            None,
            &[("account", Value::Auto), ("roles", list([]))],
            &[],
        )
    }

    pub(crate) fn dashboard(&mut self, path: &str) -> Made {
        let defaults =
            [("region", "us-east4".into()), ("title", Value::Auto), ("labels", record(&[]))];
        self.add(("dashboard", None), path, None, &defaults, &[])
    }

    pub(crate) fn image(&mut self, path: &str, fields: &[(&str, Value)]) -> Made {
        let defaults = [
            ("from", "nvcr.io/nvidia/nemo:24.07".into()),
            ("system_packages", list([])),
            ("packages", list([])),
            ("run", list([])),
            ("copy", record(&[])),
            ("env", record(&[])),
            ("tag", "v1".into()),
            ("platform", "amd64".into()),
        ];
        self.add(("image", None), path, None, &defaults, fields)
    }

    pub(crate) fn gke(&mut self, path: &str, network: Made, fields: &[(&str, Value)]) -> Made {
        let defaults = [
            ("network", network.get()),
            ("location", Value::Auto),
            ("zone", "us-east4-a".into()),
            ("name", Value::Auto),
            ("authorized", record(&[])),
            ("private_endpoint", true.into()),
            ("dns_endpoint", Value::Auto),
            ("release", "regular".into()),
            ("deletion_protection", true.into()),
            ("system_machine", "e2-standard-8".into()),
            ("namespace", "default".into()),
            ("labels", record(&[])),
        ];
        self.add(("cluster", Some("gke")), path, None, &defaults, fields)
    }

    pub(crate) fn pool(
        &mut self,
        path: &str,
        cluster: Made,
        machine: &str,
        fields: &[(&str, Value)],
    ) -> Made {
        let defaults = [
            ("machine", machine.into()),
            ("nodes", Value::Auto),
            ("slices", 1.into()),
            ("capacity", variant("on_demand", &[])),
            ("placement", Value::Auto),
            ("zone", Value::Auto),
            ("driver", "latest".into()),
            ("disk", lit("200GiB")),
            ("disk_type", Value::Auto),
            ("local_ssd", Value::Auto),
            ("autoscale", false.into()),
            ("max_pods", 110.into()),
            ("labels", record(&[])),
        ];
        self.add(("pool", None), path, Some(cluster), &defaults, fields)
    }

    pub(crate) fn queue(
        &mut self,
        path: &str,
        cluster: Made,
        pools: &[Made],
        fields: &[(&str, Value)],
    ) -> Made {
        let defaults = [
            ("pools", list(pools.iter().map(|pool| pool.get()))),
            ("namespaces", list(["team-a".into(), "team-b".into()])),
            ("quota", Value::Auto),
            ("preemption", true.into()),
            ("priorities", record(&[])),
        ];
        self.add(("queue", None), path, Some(cluster), &defaults, fields)
    }

    pub(crate) fn slurm(&mut self, path: &str) -> Made {
        let defaults = [
            ("name", Value::Auto),
            ("controllers", list(["head1".into()])),
            ("release", "23.11".into()),
            ("mpi", "pmix".into()),
            ("shared", "/shared".into()),
            ("requeue", true.into()),
            ("user", "slurm".into()),
        ];
        self.add(("cluster", Some("slurm")), path, None, &defaults, &[])
    }

    pub(crate) fn partition(
        &mut self,
        path: &str,
        cluster: Made,
        nodes: i64,
        fields: &[(&str, Value)],
    ) -> Made {
        let defaults = [
            ("machine", "hgx-h100".into()),
            ("nodes", nodes.into()),
            ("hosts", Value::Auto),
            ("switch_nodes", Value::Auto),
            ("default", true.into()),
            ("tier", 1.into()),
            ("exclusive", true.into()),
        ];
        self.add(("partition", None), path, Some(cluster), &defaults, fields)
    }

    pub(crate) fn vertex(&mut self, path: &str, machine: &str, fields: &[(&str, Value)]) -> Made {
        let defaults = [
            ("region", "us-east4".into()),
            ("machine", machine.into()),
            ("capacity", variant("on_demand", &[])),
            ("disk", lit("500GiB")),
            ("disk_type", Value::Auto),
            ("labels", record(&[])),
        ];
        self.add(("cluster", Some("vertex")), path, None, &defaults, fields)
    }

    pub(crate) fn workload(&mut self, path: &str, place: Made, fields: &[(&str, Value)]) -> Made {
        let degrees = [
            ("tensor", 1.into()),
            ("pipeline", 1.into()),
            ("context", 1.into()),
            ("expert", 1.into()),
        ];
        let defaults = [
            ("place", place.get()),
            ("image", "nvcr.io/nvidia/nemo:24.07".into()),
            ("nodes", Value::Auto),
            ("slices", 1.into()),
            ("launch", torchrun()),
            ("parallel", record(&degrees)),
            ("mounts", list([])),
            ("env", record(&[])),
            ("restarts", 0.into()),
            ("test", false.into()),
            ("grace", Value::Auto),
            ("queue", Value::Auto),
            ("namespace", Value::Auto),
            ("shared_memory", Value::Auto),
            ("name", Value::Auto),
            ("fabric", Value::Auto),
            ("labels", record(&[])),
        ];
        self.add(("workload", None), path, None, &defaults, fields)
    }

    pub(crate) fn side_job(
        &mut self,
        path: &str,
        workload: Made,
        pool: Made,
        fields: &[(&str, Value)],
    ) -> Made {
        let defaults = [
            ("pool", pool.get()),
            ("image", "uploader:v1".into()),
            ("launch", python()),
            ("env", record(&[])),
            ("mounts", list([])),
            ("cpus", 1.into()),
            ("memory", lit("2GiB")),
        ];
        self.add(("side_job", None), path, Some(workload), &defaults, fields)
    }

    pub(crate) fn model(self) -> Model {
        Model {
            nouns: self.nouns,
            project: Some("acme-train".into()),
            name: "train".into(),
            environment: "dev".into(),
            catalog: Arc::new(self.catalog),
        }
    }

    pub(crate) fn plan(self) -> Plan {
        Plan::new(self.model())
    }
}

/// A fact as text; `-` where it does not follow.
pub(crate) fn shown(plan: &Plan, noun: Made, name: &str) -> String {
    facts(plan, noun.id, name).map_or_else(|| "-".to_owned(), |value| value.to_string())
}
