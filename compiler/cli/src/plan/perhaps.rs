//! Which of the nouns that go are perhaps some that come, under another name: tried by writing `was`.

use super::before::Before;
use super::facts::environment;
use super::files;
use super::former::Former;
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::world::{DiskWorld, Edited};
use camino::Utf8PathBuf;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, File, changes};
use slipform_model::{Model, Noun};
use slipform_source::Span;
use slipform_syntax::tree::{Attr, Stmt, StmtKind};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So often a noun is tried under the name of one that goes.
const MOST_TRIALS: usize = 16;

/// The word that says what a noun was.
const WAS: &str = "was";

/// What to do where a noun that goes is perhaps one that comes.
pub(crate) struct Advice {
    /// The origins of what it is told of, the best first: what goes, what comes, what these lie in.
    pub(crate) of: Vec<String>,
    pub(crate) help: String,
}

/// A noun that goes, and one that comes in its place.
struct Guess<'a> {
    gone: &'a Former,
    come: &'a Noun,
    /// What it lies in.
    around: Option<&'a Noun>,
    /// The header of the declaration that would say `was`: its own, or that of the component's use.
    at: Span,
    /// As the help calls that.
    shown: String,
    /// Its last name, as people know it, and the one that `was` has.
    called: String,
    name: String,
}

/// What comes of a blueprint.
struct Trial<'a> {
    model: Cow<'a, Model>,
    found: Cow<'a, [Change]>,
}

/// Every rename that is not written, one after the other: what stands on another renamed noun stays once that one does. What keeps
/// something of a noun in place, without harm to anything else of it, is taken for one.
pub(super) fn renamed(
    before: &Before,
    blueprint: &Blueprint,
    now: &Analysis,
    old: &[File<'_>],
    found: &[Change],
) -> Vec<Advice> {
    let Some(plan) = &now.plan else { return Vec::new() };
    let mut best = Trial { model: Cow::Borrowed(&plan.model), found: Cow::Borrowed(found) };
    let mut kept: Vec<Guess<'_>> = Vec::new();
    let mut tried: BTreeSet<(Span, String)> = BTreeSet::new();
    while let Some(guess) = next(before, &plan.model, &best, &tried) {
        tried.insert((guess.at, guess.name.clone()));
        if tried.len() > MOST_TRIALS {
            break;
        }
        kept.push(guess);
        match Trial::of(&kept, blueprint, now, old).filter(|it| it.keeps(&best, kept.last())) {
            Some(better) => best = better,
            None => drop(kept.pop()),
        }
    }
    kept.iter().map(|guess| guess.advice(now, best.harms(guess))).collect()
}

/// The next noun that goes while another one of its kind comes in the same place.
fn next<'a>(
    before: &'a Before,
    now: &'a Model,
    best: &Trial<'_>,
    tried: &BTreeSet<(Span, String)>,
) -> Option<Guess<'a>> {
    let model = &*best.model;
    if best.found.iter().all(|it| it.effect == Effect::Nothing) {
        return None;
    }
    let here: BTreeSet<&str> = model.nouns.iter().map(|it| it.outside.path.as_str()).collect();
    let gone = before.nouns.iter().filter(|it| !here.contains(it.outside.as_str()));
    // what is declared in rounds would say another name in each
    let come = model.nouns.iter().filter(|it| {
        !it.outside.path.ends_with(']') && before.nouns.called(&it.outside.path).is_none()
    });
    let come: Vec<&Noun> = come.collect();
    let mut guesses =
        gone.flat_map(|gone| come.iter().filter_map(move |noun| Guess::of(gone, noun, model, now)));
    guesses.find(|guess| !tried.contains(&(guess.at, guess.name.clone())))
}

