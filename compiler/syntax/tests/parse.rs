//! What each construct of the language is read as.

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
use slipform_syntax::tree::{Clause, ClauseKind, ExprKind, Mend, StmtKind, StrPart};
use slipform_syntax::{NodeRef, parse, path_at};

const FILE: FileId = FileId(0);

/// The dump of a text without problems.
fn read(text: &str) -> String {
    let tree = parse(FILE, text);
    assert!(tree.problems.is_empty(), "{text:?} {:?}", tree.problems);
    dump(&tree)
}

/// What a value is read as.
fn value(text: &str) -> String {
    let dump = read(&format!("let x = {text}\n"));
    dump.strip_prefix("let x = ").unwrap().trim_end().to_owned()
}

/// What a type is read as.
fn ty(text: &str) -> String {
    let dump = read(&format!("type X = {text}\n"));
    dump.strip_prefix("type X = ").unwrap().trim_end().to_owned()
}

/// The text of a string value without interpolation.
fn text_of(text: &str) -> String {
    let tree = parse(FILE, text);
    assert!(tree.problems.is_empty(), "{text:?} {:?}", tree.problems);
    let StmtKind::Let(it) = &tree.stmts[0].kind else { panic!("{:?}", tree.stmts) };
    let ExprKind::Str(parts) = &it.value.kind else { panic!("{:?}", it.value) };
    let text = |part: &StrPart| match part {
        StrPart::Text(text) => text.to_string(),
        StrPart::Interp(_) => "<>".into(),
    };
    parts.iter().map(text).collect()
}

