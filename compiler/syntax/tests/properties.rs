//! What holds for every text: tried on the samples and on tens of thousands of mutants of them.
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod dump;

use dump::dump;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Comment, Tree};
use slipform_syntax::{MAX_NESTING, format, parse, parse_at, path_at, reparse, walk};

const FILE: FileId = FileId(7);

const SAMPLES: [&str; 4] = [
    include_str!("samples/training.bp"),
    include_str!("samples/library.bp"),
    include_str!("samples/constructs.bp"),
    include_str!("samples/mistakes.bp"),
];

/// Pieces that a mutation may insert anywhere.
const PIECES: [&str; 64] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "\"\"\"",
    "%\"\"\"",
    "$$\"\"\"",
    "${",
    "%{",
    "#",
    "##",
    "=",
    "==",
    ":",
    ",",
    ".",
    "..",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "\t",
    "\\",
    "'",
    "|",
    "?",
    "-",
    "not ",
    "and",
    " or ",
    " in ",
    " at ",
    " is set",
    " is not set",
    "if ",
    " else ",
    "for x in xs ",
    "let x = 1\n",
    "network n {\n",
    "use a.b",
    "param p: int",
    "rule a/b on c {\n",
    "kind k {\n",
    "16",
    "4x4x8",
    "10.0.0.0/16",
    "80GiB",
    "0.5",
    "true",
    "auto",
    "deferred ",
    "é",
    "😀",
    "\u{a0}",
    "//",
    "/*",
    "*/",
    "&&",
    "!",
    ";",
    "derived ",
];

/// Deterministic: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }

    fn boundary(&mut self, text: &str) -> usize {
        let mut at = self.next(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A short stretch of a text.
    fn range(&mut self, text: &str, longest: usize) -> (usize, usize) {
        let start = self.boundary(text);
        let mut end = (start + self.next(longest)).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (start, end.max(start))
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.next(3) {
            let (start, end) = self.range(&text, 12);
            match self.next(6) {
                0 => text.replace_range(start..end, ""),
                1 => text.insert_str(start, PIECES[self.next(PIECES.len())]),
                2 => text.replace_range(start..end, PIECES[self.next(PIECES.len())]),
                3 => {
                    let (from, to) = self.range(&text, 60);
                    let copy = text[from..to].to_owned();
                    text.insert_str(start, &copy);
                }
                4 => {
                    let other = SAMPLES[self.next(SAMPLES.len())];
                    let (from, to) = self.range(other, 80);
                    text.insert_str(start, &other[from..to]);
                }
                // Layout only: mostly stays valid.
                _ => {
                    let at = text[start..].find([' ', '\n']).map_or(text.len(), |n| start + n);
                    text.insert_str(at, [" ", "\n", "  # note\n", "\n\n\n", "\t"][self.next(5)]);
                }
            }
        }
        text
    }
}

/// A part of a sample: whole statements, so that debug builds see many mutants in little time.
fn excerpt(random: &mut Random) -> String {
    let sample = SAMPLES[random.next(SAMPLES.len())];
    let statements: Vec<&str> = sample.split("\n\n").collect();
    let first = random.next(statements.len());
    let count = 1 + random.next(2);
    statements.iter().skip(first).take(count).copied().collect::<Vec<_>>().join("\n\n") + "\n"
}

fn check_span(span: Span, text: &str, what: &str) {
    assert_eq!(span.file, FILE);
    assert!(
        span.start <= span.end && text.get(span.range()).is_some(),
        "{what} {span:?} in {text:?}"
    );
}

fn check_spans(tree: &Tree, text: &str) {
    walk(tree, &mut |node| {
        check_span(node.span(), text, "node");
        node.each_child(&mut |child| {
            assert!(node.span().covers(child.span()), "{node:?} holds {child:?} in {text:?}");
        });
    });
    for pair in tree.stmts.windows(2) {
        assert!(
            pair[0].span.end <= pair[1].span.start,
            "{:?} {:?} in {text:?}",
            pair[0].span,
            pair[1].span
        );
    }
    let mut lines = Vec::new();
    for problem in &tree.problems {
        check_span(problem.at.0, text, problem.code.name);
        problem
            .also
            .iter()
            .chain(&problem.fix)
            .for_each(|(span, _)| check_span(*span, text, problem.code.name));
        lines.push(text[..problem.at.0.start as usize].matches('\n').count());
    }
    assert!(
        lines.windows(2).all(|pair| pair[0] < pair[1]),
        "one a line, in order: {:?} in {text:?}",
        tree.problems
    );
}

fn check_words(tree: &Tree) {
    for problem in &tree.problems {
        let texts = [&problem.message, &problem.at.1]
            .into_iter()
            .chain(&problem.help)
            .chain(problem.also.iter().map(|also| &also.1));
        for text in texts {
            assert!(!text.ends_with('.') && !text.is_empty(), "{text:?}");
            let own_words: String = text.split('`').step_by(2).collect();
            for internal in ["err_", "no_", "expr", "Rule", "EOI", "stmt", "ident"] {
                assert!(!own_words.replace("expression", "").contains(internal), "{text:?}");
            }
        }
        assert!(problem.code.name.starts_with("syntax/"));
    }
}

fn comment_texts<'t>(comments: &[Comment], text: &'t str) -> Vec<&'t str> {
    comments.iter().map(|comment| text[comment.span.range()].trim_end()).collect()
}

