//! `patch` blocks as data, held to the shape of the document that they change: the part that targets share. A patch
//! with any mistake is not applied.

use crate::document::{Map, Node};
use crate::owned;
use crate::schema::{Met, Path, Shape, ShapeError, Step};
use crate::{Output, TARGETS};
use slipform_model::plan::Sound;
use slipform_model::{
    Diagnostic, Duration, Noun, Patch, Placed, Record, Size, Value, nearest, similar,
};
use slipform_source::{Code, Span};

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) PATCH_IDENTITY = "patch/identity":
        "a patch must not change what ties an object to the others",
        "change the noun instead";
    pub(crate) PATCH_UNKNOWN_DOCUMENT = "patch/unknown-document":
        "what is made of this noun has no such document",
        "name one of the documents that the report lists";
    PATCH_UNKNOWN_FIELD = "patch/unknown-field":
        "the document that is patched has no such field",
        "check the spelling against the reference of the tool";
    PATCH_VALUE = "patch/value":
        "this value cannot stand in a patch",
        "use text, numbers, booleans, lists and records";
    PATCH_NO_SUCH_ITEM = "patch/no-such-item":
        "a patch names an item of a list that is not there, and what it says is too little for one more",
        "take the name of the item that is meant, or give the new one all that it needs";
    pub(crate) PATCH_NEW_ITEM = "patch/new-item":
        "a patch adds an item to a list under a name that is nearly that of another one",
        "take the name of the item that is meant, or allow this with a reason";
    PATCH_SECRET = "patch/secret":
        "what stands in a blueprint stands in its history, and in what everyone may read of its output",
        "name a secret instead";
    PATCH_WRONG_VALUE = "patch/wrong-value":
        "the field that is patched takes another kind of value",
        "give the kind that the report names";
}

/// How a consumer writes quantities.
#[derive(Clone, Copy)]
pub(crate) struct Spelling {
    /// Whose documents they are, for messages.
    pub(crate) consumer: &'static str,
    /// Amounts of memory and disk; `None` where there is no one form.
    pub(crate) size: fn(Size) -> Option<Node>,
    /// Lengths of time.
    pub(crate) duration: fn(Duration) -> Node,
}

/// A patch as data, ready to be merged into a document. What it overrules of what fields say is told.
///
/// # Errors
///
/// What the shape does not have, at the place in the patch that says it.
pub(crate) fn checked(
    noun: &Noun,
    patch: &Patch,
    shape: &Shape,
    spelling: Spelling,
    base: &Node,
    told: &mut Vec<Diagnostic>,
) -> Result<Node, Vec<Diagnostic>> {
    let place = Placed { value: patch.value.clone(), span: patch.span };
    let node = node(&place, spelling).map_err(|(span, what)| {
        let message = format!("{what} has no form for {}", spelling.consumer);
        vec![Diagnostic::error(PATCH_VALUE, message, span).also(noun.span, "patched here")]
    })?;
    if let Some(span) = secret(&place) {
        let message = "a secret is written out in a patch";
        let help =
            "keep it in a secret, and name that: `secretKeyRef`, or `secret(\"NAME\")` in `env`";
        told.push(Diagnostic::error(PATCH_SECRET, message, span).help(help));
    }
    let errors = shape.check_patch(&node);
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| diagnostic(patch, &place, error)).collect());
    }
    let met = shape.meet(base, &node);
    told.extend(owned::told(noun, patch, &met));
    let Met { misnamed, alike, .. } = met;
    told.extend(alike.iter().map(|error| misnamed_item(PATCH_NEW_ITEM, &place, error).doubtful()));
    if misnamed.is_empty() {
        return Ok(node);
    }
    Err(misnamed.iter().map(|error| misnamed_item(PATCH_NO_SUCH_ITEM, &place, error)).collect())
}

/// Where a text looks like a secret.
fn secret(placed: &Placed) -> Option<Span> {
    /// What keys begin with, and how many letters and digits follow at least.
    const KEYS: [(&str, usize); 8] = [
        ("hf_", 20),
        ("AKIA", 16),
        ("AIza", 35),
        ("ghp_", 36),
        ("gho_", 36),
        ("sk-", 20),
        ("nvapi-", 20),
        ("glpat-", 20),
    ];
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_key = |text: &str| {
        let key = |(head, least): &(&str, usize)| {
            text.strip_prefix(head)
                .is_some_and(|rest| rest.len() >= *least && rest.chars().all(plain))
        };
        KEYS.iter().any(key) || text.starts_with("-----BEGIN ") && text.contains("PRIVATE KEY")
    };
    match &placed.value {
        Value::Str(text) => is_key(text).then_some(placed.span),
        Value::List(items) => items.iter().find_map(secret),
        Value::Record(record) => record.values().find_map(secret),
        _ => None,
    }
}

