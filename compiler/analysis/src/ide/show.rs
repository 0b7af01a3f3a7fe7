//! Values and types as a blueprint would write them.

use crate::source_text::key;
use slipform_model::plan::Plan;
use slipform_model::{Record, Value};

/// A value as a blueprint would write it, nouns by their paths.
pub(crate) fn value(value: &Value, plan: &Plan) -> String {
    match value {
        Value::Str(text) => crate::source_text::quoted(text),
        Value::List(items) => {
            let items: Vec<String> =
                items.iter().map(|item| self::value(&item.value, plan)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Record(record) if record.is_empty() => "{}".to_owned(),
        Value::Record(record) => format!("{{ {} }}", entries(record, plan)),
        Value::Variant(name, record) if record.is_empty() => name.to_string(),
        Value::Variant(name, record) => format!("{name}({})", entries(record, plan)),
        Value::Ref(noun) => match plan.model.get(noun.id) {
            Some(noun) => noun.path.clone(),
            None => value.to_string(),
        },
        Value::Deferred(deferred) => match plan.model.get(deferred.noun) {
            Some(noun) => format!("{}.{}", noun.path, deferred.field),
            None => value.to_string(),
        },
        other => other.to_string(),
    }
}

fn entries(record: &Record, plan: &Plan) -> String {
    let entries =
        record.iter().map(|(name, item)| format!("{} = {}", key(name), value(&item.value, plan)));
    entries.collect::<Vec<_>>().join(", ")
}

/// A piece of a blueprint as Markdown.
pub(crate) fn code(text: &str) -> String {
    format!("```bp\n{text}\n```")
}

/// At most so many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
