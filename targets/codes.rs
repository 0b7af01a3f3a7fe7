//! Every code of this crate, for those who explain them.

use slipform_source::Code;

const TABLES: &[&[Code]] = &[
    crate::CODES,
    crate::coverage::CODES,
    crate::images::CODES,
    crate::kubernetes::cluster::CODES,
    crate::kubernetes::held::CODES,
    crate::kubernetes::held::DOUBTS,
    crate::kubernetes::pod::CODES,
    crate::kubernetes::storage::CODES,
    crate::kubernetes::volumes::CODES,
    crate::owned::CODES,
    crate::patch::CODES,
    crate::relied::CODES,
    crate::slurm::batch::CODES,
    crate::slurm::nodes::CODES,
    crate::slurm::coverage::CODES,
    crate::slurm::mounts::CODES,
    crate::slurm::options::CODES,
    crate::slurm::patch::CODES,
    crate::slurm::words::CODES,
    crate::template::CODES,
    crate::terraform::coverage::CODES,
    crate::terraform::node_config::CODES,
    crate::terraform::outputs::CODES,
    crate::terraform::patch::CODES,
    crate::terraform::patch::TOGETHER,
    crate::terraform::storage::CODES,
    crate::toolkit::patch::CODES,
    crate::vertex::coverage::CODES,
    crate::vertex::job::CODES,
    crate::vertex::refuse::CODES,
    crate::vertex::start::CODES,
];

/// Every code that this crate reports.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    TABLES.iter().copied().flatten()
}

/// The codes of what `allow` reaches: what targets only warn of, where a field is written in vain, and patches that overrule
/// fields.
pub fn advice() -> impl Iterator<Item = &'static str> {
    crate::coverage::advice().chain(crate::owned::allowed().map(|code| code.name))
}

/// The codes of what targets have no way to write: nothing can allow it.
pub fn refusals() -> impl Iterator<Item = &'static str> {
    let advice: Vec<&str> = advice().collect();
    codes().map(|code| code.name).filter(move |code| !advice.contains(code))
}
