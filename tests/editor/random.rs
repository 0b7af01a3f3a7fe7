//! A server that has seen thousands of edits answers as one that sees the text for the first time.
//!
//! `SLIPFORM_EDITS=10000` makes so many, `SLIPFORM_SEED` others than usual.

use super::{FLEET, MAIN, document};
use crate::client::Editor;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::str::FromStr;

/// Edits between two comparisons.
const BETWEEN: usize = 10;

/// Edits until the text begins anew: much of what is left by then nobody can read.
const ROUND: usize = 120;

/// What is typed: words of the language, what opens and closes, letters of several bytes.
const TYPED: [&str; 34] = [
    " ",
    "\n",
    "\"",
    "\"\"\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ".",
    "=",
    "==",
    "#",
    "##",
    "${",
    "/*",
    "*/",
    "é",
    "\u{1F600}",
    "let ",
    "param ",
    "network ",
    "pool ",
    " on gke",
    "if ",
    "for ",
    " in ",
    "use ",
    "4x4",
    "10.0.0.0/20",
    "slices",
    "component x {\n",
];

/// Questions about the whole of a text.
const OF_ALL: [&str; 7] = [
    "textDocument/semanticTokens/full",
    "textDocument/foldingRange",
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/formatting",
    "textDocument/inlayHint",
];

/// Questions about a place of it.
const OF_PLACE: [&str; 9] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/signatureHelp",
    "textDocument/prepareRename",
    "textDocument/codeAction",
];

/// Numbers without a pattern, always the same ones (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % most.max(1)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let places: Vec<usize> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        places[self.below(places.len())]
    }
}

fn told<T: FromStr<Err: Debug>>(name: &str, usual: T) -> T {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

fn position(text: &str, at: usize) -> Value {
    let head = &text[..at];
    let column = head.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    json!({ "line": head.matches('\n').count(), "character": column })
}

/// An edit: what goes, and what comes in its place.
fn edit(dice: &mut Dice, text: &str) -> (usize, usize, String) {
    let at = dice.place(text);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    let typed = TYPED[dice.below(TYPED.len())].to_owned();
    match dice.below(8) {
        0 => (line, end, String::new()),
        1 => (line, line, text[line..end].to_owned()),
        2 | 3 => {
            let reach: usize = text[at..].chars().take(dice.below(9)).map(char::len_utf8).sum();
            (at, at + reach, String::new())
        }
        4 => {
            let reach: usize = text[at..].chars().take(dice.below(5)).map(char::len_utf8).sum();
            (at, at + reach, typed)
        }
        _ => (at, at, typed),
    }
}

/// All that a server says of a text, and of some places in it.
fn answers(
    editor: &mut Editor,
    version: i32,
    text: &str,
    places: &[usize],
) -> Vec<(String, Value)> {
    let whole = json!({ "start": position(text, 0), "end": position(text, text.len()) });
    let params = json!({ "textDocument": document(), "range": whole });
    let mut found: Vec<(String, Value)> =
        OF_ALL.iter().map(|it| ((*it).to_owned(), editor.ask(it, params.clone()))).collect();
    for at in places {
        let at = position(text, *at);
        let params = json!({
            "textDocument": document(), "position": at, "range": { "start": at, "end": at },
            "context": { "diagnostics": [], "includeDeclaration": true },
        });
        for method in OF_PLACE {
            let answer = editor.try_ask(method, params.clone()).unwrap_or_else(Value::String);
            found.push((format!("{method} at {at}"), answer));
        }
    }
    // of a burst of edits some is told early, and all of it once all is known, which these answers ask for
    editor.ask("textDocument/codeLens", json!({ "textDocument": document() }));
    let mut told = editor.said.iter().rev().map(|note| &note.params);
    let told = told.find(|it| it["uri"] == MAIN && it["version"] == version).expect("a report");
    let mut reports = told["diagnostics"].as_array().unwrap().clone();
    reports.sort_by_key(Value::to_string);
    found.push(("what is reported".to_owned(), reports.into()));
    found
}

/// Edits of a large blueprint, of which a request waits for no more than it needs.
const OF_A_LARGE_ONE: usize = 12;

#[test]
fn of_a_large_blueprint_all_is_answered_as_if_it_were_known_at_once() {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut text = FLEET.to_owned();
    for at in 0..110 {
        text.push_str(&format!("\nbucket b{at} {{\n  location = place\n}}\n"));
    }
    let mut old = Editor::new();
    old.open(MAIN, &text);
    // from here on it is known to be large
    old.diagnostics(MAIN, 1);
    for step in 1..=OF_A_LARGE_ONE {
        let version = i32::try_from(step).unwrap() + 1;
        let before = text.clone();
        let (start, end, new) = edit(&mut dice, &text);
        let range = json!({ "start": position(&text, start), "end": position(&text, end) });
        text.replace_range(start..end, &new);
        old.change(MAIN, version, json!([{ "range": range, "text": new }]));
        let mut fresh = Editor::new();
        fresh.open(MAIN, &text);
        let whole = json!({ "start": position(&text, 0), "end": position(&text, text.len()) });
        for at in [start.min(text.len()), text.find("gpus").unwrap_or(0) + 1] {
            let at = position(&text, at);
            for method in [
                "textDocument/hover",
                "textDocument/completion",
                "textDocument/inlayHint",
                "textDocument/codeLens",
                "textDocument/prepareCallHierarchy",
                "textDocument/codeAction",
            ] {
                let range = match method {
                    "textDocument/codeAction" => json!({ "start": at, "end": at }),
                    _ => whole.clone(),
                };
                let params = json!({
                    "textDocument": document(), "position": at, "range": range, "context": { "diagnostics": [] },
                });
                let known = old.ask(method, params.clone());
                assert_eq!(known, fresh.ask(method, params), "{method} at {at} after\n{before}");
            }
        }
        // what somebody breaks is mended, so that there is something to know
        if step % 3 == 0 {
            text = before;
            old.replace(MAIN, version + 1000, &text);
        }
        old.said.clear();
    }
}

#[test]
fn a_server_that_saw_many_edits_answers_as_a_new_one() {
    let (edits, seed) =
        (told("SLIPFORM_EDITS", 1000), told("SLIPFORM_SEED", 0x2545_F491_4F6C_DD1D));
    let mut dice = Dice(seed);
    let mut old = Editor::new();
    let mut text = FLEET.to_owned();
    old.open(MAIN, &text);
    for step in 1..=edits {
        let version = i32::try_from(step).unwrap() + 1;
        let (start, end, new) = match step % ROUND {
            0 => (0, text.len(), FLEET.to_owned()),
            _ => edit(&mut dice, &text),
        };
        let range = json!({ "start": position(&text, start), "end": position(&text, end) });
        text.replace_range(start..end, &new);
        old.change(MAIN, version, json!([{ "range": range, "text": new }]));
        if step % BETWEEN != 0 {
            continue;
        }
        let places = [dice.place(&text), dice.place(&text)];
        let mut new = Editor::new();
        new.open(MAIN, &text);
        let expected = answers(&mut new, 1, &text, &places);
        for (known, new) in answers(&mut old, version, &text, &places).iter().zip(&expected) {
            assert_eq!(known, new, "after {step} edits (seed {seed}) of\n{text}");
        }
        old.said.clear();
    }
}
