//! Changes by the noun that they come from.

use super::again::{emptied, made_there, owner};
use super::away::{self, Away};
use super::before::Before;
use super::elsewhere::elsewhere;
use super::facts::{Share, Without, base};
use super::former::Former;
use super::given::give;
use super::perhaps::Advice;
use super::reach::{needing, of_former, standing_on, using};
use super::renamed::Sides;
use super::words::fields;
use super::{cut, files, makes_way, moved};
use crate::args::FailOn;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, Turn, bare, in_turn, on, started_again};
use slipform_model::Noun;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;
use slipform_source::Span;
use slipform_targets::Artifact;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of one environment.
pub(crate) struct Groups {
    pub(crate) environment: String,
    /// The Google Cloud project that it is in, where one is known.
    pub(crate) project: Option<String>,
    /// What it is compared with.
    pub(crate) against: String,
    /// Why everything may differ, in sentences: another compiler, another catalog.
    pub(crate) causes: Vec<String>,
    /// The worst first.
    pub(crate) groups: Vec<Group>,
    /// Nothing but facts is another, so that nobody has to be told of each change.
    pub(crate) by_facts: bool,
    /// Folders of which something is taken away by commands.
    pub(crate) leaving: BTreeSet<String>,
    /// Folders in which something differs, and clusters that are left behind, in their turn.
    pub(crate) turns: Vec<Turn>,
    /// Folders in which nothing does, though they are applied again: their cluster is made anew.
    pub(crate) again: Vec<String>,
    /// All folders of what is in a cluster that is made, or is another one: none of it is there yet.
    pub(crate) fresh: BTreeSet<String>,
    /// The other folders.
    pub(crate) untouched: Vec<String>,
    /// How each run is started again, by what the other side calls it.
    pub(crate) starts: BTreeMap<String, Vec<String>>,
}

/// What becomes of one noun.
pub(crate) struct Group {
    /// `pool a3m.gpus`; what the file says of it where no noun is known.
    pub(crate) noun: String,
    /// Its head in the blueprint, where it still stands there.
    pub(crate) span: Option<Span>,
    pub(crate) effect: Effect,
    /// What its words say now: `nodes 16 -> 32`.
    pub(crate) fields: Vec<String>,
    pub(crate) changes: Vec<Change>,
    /// Of each change, how much comes from other facts.
    pub(crate) shares: Vec<Share>,
    /// Whether it is one, and no file or resource.
    pub(crate) is_noun: bool,
    /// Nouns in it that nothing else is told of, each with what its words say now.
    pub(crate) inner: Vec<(String, Vec<String>)>,
    /// Other nouns that are taken away with it, for what it needs to be changed.
    pub(crate) along: Vec<String>,
    /// Workloads that end with it.
    pub(crate) ends: Vec<String>,
    /// Workloads that need it, where it goes: their storage, account, rights, registry, network.
    pub(crate) users: Vec<String>,
    /// Workloads that write, until they end, where a run of it does from then on.
    pub(crate) makes_way: Vec<makes_way::Former>,
    /// The noun says of the worst of it that it is meant.
    pub(crate) allowed: bool,
    /// What it came from, as the comment above it says.
    pub(crate) origin: String,
    /// What to do where it is not meant.
    pub(crate) help: Option<String>,
    /// Other nouns whose words made it, each with what these say now.
    pub(crate) because: Vec<(String, Vec<String>)>,
}

