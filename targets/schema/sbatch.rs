//! The options of sbatch: which there are, whether they take a value, and the Slurm release that brought them.

pub use super::sbatch_values::{misses, wanted, words};
use slipform_source::nearest;

/// An option of sbatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SbatchOption {
    /// Without dashes: `gpus-per-node`.
    pub name: &'static str,
    /// The one-letter form, if it has one.
    pub letter: Option<char>,
    /// Whether a value follows.
    pub argument: Argument,
    /// The first release that has it, as year and month; releases before 20.11 are not told apart.
    pub since: Release,
    /// The last release that has it, if it is gone since.
    pub until: Option<Release>,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// `--exclusive`-like: may have one.
    Optional,
    /// `--nodes=2`
    Required,
    /// `--hold`
    None,
}

/// A Slurm release: `Release(24, 5)` is 24.05.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u8, pub u8);

/// Every option, sorted by name.
pub fn options() -> impl Iterator<Item = SbatchOption> {
    include_str!("sbatch.tsv").lines().filter_map(parse)
}

/// The option with this name or letter, dashes left out.
#[must_use]
pub fn option(name: &str) -> Option<SbatchOption> {
    let mut chars = name.chars();
    let letter = chars.next().filter(|_| chars.next().is_none());
    options().find(|option| option.name == name || letter.is_some() && option.letter == letter)
}

/// The option that a misspelt name was probably meant to be.
#[must_use]
pub fn suggestion(name: &str) -> Option<&'static str> {
    nearest(name, options().map(|option| option.name))
}

fn parse(line: &'static str) -> Option<SbatchOption> {
    let mut cells = line.split('\t');
    let name = cells.next()?;
    let letter = cells.next()?.chars().next();
    let argument = match cells.next()? {
        "required" => Argument::Required,
        "optional" => Argument::Optional,
        _ => Argument::None,
    };
    Some(SbatchOption {
        name,
        letter,
        argument,
        since: release(cells.next()?)?,
        until: cells.next().and_then(release),
    })
}

pub(super) fn release(text: &str) -> Option<Release> {
    let (year, month) = text.split_once('-')?;
    Some(Release(year.parse().ok()?, month.parse().ok()?))
}

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}.{:02}", self.0, self.1)
    }
}
