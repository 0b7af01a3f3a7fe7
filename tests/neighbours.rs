//! A noun that comes or goes changes no other noun's addresses, ranges or names: every noun of blueprints that differ is taken out in turn,
//! and what is rendered of the rest is called as before and lies where it lay.
//!
//! A noun that others need goes with these: first out of their lists, then with them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

#[path = "neighbours/names.rs"]
mod names;

use camino::{Utf8Path, Utf8PathBuf};
use names::{Named, named};
use slipform_analysis::ide::library_text;
use slipform_analysis::{Analysis, Options};
use slipform_source::{FileId, MemoryWorld, ReadError, Span, World};
use slipform_syntax::tree::{Stmt, StmtKind};
use slipform_targets::Output;
use slipform_tests::{checked, reports, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What another noun may do to a name all the same: the words of the line that differs, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "google_container_node_pool.system",
        "what a cluster runs for itself has to be somewhere: the first pool of CPUs that is for all takes the place of this one",
    ),
    ("_iam_member.", "rights come and go with the runs that need them"),
    (
        "SwitchName=",
        "the nodes of a cluster have one topology: blocks where a partition has them, and switches elsewhere",
    ),
    ("BlockName=", "the same"),
    (
        "40-iron-queues/",
        "by which levels Kueue chooses slices that are joined and cut is what their runs ask",
    ),
    ("WorkloadPriorityClass ", "a priority that two queues weigh otherwise has a class for each"),
];

/// A world in which some files say something else.
struct Edited<'w> {
    world: &'w dyn World,
    texts: BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl World for Edited<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        self.texts.get(path).map_or_else(|| self.world.read(path), |text| Ok(text.clone()))
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        self.world.list(folder)
    }
}

/// A statement that can be left out: a noun, or what asks for one.
struct Part {
    span: Span,
    /// What it is called, where it is a noun, and what it is called from outside of the noun that it stands in.
    names: Vec<String>,
}

/// Everything of a blueprint that can be left out, outermost first.
fn parts(analysis: &Analysis) -> Vec<Part> {
    let mut found = Vec::new();
    for tree in &analysis.trees {
        let file = analysis.sources.get(tree.file).unwrap();
        if library_text(&file.path).is_none() {
            of_stmts(&tree.stmts, None, &mut found);
        }
    }
    found
}

fn of_stmts(stmts: &[Stmt], inside: Option<&str>, found: &mut Vec<Part>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Decl(decl) => {
                let name = decl.name.as_ref().unwrap().value.to_string();
                let long = inside.map(|outer| format!("{outer}.{name}"));
                let names = long.into_iter().chain([name.clone()]).collect();
                found.push(Part { span: stmt.span, names });
                of_stmts(&decl.body, Some(&name), found);
            }
            StmtKind::Output(_) | StmtKind::Let(_) | StmtKind::Assert(_) => {
                found.push(Part { span: stmt.span, names: Vec::new() });
            }
            StmtKind::For(inner) => of_stmts(&inner.body, inside, found),
            StmtKind::If(choice) => {
                of_stmts(&choice.then, inside, found);
                of_stmts(choice.otherwise.as_deref().unwrap_or_default(), inside, found);
            }
            _ => {}
        }
    }
}

/// Texts of a blueprint with parts left out.
struct Cut<'a> {
    analysis: &'a Analysis,
    parts: &'a [Part],
    /// The places of what is left out.
    out: BTreeSet<usize>,
}

impl Cut<'_> {
    fn text(&self, file: FileId, within: Span) -> String {
        let text = &self.analysis.sources.get(file).unwrap().text;
        let mut kept = String::new();
        let mut at = within.start as usize;
        let spans: BTreeSet<(u32, u32)> = (self.out.iter().map(|part| self.parts[*part].span))
            .filter(|span| {
                span.file == file && within.start <= span.start && span.end <= within.end
            })
            .map(|span| (span.start, span.end))
            .collect();
        for (start, end) in spans {
            if start as usize >= at {
                kept.push_str(&text[at..start as usize]);
                at = end as usize;
            }
        }
        kept.push_str(&text[at..within.end as usize]);
        kept
    }

    fn texts(&self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        let files: BTreeSet<FileId> =
            self.out.iter().map(|part| self.parts[*part].span.file).collect();
        let text = |file| {
            let found = self.analysis.sources.get(file).unwrap();
            let whole = Span::new(file, 0, found.text.len());
            (found.path.clone(), self.text(file, whole).into())
        };
        files.into_iter().map(text).collect()
    }

    /// Leaves out what speaks of something that is left out; whether there was more.
    fn spread(&mut self) -> bool {
        let gone: BTreeSet<&str> = (self.out.iter())
            .flat_map(|part| self.parts[*part].names.last())
            .map(String::as_str)
            .collect();
        let speaks = |part: &Part| {
            let text = self.text(part.span.file, part.span);
            let inside = |c: char| !(c.is_alphanumeric() || c == '_');
            text.split(inside).any(|word| gone.contains(word))
        };
        let more: Vec<usize> = (0..self.parts.len())
            .filter(|at| !self.out.contains(at) && speaks(&self.parts[*at]))
            .collect();
        let found = !more.is_empty();
        self.out.extend(more);
        found
    }
}