impl Groups {
    pub(crate) fn of(
        before: &Before,
        now: &Analysis,
        mut found: Vec<Change>,
        new: &[Artifact],
        without: Option<&Without>,
    ) -> Self {
        let sides = Sides::of(before, now);
        let mut touched: BTreeSet<String> = found
            .iter()
            .filter(|change| change.effect != Effect::Nothing && !change.root.is_empty())
            .filter(|change| new.iter().any(|file| is_in(file.path.as_str(), &change.root)))
            .map(|change| change.root.clone())
            .collect();
        let mut again = emptied(&found, sides.now, new);
        let displaced = moved::displaced(before, sides.now, new);
        again.extend(displaced.iter().cloned());
        let fresh = again.clone();
        made_there(&mut found, &again);
        // what is in a new cluster comes in the order of its folders
        if !again.is_subset(&touched) || !displaced.is_empty() {
            touched.retain(|folder| !again.contains(folder));
        }
        again.retain(|folder| !touched.contains(folder));
        let turns = in_turn(&touched, &found, &before.texts(), &files(new));
        let mut groups: Vec<Group> = by_noun(found, sides, (now, new))
            .into_iter()
            .filter_map(|(origin, changes)| {
                let shares =
                    changes.iter().map(|it| without.map_or(Share::None, |its| its.share(it)));
                let shares = shares.collect();
                Group::of(&origin, (changes, shares), sides)
            })
            .collect();
        cut::off(&mut groups, sides);
        name(&mut groups, sides);
        name_inner(&mut groups, sides);
        groups.sort_by_key(|group| group.effect);
        let leaving = leaving(groups.iter().flat_map(|group| &group.changes));
        let turns = give(&mut groups, turns);
        let all: BTreeSet<String> = new.iter().filter_map(|it| folder(it.path.as_str())).collect();
        let applied = || touched.iter().chain(&again);
        let untouched = all.into_iter().filter(|root| !applied().any(|it| is_in(it, root)));
        Self {
            environment: now.project.as_ref().map_or_else(String::new, |it| it.environment.clone()),
            project: away::project(new),
            against: before.shown.clone(),
            causes: causes(before, now, without),
            groups,
            by_facts: false,
            leaving,
            untouched: untouched.collect(),
            turns,
            again: again.into_iter().collect(),
            fresh,
            starts: starts(sides, new),
        }
    }

    /// Adds what an apply does not find, since its states lie elsewhere.
    pub(crate) fn tell_apart(
        &mut self,
        before: &Before,
        now: &Analysis,
        new: &[Artifact],
        away: &Away,
    ) {
        let other = away::group(away, before, now.plan.as_ref());
        self.groups.extend(other.or_else(|| elsewhere(before, now, new)));
        self.groups.sort_by_key(|group| group.effect);
    }

    /// Adds what to do, with the first of what it is told of that there is.
    pub(crate) fn advise(&mut self, told: Vec<Advice>) {
        for Advice { of, help } in told {
            let speaks = |it: &Group, origin: &String| {
                let of_it =
                    it.origin == *origin || it.changes.iter().any(|it| it.origin == *origin);
                of_it && it.effect != Effect::Nothing
            };
            let found =
                of.iter().find_map(|origin| self.groups.iter().position(|it| speaks(it, origin)));
            if let Some(group) = found.and_then(|at| self.groups.get_mut(at)) {
                let known =
                    group.help.take().map_or_else(String::new, |known| format!("{known}; "));
                group.help = Some(format!("{known}{help}"));
            }
        }
    }

    /// A text of it as any other environment would have it: without its own name in paths, and the name of its project.
    pub(crate) fn anywhere(&self, text: &str) -> String {
        let text = text.replace(&format!("/overlays/{}", self.environment), "/overlays");
        match self.project.as_deref().filter(|it| !it.is_empty()) {
            Some(project) => text.replace(project, "PROJECT"),
            None => text,
        }
    }

    /// The workloads that run on, or need, what an apply ends or starts anew, or whose cluster is left behind, and those whose rights it takes
    /// away: they save and stop before it. So do those in whose place another one writes.
    pub(crate) fn drained_first(&self) -> Vec<String> {
        let is_end = |it: &&Group| it.effect <= Effect::Restarts || it.leaves_cluster();
        let ending = self.groups.iter().filter(is_end);
        let ending = ending.flat_map(|group| &group.ends);
        let making_way = self.groups.iter().flat_map(|group| &group.makes_way);
        let runs = ending.chain(self.groups.iter().flat_map(|group| &group.users));
        let runs = runs.chain(making_way.map(|it| &it.run));
        runs.cloned().collect::<BTreeSet<String>>().into_iter().collect()
    }

