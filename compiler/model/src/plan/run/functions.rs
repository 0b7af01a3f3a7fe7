//! Functions of a text for a shell: what they do stands where they are called.

use super::questions::Course;
use super::shell::{End, KEYWORDS, Known, Simple, is_one_of};
use std::collections::BTreeMap;

/// Commands with the bodies of functions in the place of their first calls.
pub(super) fn called(raw: Vec<Simple>) -> Vec<Simple> {
    let mut bodies: BTreeMap<String, Vec<Simple>> = BTreeMap::new();
    let mut found = Vec::new();
    let mut rest = raw.into_iter().peekable();
    while let Some(next) = rest.next() {
        match next.defines {
            Some(name) if rest.peek().is_some_and(|it| it.braces() > 0) => {
                let mut depth = 0;
                let mut body = Vec::new();
                for command in rest.by_ref() {
                    depth += command.braces();
                    body.push(command);
                    if depth <= 0 {
                        break;
                    }
                }
                bodies.insert(name, body);
            }
            Some(_) => {}
            None => found.push(next),
        }
    }
    let mut waiting: Vec<Simple> = found.into_iter().rev().collect();
    let mut read = Vec::new();
    let mut course = Course::default();
    while let Some(mut command) = waiting.pop() {
        command.questions.extend(course.behind(&command));
        let command = command.read();
        if command.is_conditional() && leaves(&command) {
            course.leave(command.words.first().and_then(|it| it.as_deref()).unwrap_or_default());
        }
        let name = command.words.first().and_then(|it| it.as_deref());
        match name.and_then(|name| bodies.remove(name)) {
            Some(body) => {
                waiting.extend(in_place(body, &command).rev());
                read.push(Simple { words: Vec::new(), end: End::Next, ..command });
            }
            None => read.push(command),
        }
    }
    read
}

/// Whether what stands behind a command is not reached, and that is no failure.
fn leaves(command: &Simple) -> bool {
    let word = |at: usize| command.words.get(at).and_then(|it| it.as_deref());
    let well = matches!(word(1), None | Some("0"));
    command.execs || matches!(word(0), Some("exit" | "return" | "continue" | "break")) && well
}

/// The body of a function where it is called: what runs its words (`"$@"`) is those of the call, and its last command ends as the call does.
fn in_place(mut body: Vec<Simple>, call: &Simple) -> impl DoubleEndedIterator<Item = Simple> {
    let is_brace = |word: &Known| is_one_of(word, &["{", "}"]);
    body.retain(|it| it.words.is_empty() || !it.words.iter().all(is_brace));
    for command in &mut body {
        command.questions.extend(call.questions.iter().cloned());
        command.background |= call.background;
        let leading = command.words.iter().take_while(|it| is_one_of(it, &KEYWORDS)).count();
        if command.words.get(leading..).is_some_and(|it| it == [None]) && call.words.len() > 1 {
            command.words.truncate(leading);
            command.words.extend(call.words.iter().skip(1).cloned());
        }
    }
    if let Some(last) = body.last_mut().filter(|last| last.end == End::Next) {
        last.end = call.end;
    }
    body.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::shell::tests::shown;

    #[test]
    fn functions_stand_where_they_are_called() {
        assert_eq!(shown("main() { a; b \"$1\"; }\nc; main d; e"), ["c", "a", "b ?", "e"]);
        assert_eq!(
            shown("f ()\n{\n  if a; then { b; }; fi\n}\ng() { f; }\nfunction h() { i; }\nX=1 g"),
            ["X=1", "a", "b", "fi"]
        );
        assert_eq!(
            shown("again() { until \"$@\"; do sleep 1; done; }; again a b"),
            ["a b", "sleep 1", "done"]
        );
        assert_eq!(shown("f() { f; }; f; f"), ["f", "f"]);
    }
}
