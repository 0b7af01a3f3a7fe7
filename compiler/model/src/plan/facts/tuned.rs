//! Facts of parameters that are tuned.

use super::records::TunedParameter;
use crate::NounId;
use crate::nouns::{Body, Parent, ParentValue, Scale, Tuned};
use crate::plan::Plan;
use indexmap::IndexMap;
use slipform_source::Spanned;

type Parameters = IndexMap<String, Spanned<Tuned>>;

/// The parameters of a workload's `tuning`.
pub(super) fn tuned(plan: &Plan, id: NounId) -> Option<Vec<TunedParameter>> {
    let Body::Workload(workload) = &plan.model.get(id)?.body else { return None };
    let Some(tuning) = &workload.tuning else { return Some(Vec::new()) };
    let all = &tuning.value.parameters;
    Some(all.iter().map(|(name, it)| parameter(all, name, &it.value)).collect())
}

fn parameter(all: &Parameters, name: &str, tuned: &Tuned) -> TunedParameter {
    let (form, scale) = match tuned {
        Tuned::Double { scale, .. } => ("double", Some(*scale)),
        Tuned::Integer { scale, .. } => ("integer", Some(*scale)),
        Tuned::Categorical { .. } => ("categorical", None),
        Tuned::Discrete { scale, .. } => ("discrete", Some(*scale)),
    };
    let parent = tuned.under().map(|under| under.parameter().to_owned());
    let above = parent.as_ref().and_then(|parent| all.get(parent));
    TunedParameter {
        name: name.to_owned(),
        form: form.to_owned(),
        falling: falling(tuned),
        logarithmic: scale.is_some_and(|scale| scale != Scale::Linear),
        foreign: above.map_or_else(Vec::new, |above| foreign(tuned, &above.value)),
        circles: circles(all, name),
        least: ends(tuned).map(|(least, _)| least),
        most: ends(tuned).map(|(_, most)| most),
        values: match tuned {
            Tuned::Double { .. } | Tuned::Integer { .. } => None,
            Tuned::Categorical { values, .. } => i64::try_from(values.len()).ok(),
            Tuned::Discrete { values, .. } => i64::try_from(values.len()).ok(),
        },
        conditions: tuned.under().and_then(|under| {
            let Parent::Parent { parameter: _, values } = under;
            i64::try_from(values.len()).ok()
        }),
        parent_form: above.map(|above| form_of(&above.value).to_owned()),
        parent,
    }
}

fn form_of(tuned: &Tuned) -> &'static str {
    match tuned {
        Tuned::Double { .. } => "double",
        Tuned::Integer { .. } => "integer",
        Tuned::Categorical { .. } => "categorical",
        Tuned::Discrete { .. } => "discrete",
    }
}

/// The least and the greatest number, as they are written.
#[expect(
    clippy::cast_precision_loss,
    reason = "told to people, and compared with each other and with zero"
)]
fn ends(tuned: &Tuned) -> Option<(f64, f64)> {
    match tuned {
        Tuned::Double { min, max, .. } => Some((*min, *max)),
        Tuned::Integer { min, max, .. } => Some((*min as f64, *max as f64)),
        Tuned::Categorical { .. } => None,
        Tuned::Discrete { values, .. } => Some((*values.first()?, *values.last()?)),
    }
}

fn falling(tuned: &Tuned) -> Vec<String> {
    let Tuned::Discrete { values, .. } = tuned else { return Vec::new() };
    let pairs = values.iter().zip(values.iter().skip(1));
    pairs.filter(|(before, it)| before >= it).map(|(_, it)| it.to_string()).collect()
}

/// Whether one comes back to itself from each parameter to the one that it stands under.
fn circles(all: &Parameters, name: &str) -> bool {
    let above = |name: &str| Some(all.get(name)?.value.under()?.parameter());
    let mut around = std::iter::successors(above(name), |it| above(it)).take(all.len());
    around.any(|it| it == name)
}

/// Values that a parameter stands under and the one above it never has.
fn foreign(tuned: &Tuned, above: &Tuned) -> Vec<String> {
    let Some(Parent::Parent { parameter: _, values }) = tuned.under() else { return Vec::new() };
    values.iter().filter(|value| !has(above, value)).map(spelled).collect()
}

#[expect(clippy::cast_precision_loss, reason = "whole numbers that are compared with numbers")]
fn has(above: &Tuned, value: &ParentValue) -> bool {
    let number = match value {
        ParentValue::Int(number) => Some(*number as f64),
        ParentValue::Float(number) => Some(*number),
        ParentValue::String(_) => None,
    };
    match above {
        // a rule says that it has no single values
        Tuned::Double { .. } => true,
        Tuned::Integer { min, max, .. } => number.is_some_and(|number| {
            number.fract() == 0.0 && *min as f64 <= number && number <= *max as f64
        }),
        Tuned::Categorical { values, .. } => values.contains(&spelled(value)),
        Tuned::Discrete { values, .. } => number.is_some_and(|number| values.contains(&number)),
    }
}

fn spelled(value: &ParentValue) -> String {
    match value {
        ParentValue::String(word) => word.clone(),
        ParentValue::Int(number) => number.to_string(),
        ParentValue::Float(number) => number.to_string(),
    }
}