/// Whether a patch says what stands at a place.
pub(crate) fn says(patch: &Patch, span: Span) -> bool {
    fn holds(value: &Value, span: Span) -> bool {
        let within = |placed: &Placed| placed.span == span || holds(&placed.value, span);
        match value {
            Value::Record(record) => record.values().any(within),
            Value::List(items) => items.iter().any(within),
            _ => false,
        }
    }
    patch.span == span || holds(&patch.value, span)
}

/// An item that is called as none is, or almost as another one.
fn misnamed_item(code: Code, place: &Placed, error: &ShapeError) -> Diagnostic {
    let item = located(place, &error.path);
    let diagnostic = Diagnostic::error(code, &*error.message, item.span);
    let Some(near) = &error.nearest else { return diagnostic };
    let name = match &item.value {
        Value::Record(record) => record.get("name"),
        _ => Some(item),
    };
    match name.filter(|it| matches!(it.value, Value::Str(_))) {
        Some(name) => diagnostic.meant_text("one", near, name.span),
        None => diagnostic.help(similar("one", near)),
    }
}

/// Refuses patches of documents that nothing makes of their noun: no target would look at them.
pub(crate) fn refuse_strangers(plan: Sound<'_>, out: &mut Output) {
    for noun in plan.nouns().map(|it| it.noun()) {
        let kind = noun.kind();
        let known = || {
            let documents = TARGETS.iter().flat_map(|target| target.patches());
            documents.filter(|(_, of)| *of == kind).map(|(document, _)| *document)
        };
        for patch in noun.patches.iter().filter(|patch| !known().any(|it| it == patch.target)) {
            let message =
                format!("nothing of kind {kind} has a document `{}` to patch", patch.target);
            let names: Vec<String> = known().map(|document| format!("`{document}`")).collect();
            let told = Diagnostic::error(PATCH_UNKNOWN_DOCUMENT, message, patch.span);
            out.diagnostics.push(match nearest(&patch.target, known()) {
                Some(near) => told.meant("a document", near, patch.span),
                None if names.is_empty() => {
                    told.help(format!("nothing of kind {kind} can be patched"))
                }
                None => told.help(format!("its documents are {}", names.join(", "))),
            });
        }
    }
}

fn diagnostic(patch: &Patch, place: &Placed, error: &ShapeError) -> Diagnostic {
    let at = located(place, &error.path);
    // A field that does not exist is wrong in its name, not in its value.
    let key = patch.keys.get(&at.span).copied().filter(|_| error.unknown);
    let span = key.unwrap_or(at.span);
    let code = if error.unknown { PATCH_UNKNOWN_FIELD } else { PATCH_WRONG_VALUE };
    let diagnostic = Diagnostic::error(code, &*error.message, span);
    match &error.nearest {
        Some(nearest) => {
            let what = if error.unknown { "a field" } else { "a value" };
            let near = similar(what, nearest);
            let told = diagnostic.help(format!("{near}; the path is `{}`", Path(&error.path)));
            let is_word = nearest.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
            match (key, &at.value) {
                (Some(key), _) if is_word => told.fix(format!("write `{nearest}`"), key, nearest),
                (None, Value::Str(_)) => {
                    told.fix(format!("write \"{nearest}\""), span, format!("\"{nearest}\""))
                }
                _ => told,
            }
        }
        None => diagnostic,
    }
}

/// Where the innermost value of a patch on a path stands.
pub(crate) fn locate(patch: &Placed, path: &[Step]) -> Span {
    located(patch, path).span
}

fn located<'p>(patch: &'p Placed, path: &[Step]) -> &'p Placed {
    let mut at = patch;
    for step in path {
        let next = match (&at.value, step) {
            (Value::Record(record), Step::Key(key)) => record.get(key.as_str()),
            (Value::List(items), Step::Index(index)) => items.get(*index),
            _ => None,
        };
        let Some(next) = next else { return at };
        at = next;
    }
    at
}

/// A value as a document's; `Err` holds the place and the kind of what has no form there.
fn node(placed: &Placed, spelling: Spelling) -> Result<Node, (Span, &'static str)> {
    let formless = || (placed.span, placed.value.described());
    Ok(match &placed.value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::Size(it) => (spelling.size)(*it).ok_or_else(formless)?,
        Value::Duration(it) => (spelling.duration)(*it),
        Value::Absent => Node::Null,
        Value::Str(_) | Value::Cidr(_) | Value::Address(_) | Value::Topology(_) => {
            placed.value.to_string().into()
        }
        Value::List(items) => {
            let items = items.iter().map(|item| node(item, spelling).map(Into::into));
            Node::Seq(items.collect::<Result<_, _>>()?)
        }
        Value::Record(record) => map(record, spelling)?.into(),
        _ => return Err(formless()),
    })
}

fn map(record: &Record, spelling: Spelling) -> Result<Map, (Span, &'static str)> {
    record.iter().try_fold(Map::default(), |map, (key, it)| {
        Ok(map.with(key.to_string(), node(it, spelling)?))
    })
}
