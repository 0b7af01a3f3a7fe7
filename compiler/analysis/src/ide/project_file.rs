//! Help in `slipform.toml`: what may stand there, and what its words mean.

use super::complete::{Completion, CompletionKind, snippet};
use super::cursor::own_trees;
use super::toml_place::{TomlPlace, What};
use super::{Hover, cards, show, toml_place};
use crate::Analysis;
use crate::project::{EDITIONS, PROJECT_FILE};
use crate::types::{FactKind, Type};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Param, Stmt, StmtKind};

/// What a project says of itself: each word with an example of its value, and what it means.
pub(crate) const WORDS: [(&str, &str, &str); 5] = [
    (
        "name",
        "\"$0\"",
        "What it is called. States of Terraform lie below it: under another name an apply finds none, and makes everything a second time.",
    ),
    ("edition", "\"$0\"", "The edition of the language that its blueprints are written in."),
    ("environment", "\"$0\"", "The environment that is checked and built where none is named."),
    ("source", "\"$0\"", "The folder of its blueprints, where that is not the project's own."),
    ("out", "\"$0\"", "The folder that artifacts go to: `out` where it does not say."),
];

/// What a project says of its project on Google Cloud.
const CLOUD: [(&str, &str, &str); 2] = [
    (
        "prefix",
        "\"$0\"",
        "Stands before the names of what is made on Google Cloud, where the blueprint does not say them: `dev` for `dev-fabric`. Another one makes all of that a second time.",
    ),
    (
        "apis",
        "[\"$0.googleapis.com\"]",
        "APIs that are turned on besides those that something of the blueprint needs.",
    ),
];

/// The tables of the file, and what they are for.
const TABLES: [(&str, &str); 6] = [
    ("project", "What the project is called, and where its folders are."),
    ("params", "Values of parameters in every environment."),
    (
        "labels",
        "Labels of everything that is made on Google Cloud, so that its bill can be told apart: `cost-center = \"llm\"`. `[env.prod.labels]` has those of an environment.",
    ),
    (
        "quotas",
        "What the project has of quotas, as its page of quotas names them: `[quotas.us-east4]` those of a region, `[quotas]` those of all. What nouns take is held to it. `[env.prod.quotas]` has those of an environment.",
    ),
    (
        "cloud",
        "Of its project on Google Cloud: `prefix = \"dev\"` stands before names that the blueprint does not say, `apis = [\"bigquery.googleapis.com\"]` are turned on besides those that something needs. `[env.prod.cloud]` has those of an environment.",
    ),
    (
        "env",
        "An environment: `[env.prod.params]` has the values of parameters there, over those of `[params]`.",
    ),
];

/// What environments are called where there is none yet.
const USUAL: [&str; 3] = ["dev", "staging", "prod"];

/// The tables that an environment has of its own.
const OF_ENVIRONMENT: [&str; 4] = ["params", "labels", "quotas", "cloud"];

/// What stands before the name of a parameter in the table of an environment.
const PARAMS: &str = "params.";

/// What is known of a word of the file.
pub(super) fn hover(analysis: &Analysis, file: FileId, offset: usize) -> Option<Hover> {
    let place = TomlPlace::of(analysis, file, offset, PROJECT_FILE)?;
    let parts = match &place.what {
        What::Table => of_table(&place)?,
        What::Key { .. } => of_key(analysis, &place, place.written)?,
        What::Value { key, .. } => {
            let card = cards::named(&analysis.catalog, place.written);
            of_key(analysis, &place, key)?.into_iter().chain(card).collect()
        }
    };
    Some(Hover { span: place.span(), markdown: parts.join("\n\n") })
}