    /// Those of them that the blueprint still has, each with the commands that start it again once all is applied. One whose own change
    /// has them is started with it, and one in a cluster that is made anew is not there to be deleted.
    pub(crate) fn started_again(&self) -> Vec<(String, Vec<String>)> {
        let given: Vec<&String> = self.changes().flat_map(|change| &change.commands).collect();
        let is_given =
            |start: &str| given.iter().any(|command| bare(command).ends_with(bare(start)));
        let drained = self.drained_first().into_iter();
        let started = drained.filter_map(|run| {
            let commands = self.starts.get(&run)?.iter().filter_map(|command| {
                let start = command.rsplit(" && ").next().unwrap_or_default();
                let folder = last_word(start)?;
                let is_new = self.fresh.iter().any(|root| is_in(folder, root));
                (!is_given(start)).then(|| if is_new { start } else { command }.to_owned())
            });
            Some((run, commands.collect::<Vec<String>>()))
        });
        started.filter(|(_, commands)| !commands.is_empty()).collect()
    }

    /// Folders that the output has no more, whose commands come before what they stand on is applied.
    pub(crate) fn taken_away(&self, applied: &[String]) -> Vec<String> {
        let roots: BTreeSet<String> =
            self.leaving.union(&leaving(self.changes())).cloned().collect();
        // a stage stands on those with a smaller number
        let stage = |root: &str| root.split('-').next().unwrap_or_default().to_owned();
        // clusters of GKE have their own turn
        let sorted = self.turns.iter().filter(|it| matches!(it, Turn::Away(_)));
        let sorted: BTreeSet<&str> = sorted.map(Turn::root).collect();
        let left = self.changes().filter(|it| it.is_left_cluster() || it.is_whole_cluster());
        let clusters: BTreeSet<&String> = left.map(|it| &it.root).collect();
        let stands = |root: &String| {
            let is_under =
                clusters.contains(root) || applied.iter().any(|it| stage(it) < stage(root));
            !sorted.contains(root.as_str()) && is_under
        };
        roots.into_iter().rev().filter(stands).collect()
    }

    /// The turns of folders that are applied where they stand in the order: a run that is started at the end is so with its folder.
    pub(crate) fn in_order(&self) -> Vec<Turn> {
        self.turns.iter().filter(|it| self.is_in_order(it.root())).cloned().collect()
    }

    /// Whether a folder is applied where it stands in the order.
    pub(crate) fn is_in_order(&self, root: &str) -> bool {
        let started = self.started_again().into_iter().flat_map(|(_, commands)| commands);
        !started.into_iter().any(|it| last_word(&it).is_some_and(|it| is_in(it, root)))
    }

    fn changes(&self) -> impl Iterator<Item = &Change> {
        self.groups.iter().flat_map(|group| &group.changes)
    }

    /// Whether something is as bad as a gate lets nothing be, or is left to commands that are: they destroy what is stored, or a
    /// whole cluster with what runs there. Anything at all where there is no gate.
    pub(crate) fn reaches(&self, gate: Option<FailOn>) -> bool {
        match gate.map(FailOn::effect) {
            Some(limit) => {
                let bad = |it: &Group| {
                    let clusters = limit >= Effect::Replaces && it.leaves_cluster();
                    let stops = !it.users.is_empty() || !it.makes_way.is_empty();
                    let drains = limit >= Effect::ByHand && stops;
                    it.effect <= limit || it.leaves_data() || it.stops_late() || clusters || drains
                };
                self.groups.iter().any(|group| bad(group) && !group.allowed)
            }
            None => !self.groups.is_empty(),
        }
    }
}

/// Changes by the origin of the noun that each is of, in the order of the first of each.
fn by_noun(
    found: Vec<Change>,
    sides: Sides<'_>,
    (now, new): (&Analysis, &[Artifact]),
) -> Vec<(String, Vec<Change>)> {
    let mut by_noun: BTreeMap<String, (usize, Vec<Change>)> = BTreeMap::new();
    for (turn, change) in found.into_iter().enumerate() {
        let key = match change.effect {
            Effect::Nothing => String::new(),
            _ if names_noun(now, sides, &change.origin) => {
                let (noun, _) = sides.of_origin(&change.origin);
                noun.map_or(&change.origin, |noun| &noun.origin).clone()
            }
            _ => {
                let owner = owner(&change, sides.now, new).map(|noun| &noun.origin);
                let former = || Some(&sides.former_owner(&change.file)?.origin);
                // what one list makes is one thing
                let thing = change.thing.split('[').next().unwrap_or_default();
                let thing = || format!("{} {thing}", change.root);
                owner.or_else(former).map_or_else(|| thing().trim_start().to_owned(), Clone::clone)
            }
        };
        by_noun.entry(key).or_insert((turn, Vec::new())).1.push(change);
    }
    let mut in_turn: Vec<(String, (usize, Vec<Change>))> = by_noun.into_iter().collect();
    in_turn.sort_by_key(|(_, (turn, _))| *turn);
    in_turn.into_iter().map(|(origin, (_, changes))| (origin, changes)).collect()
}

