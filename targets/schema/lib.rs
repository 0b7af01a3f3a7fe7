//! What the consumers accept: field names, types, enumerations and what is required, for Kubernetes objects, Vertex AI
//! jobs, Terraform resources and modules of Cluster Toolkit, and the options of sbatch.
//!
//! A user's `patch` block is checked with [`Shape::check_patch`] and applied with [`Shape::merge`] (or, for Terraform,
//! [`Shape::merge_body`]); [`Shape::check`] holds our own output to the same shapes. The
//! shapes are derived from the consumers' schemas by `generate.py`; they carry defaults, but no descriptions, patterns or ranges, and
//! they do not replace the consumers' own validation.
//!
//! # How a patch is merged
//!
//! - Records and mappings merge by key; what the patch does not name stays. A `null` removes an entry.
//! - A list whose items are told apart by a field (`containers`, `env`, `volumes`, `replicatedJobs` by `name`,
//!   `volumeMounts` by `mountPath`, `ports` by `containerPort` and `protocol`) merges item by item: an item with
//!   the same key is merged, any other is added at the end. Which lists those are comes from the consumer's schema
//!   (list type `map`, patch merge keys); where it is silent, items that require a `name` are told apart by it.
//! - Every other list (`command`, `args`, `tolerations`) and every scalar is replaced.
//! - Terraform: an attribute is replaced, but mappings (`labels`) merge by key; a block that may occur once is merged,
//!   blocks that may occur several times are replaced by those of the patch.

mod check;
mod library;
mod merge;
mod overrule;
mod pages;
pub mod sbatch;
mod sbatch_values;
pub mod slurm_conf;
mod terraform;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use library::{Kind, Library, Root};
pub use overrule::{Met, Overruled, tree};

/// What one kind of document may hold.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    library: &'static Library,
    root: &'static Root,
}

/// A step from a document's root to a value inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field, key, attribute or block.
    Key(String),
    /// An item of a list, or one of several blocks; counted from 0.
    Index(usize),
}

/// Where a document departs from its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    /// The steps to the value, or to the field that should not be there; empty for the document.
    pub path: Vec<Step>,
    /// What is wrong, as a user is told: lower case but for names, no final period.
    pub message: String,
    /// The known name that was probably meant.
    pub nearest: Option<String>,
    /// The shape has no such field; otherwise its value is wrong.
    pub unknown: bool,
}

/// A document that code patches or asks for by its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Document {
    /// What runs a workload on Kubernetes.
    JobSet,
    /// What admits workloads.
    ClusterQueue,
    /// The nodes that a queue knows.
    ResourceFlavor,
    /// What runs a workload on Vertex AI.
    CustomJob,
    /// What tunes one there.
    TuningJob,
    /// What keeps the model of one there.
    TrainingPipeline,
}

impl Document {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::JobSet,
        Self::ClusterQueue,
        Self::ResourceFlavor,
        Self::CustomJob,
        Self::TuningJob,
        Self::TrainingPipeline,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::JobSet => "jobset",
            Self::ClusterQueue => "clusterqueue",
            Self::ResourceFlavor => "resourceflavor",
            Self::CustomJob => "customjob",
            Self::TuningJob => "hyperparametertuningjob",
            Self::TrainingPipeline => "trainingpipeline",
        }
    }
}

impl Shape {
    /// The shape of a document.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test asks for the shape of each")]
    pub fn document(document: Document) -> Self {
        Self::of(document.name()).expect("a shape that is part of the compiler")
    }

