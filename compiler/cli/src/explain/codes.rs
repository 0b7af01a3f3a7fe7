//! Every code that the compiler reports by itself.

use slipform_source::Code;

/// The tables of this crate.
const TABLES: &[&[Code]] = &[
    crate::CODES,
    crate::blueprint::CODES,
    crate::build::CODES,
    crate::build::told::CODES,
    crate::catalog::CODES,
    crate::explain::CODES,
    crate::explain::place::CODES,
    crate::folder::CODES,
    crate::folder::commit::CODES,
    crate::graph::CODES,
    crate::init::CODES,
    crate::lock::CODES,
    crate::plan::CODES,
    crate::test::CODES,
    crate::watch::CODES,
];

/// All of them, whichever crate reports them.
pub(crate) fn codes() -> impl Iterator<Item = &'static Code> {
    slipform_syntax::codes()
        .chain(slipform_analysis::codes())
        .chain(slipform_targets::codes())
        .chain(TABLES.iter().copied().flatten())
}
