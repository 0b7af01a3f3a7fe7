//! Regular expressions, each compiled when it is matched first: most of a process's are never.

use regex::Regex;
use std::sync::{Arc, OnceLock};

/// A regular expression as it is written.
#[derive(Debug)]
pub struct Pattern {
    text: Arc<str>,
    compiled: OnceLock<Result<Regex, String>>,
}

impl Pattern {
    /// The pattern of a text, of which nothing is known yet.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), compiled: OnceLock::new() }
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it finds something in a text.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words for the user.
    pub fn matches(&self, text: &str) -> Result<bool, &str> {
        self.compiled().map(|compiled| compiled.is_match(text))
    }

    /// It, ready to be matched.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words for the user.
    pub fn compiled(&self) -> Result<&Regex, &str> {
        self.compiled.get_or_init(|| compile(&self.text)).as_ref().map_err(String::as_str)
    }
}

fn compile(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            format!("the regular expression \"{text}\" is too large")
        }
        _ => format!("\"{text}\" is no regular expression"),
    })
}