    /// The shape of a Kubernetes kind (`jobset`, `job`, `clusterqueue` ...), of a Vertex AI `customjob`, of a module of Cluster
    /// Toolkit (`node_set`, `tpu_node_set`, `slurm_partition`, `controller`, `login`), of `slurm_conf`, `cgroup_conf`, `partition_line` and `node_line`, or of a Terraform resource (`google_container_cluster`). Case and `_` do not matter but in Terraform's names.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        if let Some(shape) = Self::of_resource(name) {
            return Some(shape);
        }
        let plain: String =
            name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
        let others =
            [library::kubernetes(), library::vertex(), library::toolkit(), library::slurm()];
        others.into_iter().find_map(|library| {
            library.roots.get(plain.as_str()).map(|root| Self { library, root })
        })
    }

    /// The shape of a Terraform resource. Of all others nothing is read.
    #[must_use]
    pub fn of_resource(name: &str) -> Option<Self> {
        let library = library::terraform();
        library.roots.get(name).map(|root| Self { library, root })
    }

    /// Whether a document of this shape may say `field`; what only the provider sets, it may not.
    #[must_use]
    pub fn takes(&self, field: &str) -> bool {
        let Kind::Record(record) = &self.root.kind else { return false };
        let field = self.library.record(record).and_then(|record| record.field(field));
        field.is_some_and(|field| !field.computed)
    }

    /// What may stand at a path of keys: the fields there, or the words of a value. Items of lists are gone into.
    #[must_use]
    pub fn at(&self, path: &[String]) -> Inside {
        let mut kind = item_of(&self.root.kind);
        for key in path {
            let next = match kind {
                Kind::Record(record) | Kind::Blocks { record, .. } => {
                    let record = self.library.record(record);
                    record.and_then(|it| it.field(key)).map(|field| &field.kind)
                }
                Kind::Map(value) => Some(&**value),
                _ => None,
            };
            let Some(next) = next else { return Inside::default() };
            kind = item_of(next);
        }
        match kind {
            Kind::Record(record) | Kind::Blocks { record, .. } => {
                let fields = self.library.record(record).map(library::Record::fields);
                let known = fields.unwrap_or_default().iter().filter(|field| !field.computed);
                let fields = known.map(|field| InsideField {
                    name: field.name.into(),
                    kind: check::described(&field.kind),
                    required: field.required,
                    default: field.default,
                    holds_fields: holds_fields(&field.kind),
                });
                Inside { fields: fields.collect(), ..Inside::default() }
            }
            Kind::Enum(words) => Inside { words: words.clone(), ..Inside::default() },
            Kind::Map(value) => {
                Inside { under_each_key: Some(check::described(value)), ..Inside::default() }
            }
            _ => Inside::default(),
        }
    }

    /// Whether another value at a path of names makes another resource, as the provider declares it: of a block, whether one more or
    /// one less does. `None` where the shape has no such path.
    #[must_use]
    pub fn replaces(&self, path: &[&str]) -> Option<bool> {
        self.found(path).map(|field| field.is_some_and(|field| field.replaces))
    }

    /// Whether what there is stays where nothing is said any more, as the provider declares it of what it fills in itself.
    #[must_use]
    pub fn keeps(&self, path: &[&str]) -> bool {
        self.found(path).flatten().is_some_and(|field| field.kept)
    }

    /// Whether what stands at a path of names is a list whose order means nothing.
    #[must_use]
    pub fn is_set(&self, path: &[&str]) -> bool {
        self.found(path).flatten().is_some_and(|field| field.is_set)
    }

    /// The last field on a path of names; `None` where the shape has no such path.
    fn found(&self, path: &[&str]) -> Option<Option<&library::Field>> {
        let mut kind = item_of(&self.root.kind);
        let mut last = None;
        for name in path {
            match kind {
                Kind::Record(record) | Kind::Blocks { record, .. } => {
                    let field = self.library.record(record)?.field(name)?;
                    last = Some(field);
                    kind = item_of(&field.kind);
                }
                Kind::Map(value) => kind = item_of(value),
                Kind::Any => return Some(last),
                _ => return None,
            }
        }
        Some(last)
    }

    /// Every name that [`Shape::of`] knows, sorted within each consumer.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let all = [
            library::kubernetes(),
            library::vertex(),
            library::terraform(),
            library::toolkit(),
            library::slurm(),
        ];
        all.into_iter().flat_map(|library| library.roots.keys().copied())
    }

    /// What the document is called: `JobSet`, `google_container_cluster`.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.root.title
    }
}

/// What may stand at a place of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// The fields of a record, sorted by name; without those that only the provider sets.
    pub fields: Vec<InsideField>,
    /// The words that a value may be.
    pub words: Vec<&'static str>,
    /// What stands under the keys of a mapping, which are anybody's.
    pub under_each_key: Option<&'static str>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsideField {
    /// Its name, as a blueprint writes it.
    pub name: Cow<'static, str>,
    /// What its value is, as messages say it.
    pub kind: &'static str,
    /// A document without it is refused.
    pub required: bool,
    /// What the consumer takes where it is left out, if its schema says so.
    pub default: Option<&'static str>,
    /// Its value has fields of its own: a record, or a list of them.
    pub holds_fields: bool,
}

/// What a list holds, at the end; anything else itself.
fn item_of(kind: &Kind) -> &Kind {
    match kind {
        Kind::List(item, _) => item_of(item),
        other => other,
    }
}

fn holds_fields(kind: &Kind) -> bool {
    match kind {
        Kind::Record(_) | Kind::Blocks { .. } | Kind::Map(_) => true,
        Kind::List(item, _) => holds_fields(item),
        _ => false,
    }
}

/// A path as a user reads it: `spec.replicatedJobs[0].name`, keys with odd characters in quotes.
pub struct Path<'a>(pub &'a [Step]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(item) => write!(f, "[{item}]")?,
                Step::Key(key) if plain(key) => {
                    let dot = if index > 0 { "." } else { "" };
                    write!(f, "{dot}{key}")?;
                }
                Step::Key(key) => write!(f, "[{key:?}]")?,
            }
        }
        Ok(())
    }
}

fn plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}
