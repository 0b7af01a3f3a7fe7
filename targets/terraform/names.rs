//! Names in the cloud of what only Terraform makes: helpers of a network, accounts of nodes.
//!
//! What other targets name too comes from the plan.

use sha2::{Digest, Sha256};
use slipform_model::catalog::Catalog;
use slipform_model::plan::Limit;

/// `base` and `suffix` with a dash between, within a limit: a base that is too long is cut, and a few characters of
/// its digest keep it apart from others that begin the same.
pub(super) fn with_suffix(catalog: &Catalog, base: &str, suffix: &str, limit: Limit) -> String {
    let (_, most) = limit.bounds(catalog);
    let whole = format!("{base}-{suffix}");
    if whole.len() <= most {
        return whole;
    }
    let digest = Sha256::digest(base.as_bytes());
    let mark: String = digest.iter().take(2).map(|byte| format!("{byte:02x}")).collect();
    let room = most.saturating_sub(suffix.len() + mark.len() + 2);
    let head: String = base.chars().take(room).collect();
    format!("{}-{mark}-{suffix}", head.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_is_cut_and_stays_its_own() {
        let name = |base: &str| with_suffix(Catalog::builtin(), base, "router", Limit::Resource);
        assert_eq!(name("fabric"), "fabric-router");
        let long = |end: &str| name(&format!("{}{end}", "n".repeat(62)));
        assert!(long("a").len() <= 63 && long("a").ends_with("-router"));
        assert_ne!(long("a"), long("b"));
    }
}
