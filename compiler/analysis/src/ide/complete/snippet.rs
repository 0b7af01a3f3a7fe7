//! What is inserted, with places to fill in.

use crate::types::{Field, Fields, Type};
use slipform_source::Sources;

/// Text that stands for itself in a snippet.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// A value to fill in: the default where there is one, else an example of the type.
pub(super) fn value(field: &Field, at: usize, sources: &Sources) -> String {
    let default = field
        .default
        .as_ref()
        .filter(|_| !field.is_auto())
        .map(|default| sources.text(default.span));
    let plain = default.filter(|text| !text.is_empty() && !text.contains('\n'));
    let words: Vec<String> = field
        .ty
        .arms()
        .iter()
        .filter_map(|arm| match arm {
            Type::Word(word) => Some(word.to_string()),
            _ => None,
        })
        .collect();
    if !words.is_empty() {
        return format!("\"${{{at}|{}|}}\"", words.join(","));
    }
    match plain {
        Some(text) => format!("${{{at}:{}}}", escaped(text)),
        None => example(&field.ty, at),
    }
}

fn example(ty: &Type, at: usize) -> String {
    let arms = ty.arms();
    let only = match arms.as_slice() {
        [only] => only,
        _ => return format!("${at}"),
    };
    match only {
        Type::Str | Type::Fact(_) => format!("\"${at}\""),
        Type::Int | Type::Number(_) => format!("${{{at}:1}}"),
        Type::Float => format!("${{{at}:1.0}}"),
        Type::Bool => format!("${{{at}|true,false|}}"),
        Type::Size => format!("${{{at}:100GiB}}"),
        Type::Duration => format!("${{{at}:1h}}"),
        Type::Cidr => format!("${{{at}:10.0.0.0/20}}"),
        Type::Address => format!("${{{at}:10.0.0.1}}"),
        Type::Range => format!("${{{at}:1..2}}"),
        Type::List(_) => format!("[${at}]"),
        Type::Map(..) | Type::Record(_) => format!("{{ ${at} \\}}"),
        _ => format!("${at}"),
    }
}

/// The lines of the fields that have to be written, places numbered from `at`.
pub(super) fn required(fields: &Fields, at: usize, sources: &Sources) -> String {
    let wanted =
        fields.0.iter().filter(|(name, field)| !field.may_be_left_out() && &***name != "place");
    let wanted: Vec<_> = wanted.collect();
    let width = wanted.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = wanted.iter().enumerate().map(|(index, (name, field))| {
        format!("  {name:width$} = {}\n", value(field, at + index, sources))
    });
    lines.collect()
}
