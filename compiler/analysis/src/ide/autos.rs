//! What `auto` came to: the fact that has it, once the compiler has chosen.

use super::show;
use slipform_model::plan::{Plan, facts};
use slipform_model::{Noun, Value};

/// The fields of each kind that may be `auto`, and the fact that says what was chosen. A fact behind a dot is a field of a record.
const CHOSEN: &[(&str, &[(&str, &str)])] = &[
    ("bucket", &[("name", "name_budget.name")]),
    ("filesystem", &[("name", "name_budget.name")]),
    ("registry", &[("name", "name_budget.name")]),
    ("reservation", &[("name", "name_budget.name")]),
    ("cluster", &[("name", "name_budget.name"), ("disk_type", "boot_disk")]),
    (
        "pool",
        &[
            ("nodes", "max_nodes"),
            ("placement", "arrangement"),
            ("zone", "location"),
            ("disk_type", "boot_disk"),
            ("upgrades", "upgraded"),
        ],
    ),
    (
        "machines",
        &[
            ("placement", "arrangement"),
            ("disk_type", "boot_disk"),
            ("on_host_maintenance", "maintained"),
            ("name", "name_budget.name"),
        ],
    ),
    ("machine_image", &[("machine", "build_machine"), ("name", "name_budget.name")]),
    ("queue", &[("quota", "holds"), ("local_name", "local")]),
    (
        "workload",
        &[
            ("nodes", "total_nodes"),
            ("processes", "processes_per_node"),
            ("accelerators", "chips_per_node"),
            ("shared_memory", "shared_memory_size"),
            ("grace", "warned_before"),
            ("queue", "admitted_by"),
            ("namespace", "in_namespace"),
            ("role", "role_name"),
            ("container", "container_name"),
        ],
    ),
    (
        "group",
        &[
            ("nodes", "total_nodes"),
            ("processes", "processes_per_node"),
            ("accelerators", "chips_per_node"),
            ("shared_memory", "shared_memory_size"),
            ("role", "role_name"),
            ("container", "container_name"),
        ],
    ),
];

/// What was chosen for a field of a noun that says `auto`, or nothing, as a blueprint would write it.
pub(super) fn chosen(plan: &Plan, noun: &Noun, field: &str) -> Option<String> {
    let (_, fields) = CHOSEN.iter().find(|(kind, _)| *kind == noun.body.kind())?;
    let (_, fact) = fields.iter().find(|(name, _)| *name == field)?;
    let value = fact_of(plan, noun, fact)?;
    let says_nothing = match &value {
        Value::Absent | Value::Unknown => true,
        Value::Str(text) => text.is_empty(),
        _ => false,
    };
    (!says_nothing).then(|| show::value(&value, plan))
}

/// What was chosen for the fields that a noun leaves out, in the order of the table.
pub(super) fn left_out(plan: &Plan, noun: &Noun) -> Vec<String> {
    let fields = CHOSEN.iter().find(|(kind, _)| *kind == noun.body.kind());
    let fields = fields.map_or(&[][..], |(_, fields)| fields).iter();
    let left = fields.filter(|(name, _)| !noun.fields.contains_key(*name));
    left.filter_map(|(name, _)| Some(format!("{name} = {}", chosen(plan, noun, name)?))).collect()
}

/// A fact of a noun, or a field of one: `nics.data_nics`.
pub(super) fn fact_of(plan: &Plan, noun: &Noun, path: &str) -> Option<Value> {
    let Some((fact, field)) = path.split_once('.') else { return facts(plan, noun.id, path) };
    match facts(plan, noun.id, fact)? {
        Value::Record(record) => record.get(field).map(|placed| placed.value.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::standard;

    #[test]
    fn every_choice_is_of_a_field_and_of_a_fact() {
        let schema = &standard().schema;
        for (kind, fields) in CHOSEN {
            for (field, fact) in *fields {
                let (fact, _) = fact.split_once('.').unwrap_or((fact, ""));
                let is_both = schema.variants(kind).any(|kind| {
                    let has = |name: &str, derived: bool| {
                        kind.fields.0.get(name).is_some_and(|field| field.derived == derived)
                    };
                    has(field, false) && has(fact, true)
                });
                assert!(is_both, "{kind}: {field} and {fact}");
            }
        }
    }
}
