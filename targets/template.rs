//! Templates for what really is text: scripts, Dockerfiles, configuration files, the README.
//!
//! A string cannot enter such a text as it is: rendering fails unless the value went through a filter that spells it
//! for its place. Forgetting one is therefore an error in every test that renders the template, never an injection.
//!
//! | filter | the place |
//! |---|---|
//! | `sh` | a word of a shell |
//! | `word`, `words` | one word, or all words, of a command line that may hold deferred values |
//! | `expand` | a word of a shell in which `${SLURM_...}` keeps its meaning |
//! | `name` | the name of a variable |
//! | `note` | a comment that ends with the line |
//! | `command` | a line of a shell that is spelled already |
//! | `option` | an option of a batch script's header, `{ name, value }` |
//! | `binding` | a command of the catalog that binds a rank to processors |
//! | `setting` | a value of a Slurm configuration file |
//! | `fields` | names and numbers of a Slurm configuration file |
//! | `json` | a JSON string |
//! | `docker` | a word of a Dockerfile inside double quotes |
//! | `line` | an instruction of a Dockerfile that is one line |
//! | `md` | a line of Markdown |

use crate::Output;
use crate::launch::{Piece, Word};
use crate::shell;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind};
use serde::{Deserialize, Serialize};
use slipform_model::{Diagnostic, Noun};
use std::sync::LazyLock;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) TEXT_SPELLING = "text/spelling":
        "a name or value cannot be written into the output as it is",
        "choose one without the characters that the report names";
}

/// A set of templates.
pub(crate) struct Templates(Environment<'static>);

impl Templates {
    /// Templates, a name and the text of each: each is read when it is used first, and most outputs use few.
    pub(crate) fn new(texts: &'static [(&'static str, &'static str)]) -> Self {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("spelled".into()));
        environment.set_formatter(|out, state, value| {
            if value.is_safe() || value.is_number() {
                return out.write_str(&value.to_string()).map_err(Error::from);
            }
            let name = state.name().to_owned();
            Err(wrong(format!("{name} writes a value that no filter has spelled: {value:?}")))
        });
        if let Some(syntax) = &*SYNTAX {
            environment.set_syntax(syntax.clone());
        }
        for filter in ["safe", "escape", "e", "tojson", "format"] {
            environment.remove_filter(filter);
        }
        filters(&mut environment);
        environment.set_loader(|name| {
            Ok(texts.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned()))
        });
        Self(environment)
    }

    /// Templates of pages. A page tells of what other artifacts hold, and they refuse what has no spelling in them, so that no
    /// page ever fails for what a blueprint says.
    pub(crate) fn of_pages(texts: &'static [(&'static str, &'static str)]) -> Self {
        let mut templates = Self::new(texts);
        let quoted = |text: &str| Value::from_safe_string(shell::quote(text));
        templates.0.add_filter("sh", quoted);
        templates.0.add_filter("command", |text: &str| Value::from_safe_string(one_line(text)));
        templates
    }

    /// Renders a template; the error says which value has no spelling in its place.
    pub(crate) fn render(&self, name: &str, values: &impl Serialize) -> Result<String, Error> {
        self.0.get_template(name)?.render(Serde(values))
    }

    /// Renders a page, which belongs to no noun; what cannot be spelled becomes a diagnostic.
    pub(crate) fn page(
        &self,
        name: &str,
        values: &impl Serialize,
    ) -> Result<String, Box<Diagnostic>> {
        self.render(name, values).map_err(|error| {
            let message = format!("{name} cannot be written: {}", why(&error));
            Box::new(Diagnostic::nowhere(TEXT_SPELLING, message))
        })
    }

    /// Renders a template for a noun; what cannot be spelled becomes a diagnostic there.
    pub(crate) fn fill(
        &self,
        out: &mut Output,
        noun: &Noun,
        name: &str,
        values: &impl Serialize,
    ) -> Option<String> {
        match self.render(name, values) {
            Ok(text) => Some(text),
            Err(error) => {
                let (kind, why) = (noun.kind(), why(&error));
                let message = format!("{kind} of `{}` cannot be written: {why}", noun.path);
                out.diagnostics.push(Diagnostic::error(TEXT_SPELLING, message, noun.span));
                None
            }
        }
    }
}

