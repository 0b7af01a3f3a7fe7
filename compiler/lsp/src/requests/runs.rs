//! What the compiler does with a blueprint from a command line, and where more is said of what stands at a place.

use super::{At, patches, spot};
use crate::documents::path_of;
use crate::pages;
use crate::project::root_of;
use crate::server::{Place, Server};
use crate::{convert, requests::Whole};
use camino::Utf8Path;
use gen_lsp_types as lsp;
use serde_json::{Value, json};
use slipform_analysis::{PROJECT_FILE, TESTS, is_test_file};
use slipform_source::{Span, World};

/// The program, as it is called on the `PATH`: an editor puts the one there that it was told of.
const PROGRAM: &str = "slipform";

/// The commands of a project, or of a blueprint that stands alone; of a file of tests those that run it, and each of its tests.
pub(super) fn runnables(server: &Server, params: &Whole) -> Option<Vec<Value>> {
    let place = server.place(&params.text_document.uri)?;
    let path = path_of(&params.text_document.uri)?;
    let root = root_of(&path, &server.documents);
    let alone = root == path;
    let folder = if alone { path.parent()? } else { &root };
    let given = if alone { path.file_name()? } else { "." };
    let tests = folder.join(TESTS);
    let mut found = Vec::new();
    if path.starts_with(&tests) {
        found.extend(of_tests(server, &place, &path, folder));
        return Some(found);
    }
    for command in ["check", "build"] {
        let args = [command.to_owned()].into_iter().chain(chosen(server));
        found.push(run(args.chain([given.to_owned()]), folder, None));
    }
    if !alone && server.documents.read(&root.join(PROJECT_FILE)).is_ok() {
        let has_tests = server.documents.list(&tests).iter().any(|name| name.ends_with(".bp"));
        found.extend(has_tests.then(|| run(["test".to_owned()], folder, None)));
    }
    Some(found)
}

fn of_tests(server: &Server, place: &Place, path: &Utf8Path, folder: &Utf8Path) -> Vec<Value> {
    let Some(name) = path.file_name() else { return Vec::new() };
    let stem = name.trim_end_matches(".bp").trim_end_matches(".test");
    let whole = Span::new(place.file, 0, place.source.text.len());
    let one = |name: &str, span: Span| {
        let at = convert::location(
            span,
            &place.analysis.sources,
            &server.documents,
            server.settings.encoding,
        );
        run(["test".to_owned(), format!("{stem}{name}")], folder, at)
    };
    let mut found = vec![one(if is_test_file(path) { "::" } else { "" }, whole)];
    let tests = place.analysis.tests.tests.iter().filter(|it| it.name.span.file == place.file);
    let named = tests.filter(|it| !it.name.value.is_empty());
    found.extend(named.map(|it| one(&format!("::{}", it.name.value), it.name.span)));
    found
}

/// What was chosen in the editor holds for its commands as well.
fn chosen(server: &Server) -> Vec<String> {
    let environment = server.settings.environment.iter();
    let environment = environment.flat_map(|name| ["--env".to_owned(), name.clone()]);
    let set = server.settings.set.iter();
    let set = set.flat_map(|(name, value)| ["--set".to_owned(), format!("{name}={value}")]);
    environment.chain(set).collect()
}

fn run(
    args: impl IntoIterator<Item = String>,
    folder: &Utf8Path,
    at: Option<lsp::Location>,
) -> Value {
    let args: Vec<String> = args.into_iter().collect();
    let target = at.map(
        |it| json!({ "targetUri": it.uri, "targetRange": it.range, "targetSelectionRange": it.range }),
    );
    json!({
        "label": format!("{PROGRAM} {}", args.join(" ")),
        "location": target,
        "kind": "shell",
        "args": { "program": PROGRAM, "args": args, "cwd": folder.as_str() },
    })
}

/// The page that says more: of a key of a patch its consumer's, of what is reported, or allowed, what its code means.
pub(super) fn documentation(server: &Server, params: &At) -> Option<String> {
    let spot = spot(server, params)?;
    if let Some(page) = patches::page(&spot) {
        return Some(page);
    }
    let text = &spot.place.source.text;
    let is_code = |c: char| c.is_ascii_alphanumeric() || "-/_".contains(c);
    let (head, tail) = text.split_at_checked(spot.offset)?;
    let start = head.trim_end_matches(is_code).len();
    let end = text.len() - tail.trim_start_matches(is_code).len();
    let here = Span::new(spot.place.file, spot.offset, spot.offset);
    let reports = spot.place.analysis.diagnostics.iter();
    let reported = reports.filter(|it| it.span().is_some_and(|it| it.meets(here)));
    let reported: Vec<&str> = reported.map(|it| &*it.code).collect();
    let codes = text.get(start..end).into_iter().chain(reported);
    codes.filter_map(pages::address).map(|it| it.to_string()).next()
}
