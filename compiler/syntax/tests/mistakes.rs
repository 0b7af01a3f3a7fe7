//! What is said about wrong texts: one good report each, at the right place, with the edit that mends it.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod dump;

use dump::dump;
use slipform_source::FileId;
use slipform_syntax::parse;
use slipform_syntax::tree::{StmtKind, Tree};

const FILE: FileId = FileId(0);

/// Each problem as `line: code: message`.
fn reports(text: &str) -> Vec<String> {
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let problems = parse(FILE, text).problems;
    problems
        .iter()
        .map(|it| format!("{}: {}: {}", line(it.at.0.start), it.code, it.message))
        .collect()
}

/// The only problem of a text: its code, message and help.
fn only(text: &str) -> (String, String) {
    let tree = parse(FILE, text);
    assert_eq!(tree.problems.len(), 1, "{text:?} {:?}", tree.problems);
    let problem = &tree.problems[0];
    (format!("{}: {}", problem.code, problem.message), problem.help.clone().unwrap_or_default())
}

/// The text with the fix of every problem applied.
fn mended(text: &str) -> String {
    let mut mended = text.to_owned();
    for problem in parse(FILE, text).problems.iter().rev() {
        let (at, new) = problem.fix.as_ref().unwrap_or_else(|| panic!("no fix in {problem:?}"));
        mended.replace_range(at.range(), new);
    }
    mended
}

fn names(tree: &Tree) -> Vec<String> {
    let declared = tree.stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Decl(it) => it.name.as_ref(),
        StmtKind::Let(it) | StmtKind::Output(it) => it.name.as_ref(),
        StmtKind::Param(it) => it.name.as_ref(),
        _ => None,
    });
    declared.map(|name| name.value.to_string()).collect()
}

#[test]
fn many_mistakes_are_reported_once_each_and_the_sound_parts_survive() {
    let text = include_str!("samples/mistakes.bp");
    assert_eq!(
        reports(text),
        [
            "1: syntax/name: expected a dotted path after `use`",
            "2: syntax/word: `lett` is no statement",
            "3: syntax/value: expected a value after `=`",
            "4: syntax/equals: values are compared with `==`, not `=`",
            "6: syntax/colon: a value is set with `=`, not `:`",
            "7: syntax/value: expected a value after `=`",
            "8: syntax/unclosed: this string is never closed",
            "9: syntax/operator: `!` is written `not`",
            "11: syntax/unclosed: this `{` is never closed",
            "12: syntax/comma: expected `,`",
            "13: syntax/trailing: unexpected text behind the end of this statement",
            "14: syntax/quotes: strings stand in double quotes",
            "15: syntax/unclosed: this `{` is never closed",
            "16: syntax/unclosed: this `(` is never closed",
            "19: syntax/comment: comments start with `#`",
            "21: syntax/value: expected a value after `+`",
        ]
    );
    let tree = parse(FILE, text);
    assert_eq!(names(&tree), ["hosts", "slices", "train", "main", "job", "n"]);
    let sound = tree.stmts.iter().filter(|stmt| !stmt.broken).count();
    assert_eq!(
        sound, 3,
        "network train, workload job and the output are whole, though their insides are not"
    );
    assert!(dump(&tree).contains("    good = 3\n"), "what follows an unclosed parenthesis is read");
}

#[test]
fn certain_mistakes_carry_the_edit_that_mends_them() {
    for (wrong, right) in [
        ("a b {\n  x: 1\n}\n", "a b {\n  x = 1\n}\n"),
        ("a b {\n  x : 1\n}\n", "a b {\n  x = 1\n}\n"),
        ("let x = { a: 1 }\n", "let x = { a = 1 }\n"),
        ("let x = f(a: 1)\n", "let x = f(a = 1)\n"),
        ("assert a = b\n", "assert a == b\n"),
        ("param n: int where n = 1\n", "param n: int where n == 1\n"),
        ("a b {\n  if c = d { x = 1 }\n}\n", "a b {\n  if c == d { x = 1 }\n}\n"),
        ("let x = [1 2]\n", "let x = [1, 2]\n"),
        ("let x = [1,, 2]\n", "let x = [1, 2]\n"),
        ("let x = a && b\n", "let x = a and b\n"),
        ("let x = a || b\n", "let x = a or b\n"),
        ("let x = !b\n", "let x = not b\n"),
        ("let x = a === b\n", "let x = a == b\n"),
        ("let x = True\n", "let x = true\n"),
        ("let x = 'a b'\n", "let x = \"a b\"\n"),
        ("let x = (1 + 2\n", "let x = (1 + 2)\n"),
        ("let x = [1, 2\n", "let x = [1, 2]\n"),
        ("let x = \"${a\"\n", "let x = \"${a}\"\n"),
        ("let x = 1;\n", "let x = 1\n"),
        ("let x = 10 GiB\n", "let x = 10GiB\n"),
        ("let x = f(2560 GiB, 7d)\n", "let x = f(2560GiB, 7d)\n"),
        ("let x = [1,\n 7 d]\n", "let x = [1,\n 7d]\n"),
        ("let x = 30 m + 1h\n", "let x = 30m + 1h\n"),
        ("let x = 1,000\n", "let x = 1_000\n"),
        ("a b {\n  x = 12,000,000 # many\n}\n", "a b {\n  x = 12_000_000 # many\n}\n"),
        ("a b {\n  x = 1,\n}\n", "a b {\n  x = 1\n}\n"),
        ("let x = 1 // one\n", "let x = 1 # one\n"),
        ("// one\nlet x = 1\n", "# one\nlet x = 1\n"),
        ("lett x = 1\n", "let x = 1\n"),
        ("parma x: int\n", "param x: int\n"),
        ("improt a.b\n", "use a.b\n"),
        ("cluster \"main\" {\n}\n", "cluster main {\n}\n"),
        ("a b = {\n}\n", "a b  {\n}\n"),
        ("rule a/b on c {\n  requires x\n}\n", "rule a/b on c {\n  require x\n}\n"),
        ("let x =\u{a0}1\n", "let x = 1\n"),
    ] {
        let mended = mended(wrong);
        assert_eq!(mended, right, "{wrong:?}: {:?}", reports(wrong));
        assert!(reports(right).is_empty(), "{right:?} {:?}", reports(right));
    }
}