fn why(error: &Error) -> String {
    error.detail().map_or_else(|| error.to_string(), str::to_owned)
}

/// `<{ value | filter }>`, `<% block %>` and lines that start with `%%`: shells and Dockerfiles know none of these,
/// while `${`, `{#` and `{{` are theirs.
static SYNTAX: LazyLock<Option<SyntaxConfig>> = LazyLock::new(|| {
    let mut syntax = SyntaxConfig::builder();
    syntax
        .variable_delimiters("<{", "}>")
        .block_delimiters("<%", "%>")
        .comment_delimiters("<#", "#>");
    syntax.line_statement_prefix("%%").trim_blocks(true).keep_trailing_newline(true).build().ok()
});

fn filters(environment: &mut Environment<'static>) {
    environment.add_filter("sh", |text: &str| spelled(text, shell::has_spelling, shell::quote));
    environment
        .add_filter("expand", |text: &str| spelled(text, shell::has_spelling, shell::expand));
    environment.add_filter("name", |text: &str| spelled(text, shell::is_name, str::to_owned));
    environment.add_filter("note", |text: &str| Value::from_safe_string(one_line(text)));
    environment.add_filter("option", |option: Value| {
        option_text(&HeaderOption::deserialize(option)?).map(Value::from_safe_string)
    });
    environment.add_filter("binding", |text: &str| spelled(text, is_binding, str::to_owned));
    environment.add_filter("setting", |text: &str| spelled(text, is_setting, str::to_owned));
    environment.add_filter("fields", |fields: Value| {
        let fields = Vec::<(String, i64)>::deserialize(fields)?;
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        spelled(&fields.join(" "), |text| text.split(' ').all(is_setting), str::to_owned)
    });
    environment.add_filter("command", |text: &str| spelled(text, is_one_line, str::to_owned));
    environment.add_filter("json", |text: &str| Value::from_safe_string(json(text)));
    environment.add_filter("docker", |text: &str| spelled(text, is_one_line, docker_word));
    environment.add_filter("line", |text: &str| spelled(text, is_one_line, str::to_owned));
    environment.add_filter("md", |text: &str| Value::from_safe_string(markdown(text)));
    environment.add_filter("word", |word: Value| {
        shell_word(&Word::deserialize(word)?).map(Value::from_safe_string)
    });
    environment.add_filter("words", |words: Value| {
        let words = Vec::<Word>::deserialize(words)?;
        let words: Result<Vec<String>, Error> = words.iter().map(shell_word).collect();
        words.map(|words| Value::from_safe_string(words.join(" ")))
    });
}

fn spelled(text: &str, fits: fn(&str) -> bool, spell: fn(&str) -> String) -> Result<Value, Error> {
    if fits(text) {
        return Ok(Value::from_safe_string(spell(text)));
    }
    Err(wrong(format!("{} has no spelling there", json(text))))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

/// A word with its deferred parts as variables: `--server="${home_address}"`.
fn shell_word(word: &Word) -> Result<String, Error> {
    if !word.has_spelling() {
        return Err(wrong("a word with a NUL has no spelling there".to_owned()));
    }
    let pieces = word.0.iter().map(|piece| match piece {
        Piece::Text(text) => shell::quote(text),
        Piece::Deferred(name) => format!("\"${{{name}}}\""),
        Piece::Shell(spelled) => spelled.clone(),
    });
    Ok(pieces.collect())
}

/// Whether the text has no character that could end a line.
fn is_one_line(text: &str) -> bool {
    !text.contains(char::is_control)
}

/// The text with whatever could end a comment, for any reader, turned into spaces.
fn one_line(text: &str) -> String {
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let text: String = text.chars().map(|c| if ends(c) { ' ' } else { c }).collect();
    text.trim_end().to_owned()
}

/// An option of a batch script's header, by its long name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct HeaderOption {
    /// Without dashes.
    pub(crate) name: String,
    /// What stands behind `=`.
    pub(crate) value: Option<String>,
}

