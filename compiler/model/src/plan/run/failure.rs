//! What a failure of a gang means for its run.

use slipform_source::Span;

/// What is done about a failure that fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaction {
    /// What is done.
    pub then: Then,
    /// Exit codes that it is about; every one where there is none, sorted and once each.
    pub exit_codes: Vec<i64>,
    /// It is about nodes that were taken away.
    pub disrupted: bool,
    /// The roles of the gangs that it is about; all that decide where there is none.
    pub roles: Vec<String>,
    /// Where the blueprint says it.
    pub span: Span,
}

impl Reaction {
    /// Whether this one decides about all that another one behind it is about.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let everything = self.exit_codes.is_empty() && !self.disrupted;
        let codes = other.exit_codes.iter().all(|code| self.exit_codes.contains(code));
        let something = !other.exit_codes.is_empty() || other.disrupted;
        let reasons = everything || something && codes && (self.disrupted || !other.disrupted);
        let roles = self.roles.is_empty()
            || !other.roles.is_empty() && other.roles.iter().all(|role| self.roles.contains(role));
        reasons && roles
    }
}

/// What is done about a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// The run is over.
    Fail,
    /// All of it starts again, which is one of its restarts.
    Restart,
    /// All of it starts again, and that does not count.
    Forgive,
}
