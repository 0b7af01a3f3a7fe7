//! What goes while its resource stays: objects that a rule deletes, and nodes of a pool that gets smaller.

use super::root::Instance;
use crate::Effect;
use crate::tree::{Detail, names};
use std::collections::{BTreeMap, BTreeSet};

/// What the change of a resource in place takes away.
pub(super) fn told(old: &Instance, new: &Instance, differs: &[Detail]) -> Option<(Effect, String)> {
    let differs = |fields: &[&str]| {
        let mut first = differs.iter().filter_map(|it| names(&it.path).first().copied());
        first.any(|name| fields.contains(&name))
    };
    match new.resource.as_str() {
        "google_storage_bucket" if differs(&["lifecycle_rule"]) => {
            let deletes = |it: &Instance| deleting(rules(it, "lifecycle_rule"));
            Some((Effect::DestroysData, deleted("objects", &deletes(old), &deletes(new))?))
        }
        "google_artifact_registry_repository"
            if differs(&["cleanup_policies", "cleanup_policy_dry_run"]) =>
        {
            Some((Effect::DestroysData, cleaned_up(old, new)?))
        }
        "google_container_node_pool" => {
            let fewer = differs(SIZES).then(|| smaller(old, new)).flatten();
            let why =
                fewer.or_else(|| (!evicting(new).is_subset(&evicting(old))).then_some(EVICTED));
            Some((Effect::Restarts, why?.to_owned()))
        }
        "google_compute_address" if differs(&["count"]) => {
            let count =
                |it: &Instance| it.flat.get("count").and_then(|count| count.parse::<u64>().ok());
            (count(new) < count(old)).then(|| (Effect::Restarts, CUT_OFF.to_owned()))
        }
        "google_compute_instance_group_manager" if differs(&["target_size"]) => {
            let size = |it: &Instance| it.flat.get("target_size")?.parse::<u64>().ok();
            let fewer = size(new)? < size(old)?;
            fewer.then(|| (Effect::DestroysData, MACHINES_END.to_owned()))
        }
        _ => None,
    }
}

/// What becomes of what a router's gateway has open through addresses that it has no more.
pub(super) const CUT_OFF: &str = "connections that are open through the addresses of before end";

/// GKE gives a taint to the nodes that there are (`UpdateNodePoolRequest.taints`), and Kubernetes evicts whoever does not tolerate it.
const EVICTED: &str =
    "its nodes get a taint that evicts: pods that do not tolerate it end at the apply";

/// Taints of a pool's nodes that end what runs there.
fn evicting(pool: &Instance) -> BTreeSet<(&str, &str)> {
    let of_taint = |path: &&String| names(path) == ["node_config", "taint", "effect"];
    let taints = pool.flat.iter().filter(|(path, it)| of_taint(path) && *it == "NO_EXECUTE");
    let taints = taints.filter_map(|(path, _)| path.strip_suffix("effect"));
    let word = |taint: &str, name: &str| {
        pool.flat.get(&format!("{taint}{name}")).map_or("", String::as_str)
    };
    taints.map(|taint| (word(taint, "key"), word(taint, "value"))).collect()
}

/// Which of a group's machines go is the group's to say.
const MACHINES_END: &str = "machines end until there are as few, with what is on their disks";

const SIZES: &[&str] = &["node_count", "initial_node_count", "autoscaling"];

/// A rule of a bucket or a registry.
#[derive(Default)]
struct Rule {
    /// Of which a larger one fits less, where it deletes, and more, where it keeps; lengths of time in seconds.
    numbers: BTreeMap<String, u64>,
    words: BTreeMap<String, String>,
}

const NUMBERS: &[&str] = &[
    "age",
    "num_newer_versions",
    "days_since_custom_time",
    "days_since_noncurrent_time",
    "older_than",
    "keep_count",
];

const DAY: u64 = 24 * 60 * 60;

/// The rules in blocks of one name, in their order.
fn rules(instance: &Instance, block: &str) -> Vec<Rule> {
    let mut found: BTreeMap<&str, Rule> = BTreeMap::new();
    for (path, value) in &instance.flat {
        let inside = path.strip_prefix(block).and_then(|rest| rest.strip_prefix('['));
        let Some((at, rest)) = inside.and_then(|inside| inside.split_once("].")) else { continue };
        let rule = found.entry(at).or_default();
        let name = names(rest).last().copied().unwrap_or_default();
        match seconds(value).filter(|_| NUMBERS.contains(&name)) {
            Some(number) => rule.numbers.insert(name.to_owned(), number).map(drop),
            None if name == "id" => None,
            None => rule.words.insert(rest.to_owned(), value.clone()).map(drop),
        };
    }
    found.into_values().collect()
}

/// `2592000s`, `30d`, or a number by itself.
fn seconds(text: &str) -> Option<u64> {
    let units = [('s', 1), ('m', 60), ('h', 60 * 60), ('d', DAY)];
    let unit = units.iter().find_map(|(end, unit)| Some((text.strip_suffix(*end)?, *unit)));
    let (number, unit) = unit.unwrap_or((text, 1));
    number.parse::<u64>().ok()?.checked_mul(unit)
}

fn deleting(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.retain(|rule| rule.does("delete"));
    rules
}

