//! The whole blueprint as typed nouns over one catalog.

use crate::catalog::Catalog;
use crate::nouns::{Body, Kind, Ref};
use crate::plan::Quota;
use crate::{Record, Value};
use slipform_source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

/// A noun of a [`Model`], by its index there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Deserialize)]
#[serde(rename = "$noun")]
pub struct NounId(pub u32);

/// What a blueprint says, checked and typed.
#[derive(Clone, Debug)]
pub struct Model {
    /// Every noun; parents before children, otherwise in the order of the blueprint.
    pub nouns: Nouns,
    /// The project of everything that is made.
    pub project: Option<String>,
    /// The name of the blueprint: of its project file, or of the file itself.
    pub name: String,
    /// The environment that it is built for.
    pub environment: String,
    /// Labels of everything that is made on Google Cloud, besides those of nouns.
    pub labels: BTreeMap<String, String>,
    /// What stands before names of what is made on Google Cloud, where the blueprint does not say them.
    pub prefix: Option<String>,
    /// APIs that the project has on besides those that something needs.
    pub apis: BTreeSet<String>,
    /// What the project has of quotas, where that is known.
    pub quotas: BTreeMap<Quota, u64>,
    /// The facts that it was checked against.
    pub catalog: Arc<Catalog>,
}

/// The nouns of a blueprint, and which of them are of a kind: a fleet has ten thousand of one, and few of any other.
#[derive(Clone, Debug)]
pub struct Nouns {
    all: Vec<Noun>,
    of_kinds: BTreeMap<(&'static str, Option<&'static str>), Vec<NounId>>,
}

impl Nouns {
    /// These, in the order of the blueprint.
    pub fn new(all: Vec<Noun>) -> Self {
        let mut of_kinds: BTreeMap<_, Vec<NounId>> = BTreeMap::new();
        for noun in &all {
            of_kinds.entry((noun.body.kind(), noun.body.platform())).or_default().push(noun.id);
        }
        Self { all, of_kinds }
    }

    /// Those of a kind that could be understood, in the order of the blueprint.
    pub fn of_kind<K: Kind>(&self) -> impl Iterator<Item = (&Noun, &K)> {
        let of_kind = self.of_kinds.get(&K::KIND).into_iter().flatten();
        let nouns = of_kind.filter_map(|id| self.all.get(id.0 as usize));
        nouns.filter_map(|noun| Some((noun, K::of(&noun.body)?)))
    }
}

impl Deref for Nouns {
    type Target = [Noun];

    fn deref(&self) -> &[Noun] {
        &self.all
    }
}

impl<'a> IntoIterator for &'a Nouns {
    type Item = &'a Noun;
    type IntoIter = std::slice::Iter<'a, Noun>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

/// One noun.
#[derive(Clone, Debug)]
pub struct Noun {
    /// Its index.
    pub id: NounId,
    /// As the blueprint refers to it: `a3m.gpus`, `a3m.slice[0]`. For people who read the blueprint; nothing that is
    /// rendered follows from it.
    pub path: String,
    /// What everything else calls it.
    pub outside: Outside,
    /// The noun that it is declared in.
    pub parent: Option<NounId>,
    /// Someone else owns it.
    pub existing: bool,
    /// Its documentation.
    pub doc: Option<String>,
    /// Its header in the blueprint.
    pub span: Span,
    /// The header of its own declaration, which is inside of the component where it came out of one.
    pub declared: Span,
    /// How the blueprint declares it, for comments in artifacts: `cluster a3m, pool gpus`. What came out of a component
    /// begins with the component's use.
    pub origin: String,
    /// What it says, typed.
    pub body: Body,
    /// What it says, as written; a field that is left out may be missing: for rules and editors.
    pub fields: Arc<Record>,
    /// `patch` blocks, in order.
    pub patches: Vec<Patch>,
    /// Rules that may be broken here.
    pub allowed: Vec<(String, Span)>,
}

/// What a noun is called outside of the blueprint: clouds, states, objects and folders know it so. It follows from the noun's own
/// name until the noun says `was`, and stays as it is when the noun gets another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outside {
    /// Its name with the keys of the rounds it was declared in: `gpus`, `slice-0`, `c-us-east4-a`.
    /// Unique among its siblings; letters, digits, `_` and `-`.
    pub name: String,
    /// As the blueprint referred to it under that name: `a3m.gpus`, `a3m.slice[0]`.
    pub path: String,
}

/// A `patch` block: the way out of an abstraction.
#[derive(Clone, PartialEq, Debug)]
pub struct Patch {
    /// The document that it patches: `jobset`, `sbatch`, `custom_job`, `node_pool` ...
    pub target: String,
    /// Where its name stands.
    pub span: Span,
    /// A record of what is merged in.
    pub value: Value,
    /// Where the keys of its records stand, by where their values do.
    pub keys: BTreeMap<Span, Span>,
}

impl Noun {
    /// Its kind, without its platform.
    pub fn kind(&self) -> &'static str {
        self.body.kind()
    }

    /// What it is called outside, where that is another name than the blueprint's: `was` says so, of it or of the component that it
    /// comes out of.
    pub fn former(&self, model: &Model) -> Option<&str> {
        let parent = self.parent.and_then(|id| model.get(id));
        let own = |path: &'_ str, around: Option<&str>| {
            around.map_or(0, |around| around.len() + 1).min(path.len())
        };
        let now = self.path.get(own(&self.path, parent.map(|it| it.path.as_str()))..)?;
        let around = parent.map(|it| it.outside.path.as_str());
        let then = self.outside.path.get(own(&self.outside.path, around)..)?;
        (now != then).then_some(then)
    }

    /// A reference to it, where it is of this kind and could be understood.
    pub fn reference<K: Kind>(&self) -> Option<Ref<K>> {
        K::of(&self.body).map(|_| Ref::to(self.id))
    }
}

impl Model {
    /// What the noun behind a reference says, where it could be understood.
    pub fn body<K: Kind>(&self, to: Ref<K>) -> Option<&K> {
        K::of(&self.get(to)?.body)
    }

    /// A noun that this model holds. Ids come from the model itself, so `None` means a foreign id.
    pub fn get(&self, id: impl Into<NounId>) -> Option<&Noun> {
        self.nouns.get(id.into().0 as usize)
    }
}
