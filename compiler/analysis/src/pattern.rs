//! Regular expressions. Those of the standard library are compiled when the compiler is, any other when it is matched first.

use regex::Regex;
use regex_automata::Input;
use regex_automata::dfa::{Automaton, dense, sparse};
use regex_automata::util::wire::AlignAs;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Those of the standard library by their texts, in order, compiled when this was.
const BAKED: &[Stored] = include!(concat!(env!("OUT_DIR"), "/patterns.rs"));

/// What is written of them.
const TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/patterns.txt"));

/// Where in these the texts are that they need.
const NEEDS: &[Range<usize>] = include!(concat!(env!("OUT_DIR"), "/needs.rs"));

/// What they were compiled to.
const AUTOMATA: &AlignAs<[u8], u32> =
    &AlignAs { _align: [], bytes: *include_bytes!(concat!(env!("OUT_DIR"), "/patterns.dfa")) };

/// One of the standard library, by places in [`TEXTS`], [`NEEDS`] and [`AUTOMATA`].
#[derive(Debug)]
struct Stored {
    text: Range<usize>,
    /// Bytes that what it finds has, at least.
    least: usize,
    /// Texts of which one stands in what it finds; none where nothing is known of that.
    one_of: Range<usize>,
    form: Form,
    automaton: Range<usize>,
}

/// How an automaton is stored: a small one as the table of its states, a large one as the list of their ways.
#[derive(Clone, Copy, Debug)]
enum Form {
    Dense,
    Sparse,
}

impl Stored {
    fn named(text: &str) -> Option<&'static Self> {
        let at = BAKED.binary_search_by(|stored| stored.text().cmp(text)).ok()?;
        BAKED.get(at)
    }

    fn text(&self) -> &'static str {
        TEXTS.get(self.text.clone()).unwrap_or_default()
    }

    fn one_of(&self) -> impl Iterator<Item = &'static str> {
        let needs = NEEDS.get(self.one_of.clone()).unwrap_or_default();
        needs.iter().filter_map(|at| TEXTS.get(at.clone()))
    }

    /// Whether a text has what it needs: no automaton is loaded where it has not.
    fn may_find(&self, text: &str) -> bool {
        text.len() >= self.least
            && (self.one_of.is_empty() || self.one_of().any(|it| text.contains(it)))
    }

    fn matcher(&self) -> Option<Matcher> {
        let bytes = AUTOMATA.bytes.get(self.automaton.clone())?;
        Some(match self.form {
            Form::Dense => Matcher::Dense(dense::DFA::from_bytes(bytes).ok()?.0.into()),
            Form::Sparse => Matcher::Sparse(sparse::DFA::from_bytes(bytes).ok()?.0.into()),
        })
    }
}

/// A regular expression as it is written.
#[derive(Debug)]
pub struct Pattern {
    text: Arc<str>,
    stored: Option<&'static Stored>,
    compiled: OnceLock<Result<Matcher, String>>,
}

/// It, ready to be matched.
#[derive(Debug)]
enum Matcher {
    Dense(Box<dense::DFA<&'static [u32]>>),
    Sparse(Box<sparse::DFA<&'static [u8]>>),
    Built(Regex),
}

impl Pattern {
    /// The pattern of a text, of which nothing is known yet.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { stored: Stored::named(&text), text, compiled: OnceLock::new() }
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
        match self.stored {
            Some(stored) if !stored.may_find(text) => Ok(false),
            _ => self.compiled().map(|compiled| compiled.matches(text)),
        }
    }

    /// Whether it is one of the standard library, which are sound.
    pub(crate) fn is_of_library(&self) -> bool {
        self.stored.is_some()
    }

    /// What is wrong with it, in words for the user.
    pub fn problem(&self) -> Option<&str> {
        self.compiled().err()
    }

    fn compiled(&self) -> Result<&Matcher, &str> {
        let compile = || Matcher::new(&self.text, self.stored);
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

impl Matcher {
    fn new(text: &str, stored: Option<&Stored>) -> Result<Self, String> {
        if let Some(matcher) = stored.and_then(Stored::matcher) {
            return Ok(matcher);
        }
        Regex::new(text).map(Self::Built).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("the regular expression \"{text}\" is too large")
            }
            _ => format!("\"{text}\" is no regular expression"),
        })
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Dense(dense) => finds(&**dense, text),
            Self::Sparse(sparse) => finds(&**sparse, text),
            Self::Built(built) => built.is_match(text),
        }
    }
}

/// Whether an automaton finds something. It gives up at no byte, and for no length: both would have to be asked for when it is built.
fn finds(automaton: &impl Automaton, text: &str) -> bool {
    automaton.try_search_fwd(&Input::new(text).earliest(true)).is_ok_and(|it| it.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names as they are written and as they are not, of all lengths that a pattern may bound.
    fn texts() -> Vec<String> {
        let pieces = [
            "", "a", "Z", "9", "-", "_", ".", "/", ":", "@", " ", "\n", "\u{e9}", "::1", "a-b",
            "roles/x",
        ];
        let pairs = pieces.iter().flat_map(|a| pieces.iter().map(move |b| format!("{a}{b}")));
        let long = (0..140).flat_map(|n| ["a", "-", "9"].map(|of| format!("a{}", of.repeat(n))));
        let names = [
            "us-docker.pkg.dev/p/images/train:v1",
            "projects/p/reservations/r",
            "1.31.1-gke.20",
            "torch==2.5.1",
            "x[y]>=1",
        ];
        pairs.chain(long).chain(names.map(str::to_owned)).collect()
    }

    #[test]
    fn what_is_baked_finds_what_the_expression_finds() {
        assert!(BAKED.is_sorted_by_key(Stored::text));
        for stored in BAKED {
            let pattern = stored.text();
            let baked = Matcher::new(pattern, Some(stored)).unwrap();
            assert!(!matches!(baked, Matcher::Built(_)), "{pattern}");
            let built = Regex::new(pattern).unwrap();
            // what it needs may stand anywhere in what it finds
            let needed = stored.one_of().map(|it| format!("a{it}b"));
            let needed = needed.chain(stored.one_of().map(str::to_owned));
            for text in texts().into_iter().chain(needed) {
                let finds = built.is_match(&text);
                assert_eq!(baked.matches(&text), finds, "{pattern} of {text:?}");
                assert!(!finds || stored.may_find(&text), "{pattern} of {text:?}");
            }
        }
    }
}
