//! Regular expressions. Those of the standard library are compiled when the compiler is, any other when it is matched first.

use regex::Regex;
use regex_automata::Input;
use regex_automata::dfa::{Automaton, dense, sparse};
use regex_automata::util::wire::AlignAs;
use std::sync::{Arc, OnceLock};

/// Those of the standard library by their texts, in order, compiled when this was.
const BAKED: &[Stored] = include!(concat!(env!("OUT_DIR"), "/patterns.rs"));

/// One of the standard library.
#[derive(Debug)]
struct Stored {
    text: &'static str,
    /// Bytes that what it finds has, at least.
    least: usize,
    /// Texts of which one stands in what it finds; none where nothing is known of that.
    one_of: &'static [&'static str],
    automaton: Baked,
}

impl Stored {
    fn named(text: &str) -> Option<&'static Self> {
        let at = BAKED.binary_search_by_key(&text, |stored| stored.text).ok()?;
        BAKED.get(at)
    }

    /// Whether a text has what it needs: no automaton is loaded where it has not.
    fn may_find(&self, text: &str) -> bool {
        text.len() >= self.least
            && (self.one_of.is_empty() || self.one_of.iter().any(|it| text.contains(it)))
    }
}

/// An automaton as it is stored: a small one as the table of its states, a large one as the list of their ways.
#[derive(Clone, Copy, Debug)]
enum Baked {
    Dense(&'static AlignAs<[u8], u32>),
    Sparse(&'static AlignAs<[u8], u32>),
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
        if let Some(matcher) = stored.and_then(|stored| Self::baked(stored.automaton)) {
            return Ok(matcher);
        }
        Regex::new(text).map(Self::Built).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("the regular expression \"{text}\" is too large")
            }
            _ => format!("\"{text}\" is no regular expression"),
        })
    }

    fn baked(baked: Baked) -> Option<Self> {
        Some(match baked {
            Baked::Dense(stored) => {
                Self::Dense(dense::DFA::from_bytes(&stored.bytes).ok()?.0.into())
            }
            Baked::Sparse(stored) => {
                Self::Sparse(sparse::DFA::from_bytes(&stored.bytes).ok()?.0.into())
            }
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
        assert!(BAKED.is_sorted_by_key(|stored| stored.text));
        for stored in BAKED {
            let pattern = stored.text;
            let baked = Matcher::new(pattern, Some(stored)).unwrap();
            assert!(!matches!(baked, Matcher::Built(_)), "{pattern}");
            let built = Regex::new(pattern).unwrap();
            // what it needs may stand anywhere in what it finds
            let needed = stored.one_of.iter().map(|it| format!("a{it}b"));
            let needed = needed.chain(stored.one_of.iter().map(|it| (*it).to_owned()));
            for text in texts().into_iter().chain(needed) {
                let finds = built.is_match(&text);
                assert_eq!(baked.matches(&text), finds, "{pattern} of {text:?}");
                assert!(!finds || stored.may_find(&text), "{pattern} of {text:?}");
            }
        }
    }
}
