//! What is shown of a large blueprint before all is known of it: syntax, names and types; then what rules say of the nouns that somebody types
//! in; each with what was known of the rest before, moved along with the text.

use crate::documents::Documents;
use crate::project::{Shown, show};
use crate::settings::Settings;
use slipform_analysis::Project;
use slipform_model::Diagnostic;
use slipform_source::{FileId, SourceFile, Sources, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What was reported of a text.
#[derive(Default)]
pub(crate) struct Older {
    /// By later stages than names and types.
    pub(crate) late: Vec<Diagnostic>,
    /// By targets.
    pub(crate) rendered: Vec<Diagnostic>,
    /// Names that nothing speaks of.
    pub(crate) idle: Vec<Diagnostic>,
}

/// Who is shown it.
pub(crate) struct Screen<'e> {
    pub(crate) documents: &'e Documents,
    pub(crate) settings: &'e Settings,
    pub(crate) show: &'e mut dyn FnMut(&Shown),
}

/// What is known early of a text.
pub(crate) struct Early<'e> {
    /// What was reported of the text before, in places of the newest one once that is known.
    pub(crate) older: Older,
    /// Where somebody types, in the newest text.
    pub(crate) typed: Option<Span>,
    /// What was reported with names and types.
    pub(crate) told: Told,
    project: Option<Project>,
    screen: Screen<'e>,
}

/// Where something was reported, and its code.
pub(crate) type Told = BTreeSet<(Option<Span>, String)>;

pub(crate) fn told_of(found: &[Diagnostic]) -> Told {
    found.iter().map(|it| (it.span(), it.code.to_string())).collect()
}

impl<'e> Early<'e> {
    pub(crate) fn new(older: Older, project: Option<Project>, screen: Screen<'e>) -> Self {
        Self { older, typed: None, told: Told::new(), project, screen }
    }

    /// Names and types of a text are checked that comes after another.
    pub(crate) fn moved(&mut self, from: &Sources, to: &Sources) {
        let mut way = Way::new(from, to);
        let Older { late, rendered, idle } = &self.older;
        self.older =
            Older { late: way.all(late), rendered: way.all(rendered), idle: way.all(idle) };
        self.typed = way.typed();
    }

    /// Shows what is known with names and types.
    pub(crate) fn checked(&mut self, sources: &Sources, found: &[Diagnostic]) {
        let Older { late, rendered, idle } = &self.older;
        let all = found.iter().chain(late).chain(rendered).chain(idle);
        let shown =
            show(all, sources, self.project.as_ref(), self.screen.documents, self.screen.settings);
        (self.screen.show)(&shown);
    }

    /// Shows what rules say of the nouns at some places: nothing that was known of these before holds any more.
    pub(crate) fn judged(&mut self, sources: &Sources, found: &[Diagnostic], places: &[Span]) {
        let told = told_of(found);
        let is_there = |at: Span| places.iter().any(|place| place.covers(at));
        self.older.late.retain(|it| {
            !it.span().is_some_and(is_there) && !told.contains(&(it.span(), it.code.to_string()))
        });
        self.checked(sources, found);
    }
}
/// The way of places from older texts to newer ones, where one edit lies between them.
struct Way<'s> {
    from: &'s Sources,
    to: &'s Sources,
    known: BTreeMap<FileId, Option<Edit>>,
}

/// What lies between two texts: what is in front of `start` is the same, and so is what is behind `end`.
#[derive(Clone, Copy)]
struct Edit {
    file: FileId,
    start: usize,
    /// In the older text.
    end: usize,
    /// In the newer text.
    new_end: usize,
}

impl<'s> Way<'s> {
    fn new(from: &'s Sources, to: &'s Sources) -> Self {
        Self { from, to, known: BTreeMap::new() }
    }

    /// The diagnostics whose places are still there, without fixes: those are made for the older text.
    fn all(&mut self, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        diagnostics.iter().filter_map(|diagnostic| self.one(diagnostic)).collect()
    }

    /// Where the first text that is another is so.
    fn typed(&mut self) -> Option<Span> {
        let (from, to) = (self.from, self.to);
        let is_other = |(_, old): &(FileId, &Arc<SourceFile>)| {
            let new = to.find(&old.path).and_then(|id| to.get(id));
            new.is_some_and(|new| !Arc::ptr_eq(new, old) && *new.text != *old.text)
        };
        let (file, _) = from.iter().find(is_other)?;
        let Edit { file, start, new_end, .. } = self.edit(file)?;
        Some(Span::new(file, start, new_end))
    }

    fn edit(&mut self, file: FileId) -> Option<Edit> {
        let (from, to) = (self.from, self.to);
        *self.known.entry(file).or_insert_with(|| edit(from, to, file))
    }

    fn one(&mut self, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let mut moved = diagnostic.clone();
        moved.fixes.clear();
        for label in &mut moved.labels {
            label.span = self.span(label.span)?;
        }
        Some(moved)
    }

    fn span(&mut self, span: Span) -> Option<Span> {
        let edit = self.edit(span.file)?;
        let range = span.range();
        if range.end <= edit.start {
            return Some(Span { file: edit.file, ..span });
        }
        let start = range.start.checked_sub(edit.end)? + edit.new_end;
        Some(Span::new(edit.file, start, start + range.len()))
    }
}

fn edit(from: &Sources, to: &Sources, file: FileId) -> Option<Edit> {
    let old = from.get(file)?;
    let file = to.find(&old.path)?;
    let (old, new) = (old.text.as_bytes(), to.get(file)?.text.as_bytes());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - start;
    let back = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = back.take_while(|(a, b)| a == b).count();
    Some(Edit { file, start, end: old.len() - tail, new_end: new.len() - tail })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(old: &str, new: &str, word: &str) -> Option<String> {
        let (mut from, mut to) = (Sources::default(), Sources::default());
        from.add("other.bp", "");
        let file = from.add("main.bp", Arc::<str>::from(old));
        to.add("main.bp", Arc::<str>::from(new));
        let start = old.find(word).unwrap_or_default();
        let span = Way::new(&from, &to).span(Span::new(file, start, start + word.len()))?;
        Some(to.text(span).to_owned())
    }

    #[test]
    fn places_move_along_with_the_text() {
        assert_eq!(moved("aaa bbb ccc", "aaa xxxxx bbb ccc", "aaa").as_deref(), Some("aaa"));
        assert_eq!(moved("aaa bbb ccc", "aaa xxxxx bbb ccc", "ccc").as_deref(), Some("ccc"));
        assert_eq!(moved("aaa bbb ccc", "aaa ccc", "ccc").as_deref(), Some("ccc"));
        assert_eq!(moved("aaa bbb ccc", "aaa bxb ccc", "bbb"), None);
        assert_eq!(moved("aaa", "aaa", "aaa").as_deref(), Some("aaa"));
    }

    #[test]
    fn somebody_types_where_the_text_is_another() {
        let (mut from, mut to) = (Sources::default(), Sources::default());
        from.add("other.bp", Arc::<str>::from("same"));
        from.add("main.bp", Arc::<str>::from("nodes = 4"));
        to.add("other.bp", Arc::<str>::from("same"));
        let file = to.add("main.bp", Arc::<str>::from("nodes = 400"));
        assert_eq!(Way::new(&from, &to).typed(), Some(Span::new(file, 9, 11)));
        assert_eq!(Way::new(&to, &to).typed(), None);
    }
}
