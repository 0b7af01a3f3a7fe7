//! How a command ends.

use slipform_analysis::PROJECT_UNREADABLE;
use slipform_analysis::{PROJECT_EMPTY, PROJECT_ENVIRONMENT};
use slipform_model::{Diagnostic, Severity};
use slipform_source::{Code, Sources};

/// The exit status of a command, mildest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ExitStatus {
    /// 0: all is well; there may be warnings.
    Clean,
    /// 3: `--check` found a difference.
    Different,
    /// 1: the blueprint has errors.
    Errors,
    /// 2: the command was used wrongly or could not run.
    Unusable,
}

impl ExitStatus {
    /// The number that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Errors => 1,
            Self::Unusable => 2,
            Self::Different => 3,
        }
    }

    /// What the diagnostics of a blueprint amount to.
    pub(crate) fn of(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        let errors = diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let statuses = errors.map(|error| match is_wrong_use(error, sources) {
            true => Self::Unusable,
            false => Self::Errors,
        });
        statuses.max().unwrap_or(Self::Clean)
    }
}

/// Problems of what was asked for, not of what the blueprint says.
const WRONG_USE: [Code; 2] = [PROJECT_EMPTY, PROJECT_ENVIRONMENT];

/// Whether the command line is at fault: a path, an environment, a `--set`, or a file that it names.
fn is_wrong_use(error: &Diagnostic, sources: &Sources) -> bool {
    let code = error.code.as_ref();
    if WRONG_USE.iter().any(|wrong| wrong.name == code) {
        return true;
    }
    let Some(file) = error.span().and_then(|span| sources.get(span.file)) else { return false };
    // An unreadable file that another one uses is reported at that `use`; one that was asked for, at itself.
    let is_asked_for = code == PROJECT_UNREADABLE.name && file.text.is_empty();
    is_asked_for || file.path.as_str().starts_with("--set ")
}

/// The command cannot run; what keeps it from running. Nothing was changed on disk.
#[derive(Debug)]
pub(crate) struct Stop(pub(crate) Vec<Diagnostic>);

impl Stop {
    /// One reason.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self(vec![Diagnostic::nowhere(code, message)])
    }

    /// Adds what to do to the last reason.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        if let Some(last) = self.0.last_mut() {
            last.help.push(text.into());
        }
        self
    }
}