impl<'a> Guess<'a> {
    /// Two nouns that differ in one name behind what they lie in.
    fn of(gone: &'a Former, tried: &Noun, model: &Model, now: &'a Model) -> Option<Self> {
        let come = now.get(tried.id)?;
        let around = come.parent.and_then(|id| now.get(id));
        let parent = tried.parent.and_then(|id| model.get(id));
        let around_it = parent.map_or("", |it| it.outside.path.as_str());
        let then = names(behind(&gone.outside, around_it)?);
        let here = names(behind(&tried.outside.path, around_it)?);
        if gone.kind != come.kind() || then.len() != here.len() {
            return None;
        }
        let mut differing = (0..here.len()).filter(|at| then.get(*at) != here.get(*at));
        let (at, None) = (differing.next()?, differing.next()) else { return None };
        let name = then.get(at)?.replace('"', "");
        if here.get(at)?.contains('[') {
            return None;
        }
        let level = around.map_or(0, |it| levels(&it.origin).len()) + at;
        let declared = levels(&come.origin).get(level).map(|it| (*it).to_owned());
        let is_use = here.len() > 1 && at == 0 && come.span != come.declared;
        let (at, shown) = match (is_use, at + 1 == here.len()) {
            (true, _) => (come.span, format!("`{}`", declared?)),
            (false, true) if come.span == come.declared => {
                (come.declared, format!("`{}`", come.path))
            }
            (false, true) => (come.declared, format!("`{}` of its component", declared?)),
            // the use of a component in another one says it there
            (false, false) => return None,
        };
        let called = names(&gone.path).last().map(|it| it.replace('"', ""))?;
        let called = if is_use { name.clone() } else { called };
        Some(Self { gone, come, around, at, shown, called, name })
    }

    /// What stays and is harmed by what differs besides the name is promised no more than that it stays.
    fn advice(&self, now: &Analysis, harmed: bool) -> Advice {
        let Self { gone, come, around, at, shown, called, name } = self;
        let of = [&gone.origin, &come.origin].into_iter().chain(around.map(|it| &it.origin));
        let of: Vec<String> = of.cloned().collect();
        if gone.path == come.path {
            let help = format!(
                "{shown} says no more what it was: without `was = \"{name}\"` another one is made in its place"
            );
            return Advice { of, help };
        }
        let write = format!("if {shown} is `{called}` renamed, write `was = \"{name}\"` in it");
        let written = now.sources.get(at.file).and_then(|file| word(&file.text, *at));
        let help = match written.and_then(|(_, text)| text) {
            Some(text) => format!(
                "{write} in place of `{text}`: outside it is called so still, and nothing is replaced"
            ),
            None if harmed => {
                format!("{write}: then it stays, and only what differs in it is changed")
            }
            None => format!("{write}: then nothing is replaced"),
        };
        Advice { of, help }
    }

    /// Whether a change is of one of the two; what is declared in them is tried by itself.
    fn is_of(&self, change: &Change) -> bool {
        [&self.gone.origin, &self.come.origin].contains(&&change.origin)
    }
}

