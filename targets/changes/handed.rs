//! What has another owner on the other side: what others own from now on is let go of, and what they owned is taken over.

use crate::files::is_of_cluster;
use crate::{Change, Effect, File, by_root, kubernetes, terraform, texts_of, word};
use std::collections::BTreeSet;

const LET_GO: &str =
    "it is `existing` from now on: Terraform lets go of it, and nothing is deleted";
const STAYS: &str = "it stays: where it is put is `existing` from now on, whose owner may need it";
const GOES_ON: &str = "it is `existing` from now on, and goes on as it is: nothing is deleted";
const REFUSED: &str = "until now it was `existing`: where it is there, making it is refused, and Terraform takes it over first, once `init` of its folder is done (an ID that is left open: \"Import\" of its page of the provider)";
const MADE_TWICE: &str = "until now it was `existing`: where it is there, take it away first, or let what made it go on doing so";
const APPLIED_OVER: &str = "until now it was `existing`: where it is there, what it deals out, and to whom, is what this says once it is applied, and whoever made it gives its fields up before, or the apply is refused";

/// A noun that one side makes, and the other only refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handed {
    /// What comments say that things are made for: `cluster a3m`.
    pub origin: String,
    /// The folder that Terraform keeps it in.
    pub root: String,
    /// Its blocks there: `google_storage_bucket.data`.
    pub blocks: Vec<String>,
    /// Whether the folder is its own, or that of the cluster that it lies in: all that is made there for it is its own as well.
    pub whole: bool,
    /// The folder of what is in it, where it is a cluster.
    pub inside: String,
    /// The commands by which Terraform forgets all of the folder, where that is the noun's own: a cluster's.
    pub forget: Vec<String>,
}

impl Handed {
    fn made(&self, change: &Change) -> bool {
        change.origin == self.origin
    }

    /// Whether it is one of its blocks, whatever that was made for: the peering of a network comes with a filesystem.
    fn names(&self, change: &Change) -> bool {
        change.root == self.root && self.blocks.iter().any(|it| it == block_of(change))
    }

    /// Whether what a side makes is there where the noun is.
    fn has(&self, change: &Change) -> bool {
        let (resource, _) = block_of(change).split_once('.').unwrap_or_default();
        let is_its = self.whole && change.root == self.root && change.file.ends_with(".tf");
        (is_its || self.names(change)) && !may_be_made(resource)
    }
}

/// The block of Terraform that a change is of, without the instance.
fn block_of(change: &Change) -> &str {
    change.thing.split('[').next().unwrap_or_default()
}

