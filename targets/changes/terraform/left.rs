//! Roots that are no longer in the output.

use super::protected::protection;
use super::root::{Instance, Root};
use super::values::DATA;
use crate::{Change, Effect, File, machines, plural};
use std::collections::BTreeSet;

/// Of a root that is left behind.
const BY_PAGE: &str = "what `LEFT-BEHIND.md` says, which a build writes";

/// Of a template that commands make machines of: no state has those.
const MADE_BESIDES: &str = "; and so do the machines that commands made of it, which a script takes away with what is on their disks";

/// A root that is no longer in the output: what it made runs on until somebody destroys it. Nothing where all of it is forgotten.
pub(crate) fn left_behind(
    root: &str,
    before: &[File<'_>],
    forgotten: &BTreeSet<&str>,
) -> Option<Change> {
    let mut old = Root::read(before);
    old.instances.retain(|_, it| !forgotten.contains(it.block().as_str()));
    if old.instances.is_empty() {
        return None;
    }
    let holding = old.instances.values().filter(|it| DATA.contains(&it.resource.as_str())).count();
    let data = if holding > 0 { format!(", {holding} of them with data") } else { String::new() };
    let made = machines::script_of(root, before);
    let besides = if made.is_some() { MADE_BESIDES } else { "" };
    let why = format!(
        "the blueprint has them no more{data}: they run on until somebody destroys them{besides}"
    );
    // what Terraform stops at comes before all that a provider does
    let first = |it: &Instance| {
        (!old.protected.contains(&it.block()), !DATA.contains(&it.resource.as_str()))
    };
    let guarded = old.instances.iter();
    let guarded =
        guarded.filter_map(|(address, it)| Some((first(it), address, protection(it, &old)?)));
    let stopped = guarded.min_by_key(|(first, ..)| *first).map(|(_, address, by)| (address, by));
    let cluster = old.instances.values().find(|it| it.resource == "google_container_cluster");
    let leaves_data = holding > 0 || made.is_some();
    Some(Change {
        thing: plural(old.instances.len(), "resource"),
        origin: cluster.map(|it| it.origin.clone()).unwrap_or_default(),
        commands: made.into_iter().chain([format!("terraform -chdir={root} destroy")]).collect(),
        lifted_by: stopped.as_ref().map(|_| BY_PAGE.to_owned()),
        stopped_by: stopped.map(|(address, by)| format!("{by} (`{address}`)")),
        leaves_data,
        ..Change::of_file(Effect::ByHand, root, &format!("{root}/"), &why)
    })
}

/// The commands by which Terraform forgets blocks of such a root, where it has them.
pub(crate) fn forgotten(root: &str, before: &[File<'_>], blocks: &BTreeSet<&str>) -> Vec<String> {
    let old = Root::read(before);
    let there: BTreeSet<String> = old.instances.values().map(Instance::block).collect();
    let there = there.iter().filter(|it| blocks.contains(it.as_str()));
    there.map(|it| format!("terraform -chdir={root} state rm {it}")).collect()
}
