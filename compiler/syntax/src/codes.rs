//! Every code of this crate, for those who explain them.

use slipform_source::Code;

const TABLES: &[&[Code]] = &[
    crate::parse::lower::exprs::CODES,
    crate::parse::lower::holes::CODES,
    crate::parse::lower::literals::CODES,
    crate::parse::lower::rules::CODES,
    crate::parse::lower::strings::CODES,
];

/// Every code that this crate reports.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    TABLES.iter().copied().flatten()
}
