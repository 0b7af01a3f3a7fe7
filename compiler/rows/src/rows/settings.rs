//! How what is written in free words is read: variables, and references of images.

use serde::{Deserialize, Serialize};

use super::Confidence;

/// Variables whose values are read in the same way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableForm {
    /// What the row is called: `nccl-numbers`.
    pub of: String,
    /// What is read, in a sentence: `a number`.
    pub called: String,
    /// The variables.
    pub names: Vec<String>,
    /// How they are read.
    pub is: Reads,
    /// The words that they take, in capital letters. Beside a number they are taken in its place; of a text `without` them, those that they do not.
    #[serde(default)]
    pub words: Vec<String>,
    /// The least number.
    #[serde(default)]
    pub least: Option<f64>,
    /// The largest.
    #[serde(default)]
    pub most: Option<f64>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// How a variable is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// As a whole number, in whatever base C writes it.
    Number,
    /// As one of its words, in small letters or in capital ones.
    Word,
    /// As one of its words, written as they are.
    Exact,
    /// As a list of its words, behind `^` where all others are meant, and behind the name of a function and a colon; without words of any.
    List,
    /// As an address with its scheme, or as what begins with one of its words.
    Address,
    /// As a text in which none of its words stands.
    Without,
    /// As numbers with commas between them, none of which is zero.
    Numbers,
    /// As paths of libraries: one whose name is a slip from one of its words is none.
    Libraries,
    /// As sizes and counts in pairs, each number behind a colon of its own; without words.
    Pairs,
}

/// Values of variables that are read as they are written, and that cost a run more than they give it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostlyVariable {
    /// What the row is called: `watchdog-off`.
    pub of: String,
    /// The variables.
    pub names: Vec<String>,
    /// The values, in small letters; none, and no bound: any.
    #[serde(default)]
    pub values: Vec<String>,
    /// Any number below this.
    #[serde(default)]
    pub below: Option<f64>,
    /// Any number from this one on.
    #[serde(default)]
    pub least: Option<f64>,
    /// How values begin.
    #[serde(default)]
    pub begins: Vec<String>,
    /// Which runs they cost something.
    pub costs: Costs,
    /// Who says one of these, in a command or as a variable, has thought of it.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Only where one of these is said as well; none: in any case.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Only in images whose references begin so; none: in any.
    #[serde(default)]
    pub images: Vec<String>,
    /// What comes of it, behind the variable and its value.
    pub then: String,
    /// What to do about it.
    pub mend: String,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// Options of programs with values that no run of many hours wants.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostlyOption {
    /// What the row is called: `short-timeouts`.
    pub of: String,
    /// The options, with underscores for dashes; what stands in front of a dot is left aside.
    pub names: Vec<String>,
    /// The values, in small letters; none, and no bound: any that switches it on.
    #[serde(default)]
    pub values: Vec<String>,
    /// Any number below this.
    #[serde(default)]
    pub below: Option<f64>,
    /// Only of programs that begin so, or that are told one of the options in `beside`; none: of any.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Options of the same program, one of which stands there as well.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Options of the same program that say why.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Which runs they cost something.
    pub costs: Costs,
    /// What comes of it, behind the option and its value.
    pub then: String,
    /// What to do about it.
    pub mend: String,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// Variables and options whose files a bucket, as it is mounted, does not hold.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Misplaced {
    /// What the row is called: `temporary`.
    pub of: String,
    /// The variables.
    #[serde(default)]
    pub variables: Vec<String>,
    /// Options, each behind its program: `ray --temp-dir`.
    #[serde(default)]
    pub options: Vec<String>,
    /// How values begin that name such a file whatever they are told to: `sqlite:///`.
    #[serde(default)]
    pub begins: Vec<String>,
    /// What comes of it, behind the path.
    pub then: String,
    /// What to do about it.
    pub mend: String,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// A package of the index of Python that is not what it is taken for: another project, or one for another PyTorch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherPackage {
    /// The name there: `apex`.
    pub name: String,
    /// What it is.
    pub is: String,
    /// It is that only where it is built in an environment of its own, which has another PyTorch than the image.
    #[serde(default)]
    pub apart: bool,
    /// What to write.
    pub mend: String,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// Runs that a variable costs something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Costs {
    /// Those with accelerators.
    Accelerators,
    /// Those with GPUs.
    Gpus,
    /// Those with GPUs on several nodes.
    Nodes,
    /// Those with GPUs on several nodes that may start again.
    Restarts,
    /// Those that may start again, on whatever nodes.
    Starts,
    /// Those with several processes.
    Several,
}

impl Costs {
    /// As rules call them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accelerators => "accelerators",
            Self::Gpus => "gpus",
            Self::Nodes => "nodes",
            Self::Restarts => "restarts",
            Self::Starts => "starts",
            Self::Several => "several",
        }
    }
}

/// The tags that a repository of images has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageForm {
    /// The repository: `nvcr.io/nvidia/pytorch`.
    pub repository: String,
    /// How its tags begin, where `9` is any digit: one of these. None: as they like.
    #[serde(default)]
    pub begins: Vec<String>,
    /// How none of them begins.
    #[serde(default)]
    pub never: Vec<String>,
    /// What stands in each of them.
    #[serde(default)]
    pub has: Vec<String>,
    /// A tag that there is.
    #[serde(default)]
    pub such: Option<String>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}
