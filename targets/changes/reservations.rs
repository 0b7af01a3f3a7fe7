//! Reservations that go, are made anew, or hold less: Compute Engine takes no machine back that somebody has.

use crate::{Change, Detail, Effect, File, by_root, file_name, handed, terraform};
use std::collections::{BTreeMap, BTreeSet};

/// Compute Engine: "Delete reservations", "Troubleshoot reservation updates".
const HAD: &str = "what is had from it goes before, and is made again: Compute Engine deletes no reservation of which somebody has machines";
const IN_USE: &str = "what is had from it goes before: Compute Engine reserves no fewer machines than somebody has of them";
const NODES_FIRST: &str = "Compute Engine deletes no reservation of which somebody has machines, and nodes of Slurm are made by no apply: build and deploy these clusters first with those nodes on another capacity, have what stands power down, and apply this then";
const DISKS: &str = "; what is on the disks of machines goes with them";

const NAMED: &str = "machines of it were had by its name until now: where it is there, making it is refused, and Terraform takes it over first, once `init` of its folder is done";

const SHARED: &str = "a command shares it with managed services before it is applied, and the apply finds nothing to change then: without that it is made anew";

/// The files of each folder.
type Roots<'a> = BTreeMap<&'a str, Vec<File<'a>>>;

/// Takes nodes away that are had from a reservation, before that is made anew, or smaller.
pub(crate) fn free(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let (old, new) = (by_root(before), by_root(after));
    settle(found, (&old, &new));
    let stay: Roots<'_> = old
        .iter()
        .filter(|(it, _)| new.contains_key(*it))
        .map(|(it, of)| (*it, of.clone()))
        .collect();
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    let making = making(found, &new);
    let only_shrinks = |it: &Change| it.effect == Effect::Restarts || terraform::only_shrinks(it);
    let ended: BTreeMap<(String, String), bool> =
        found.iter().filter(|it| it.ends_nodes()).map(|it| (block(it), only_shrinks(it))).collect();
    for change in found.iter_mut().filter(|it| !it.refused && (goes(it) || is_less(it))) {
        let own = old.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let Some(name) = terraform::written_name(&change.thing, own) else { continue };
        let goes = goes(change);
        let clusters = with_nodes_of(&name, &stay);
        if goes && !change.details.is_empty() && !clusters.is_empty() {
            change.why = format!("{}: {NODES_FIRST} ({})", change.why, clusters.join(", "));
        }
        let mut had = had_from(&name, &stay);
        let stays = had.keys().any(|it| is_machines(it) && ended.get(it) != Some(&false));
        if !making.contains(&change.root) && !(goes && (!change.details.is_empty() || stays)) {
            continue;
        }
        // of one that holds less, only who leaves it has to go
        had.retain(|it, _| (goes || ended.contains_key(it)) && told.insert(it.clone()));
        if had.is_empty() {
            continue;
        }
        let mut first: BTreeMap<(&str, &str), String> = BTreeMap::new();
        for (root, pool) in had.keys() {
            let shrinks = !goes && ended.get(&(root.clone(), pool.clone())) == Some(&true);
            let does = if shrinks { "apply" } else { "destroy" };
            *first.entry((root, does)).or_default() += &format!(" -target={pool}");
        }
        let apply = |root: &str| format!("terraform -chdir={root} apply");
        let roots: BTreeSet<&str> = first.keys().map(|(root, _)| *root).collect();
        let (own, then) = (apply(&change.root), roots.into_iter().map(apply));
        let first =
            first.iter().map(|((root, does), of)| format!("terraform -chdir={root} {does}{of}"));
        change.commands.extend(first.chain([own]).chain(then));
        let has_disks = had.keys().any(is_machines);
        change.leaves_data |= has_disks;
        let why = if goes { HAD } else { IN_USE };
        let disks = if has_disks { DISKS } else { "" };
        let before = Some(&change.why).filter(|it| !it.is_empty());
        change.why = before.map(|it| format!("{it}: ")).unwrap_or_default() + why + disks;
        change.takes_along.extend(had.into_values().filter(|_| goes));
    }
}

/// Corrects what is told of reservations that no commands have to free: which are shared, or whose machines are had by their names.
fn settle(found: &mut [Change], sides: (&Roots<'_>, &Roots<'_>)) {
    let (_, new) = sides;
    let called: BTreeSet<String> = found
        .iter()
        .filter(|it| is_of(it) && it.effect == Effect::Adds)
        .filter_map(|it| terraform::written_name(&it.thing, new.get(it.root.as_str())?))
        .collect();
    for change in found.iter_mut().filter(|it| is_shared(it)) {
        share(change, new);
    }
    for change in found.iter_mut().filter(|it| is_of(it)) {
        keep_named(change, sides, &called);
    }
}

/// Whether all that is another is that managed services may take of it from then on: the provider would make it anew for that.
fn is_shared(change: &Change) -> bool {
    let shares = |it: &Detail| {
        it.path.ends_with(".service_share_type") && it.after.as_deref() == Some("ALLOW_ALL")
    };
    goes(change) && !change.details.is_empty() && change.details.iter().all(shares)
}

