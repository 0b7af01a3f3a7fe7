//! Every blueprint in the README and the book compiles: what people copy must work.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_tests::{checked_text, files, reports, root};

/// The ```` ```bp ```` blocks of a page. One that is marked `bp fragment` or `bp wrong` is not a whole program.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) if info == "bp" || info.starts_with("bp ") => {
                open =
                    Some((at + 1, info.trim_start_matches("bp").trim().to_owned(), String::new()));
            }
            (None, Some(_)) => open = Some((at + 1, "other".to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, _, block)), None) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

#[test]
fn every_blueprint_on_every_page_compiles() {
    let mut pages = files("docs", ".md");
    pages.push("README.md".into());
    let mut compiled = 0;
    for page in pages {
        let text = std::fs::read_to_string(root().join(&page)).unwrap();
        for (line, mark, block) in blocks(&text) {
            let (analysis, _) = match mark.as_str() {
                "" | "wrong" => checked_text(&block),
                "fragment" => {
                    let tree = slipform_syntax::parse(slipform_source::FileId(0), &block);
                    assert!(tree.problems.is_empty(), "{page}:{line}: {:?}", tree.problems);
                    continue;
                }
                _ => continue,
            };
            let found = reports(&analysis);
            let errors = found.iter().any(|report| report.severity == "error");
            assert_eq!(errors, mark == "wrong", "{page}:{line}: {found:#?}");
            compiled += 1;
        }
    }
    assert!(compiled > 3, "only {compiled} blueprints were found");
}
