//! Quotas that a project says it has: `[quotas]` of its file.

use crate::eval::conform::has_the_form;
use crate::project::Project;
use crate::report::Reports;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use slipform_model::catalog::Catalog;
use slipform_model::plan::{EVERYWHERE, Quota, counted_quotas};
use slipform_model::{Diagnostic, nearest};
use slipform_source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

slipform_source::codes! {
    pub(crate) CODES;
    PROJECT_QUOTA = "project/quota":
        "`slipform.toml` tells of a quota that nothing is counted against",
        "write it as the page of quotas has it: `[quotas.us-east4]` has those of a region, `[quotas]` those of all";
}

/// What stands in `[quotas]`: a number, or names with what stands inside of them.
pub(crate) enum Entry {
    Number(u64),
    Inside(BTreeMap<toml::Spanned<String>, Entry>),
}

/// What the project file says, by the names on the way: `us-east4`, `GPUS_PER_GPU_FAMILY`, `NVIDIA_H100`.
pub(crate) type Said = BTreeMap<Vec<String>, (u64, Span)>;

impl Entry {
    /// Adds all numbers in it to what is said.
    pub(crate) fn tell(&self, file: FileId, way: &[String], at: Span, said: &mut Said) {
        match self {
            Self::Number(number) => {
                said.insert(way.to_vec(), (*number, at));
            }
            Self::Inside(entries) => {
                for (name, entry) in entries {
                    let at = Span::new(file, name.span().start, name.span().end);
                    let way = [way, std::slice::from_ref(name.get_ref())].concat();
                    entry.tell(file, &way, at, said);
                }
            }
        }
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Entry;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number of 0 or more, or a table of quotas")
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Entry, E> {
        let wrong = || E::invalid_value(serde::de::Unexpected::Signed(number), &self);
        u64::try_from(number).map(Entry::Number).map_err(|_| wrong())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((name, entry)) = map.next_entry()? {
            entries.insert(name, entry);
        }
        Ok(Entry::Inside(entries))
    }
}

/// Reports what nothing is counted against.
pub(crate) fn check(project: &Project, catalog: &Catalog, reports: &mut Reports) {
    if project.quotas.is_empty() {
        return;
    }
    let counted = counted_quotas(catalog);
    for (way, (_, at)) in &project.quotas {
        if let Err(why) = quota(way, &counted) {
            let report = Diagnostic::warning(PROJECT_QUOTA, why.message, *at);
            reports.add(why.help.into_iter().fold(report, Diagnostic::help));
        }
    }
}

/// What the project has of the quotas that something is counted against.
pub(crate) fn known(project: &Project, catalog: &Catalog) -> BTreeMap<Quota, u64> {
    if project.quotas.is_empty() {
        return BTreeMap::new();
    }
    let counted = counted_quotas(catalog);
    let known = project.quotas.iter();
    known.filter_map(|(way, (has, _))| Some((quota(way, &counted).ok()?, *has))).collect()
}

struct Why {
    message: String,
    help: Option<String>,
}

impl Why {
    fn new(message: String, help: impl Into<Option<String>>) -> Self {
        Self { message, help: help.into() }
    }
}

/// The quota that a way leads to.
fn quota(way: &[String], counted: &BTreeSet<Quota>) -> Result<Quota, Why> {
    let (region, name, dimension) = match way {
        [name] => (EVERYWHERE, name, None),
        [region, name] => (region.as_str(), name, None),
        [region, name, dimension] => (region.as_str(), name, Some(dimension.as_str())),
        _ => return Err(Why::new("a quota has no such parts".to_owned(), None)),
    };
    if region != EVERYWHERE && !has_the_form(region, "region") {
        let message = format!("`{region}` is no region, and the quota `{name}` stands in it");
        return Err(Why::new(message, "write `[quotas.us-east4]`".to_owned()));
    }
    let of_name = || counted.iter().filter(|it| it.name == *name);
    if of_name().next().is_none() {
        let near = nearest(name, counted.iter().map(|it| it.name.as_str()));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        return Err(Why::new(format!("nothing is counted against the quota `{name}`"), help));
    }
    if of_name().all(|it| (it.region == EVERYWHERE) != (region == EVERYWHERE)) {
        let (message, help) = match region {
            EVERYWHERE => {
                ("is one of a region", format!("write `[quotas.us-east4]` above `{name}`"))
            }
            _ => ("is one of all regions", format!("write `{name}` in `[quotas]`")),
        };
        return Err(Why::new(format!("the quota `{name}` {message}"), help));
    }
    let value = |it: &'_ Quota| {
        it.dimension.as_deref().and_then(|it| Some(it.split_once('=')?.1.to_owned()))
    };
    let found = of_name().find(|it| value(it).as_deref() == dimension);
    let Some(found) = found else {
        let known: Vec<String> = of_name().filter_map(value).collect();
        let said =
            dimension.map_or("without one".to_owned(), |it| format!("and none is called `{it}`"));
        let message = format!("the quota `{name}` is one of a family, {said}");
        return Err(match known.as_slice() {
            [] => {
                Why::new(format!("the quota `{name}` has no parts"), format!("write `{name} = 8`"))
            }
            known => Why::new(message, format!("its families are {}", known.join(", "))),
        });
    };
    Ok(Quota { region: region.to_owned(), ..found.clone() })
}
