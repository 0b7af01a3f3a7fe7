//! The reference under `docs/reference`: pages made from the standard library, the functions, the catalog and the
//! targets. A page on disk that differs fails; `UPDATE=1` in the environment writes the pages instead.

use camino::Utf8PathBuf;
use slipform_analysis::{Analysis, Options, analyse};
use slipform_source::MemoryWorld;
use slipform_tests::{files, root};
use std::collections::BTreeMap;
use std::fs;

#[path = "reference/catalog.rs"]
mod catalog;
#[path = "reference/components.rs"]
mod components;
#[path = "reference/functions.rs"]
mod functions;
#[path = "reference/kinds.rs"]
mod kinds;
#[path = "reference/mistakes.rs"]
mod mistakes;
#[path = "reference/page.rs"]
mod page;
#[path = "reference/platforms.rs"]
mod platforms;
#[path = "reference/rules.rs"]
mod rules;
#[path = "reference/shown.rs"]
mod shown;
#[path = "reference/targets.rs"]
mod targets;
#[path = "reference/types.rs"]
mod types;

use page::Page;

const FOLDER: &str = "docs/reference";

/// The standard library, as a blueprint without a word finds it.
fn library() -> Analysis {
    let world = MemoryWorld::new([("main.bp", "")]);
    analyse(&world, &Options { path: "main.bp".into(), ..Options::default() })
}

fn pages() -> Vec<Page> {
    let library = library();
    let mut pages = vec![contents()];
    pages.extend(kinds::pages(&library));
    pages.push(types::page(&library));
    pages.push(functions::page());
    pages.push(components::page(&library));
    pages.extend(rules::pages());
    pages.push(catalog::page());
    pages.push(targets::page());
    pages.push(platforms::page());
    pages
}

fn contents() -> Page {
    let mut page = Page::new("README.md", "Reference");
    page.line("| page | holds |");
    page.line("|---|---|");
    for (link, title, about) in [
        ("kinds/README.md", "Kinds", "the nouns and their fields"),
        ("types.md", "Types", "what fields hold"),
        ("functions.md", "Functions", "what expressions may call"),
        ("components.md", "Components", "ready-made parts"),
        ("rules/README.md", "Rules", "what must hold, and why"),
        ("catalog.md", "Catalog", "what is known of machines, GPUs, TPUs and places"),
        ("platforms.md", "Platforms", "what GKE, Slurm and Vertex AI do with each field"),
        ("targets.md", "Targets", "what is written, and the documents that may be patched"),
    ] {
        page.line(&format!("| [{title}]({link}) | {about} |"));
    }
    page
}

#[test]
fn the_pages_on_disk_are_those_of_the_library() {
    let pages: BTreeMap<Utf8PathBuf, String> = pages()
        .into_iter()
        .map(|page| (Utf8PathBuf::from(FOLDER).join(&page.path), page.text()))
        .collect();
    let strays: Vec<Utf8PathBuf> =
        files(FOLDER, ".md").into_iter().filter(|path| !pages.contains_key(path)).collect();
    if std::env::var_os("UPDATE").is_some() {
        for path in strays {
            fs::remove_file(root().join(path)).unwrap();
        }
        for (path, text) in pages {
            let path = root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        return;
    }
    let on_disk = |path: &Utf8PathBuf| fs::read_to_string(root().join(path)).unwrap_or_default();
    let stale: Vec<&Utf8PathBuf> =
        pages.iter().filter(|(path, text)| on_disk(path) != **text).map(|(path, _)| path).collect();
    assert!(
        stale.is_empty() && strays.is_empty(),
        "out of date: {stale:?}, of nothing: {strays:?}; `{}` writes them",
        page::COMMAND
    );
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let mut broken = Vec::new();
    for path in files("docs", ".md").into_iter().chain(["README.md".into()]) {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let folder = path.parent().unwrap();
        for link in page::links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { root().join(&path) } else { root().join(folder).join(file) };
            let found = match fs::read_to_string(&target) {
                Ok(text) => {
                    anchor.is_empty() || page::anchors(&text).iter().any(|known| known == anchor)
                }
                Err(_) => target.exists() && anchor.is_empty(),
            };
            if !found {
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn what_pages_show_is_what_the_program_says() {
    let mut mistakes = Vec::new();
    for path in files("docs", ".md").into_iter().chain(["README.md".into()]) {
        if !path.starts_with(FOLDER) {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            mistakes.extend(shown::mistakes(path.as_str(), &text));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// The page promises to have all that others apply, but for a few with a reason each.
#[test]
fn few_manifests_of_others_are_not_written() {
    let page = fs::read_to_string(root().join("docs/how-to/kueue-manifests.md")).unwrap();
    let (_, rest) = page.split_once("## What is not written\n").unwrap();
    let rows: Vec<&str> = rest.lines().filter(|line| line.starts_with("| Kueue's ")).collect();
    assert!((1..=5).contains(&rows.len()), "{rows:#?}");
    let reasoned = |row: &&str| row.split('|').nth(2).is_some_and(|why| !why.trim().is_empty());
    assert!(rows.iter().all(reasoned), "{rows:#?}");
}

#[test]
fn the_readme_lists_every_command() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = ["slipform", "--help"].map(Into::into);
    slipform::run(args, &mut slipform::Console::new(&mut out, &mut err), root().as_std_path());
    let help = String::from_utf8(out).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<&str> =
        commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"build"), "{help}");
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let listed: Vec<&str> = readme
        .split("| `slipform ")
        .skip(1)
        .filter_map(|row| row.split([' ', '`']).next())
        .collect();
    let made: Vec<&str> = names.into_iter().filter(|name| *name != "help").collect();
    let missing: Vec<&&str> = made.iter().filter(|name| !listed.contains(name)).collect();
    let strange: Vec<&&str> = listed.iter().filter(|name| !made.contains(name)).collect();
    assert!(
        missing.is_empty() && strange.is_empty(),
        "not listed: {missing:?}, not there: {strange:?}"
    );
}
