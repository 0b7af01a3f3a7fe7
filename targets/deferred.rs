//! The names under which values that exist only after `terraform apply` are handed from stage to stage.

use crate::Stage;
use slipform_model::Deferred;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;

/// The Terraform output that holds a deferred value: the noun's path, `_` and the field, with everything but
/// lower-case letters, digits and `_` turned into `_`. `home.address` becomes `home_address`.
pub fn output_name(plan: &Plan, deferred: &Deferred) -> String {
    let path = plan.model.get(deferred.noun).map_or("", |noun| noun.path.as_str());
    spelled(path, &deferred.field)
}

/// The Terraform root that knows a value, seen from a workload's folder.
pub(crate) fn root(plan: &Plan, value: &Deferred) -> String {
    let cluster =
        plan.model.get(value.noun).filter(|noun| matches!(noun.body, Body::GkeCluster(_)));
    let stage = match cluster.and_then(|noun| plan.cluster(noun.id)) {
        Some(cluster) => Stage::Cluster(cluster.name.clone()),
        None => Stage::Foundation,
    };
    format!("../../{}", stage.folder())
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
