//! Whatever stands in a blueprint keeps its place in a script.

use super::job::Section;
use super::step::{Container, ImageCopy};
use super::{Job, Step, TEMPLATES};
use crate::launch::Word;
use crate::shell;
use crate::shell::tests::words;
use crate::template::HeaderOption;
use proptest::prelude::*;

/// The options of a header as sbatch reads them: quotes group, a backslash escapes, a bare `#` ends the line, and the
/// first line that is no comment ends the header. `None` where a line is no sound option.
fn directives(script: &str) -> Option<Vec<String>> {
    let mut options = Vec::new();
    for line in script.lines().take_while(|line| line.is_empty() || line.starts_with('#')) {
        let Some(text) = line.strip_prefix("#SBATCH ") else { continue };
        let (mut word, mut quote, mut chars) = (String::new(), None, text.chars());
        while let Some(c) = chars.next() {
            match (c, quote) {
                ('\\', _) => word.push(chars.next()?),
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('#', None) => break,
                (c, None) if c.is_whitespace() => return None,
                (c, _) => word.push(c),
            }
        }
        if quote.is_some() || !word.starts_with("--") {
            return None;
        }
        options.push(word);
    }
    Some(options)
}

/// A script with one text in every place that takes a text of the blueprint, of one gang or of two.
fn script_with(text: &str, groups: bool) -> String {
    let word = || Word::from(text);
    let secret = super::job::Secret {
        variable: "B".into(),
        note: "s".into(),
        file: text.to_owned(),
        help: text.to_owned(),
        ambiguous: false,
        login: false,
    };
    let variable = super::job::Variable { name: "A".into(), value: word() };
    let step = Step {
        name: "first".into(),
        tasks: 1,
        processes: 8,
        nodes: 1,
        decides: true,
        container: Some(Container {
            squashfs: word(),
            file: text.to_owned(),
            image: Some(text.to_owned()),
            copy: Some(ImageCopy { folder: text.to_owned(), file: text.to_owned() }),
        }),
        workdir: Some(word()),
        options: vec![text.to_owned()],
        mounts: vec![super::mounts::MountLine { node_local: true, text: word(), depth: 1 }],
        launcher: "torchrun",
        command: vec![word(), word()],
        ..Step::default()
    };
    let own = Step {
        name: "second".into(),
        env: vec![variable.clone()],
        secrets: vec![secret.clone()],
        ..step.clone()
    };
    let mut job = Job {
        title: "t".into(),
        env: vec![variable],
        secrets: vec![secret],
        steps: vec![step],
        signal: "TERM",
        staged: vec![super::batch::StagedFile { from: word(), to: word(), folder: word() }],
        ..Job::default()
    };
    if groups {
        job.steps.push(own);
    }
    TEMPLATES.render("job.sbatch", &job).unwrap()
}

proptest! {
    #[test]
    fn a_header_says_what_was_meant(values in prop::collection::vec("\\PC{0,12}", 1..4)) {
        let option = |(at, value): (usize, &String)| HeaderOption {
            name: ["comment", "qos", "account"][at].to_owned(),
            value: Some(value.clone()),
        };
        let options: Vec<HeaderOption> = values.iter().enumerate().map(option).collect();
        let meant: Vec<String> = options.iter().map(|it| format!("--{}={}", it.name, it.value.as_ref().unwrap())).collect();
        let script = TEMPLATES.render("job.sbatch", &Job { components: vec![Section { options, nodes: 1 }], steps: vec![Step::default()], signal: "TERM", ..Job::default() }).unwrap();
        prop_assert_eq!(directives(&script), Some(meant));
    }

    #[test]
    fn no_text_leaves_its_place(groups: bool, text in "([^\0]|'|\"|\\$\\(id\\)|`id`|\n|\\\\){1,16}") {
        // a text with the marks of a quoted one would match more than its own places
        prop_assume!(shell::quote(&text).starts_with('\''));
        let plain = script_with("'plain'", groups);
        let other = script_with(&text, groups);
        let (quoted, of_plain) = (shell::quote(&text), shell::quote("'plain'"));
        let places = plain.matches(&of_plain).count();
        prop_assert_eq!(places, if groups { 27 } else { 15 });
        prop_assert_eq!(words(&quoted), Some(vec![text]));
        let parts: Vec<&str> = plain.split(&of_plain).collect();
        prop_assert_eq!(other, parts.join(&quoted));
    }
}