impl Rule {
    /// Whether its action is that one.
    fn does(&self, action: &str) -> bool {
        let mut words = self.words.iter().filter(|(path, _)| path.starts_with("action"));
        words.any(|(_, word)| word.eq_ignore_ascii_case(action))
    }

    /// Whether the other one says the same words, and numbers that are as large.
    fn reaches(&self, other: &Self) -> bool {
        let is_reached = |(name, number): (&String, &u64)| other.numbers.get(name) >= Some(number);
        self.words == other.words && self.numbers.iter().all(is_reached)
    }

    /// `objects older than 30 days`
    fn of(&self, what: &str) -> String {
        let number = |name: &str| self.numbers.get(name);
        let which = match (number("age"), number("older_than"), number("num_newer_versions")) {
            (Some(days), ..) => format!("{what} older than {days} days"),
            (_, Some(seconds), _) => format!("{what} older than {} days", seconds / DAY),
            (.., Some(newer)) => format!("versions of {what} that have {newer} newer ones"),
            _ => what.to_owned(),
        };
        let conditions = self.words.iter().filter(|(path, _)| path.starts_with("condition"));
        let said = conditions.map(|(path, word)| {
            format!("`{}` is `{word}`", names(path).last().copied().unwrap_or_default())
        });
        let said: Vec<String> = said.collect();
        if said.is_empty() { which } else { format!("{which} of which {}", said.join(" and ")) }
    }
}

/// What rules delete that none deleted before.
fn deleted(what: &str, old: &[Rule], new: &[Rule]) -> Option<String> {
    let more = new.iter().filter(|rule| !old.iter().any(|it| it.reaches(rule)));
    let more: Vec<String> = more.map(|rule| rule.of(what)).collect();
    (!more.is_empty()).then(|| format!("{} are deleted", more.join(", and ")))
}

/// What policies delete that none deleted before, or one kept.
fn cleaned_up(old: &Instance, new: &Instance) -> Option<String> {
    let is_dry =
        |it: &Instance| it.flat.get("cleanup_policy_dry_run").is_some_and(|word| word == "true");
    let deletes = |it: &Instance| match is_dry(it) {
        true => Vec::new(),
        false => deleting(rules(it, "cleanup_policies")),
    };
    let new_deletes = deletes(new);
    let keeps = |it: &Instance| {
        let mut kept = rules(it, "cleanup_policies");
        kept.retain(|rule| rule.does("keep"));
        kept
    };
    let kept = keeps(new);
    let mut left = keeps(old).into_iter().filter(|rule| !kept.iter().any(|it| rule.reaches(it)));
    deleted("versions", &deletes(old), &new_deletes).or_else(|| {
        let left = left.next().filter(|_| !new_deletes.is_empty())?;
        let last = left.numbers.get("keep_count").map(|it| format!(" the last {it}"));
        let which = last.unwrap_or_else(|| " those".to_owned());
        Some(format!("versions are deleted that were kept: a policy kept{which}"))
    })
}

/// How many nodes a pool has.
struct Size {
    least: u64,
    most: u64,
    /// In all of its zones, or in each of them.
    total: bool,
}

impl Size {
    fn of(pool: &Instance) -> Option<Self> {
        let number = |path: &str| pool.flat.get(path)?.parse::<u64>().ok();
        let limit = |name: &str| number(&format!("autoscaling[0].{name}"));
        if let Some(most) = limit("total_max_node_count") {
            let least = limit("total_min_node_count").unwrap_or_default();
            return Some(Self { least, most, total: true });
        }
        if let Some(most) = limit("max_node_count") {
            let least = limit("min_node_count").unwrap_or_default();
            return Some(Self { least, most, total: false });
        }
        let count = number("node_count").or_else(|| number("initial_node_count"))?;
        Some(Self { least: count, most: count, total: false })
    }

    fn is_fixed(&self) -> bool {
        self.least == self.most
    }
}

/// Cluster Autoscaler goes by what pods ask of a node: of its accelerators, where it has some.
pub(crate) const IDLE: &str =
    "nodes that have little to do may be taken away, with the pods on them";

/// Why nodes go, where a pool may have had more of them.
fn smaller(old: &Instance, new: &Instance) -> Option<&'static str> {
    let (mut was, mut is) = (Size::of(old)?, Size::of(new)?);
    if was.total != is.total {
        for (size, pool) in [(&mut was, old), (&mut is, new)] {
            let zones = zones(pool).unwrap_or(1);
            let factor = if size.total { 1 } else { zones };
            (size.least, size.most) =
                (size.least.saturating_mul(factor), size.most.saturating_mul(factor));
        }
        // in each of how many zones nobody says here
        if zones(old).is_none() || zones(new).is_none() {
            return Some("nodes may be taken away, with the pods on them");
        }
    }
    match (is.most < was.most, was.is_fixed() && is.least < was.least) {
        (true, _) => Some("nodes are taken away, with the pods on them"),
        (false, true) => Some(IDLE),
        (false, false) => None,
    }
}

/// In how many zones a pool has its nodes, where its texts say so.
fn zones(pool: &Instance) -> Option<u64> {
    let named = pool.flat.keys().filter(|path| names(path) == ["node_locations"]).count();
    let location = pool.flat.get("location").map(String::as_str).unwrap_or_default();
    let zonal = location.matches('-').count() == 2 && !location.contains('$');
    match named {
        0 => zonal.then_some(1),
        named => u64::try_from(named).ok(),
    }
}
