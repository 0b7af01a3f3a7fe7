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