#[test]
fn a_mistake_is_read_as_what_is_certainly_meant() {
    for (wrong, right) in [
        ("ues a.b.{c, d}\n", "use a.b.{c, d}\n"),
        ("## Whose.\nparm x: int where x > 1\n", "## Whose.\nparam x: int where x > 1\n"),
        ("lte x = {\n  a = 1\n}\n", "let x = {\n  a = 1\n}\n"),
        ("assret a ==\n  b, \"no\"\n", "assert a ==\n  b, \"no\"\n"),
        (
            "a b {\n  exisitng c d {\n    e = 1 # f\n  }\n}\n",
            "a b {\n  existing c d {\n    e = 1 # f\n  }\n}\n",
        ),
        (
            "if a {\n  x b {}\n} eles if c {\n  x d {}\n}\n",
            "if a {\n  x b {}\n} else if c {\n  x d {}\n}\n",
        ),
        ("rule a/b on c {\n  requiree x\n}\n", "rule a/b on c {\n  require x\n}\n"),
        ("a b {\n  zone \"c-d\"\n  e = 1\n}\n", "a b {\n  zone = \"c-d\"\n  e = 1\n}\n"),
        ("a b {\n  nodes == 1\n  e = 1\n}\n", "a b {\n  nodes = 1\n  e = 1\n}\n"),
        (
            "a b {\n  c = d(\"e\", f = 1\n  g = [1]\n\n  patch h {\n    i = 2\n  }\n}\n",
            "a b {\n  c = d(\"e\", f = 1)\n  g = [1]\n\n  patch h {\n    i = 2\n  }\n}\n",
        ),
    ] {
        let tree = parse(FILE, wrong);
        let (read, meant) = (dump(&tree), dump(&parse(FILE, right)).replace("broken ", ""));
        assert!(read.contains("broken "), "{wrong:?}");
        assert_eq!(read.replace("broken ", ""), meant, "{:?}", tree.problems);
        assert_eq!(tree.problems.len(), reports(right).len() + 1, "{wrong:?}");
        assert_eq!(mended(wrong), right);
        assert_eq!(
            tree.stmts[0].span.range().end,
            wrong.trim_end().len(),
            "what is behind the mistake stands where it is written"
        );
    }
}

