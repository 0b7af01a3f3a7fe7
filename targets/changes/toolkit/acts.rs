//! Hosts that act as another account from then on, where the former, or what it may, goes with what is applied before they are deployed.

use super::FILES;
use super::commands::{ALL_DRAINED, ALL_ENDED, BEFORE_ALL, placed, whole};
use crate::{Change, Effect, File, file_name, shares, texts_of};
use std::collections::BTreeSet;

const REFUSED_FIRST: &str = "the account that those that stand act as, or what it may, goes with the first apply already: jobs end before that";

/// The right to have machines act as an account.
const ACTED_AS: &str = "google_service_account_iam_";

/// Has the jobs of such clusters end before anything is applied.
pub(crate) fn end_first(found: &mut [Change], before: &[File<'_>]) {
    // who makes machines that act as an account needs the right to that no more
    let revokes = |it: &Change| it.revokes() && !it.thing.starts_with(ACTED_AS);
    if !found.iter().any(|it| it.ends_account() || revokes(it)) {
        return;
    }
    let acts = |it: &Change| {
        it.acts_otherwise() && FILES.contains(&file_name(&it.file)) && it.effect < Effect::Adds
    };
    // what goes is applied behind those
    let goes_last = |root: &str| {
        let mut of_it = found.iter().filter(|it| it.root == root);
        of_it.any(|it| it.commands.iter().any(|it| it.ends_with(shares::MADE_FIRST)))
    };
    let roots: BTreeSet<String> =
        found.iter().filter(|it| acts(it)).map(|it| it.root.clone()).collect();
    for root in roots.into_iter().filter(|root| !goes_last(root)).collect::<Vec<_>>() {
        let old = whole(&texts_of(&root, before));
        let ended = [ALL_DRAINED.to_owned(), format!("{ALL_ENDED}; {BEFORE_ALL}")];
        let ended = ended.map(|it| placed(it, old.as_ref(), old.as_ref()));
        let of_it = |it: &&mut Change| it.root == root && acts(it);
        for change in found.iter_mut().filter(of_it) {
            let missing: Vec<String> =
                ended.iter().filter(|it| !change.commands.contains(it)).cloned().collect();
            change.commands.splice(0..0, missing);
            change.effect = change.effect.min(Effect::ByHand);
            if !change.why.contains(REFUSED_FIRST) {
                change.why = format!("{}; {REFUSED_FIRST}", change.why);
            }
        }
    }
}
