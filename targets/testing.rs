//! Blueprints for the tests of targets, built without a text: nouns with the defaults of their kinds.

use slipform_model::catalog::Catalog;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;
use slipform_model::{Duration, Model, Noun, NounId, NounRef, Patch, Placed, Record, Size, Value};
use slipform_source::{FileId, Span};
use std::sync::Arc;

/// Fields of a noun, of a constructor or of a record.
pub(crate) type Fields<'a> = &'a [(&'a str, Value)];

/// A blueprint under construction. The noun at index `i` stands on line `i + 1` of `train.bp`.
pub(crate) struct Blueprint {
    pub(crate) model: Model,
    outputs: Vec<(String, Placed)>,
}

impl Blueprint {
    /// An empty blueprint of the project `my-project-1`.
    pub(crate) fn new() -> Self {
        let model = Model {
            nouns: Vec::new(),
            project: Some("my-project-1".into()),
            name: "train".into(),
            environment: "test".into(),
            catalog: Arc::new(Catalog::builtin().clone()),
        };
        Self { model, outputs: Vec::new() }
    }

    /// Declares a noun at the top: `noun("cluster on gke", "a3m", &[...])`; what is left out has its default.
    pub(crate) fn noun(&mut self, kind: &str, name: &str, fields: Fields<'_>) -> NounId {
        self.declare(None, kind, name, fields)
    }

    /// Declares a noun inside another.
    pub(crate) fn inside(
        &mut self,
        parent: NounId,
        kind: &str,
        name: &str,
        fields: Fields<'_>,
    ) -> NounId {
        self.declare(Some(parent), kind, name, fields)
    }

    /// Declares what someone else owns.
    pub(crate) fn existing(&mut self, kind: &str, name: &str, fields: Fields<'_>) -> NounId {
        let id = self.declare(None, kind, name, fields);
        self.at(id).existing = true;
        id
    }

    /// Adds a `patch` block to a noun; its fields stand behind each other, ten bytes apart.
    pub(crate) fn patch(&mut self, id: NounId, target: &str, value: Value) {
        let span = self.at(id).span;
        self.at(id).patches.push(Patch {
            target: target.into(),
            span,
            value,
            keys: Default::default(),
        });
    }

    /// Adds `output name = value`.
    pub(crate) fn output(&mut self, name: &str, value: Value) {
        let span = line(self.model.nouns.len());
        self.outputs.push((name.into(), Placed { value, span }));
    }

    /// A reference to a noun.
    pub(crate) fn to(&self, id: NounId) -> Value {
        let kind = self.model.get(id).map_or("", |noun| noun.body.kind());
        Value::Ref(NounRef { id, kind: kind.into() })
    }

    /// The noun, to be changed.
    pub(crate) fn at(&mut self, id: NounId) -> &mut Noun {
        &mut self.model.nouns[id.0 as usize]
    }

    /// Everything that follows.
    pub(crate) fn plan(self) -> Plan {
        Plan::new(self.model).giving(self.outputs)
    }

    fn declare(
        &mut self,
        parent: Option<NounId>,
        kind: &str,
        name: &str,
        fields: Fields<'_>,
    ) -> NounId {
        let index = self.model.nouns.len();
        let span = line(index);
        let mut record = fields_of(defaults(kind), span);
        record.extend(fields_of(fields.to_vec(), span));
        let (word, platform) =
            kind.split_once(" on ").map_or((kind, None), |(word, on)| (word, Some(on)));
        let fields = Placed { value: Value::Record(Arc::new(record)), span };
        let body = Body::lower(word, platform, &fields)
            .unwrap_or_else(|error| panic!("{kind} {name}: {error}"));
        let Value::Record(fields) = fields.value else { panic!("the fields of {name}") };
        let parent_noun = parent.and_then(|id| self.model.get(id));
        let above = parent_noun.map(|noun| format!("{}.", noun.path));
        let origin = match parent_noun {
            Some(noun) => format!("{}, {word} {name}", noun.origin),
            None => format!("{word} {name}"),
        };
        self.model.nouns.push(Noun {
            id: NounId(index as u32),
            name: name.into(),
            path: format!("{}{name}", above.unwrap_or_default()),
            parent,
            existing: false,
            doc: None,
            span,
            origin,
            body,
            fields,
            patches: Vec::new(),
            allowed: Vec::new(),
        });
        NounId(index as u32)
    }
}

/// The span of a line: 100 bytes each.
pub(crate) fn line(index: usize) -> Span {
    Span::new(FileId(0), index * 100, index * 100 + 99)
}

/// `10.0.0.0/20`
pub(crate) fn cidr(text: &str) -> Value {
    Value::Cidr(text.parse().unwrap())
}

/// A size in GiB.
pub(crate) fn gib(count: u64) -> Value {
    Value::Size(Size(count << 30))
}

/// A duration in seconds.
pub(crate) fn seconds(count: u64) -> Value {
    Value::Duration(Duration(count))
}

/// `4x4`
pub(crate) fn topology(text: &str) -> Value {
    Value::Topology(text.parse().unwrap())
}

/// `[...]`
pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::list(items, line(0))
}

/// `{ ... }`
pub(crate) fn record(fields: Fields<'_>) -> Value {
    Value::Record(Arc::new(fields_of(fields.to_vec(), line(0))))
}

/// `name(...)`
pub(crate) fn variant(name: &str, fields: Fields<'_>) -> Value {
    Value::Variant(name.into(), Arc::new(fields_of(fields.to_vec(), line(0))))
}

/// `source at "path"`
pub(crate) fn mount(source: Value, path: &str) -> Value {
    let fields = [
        ("source", source),
        ("path", path.into()),
        ("read_only", false.into()),
        ("use", "data".into()),
    ];
    variant("mount", &fields)
}

/// `python("train.py")`
pub(crate) fn python() -> Value {
    variant(
        "python",
        &[("script", "train.py".into()), ("args", record(&[])), ("module", false.into())],
    )
}

fn fields_of<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>, span: Span) -> Record {
    fields.into_iter().map(|(name, value)| (Arc::from(name), Placed { value, span })).collect()
}

