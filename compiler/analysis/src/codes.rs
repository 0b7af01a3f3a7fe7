//! Every code of this crate, for those who explain them.

use slipform_source::Code;

const TABLES: &[&[Code]] = &[
    crate::CODES,
    crate::check::CODES,
    crate::check::nouns::CODES,
    crate::environments::CODES,
    crate::facts::CODES,
    crate::eval::CODES,
    crate::eval::conform::CODES,
    crate::eval::expand::CODES,
    crate::eval::expand::components::CODES,
    crate::eval::fields::CODES,
    crate::eval::operators::CODES,
    crate::eval::outside::CODES,
    crate::eval::room::CODES,
    crate::expected::CODES,
    crate::given::CODES,
    crate::ide::unused::CODES,
    crate::infer::CODES,
    crate::infer::fields::CODES,
    crate::infer::literals::CODES,
    crate::load::CODES,
    crate::program::CODES,
    crate::project::CODES,
    crate::quotas::CODES,
    crate::rules::CODES,
    crate::rules::compile::CODES,
    crate::schema::CODES,
    crate::test_file::CODES,
];

/// Every code that this crate reports.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    TABLES.iter().copied().flatten()
}