impl Trial<'_> {
    /// What comes of it, where all that come say that they were those that go.
    fn of(
        guesses: &[Guess<'_>],
        blueprint: &Blueprint,
        now: &Analysis,
        old: &[File<'_>],
    ) -> Option<Self> {
        let world = Edited { disk: DiskWorld::new(&blueprint.folder), texts: said(guesses, now)? };
        let mut analysis = blueprint.analyse_in(&world, blueprint.file(), environment(now));
        let artifacts = render(&mut analysis, &[]);
        if artifacts.is_empty() || analysis.has_errors() {
            return None;
        }
        let found = Cow::Owned(changes(old, &files(&artifacts)));
        Some(Self { model: Cow::Owned(analysis.plan?.model), found })
    }

    /// Whether nothing bad happens to what the last guess is of; and less than before, where nothing is told of that by itself: of a
    /// partition, an image, or a group of a run.
    fn keeps(&self, before: &Trial<'_>, last: Option<&Guess<'_>>) -> bool {
        let Some(guess) = last else { return false };
        let told = |it: &Change| guess.is_of(it) && it.effect != Effect::Nothing;
        match before.found.iter().any(told) {
            true if guess.come.kind() == "cluster" => !self.ends_cluster(guess),
            true => !self.harms(guess),
            false => {
                let around = guess.around.map(|noun| &noun.origin);
                let lies_in = |it: &Change| around == Some(&it.origin) && is_bad(it);
                weight(&self.found) < weight(&before.found) && !self.found.iter().any(lies_in)
            }
        }
    }

    /// Whether something bad happens to what a guess is of.
    fn harms(&self, guess: &Guess<'_>) -> bool {
        self.found.iter().any(|it| is_bad(it) && guess.is_of(it))
    }

    /// Whether a whole cluster goes, whatever happens to what it is made of: what only starts anew in one that stays is less than that.
    fn ends_cluster(&self, guess: &Guess<'_>) -> bool {
        let ends = |it: &Change| {
            it.is_left_cluster()
                || it.makes_cluster()
                || it.is_of_cluster() && it.effect <= Effect::MayReplace
        };
        self.found.iter().any(|it| guess.is_of(it) && ends(it))
    }
}

fn is_bad(change: &Change) -> bool {
    change.effect < Effect::InPlace || change.effect == Effect::Adds
}

/// How much happens, by effect, the worst first.
fn weight(found: &[Change]) -> [usize; Effect::ALL.len()] {
    Effect::ALL.map(|effect| {
        let of_it = found.iter().filter(|it| it.effect == effect && effect != Effect::Nothing);
        of_it.map(|it| it.details.len().max(1)).sum()
    })
}

/// The files in which these nouns say what they were.
fn said(guesses: &[Guess<'_>], now: &Analysis) -> Option<BTreeMap<Utf8PathBuf, Arc<str>>> {
    let mut texts: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    let mut guesses: Vec<&Guess<'_>> = guesses.iter().collect();
    guesses.sort_by_key(|guess| std::cmp::Reverse(guess.at));
    for guess in guesses {
        let file = now.sources.get(guess.at.file)?;
        let (place, written) = word(&file.text, guess.at)?;
        let text = texts.entry(file.path.clone()).or_insert_with(|| file.text.to_string());
        let word = format!("{WAS} = \"{}\"", guess.name);
        let word = if written.is_some() { word } else { format!("\n{word}\n") };
        text.get(place.clone())?;
        text.replace_range(place, &word);
    }
    Some(texts.into_iter().map(|(path, text)| (path, text.into())).collect())
}

/// Where the block behind a header says `was`, with what it says; otherwise where it would.
fn word(text: &str, header: Span) -> Option<(std::ops::Range<usize>, Option<&str>)> {
    let tree = slipform_syntax::parse(header.file, text);
    let body = body(&tree.stmts, header)?;
    let was = body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) if attr.name.value == WAS => Some(place(attr)),
        _ => None,
    });
    if let Some(place) = was {
        return Some((place.clone(), text.get(place)));
    }
    let behind = header.end as usize;
    let open = text.get(behind..)?;
    let open = behind + open.len() - open.trim_start().strip_prefix('{')?.len();
    Some((open..open, None))
}

fn place(attr: &Attr) -> std::ops::Range<usize> {
    attr.name.span.start as usize..attr.value.span.end as usize
}

/// What is declared behind a header.
fn body(stmts: &[Stmt], header: Span) -> Option<&[Stmt]> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Decl(decl) if decl.header == header => Some(decl.body.as_slice()),
        kind => inside(kind).into_iter().find_map(|inner| body(inner, header)),
    })
}

/// The statements that others stand in.
pub(super) fn inside(kind: &StmtKind) -> Vec<&[Stmt]> {
    match kind {
        StmtKind::Decl(decl) => vec![&decl.body],
        StmtKind::Component(decl) => vec![&decl.body],
        StmtKind::For(each) => vec![&each.body],
        StmtKind::If(choice) => {
            std::iter::once(choice.then.as_slice()).chain(choice.otherwise.as_deref()).collect()
        }
        _ => Vec::new(),
    }
}

/// The part of a path that is behind another one; all of it where that is empty.
fn behind<'p>(path: &'p str, around: &str) -> Option<&'p str> {
    match around {
        "" => Some(path),
        around => path.strip_prefix(around)?.strip_prefix('.'),
    }
}

/// `cluster a3m` and `pool gpus` of `cluster a3m, pool gpus`.
fn levels(origin: &str) -> Vec<&str> {
    origin.split(", ").collect()
}

/// The names of a path: `a3m` and `part[0]` of `a3m.part[0]`; a key may have dots.
fn names(path: &str) -> Vec<&str> {
    let mut inside = false;
    path.split(|c| {
        inside = (inside || c == '[') && c != ']';
        c == '.' && !inside
    })
    .collect()
}