/// What the kinds say where a blueprint says nothing.
fn defaults(kind: &str) -> Vec<(&'static str, Value)> {
    let empty = || record(&[]);
    let nothing = || list([]);
    match kind {
        "network" => vec![
            ("subnet", cidr("10.0.0.0/20")),
            ("accelerators", cidr("192.168.0.0/16")),
            ("mtu", 8896.into()),
            ("nat", true.into()),
            ("flow_logs", true.into()),
        ],
        "bucket" => vec![
            ("name", Value::Auto),
            ("hierarchical", false.into()),
            ("versioning", false.into()),
            ("soft_delete", seconds(7 * 86_400)),
            ("access", "write".into()),
            ("force_destroy", false.into()),
            ("labels", empty()),
        ],
        "filesystem" => vec![
            ("share", "home".into()),
            ("deletion_protection", true.into()),
            ("labels", empty()),
        ],
        "registry" => vec![("name", Value::Auto), ("keep", 20.into()), ("labels", empty())],
        "identity" => vec![
            ("account", Value::Auto),
            (
                "roles",
                list(["roles/logging.logWriter".into(), "roles/monitoring.metricWriter".into()]),
            ),
        ],
        "dashboard" => vec![("title", Value::Auto), ("labels", empty())],
        "image" => vec![
            ("system_packages", nothing()),
            ("packages", nothing()),
            ("run", nothing()),
            ("copy", empty()),
            ("env", empty()),
            ("tag", "v1".into()),
            ("platform", "amd64".into()),
        ],
        "cluster on gke" => vec![
            ("location", Value::Auto),
            ("name", Value::Auto),
            ("authorized", record(&[("internal", cidr("10.0.0.0/8"))])),
            ("private_endpoint", true.into()),
            ("dns_endpoint", Value::Auto),
            ("release", "regular".into()),
            ("deletion_protection", true.into()),
            ("system_machine", "e2-standard-8".into()),
            ("namespace", "default".into()),
            ("labels", empty()),
        ],
        "pool" => vec![
            ("nodes", Value::Auto),
            ("slices", 1.into()),
            ("capacity", Value::word("on_demand")),
            ("placement", Value::Auto),
            ("zone", Value::Auto),
            ("driver", "latest".into()),
            ("disk", gib(200)),
            ("disk_type", Value::Auto),
            ("local_ssd", Value::Auto),
            ("autoscale", false.into()),
            ("max_pods", 110.into()),
            ("labels", empty()),
        ],
        "queue" => vec![
            ("namespaces", list(["default".into()])),
            ("quota", Value::Auto),
            ("preemption", true.into()),
            ("priorities", record(&[("low", 250.into()), ("high", 750.into())])),
        ],
        "cluster on slurm" => vec![
            ("name", Value::Auto),
            ("controllers", list(["head1".into()])),
            ("release", "23.11".into()),
            ("mpi", "pmix".into()),
            ("shared", "/shared".into()),
            ("requeue", true.into()),
            ("user", "slurm".into()),
        ],
        "partition" => vec![
            ("hosts", Value::Auto),
            ("switch_nodes", Value::Auto),
            ("default", false.into()),
            ("tier", 1.into()),
            ("exclusive", true.into()),
        ],
        "cluster on vertex" => vec![
            ("capacity", Value::word("on_demand")),
            ("disk", gib(500)),
            ("disk_type", Value::Auto),
            ("labels", empty()),
        ],
        "workload" => vec![
            ("nodes", Value::Auto),
            ("slices", 1.into()),
            ("launch", python()),
            ("parallel", parallel()),
            ("mounts", nothing()),
            ("env", empty()),
            ("restarts", 0.into()),
            ("test", false.into()),
            ("grace", Value::Auto),
            ("queue", Value::Auto),
            ("namespace", Value::Auto),
            ("shared_memory", Value::Auto),
            ("name", Value::Auto),
            ("fabric", Value::Auto),
            ("labels", empty()),
        ],
        "side_job" => vec![
            ("launch", python()),
            ("env", empty()),
            ("mounts", nothing()),
            ("cpus", 1.into()),
            ("memory", gib(2)),
        ],
        other => panic!("no defaults for `{other}`"),
    }
}

fn parallel() -> Value {
    let one = |name| (name, Value::from(1));
    record(&[one("tensor"), one("pipeline"), one("context"), one("expert")])
}