#[test]
fn every_hole_is_told_in_plain_words() {
    for (text, said) in [
        ("let\n", "syntax/name: expected a name after `let`"),
        ("let x\n", "syntax/equals: expected `=` after `x`"),
        ("let x = 1 +\n", "syntax/value: expected a value after `+`"),
        ("let x = a.\n", "syntax/name: expected a name after `.`"),
        ("let x = a[]\n", "syntax/value: expected a value after `[`"),
        ("let x: = 1\n", "syntax/type: expected a type after `:`"),
        ("let x = if a { 1 }\n", "syntax/else: an `if` that gives a value needs an `else`"),
        ("let x = a is b\n", "syntax/is: expected `set` after `is`"),
        ("let x = a < b < c\n", "syntax/operator: comparisons cannot be chained"),
        ("let x = null\n", "syntax/word: there is no `null`"),
        ("let x = and\n", "syntax/value: expected a value in front of `and`"),
        ("param x: int = where x > 1\n", "syntax/value: expected a value in front of `where`"),
        ("let x = 1.2.3\n", "syntax/number: `1.2.3` is no number"),
        ("let x = \"a\\qb\"\n", "syntax/escape: `\\q` is no escape"),
        ("let x = \"abc\n", "syntax/unclosed: this string is never closed"),
        ("let x = \"\"\"\n  abc\n", "syntax/unclosed: this multi-line string is never closed"),
        (
            "let x = \"\"\"abc\n  \"\"\"\n",
            "syntax/string: the text of a multi-line string starts on the line below its quotes",
        ),
        ("let größe = 1\n", "syntax/name: a name cannot contain `ö`"),
        ("type T int\n", "syntax/equals: expected `=` after `T`"),
        ("type T = \n", "syntax/type: expected a type after `=`"),
        ("for x { }\n", "syntax/for: expected `in` after `x`"),
        ("if a\n", "syntax/brace: expected `{` after `a`"),
        ("cluster main\n", "syntax/brace: expected `{` after `main`"),
        ("cluster main on gke\n", "syntax/brace: expected `{` after `gke`"),
        ("cluster on gke { }\n", "syntax/name: expected a name after `cluster`"),
        ("network { }\n", "syntax/name: expected a name after `network`"),
        ("kind { }\n", "syntax/name: expected a name after `kind`"),
        ("a b {\n  allow x/y\n}\n", "syntax/value: expected a reason after the code of the rule"),
        ("rule a/b on c {\n  fix x\n}\n", "syntax/fix: expected `remove` or `set` after `fix`"),
        ("rule a/b on c {\n  label \"x\"\n}\n", "syntax/name: expected a field after `label`"),
        ("rule a/b on c {\n  x = 1\n}\n", "syntax/clause: this is no line of a rule"),
        ("a b {\n  frobnicate bar = 1\n}\n", "syntax/name: `frobnicate bar` is no name"),
        ("a b {\n  x = c ? 1 : 2\n}\n", "syntax/operator: there is no `? :`"),
        ("a b {\n  x = 1\n    + 2\n}\n", "syntax/operator: a line cannot start with `+`"),
        ("a b {\n  x = 1\n    - 2\n}\n", "syntax/operator: a line cannot start with `-`"),
        ("a b {\n  x = c\n    && d\n}\n", "syntax/operator: a line cannot start with `&&`"),
        ("a b {\n  x = c\n    and d\n}\n", "syntax/operator: a line cannot start with `and`"),
        ("a b {\n}\n}\n", "syntax/unopened: this `}` closes nothing"),
        ("a b {\n  x = 1 ]\n}\n", "syntax/unopened: this `]` closes nothing"),
        ("a b {\n  ???\n}\n", "syntax/operator: there is no `? :`"),
        ("a b {\n  f(1)\n}\n", "syntax/statement: this is no statement"),
        ("/* old */\nlet x = 1\n", "syntax/comment: there are no block comments"),
        ("let x = “a”\n", "syntax/quotes: strings stand in straight double quotes"),
    ] {
        assert_eq!(only(text).0, said, "{text:?}");
    }
}

#[test]
fn an_unclosed_brace_ends_at_the_next_statement_of_the_file() {
    let text = "cluster a {\n  pool b {\n    x = [1,\n\nworkload w {\n  y = 2\n}\n";
    let tree = parse(FILE, text);
    assert_eq!(
        reports(text),
        [
            "1: syntax/unclosed: this `{` is never closed",
            "2: syntax/unclosed: this `{` is never closed",
            "3: syntax/unclosed: this `[` is never closed",
        ]
    );
    assert_eq!(names(&tree), ["a", "w"]);
    assert_eq!(
        dump(&parse(FILE, "workload w {\n  y = 2\n}\n")),
        dump(&tree).split_once("workload").map(|(_, w)| format!("workload{w}")).unwrap()
    );
    let (hole, label) = tree.problems[0].also.clone().unwrap();
    assert_eq!(
        (hole.start as usize, label.as_str()),
        (text.find("[1,").unwrap() + 3, "`}` is missing by here")
    );
}

#[test]
fn a_list_left_open_does_not_eat_the_next_attribute() {
    let text = "a b {\n  x = [1, 2\n  y = 3\n}\n";
    assert_eq!(reports(text), ["2: syntax/unclosed: this `[` is never closed"]);
    assert_eq!(dump(&parse(FILE, text)), "a b\n  broken x = [1, 2]\n  y = 3\n");
}

#[test]
fn a_broken_statement_leaves_its_block_whole() {
    let tree = parse(FILE, "a b {\n  x =\n  y = 1\n}\n");
    assert_eq!(dump(&tree), "a b\n  broken x = <missing>\n  y = 1\n");
}

#[test]
fn a_misspelt_word_names_the_one_that_was_meant() {
    assert_eq!(only("lett x = 1\n").1, "a word with a similar name exists: `let`");
    assert_eq!(only("kidn pool\n").1, "a word with a similar name exists: `kind`");
}

#[test]
fn words_that_could_not_be_read_back_are_no_names() {
    for text in [
        "let in = 1\n",
        "param auto: int\n",
        "bucket at {\n}\n",
        "component else {\n}\n",
        "component c {\n  not: int\n}\n",
        "type or = string\n",
        "for if in [1] {\n  a b {\n  }\n}\n",
        "let x = [for true in [1] { 2 }]\n",
        "use a.b as where\n",
    ] {
        let (report, help) = only(text);
        assert!(report.contains("is a word of the language, not a name"), "{text}: {report}");
        assert_eq!(help, "choose another name: this one could not be read back");
    }
    let fine = "bucket b {\n  in = 1\n  at = { for = 2 }\n}\nlet x = b.in\nlet by = 1\n";
    assert_eq!(reports(fine), [""; 0]);
}
