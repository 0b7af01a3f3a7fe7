//! Files of tests that nobody has open: whoever asks for all places of a name means those in them as well.

use crate::project::options;
use crate::server::Server;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Depth, Stages, TESTS, analyse_in_stages, is_test_file};
use slipform_source::World;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Files of one project that are looked into, so that an answer comes while somebody waits for it.
const MOST_FILES: usize = 200;

/// How deep folders lie in each other that are looked into.
const DEEPEST: usize = 8;

/// Names and types of the tests of the projects that are open, except of those that are open themselves.
pub(crate) fn analyses(server: &Server) -> Vec<Arc<Analysis>> {
    let open = |path: &Utf8PathBuf| server.analyses().any(|it| it.sources.find(path).is_some());
    let files = tests(server).into_iter().filter(|path| !open(path));
    let analysed = |path: Utf8PathBuf| {
        let options = options(&path, &server.settings, &server.documents);
        let stages = Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Names, ahead: None };
        let parse = &mut slipform_syntax::parse;
        Arc::new(analyse_in_stages(&server.documents, &options, parse, stages))
    };
    files.map(analysed).collect()
}

/// The files of tests that speak of a file of their project.
fn tests(server: &Server) -> BTreeSet<Utf8PathBuf> {
    let mut found = BTreeSet::new();
    let homes: BTreeSet<Utf8PathBuf> = server.roots().filter_map(home).collect();
    for home in homes {
        let mut own = Vec::new();
        collect(&server.documents, &home.join(TESTS), DEEPEST, &mut own);
        found.extend(own);
    }
    found
}

/// The folder that a blueprint's `tests` lies in.
fn home(root: &Utf8Path) -> Option<Utf8PathBuf> {
    let folder = if root.extension() == Some("bp") { root.parent()? } else { root };
    Some(folder.to_owned())
}

fn collect(world: &dyn World, folder: &Utf8Path, depth: usize, found: &mut Vec<Utf8PathBuf>) {
    for name in world.list(folder) {
        if found.len() >= MOST_FILES || name.starts_with('.') {
            continue;
        }
        let path = folder.join(&name);
        if name.ends_with(".bp") {
            let uses = |text: Arc<str>| text.lines().any(|line| line.starts_with("use "));
            let speaks = is_test_file(&path) || world.read(&path).is_ok_and(uses);
            found.extend(speaks.then_some(path));
        } else if depth > 0 && path.extension().is_none() {
            collect(world, &path, depth - 1, found);
        }
    }
}
