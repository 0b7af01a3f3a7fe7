//! How a run looks for the parameters that its program is best with.

use indexmap::IndexMap;
use serde::Deserialize;
use slipform_source::Spanned;

/// A study of a program's parameters.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Tuning {
    /// What the program reports.
    pub metrics: IndexMap<String, Goal>,
    /// What is tuned.
    pub parameters: IndexMap<String, Spanned<Tuned>>,
    /// Trials in all.
    pub trials: i64,
    /// Trials at once.
    pub parallel: i64,
    /// Trials that fail before the whole has failed.
    pub failures: Option<i64>,
    /// How parameters are chosen.
    pub algorithm: Algorithm,
    /// Which value of a trial counts.
    pub measurement: Measurement,
    /// When a trial ends before its program does.
    pub early_stopping: Option<EarlyStopping>,
}

/// Where a metric is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// High up.
    Maximize,
    /// Deep down.
    Minimize,
}

/// A parameter that is tuned.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tuned {
    /// A number.
    Double {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
        /// How values lie between them.
        scale: Scale,
        /// When it counts.
        under: Option<Parent>,
    },
    /// A whole number.
    Integer {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
        /// How values lie between them.
        scale: Scale,
        /// When it counts.
        under: Option<Parent>,
    },
    /// A word.
    Categorical {
        /// One of these.
        values: Vec<String>,
        /// When it counts.
        under: Option<Parent>,
    },
    /// A number of a list.
    Discrete {
        /// One of these.
        values: Vec<f64>,
        /// How they lie.
        scale: Scale,
        /// When it counts.
        under: Option<Parent>,
    },
}

impl Tuned {
    /// When it counts, where that is not always.
    pub fn under(&self) -> Option<&Parent> {
        match self {
            Self::Double { under, .. }
            | Self::Integer { under, .. }
            | Self::Categorical { under, .. }
            | Self::Discrete { under, .. } => under.as_ref(),
        }
    }
}

/// How the values of a parameter lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Evenly by their logarithms.
    Log,
    /// So from the upper end.
    ReverseLog,
}

/// Another parameter, and what it has to be.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// The one form.
    Parent {
        /// Which.
        parameter: String,
        /// One of these.
        values: Vec<ParentValue>,
    },
}

impl Parent {
    /// The other parameter.
    pub fn parameter(&self) -> &str {
        let Self::Parent { parameter, values: _ } = self;
        parameter
    }
}

/// A value of a parameter.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentValue {
    /// A word.
    String(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
}

/// How parameters are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// After what is known so far.
    Bayesian,
    /// All combinations in turn.
    Grid,
    /// By chance.
    Random,
}

/// Which value of a trial counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measurement {
    /// The last.
    Last,
    /// The best.
    Best,
}

/// When a trial ends before its program does.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EarlyStopping {
    /// It is worse than the median.
    Median {
        /// Seconds count instead of steps.
        elapsed: bool,
    },
    /// It will most likely be worse than the best.
    DecayCurve {
        /// Seconds count instead of steps.
        elapsed: bool,
    },
    /// It cannot become better than the best.
    Convex {
        /// Steps of a whole trial.
        max_steps: Option<i64>,
        /// Steps that it has in any case.
        min_steps: Option<i64>,
        /// Measurements that it has in any case.
        min_measurements: Option<i64>,
        /// The parameter that is a learning rate.
        learning_rate: Option<String>,
        /// Seconds count instead of steps.
        elapsed: bool,
        /// Trials that were stopped are judged anew.
        update_all: bool,
    },
}
