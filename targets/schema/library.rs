//! The files of shapes, read on first use. Their format is described in `generate.py`, which writes them.

use crate::slurm_conf::{FILES, SlurmFile, SlurmSetting};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// About as many as a library has.
const RECORDS: usize = 300;

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Str,
    Bool,
    Int,
    Number,
    /// A number or text with a unit: `8`, `80Gi`.
    Quantity,
    IntOrStr,
    Any,
    Enum(Vec<&'static str>),
    /// Items, and the fields by which they are told apart.
    List(Box<Kind>, Vec<&'static str>),
    Map(Box<Kind>),
    /// The name of a record.
    Record(&'static str),
    /// Terraform blocks.
    Blocks {
        least: usize,
        most: Option<usize>,
        record: &'static str,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) required: bool,
    /// Only the provider sets it.
    pub(super) computed: bool,
    /// Another value makes another resource.
    pub(super) replaces: bool,
    /// Where nothing is said, what there is stays.
    pub(super) kept: bool,
    /// A list whose order means nothing.
    pub(super) is_set: bool,
    /// What the consumer takes where it is left out, if its schema says so.
    pub(super) default: Option<&'static str>,
    pub(super) kind: Kind,
}

/// A record, read when it is asked for: a document is held to few of them.
#[derive(Debug)]
pub(super) struct Record {
    line: &'static str,
    fields: OnceLock<Vec<Field>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Root {
    /// What the document is called: `JobSet`.
    pub(super) title: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug, Default)]
pub(super) struct Library {
    /// The release that it is of, as its first line ends.
    pub(super) version: &'static str,
    /// Whether the consumer turns strings, numbers and booleans into each other, as Terraform does.
    pub(super) converts: bool,
    pub(super) roots: BTreeMap<&'static str, Root>,
    /// Sorted by name.
    pub(super) records: Vec<(&'static str, Record)>,
}

impl Record {
    /// Sorted by name.
    pub(super) fn fields(&self) -> &[Field] {
        self.fields.get_or_init(|| self.line.split(' ').filter_map(field).collect())
    }

    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        let fields = self.fields();
        let place = fields.binary_search_by(|field| field.name.cmp(name)).ok()?;
        fields.get(place)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.fields().iter().filter(|field| !field.computed).map(|field| field.name)
    }
}

impl Library {
    pub(super) fn record(&self, name: &str) -> Option<&Record> {
        let place = self.records.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.records.get(place).map(|(_, record)| record)
    }

    fn parse(text: &'static str) -> Self {
        let mut library = Self::default();
        library.records.reserve(RECORDS);
        for line in text.lines() {
            let (name, line) = line.split_once(' ').unwrap_or((line, ""));
            match name {
                "#" => library.version = line.rsplit(' ').next().unwrap_or_default(),
                ">" => {
                    let mut words = line.split(' ');
                    if let (Some(key), Some(title), Some(kind)) =
                        (words.next(), words.next(), words.next())
                    {
                        library.roots.insert(key, Root { title, kind: kind_of(kind) });
                    }
                }
                _ => {
                    library.records.push((name, Record { line, fields: OnceLock::new() }));
                }
            }
        }
        library.records.sort_unstable_by_key(|(name, _)| *name);
        library
    }
}

pub(super) fn kubernetes() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::parse(include_str!("kubernetes.shapes")))
}

pub(super) fn vertex() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::parse(include_str!("vertex.shapes")))
}

pub(super) fn terraform() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library {
        converts: true,
        ..Library::parse(include_str!("terraform.shapes"))
    })
}

pub(super) fn toolkit() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library {
        converts: true,
        ..Library::parse(include_str!("toolkit.shapes"))
    })
}

/// The settings of Slurm's files, which are no trees.
pub(super) fn slurm() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let field = |it: SlurmSetting| Field {
            name: it.name,
            required: false,
            computed: false,
            replaces: false,
            kept: false,
            is_set: false,
            default: None,
            kind: kind_of(it.kind),
        };
        let record = |file: SlurmFile| {
            let mut fields: Vec<Field> = file.settings().map(field).collect();
            fields.sort_unstable_by_key(|field| field.name);
            (file.name, Record { line: "", fields: OnceLock::from(fields) })
        };
        let root =
            |file: SlurmFile| (file.key, Root { title: file.name, kind: Kind::Record(file.name) });
        let mut records = Vec::from(FILES.map(record));
        records.sort_unstable_by_key(|(name, _)| *name);
        Library {
            converts: true,
            roots: FILES.into_iter().map(root).collect(),
            records,
            ..Library::default()
        }
    })
}

fn field(word: &'static str) -> Option<Field> {
    let (name, kind) = word.split_once(':')?;
    let (kind, default) = kind.split_once('~').map_or((kind, None), |(kind, it)| (kind, Some(it)));
    let required = name.ends_with('!');
    let computed = name.ends_with('-');
    let name = name.trim_end_matches(['!', '-']);
    let kept = name.ends_with('+');
    let name = name.trim_end_matches('+');
    let replaces = name.ends_with('^');
    Some(Field {
        name: name.trim_end_matches('^'),
        required,
        computed,
        replaces,
        kept,
        is_set: kind.starts_with("[="),
        default,
        kind: kind_of(kind),
    })
}

fn kind_of(text: &'static str) -> Kind {
    match text {
        "s" => return Kind::Str,
        "b" => return Kind::Bool,
        "i" => return Kind::Int,
        "n" => return Kind::Number,
        "q" => return Kind::Quantity,
        "x" => return Kind::IntOrStr,
        "*" => return Kind::Any,
        _ => {}
    }
    if let Some(values) = inside(text, '(', ')') {
        return Kind::Enum(values.split('|').collect());
    }
    if let Some(inner) = inside(text, '[', ']') {
        let (keys, inner) = keyed(inner.trim_start_matches('='));
        return Kind::List(Box::new(kind_of(inner)), keys);
    }
    if let Some(inner) = inside(text, '{', '}') {
        return Kind::Map(Box::new(kind_of(inner)));
    }
    if let Some(inner) = inside(text, '<', '>') {
        return blocks(inner);
    }
    Kind::Record(text)
}

fn inside(text: &'static str, open: char, close: char) -> Option<&'static str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// What stands for the key of a list whose items are told apart by their places.
pub(super) const PLACE: &str = "#";

/// `name|TYPE`; a bar within an enumeration is none of the list's.
fn keyed(inner: &'static str) -> (Vec<&'static str>, &'static str) {
    match inner.split_once('|') {
        Some((keys, rest)) if !keys.contains(['(', '[', '{']) => (keys.split(',').collect(), rest),
        _ => (Vec::new(), inner),
    }
}

fn blocks(inner: &'static str) -> Kind {
    let (range, record) = inner.split_once('|').unwrap_or(("0,", inner));
    let (least, most) = range.split_once(',').unwrap_or((range, ""));
    Kind::Blocks { least: least.parse().unwrap_or(0), most: most.parse().ok(), record }
}