/// The commands that start each run again, by what the other side calls it: there it is drained.
fn starts(sides: Sides<'_>, new: &[Artifact]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Some(plan) = sides.now else { return found };
    let is_gke = |noun: &&Noun| matches!(noun.body, Body::GkeCluster(_));
    let several = plan.model.nouns.iter().filter(is_gke).nth(1).is_some();
    for (artifact, file) in new.iter().zip(files(new)) {
        let Some(command) = started_again(&file) else { continue };
        let command = match artifact.applied.as_ref().filter(|_| several) {
            Some(applied) => on(&command, applied.place.as_ref().unwrap_or(&applied.cluster)),
            None => command,
        };
        let nouns = artifact.nouns.iter().filter_map(|id| plan.model.get(*id));
        for run in nouns.filter(|noun| noun.kind() == "workload") {
            let then = sides.twin(run).unwrap_or(run);
            found.entry(then.path.clone()).or_default().push(command.clone());
        }
    }
    found
}

/// Why everything may differ, and whether it is known of each change.
fn causes(before: &Before, now: &Analysis, without: Option<&Without>) -> Vec<String> {
    let own = env!("CARGO_PKG_VERSION");
    let mut causes = before.notes.clone();
    if let Some(compiler) = &before.compiler {
        causes.push(format!("it was built by slipform {compiler}, and this is slipform {own}: some of this may come from there"));
    }
    let catalog = now.catalog.version();
    let told = "what comes from there is told so";
    match (without, &before.catalog) {
        (Some(Without { catalog: Some(then), .. }), _) => causes.push(format!(
            "the other side has the facts of the catalog {then}, and this one those of {}: {told}, and `slipform catalog diff` tells which facts differ",
            base(catalog)
        )),
        (Some(Without { own: true, .. }), _) => causes.push(format!(
            "the other side has other facts of the project's own, in `catalog.local.toml`: {told}"
        )),
        (Some(_), _) => {}
        (None, Some(then)) if base(then) == base(catalog) => causes.push(
            "it was built with other facts of the project's own, in `catalog.local.toml`: some of this may come from there".to_owned(),
        ),
        (None, Some(then)) => causes.push(format!(
            "it was built with the catalog {then}, and this is {catalog}: some of this may come from there"
        )),
        (None, None) => {}
    }
    causes
}

/// `pool a3m.gpus`
pub(super) fn named(noun: &Noun) -> String {
    format!("{} {}", noun.body.kind(), noun.path)
}

/// Tells of each noun what it was called on the other side, where that is another name.
fn name(groups: &mut Vec<Group>, sides: Sides<'_>) {
    for noun in sides.now.iter().flat_map(|plan| &plan.model.nouns) {
        let Some(was) = sides.former(noun).map(|was| format!("was {was}")) else { continue };
        let of_it = |group: &&mut Group| group.origin == noun.origin && group.noun == named(noun);
        match groups.iter_mut().find(of_it) {
            Some(group) => group.fields.insert(0, was),
            None => groups.push(Group::renamed(noun, was)),
        }
    }
}

/// Tells with a noun what the words of those in it say now, of which nothing else is told: what a file of a cluster says of its
/// partitions.
fn name_inner(groups: &mut [Group], sides: Sides<'_>) {
    let Some(plan) = sides.now else { return };
    let told: BTreeSet<String> = groups.iter().map(|group| group.noun.clone()).collect();
    for group in groups.iter_mut().filter(|group| group.effect != Effect::Nothing) {
        let Some(noun) = sides.of_origin(&group.origin).0 else { continue };
        let inner = plan.children(noun.id).iter().filter_map(|id| plan.model.get(*id));
        let words = |noun: &Noun| {
            let said = fields((sides.twin(noun)?, sides.then), (noun, sides.now));
            (!said.is_empty()).then(|| (named(noun), said))
        };
        group.inner = inner.filter(|it| !told.contains(&named(it))).filter_map(words).collect();
    }
}

