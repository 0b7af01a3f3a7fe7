//! Groups of machines: those that run are as their template was when they were made.

use super::root::{Instance, Root};
use super::values::TEMPLATE;
use crate::{Change, Effect, File, by_root, machines, of_terraform};
use std::collections::BTreeSet;

const GROUP: &str = "google_compute_instance_group_manager";

/// IAM: "Delete and undelete service accounts".
const ACTS_AS_GONE: &str = "the account that machines act as goes, and those that run are refused from then on: they are made anew, without what is on their disks";

/// The groups whose machines are made by a template.
pub(super) fn groups_of<'a>(template: &Instance, root: &'a Root) -> Vec<&'a Instance> {
    let template = template.block();
    let groups = root.instances.values().filter(|it| it.resource == GROUP);
    groups.filter(|it| it.references.iter().any(|of| of.block == template)).collect()
}

/// Whether all that becomes of a group is that it has fewer machines.
pub(crate) fn only_shrinks(change: &Change) -> bool {
    let is_size =
        |path: &str| ["target_size", "update_policy"].iter().any(|it| path.starts_with(it));
    let is_group = change.thing.starts_with(GROUP) && !change.details.is_empty();
    is_group && change.details.iter().all(|it| is_size(&it.path))
}

/// The folders of which commands destroy something.
fn taken_away_by_hand(change: &Change) -> impl Iterator<Item = String> {
    change.commands.iter().filter_map(|it| {
        let (root, does) = of_terraform(it)?;
        does.starts_with("destroy").then(|| root.to_owned())
    })
}

/// Makes machines anew that act as an account which goes: their template is for those alone that are made from then on.
pub(crate) fn leave_accounts(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (by_root(before), by_root(after));
    let is_account = |it: &&Change| it.thing.starts_with("google_service_account.");
    let gone = found.iter().filter(is_account).filter(|it| it.effect <= Effect::Replaces);
    let gone: BTreeSet<String> = gone.map(|it| format!("data.{}", it.thing)).collect();
    if gone.is_empty() {
        return;
    }
    let ended = found.iter().filter(|it| it.ends_nodes() && !only_shrinks(it));
    let ended: BTreeSet<(String, String)> =
        ended.map(|it| (it.root.clone(), it.thing.clone())).collect();
    // what is taken away by hand is made anew with that
    let by_hand: BTreeSet<String> = found.iter().flat_map(taken_away_by_hand).collect();
    let given: BTreeSet<String> = found.iter().flat_map(|it| it.commands.clone()).collect();
    let is_open = |it: &&mut Change| it.effect == Effect::NextStart && !by_hand.contains(&it.root);
    for change in found.iter_mut().filter(is_open) {
        let root = change.root.as_str();
        let (Some(old), Some(files)) = (old.get(root), new.get(root)) else { continue };
        let (old, new) = (Root::read(old), Root::read(files));
        let acted = old.instances.get(&change.thing).filter(|it| it.resource == TEMPLATE);
        let acted = acted.filter(|it| it.references.iter().any(|of| gone.contains(&of.block)));
        let Some(template) = acted else { continue };
        let (made_by, away) =
            (format!("{root}/{}", machines::MADE_BY), machines::script_of(root, before));
        if let Some(away) =
            away.filter(|it| files.iter().any(|file| file.path == made_by) && !given.contains(it))
        {
            // of which commands make them
            change.commands = vec![away, format!("terraform -chdir={root} apply"), made_by];
            tell_gone(change);
            continue;
        }
        let groups = groups_of(template, &new).into_iter().map(Instance::block);
        let groups = groups.filter(|it| !ended.contains(&(root.to_owned(), it.clone())));
        let anew: String = groups.map(|it| format!(" -replace={it}")).collect();
        if !anew.is_empty() {
            change.commands.push(format!("terraform -chdir={root} apply{anew}"));
            change.commands.extend(machines::asked(root, files));
            tell_gone(change);
        }
    }
}

fn tell_gone(change: &mut Change) {
    change.effect = Effect::ByHand;
    change.leaves_data = true;
    change.why = ACTS_AS_GONE.to_owned();
}