/// What a line of the file means, for people who read no markup; nothing where it is no word of it.
pub fn meaning(analysis: &Analysis, file: FileId, offset: usize) -> Option<String> {
    let place = TomlPlace::of(analysis, file, offset, PROJECT_FILE)?;
    match (&place.what, place.table.as_slice()) {
        (What::Table, _) => of_table(&place).map(|parts| parts.concat()),
        (What::Key { .. }, ["project"]) => {
            let key = place.written;
            let (.., doc) = WORDS.iter().find(|(name, ..)| *name == key)?;
            Some(format!("`{key}` is a text. {doc}"))
        }
        (What::Key { .. }, ["params" | "env", ..]) => {
            let key = place.written;
            let (_, param) = params(analysis).find(|(_, it)| is_called(it, key))?;
            let value = format!("`{key}` is a {}", written_type(analysis, param));
            let now = analysis.project.as_ref().map(|it| it.environment.as_str());
            Some(match place.table.get(1) {
                Some(other) if Some(*other) != now => format!(
                    "{value}, and this is its value in the environment `{other}`: `--env {other}` tells what it makes there"
                ),
                _ => value,
            })
        }
        _ => None,
    }
}

fn of_table(place: &TomlPlace<'_>) -> Option<Vec<String>> {
    let first = place.table.first().copied().unwrap_or(place.written);
    let (_, doc) = TABLES.iter().find(|(name, _)| *name == first)?;
    Some(vec![(*doc).to_owned()])
}

fn of_key(analysis: &Analysis, place: &TomlPlace<'_>, key: &str) -> Option<Vec<String>> {
    match place.table.as_slice() {
        ["project"] => {
            let (_, _, doc) = WORDS.iter().find(|(name, ..)| *name == key)?;
            Some(vec![(*doc).to_owned()])
        }
        ["cloud"] | ["env", _, "cloud"] => {
            let (_, _, doc) = CLOUD.iter().find(|(name, ..)| *name == key)?;
            Some(vec![(*doc).to_owned()])
        }
        ["params"] | ["env", _, "params"] => {
            let (stmt, param) = params(analysis).find(|(_, it)| is_called(it, key))?;
            let title = format!("param {key}: {}", written_type(analysis, param));
            let doc = stmt.doc.as_deref().map(str::to_owned);
            Some(
                std::iter::once(show::code(&title)).chain(doc).chain(held(analysis, key)).collect(),
            )
        }
        _ => None,
    }
}

/// The value that holds in the environment that is chosen.
fn held(analysis: &Analysis, key: &str) -> Option<String> {
    let project = analysis.project.as_ref()?;
    let value = &project.params.get(key)?.text;
    Some(format!(
        "In the environment `{}`:\n{}",
        project.environment,
        show::code(&format!("{key} = {value}"))
    ))
}

/// The name of the parameter that a key of the file gives a value.
pub(super) fn param_at(analysis: &Analysis, file: FileId, offset: usize) -> Option<Span> {
    let keys = &analysis.project.as_ref()?.keys;
    let (name, _) = keys.iter().find(|(_, at)| at.file == file && at.touches(offset))?;
    let (_, param) = params(analysis).find(|(_, it)| is_called(it, name))?;
    Some(param.name.as_ref()?.span)
}

/// What a word of the file leads to: a parameter of the blueprint, or the table of an environment.
pub(super) fn declared(analysis: &Analysis, file: FileId, offset: usize) -> Option<Span> {
    if let Some(param) = param_at(analysis, file, offset) {
        return Some(param);
    }
    let place = TomlPlace::of(analysis, file, offset, PROJECT_FILE)?;
    let is_environment = matches!(place.what, What::Value { key: "environment", .. });
    if !is_environment || place.table.as_slice() != ["project"] {
        return None;
    }
    toml_place::table(&analysis.sources.get(file)?.text, &["env", place.written])
        .map(|at| Span::new(file, at.start, at.end))
}

