//! What pages show of the program's output is its output. A comment above a block says how it was made:
//!
//! ```text
//! <!-- shown: check, with `pipeline = 3` for `pipeline = 2` -->
//! <!-- shown: check of docs/tutorial.md -->
//! <!-- shown: build -->
//! <!-- shown: file 30-a3m/node_pools.tf -->
//! <!-- shown: explain train.bp:14 -->
//! <!-- shown: project test sizes, with `16` for `32` and `flex_start` for `spot` -->
//! ```
//!
//! The blueprint is the last whole one above, or the first one of the page that is named; it lies in `train.bp`. Of a
//! `project`, each block lies where the line above it says; what its tests keep is kept before the changes. Lines of three dots stand
//! for what is left out.

use slipform::Console;
use slipform_analysis::Options;
use slipform_source::MemoryWorld;
use slipform_tests::{checked, root};
use std::fs;
use std::path::{Path, PathBuf};

/// A block of a page.
struct Block {
    line: usize,
    info: String,
    /// The file that it is, as the line above says.
    file: Option<String>,
    /// What stands in the comment directly above.
    made: Option<String>,
    text: String,
}

/// What is shown on a page but is not what the program says.
pub(crate) fn mistakes(page: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut blueprint = None;
    let all = blocks(text);
    let files = all.iter().filter_map(|block| Some((block.file.clone()?, block.text.clone())));
    let files: Vec<(String, String)> = files.collect();
    for block in all {
        let at = format!("{page}:{}", block.line);
        match &block.made {
            _ if matches!(block.info.as_str(), "bp" | "bp wrong") => blueprint = Some(block.text),
            Some(made) => {
                let output = match made.strip_prefix("project ") {
                    Some(command) => of_project(command, &files).map_err(|it| it.to_string()),
                    None => output(made, blueprint.as_deref(), &block.text),
                };
                let why = match output {
                    Ok(output) if holds(&output, &block.text) => continue,
                    Ok(output) => output.lines().take(40).collect::<Vec<_>>().join("\n"),
                    Err(why) => why,
                };
                found.push(format!("{at} does not show what `{made}` gives:\n{why}"));
            }
            None if is_report(&block.text) => {
                found.push(format!("{at} shows a report and does not say how it is made"));
            }
            None => {}
        }
    }
    found
}

fn is_report(text: &str) -> bool {
    ["error[", "warning[", "{\"code\""].iter().any(|head| text.starts_with(head))
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let (mut above, mut last) = ("", "");
    for (at, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let made =
                    above.strip_prefix("<!-- shown: ").and_then(|it| it.strip_suffix(" -->"));
                let made = made.map(str::to_owned);
                let file = last.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
                let (line, file) = (at + 1, file.map(str::to_owned));
                open = Some(Block { line, info: info.to_owned(), file, made, text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
        above = line;
        last = if line.is_empty() { last } else { line };
    }
    found
}

/// What a comment stands for.
fn output(made: &str, blueprint: Option<&str>, shown: &str) -> Result<String, String> {
    let (what, change) = made.split_once(", with ").map_or((made, None), |(a, b)| (a, Some(b)));
    let (what, page) = what.split_once(" of ").map_or((what, None), |(a, b)| (a, Some(b)));
    let mut blueprint = match page {
        Some(page) => first_blueprint(page)?,
        None => blueprint.ok_or("no blueprint stands above")?.to_owned(),
    };
    if let Some((new, old)) = change.and_then(|change| change.split_once(" for ")) {
        let (new, old) = (new.trim_matches('`'), old.trim_matches('`'));
        let at = blueprint.rfind(old).ok_or_else(|| format!("`{old}` is not in the blueprint"))?;
        blueprint.replace_range(at..at + old.len(), new);
    }
    match what.split_once(' ') {
        Some(("file", path)) => artifact(&blueprint, path),
        Some(("explain", place)) => explained(&blueprint, place).map_err(|error| error.to_string()),
        _ => said(what, &blueprint, shown).map_err(|error| error.to_string()),
    }
}

fn first_blueprint(page: &str) -> Result<String, String> {
    let text = fs::read_to_string(root().join(page)).map_err(|error| format!("{page}: {error}"))?;
    let found = blocks(&text).into_iter().find(|block| block.info == "bp");
    found.map(|block| block.text).ok_or_else(|| format!("{page} has no blueprint"))
}

fn artifact(blueprint: &str, path: &str) -> Result<String, String> {
    let world = MemoryWorld::new([("train.bp", blueprint)]);
    let options = Options { path: "train.bp".into(), build: true, ..Options::default() };
    let (_, output) = checked(&world, &options);
    let found = output.artifacts.into_iter().find(|artifact| artifact.path == path);
    found.map(|artifact| artifact.content).ok_or_else(|| format!("nothing is written to {path}"))
}

/// What `slipform check train.bp` or `slipform build train.bp` says, in the format that is shown.
fn said(command: &str, blueprint: &str, shown: &str) -> std::io::Result<String> {
    let folder = folder(blueprint)?;
    let format = match shown {
        _ if shown.starts_with('{') => "json",
        _ if shown.starts_with("train.bp:") => "short",
        _ => "human",
    };
    let (_, err) = run(&folder, &[command, "train.bp", "--message-format", format]);
    Ok(err)
}

/// What `slipform explain` says of a line, once everything is built.
fn explained(blueprint: &str, place: &str) -> std::io::Result<String> {
    let folder = folder(blueprint)?;
    run(&folder, &["build", "train.bp"]);
    let (out, err) = run(&folder, &["explain", place]);
    Ok(out + &err)
}

/// What a command says in the project of a page, where its files have changed since the tests kept what they keep.
fn of_project(made: &str, files: &[(String, String)]) -> std::io::Result<String> {
    let (command, changes) = made.split_once(", with ").unwrap_or((made, ""));
    let folder = folder("")?;
    fs::remove_file(folder.join("train.bp"))?;
    let write = |changes: &[(&str, &str)]| {
        files.iter().try_for_each(|(path, text)| {
            let at = folder.join(path);
            fs::create_dir_all(at.parent().unwrap_or(&folder))?;
            let of_project = !path.starts_with("tests/");
            let changes = changes.iter().filter(|_| of_project);
            fs::write(at, changes.fold(text.clone(), |text, (new, old)| text.replace(old, new)))
        })
    };
    write(&[])?;
    run(&folder, &["test", "--update"]);
    let changes = changes.split(" and ").filter_map(|change| change.split_once(" for "));
    let changes: Vec<(&str, &str)> =
        changes.map(|(new, old)| (new.trim_matches('`'), old.trim_matches('`'))).collect();
    write(&changes)?;
    let (out, err) = run(&folder, &command.split(' ').collect::<Vec<_>>());
    Ok(out + &err)
}

/// A folder with the blueprint alone.
fn folder(blueprint: &str) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shown");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("train.bp"), blueprint)?;
    Ok(folder)
}

/// What a command line writes to both streams.
fn run(folder: &Path, words: &[&str]) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["slipform"].iter().chain(words).map(Into::into);
    slipform::run(args, &mut Console::new(&mut out, &mut err), folder);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(out), text(err))
}

/// Whether the pieces between lines of dots occur in this order.
fn holds(output: &str, shown: &str) -> bool {
    let lines: Vec<&str> = shown.trim_end().lines().collect();
    let mut rest = output;
    lines.split(|line| line.trim() == "...").all(|piece| {
        let piece = piece.join("\n");
        let Some((_, behind)) = rest.split_once(&piece) else { return false };
        rest = behind;
        true
    })
}
