//! The labels that everything on Google Cloud has, so that a bill tells what a blueprint costs.

/// The tool, the blueprint and its environment.
pub(crate) fn of_blueprint(
    name: &str,
    environment: &str,
) -> impl Iterator<Item = (&'static str, String)> {
    let labels = [
        ("managed-by", "slipform".to_owned()),
        ("blueprint", label_value(name)),
        ("environment", label_value(environment)),
    ];
    labels.into_iter().filter(|(_, value)| !value.is_empty())
}

/// A text as the value of a label on Google Cloud: lower case letters, digits, `_` and `-`, at most 63.
fn label_value(text: &str) -> String {
    let clean = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
        _ => '-',
    };
    text.chars().take(63).map(clean).collect::<String>().trim_matches('-').to_owned()
}
