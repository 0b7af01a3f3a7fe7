//! What options of a framework's programs ask of each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

/// The options of one framework. Names are those of options with underscores for dashes: `train_iters`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionRules {
    /// `megatron`.
    pub of: String,
    /// What it is called in a sentence: `Megatron`.
    pub called: String,
    /// How the names of its programs begin: `pretrain_`.
    #[serde(default)]
    pub programs: Vec<String>,
    /// A program that has one of these is one of its.
    #[serde(default)]
    pub marks: Vec<String>,
    /// Every program is one of its, beside what its own framework says: words, and numbers, that are the same everywhere.
    #[serde(default)]
    pub every: bool,
    /// How options begin that name a file with further ones: what is not said may stand there.
    #[serde(default)]
    pub elsewhere: Vec<String>,
    /// A file that its programs are told of first and that says nothing of this: beside another one, what is not said may stand there.
    #[serde(default)]
    pub base: Option<String>,
    /// Options of which one alone may be said.
    #[serde(default)]
    pub excludes: Vec<Excludes>,
    /// Options that another one has to stand beside.
    #[serde(default)]
    pub needs: Vec<Needs>,
    /// Options whose values have to be the same.
    #[serde(default)]
    pub alike: Vec<Alike>,
    /// Options that may not have the same value.
    #[serde(default)]
    pub differ: Vec<Differ>,
    /// Options whose numbers have to fit each other.
    #[serde(default)]
    pub numbers: Vec<Numbers>,
    /// Words that are another framework's, and that an option of this one takes for something else.
    #[serde(default)]
    pub refuses: Vec<Refuses>,
    /// The words that options take.
    #[serde(default)]
    pub words: BTreeMap<String, Vec<String>>,
    /// Words that one which is written almost like it is taken for: not all that there are.
    #[serde(default)]
    pub near: BTreeMap<String, Vec<String>>,
    /// Options that take numbers: what begins as one is one.
    #[serde(default)]
    pub counts: Vec<String>,
    /// The least numbers that options take.
    #[serde(default)]
    pub least: BTreeMap<String, f64>,
    /// The largest.
    #[serde(default)]
    pub most: BTreeMap<String, f64>,
    /// Options that one of almost the same name is taken for: not all that there are.
    #[serde(default)]
    pub known: Vec<String>,
    /// The beginning of a name stands for the whole.
    #[serde(default)]
    pub shortened: bool,
    /// Where it listens, if its programs are servers.
    #[serde(default)]
    pub listens: Option<Listens>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

/// Where a server listens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listens {
    /// The port, where nobody says another one.
    pub port: u16,
    /// Others at which something of it answers, too.
    #[serde(default)]
    pub also: Vec<u16>,
    /// Options that say one.
    #[serde(default)]
    pub ports: Vec<String>,
    /// Options that say the address.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Words of the commands that serve, one of which stands in them; none: all serve.
    #[serde(default)]
    pub by: Vec<String>,
    /// The port may be a word of its own: `http.server 8000`.
    #[serde(default)]
    pub bare: bool,
    /// Its own node alone reaches it, where nobody says another address.
    #[serde(default)]
    pub at_home: bool,
    /// What it answers while it is well: all of it where something stands here.
    #[serde(default)]
    pub answers: Vec<String>,
}

/// Options of which one alone may be said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Excludes {
    /// One of them.
    pub option: String,
    /// Its value; absent: any that switches it on.
    #[serde(default)]
    pub value: Option<String>,
    /// The others.
    pub others: Vec<String>,
    /// What happens where both are said: `which ends it`.
    pub then: String,
}

/// An option that another one has to stand beside.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Needs {
    /// The option.
    pub option: String,
    /// Its values; none: any that switches it on.
    #[serde(default)]
    pub values: Vec<String>,
    /// Only where its number is larger.
    #[serde(default)]
    pub over: Option<i64>,
    /// Only where each of these is said with this value; an empty one: any that switches it on.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// How the names of the programs begin that this is of; none: all of the framework's.
    #[serde(default)]
    pub of: Vec<String>,
    /// One of these, the first of which is told.
    pub one_of: Vec<String>,
    /// The other has to be more than 1.
    #[serde(default)]
    pub several: bool,
    /// Without it nothing reads the option; otherwise the program ends.
    #[serde(default)]
    pub idle: bool,
    /// What happens where it stands alone, behind the framework's name: `ends at once`.
    pub then: String,
}

/// Options whose values have to be the same where another one is said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alike {
    /// Where this is said.
    pub option: String,
    /// One of both.
    pub first: String,
    /// The other.
    pub second: String,
    /// Values of the first that fit any of the other.
    #[serde(default)]
    pub free: Vec<String>,
    /// What happens where they differ, behind the framework's name.
    pub then: String,
}

/// Options that may not have the same value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Differ {
    /// Where this is said.
    pub option: String,
    /// One of both.
    pub first: String,
    /// The other.
    pub second: String,
    /// How the names of the programs begin that this is of; none: all of the framework's.
    #[serde(default)]
    pub of: Vec<String>,
    /// Not where one of these is said.
    #[serde(default)]
    pub unless: Vec<String>,
    /// What happens where they are the same, behind the framework's name.
    pub then: String,
    /// What to do about it.
    pub mend: String,
}

/// A word that an option takes for something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refuses {
    /// The option.
    pub option: String,
    /// The words, in small letters.
    #[serde(default)]
    pub values: Vec<String>,
    /// What stands in none that is taken: `,`.
    #[serde(default)]
    pub holds: Option<String>,
    /// Only where one of these is said, too; none: in any case.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Not where one of these is said.
    #[serde(default)]
    pub unless: Vec<String>,
    /// How the names of the programs begin that this is of; none: all of the framework's.
    #[serde(default)]
    pub of: Vec<String>,
    /// What happens, behind the framework's name.
    pub then: String,
    /// What to do about it.
    pub mend: String,
}

/// Options whose numbers have to fit each other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    /// The one that is at fault.
    pub option: String,
    /// How it has to be.
    pub is: Fit,
    /// The other.
    pub of: String,
    /// Not where one of these is said.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Only where each of these is said with this value; an empty one: any that switches it on.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// What happens where it is not, behind the framework's name.
    pub then: String,
}

/// How two numbers fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// It is not larger than the other.
    AtMost,
    /// It divides the other.
    Divides,
    /// It is the other one or more times.
    Multiple,
}
