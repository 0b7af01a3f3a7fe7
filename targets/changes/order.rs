//! In which order folders are applied, and clusters taken away that the output has no more.
//!
//! Each change says of its folder what it makes, which others look up, and what it takes away, which others have until they are applied themselves.
//! Whoever leaves something is applied before it is taken away, and behind whoever makes what it has instead. Where one folder does both, what it makes
//! is applied first, and the rest of it behind those who leave.

mod things;

use crate::{Change, File, by_root, handed, of_terraform, texts_of};
use std::collections::{BTreeMap, BTreeSet};
use things::Folder;

/// What is done with a folder in its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It is applied.
    Apply(String),
    /// A part of it comes first, and the rest in its own turn.
    Part(String, Part),
    /// What it made is taken away: a cluster, in a folder that the output has no more.
    Away(String),
}

/// What of a folder comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// What it makes: resources, and the folders that look them up and have what it takes away.
    Makes(Vec<String>, Vec<String>),
    /// Machines of reservations that go, each with whether they go as a whole, and the folders that have them instead: none where others of the same
    /// folder do.
    Frees(Vec<(String, bool)>, Vec<String>),
    /// Pools that take over what a cluster itself runs, from one that goes.
    Carries(Vec<String>),
}

impl Turn {
    /// The folder.
    pub fn root(&self) -> &str {
        match self {
            Self::Apply(root) | Self::Part(root, ..) | Self::Away(root) => root,
        }
    }
}

/// Why one folder comes before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Because {
    /// It leaves what the other takes away.
    Leaves,
    /// It has machines of a reservation that the other has more of from then on.
    Gives,
    /// It makes what the other looks up.
    Makes,
    /// The other is in a cluster that it may be of.
    Holds,
}

/// Who comes before whom, and why.
type Edges = BTreeSet<(String, String, Because)>;