/// Corrects what is told of nouns that are `existing` from now on: no command takes them away.
pub fn let_go(found: &mut [Change], before: &[File<'_>], handed: &[Handed]) {
    for change in found.iter_mut() {
        if let Some(noun) = handed.iter().find(|it| it.made(change)) {
            stay(change, noun);
        }
    }
    keep_queues(found, handed);
    keep_inside(found, handed);
    let roots = by_root(before);
    let left = |it: &&mut Change| leaves_root(it) && it.effect != Effect::InPlace;
    for change in found.iter_mut().filter(left) {
        let of_root = handed.iter().filter(|it| it.root == change.root);
        let blocks: BTreeSet<&str> =
            of_root.flat_map(|it| &it.blocks).map(String::as_str).collect();
        let files = roots.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let mut forget = terraform::forgotten(&change.root, files, &blocks);
        if forget.is_empty() {
            continue;
        }
        *change = match terraform::left_behind(&change.root, files, &blocks) {
            Some(rest) => {
                forget.extend(rest.commands);
                Change { commands: forget, ..rest }
            }
            None => Change {
                effect: Effect::InPlace,
                why: LET_GO.to_owned(),
                commands: forget,
                stopped_by: None,
                lifted_by: None,
                refused: false,
                leaves_data: false,
                ..change.clone()
            },
        };
    }
}

/// What a queue of others deals out, asks and knows runs by stays with it, or with the cluster of others that it is in, whatever that was made for, and no
/// command takes it away.
fn keep_queues(found: &mut [Change], handed: &[Handed]) {
    let is_theirs = |it: &&Change| {
        it.thing.starts_with("ClusterQueue ") && handed.iter().any(|noun| noun.made(it))
    };
    let roots: BTreeSet<String> =
        found.iter().filter(is_theirs).map(|it| it.root.clone()).collect();
    let is_in = |it: &Change| {
        let is_around = |noun: &Handed| {
            let rest = it.origin.strip_prefix(&noun.origin);
            rest.is_some_and(|rest| rest.starts_with(", "))
        };
        handed.iter().any(is_around)
    };
    let is_shared =
        |it: &&mut Change| kubernetes::is_of_queues(it) && (roots.contains(&it.root) || is_in(it));
    for change in found.iter_mut().filter(is_shared) {
        let is_gone = change.details.is_empty() && change.effect == Effect::ByHand;
        if is_gone {
            change.commands.clear();
            change.effect = Effect::Nothing;
            change.why = STAYS.to_owned();
        }
    }
    leave_kept(found);
}

/// What is in a cluster of others stays there, whatever words of it go in the same edit.
fn keep_inside(found: &mut [Change], handed: &[Handed]) {
    let is_in = |it: &&mut Change| {
        let mut all = handed.iter().filter(|noun| !noun.inside.is_empty());
        all.any(|noun| noun.inside == it.root)
    };
    for change in found.iter_mut().filter(is_in) {
        let is_gone = change.details.is_empty() && change.effect == Effect::ByHand;
        let is_object = kubernetes::is_object(change) || change.file.ends_with('/');
        if is_gone && is_object {
            change.commands.clear();
            change.effect = Effect::Nothing;
            change.why = STAYS.to_owned();
        }
    }
    leave_kept(found);
}

/// Leaves out the commands of others that delete what stays.
fn leave_kept(found: &mut [Change]) {
    let stays = found.iter().filter(|it| it.why == STAYS);
    let kept: BTreeSet<(String, String)> = stays
        .filter_map(|it| Some((it.root.clone(), kubernetes::deletion_of(&it.thing)?)))
        .collect();
    for change in found {
        change.commands.retain(|it| !kept.contains(&(change.root.clone(), it.clone())));
    }
}

/// Whether it is a whole root of Terraform that is no longer in the output.
pub(crate) fn leaves_root(change: &Change) -> bool {
    change.file.ends_with('/') && change.thing.contains("resource")
}

/// What was made for a noun that is someone else's.
fn stay(change: &mut Change, noun: &Handed) {
    let is_whole = change.details.is_empty();
    if leaves_root(change) {
        change.commands.clone_from(&noun.forget);
        change.effect = Effect::InPlace;
        change.why = LET_GO.to_owned();
    } else if is_whole && kubernetes::is_object(change) && change.effect == Effect::ByHand {
        change.commands.clear();
        change.effect = Effect::Nothing;
        change.why = STAYS.to_owned();
    } else if is_whole && change.is_left_cluster() {
        change.commands.clear();
        change.effect = Effect::InPlace;
        change.why = GOES_ON.to_owned();
    } else {
        return;
    }
    (change.stopped_by, change.lifted_by) = (None, None);
    (change.refused, change.leaves_data) = (false, false);
}

/// Corrects what is told of nouns that were `existing` until now: Terraform makes none of what is there. What had another name is another one.
pub fn take_over(
    found: &mut [Change],
    (before, after): (&[File<'_>], &[File<'_>]),
    handed: &[Handed],
) {
    let (former, roots) = (by_root(before), by_root(after));
    for change in found.iter_mut().filter(|it| it.effect == Effect::Adds) {
        let is_of = |noun: &&Handed| noun.made(change) || noun.names(change);
        let mut nouns = handed.iter().filter(is_of).peekable();
        if nouns.peek().is_none() {
            continue;
        }
        let old = former.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let files = roots.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        if terraform::was_another(block_of(change), old, files) {
            continue;
        }
        if nouns.any(|noun| noun.has(change)) {
            let things = terraform::each_of(&change.thing, files);
            change.commands = things.iter().map(|it| import(&change.root, it, files)).collect();
            change.why = REFUSED.to_owned();
        } else if is_of_cluster(&change.file) {
            change.why = MADE_TWICE.to_owned();
        } else if change.thing.starts_with("ClusterQueue ") {
            change.why = APPLIED_OVER.to_owned();
        } else {
            continue;
        }
        change.effect = Effect::ByHand;
    }
}

/// Whether making something again is no mistake: a record is in a state alone, and one that is taken over without what it recorded would make anew what
/// hangs on it; a grant that is there is granted once more.
pub fn may_be_made(resource: &str) -> bool {
    resource == "terraform_data" || resource.ends_with("_iam_member")
}

/// What lets Terraform take over what is there.
pub(crate) fn import(root: &str, thing: &str, files: &[File<'_>]) -> String {
    let id = terraform::known_as(thing, files).unwrap_or_else(|| "ID".to_owned());
    format!("terraform -chdir={root} import {} {}", word(thing), word(&id))
}

/// What takes rights from an account that machines of a cluster of others act as from now on.
pub fn taken_from_nodes<'c>(
    found: &'c [Change],
    before: &[File<'_>],
    handed: &[Handed],
) -> Vec<&'c Change> {
    let texts = |root: &str| terraform::Names::of(&texts_of(root, before));
    let clusters: Vec<_> =
        handed.iter().filter(|it| !it.inside.is_empty()).map(|it| texts(&it.root)).collect();
    let takes = |it: &&Change| {
        let own = it.revokes() && !clusters.is_empty() && it.file.ends_with(".tf");
        let named = own.then(|| texts(&it.root).named(&it.thing)).flatten();
        named.is_some_and(|named| clusters.iter().any(|it| it.know(&named)))
    };
    found.iter().filter(takes).collect()
}

/// What others own and stands on what is made here: the origin of what it stands on, and what it is.
pub struct Standing {
    /// `network core`
    pub ground: String,
    /// `cluster lab`
    pub called: String,
    /// The folder of a cluster that is handed over.
    pub root: Option<String>,
}

/// Takes no command for granted that frees what others stand on: none of them is for what others own, and without that Google Cloud refuses the rest.
pub fn hold(found: &mut [Change], standing: &[Standing]) {
    for change in found {
        let is_reservation = change.thing.starts_with("google_compute_reservation.");
        let is_freed = terraform::is_vacated(change)
            || terraform::is_held(change)
            || is_reservation && (change.effect == Effect::Replaces || change.reserves_fewer());
        let destroys = |it: &Standing| {
            let own = it.root.as_ref().map(|root| format!("terraform -chdir={root} destroy"));
            own.is_some_and(|own| change.commands.iter().any(|it| it.starts_with(&own)))
        };
        let stands = |it: &&Standing| is_freed && it.ground == change.origin || destroys(it);
        let Some(it) = standing.iter().find(stands).filter(|_| !leaves_root(change)) else {
            continue;
        };
        change.commands.clear();
        change.takes_along.clear();
        change.stopped_by = Some(format!(
            "{}, which is others' and has something of it{}",
            it.called,
            terraform::HALF_WAY
        ));
        change.lifted_by = Some("its owner, who takes it away from there first".to_owned());
        change.refused = true;
    }
}