/// The folders of changes whose commands take something away.
fn leaving<'c>(changes: impl Iterator<Item = &'c Change>) -> BTreeSet<String> {
    changes.filter(|change| change.takes_away()).map(|change| change.root.clone()).collect()
}

/// Whether the comment above something says what noun it was made for: `cluster a3m, pool gpus`.
fn names_noun(now: &Analysis, sides: Sides<'_>, origin: &str) -> bool {
    let first = origin.split(' ').next().unwrap_or_default();
    let mut nouns = now.plan.iter().flat_map(|plan| &plan.model.nouns);
    now.schema.has_kind(first)
        || sides.nouns.made_for(origin).is_some()
        || nouns.any(|noun| noun.origin == origin)
}

/// What a command starts a run by: the folder that it applies, or the script.
fn last_word(command: &str) -> Option<&str> {
    bare(command).rsplit(' ').next()
}

/// `30-a3m` of `30-a3m/cluster.tf`.
fn folder(path: &str) -> Option<String> {
    path.split_once('/').map(|(folder, _)| folder.to_owned())
}

/// Whether a path is a folder, or lies in it.
pub(crate) fn is_in(path: &str, folder: &str) -> bool {
    path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Group {
    /// Whether its commands destroy what is stored, though no apply does.
    pub(crate) fn leaves_data(&self) -> bool {
        self.changes.iter().any(|change| change.leaves_data)
    }

    /// Whether an apply of it ends half way.
    pub(crate) fn stops_late(&self) -> bool {
        self.changes.iter().any(Change::stops_late)
    }

    /// Whether its commands destroy a whole cluster, though no apply does.
    pub(crate) fn leaves_cluster(&self) -> bool {
        self.changes.iter().any(Change::is_left_cluster)
    }

    /// Whether all of it comes from other facts.
    pub(crate) fn is_by_facts(&self) -> bool {
        self.shares.iter().all(|share| *share == Share::Whole)
    }

    fn of(
        origin: &str,
        (changes, shares): (Vec<Change>, Vec<Share>),
        sides: Sides<'_>,
    ) -> Option<Self> {
        let effect = changes.iter().map(|change| change.effect).min()?;
        let (now, then) = sides.of_origin(origin);
        let noun = now.or(then);
        let fields = match (then, now) {
            (Some(then), Some(now)) => fields((then, sides.then), (now, sides.now)),
            _ => Vec::new(),
        };
        let (ends, mut users) = reached(origin, &changes, (now, then), sides);
        users.retain(|run| !ends.contains(run));
        Some(Self {
            is_noun: noun.is_some() || sides.nouns.made_for(origin).is_some(),
            noun: called(origin, sides),
            along: along(origin, &changes, sides),
            span: now.map(|noun| noun.span),
            effect,
            fields,
            changes,
            shares,
            inner: Vec::new(),
            ends,
            users,
            makes_way: Vec::new(),
            allowed: allowed(effect, (sides.now, now), (sides.then, then)),
            origin: origin.to_owned(),
            help: None,
            because: Vec::new(),
        })
    }

    /// Adds words of another noun that made it.
    pub(super) fn because_of(&mut self, (noun, fields): (String, Vec<String>)) {
        match self.because.iter_mut().find(|(known, _)| *known == noun) {
            Some((_, known)) => {
                let new: Vec<String> =
                    fields.into_iter().filter(|it| !known.contains(it)).collect();
                known.extend(new);
            }
            None => self.because.push((noun, fields)),
        }
    }

    /// A noun that has another name, and nothing else that anybody outside could see.
    fn renamed(noun: &Noun, was: String) -> Self {
        let change = Change {
            origin: noun.origin.clone(),
            ..Change::of_file(Effect::Nothing, "", "", &was)
        };
        Self {
            is_noun: true,
            span: Some(noun.span),
            fields: vec![was],
            origin: noun.origin.clone(),
            ..Self::of_all(named(noun), Effect::Nothing, vec![change])
        }
    }

    /// Of what is no noun of this blueprint.
    pub(super) fn of_all(noun: String, effect: Effect, changes: Vec<Change>) -> Self {
        Self {
            noun,
            is_noun: false,
            span: None,
            effect,
            fields: Vec::new(),
            shares: changes.iter().map(|_| Share::None).collect(),
            changes,
            inner: Vec::new(),
            along: Vec::new(),
            ends: Vec::new(),
            users: Vec::new(),
            makes_way: Vec::new(),
            allowed: false,
            origin: String::new(),
            help: None,
            because: Vec::new(),
        }
    }
}

/// What the noun of an origin is called, where one is known.
fn called(origin: &str, sides: Sides<'_>) -> String {
    let (now, then) = sides.of_origin(origin);
    match (now.or(then), sides.nouns.made_for(origin)) {
        (Some(noun), _) => named(noun),
        (None, Some(former)) => former.named(),
        (None, None) => origin.to_owned(),
    }
}

/// What commands of a noun take away besides.
fn along(origin: &str, changes: &[Change], sides: Sides<'_>) -> Vec<String> {
    let taking = changes.iter().filter(|it| !it.commands.is_empty());
    let taken: BTreeSet<&String> = taking.flat_map(|it| &it.takes_along).collect();
    taken.into_iter().filter(|it| *it != origin).map(|it| called(it, sides)).collect()
}

/// The runs that end with changes of a noun, and those that need it: what ran there before is what the former blueprint says, or else what was built.
/// Of a manifest that does not tell it the blueprint of now is asked. What is refused reaches nobody.
pub(super) fn reached(
    origin: &str,
    changes: &[Change],
    (now, then): (Option<&Noun>, Option<&Noun>),
    sides: Sides<'_>,
) -> (Vec<String>, Vec<String>) {
    if changes.iter().any(|it| it.refused) {
        return (Vec::new(), Vec::new());
    }
    let former = sides.former_of(origin);
    let (mut ends, mut users) = reached_of(former, changes, (now, then), sides);
    // what only the other side has may be called as something else is now
    let other = sides.nouns.made_for(origin);
    let other = other.filter(|it| former.is_some_and(|former| former.path != it.path));
    if let Some(other) = other {
        let is_gone = |it: &&Change| {
            it.details.is_empty() && it.follows.is_none() && it.effect != Effect::Adds
        };
        let gone: Vec<Change> = changes.iter().filter(is_gone).cloned().collect();
        let (ending, needing) = reached_of(Some(other), &gone, (None, None), sides);
        ends = union(ends, ending);
        users = union(users, needing);
    }
    (ends, users)
}

fn union(some: Vec<String>, others: Vec<String>) -> Vec<String> {
    let all: BTreeSet<String> = some.into_iter().chain(others).collect();
    all.into_iter().collect()
}

/// The same of what a noun was.
fn reached_of(
    former: Option<&Former>,
    changes: &[Change],
    (now, then): (Option<&Noun>, Option<&Noun>),
    sides: Sides<'_>,
) -> (Vec<String>, Vec<String>) {
    let ground = match sides.then {
        Some(plan) => {
            // one that says no more what it was is called otherwise outside, and the comment of what goes names it still
            let mut nouns = plan.model.nouns.iter();
            let made_for = || nouns.find(|it| former.is_some_and(|then| then.path == it.path));
            then.or_else(made_for).map(|noun| (plan, noun.id))
        }
        None if former.is_some() && sides.nouns.tell_runs() => None,
        None => sides.now.zip(now.map(|noun| noun.id)),
    };
    match (ground, former) {
        (Some((plan, id)), _) => {
            (standing_on(plan, id, changes, sides), needing(plan, id, changes, sides))
        }
        (None, Some(former)) => of_former(former, changes, sides),
        (None, None) => (Vec::new(), using(changes, sides)),
    }
}

/// Whether a noun, or one that it lies in, says of a change that it is meant: with a word that the other side does not have, since
/// that one was for another change.
fn allowed(effect: Effect, now: Side<'_>, then: Side<'_>) -> bool {
    let Some(code) = effect.allowance() else { return false };
    let says = |(plan, noun): Side<'_>| {
        let parent = |noun: &&Noun| plan?.model.get(noun.parent?);
        let around = std::iter::successors(noun, parent);
        around.flat_map(|noun| &noun.allowed).filter(|(allowed, _)| allowed == code).count()
    };
    says(now) > says(then)
}

/// A noun in its blueprint, as far as there are both.
type Side<'a> = (Option<&'a Plan>, Option<&'a Noun>);