#[test]
fn operators_bind_as_documented() {
    for (text, read) in [
        ("a or b and not c == d", "(a or (b and (not (c == d))))"),
        ("a + b * c - d", "((a + (b * c)) - d)"),
        ("-a.b[0](c)", "(- a.b[0](c))"),
        ("a - -b", "(a - (- b))"),
        ("a at \"/x\" == b", "((a at \"/x\") == b)"),
        ("1 + 2..n * 2", "((1 + 2) .. (n * 2))"),
        ("3..10", "(3 .. 10)"),
        ("a in 1..3 and b", "((a in (1 .. 3)) and b)"),
        ("a is set and b is not set", "((a is set) and (b is not set))"),
        ("not a is set", "(not (a is set))"),
        ("(a + b) * c", "(paren((a + b)) * c)"),
        ("a % 2 / 3", "((a % 2) / 3)"),
        ("if a { 1 } else if b { 2 } else { 3 }", "(if a {1} else {(if b {2} else {3})})"),
        ("a.type.in.set", "a.type.in.set"),
        ("[for x in xs if x > 1 { x }]", "[for x in xs if (x > 1) {x}]"),
        ("{ for k, v in m { k = v } }", "{for k, v in m {k = v}}"),
        ("{ for k, v in m { \"a-${k}\" = v } }", "{for k, v in m {\"a-${k}\" = v}}"),
        ("{ for = 1, in = 2, \"a b\" = 3 }", "{for = 1, in = 2, \"a b\" = 3}"),
        ("f(1, a = 2,)", "f(1, a = 2)"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("auto", "auto"),
    ] {
        assert_eq!(value(text), read, "{text}");
    }
}

#[test]
fn literals_are_classified_by_their_shape() {
    for (text, read) in [
        ("1_000", "1_000"),
        ("0.5", "float:0.5"),
        ("80GiB", "quantity:80GiB"),
        ("2h30m", "quantity:2h30m"),
        ("4x4x8", "topology:4x4x8"),
        ("10.0.0.0/16", "address:10.0.0.0/16"),
        ("10.0.0.1", "address:10.0.0.1"),
        ("16/2", "(16 / 2)"),
        ("1.5..2.5", "(float:1.5 .. float:2.5)"),
    ] {
        assert_eq!(value(text), read, "{text}");
    }
}

#[test]
fn newlines_are_free_in_brackets_and_behind_operators() {
    assert_eq!(value("[\n  1, 2\n  3,\n\n  # no more\n]"), "[1, 2, 3]");
    assert_eq!(value("{\n  a = 1\n  b = 2,\n}"), "{a = 1, b = 2}");
    assert_eq!(value("f(\n  1,\n  b = 2\n)"), "f(1, b = 2)");
    assert_eq!(value("a and # why\n  b or\n\n  c"), "((a and b) or c)");
    assert_eq!(value("(a\n  and b\n)"), "paren((a and b))");
    assert_eq!(value("[\n  a\n  -b\n]"), "[a, (- b)]");
    assert_eq!(read("a b\n{\n}\n"), "a b\n");
    assert_eq!(read("if a {\n}\nelse {\n}\n"), "if a\nelse\n");
}

#[test]
fn strings_undo_escapes_and_interpolate() {
    assert_eq!(text_of(r#"let x = "a\n\t\"\\\$\u{e9} $5 $$ ${b}""#), "a\n\t\"\\$é $5 $$ <>");
    assert_eq!(value(r#""${a}-${f("x", { b = "${c}" })}""#), r#""${a}-${f("x", {b = "${c}"})}""#);
    assert_eq!(value("\"\""), "\"\"");
    assert_eq!(value("\"# no comment\""), "\"# no comment\"");
}

#[test]
fn multi_line_strings_lose_their_indentation_and_choose_their_sigil() {
    assert_eq!(text_of("let x = \"\"\"\n    a\n      b\n\n    \"\"\"\n"), "a\n  b\n");
    assert_eq!(text_of("let x = \"\"\"\n    a\n  \"\"\"\n"), "  a");
    assert_eq!(text_of("let x = \"\"\"\n  \\n \"q\" ${a}\n  \"\"\"\n"), "\\n \"q\" <>");
    assert_eq!(text_of("let x = %\"\"\"\n  ${a} %{a}\n  \"\"\"\n"), "${a} <>");
    assert_eq!(text_of("let x = @\"\"\"\n  ${a} @{a}\n  \"\"\"\n"), "${a} <>");
    assert_eq!(text_of("let x = $$\"\"\"\n  ${a} $${a}\n  \"\"\"\n"), "${a} <>");
    assert_eq!(
        text_of("let x = \"\"\"\nlet y = 1\nnetwork n {\n\"\"\"\n"),
        "let y = 1\nnetwork n {"
    );
    assert_eq!(text_of("let x = \"\"\"\r\n  a\r\n  b\r\n  \"\"\"\r\n"), "a\nb");
    assert_eq!(text_of("let x = \"\"\"\n  \"\"\"\n"), "");
    assert_eq!(text_of("let x = \"\"\"\n  ${a}\n  ${b}\n  \"\"\"\n"), "<>\n<>");
}

#[test]
fn types() {
    for (text, read) in [
        ("int?", "int?"),
        ("[int]?", "[int]?"),
        ("{string: int}", "map{string: int}"),
        ("{Zone: int}", "map{Zone: int}"),
        ("{ string: int, b: int }", "{string: int, b: int}"),
        ("{ a: int = 1\n  b: [string]? }", "{a: int = 1, b: [string]?}"),
        ("\"a\" | b | c(x: int, y: string = \"z\")", "(\"a\" | b | c(x: int, y: string = \"z\"))"),
        ("\n  | a\n  | b", "(a | b)"),
        ("a |\n  b", "(a | b)"),
        ("deferred string?", "(deferred string)?"),
        ("deferred (string?)", "(deferred string?)"),
        ("int in 1..8", "(int in (1 .. 8))"),
        ("int in [1, 2]?", "(int in [1, 2])?"),
        ("string matching \"^a$\" | int", "((string matching \"^a$\") | int)"),
        ("(a | b)?", "(a | b)?"),
    ] {
        assert_eq!(ty(text), read, "{text}");
    }
}

#[test]
fn statement_words_may_name_fields() {
    assert_eq!(
        read(
            "component c {\n  on: Pool\n  type: \"a\"\n  derived: int\n  derived rule: int\n  workload w on on { in = 1 }\n}\n"
        ),
        "component c\n  on: Pool\n  type: \"a\"\n  derived: int\n  derived rule: int\n  workload w on on\n    in = 1\n"
    );
    assert_eq!(
        read("a b {\n  let = 1\n  if = 2\n  let x = 3\n}\n"),
        "a b\n  let = 1\n  if = 2\n  let x = 3\n"
    );
}

#[test]
fn documentation_is_what_stands_directly_above() {
    assert_eq!(read("## a\n## b\nlet x = 1\n"), "## a\n## b\nlet x = 1\n");
    assert_eq!(read("## far\n\nlet x = 1\n"), "let x = 1\n");
    assert_eq!(read("## far\n\n## near\nlet x = 1\n"), "## near\nlet x = 1\n");
    assert_eq!(read("## doc\n# note\nlet x = 1\n"), "let x = 1\n");
    assert_eq!(read("### heading\nlet x = 1\n"), "let x = 1\n");
    assert_eq!(read("let x = 1 ## trailing\nlet y = 2\n"), "let x = 1\nlet y = 2\n");
    assert_eq!(
        read("kind k { ## trailing\n  ## doc\n  a: int\n}\n"),
        "kind k\n  ## doc\n  a: int\n"
    );
    assert_eq!(ty("{\n  ## doc\n  a: int\n  b: int\n}"), "{## \"doc\" a: int, b: int}");
}

#[test]
fn the_line_of_a_rule_keeps_its_words_and_its_expressions_apart() {
    let text = "rule a/b on pool.gke {\n  for m in mounts\n  label a.b[0] \"t\"\n  fix set x = 1 + 2\n  fix remove y\n}\n";
    let tree = parse(FILE, text);
    let StmtKind::Rule(rule) = &tree.stmts[0].kind else { panic!("{:?}", tree.stmts) };
    let clauses: Vec<&Clause> = rule.clauses.iter().collect();
    let [each, label, set, remove] = clauses.as_slice() else { panic!("{rule:?}") };
    assert!(matches!(&each.kind, ClauseKind::For(names, _) if names[0].value == "m"));
    let ClauseKind::Label(at, said) = &label.kind else { panic!("{label:?}") };
    assert!(matches!((&at.kind, &said.kind), (ExprKind::Index(..), ExprKind::Str(_))));
    let ClauseKind::Fix(Mend::Set(place, value)) = &set.kind else { panic!("{set:?}") };
    assert_eq!([&text[place.span.range()], &text[value.span.range()]], ["x", "1 + 2"]);
    assert!(matches!(&remove.kind, ClauseKind::Fix(Mend::Remove(_))));
    assert_eq!(&text[remove.word.range()], "fix");
}

#[test]
fn a_fix_sets_to_a_value_and_removes_without_one() {
    for (line, message) in [
        ("fix set x", "`fix set` needs a value"),
        ("fix remove x = 1", "`fix remove` takes no value"),
    ] {
        let tree = parse(FILE, &format!("rule a/b on c {{\n  {line}\n}}\n"));
        let messages: Vec<_> = tree.problems.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, [message]);
    }
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_no_text() {
    let plain = "network n {\n  a = 1 # x\n}\nlet y = [\n  1,\n]\n";
    let other = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    assert_eq!(read(&other), read(plain));
    let comment = parse(FILE, &other).comments[0].span;
    assert_eq!(&other[comment.range()], "# x");
}

#[test]
fn spans_hold_exactly_what_was_written() {
    let text = "workload w on a.b { x = f(1, c = [2]) + 3 }  # end\n";
    let tree = parse(FILE, text);
    let StmtKind::Decl(it) = &tree.stmts[0].kind else { panic!("{:?}", tree.stmts) };
    assert_eq!(&text[tree.stmts[0].span.range()], "workload w on a.b { x = f(1, c = [2]) + 3 }");
    assert_eq!(&text[it.header.range()], "workload w on a.b");
    let StmtKind::Attr(attr) = &it.body[0].kind else { panic!("{:?}", it.body) };
    assert_eq!(&text[attr.value.span.range()], "f(1, c = [2]) + 3");
    let ExprKind::Binary(_, op, left, right) = &attr.value.kind else { panic!("{:?}", attr.value) };
    assert_eq!(
        [&text[op.span.range()], &text[left.span.range()], &text[right.span.range()]],
        ["+", "f(1, c = [2])", "3"]
    );
}

/// The texts of the nodes around the `|` of a text.
fn around(marked: &str) -> Vec<String> {
    let at = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    let tree = parse(FILE, &text);
    let sort = |node: &NodeRef<'_>| format!("{node:?}").split('(').next().unwrap().to_owned();
    path_at(&tree, at)
        .iter()
        .map(|node| format!("{} {}", sort(node), &text[node.span().range()]))
        .collect()
}

#[test]
fn the_path_to_an_offset_ends_at_the_innermost_node() {
    assert_eq!(
        around("a b { x = f(y = c.d|e) }"),
        [
            "Stmt a b { x = f(y = c.de) }",
            "Stmt x = f(y = c.de)",
            "Expr f(y = c.de)",
            "Arg y = c.de",
            "Expr c.de",
            "Name de"
        ]
    );
    assert_eq!(around("let |x = 1"), ["Stmt let x = 1", "Name x"]);
    assert_eq!(around("let x = a|"), ["Stmt let x = a", "Expr a"]);
    assert_eq!(around("let x = a + |b"), ["Stmt let x = a + b", "Expr a + b", "Expr b"]);
    assert_eq!(around("let x = \"${a|}\""), ["Stmt let x = \"${a}\"", "Expr \"${a}\"", "Expr a"]);
    assert_eq!(around("let x =| "), ["Stmt let x =", "Expr "]);
    assert_eq!(around("let x = 1\n\n|\nlet y = 2"), [""; 0]);
    assert_eq!(
        around("rule a/b on c {\n  require x.|y\n}"),
        ["Stmt rule a/b on c {\n  require x.y\n}", "Clause require x.y", "Expr x.y", "Name y"]
    );
    assert_eq!(
        around("param p: [in|t]"),
        ["Stmt param p: [int]", "TypeExpr [int]", "TypeExpr int"]
    );
}

/// The standard library is written in this language.
#[test]
fn the_standard_library_has_no_problems() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stdlib");
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bp") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(parse(FILE, &text).problems, [], "{}", path.display());
            }
        }
    }
}
