//! What platforms do with the fields of workloads.

use crate::page::Page;
use slipform_targets::coverage::{Cover, Platform};

pub(crate) fn page() -> Page {
    let mut page = Page::new("platforms.md", "Platforms");
    page.line("A workload is written the same for GKE, Slurm and Vertex AI. This is what each does with its fields.");
    for kind in ["workload", "side_job"] {
        section(&mut page, kind);
    }
    page
}

fn section(page: &mut Page, kind: &str) {
    page.heading(2, &format!("Fields of a {}", kind.replace('_', " ")));
    let mut head = vec!["field"];
    head.extend(Platform::ALL.map(Platform::title));
    let mut notes: Vec<String> = Vec::new();
    let rows: Vec<Vec<String>> = Platform::Gke
        .rows(kind)
        .into_iter()
        .flatten()
        .map(|(field, _)| {
            let name = if field.is_empty() { kind } else { field };
            let cells = Platform::ALL.map(|platform| cell(platform, kind, field, name, &mut notes));
            std::iter::once(format!("`{name}`")).chain(cells).collect()
        })
        .collect();
    page.table(&head, rows);
    notes.into_iter().for_each(|note| page.line(&note));
}

/// What becomes of a field, in a word; why stands below the table.
fn cell(
    platform: Platform,
    kind: &str,
    field: &str,
    name: &str,
    notes: &mut Vec<String>,
) -> String {
    let rows = platform.rows(kind).unwrap_or_default();
    let of_kind = rows.iter().find(|(known, cover)| known.is_empty() && refuses(*cover));
    let own = rows.iter().find(|(known, _)| *known == field).or(of_kind);
    let Some((at, cover)) = own else { return String::new() };
    let (word, why) = match cover {
        Cover::Honoured => return "yes".to_owned(),
        Cover::Noted(why) => ("yes", Some((*why).to_owned())),
        Cover::NoEffect(why) => ("no effect", Some((*why).to_owned())),
        Cover::Ignored(answer) => {
            ("left out, with a warning", Some(told(answer.why, answer.code.name)))
        }
        Cover::Refused(answer) => ("refused", Some(told(answer.why, answer.code.name))),
        Cover::Ruled(code) => ("by rule", Some(format!("`{code}`"))),
    };
    if let Some(why) = why.filter(|_| *at == field) {
        notes.push(format!("- `{name}` on {}: {why}.", platform.title()));
    }
    word.to_owned()
}

fn refuses(cover: Cover) -> bool {
    matches!(cover, Cover::Refused(_))
}

fn told(why: &str, code: &str) -> String {
    format!("{why} (`{code}`)")
}
