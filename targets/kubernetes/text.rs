//! Text that enters objects: names, quantities, comments, command lines.

use super::objects::Text;
use slipform_model::Size;
use std::borrow::Cow;

/// A name of letters, digits and single dashes in lower case, of so many characters at most.
pub(crate) fn dns(text: &str, most: usize) -> String {
    let mut name = String::with_capacity(text.len());
    for c in text.chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    let name: String = name.trim_end_matches('-').chars().take(most).collect();
    name.trim_end_matches('-').to_owned()
}

/// An amount of memory or disk as Kubernetes writes it: `80Gi`, `500M`, or bytes.
pub(crate) fn quantity(size: Size) -> String {
    const UNITS: [(&str, u64); 8] = [
        ("Pi", 1 << 50),
        ("Ti", 1 << 40),
        ("Gi", 1 << 30),
        ("Mi", 1 << 20),
        ("Ki", 1 << 10),
        ("G", 1_000_000_000),
        ("M", 1_000_000),
        ("k", 1_000),
    ];
    let whole = UNITS.iter().filter(|(_, bytes)| size.0 != 0 && size.0.is_multiple_of(*bytes));
    match whole.min_by_key(|(_, bytes)| size.0 / bytes) {
        Some((unit, bytes)) => format!("{}{unit}", size.0 / bytes),
        None => size.0.to_string(),
    }
}

/// Text of a command line or a variable that must arrive as it is: Kubernetes would replace `$(NAME)` and read `$$` as
/// one sign.
pub(crate) fn literal<'a>(text: impl Into<Text<'a>>) -> Text<'a> {
    let text = text.into();
    if text.contains("$(") || text.contains("$$") {
        Cow::Owned(text.replace('$', "$$"))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_host_names() {
        assert_eq!(dns("pre-training", 4), "pre");
        for (text, name) in
            [("My_Home", "my-home"), ("c[\"us-east4-a\"]", "c-us-east4-a"), ("a..b-", "a-b")]
        {
            assert_eq!(dns(text, 63), name);
        }
    }

    #[test]
    fn quantities_take_the_unit_that_makes_the_smallest_number() {
        for (bytes, text) in
            [(80 << 30, "80Gi"), (2 << 40, "2Ti"), (500_000_000_000, "500G"), (3, "3"), (0, "0")]
        {
            assert_eq!(quantity(Size(bytes)), text);
        }
    }

    #[test]
    fn kubernetes_does_not_expand_what_a_user_wrote() {
        assert_eq!(literal("echo $HOME"), "echo $HOME");
        assert_eq!(literal("echo $(hostname) $$"), "echo $$(hostname) $$$$");
    }
}