/// Finds the comments of a text without problems in another way: by its strings alone.
fn comments_by_strings(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    // Closing texts of what is open: `"`, `"""`, or `}` of an interpolation with its sigil.
    let mut open: Vec<(&str, &str)> = Vec::new();
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        match open.last().copied() {
            Some((end, sigil)) if end != "}" => {
                if rest.starts_with(end) {
                    open.pop();
                    at += end.len();
                } else if rest.starts_with(sigil) {
                    open.push(("}", ""));
                    at += sigil.len();
                } else {
                    at += c.len_utf8();
                    if c == '\\' && end == "\"" {
                        at += text[at..].chars().next().map_or(0, char::len_utf8);
                    }
                }
            }
            _ => {
                let block =
                    [("$$\"\"\"", "$${"), ("%\"\"\"", "%{"), ("@\"\"\"", "@{"), ("\"\"\"", "${")];
                if let Some((quotes, sigil)) =
                    block.into_iter().find(|(quotes, _)| rest.starts_with(quotes))
                {
                    open.push(("\"\"\"", sigil));
                    at += quotes.len();
                    continue;
                }
                match c {
                    '#' => {
                        let line = rest.split('\n').next().unwrap();
                        found.push(line.trim_end());
                        at += line.len();
                        continue;
                    }
                    '"' => open.push(("\"", "${")),
                    '{' => open.push(("}", "")),
                    '}' => drop(open.pop()),
                    _ => {}
                }
                at += c.len_utf8();
            }
        }
    }
    found
}

/// All that must hold for any text; whether the text has no problems.
fn check(text: &str) -> bool {
    let tree = parse(FILE, text);
    check_spans(&tree, text);
    check_words(&tree);
    for comment in tree.comments.iter() {
        check_span(comment.span, text, "comment");
        assert!(text[comment.span.range()].starts_with('#'));
    }
    path_at(&tree, text.len() / 2);

    let laid_out = format(&tree, text);
    let again = parse(FILE, &laid_out);
    assert_eq!(
        comment_texts(&tree.comments, text),
        comment_texts(&again.comments, &laid_out),
        "comments of {text:?} in {laid_out:?}"
    );
    if !tree.problems.is_empty() {
        return false;
    }
    assert_eq!(comment_texts(&tree.comments, text), comments_by_strings(text), "{text:?}");
    assert!(again.problems.is_empty(), "{:?} in {laid_out}\nfrom {text:?}", again.problems);
    assert_eq!(dump(&tree), dump(&again), "the meaning of {text:?} in {laid_out:?}");
    assert_eq!(format(&again, &laid_out), laid_out, "a second time, of {text:?}");
    true
}

#[test]
fn the_samples_hold_what_any_text_holds() {
    let valid: Vec<bool> = SAMPLES.iter().map(|sample| check(sample)).collect();
    assert_eq!(valid, [true, true, true, false]);
}

#[test]
fn mutants_hold_what_any_text_holds() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let rounds =
        std::env::var("SLIPFORM_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut valid = 0;
    for _ in 0..rounds {
        let text = excerpt(&mut random);
        valid += usize::from(check(&random.mutate(&text)));
    }
    assert!(valid > rounds / 10, "the mutations must leave some texts valid: {valid} of {rounds}");
}

#[test]
fn fragment_soup_holds_what_any_text_holds() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..5_000 {
        let pieces = 1 + random.next(30);
        let text: String = (0..pieces).map(|_| PIECES[random.next(PIECES.len())]).collect();
        check(&text);
    }
}

#[test]
fn edits_on_edits_give_the_tree_of_the_last_text() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut text = SAMPLES.concat();
    let mut tree = parse(FILE, &text);
    for _ in 0..60 {
        let edited = random.mutate(&text);
        tree = reparse(tree, &text, &edited);
        assert_eq!(tree, parse(FILE, &edited));
        text = edited;
    }
}

#[test]
fn a_text_at_an_offset_is_one_behind_so_many_blanks() {
    for text in SAMPLES {
        let behind = "\n".repeat(1_000) + text;
        assert_eq!(parse_at(FileId(0), 1_000, text), parse(FileId(0), &behind));
    }
}