/// Compute Engine lets it be changed by a command (Vertex AI: "Use reservations with training").
fn share(change: &mut Change, new: &Roots<'_>) {
    let files = new.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
    let known = terraform::known_as(&change.thing, files);
    let parts: Vec<&str> = known.iter().flat_map(|it| it.split('/')).collect();
    let [_, project, _, zone, _, name] = parts.as_slice() else { return };
    change.commands = vec![format!(
        "gcloud compute reservations update {name} --project={project} --zone={zone} --reservation-sharing-policy=ALLOW_ALL"
    )];
    (change.effect, change.why) = (Effect::ByHand, SHARED.to_owned());
    (change.stopped_by, change.lifted_by, change.stays) = (None, None, true);
}

/// One of which machines are had by its name, on the side that has no noun of it: it stays there with them, and cannot go; or it is there already.
fn keep_named(
    change: &mut Change,
    (old, new): (&Roots<'_>, &Roots<'_>),
    called: &BTreeSet<String>,
) {
    let name = |roots: &Roots<'_>| {
        terraform::written_name(&change.thing, roots.get(change.root.as_str())?)
    };
    let own = |roots: &Roots<'_>, name: &str| {
        let files = roots.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let blocks = terraform::blocks_of("google_compute_reservation", files);
        blocks.iter().any(|it| terraform::written_name(it, files).as_deref() == Some(name))
    };
    if goes(change) && change.details.is_empty() {
        let Some(name) = name(old).filter(|it| !called.contains(it)) else { return };
        let Some(taker) = had_from(&name, new).into_values().next() else { return };
        change.stopped_by = Some(format!(
            "machines of it, which {taker} has by its name afterwards as well{}",
            terraform::HALF_WAY
        ));
        change.lifted_by = Some(format!(
            "`existing {}` in its place: then Terraform lets go of it, and its machines stay reserved",
            change.origin
        ));
        change.refused = true;
    } else if change.effect == Effect::Adds {
        let Some(name) = name(new).filter(|it| !own(old, it)) else { return };
        if had_from(&name, old).is_empty() {
            return;
        }
        let files = new.get(change.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        change.commands = vec![handed::import(&change.root, &change.thing, files)];
        change.effect = Effect::ByHand;
        change.why = NAMED.to_owned();
    }
}

/// What is had from a reservation by its name: folders and blocks, and whose they are.
fn had_from(name: &str, roots: &Roots<'_>) -> BTreeMap<(String, String), String> {
    let of_root = |(root, files): (&&str, &Vec<File<'_>>)| {
        let root = (*root).to_owned();
        let had = terraform::had_from(name, files).into_iter();
        had.map(move |(it, origin)| ((root.clone(), it), origin))
    };
    roots.iter().flat_map(of_root).collect()
}

/// The folders of clusters of Cluster Toolkit whose nodes are had from it.
fn with_nodes_of<'a>(name: &str, roots: &Roots<'a>) -> Vec<&'a str> {
    let said = format!(" reservation_name: {name}\n");
    let is_on = |files: &[File<'_>]| {
        files.iter().any(|it| file_name(it.path) == "cluster.yaml" && it.text.contains(&said))
    };
    roots.iter().filter(|(_, files)| is_on(files)).map(|(root, _)| *root).collect()
}

/// Whether machines are no nodes: another template ends none that run.
fn is_machines((_, block): &(String, String)) -> bool {
    block.starts_with("google_compute_instance")
}

/// The folders of which nodes may have something only once they are applied: of what is made there, and of a reservation that grows with its pool.
fn making(found: &[Change], new: &Roots<'_>) -> BTreeSet<String> {
    let grows_with_pool = |it: &Change| {
        let own = new.get(it.root.as_str()).map(Vec::as_slice).unwrap_or_default();
        let name = terraform::written_name(&it.thing, own).filter(|_| is_more(it));
        name.is_some_and(|name| {
            let pools = had_from(&name, new);
            found.iter().any(|it| pools.contains_key(&block(it)))
        })
    };
    let making = found.iter().filter(|it| it.effect == Effect::Adds || grows_with_pool(it));
    making.map(|it| it.root.clone()).collect()
}

/// The folder and the block that a change is of.
fn block(change: &Change) -> (String, String) {
    let block = change.thing.split('[').next().unwrap_or_default();
    (change.root.clone(), block.to_owned())
}

fn is_of(change: &Change) -> bool {
    change.thing.starts_with("google_compute_reservation.")
}

/// Whether one goes, whatever comes in its place.
fn goes(change: &Change) -> bool {
    is_of(change) && change.effect == Effect::Replaces
}

/// Whether less is reserved from then on, or nothing.
pub(crate) fn is_less(change: &Change) -> bool {
    let is_whole = goes(change) && change.details.is_empty();
    is_whole || is_counted(change, |was, is| is < was)
}

/// Whether more is reserved from then on.
pub(crate) fn is_more(change: &Change) -> bool {
    is_counted(change, |was, is| is > was)
}

/// Whether one stays, and its count is another.
fn is_counted(change: &Change, holds: fn(u64, u64) -> bool) -> bool {
    let count = |text: &Option<String>| text.as_ref().and_then(|it| it.parse::<u64>().ok());
    let is_other = change.details.iter().any(|it| {
        it.path.ends_with(".count")
            && count(&it.before).zip(count(&it.after)).is_some_and(|(was, is)| holds(was, is))
    });
    is_of(change) && change.effect == Effect::InPlace && is_other
}