/// The texts, with a noun taken out of the lists of others.
fn unlisted(
    mut texts: BTreeMap<Utf8PathBuf, Arc<str>>,
    names: &[String],
) -> BTreeMap<Utf8PathBuf, Arc<str>> {
    for text in texts.values_mut() {
        let mut changed = text.to_string();
        for name in names {
            for (listed, rest) in [
                (format!("[{name}, "), "["),
                (format!(", {name}, "), ", "),
                (format!(", {name}]"), "]"),
            ] {
                changed = changed.replace(&listed, rest);
            }
        }
        *text = changed.into();
    }
    texts
}

struct Tried<'a> {
    title: &'a str,
    world: &'a dyn World,
    options: &'a Options,
    before: Named,
}

impl Tried<'_> {
    /// What is rendered of the rest, where that stands without the noun.
    fn without(
        &self,
        analysis: &Analysis,
        parts: &[Part],
        at: usize,
    ) -> Option<(Analysis, Output)> {
        let mut cut = Cut { analysis, parts, out: BTreeSet::from([at]) };
        let render = |texts| {
            let (analysis, output) = checked(&Edited { world: self.world, texts }, self.options);
            (!analysis.has_errors()).then_some((analysis, output))
        };
        let plain = render(cut.texts());
        let listed = plain.or_else(|| render(unlisted(cut.texts(), &parts[at].names)));
        listed.or_else(|| {
            while cut.spread() {}
            render(cut.texts())
        })
    }

    /// What of the rest is called otherwise, or lies elsewhere.
    fn differences(&self, name: &str, rest: &Analysis, output: &Output) -> Vec<String> {
        let after = named(output);
        let other =
            after.values.iter().filter(|(key, value)| self.before.values.get(*key) != Some(value));
        let told = other.map(|(key, value)| {
            let before = self.before.values.get(key).map_or("-", String::as_str);
            format!("{key}: {before} -> {value}")
        });
        let origins: BTreeSet<&str> = rest
            .plan
            .iter()
            .flat_map(|plan| &plan.model.nouns)
            .map(|noun| noun.origin.as_str())
            .collect();
        let gone = self.before.origins.iter().filter(|(address, origin)| {
            origins.contains(origin.as_str()) && !after.origins.contains_key(*address)
        });
        let gone = gone.map(|(address, origin)| format!("{address} of {origin} is gone"));
        let excused = |line: &String| EXCEPTIONS.iter().any(|(words, _)| line.contains(words));
        let all = told.chain(gone).filter(|line| !excused(line));
        all.map(|line| format!("{}: without {name}: {line}", self.title)).collect()
    }
}

/// Takes every noun out in turn: how many could be, and what of the others differed.
fn try_all(title: &str, world: &dyn World, options: &Options) -> (usize, Vec<String>) {
    let (analysis, output) = checked(world, options);
    assert!(!analysis.has_errors(), "{title}: {:?}", reports(&analysis));
    let parts = parts(&analysis);
    let tried = Tried { title, world, options, before: named(&output) };
    let (mut count, mut found) = (0, Vec::new());
    for (at, part) in parts.iter().enumerate() {
        let Some(name) = part.names.first() else { continue };
        if let Some((rest, output)) = tried.without(&analysis, &parts, at) {
            count += 1;
            found.extend(tried.differences(name, &rest, &output));
        }
    }
    (count, found)
}

#[test]
fn nothing_follows_from_the_nouns_of_shipped_blueprints() {
    let mut folders = BTreeSet::new();
    let all = variants().into_iter().filter(|(_, folder, _)| folders.insert(folder.0.clone()));
    let (mut count, mut found) = (0, Vec::new());
    for (title, folder, options) in all {
        let (tried, differ) = try_all(&title, &folder, &options);
        count += tried;
        found.extend(differ);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 150, "only {count} nouns were taken out");
}

#[test]
fn nothing_follows_from_the_pools_and_queues_of_a_town() {
    let world = MemoryWorld::new([("main.bp", include_str!("neighbours/town.bp"))]);
    let options = Options { path: "main.bp".into(), ..Options::default() };
    let (count, found) = try_all("town", &world, &options);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(count > 20, "only {count} nouns were taken out");
}
