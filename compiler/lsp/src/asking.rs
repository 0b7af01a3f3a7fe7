//! Who asks for an analysis, and how much that is of it.

use crate::project::Known;
use camino::Utf8Path;

/// Who asks for an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asking<'p> {
    /// Nobody: there is nothing else to do, until somebody says something.
    Nobody,
    /// Whoever shows what is wrong, of all blueprints.
    Reports,
    /// A request that needs so much, of the blueprint that a document belongs to, or of all.
    Request(Known, Option<&'p Utf8Path>),
}

impl Asking<'_> {
    pub(crate) fn need(self) -> Known {
        match self {
            Self::Nobody => Known::All,
            Self::Reports => Known::Names,
            Self::Request(need, _) => need,
        }
    }

    /// How much of a small blueprint is worked out, of which all is told at once.
    pub(crate) fn least(self) -> Known {
        match self {
            Self::Nobody | Self::Reports => Known::All,
            Self::Request(need, _) => need,
        }
    }
}
