//! The labels that everything on Google Cloud has, so that a bill tells what a blueprint costs.

use slipform_model::plan::Sound;

/// The tool, the blueprint and its environment, but where the project says them itself, and what else it says.
pub(crate) fn of_blueprint(plan: Sound<'_>) -> impl Iterator<Item = (String, String)> {
    let most = plan.catalog().limits().names.google_label.max as usize;
    let own = [
        ("managed-by", "slipform".to_owned()),
        ("blueprint", label_value(plan.blueprint(), most)),
        ("environment", label_value(plan.environment(), most)),
    ];
    let said = plan.labels();
    let own = own.into_iter().filter(|(key, value)| !value.is_empty() && !said.contains_key(*key));
    own.map(|(key, value)| (key.to_owned(), value)).chain(said.clone())
}

/// A text as the value of a label on Google Cloud: lower case letters, digits, `_` and `-`.
fn label_value(text: &str, most: usize) -> String {
    let clean = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
        _ => '-',
    };
    text.chars().take(most).map(clean).collect::<String>().trim_matches('-').to_owned()
}
