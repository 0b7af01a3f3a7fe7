//! Diagnostics as documents for other programs have them: one place, one text, a level.

use super::{Found, Places};
use slipform_model::{Diagnostic, Severity};
use slipform_source::{Encoding, Span};

/// One diagnostic.
pub(super) struct Finding<'a> {
    pub(super) diagnostic: &'a Diagnostic,
    /// The sentence, and what to do about it.
    pub(super) text: String,
    pub(super) place: Option<Place>,
    /// The other places, each with what is to be seen there.
    pub(super) others: Vec<(Place, &'a str)>,
    /// Edits that mend it, where there is one way: each with its place.
    pub(super) edits: Vec<(Place, &'a str)>,
}

/// A part of a file. Lines and columns count from one, columns in characters.
pub(super) struct Place {
    pub(super) file: String,
    pub(super) start: (u32, u32),
    pub(super) end: (u32, u32),
    /// The columns in bytes.
    pub(super) bytes: (u32, u32),
}

/// All of them, in their order.
pub(super) fn findings<'a>(found: &[&'a Found<'a>]) -> Vec<Finding<'a>> {
    let each = found.iter().flat_map(|it| it.diagnostics.iter().map(|one| (&it.places, one)));
    each.map(|(places, diagnostic)| finding(places, diagnostic)).collect()
}

fn finding<'a>(places: &Places<'_>, diagnostic: &'a Diagnostic) -> Finding<'a> {
    let mut text = diagnostic.message.clone();
    let first = diagnostic.labels.first().map(|label| label.text.as_str()).unwrap_or_default();
    if !first.is_empty() {
        text.push_str(&format!(": {first}"));
    }
    for help in &diagnostic.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let others = diagnostic.labels.iter().skip(1);
    let edits = match diagnostic.fixes.as_slice() {
        [only] => only.edits.as_slice(),
        _ => &[],
    };
    Finding {
        diagnostic,
        text,
        place: diagnostic.span().and_then(|span| place(places, span)),
        others: others.filter_map(|it| Some((place(places, it.span)?, it.text.as_str()))).collect(),
        edits: edits
            .iter()
            .filter_map(|(span, text)| Some((place(places, *span)?, text.as_str())))
            .collect(),
    }
}

/// Where something stands in a file; what the command line says stands in none.
fn place(places: &Places<'_>, span: Span) -> Option<Place> {
    let file = places.file(span).filter(|file| !Places::is_setting(file))?;
    let at = |offset: u32, encoding: Encoding| {
        let at = file.lines().position(&file.text, offset as usize, encoding);
        (at.line + 1, at.column + 1)
    };
    Some(Place {
        file: places.shown(span.file, file),
        start: at(span.start, Encoding::Chars),
        end: at(span.end, Encoding::Chars),
        bytes: (at(span.start, Encoding::Utf8).1, at(span.end, Encoding::Utf8).1),
    })
}

/// A word for each severity: of an error, a warning, a piece of advice.
pub(super) fn level(severity: Severity, words: [&'static str; 3]) -> &'static str {
    let [error, warning, advice] = words;
    match severity {
        Severity::Error => error,
        Severity::Warning => warning,
        Severity::Advice => advice,
    }
}
