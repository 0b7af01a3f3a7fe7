//! Every printed document reads back as the same data, and nothing that a YAML 1.1 reader knows is left bare.

use indexmap::IndexMap;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};
use serde::Serialize;

use super::*;
use crate::{Commented, Item, Map, Node, map, seq, to_node};

fn read(text: &str) -> serde_json::Value {
    serde_yaml::from_str(text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn data(node: &Node) -> serde_json::Value {
    serde_json::to_value(node).unwrap()
}

fn print(node: &Node) -> String {
    yaml_string(node).unwrap()
}

/// Strings that some reader takes for something else when they stand bare.
const TRAPS: &[&str] = &[
    "",
    " ",
    "  x",
    "x ",
    "y",
    "Y",
    "n",
    "N",
    "yes",
    "Yes",
    "YES",
    "no",
    "No",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "Off",
    "OFF",
    "true",
    "True",
    "TRUE",
    "tRuE",
    "false",
    "False",
    "FALSE",
    "null",
    "Null",
    "NULL",
    "~",
    "=",
    "<<",
    "-",
    "--- x",
    "---",
    "...",
    "0",
    "1",
    "-1",
    "+1",
    "08",
    "0755",
    "0o755",
    "0O17",
    "0b11",
    "0x1F",
    "0X1f",
    "-0x1F",
    "1_000",
    "1,000",
    "1e3",
    "1E3",
    "1e+3",
    "12e03",
    "1.",
    ".5",
    "-.5",
    "+.5",
    "1.5",
    "1_0.5",
    ".inf",
    "-.Inf",
    "+.INF",
    ".nan",
    ".NaN",
    "1:30",
    "190:20:30",
    "-1:30",
    "1:30.5",
    "2026-01-01",
    "2026-1-2",
    "2026-01-01T00:00:00Z",
    "2026-01-01 00:00:00",
    "2026-01-01x",
    "a: b",
    "a:",
    ":",
    ": a",
    ":a",
    "a #b",
    "#a",
    "- a",
    "? a",
    "?",
    "!a",
    "!!int 1",
    "&a",
    "*a",
    "@a",
    "`a",
    "%a",
    "|",
    "|a",
    ">",
    "> a",
    "{a",
    "}",
    "[a",
    "]",
    ",a",
    "'a",
    "\"a",
    "'",
    "''",
    "a\tb",
    "\ta",
    "a\r",
    "a\r\nb",
    "\u{0}",
    "\u{7}",
    "\u{1b}[0m",
    "\u{7f}",
    "a\u{85}b",
    "a\u{a0}",
    "\u{a0}a",
    "a\u{2028}b",
    "a\u{2029}b",
    "\u{feff}a",
    "a\u{feff}",
    "\u{202e}a",
    "\u{200b}",
    "\u{fffe}",
    "\n",
    "\n\n",
    " \n",
    "\n ",
    "\t\n",
];

/// Strings that a careful writer leaves bare.
const BARE: &[&str] = &[
    "a",
    "abc",
    "80Gi",
    "100m",
    "4x4x4",
    "2x2x4",
    "10.0.0.0/16",
    "10.0.0.1",
    "1.2.3",
    "v1.0.21",
    "a:b",
    "a#b",
    "--flag",
    "-c",
    "--num=2",
    "/bin/sh",
    "a b",
    "a, b",
    "a[0]",
    "it's",
    "say \"x\"",
    "$HOME",
    "${X}",
    "$(X)",
    "key=value",
    "gs://b/p",
    "us-east4-a",
    "nvidia.com/gpu",
    "2h30m",
    "7200s",
    "~/x",
    "=x",
    "<x",
    "é",
    "日本",
    "once",
    "nope",
    "yess",
    "truely",
    "0a1",
    "1GiB",
    "3.10-slim",
    "16-node",
    "a\\b",
    "https://x:80/y#z",
    "python3 -c 'x'",
];

#[test]
fn traps_are_quoted_as_values_and_as_keys() {
    for trap in TRAPS {
        let printed = print(&map().with("k", *trap).into());
        let value = printed.strip_prefix("k: ").unwrap();
        assert!(value.starts_with(['\'', '"']), "{trap:?} is left bare: {printed}");
        let printed = print(&Map::default().with((*trap).to_owned(), 1).into());
        assert!(printed.starts_with(['\'', '"']), "{trap:?} is left bare: {printed}");
    }
}

#[test]
fn harmless_text_is_left_bare() {
    for text in BARE {
        assert_eq!(print(&map().with("k", *text).into()), format!("k: {text}\n"));
    }
}

#[test]
fn traps_read_back_everywhere() {
    for text in TRAPS.iter().chain(BARE) {
        let node = map()
            .with((*text).to_owned(), *text)
            .with(
                "list",
                seq([
                    Node::from(*text),
                    seq([*text]),
                    map().with((*text).to_owned(), *text).into(),
                ]),
            )
            .with("block", format!("first\n{text}\nlast\n"))
            .with("start", format!("{text}\nlast"))
            .with("end", format!("first\n{text}"))
            .with("after", true)
            .into();
        let printed = print(&node);
        assert_eq!(read(&printed), data(&node), "{text:?}\n{printed}");
    }
}

#[test]
fn layout() {
    let node: Node = map()
        .with("apiVersion", "v1")
        .with("empty", seq::<Node>([]))
        .with("none", map())
        .with("nothing", Node::Null)
        .with_comment(
            "workload pretrain\nsecond\n\nlast",
            "spec",
            map().with("count", 3).with("f", 1e21).with("big", u64::MAX),
        )
        .with(
            "items",
            seq([
                Item::commented(
                    "one",
                    map().with_comment("inner", "name", "a").with("args", ["-c", "a\nb\n"]),
                ),
                Item::commented("two", seq(["x", "z"])),
                Item::commented("three", "z"),
                map().with("only", map().with("deep", [1, 2])).into(),
            ]),
        )
        .with_comment("above\r\ninjected: true\u{2028}x", "last", "  lead\nnext\n\n")
        .into();
    let expected = "\
apiVersion: v1
empty: []
none: {}
nothing: null
# workload pretrain
# second
#
# last
spec:
  count: 3
  f: 1.0e+21
  big: 18446744073709551615
items:
# one
# inner
- name: a
  args:
  - -c
  - |
    a
    b
# two
- - x
  - z
# three
- z
- only:
    deep:
    - 1
    - 2
# above
# injected: true x
last: |2+
    lead
  next

";
    assert_eq!(print(&node), expected);
    assert_eq!(read(expected), data(&node));
}

#[test]
fn only_what_a_block_carries_safely_is_a_block() {
    let cases = [
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n\nb\n\n", "|+\n  a\n\n\n  b\n"),
        ("\n a\nb\n", "|2\n\n   a\n  b"),
        ("a\n\tb\n", "|\n  a\n  \tb"),
        ("\ta\nb\n", r#""\ta\nb\n""#),
        (" \n\n", r#"" \n\n""#),
        ("a\r\nb\n", r#""a\r\nb\n""#),
        ("a\u{2028}\nb\n", r#""a\u2028\nb\n""#),
        ("a\u{1b}\nb\n", r#""a\u001B\nb\n""#),
    ];
    for (text, expected) in cases {
        assert_eq!(print(&map().with("k", text).into()), format!("k: {expected}\n"));
    }
}

#[test]
fn several_documents() {
    let documents = [
        Document::new(map().with("a", 1)).comment("head").comment("second"),
        Document::new(map()),
        Document::new(map().with("b", "x\n\n")).comment("third"),
    ];
    let expected = "# head\n# second\na: 1\n---\n{}\n---\n# third\nb: |+\n  x\n\n";
    assert_eq!(to_yaml(&documents), expected);
}

#[test]
fn long_keys_are_explicit() {
    let long = "k".repeat(2000);
    let inner: Node = map().with(long.clone(), [1]).with(format!("{long}2"), "a\nb").into();
    let node = map().with("list", seq([inner.clone()])).with("map", inner).into();
    let printed = print(&node);
    assert_eq!(read(&printed), data(&node), "{printed}");
}

#[test]
fn typed_structs_print_like_their_tree() {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Job {
        name: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        back_off: Option<u32>,
        ratio: f32,
        strategy: Policy,
        containers: Vec<Commented<Container>>,
        labels: Commented<IndexMap<String, String>>,
        by_index: IndexMap<u16, ()>,
        variants: Vec<Variant>,
    }
    #[derive(Serialize)]
    enum Policy {
        Recreate,
    }
    #[derive(Serialize)]
    enum Variant {
        Newtype(u8),
        Tuple(u8, String),
        Struct { a: bool },
    }
    #[derive(Serialize)]
    struct Container {
        image: Commented<String>,
        #[serde(flatten)]
        more: IndexMap<String, Vec<i32>>,
    }
    let job = Job {
        name: "on",
        back_off: None,
        ratio: 0.1,
        strategy: Policy::Recreate,
        containers: vec![Commented::new(
            "outer",
            Container {
                image: Commented::new("why", "a:b".into()),
                more: [("p".to_owned(), vec![1])].into_iter().collect(),
            },
        )],
        labels: Commented::new("labels", [("k".to_owned(), "1".to_owned())].into_iter().collect()),
        by_index: [(7, ())].into_iter().collect(),
        variants: vec![
            Variant::Newtype(1),
            Variant::Tuple(2, "x".into()),
            Variant::Struct { a: true },
        ],
    };
    let expected = "\
name: 'on'
ratio: 0.1
strategy: Recreate
containers:
# outer
# why
- image: a:b
  p:
  - 1
# labels
labels:
  k: '1'
byIndex:
  '7': null
variants:
- Newtype: 1
- Tuple:
  - 2
  - x
- Struct:
    a: true
";
    assert_eq!(yaml_string(&job).unwrap(), expected);
    let node = to_node(&job).unwrap();
    assert_eq!(print(&node), expected);
    assert_eq!(read(expected), data(&node));
    // a serializer that knows nothing of comments sees the values alone
    assert_eq!(
        serde_json::to_value(&job).unwrap().get("labels").unwrap(),
        &serde_json::json!({ "k": "1" })
    );
}

#[test]
fn what_has_no_place_is_refused() {
    let keyed: std::collections::BTreeMap<Vec<u8>, u8> = [(vec![1], 1)].into_iter().collect();
    assert_eq!(yaml_string(&keyed).unwrap_err().to_string(), "the keys of a map must be strings");
    assert_eq!(to_node(&keyed).unwrap_err().to_string(), "the keys of a map must be strings");
}

/// Text rich in what could break a document.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(TRAPS).prop_map(str::to_owned),
        proptest::collection::vec(proptest::sample::select(TRAPS), 0..5)
            .prop_map(|parts| parts.concat()),
        "[ \t\n:#'\"|>a\\-{}%&*!0-9._\u{85}\u{2028}\r]{0,12}",
        any::<String>(),
    ]
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Node::Null),
        any::<bool>().prop_map(Node::from),
        any::<i64>().prop_map(Node::from),
        any::<u64>().prop_map(Node::from),
        any::<i32>().prop_map(|n| Node::from(f64::from(n) / 8.0)),
        nasty().prop_map(Node::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let item = (nasty(), inner.clone()).prop_map(|(comment, value)| Item { comment, value });
        let entry = (nasty(), nasty(), inner);
        prop_oneof![
            proptest::collection::vec(item, 0..6).prop_map(Node::Seq),
            proptest::collection::vec(entry, 0..6).prop_map(|entries| {
                let map = entries.into_iter().fold(map(), |map, (comment, key, value)| {
                    map.with_comment(comment, key, value)
                });
                Node::Map(map)
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_printed_reads_back(node in node()) {
        let printed = print(&node);
        prop_assert_eq!(read(&printed), data(&node), "{}", printed);
        prop_assert_eq!(&printed, &print(&node));
        prop_assert_eq!(print(&to_node(&node).unwrap()), printed);
    }

    #[test]
    fn whatever_is_printed_as_json_reads_back(node in node()) {
        let printed = crate::to_json(&node).unwrap();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), data(&node));
    }
}
