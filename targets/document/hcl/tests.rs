//! Every printed file parses, and evaluates to the data that it was made of; the layout is `terraform fmt`'s.

use hcl::eval::{Context, Evaluate};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};

use super::*;

/// What `x` stands for in the expressions below.
const X: &str = "${inner}\n\"";

/// What an expression made of literals and `x` evaluates to.
fn value(expr: &Expr) -> hcl::Value {
    match expr {
        Expr::Bool(value) => (*value).into(),
        Expr::Int(value) => i64::try_from(*value).unwrap().into(),
        Expr::Float(value) => (*value).into(),
        Expr::Str(text) => text.as_ref().into(),
        Expr::List(items) => items.iter().map(value).collect::<Vec<_>>().into(),
        Expr::Object(object) => {
            let entries = object.entries.iter().map(|(key, expr)| match key {
                Key::Name(name) => (name.to_string(), value(expr)),
                Key::Expr(key) => (value(key).as_str().unwrap().to_owned(), value(expr)),
            });
            hcl::Value::Object(entries.collect())
        }
        Expr::Raw(_) => X.into(),
        Expr::Template(parts) => {
            let pieces = parts.iter().map(|part| match part {
                Part::Text(text) => text.to_string(),
                Part::Interp(expr) => value(expr).as_str().unwrap().to_owned(),
            });
            pieces.collect::<String>().into()
        }
        _ => hcl::Value::Null,
    }
}

