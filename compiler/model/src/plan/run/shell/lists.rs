//! Where lists of commands begin and end in a text for a shell: what `&` stands behind runs in the background, all of it.

use super::{End, Known, Simple, is_one_of};

/// What is open while a text is read: brackets, braces, branches and loops.
pub(super) struct Lists {
    open: Vec<Open>,
    /// Where the list began that nothing is open around.
    outer: usize,
}

struct Open {
    head: String,
    /// The command that opened it.
    first: usize,
    /// Where the list in it began that is being read.
    start: usize,
}

/// Words that open something, and what closes it.
const PAIRS: [(&str, &str); 7] = [
    ("{", "}"),
    ("if", "fi"),
    ("while", "done"),
    ("until", "done"),
    ("for", "done"),
    ("select", "done"),
    ("case", "esac"),
];

impl Lists {
    pub(super) fn new() -> Self {
        Self { open: Vec::new(), outer: 0 }
    }

    /// A bracket that opens, in front of the command of this number.
    pub(super) fn bracket(&mut self, at: usize) {
        self.push("(", at);
    }

    /// A bracket that closes: whether it is one of a shell of its own, and none behind a pattern.
    pub(super) fn unbracket(&mut self) -> bool {
        let is_pattern = self.open.last().is_some_and(|it| it.head == "case");
        let opened = self.open.iter().rposition(|it| it.head == "(");
        let opened = opened.filter(|_| !is_pattern);
        opened.into_iter().for_each(|at| self.open.truncate(at));
        opened.is_some()
    }

    /// Whether what ends here is a choice of `case`.
    pub(super) fn chooses(&self) -> bool {
        self.open.last().is_some_and(|it| it.head == "case")
    }

    /// Takes the words of the command that follows those.
    pub(super) fn take(&mut self, words: &[Known], found: &mut [Simple]) {
        for word in grammar(words) {
            if PAIRS.iter().any(|(head, _)| *head == word) {
                self.push(word, found.len());
            } else if let Some(open) =
                self.open.pop_if(|it| PAIRS.contains(&(it.head.as_str(), word)))
            {
                let all = found.get_mut(open.first..).unwrap_or_default();
                let aside = |it: &Simple| is_one_of(it.words.first().unwrap_or(&None), &["coproc"]);
                if all.first().is_some_and(aside) {
                    all.iter_mut().for_each(|it| it.background = true);
                }
            }
        }
    }

    /// A list that ends behind those.
    pub(super) fn end(&mut self, end: End, found: &mut [Simple]) {
        let length = found.len();
        let start = self.open.last_mut().map_or(&mut self.outer, |it| &mut it.start);
        let all = found.get_mut(*start..).unwrap_or_default();
        if end == End::Background {
            all.iter_mut().for_each(|it| it.background = true);
        }
        *start = length;
    }

    fn push(&mut self, head: &str, at: usize) {
        self.open.push(Open { head: head.to_owned(), first: at, start: at });
    }
}

/// The words of the grammar that a command begins with. What follows the head of a loop is no command.
pub(super) fn grammar(words: &[Known]) -> Vec<&str> {
    let opens = |at: usize| {
        let word = words.get(at).and_then(|it| it.as_deref());
        PAIRS.iter().any(|(head, _)| Some(*head) == word)
    };
    let own = match is_one_of(words.first().unwrap_or(&None), &["coproc"]) {
        true => (1..3).find(|at| opens(*at)).unwrap_or_default(),
        false => 0,
    };
    let rest = words.get(own..).unwrap_or_default();
    let mut found = Vec::new();
    for (at, word) in rest.iter().map(|it| it.as_deref().unwrap_or_default()).enumerate() {
        match word {
            // `for ((;;)) { a; }`
            "for" if rest.iter().skip(at).any(|it| is_one_of(it, &["{"])) => {
                found.push("{");
                break;
            }
            "case" if is_one_of(rest.last().unwrap_or(&None), &["esac"]) => break,
            "for" | "select" | "case" => {
                found.push(word);
                break;
            }
            "if" | "while" | "until" | "then" | "else" | "elif" | "do" | "!" | "{" | "}"
            | "time" | "fi" | "done" | "esac" => found.push(word),
            _ => break,
        }
    }
    found
}

/// Whether a text ends with a word that stands where a command does.
pub(super) fn ends_with_command(text: &str, word: &str) -> bool {
    let Some(before) = text.strip_suffix(word) else { return false };
    let blank = |c: char| c == ' ' || c == '\t';
    let rest = before.trim_end_matches(blank);
    let leads = ["then", "do", "else", "in"];
    let behind = rest.rsplit(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
    rest.is_empty()
        || rest.ends_with([';', '\n', '&', '|', '(', '{'])
        || before.len() > rest.len() && leads.contains(&behind)
}

#[cfg(test)]
mod tests {
    use super::super::commands;

    fn aside(text: &str) -> String {
        let all = commands(text);
        let is = all.iter().filter(|it| it.background);
        is.filter_map(|it| it.words.first().cloned().flatten()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn all_that_stands_in_front_of_an_ampersand_is_in_the_background() {
        for (text, those) in [
            ("a; b & c", "b"),
            ("(a; b) & c", "a b"),
            ("(z; y); (a; b) & c", "a b"),
            ("( a; b & ); c", "b"),
            ("(\n a\n b\n) > /l 2>&1 &\nc", "a b"),
            ("{ a; b; } & c", "a b"),
            ("z; a && b || d & c", "a b d"),
            ("z &&\n a & c", "z a"),
            ("a | b &\nc", "a b"),
            ("f() { a; b; }\nf &\nc", "a b"),
            ("function f { a; b; }\nz\nf & c", "a b"),
            ("if z; then a && b & c; fi; d", "a b"),
            ("if z; then (a; b) & fi\nd", "a b"),
            ("if a; then b; fi & c", "a b fi"),
            ("for x in 1 2; do a; b & done; c", "b"),
            ("case $A in x) a; b & ;; *) c ;; esac; d", "b"),
            ("(case $A in x) a ;; esac; b) & c", "a esac b"),
            ("coproc W { a; b; }\nc", "coproc b"),
            ("a; (b; c)", ""),
        ] {
            assert_eq!(aside(text), those, "{text}");
        }
    }
}
