//! Shares that are served from another address from then on, though nothing of the blueprint says so.

use super::blueprint::{Blueprint, Module};
use super::commands::{ALL_DRAINED, ALL_ENDED, BEFORE_ALL, commands, made_anew, placed, whole};
use super::controller::Controller;
use super::database::{Taken, loses_apps, loses_homes};
use super::mounted::{DEPLOYED, Share, let_go};
use super::newer::Newer;
use super::rows::{MOUNT, NODES, TPUS};
use super::{BUILT_FIRST, controller_anew, is_built_first};
use crate::Effect;
use crate::files::Built;
use std::collections::BTreeMap;

const HANG: &str = "hosts that stand mount the former, and hang once it is gone: jobs end before that, and the cluster is deployed again";

/// What has a cluster deployed again of which nothing in its own files is another.
pub(crate) struct Again {
    pub(crate) effect: Effect,
    pub(crate) why: String,
    pub(crate) commands: Vec<String>,
    /// Whether what people keep may go with it.
    pub(crate) leaves_data: bool,
}

/// Whatever a deployment takes from another folder.
pub(crate) fn deployed_again(
    root: &str,
    why: &str,
    (before, after): (&BTreeMap<&str, &str>, &BTreeMap<&str, &str>),
    built: &Built,
) -> Again {
    let sides = whole(before).zip(whole(after));
    let newer = sides.and_then(|(old, new)| {
        let is_anew = is_built_first(&new, &built.families);
        let newer = Newer::of((&old, before), &new).filter(|_| !is_anew)?;
        let kept = newer.kept.into_iter().map(|it| placed(it, Some(&old), Some(&new)));
        Some(Newer { kept: kept.collect(), ..newer })
    });
    let said = newer.as_ref().map_or("", |it| &it.why);
    let (effect, why) = (Effect::MayReplace, format!("{why}{said}"));
    let leaves_data = newer.as_ref().is_some_and(|it| it.homes);
    let kept = newer.map(|it| it.kept).unwrap_or_default();
    let commands = [kept, commands(root, before, after)].concat();
    Again { effect, why, commands, leaves_data }
}

/// Why hosts of a cluster have to mount by another value of a variable, one of several that are others, and what does that of all of these. No deployment
/// tells those that stand.
pub(crate) fn served_elsewhere(
    root: &str,
    (name, all): (&str, &[&str]),
    (before, after): (&BTreeMap<&str, &str>, &BTreeMap<&str, &str>),
    built: &Built,
) -> Option<Again> {
    let (old, new) = (whole(before)?, whole(after)?);
    let takes = |it: &Module, name: &str| {
        let server = it.says.get("server_ip").filter(|_| it.source.ends_with(MOUNT));
        server.is_some_and(|said| said.contains(&format!("$(vars.{name})")))
    };
    let by = |name: &str| {
        let both = new.modules.values().filter(|it| takes(it, name));
        let both = both.filter(|it| old.modules.get(&it.id).is_some_and(|was| takes(was, name)));
        both.filter_map(Share::of).collect::<Vec<_>>()
    };
    if by(name).is_empty() {
        return None;
    }
    let shares: Vec<Share<'_>> = all.iter().flat_map(|name| by(name)).collect();
    let ended = format!("{ALL_ENDED}; {BEFORE_ALL}");
    let drained = [ALL_DRAINED.to_owned(), ended].into_iter();
    let off = shares.iter().flat_map(|it| let_go(it.path));
    let states = shares.iter().filter(|it| it.is_state()).flat_map(Share::state_back);
    // hosts that are made anew mount it by themselves
    let is_anew = is_built_first(&new, &built.families);
    let standing = shares.iter().filter(|it| !it.is_state() && !is_anew);
    let on = standing.map(|it| it.mounted(DEPLOYED));
    let taken = Taken {
        homes: is_anew && loses_homes(&old, &new),
        apps: is_anew && loses_apps(&old, &new),
        accounts: is_anew && old.database().is_none(),
    };
    let unnumbered = taken.accounts.then(|| Controller::of(&old, before).unnumbered());
    let kept = taken.away(root, &old, before).into_iter().chain(unnumbered);
    let back = taken.back(old.cluster(), &new, after);
    let again = deployed_again(root, HANG, (before, after), built);
    let deploy = again.commands.into_iter().chain(back);
    let all = drained.chain(kept).chain(off).chain(states).chain(deploy).chain(on);
    let all = all.map(|it| placed(it, Some(&old), Some(&new)));
    let commands = all.chain(anew(&old, &new)).collect();
    if !is_anew {
        return Some(Again { commands, ..again });
    }
    let (effect, why) = controller_anew(&old);
    let why = format!("{HANG}; {BUILT_FIRST}: {why}");
    Some(Again { effect, why, commands, leaves_data: false })
}

/// Nodes that stand have mounted it as well.
fn anew(old: &Blueprint, new: &Blueprint) -> Vec<String> {
    let sets =
        old.modules.values().filter(|it| [NODES, TPUS].iter().any(|end| it.source.ends_with(end)));
    let stay = |set: &Module| new.modules.get(&set.id).map_or(0, |it| it.most());
    let nodes = sets.filter_map(|set| old.nodes(set, 0..set.most().min(stay(set))));
    nodes.map(|it| placed(made_anew(&it), Some(old), Some(new))).collect()
}
