//! Variables of a text for a shell that have one value wherever they are asked for.

use super::questions::{Course, looped};
use super::shell::{KEYWORDS, Simple, Values, assignment};
use std::collections::BTreeSet;

/// The given values, without those that the text may change, and with those that it sets once and in any case.
pub(super) fn settled(commands: &[Simple], given: &Values) -> Values {
    let mut values = given.clone();
    let mut touched = BTreeSet::new();
    let mut course = Course::default();
    for command in commands {
        let words: Vec<&str> =
            command.words.iter().map(|it| it.as_deref().unwrap_or_default()).collect();
        let is_sure = course.behind(command).is_empty();
        let own = words.iter().take_while(|it| KEYWORDS.contains(it)).count();
        let is_declared = words.get(own).is_some_and(|it| DECLARES.contains(it));
        let declares = own + usize::from(is_declared);
        let rest = command.words.get(declares..).unwrap_or_default();
        let plain = rest.iter().filter(|it| !it.as_deref().is_some_and(|it| it.starts_with('-')));
        let set: Option<Vec<_>> = plain.map(assignment).collect();
        match set.filter(|it| !it.is_empty()) {
            Some(set) => {
                for (name, value) in set {
                    let value = value.filter(|it| is_sure && !it.is_empty());
                    match value.filter(|_| touched.insert(name.clone())) {
                        Some(value) => values.insert(name, value),
                        None => values.remove(&name),
                    };
                }
            }
            None => {
                let each = words.iter().position(|it| *it == "for");
                let each = each.and_then(|at| looped(command.words.get(at + 1..)?));
                let changed = words.iter().filter_map(|word| changed(word));
                changed.for_each(|name| {
                    values.remove(name);
                    let is_new = touched.insert(name.to_owned());
                    // all of it is one name here
                    if let Some((_, what)) = each.filter(|it| is_new && it.0 == name) {
                        values.insert(name.to_owned(), what.to_owned());
                    }
                });
            }
        }
    }
    values
}

/// Commands that set their words.
pub(super) const DECLARES: [&str; 4] = ["export", "declare", "typeset", "readonly"];

/// The variable that a word may change: `read X`, `for X in`, `X+=1`, `((X++))`.
fn changed(word: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let word = word.trim_start_matches('(');
    let (name, rest) = word.split_at(word.find(|c| !is_name(c)).unwrap_or(word.len()));
    let rest = rest.trim_start();
    let changes =
        rest.is_empty() || ["=", "+", "-", "*", "["].iter().any(|it| rest.starts_with(it));
    (changes && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::shell::{Values, commands_among};

    fn shown(text: &str) -> String {
        let given = Values::from([("NNODES".to_owned(), "4".to_owned())]);
        let last = commands_among(text, &given).pop().unwrap_or_default();
        let words = last.words.iter().map(|it| it.as_deref().unwrap_or("?"));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_set_once_is_known_wherever_it_is_asked_for() {
        assert_eq!(shown("GPUS=16; t --n=$GPUS -N ${NNODES}"), "t --n=16 -N 4");
        assert_eq!(shown("cd /w && export N=$NNODES && t $N"), "t 4");
        assert_eq!(shown("A='--x 1 --y'; t $A \"$A\""), "t --x 1 --y --x 1 --y");
        assert_eq!(shown("t ${NNODES:-1} ${B:-2}"), "t 4 ?");
        assert_eq!(shown("t $((NNODES * 8)) $((X * 2))"), "t 32 ?");
        assert_eq!(shown("for d in /a/*; do t $d/b ${NNODES:?}; done; t $d"), "t /a/*");
        assert_eq!(
            shown("R=/r/$(date +%s -u); t --o=$R $R/x"),
            "t --o=/r/$(date +%s -u) /r/$(date +%s -u)/x"
        );
    }

    #[test]
    fn what_may_be_otherwise_is_not_known() {
        for text in [
            "[ -z $X ] && X=1; t $X",
            "if a; then X=1; fi; t $X",
            "X=1; X=2; t $X",
            "X=1; read X; t $X",
            "X=1; for X in 2 3; do a; done; t $X",
            "X=1; for X in /a/*; do a; done; t $X",
            "X=1; X+=2; t $X",
            "X=1; ((X++)); t $X",
            "X=1; (( X = 2 )); t $X",
            "X=$(cat x); t $X",
            "X=1 t $X",
            "a || X=1; t $X",
        ] {
            assert_eq!(shown(text), "t ?", "{text}");
        }
        assert_eq!(shown("NNODES=$(cat n); t $NNODES"), "t ?");
    }
}
