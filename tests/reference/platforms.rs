//! What platforms do with the fields of what stands on them.

use crate::page::Page;
use slipform_targets::coverage::{Cover, Platform, Row, shared};

/// A column of a table: who honours the fields, and how.
type Column = (&'static str, Vec<Row>);

/// What stands on a platform, and what each platform has of it.
const ON_PLATFORMS: [&str; 6] = ["workload", "group", "cluster", "pool", "queue", "partition"];
/// What all platforms share.
const SHARED: [&str; 9] = [
    "network",
    "bucket",
    "filesystem",
    "registry",
    "identity",
    "dashboard",
    "reservation",
    "machines",
    "image",
];

pub(crate) fn page() -> Page {
    let mut page = Page::new("platforms.md", "Platforms");
    page.line("What becomes of each field that a blueprint may write. A workload is written the same for GKE, Slurm and Vertex AI; `mounts.use` is the argument `use` of what stands in `mounts`. What is honoured where a noun is made is left out of an `existing` one, with the warning `existing/unused`; what says where Google Cloud holds a filesystem, of one that it does not hold, with `storage/unmanaged`.");
    for kind in ON_PLATFORMS {
        let columns = Platform::ALL.map(|it| Some((it.title(), it.rows(kind)?.copied().collect())));
        section(&mut page, kind, &columns.into_iter().flatten().collect::<Vec<_>>());
    }
    for kind in SHARED {
        let column = shared(kind).map(|rows| ("every platform", rows.copied().collect()));
        section(&mut page, kind, column.as_slice());
    }
    page
}

fn section(page: &mut Page, kind: &str, columns: &[Column]) {
    let article = if kind.starts_with('i') { "an" } else { "a" };
    page.heading(2, &format!("Fields of {article} {}", kind.replace('_', " ")));
    let mut head = vec!["field"];
    head.extend(columns.iter().map(|(title, _)| *title));
    let mut fields: Vec<&str> = Vec::new();
    for (field, _) in columns.iter().flat_map(|(_, rows)| rows.iter()) {
        if !fields.contains(field) {
            fields.push(field);
        }
    }
    let mut notes: Vec<String> = Vec::new();
    let rows: Vec<Vec<String>> = fields
        .into_iter()
        .map(|field| {
            let name = if field.is_empty() { kind } else { field };
            let cells = columns.iter().map(|column| cell(column, field, name, &mut notes));
            std::iter::once(format!("`{name}`")).chain(cells).collect()
        })
        .collect();
    page.table(&head, rows);
    notes.into_iter().for_each(|note| page.line(&note));
}

/// What becomes of a field, in a word; why stands below the table.
fn cell((title, rows): &Column, field: &str, name: &str, notes: &mut Vec<String>) -> String {
    let of_kind = rows.iter().find(|(known, cover)| known.is_empty() && refuses(*cover));
    let own = rows.iter().find(|(known, _)| *known == field).or(of_kind);
    let Some((at, cover)) = own else { return String::new() };
    let (word, why) = match cover {
        Cover::Making => return "yes, where it is made".to_owned(),
        Cover::Managed => return "yes, but of `nfs` and `path`".to_owned(),
        Cover::Honoured => return "yes".to_owned(),
        Cover::Only(_, answer) => ("yes", Some(told(answer.why, answer.code.name))),
        Cover::Noted(why) => ("yes", Some((*why).to_owned())),
        Cover::NoEffect(why) => ("no effect", Some((*why).to_owned())),
        Cover::Ignored(answer) => {
            ("left out, with a warning", Some(told(answer.why, answer.code.name)))
        }
        Cover::Refused(answer) => ("refused", Some(told(answer.why, answer.code.name))),
        Cover::Ruled(code) => ("by rule", Some(format!("`{code}`"))),
    };
    if let Some(why) = why.filter(|_| *at == field) {
        notes.push(format!("- `{name}` on {title}: {why}."));
    }
    word.to_owned()
}

fn refuses(cover: Cover) -> bool {
    matches!(cover, Cover::Refused(_))
}

fn told(why: &str, code: &str) -> String {
    format!("{why} (`{code}`)")
}