fn parse(text: &str) -> hcl::Body {
    let mut context = Context::new();
    context.declare_var("x", X);
    let body: hcl::Body = hcl::from_str(text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    body.evaluate(&context).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn assert_reads_back(printed: &str, body: &Body) {
    let expected: hcl::Body = body
        .members
        .iter()
        .filter_map(|member| match member {
            Member::Attribute(attribute) => {
                let attribute =
                    hcl::Attribute::new(attribute.name.as_ref(), value(&attribute.expr));
                Some(hcl::Structure::Attribute(attribute))
            }
            Member::Block(block) => {
                let mut labels = hcl::Block::builder(block.kind.as_ref());
                for label in &block.labels {
                    labels = labels.add_label(label.as_ref());
                }
                for member in &block.body.members {
                    if let Member::Attribute(attribute) = member {
                        labels =
                            labels.add_attribute((attribute.name.as_ref(), value(&attribute.expr)));
                    }
                }
                Some(hcl::Structure::Block(labels.build()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(parse(printed), expected, "{printed}");
}

const NASTY: &[&str] = &[
    "",
    " ",
    "x",
    "a b",
    "a-b",
    "a.b",
    "1a",
    "for",
    "null",
    "true",
    "false",
    "if",
    "in",
    "\"",
    "\\",
    "\\n",
    "\\\"",
    "\n",
    "a\n",
    "a\nb\n",
    " a\nb\n",
    "  a\n  b\n",
    "a\n\n  b\n",
    "a\n  \nb\n",
    "a\nEOT\n",
    "EOT\n",
    "\t\n",
    "\ta\nb\n",
    "a\r\nb\r\n",
    "$",
    "%",
    "${",
    "%{",
    "$${",
    "$$${",
    "%%{",
    "%%%{",
    "${x}",
    "%{if x}",
    "$$",
    "a$",
    "a%",
    "a$\n",
    "${x}\n",
    "$\n{\n",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{202e}",
    "é",
    "日本\n日\n",
    "😀",
    "\u{200b}",
    "#",
    "//",
    "/*",
    "}",
    "]",
];

#[test]
fn nasty_text_reads_back_everywhere() {
    for text in NASTY {
        let text = (*text).to_owned();
        let x = || Part::from(Expr::reference("x"));
        let body = Body::new()
            .comment(text.clone())
            .attr_comment(text.clone(), "plain", &text)
            .attr(
                "template",
                Expr::template([Part::from(text.clone()), x(), text.clone().into(), x()]),
            )
            .attr(
                "lines",
                Expr::template(["a\n".into(), Part::from(text.clone()), x(), "\n".into()]),
            )
            .attr("list", [text.clone(), text.clone()])
            .attr(
                "object",
                Expr::object([(text.clone(), Expr::from(&text)), (format!("{text}2"), 1.into())]),
            )
            .block(
                Block::new("block", ["label", "second"])
                    .comment(text.clone())
                    .attr("a", format!("{text}\n")),
            );
        assert_reads_back(&to_hcl(&body), &body);
    }
}

#[test]
fn layout() {
    let nodes = Expr::reference("google_service_account.nodes.email");
    let body = Body::new()
        .comment("Made from train.bp.\n\nSecond.")
        .block(
            Block::new("resource", ["google_container_node_pool", "gpus"])
                .comment("cluster a3m")
                .attr("count", Expr::reference("var.pools").index(0).attr("n"))
                .gap()
                .attr("name", "gpus")
                .attr("node_locations", ["us-east4-a"])
                .attr_comment("why", "node_count", 2)
                .attr("labels", Expr::object([("team", "a"), ("a.b/c", "d")]))
                .attr("x", Expr::Null)
                .attr("script", "set -e\n  echo ${HOME} \"$(pwd)\" \\\n\nexit\n")
                .attr("longer", true)
                .gap()
                .gap()
                .block(
                    Block::of("node_config")
                        .attr("service_account", nodes)
                        .attr("long", Expr::list((0..30).map(|n| format!("zone-{n}"))))
                        .block(Block::of("gvnic").attr("enabled", true))
                        .block(Block::of("empty").gap()),
                )
                .attr("depends_on", Expr::list([Expr::reference("a.b")])),
        )
        .block(
            Block::new("variable", ["pools"])
                .attr("description", "Pools.")
                .attr(
                    "type",
                    Expr::call(
                        "map",
                        [Expr::call(
                            "object",
                            [Expr::object([
                                ("name", Expr::reference("string")),
                                (
                                    "tags",
                                    Expr::call(
                                        "optional",
                                        [
                                            Expr::call("list", [Expr::reference("string")]),
                                            Expr::list::<Expr>([]),
                                        ],
                                    ),
                                ),
                                ("n", Expr::reference("number")),
                            ])],
                        )],
                    ),
                )
                .attr("default", Expr::inline_object([("corp", "10.0.0.0/8")])),
        );
    let expected = r#"# Made from train.bp.
#
# Second.

# cluster a3m
resource "google_container_node_pool" "gpus" {
  count = var.pools[0].n

  name           = "gpus"
  node_locations = ["us-east4-a"]
  # why
  node_count = 2

  labels = {
    team    = "a"
    "a.b/c" = "d"
  }

  x      = null
  script = <<-EOT
    set -e
      echo $${HOME} "$(pwd)" \

    exit
  EOT
  longer = true

  node_config {
    service_account = google_service_account.nodes.email

    long = [
      "zone-0",
"#;
    let printed = to_hcl(&body);
    assert!(printed.starts_with(expected), "{printed}");
    let tail = r#"      "zone-29",
    ]

    gvnic {
      enabled = true
    }

    empty {}
  }

  depends_on = [a.b]
}

variable "pools" {
  description = "Pools."

  type = map(object({
    name = string
    tags = optional(list(string), [])
    n    = number
  }))

  default = { corp = "10.0.0.0/8" }
}
"#;
    assert!(printed.ends_with(tail), "{printed}");
}

#[test]
fn expressions() {
    let var = |name: &'static str| Expr::reference(name);
    let each = For {
        key: Some("k".into()),
        value: "v".into(),
        collection: var("var.pools"),
        result_key: Some(var("k")),
        result: var("v.name"),
        condition: Some(var("v.name").binary("!=", Expr::Null)),
        group: true,
    };
    let list = For { key: None, result_key: None, group: false, ..each.clone() };
    let tight = For {
        collection: var("a").then_else(var("b"), var("c")),
        result: Expr::from(-1),
        condition: Some(var("a").binary("&&", var("b")).binary("||", var("c"))),
        ..list.clone()
    };
    let cases = [
        (var("a").binary("+", var("b").binary("*", 2)), "a + (b * 2)"),
        (var("a").binary("-", -1), "a - (-1)"),
        (Expr::Not(Box::new(var("a").binary("==", "x"))), "!(a == \"x\")"),
        (var("a").then_else(1, var("b").then_else(2, Expr::Null)), "a ? 1 : (b ? 2 : null)"),
        (each.into(), "{ for k, v in var.pools : k => v.name... if v.name != null }"),
        (list.into(), "[for v in var.pools : v.name if v.name != null]"),
        (tight.into(), "[for v in(a ? b : c) : (-1) if(a && b) || c]"),
        (Expr::template([Part::from(var("a"))]), "a"),
        (Expr::template([Part::from("a-"), var("b").index("c").into()]), "\"a-${b[\"c\"]}\""),
        (Expr::call("merge", [var("a"), Expr::object([("k", 1)])]), "merge(a, { k = 1 })"),
        (Expr::object([(var("a"), 1)]), "{\n  (a) = 1\n}"),
        (Expr::object::<&str, Expr>([]), "{}"),
        (Expr::from(1.5), "1.5"),
        (Expr::from(f64::NAN), "null"),
        (
            Expr::list([Expr::object([("a", 1)]), Expr::object([("bc", 2)])]),
            "[\n  {\n    a = 1\n  },\n  {\n    bc = 2\n  },\n]",
        ),
    ];
    for (expr, expected) in cases {
        let printed = to_hcl(&Body::new().attr("k", expr));
        assert_eq!(printed, format!("k = {expected}\n"));
        let _: hcl::Body = hcl::from_str(&printed).unwrap();
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(NASTY).prop_map(str::to_owned),
        proptest::collection::vec(proptest::sample::select(NASTY), 0..6)
            .prop_map(|parts| parts.concat()),
        "[ \t\n$%{}\"\\\\a~#]{0,16}",
        any::<String>(),
    ]
    // hcl-rs loses count of `$$${` and `$%%{` in templates and heredocs; Terraform does not
    .prop_map(|text| {
        let lone = text.chars().fold(String::new(), |mut out, c| {
            if matches!(c, '$' | '%') && out.ends_with(['$', '%']) {
                out.pop();
            }
            out.push(c);
            out
        });
        lone.trim_matches(['$', '%']).to_owned()
    })
}

fn expr() -> impl Strategy<Value = Expr> {
    let part = prop_oneof![text().prop_map(Part::from), Just(Part::from(Expr::reference("x")))];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Expr::from),
        any::<i64>().prop_map(Expr::from),
        any::<i32>().prop_map(|n| Expr::from(f64::from(n) / 1024.0)),
        text().prop_map(Expr::from),
        proptest::collection::vec(part, 0..5).prop_map(Expr::Template),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Expr::List),
            proptest::collection::btree_map(text(), inner, 0..5).prop_map(Expr::object),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_printed_reads_back(first in expr(), second in expr(), label in text(), comment in text()) {
        let body = Body::new()
            .attr_comment(comment.clone(), "first", first)
            .attr("second", second.clone())
            .block(Block::new("block", [label]).comment(comment).attr("inside", second));
        let printed = to_hcl(&body);
        assert_reads_back(&printed, &body);
        prop_assert_eq!(to_hcl(&body), printed);
    }
}
