//! Values that exist only after `terraform apply`: who knows them, and under which name they are handed on.

use crate::nouns::{GkeCluster, Kind, Machines};
use crate::plan::Plan;
use crate::{Deferred, Noun, NounId};
use std::sync::Arc;

/// A value that exists only once Terraform has made something.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Later {
    /// The Terraform output that holds it: the noun's path, `_` and the field, with everything but lower-case letters,
    /// digits and `_` turned into `_`. `home.address` becomes `home_address`.
    pub output: String,
    /// The root that has the output.
    pub root: Root,
    /// The noun whose value it is.
    pub noun: NounId,
    /// Its derived field: `address`, `endpoint`, `resource`, `template`.
    pub field: Arc<str>,
    /// It is kept out of logs.
    pub sensitive: bool,
}

/// What is made, and known, together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Root {
    /// What outlives clusters; also looks up what exists already.
    Foundation,
    /// A GKE cluster, by its name in the cloud.
    Cluster(String),
    /// Plain machines, by their name in the cloud.
    Machines(String),
}

impl Later {
    pub(super) fn of(plan: &Plan, value: &Deferred) -> Self {
        let noun = plan.model.get(value.noun);
        Self {
            output: spelled(noun.map_or("", |noun| noun.outside.path.as_str()), &value.field),
            root: noun.and_then(|noun| Root::of(plan, noun)).unwrap_or(Root::Foundation),
            noun: value.noun,
            field: value.field.clone(),
            sensitive: &*value.field == "endpoint",
        }
    }
}

impl Root {
    /// The root of a noun that has one of its own where it is made.
    fn of(plan: &Plan, noun: &Noun) -> Option<Self> {
        let name = plan.name(noun.id).filter(|_| !noun.existing)?;
        let cluster = GkeCluster::of(&noun.body).map(|_| Self::Cluster(name.clone()));
        cluster.or_else(|| Machines::of(&noun.body).map(|_| Self::Machines(name.clone())))
    }
}

fn spelled(path: &str, field: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    format!("{path}_{field}").chars().map(|c| if plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn the_name_has_only_what_terraform_and_shells_take() {
        assert_eq!(spelled("a3m", "endpoint"), "a3m_endpoint");
        assert_eq!(spelled("c[\"us-east4-a\"]", "endpoint"), "c__us_east4_a___endpoint");
    }
}