fn option_text(option: &HeaderOption) -> Result<String, Error> {
    let is_name =
        option.name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !option.name.is_empty();
    if !is_name {
        return Err(wrong(format!("{} is no name of an option", json(&option.name))));
    }
    match &option.value {
        None => Ok(option.name.clone()),
        Some(value) if is_one_line(value) => Ok(format!("{}={}", option.name, directive(value))),
        Some(value) => Err(wrong(format!("{} has no spelling there", json(value)))),
    }
}

/// Words, and arithmetic over variables; nothing that starts a second command.
fn is_binding(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " _-.,/=$()+*".contains(c);
    let mut after_dollar = text.split('$').skip(1);
    let sound = after_dollar
        .all(|rest| rest.starts_with("((") || rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    text.chars().all(plain) && sound && (text.contains("$((") || !text.contains('('))
}

/// As sbatch reads the value of an option: quotes group, a backslash escapes, a bare `#` ends the line.
fn directive(text: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\' | '#');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// What a value of `slurm.conf` may hold, which knows no quotes worth the name.
fn is_setting(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/@%+()[]*=;".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// As Dockerfiles read a word in double quotes: `$` would expand, a backslash escapes.
fn docker_word(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '$' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// A line of Markdown that reads as the text.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if "\\`*_[]<>#|!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn render(text: &'static str, value: impl Serialize) -> Result<String, String> {
        let values = serde_json::json!({ "it": value });
        Templates::new(vec![("t", text)].leak())
            .render("t", &values)
            .map_err(|error| error.detail().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_value_without_a_filter_is_refused() {
        assert_eq!(
            render("x <{ it }>", "y").unwrap_err(),
            "t writes a value that no filter has spelled: 'y'"
        );
        assert_eq!(
            render("x <{ it | upper }>", "y").unwrap_err(),
            "t writes a value that no filter has spelled: 'Y'"
        );
        assert!(render("<{ it | safe }>", "y").is_err());
        assert_eq!(render("x <{ it }>", 7).unwrap(), "x 7");
        assert_eq!(render("x <{ it | sh }>", "a b").unwrap(), "x 'a b'");
    }

    #[test]
    fn a_block_can_be_quoted_as_a_whole() {
        let text = "%% set inner\necho <{ it | sh }>\n%% endset\nbash -c <{ inner | sh }>";
        assert_eq!(render(text, "plain").unwrap(), "bash -c 'echo plain\n'");
        assert_eq!(render(text, "a b").unwrap(), "bash -c 'echo '\\''a b'\\''\n'");
    }

    #[test]
    fn what_has_no_spelling_is_refused() {
        for (template, value) in [
            ("<{ it | name }>", "1A"),
            ("<{ it | name }>", "A B"),
            ("<{ it | sh }>", "a\0b"),
            ("<{ it | line }>", "a\nb"),
            ("<{ it | binding }>", "numactl; id"),
            ("<{ it | binding }>", "numactl $(id)"),
            ("<{ it | setting }>", "a b"),
            ("<{ it | setting }>", "a#b"),
            ("<{ it | docker }>", "a\nb"),
        ] {
            assert!(
                render(template, value).unwrap_err().ends_with("has no spelling there"),
                "{template} {value:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_page_is_written_whatever_it_tells_of(text in "(\\PC|[\0\n\r\u{85}])*") {
            let values = serde_json::json!({ "it": text });
            let page = "<{ it | sh }> <{ it | command }> <{ it | note }> <{ it | md }>";
            let page = Templates::of_pages(vec![("t", page)].leak()).render("t", &values);
            prop_assert!(page.is_ok(), "{page:?}");
        }

        #[test]
        fn a_note_stays_on_its_line(text in "(\\PC|[\n\r\u{b}\u{85}\u{2028}])*") {
            let out = render("# <{ it | note }>", &text).unwrap();
            let ends = out.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
            prop_assert!(!ends);
        }
    }
}