/// What may stand at a place of the file.
pub(super) fn complete(analysis: &Analysis, file: FileId, offset: usize) -> Vec<Completion> {
    let Some(place) = TomlPlace::of(analysis, file, offset, PROJECT_FILE) else {
        return Vec::new();
    };
    match (&place.what, place.table.as_slice()) {
        (What::Table, []) => TABLES.iter().map(|(name, doc)| table(&place, name, doc)).collect(),
        // above all tables the first of them begins
        (What::Key { follows: false }, []) => {
            let headed = |it: Completion| Completion { insert: format!("[{}]\n", it.insert), ..it };
            TABLES.iter().map(|(name, doc)| headed(table(&place, name, doc))).collect()
        }
        (What::Table, ["env"]) => {
            let mut names: Vec<&str> = environments(analysis).collect();
            names.retain(|name| !name.is_empty());
            // what the first ones are called as a rule
            let names = if names.is_empty() { USUAL.to_vec() } else { names };
            names.into_iter().map(|name| item(&place, name, CompletionKind::Name)).collect()
        }
        (What::Table, ["env", _]) => {
            OF_ENVIRONMENT.map(|name| item(&place, name, CompletionKind::Kind)).into()
        }
        // `params.zone = "us-east4-a"` in the table of the environment itself
        (What::Key { follows }, ["env", _]) => match place.before {
            "" => OF_ENVIRONMENT.map(|name| dotted(&place, name, *follows)).into(),
            PARAMS => keys_of_params(analysis, &place, *follows),
            _ => Vec::new(),
        },
        (What::Value { key, quoted }, ["env", _]) => {
            let param = key.strip_prefix(PARAMS);
            param.map(|param| values(analysis, &place, param, *quoted)).unwrap_or_default()
        }
        (What::Key { follows }, ["project"] | ["cloud"] | ["env", _, "cloud"]) => {
            let words = if place.table == ["project"] { &WORDS[..] } else { &CLOUD[..] };
            let free = words.iter().filter(|(name, ..)| !place.has(name));
            let words = free.map(|(name, value, doc)| Completion {
                doc: Some((*doc).into()),
                ..key(&place, name, value, *follows)
            });
            words.collect()
        }
        (What::Key { follows }, ["params"] | ["env", _, "params"]) => {
            keys_of_params(analysis, &place, *follows)
        }
        (What::Value { key, quoted }, ["project"]) => {
            let words: Vec<&str> = match *key {
                "edition" => EDITIONS.to_vec(),
                "environment" => environments(analysis).collect(),
                _ => Vec::new(),
            };
            words.into_iter().map(|word| text(&place, word, *quoted)).collect()
        }
        (What::Value { key, quoted }, ["params"] | ["env", _, "params"]) => {
            values(analysis, &place, key, *quoted)
        }
        _ => Vec::new(),
    }
}

fn environments(analysis: &Analysis) -> impl Iterator<Item = &str> {
    analysis.project.iter().flat_map(|it| &it.environments).map(String::as_str)
}

fn table(place: &TomlPlace<'_>, name: &str, doc: &str) -> Completion {
    let insert = if name == "env" { "env.${1:name}.params".to_owned() } else { name.to_owned() };
    Completion { insert, doc: Some(doc.into()), ..item(place, name, CompletionKind::Kind) }
}

/// The parameters that have no value in this table, those first that need one.
fn keys_of_params(analysis: &Analysis, place: &TomlPlace<'_>, follows: bool) -> Vec<Completion> {
    let mut found = Vec::new();
    for (stmt, param) in params(analysis) {
        let Some(name) = param.name.as_ref().map(|it| it.value.as_str()) else { continue };
        if place.has(&format!("{}{name}", place.before)) {
            continue;
        }
        let ty = param.ty.as_ref().and_then(|ty| analysis.signatures.written(ty));
        let value = if ty.is_some_and(is_bare) { "$0" } else { "\"$0\"" };
        found.push(Completion {
            detail: written_type(analysis, param),
            doc: stmt.doc.as_deref().map(Into::into),
            rank: u8::from(param.default.is_some()),
            ..key(place, name, value, follows)
        });
    }
    found
}

