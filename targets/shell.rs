//! Words of POSIX shells: every value that enters a script passes through here, so that none can break out of its
//! place. Knows nothing of what the scripts do.

/// Words that a shell reads as syntax where a command may stand.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// The text as one word of a POSIX shell, whatever is in it: bare where that is safe anywhere in a command, in single
/// quotes otherwise. Only NUL has no spelling at all (see [`has_spelling`]); it is left out.
pub(crate) fn quote(text: &str) -> String {
    if is_bare(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\0' => {}
            '\'' => out.push_str("'\\''"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// The text as one word in which `${SLURM_...}` stands for the scheduler's variable, and everything else for itself.
///
/// For values of the catalog, some of which name the job: `/run/tcpx-${SLURM_JOB_ID}`.
pub(crate) fn expand(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next_variable(rest) {
        push_double_quoted(&mut out, before);
        out.push_str("${");
        out.push_str(name);
        out.push('}');
        rest = after;
    }
    if out.is_empty() {
        return quote(text);
    }
    push_double_quoted(&mut out, rest);
    format!("\"{out}\"")
}

/// The text before the first `${SLURM_...}` or `$SLURM_...`, the variable's name, and the text behind it.
fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find('$') {
        let before = text.get(..from + at)?;
        let behind = text.get(from + at + 1..)?;
        let (braced, behind) =
            behind.strip_prefix('{').map_or((false, behind), |inner| (true, inner));
        let end =
            behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        let (name, after) = behind.split_at(end);
        let after = if braced { after.strip_prefix('}') } else { Some(after) };
        if let (true, Some(after)) = (name.starts_with("SLURM_"), after) {
            return Some((before, name, after));
        }
        from += at + 1;
    }
    None
}

fn push_double_quoted(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\0' => {}
            '"' | '$' | '`' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
}

/// Whether the text can be a word of a command line or the value of a variable at all.
pub(crate) fn has_spelling(text: &str) -> bool {
    !text.contains('\0')
}

/// Whether the text is the name of a shell variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Safe without quotes wherever a word may stand: as a command, an argument, or a value behind `NAME=`.
fn is_bare(text: &str) -> bool {
    let plain = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '-' | '.' | '/' | ':' | ',' | '@' | '%' | '+' | '^' | '=')
    };
    // `a=b` in front of a command is an assignment, `--a=b` and `/a=b` are not
    let assigns = text.contains('=') && !text.starts_with(['-', '/']);
    !text.is_empty() && text.chars().all(plain) && !assigns && !RESERVED.contains(&text)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a POSIX shell makes of a line: its words, with quotes resolved and variables kept as `<NAME>`.
    /// `None` where anything else than words stands there (an operator, an expansion that is not a plain variable).
    pub(crate) fn words(line: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                ' ' | '\t' => words.extend(word.take()),
                '\'' => {
                    let word = word.get_or_insert_default();
                    loop {
                        match chars.next()? {
                            '\'' => break,
                            c => word.push(c),
                        }
                    }
                }
                '"' => {
                    let word = word.get_or_insert_default();
                    loop {
                        match chars.next()? {
                            '"' => break,
                            '\\' => match chars.next()? {
                                c @ ('"' | '$' | '`' | '\\') => word.push(c),
                                c => word.extend(['\\', c]),
                            },
                            '$' => word.push_str(&variable(&mut chars)?),
                            '`' => return None,
                            c => word.push(c),
                        }
                    }
                }
                '\\' => word.get_or_insert_default().push(chars.next()?),
                '#' if word.is_none() => return None,
                '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '['
                | '~' | '{' | '}' | '!' => return None,
                c => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        Some(words)
    }

    fn variable(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
        let braced = chars.next_if_eq(&'{').is_some();
        let mut name = String::from("<");
        while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
        }
        (!braced || chars.next() == Some('}')).then(|| name + ">")
    }

    #[test]
    fn plain_words_stay_bare_and_others_are_quoted() {
        let cases = [
            ("train.py", "train.py"),
            ("--max_steps=10", "--max_steps=10"),
            ("", "''"),
            ("a=b", "'a=b'"),
            ("if", "'if'"),
            ("it's", "'it'\\''s'"),
            ("nvcr.io#nvidia/nemo:24.07", "'nvcr.io#nvidia/nemo:24.07'"),
            ("$(rm -rf /)", "'$(rm -rf /)'"),
            ("a\nb", "'a\nb'"),
        ];
        for (text, quoted) in cases {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn only_variables_of_the_scheduler_are_expanded() {
        assert_eq!(expand("/run/tcpx-${SLURM_JOB_ID}/x"), "\"/run/tcpx-${SLURM_JOB_ID}/x\"");
        assert_eq!(expand("/run/$SLURM_JOB_ID"), "\"/run/${SLURM_JOB_ID}\"");
        assert_eq!(expand("${HOME}`id`"), "'${HOME}`id`'");
        assert_eq!(expand("${SLURM_A}$(id)\"${SLURM_B"), "\"${SLURM_A}\\$(id)\\\"\\${SLURM_B\"");
        assert_eq!(expand("eth1,eth2"), "eth1,eth2");
    }

    proptest! {
        #[test]
        fn a_quoted_text_is_one_word_and_that_text(text in "[^\0]*") {
            prop_assert_eq!(words(&quote(&text)), Some(vec![text]));
        }

        #[test]
        fn an_expanded_text_is_one_word(text in "([^\0]|\\$\\{SLURM_JOB_ID\\}|\\$[({]|`|\")*") {
            let shown = text.replace("${SLURM_JOB_ID}", "<SLURM_JOB_ID>");
            prop_assume!(!text.contains("$SLURM_") );
            prop_assert_eq!(words(&expand(&text)), Some(vec![shown]));
        }
    }
}
