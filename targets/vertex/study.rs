//! What a run is tuned for, as the study of a hyperparameter tuning job.

use indexmap::IndexMap;
use serde::Serialize;
use slipform_model::nouns::{
    Algorithm, EarlyStopping, Goal, Measurement, Parent, ParentValue, Scale, Tuned, Tuning,
};
use slipform_source::Spanned;

/// The study, field by field as the API names them.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StudySpec {
    metrics: Vec<MetricSpec>,
    parameters: Vec<ParameterSpec>,
    /// Without one, what is known so far leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    algorithm: Option<&'static str>,
    measurement_selection_type: &'static str,
    #[serde(flatten)]
    stopping: Option<Stopping>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MetricSpec {
    metric_id: String,
    goal: &'static str,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ParameterSpec {
    parameter_id: String,
    #[serde(flatten)]
    values: Values,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditional_parameter_specs: Vec<Conditional>,
}

/// What a parameter may be.
#[derive(Clone, PartialEq, Debug, Serialize)]
enum Values {
    #[serde(rename = "doubleValueSpec")]
    Double(Between<f64>),
    #[serde(rename = "integerValueSpec")]
    Integer(Between<i64>),
    #[serde(rename = "categoricalValueSpec")]
    Categorical(OneOf<String>),
    #[serde(rename = "discreteValueSpec")]
    Discrete(OneOf<f64>),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Between<T> {
    min_value: T,
    max_value: T,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct OneOf<T> {
    values: Vec<T>,
}

/// A parameter that counts under some values of the one around it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Conditional {
    #[serde(flatten)]
    condition: Condition,
    parameter_spec: ParameterSpec,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
enum Condition {
    #[serde(rename = "parentIntValues")]
    Whole(OneOf<i64>),
    #[serde(rename = "parentCategoricalValues")]
    Words(OneOf<String>),
    #[serde(rename = "parentDiscreteValues")]
    Numbers(OneOf<f64>),
}

/// When a trial ends before its program does.
#[derive(Clone, PartialEq, Debug, Serialize)]
enum Stopping {
    #[serde(rename = "medianAutomatedStoppingSpec")]
    Median(Elapsed),
    #[serde(rename = "decayCurveStoppingSpec")]
    DecayCurve(Elapsed),
    #[serde(rename = "convexAutomatedStoppingSpec")]
    Convex(Convex),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Elapsed {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    use_elapsed_duration: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Convex {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_step_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_step_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_measurement_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learning_rate_parameter_name: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    use_elapsed_duration: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    update_all_stopped_trials: bool,
}

impl From<&Tuning> for StudySpec {
    fn from(tuning: &Tuning) -> Self {
        let metric = |(name, goal): (&String, &Goal)| MetricSpec {
            metric_id: name.clone(),
            goal: match goal {
                Goal::Maximize => "MAXIMIZE",
                Goal::Minimize => "MINIMIZE",
            },
        };
        Self {
            metrics: tuning.metrics.iter().map(metric).collect(),
            parameters: parameters(&tuning.parameters),
            algorithm: match tuning.algorithm {
                Algorithm::Bayesian => None,
                Algorithm::Grid => Some("GRID_SEARCH"),
                Algorithm::Random => Some("RANDOM_SEARCH"),
            },
            measurement_selection_type: match tuning.measurement {
                Measurement::Last => "LAST_MEASUREMENT",
                Measurement::Best => "BEST_MEASUREMENT",
            },
            stopping: tuning.early_stopping.as_ref().map(stopping),
        }
    }
}

type Parameters = IndexMap<String, Spanned<Tuned>>;

/// The parameters that always count, each with those under it.
fn parameters(all: &Parameters) -> Vec<ParameterSpec> {
    let free = all.iter().filter(|(_, it)| it.value.under().is_none());
    free.map(|(name, it)| parameter(all, name, &it.value)).collect()
}

/// A parameter with those under it. Rules see to it that none is under itself, so this ends.
fn parameter(all: &Parameters, name: &str, tuned: &Tuned) -> ParameterSpec {
    let (values, scale) = match tuned {
        Tuned::Double { min, max, scale, under: _ } => {
            (Values::Double(Between { min_value: *min, max_value: *max }), Some(*scale))
        }
        Tuned::Integer { min, max, scale, under: _ } => {
            (Values::Integer(Between { min_value: *min, max_value: *max }), Some(*scale))
        }
        Tuned::Categorical { values, under: _ } => {
            (Values::Categorical(OneOf { values: values.clone() }), None)
        }
        Tuned::Discrete { values, scale, under: _ } => {
            (Values::Discrete(OneOf { values: values.clone() }), Some(*scale))
        }
    };
    let below = all.iter().filter_map(|(child, it)| {
        let parent = it.value.under().filter(|parent| parent.parameter() == name)?;
        Some(Conditional {
            condition: condition(parent, tuned),
            parameter_spec: parameter(all, child, &it.value),
        })
    });
    ParameterSpec {
        parameter_id: name.to_owned(),
        conditional_parameter_specs: below.collect(),
        values,
        scale_type: scale.map(|scale| match scale {
            Scale::Linear => "UNIT_LINEAR_SCALE",
            Scale::Log => "UNIT_LOG_SCALE",
            Scale::ReverseLog => "UNIT_REVERSE_LOG_SCALE",
        }),
    }
}

/// The values of a parent, of its own type.
fn condition(parent: &Parent, tuned: &Tuned) -> Condition {
    let Parent::Parent { parameter: _, values } = parent;
    match tuned {
        Tuned::Integer { .. } => {
            Condition::Whole(OneOf { values: values.iter().map(whole).collect() })
        }
        Tuned::Categorical { .. } => {
            Condition::Words(OneOf { values: values.iter().map(word).collect() })
        }
        // a rule keeps conditions from parameters that are any number
        Tuned::Double { .. } | Tuned::Discrete { .. } => {
            Condition::Numbers(OneOf { values: values.iter().map(number).collect() })
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a rule asks for values of the parent's own")]
fn whole(value: &ParentValue) -> i64 {
    match value {
        ParentValue::Int(number) => *number,
        ParentValue::Float(number) => *number as i64,
        ParentValue::String(_) => 0,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rule asks for values of the parent's own")]
fn number(value: &ParentValue) -> f64 {
    match value {
        ParentValue::Int(number) => *number as f64,
        ParentValue::Float(number) => *number,
        ParentValue::String(_) => 0.0,
    }
}

fn word(value: &ParentValue) -> String {
    match value {
        ParentValue::String(word) => word.clone(),
        ParentValue::Int(number) => number.to_string(),
        ParentValue::Float(number) => number.to_string(),
    }
}

fn stopping(said: &EarlyStopping) -> Stopping {
    match said {
        EarlyStopping::Median { elapsed } => {
            Stopping::Median(Elapsed { use_elapsed_duration: *elapsed })
        }
        EarlyStopping::DecayCurve { elapsed } => {
            Stopping::DecayCurve(Elapsed { use_elapsed_duration: *elapsed })
        }
        EarlyStopping::Convex {
            max_steps,
            min_steps,
            min_measurements,
            learning_rate,
            elapsed,
            update_all,
        } => Stopping::Convex(Convex {
            max_step_count: *max_steps,
            min_step_count: *min_steps,
            min_measurement_count: *min_measurements,
            learning_rate_parameter_name: learning_rate.clone(),
            use_elapsed_duration: *elapsed,
            update_all_stopped_trials: *update_all,
        }),
    }
}