/// Whether values of a type have no quotes in the file.
fn is_bare(ty: &Type) -> bool {
    let bare = |arm: &Type| {
        matches!(arm.bare(), Type::Bool | Type::Int | Type::Float | Type::Number(_) | Type::List(_))
    };
    ty.arms().iter().all(bare)
}

/// The values that fit a parameter, as far as they can be told.
fn values(analysis: &Analysis, place: &TomlPlace<'_>, key: &str, quoted: bool) -> Vec<Completion> {
    let param = params(analysis).find(|(_, it)| is_called(it, key)).map(|(_, param)| param);
    let ty = param.and_then(|it| it.ty.as_ref()).and_then(|ty| analysis.signatures.written(ty));
    let catalog = &analysis.catalog;
    let mut found = Vec::new();
    for arm in ty.map(Type::arms).unwrap_or_default() {
        match arm.bare() {
            Type::Word(word) => found.push(text(place, word, quoted)),
            Type::Bool if !quoted => {
                found.extend(["true", "false"].map(|it| item(place, it, CompletionKind::Value)));
            }
            Type::Number(number) if !quoted => {
                found.push(item(place, &number.to_string(), CompletionKind::Value));
            }
            Type::Fact(kind) => {
                let names: Vec<String> = match kind {
                    FactKind::Machine => catalog.machine_names().map(str::to_owned).collect(),
                    FactKind::Zone => catalog.zones(),
                    FactKind::Region => catalog.regions().into_iter().map(str::to_owned).collect(),
                };
                found.extend(names.iter().map(|name| Completion {
                    kind: CompletionKind::Fact,
                    detail: catalog.machine(name).map(cards::machine_line).unwrap_or_default(),
                    ..text(place, name, quoted)
                }));
            }
            _ => {}
        }
    }
    found
}

/// The parameters of the blueprint.
fn params(analysis: &Analysis) -> impl Iterator<Item = (&Stmt, &Param)> {
    own_trees(analysis).flat_map(|tree| &tree.stmts).filter_map(|stmt| match &stmt.kind {
        StmtKind::Param(param) => Some((stmt, param)),
        _ => None,
    })
}

fn is_called(param: &Param, name: &str) -> bool {
    param.name.as_ref().is_some_and(|known| known.value == name)
}

fn written_type(analysis: &Analysis, param: &Param) -> String {
    let ty = param.ty.as_ref().map(|ty| analysis.sources.text(ty.span));
    ty.unwrap_or_default().to_owned()
}

/// A key with its value, where that is not there yet.
pub(super) fn key(place: &TomlPlace<'_>, name: &str, value: &str, follows: bool) -> Completion {
    let item = item(place, name, CompletionKind::Field);
    if follows { item } else { Completion { insert: format!("{name} = {value}"), ..item } }
}

/// A table inside of the one around, whose words go on behind a dot.
fn dotted(place: &TomlPlace<'_>, name: &str, follows: bool) -> Completion {
    let item = item(place, name, CompletionKind::Kind);
    if follows { item } else { Completion { insert: format!("{name}."), ..item } }
}

/// A text, with its quotes where there are none.
pub(super) fn text(place: &TomlPlace<'_>, text: &str, quoted: bool) -> Completion {
    let item = item(place, text, CompletionKind::Value);
    let insert = if quoted { text.to_owned() } else { crate::source_text::quoted(text) };
    Completion { insert: snippet::escaped(&insert), ..item }
}

pub(super) fn item(place: &TomlPlace<'_>, label: &str, kind: CompletionKind) -> Completion {
    Completion {
        label: label.to_owned(),
        kind,
        detail: String::new(),
        doc: None,
        insert: snippet::escaped(label),
        replace: place.span(),
        filter: label.to_owned(),
        rank: 0,
        near: 0,
    }
}