/// Some folders in their turn, and the clusters that are left behind.
pub fn in_turn(
    applied: &BTreeSet<String>,
    found: &[Change],
    before: &[File<'_>],
    after: &[File<'_>],
) -> Vec<Turn> {
    let left = found.iter().filter(|it| it.is_left_cluster() && handed::leaves_root(it));
    let left: BTreeSet<String> = left.map(|it| it.root.clone()).collect();
    let all = by_root(before).into_keys().chain(by_root(after).into_keys());
    let all: BTreeSet<String> = all.map(str::to_owned).collect();
    let folder =
        |root: &String| Folder::of(root, found, texts_of(root, before), texts_of(root, after));
    let roots = applied.iter().chain(&left);
    let folders: BTreeMap<&String, Folder<'_>> = roots.map(|root| (root, folder(root))).collect();
    let edges = edges(applied, &left, &folders);
    let turns = sorted(applied, &left, edges, &folders);
    let others = |known: &BTreeMap<&String, Folder<'_>>| {
        all.iter().filter(|it| !known.contains_key(it)).map(folder).collect::<Vec<_>>()
    };
    carried(make_way(turns, found, &folders, others), &folders)
}

/// Puts in front of a folder the pool to which what its cluster itself runs moves: Terraform takes the former one away at the same time otherwise.
fn carried(turns: Vec<Turn>, folders: &BTreeMap<&String, Folder<'_>>) -> Vec<Turn> {
    let parted: BTreeSet<&str> =
        turns.iter().filter(|it| matches!(it, Turn::Part(..))).map(Turn::root).collect();
    let part = |turn: &Turn| {
        let Turn::Apply(root) = turn else { return None };
        let folder = folders.get(root).filter(|_| !parted.contains(root.as_str()))?;
        let pools = folder.carriers();
        (!pools.is_empty()).then(|| Turn::Part(root.clone(), Part::Carries(pools)))
    };
    turns.iter().flat_map(|it| part(it).into_iter().chain([it.clone()])).collect()
}

/// Puts in front of a folder what of it makes way for the rest: machines of a reservation that has no more.
fn make_way<'f>(
    turns: Vec<Turn>,
    found: &[Change],
    folders: &BTreeMap<&String, Folder<'f>>,
    others: impl Fn(&BTreeMap<&String, Folder<'f>>) -> Vec<Folder<'f>>,
) -> Vec<Turn> {
    let exchanging = |root: &str| {
        let folder = folders.get(&root.to_owned());
        let parted = turns.iter().any(|it| matches!(it, Turn::Part(of, _) if of == root));
        folder.filter(|it| !parted && !it.exchanges().is_empty())
    };
    if !turns.iter().any(|it| exchanging(it.root()).is_some()) {
        return turns;
    }
    let untouched = others(folders);
    let all = || folders.values().chain(&untouched);
    let has_room = |reservation: &str| {
        let count = all().find_map(|it| it.count_of(reservation));
        let asked = || all().map(|it| it.at_most(reservation)).sum::<u64>();
        count.is_some_and(|count| asked() <= count)
    };
    let is_given = |root: &str, block: &str| {
        let target = format!("-target={block}");
        let commands = found.iter().flat_map(|it| &it.commands);
        commands.filter_map(|it| of_terraform(it)).any(|(of, does)| {
            of == root && does.split(' ').any(|it| it == target || it == "destroy")
        })
    };
    let part = |turn: &Turn| {
        let Turn::Apply(root) = turn else { return None };
        let folder = exchanging(root)?;
        let tight = folder.exchanges().into_iter().filter(|it| !has_room(it));
        let mut freed: Vec<_> = tight.flat_map(|it| folder.made_way(it)).collect();
        freed.retain(|(block, _)| !is_given(root, block));
        freed.sort();
        freed.dedup();
        (!freed.is_empty()).then(|| Turn::Part(root.clone(), Part::Frees(freed, Vec::new())))
    };
    turns.iter().flat_map(|it| part(it).into_iter().chain([it.clone()])).collect()
}

/// Who comes before whom.
fn edges(
    applied: &BTreeSet<String>,
    left: &BTreeSet<String>,
    folders: &BTreeMap<&String, Folder<'_>>,
) -> Edges {
    let mut edges = Edges::new();
    let mut add = |first: &String, then: &String, because| {
        edges.insert((first.clone(), then.clone(), because));
    };
    for (root, folder) in applied.iter().filter_map(|root| Some((root, folders.get(root)?))) {
        let others = || applied.iter().filter(move |it| *it != root);
        for (other, user) in others().filter_map(|it| Some((it, folders.get(it)?))) {
            if folder.takes.iter().any(|it| user.leaves(it)) {
                add(other, root, Because::Leaves);
            }
            if folder.makes.iter().any(|it| user.looks_up(it)) {
                add(root, other, Because::Makes);
            }
            if folder.gives().any(|it| user.takes_more().any(|other| other == it)) {
                add(root, other, Because::Gives);
            }
            if stage(root) == CLUSTERS && stage(other) > CLUSTERS {
                add(root, other, Because::Holds);
            }
        }
    }
    for (root, cluster) in left.iter().filter_map(|root| Some((root, folders.get(root)?))) {
        for (other, folder) in applied.iter().filter_map(|it| Some((it, folders.get(it)?))) {
            if folder.ends.iter().any(|it| cluster.had(it)) || cluster.is_in_the_way_of(folder) {
                add(root, other, Because::Leaves);
            }
            // what dispatches to it names it until then
            if stage(other) > CLUSTERS && cluster.clusters.iter().any(|it| folder.drops(it)) {
                add(other, root, Because::Leaves);
            }
        }
    }
    edges
}

/// The first of those that nobody has to come before, again and again; in a circle that of which a part can come first.
fn sorted(
    applied: &BTreeSet<String>,
    left: &BTreeSet<String>,
    mut edges: Edges,
    folders: &BTreeMap<&String, Folder<'_>>,
) -> Vec<Turn> {
    let mut steps = Vec::new();
    let mut waiting = applied.clone();
    let mut standing = left.clone();
    while !waiting.is_empty() {
        let held = |root: &String, edges: &Edges| edges.iter().any(|(_, then, _)| then == root);
        let holds = |root: &String| edges.iter().any(|(first, ..)| first == root);
        // one in whose way nothing is goes last
        let away = standing.iter().rev().find(|it| holds(it) && !held(it, &edges)).cloned();
        if let Some(root) = away {
            standing.remove(&root);
            edges.retain(|(first, ..)| *first != root);
            steps.push(Turn::Away(root));
            continue;
        }
        if let Some(root) = waiting.iter().find(|it| !held(it, &edges)).cloned() {
            waiting.remove(&root);
            edges.retain(|(first, ..)| *first != root);
            steps.push(Turn::Apply(root));
            continue;
        }
        if let Some((root, because)) = divided(&waiting, &edges) {
            let users = waiting_for(&root, because, &edges);
            steps.push(Turn::Part(root.clone(), part(&root, because, &users, folders)));
            edges.retain(|(first, then, why)| {
                *first != root || *why != because || !users.contains(then)
            });
            continue;
        }
        // who names a cluster that goes finds it no more for a while; else by their numbers
        let count = edges.len();
        edges.retain(|(_, then, _)| !left.contains(then));
        if edges.len() == count {
            let Some(root) = waiting.first().cloned() else { break };
            edges.retain(|(_, then, _)| *then != root);
        }
    }
    steps.extend(standing.into_iter().rev().map(Turn::Away));
    steps
}

/// The first folder of a circle of which a part can come first: that makes what others look up, and waits for nothing but that others leave, or that
/// gives machines to others.
fn divided(waiting: &BTreeSet<String>, edges: &Edges) -> Option<(String, Because)> {
    let does = |root: &String, what: Because| !waiting_for(root, what, edges).is_empty();
    let only_left = |root: &String| {
        let mut held = edges.iter().filter(|(_, then, _)| then == root);
        held.all(|(_, _, because)| [Because::Leaves, Because::Gives].contains(because))
    };
    let first = |what: Because| {
        waiting.iter().find(|it| does(it, what) && only_left(it)).map(|it| (it.clone(), what))
    };
    first(Because::Makes).or_else(|| first(Because::Gives))
}

/// Those of a circle that wait for a part of a folder: others wait for the whole of it.
fn waiting_for(root: &String, because: Because, edges: &Edges) -> BTreeSet<String> {
    let of = |because: Because| {
        let edges = edges.iter().filter(move |(first, _, why)| first == root && *why == because);
        edges.map(|(_, then, _)| then)
    };
    let inside: BTreeSet<&String> = of(Because::Holds).collect();
    let users = of(because).filter(|it| !inside.contains(it));
    users.filter(|it| is_before(it, root, edges)).cloned().collect()
}

/// Whether one comes before another, of whatever it is that lies between.
fn is_before(first: &String, last: &String, edges: &Edges) -> bool {
    let mut seen = BTreeSet::from([first]);
    let mut next = vec![first];
    while let Some(at) = next.pop() {
        let then = edges.iter().filter(|(first, ..)| first == at).map(|(_, then, _)| then);
        for then in then {
            if then == last {
                return true;
            }
            if seen.insert(then) {
                next.push(then);
            }
        }
    }
    false
}

/// What of a folder comes first, for those that wait for it.
fn part(
    root: &String,
    because: Because,
    users: &BTreeSet<String>,
    folders: &BTreeMap<&String, Folder<'_>>,
) -> Part {
    let folder = folders.get(root);
    let those = || users.iter().filter_map(|it| folders.get(it));
    let named = users.iter().cloned().collect();
    if because == Because::Gives {
        let wanted: BTreeSet<&str> = those().flat_map(Folder::takes_more).collect();
        let given = folder.into_iter().flat_map(|it| it.gives().map(move |of| (it, of)));
        let given = given.filter(|(_, of)| wanted.contains(of));
        return Part::Frees(given.flat_map(|(it, of)| it.freed(of)).collect(), named);
    }
    let made = folder.into_iter().flat_map(|it| &it.makes);
    let made = made.filter(|it| those().any(|user| user.looks_up(it)));
    Part::Makes(made.map(|it| it.address.clone()).collect(), named)
}

/// The folders of clusters.
const CLUSTERS: &str = "30";

/// `30` of `30-a3m`.
fn stage(root: &str) -> &str {
    root.split('-').next().unwrap_or_default()
}