#[test]
fn many_chunks_are_parsed_as_few() {
    let text: String =
        (0..4_000).map(|n| format!("# {n}\nnetwork n{n} {{\n  x = [{n},\n}}\n")).collect();
    let tree = parse(FILE, &text);
    assert_eq!(tree.stmts.len(), 4_000);
    assert_eq!(tree.comments.len(), 4_000);
    assert_eq!(tree.problems.len(), 4_000);
    check_spans(&tree, &text);
    // In order, on one thread.
    assert_eq!(reparse(parse(FILE, ""), "", &text), tree);
}

/// What is deeper than the cap is one problem; no stack overflows, not even a small one.
#[test]
fn nesting_is_capped() {
    let deep = |open: &str, close: &str, depth: usize| {
        format!("let x = {}1{}\nlet y = 2\n", open.repeat(depth), close.repeat(depth))
    };
    let shapes = [
        ("(", ")"),
        ("[", "]"),
        ("{ a = ", " }"),
        ("f(", ")"),
        ("-", ""),
        ("not ", ""),
        ("\"${", "}\""),
        ("if a { ", " } else { 1 }"),
        ("1 + ", ""),
        ("[for x in ", " { 1 }]"),
    ];
    for (open, close) in shapes {
        let tree = parse(FILE, &deep(open, close, MAX_NESTING / 4));
        assert!(tree.problems.is_empty(), "{open} {:?}", tree.problems);
        // Nothing but the limit keeps the stack of a thread from running over.
        parse(FILE, &deep(open, close, MAX_NESTING - 1));
        for depth in [MAX_NESTING * 3, 5_000, 100_000] {
            let text = deep(open, close, depth);
            let tree = parse(FILE, &text);
            assert!(
                tree.problems.iter().any(|problem| problem.code.name == "syntax/nesting"),
                "{open}: {:?}",
                tree.problems
            );
            assert_eq!(tree.stmts.len(), 2, "{open}");
            format(&tree, &text);
        }
    }
    for text in [
        "(".repeat(100_000),
        "a b {\n".repeat(100_000),
        "\"${".repeat(100_000),
        format!("let x = a{}", ".b".repeat(100_000)),
        format!("let x = a{}", "[1]".repeat(100_000)),
        format!("type X = {}T", "deferred ".repeat(100_000)),
        format!("type X = T{}", "?".repeat(100_000)),
        "{".repeat(100_000),
        format!("let x = {}", "(\")\"".repeat(20_000)),
        format!("a b {{\n if c {{ }}{}\n}}", " else if c { }".repeat(20_000)),
    ] {
        let tree = parse(FILE, &text);
        assert!(!tree.problems.is_empty());
        format(&tree, &text);
    }
}

/// A grammar that parses something twice a level takes seconds from depth five on; this one takes none at a hundred.
#[test]
fn nothing_is_parsed_twice_a_level() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{ a = ", "}"),
        ("f(a = ", ")"),
        ("[for x in [", "] if [1] { 2 }]"),
        ("if a { ", "} else { [1] }"),
        ("{ ", ""),
        ("[", ""),
        ("f({a=[", ""),
    ] {
        let text = format!("let x = {}1{}\n", open.repeat(40), close.repeat(40));
        parse(FILE, &text);
        let text = format!("type X = {}T{}\n", open.repeat(40), close.repeat(40));
        parse(FILE, &text);
        let text = format!("a b {{\n??? {}1{}\n}}\n", open.repeat(40), close.repeat(40));
        parse(FILE, &text);
    }
}

#[test]
fn a_megabyte_on_one_line_is_linear() {
    let list = format!("let x = [{}]\n", "\"a\", 1, ".repeat(100_000));
    let string = format!("let x = \"{}\"\n", "a $ \\n ${b} ".repeat(90_000));
    let junk = format!("a b {{\n  x = 1 {}\n}}\n", "@@ ".repeat(300_000));
    let unclosed = format!("let x = {}\n", "[1 2 ".repeat(100));
    for text in [
        list,
        string,
        junk,
        unclosed,
        "a = \"\"\"\n".repeat(100_000),
        "/*\n".repeat(300_000),
        "\"".repeat(1_000_000),
        "=".repeat(1_000_000),
        "#".repeat(1_000_000),
        "x ".repeat(500_000),
    ] {
        let tree = parse(FILE, &text);
        assert!(tree.problems.len() <= 2);
    }
}

/// Blank lines and open brackets: each rule that looks ahead over empty lines must not do so once a bracket.
#[test]
fn open_brackets_over_many_lines_are_linear() {
    let text = format!("let x = {}\n{}1\n", "[".repeat(100), "\n".repeat(200_000));
    parse(FILE, &text);
    let text = format!("a b {{\n{}\n", "  x = [\n".repeat(100));
    parse(FILE, &text);
}
