//! What has another owner on the other side: what others own from now on is let go of, and what they owned is taken over.

use crate::files::is_of_cluster;
use crate::{Change, Effect, File, by_root, kubernetes, quoted, terraform};
use std::collections::BTreeSet;

/// The one resource of a cluster that is there whatever else it was made with.
const CLUSTER: &str = "google_container_cluster.";

const LET_GO: &str =
    "it is `existing` from now on: Terraform lets go of it, and nothing is deleted";
const STAYS: &str = "it stays: where it is put is `existing` from now on, whose owner may need it";
const GOES_ON: &str = "it is `existing` from now on, and goes on as it is: nothing is deleted";
const REFUSED: &str = "until now it was `existing`: where it is there, making it is refused, and Terraform takes it over first (ID: \"Import\" of its page of the provider)";
const MADE_TWICE: &str = "until now it was `existing`: where it is there, take it away first, or let what made it go on doing so";

/// A noun that one side makes, and the other only refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handed {
    /// What comments say that things are made for: `cluster a3m`.
    pub origin: String,
    /// The folder that Terraform keeps it in.
    pub root: String,
    /// Its blocks there: `google_storage_bucket.data`.
    pub blocks: Vec<String>,
    /// The commands by which Terraform forgets all of the folder, where that is the noun's own: a cluster's.
    pub forget: Vec<String>,
}

impl Handed {
    fn made(&self, change: &Change) -> bool {
        change.origin == self.origin
    }
}

/// Corrects what is told of nouns that are `existing` from now on: no command takes them away.
pub fn let_go(found: &mut [Change], before: &[File<'_>], handed: &[Handed]) {
    for change in found.iter_mut() {
        if let Some(noun) = handed.iter().find(|it| it.made(change)) {
            stay(change, noun);
        }
    }
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
                leaves_data: false,
                ..change.clone()
            },
        };
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
    (change.stopped_by, change.lifted_by, change.leaves_data) = (None, None, false);
}

/// Corrects what is told of nouns that were `existing` until now: Terraform makes none of what is there.
pub fn take_over(found: &mut [Change], handed: &[Handed]) {
    for change in found.iter_mut().filter(|it| it.effect == Effect::Adds) {
        let Some(noun) = handed.iter().find(|noun| noun.made(change)) else { continue };
        let block = change.thing.split('[').next().unwrap_or_default();
        if noun.blocks.iter().any(|it| it == block) || block.starts_with(CLUSTER) {
            let address = match change.thing.contains('[') {
                true => quoted(&change.thing),
                false => change.thing.clone(),
            };
            change.commands = vec![format!("terraform -chdir={} import {address} ID", change.root)];
            change.why = REFUSED.to_owned();
        } else if is_of_cluster(&change.file) {
            change.why = MADE_TWICE.to_owned();
        } else {
            continue;
        }
        change.effect = Effect::ByHand;
    }
}
