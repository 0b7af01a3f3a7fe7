//! A reader's complaints in words for the person who wrote the file.

/// The key that a reader's complaint is about: its last line reads "in `network.gpu_nics`".
pub(crate) fn key_of(error: &toml::de::Error) -> Option<String> {
    let text = error.to_string();
    let place = text.lines().rev().find_map(|line| line.strip_prefix("in `"));
    let within = place.map(|place| place.trim_end_matches('`').to_owned());
    let field = error
        .message()
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'))
        .map(|(field, _)| field.to_owned());
    match (within, field) {
        (Some(within), Some(field)) if !within.ends_with(&field) => {
            Some(format!("{within}.{field}"))
        }
        (Some(within), _) => Some(within),
        (None, field) => field,
    }
}

/// A reader's complaint without the words of the language it is written in.
pub(crate) fn plain(message: &str) -> String {
    const WORDS: [(&str, &str); 12] = [
        ("expected u8", "expected a whole number"),
        ("expected u16", "expected a whole number"),
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected a table"),
        ("expected a boolean", "expected true or false"),
        ("unknown field", "unknown key"),
        ("missing field", "missing key"),
        ("unknown variant", "unknown word"),
        ("invalid type:", "wrong kind of value:"),
    ];
    let mut text = message.lines().next().unwrap_or_default().to_owned();
    for (theirs, ours) in WORDS {
        text = text.replace(theirs, ours);
    }
    match text.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a table"),
        None => text,
    }
}

/// The line of a byte, from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}
