//! What an editor asks of an analysis, as plain data: spans and text. No protocol, no I/O, nothing kept between questions.
//!
//! Every question is total: an offset outside of any file gets no answer. Texts are Markdown. The answers hold for the
//! text that was analysed; they are worked out when they are asked for, so that analysing stays cheap.

mod actions;
mod allowances;
mod autos;
mod cards;
mod choices;
mod complete;
mod components;
mod cursor;
mod declared;
mod definition;
mod editing;
mod facts_file;
mod helps;
mod hints;
mod hover;
mod imports;
mod in_force;
mod keys;
mod lenses;
mod lines;
mod mends;
mod moves;
mod patches;
mod project_file;
mod ranges;
mod references;
mod sayings;
mod shape;
mod show;
mod signature;
mod symbols;
mod tested;
mod ties;
mod tokens;
mod toml_place;
pub(crate) mod unused;
mod words;

pub use actions::{Action, ActionKind, actions, fix_all, without_all_unused};
pub use complete::{Completion, CompletionKind, FieldsOf, Offered, Unread, complete, plain};
pub use cursor::word_at;
pub(crate) use definition::module;
pub use definition::{definition, links, type_definition};
pub use editing::{gone_on, joined, swapped};
pub use helps::told;
pub use hints::{Hint, hints};
pub use hover::{hover, hover_so_far};
pub use imports::imports;
pub use lenses::{Lens, lenses};
pub use lines::{Holding, Said, rules_of, said_at, shown};
pub use mends::UNSPOKEN;
pub use moves::{Move, moved, repathed};
pub use patches::{PatchPlace, patch_place};
pub use project_file::meaning;
pub use references::{References, Renamed, is_name, references, renamed};
pub use sayings::{Saying, instead, saying_of, sayings};
pub use shape::{Fold, FoldKind, around, folds};
pub use signature::{Signature, signature};
pub use symbols::{Symbol, SymbolKind, symbols};
pub use ties::{Node, Tie, needed_by, needs, node_at};
pub use tokens::{Token, TokenKind, tokens};
pub use unused::{NAMES_UNUSED, Unused, idle, unused};

use crate::Analysis;
use camino::Utf8Path;
use slipform_model::{Diagnostic, Fix};
use slipform_source::Span;

/// What is known of a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Hover {
    /// The word or the value that it is about.
    pub span: Span,
    /// Its type, documentation and value, and the facts behind it.
    pub markdown: String,
}

/// The edits that mend problems at a place, or that take away what stands there, each with the problem that it mends.
pub fn fixes(reports: &[Diagnostic], at: Span) -> Vec<(&Diagnostic, &Fix)> {
    let takes = |fix: &Fix| fix.edits.iter().any(|(span, new)| new.is_empty() && span.covers(at));
    let near = reports.iter().filter(|diagnostic| {
        let is_shown = diagnostic.labels.iter().any(|label| label.span.meets(at));
        is_shown || diagnostic.fixes.iter().any(takes)
    });
    near.flat_map(|diagnostic| diagnostic.fixes.iter().map(move |fix| (diagnostic, fix))).collect()
}

/// What is reported of something that is no longer to be had: editors strike it out.
pub const RETIRED: [&str; 2] = ["gpu/gone", "vertex/gpu-gone"];

/// Whether what is offered is no longer to be had.
pub fn is_retired(analysis: &Analysis, it: &Completion) -> bool {
    let gpu = analysis.catalog.gpu(it.label.trim_matches('"'));
    it.kind == CompletionKind::Value && gpu.is_some_and(|gpu| gpu.gone.is_some())
}

/// The text of a file of the standard library, by its virtual path: `std/kinds/cluster.bp`.
pub fn library_text(path: &Utf8Path) -> Option<&'static str> {
    slipform_stdlib::FILES.iter().find(|(known, _)| path == *known).map(|(_, text)| *text)
}
