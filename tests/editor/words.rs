//! Each word of the project's blueprints is taken out, and what is offered where it stood is asked. What is not offered, or far down, stands
//! in the snapshots.

use slipform_analysis::ide::{self, Completion, CompletionKind, TokenKind};
use slipform_analysis::{Analysis, Depth, Options, Stages, analyse_in_stages, deepened};
use slipform_source::{FileId, MemoryWorld};
use std::fmt::Write;
use std::fs;
use std::ops::Range;

/// The blueprint of each project.
const FILE: &str = "train.bp";

/// So far down nobody looks without typing more.
const FAR: usize = 20;

/// A word of a blueprint.
struct Word {
    /// What is taken out: of a text what stands in its quotes.
    range: Range<usize>,
    is_text: bool,
}

/// What became of the words of a blueprint.
#[derive(Default)]
struct Swept {
    first: usize,
    near: usize,
    far: Vec<String>,
    missing: Vec<String>,
    texts: Vec<String>,
}

/// The words that are offered late or never where they stand.
fn swept(project: &str, text: &str) -> String {
    let whole = analysed(project, text);
    let file = whole.trees.last().expect("a tree").file;
    let mut found = Swept::default();
    for word in words(&whole, file, text) {
        found.add(project, text, &word);
    }
    found.shown()
}

/// The words that somebody could be offered: no numbers, no names where they are declared.
fn words(analysis: &Analysis, file: FileId, text: &str) -> Vec<Word> {
    let tokens = ide::tokens(analysis, file).into_iter();
    let words = tokens.filter_map(|token| {
        let range = token.span.range();
        match token.kind {
            TokenKind::Comment | TokenKind::Documentation => None,
            TokenKind::Number | TokenKind::Operator => None,
            _ if token.declares => None,
            TokenKind::Text => {
                let inside = range.start + 1..range.end.saturating_sub(1);
                let quoted = text[range].strip_prefix('"')?.strip_suffix('"')?;
                let plain = !quoted.is_empty() && !quoted.contains(['"', '\\']);
                plain.then_some(Word { range: inside, is_text: true })
            }
            _ => Some(Word { range, is_text: false }),
        }
    });
    words.collect()
}

impl Swept {
    fn add(&mut self, project: &str, text: &str, word: &Word) {
        let (head, tail) = (&text[..word.range.start], &text[word.range.end..]);
        let it = &text[word.range.clone()];
        let offered = offered(project, &format!("{head}{tail}"), word.range.start);
        let place = offered.iter().position(|one| is(one, it));
        let line = head.matches('\n').count() + 1;
        let before = head.rsplit('\n').next().unwrap_or_default().trim_start();
        let shown = format!("{line:4}: {before}‸{it}");
        match place {
            Some(0) => self.first += 1,
            Some(at) if at < FAR => self.near += 1,
            Some(at) => self.far.push(format!("{shown} ({} of {})", at + 1, offered.len())),
            None if word.is_text => self.texts.push(it.to_owned()),
            None => self.missing.push(shown),
        }
    }

    fn shown(mut self) -> String {
        let mut shown = format!("first: {}, among {FAR}: {}\n", self.first, self.near);
        for (what, lines) in [("further down", &self.far), ("not offered", &self.missing)] {
            let _ = writeln!(shown, "\n{what}: {}", lines.len());
            lines.iter().for_each(|line| shown.push_str(&format!("{line}\n")));
        }
        let _ = writeln!(shown, "\ntexts that are not offered: {}", self.texts.len());
        self.texts.sort();
        self.texts.dedup();
        self.texts.iter().for_each(|text| shown.push_str(&format!("  {text}\n")));
        shown
    }
}

/// Whether a completion is a word: as it is listed, what it begins with, or a part of a path.
fn is(offered: &Completion, word: &str) -> bool {
    let label = offered.label.trim_matches('"');
    let path = offered.kind == CompletionKind::Module;
    label == word
        || label.split(' ').next() == Some(word)
        || path && label.split('.').any(|part| part == word)
}

/// What is offered, as deep as it asks for.
fn offered(project: &str, text: &str, at: usize) -> Vec<Completion> {
    let analysis = analysed(project, text);
    let file = analysis.trees.last().expect("a tree").file;
    let offered = ide::complete(&analysis, file, at);
    let Some(depth) = offered.waits else { return offered.found };
    let analysis = deepened(analysis, &options(), &|| depth, None);
    ide::complete(&analysis, file, at).found
}

fn options() -> Options {
    Options { path: FILE.into(), editor: true, ..Options::default() }
}

fn analysed(project: &str, text: &str) -> Analysis {
    let world = MemoryWorld::new([("slipform.toml", project), (FILE, text)]);
    let stages = Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Names, ahead: None };
    analyse_in_stages(&world, &options(), &mut slipform_syntax::parse, stages)
}

#[test]
fn words_of_the_blueprints_are_offered_where_they_stand() {
    let root = slipform_tests::root().join("blueprints");
    let mut names: Vec<String> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| root.join(name).is_dir())
        .collect();
    names.sort();
    let swept = |name: &String| {
        let text = |file: &str| fs::read_to_string(root.join(name).join(file)).unwrap();
        swept(&text("slipform.toml"), &text(FILE))
    };
    let found: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = names.iter().map(|name| scope.spawn(|| swept(name))).collect();
        running.into_iter().map(|it| it.join().unwrap()).collect()
    });
    for (name, found) in names.iter().zip(found) {
        insta::assert_snapshot!(name.as_str(), found);
    }
}
