//! What a blueprint says word by word, and what it could say instead: for trials that show what follows from a word.

use super::complete::{CompletionKind, complete, plain};
use super::cursor::{is_own, own_trees};
use crate::Analysis;
use ipnet::{IpNet, Ipv4Net};
use slipform_model::Value;
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{BinaryOp, Expr, ExprKind, LiteralKind, Param, StmtKind, TypeExprKind};
use std::collections::BTreeSet;

/// So many other words are tried of those that fit a place.
const MOST_WORDS: usize = 4;

/// A value as it is written: a literal, a constructor, or a setting of the project file.
#[derive(Clone, PartialEq, Debug)]
pub struct Saying {
    /// Where it stands.
    pub span: Span,
    /// It has a name that any noun may speak of: a parameter's, or that of a `let`.
    pub shared: bool,
    form: Form,
}

/// How it is written, which tells what else could stand there.
#[derive(Clone, PartialEq, Debug)]
enum Form {
    Bool,
    Number,
    Quantity,
    Address,
    /// Between quotes.
    Text,
    /// One of the words that the place takes, without quotes.
    Word,
    /// The value of a parameter in the project file: of words, where its type lists them.
    Setting(Vec<String>),
    /// The value of an expression that is none of these.
    Value(Value),
}

/// Everything that the files of a blueprint and its project say, in the order of the files.
pub fn sayings(analysis: &Analysis) -> Vec<Saying> {
    let mut found = Vec::new();
    for tree in own_trees(analysis) {
        for stmt in &tree.stmts {
            let is_made_of = !matches!(
                stmt.kind,
                StmtKind::Use(_) | StmtKind::Type(_) | StmtKind::Rule(_) | StmtKind::Assert(_)
            );
            let shared = matches!(stmt.kind, StmtKind::Param(_) | StmtKind::Let(_));
            if is_made_of {
                NodeRef::Stmt(stmt).walk(&mut |node| {
                    let saying = of_node(analysis, node);
                    found.extend(saying.map(|it| Saying { shared, ..it }));
                });
            }
        }
    }
    let compared = compared(analysis);
    found.retain(|saying: &Saying| !compared.contains(&saying.span));
    found.sort_by_key(|saying| saying.span);
    let settings = analysis.project.iter().flat_map(|project| &project.params);
    found.extend(settings.map(|(name, setting)| Saying {
        span: setting.value,
        shared: true,
        form: Form::Setting(words_of_param(analysis, name)),
    }));
    found
}

/// The value of an expression, as something that is said: what stands there is replaced by another value.
pub fn saying_of(span: Span, value: &Value) -> Saying {
    Saying { span, shared: false, form: Form::Value(value.clone()) }
}

fn of_node(analysis: &Analysis, node: NodeRef<'_>) -> Option<Saying> {
    let NodeRef::Expr(expr) = node else { return None };
    let form = match &expr.kind {
        ExprKind::Bool(_) => Form::Bool,
        ExprKind::Literal(LiteralKind::Int | LiteralKind::Float, _) => Form::Number,
        ExprKind::Literal(LiteralKind::Quantity, _) => Form::Quantity,
        ExprKind::Literal(LiteralKind::Address, _) => Form::Address,
        ExprKind::Literal(LiteralKind::Topology, _) | ExprKind::Auto => Form::Word,
        ExprKind::Str(_) => Form::Text,
        ExprKind::Name(_) if is_built_in(analysis, expr) => Form::Word,
        _ => return None,
    };
    Some(Saying { span: expr.span, shared: false, form })
}

/// What values are only compared with: another one there asks another question, and says nothing else.
fn compared(analysis: &Analysis) -> BTreeSet<Span> {
    let mut found = BTreeSet::new();
    for tree in own_trees(analysis) {
        slipform_syntax::walk(tree, &mut |node| {
            if let NodeRef::Expr(Expr { kind: ExprKind::Binary(op, _, left, right), .. }) = node
                && is_comparison(*op)
            {
                found.extend([left.span, right.span]);
            }
        });
    }
    found
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, In, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | In)
}

/// Whether a name stands for something of the language: what the blueprint names is said where it is declared.
fn is_built_in(analysis: &Analysis, expr: &Expr) -> bool {
    let mention = analysis.index.at(expr.span.file, expr.span.start as usize);
    let declared = mention.filter(|it| it.span == expr.span).and_then(|it| it.declared);
    declared.is_some_and(|span| !is_own(analysis, span.file))
}

/// The words that the type of a parameter lists.
fn words_of_param(analysis: &Analysis, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for stmt in own_trees(analysis).flat_map(|tree| &tree.stmts) {
        let StmtKind::Param(Param { name: Some(known), ty: Some(ty), .. }) = &stmt.kind else {
            continue;
        };
        if known.value == name
            && let TypeExprKind::Union(arms) = &ty.kind
        {
            found.extend(arms.iter().filter_map(|arm| match &arm.kind {
                TypeExprKind::Word(word) => Some(word.to_string()),
                _ => None,
            }));
        }
    }
    found
}

/// What could be said instead, as it would be written: the least change first. Whether the blueprint is still whole with it, a trial
/// tells.
pub fn instead(analysis: &Analysis, saying: &Saying) -> Vec<String> {
    let written = analysis.sources.text(saying.span);
    let mut found = match &saying.form {
        Form::Bool => vec![other_truth(written)],
        Form::Number => numbers(written, ""),
        Form::Quantity => quantities(written),
        Form::Address => addresses(written),
        Form::Text => texts(analysis, saying.span, written),
        Form::Word => fitting(analysis, saying.span, saying.span.start as usize),
        Form::Setting(words) => settings(words, written),
        Form::Value(value) => values(analysis, saying.span, value),
    };
    found.retain(|text| text != written);
    found
}

fn other_truth(written: &str) -> String {
    if written == "true" { "false".to_owned() } else { "true".to_owned() }
}

/// One more, twice as much, one less.
fn numbers(written: &str, unit: &str) -> Vec<String> {
    let plain = written.replace('_', "");
    if let Ok(number) = plain.parse::<i64>() {
        let less = number.checked_sub(1).filter(|less| *less > 0);
        let more = [number.checked_add(1), number.checked_mul(2), less];
        return more.into_iter().flatten().map(|it| format!("{it}{unit}")).collect();
    }
    match plain.parse::<f64>() {
        Ok(number) => {
            vec![format!("{:?}{unit}", number * 2.0), format!("{:?}{unit}", number / 2.0)]
        }
        Err(_) => Vec::new(),
    }
}

/// The same of the first number of a size or a duration.
fn quantities(written: &str) -> Vec<String> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_');
    let unit = written.trim_start_matches(is_number);
    let number = written.strip_suffix(unit).unwrap_or_default();
    numbers(number, unit)
}

/// The range behind it, and the one behind that.
fn addresses(written: &str) -> Vec<String> {
    let next = |net: IpNet| match net {
        IpNet::V4(net) => {
            let size = 1_u32.checked_shl(32 - u32::from(net.prefix_len()))?;
            let address = u32::from(net.addr()).checked_add(size)?;
            Ipv4Net::new(address.into(), net.prefix_len()).ok().map(IpNet::V4)
        }
        IpNet::V6(_) => None,
    };
    let single = !written.contains('/');
    let whole = if single { format!("{written}/32") } else { written.to_owned() };
    let first = whole.parse().ok().and_then(next);
    let all = first.into_iter().chain(first.and_then(next)).map(|net| net.to_string());
    all.map(|net| if single { net.trim_end_matches("/32").to_owned() } else { net }).collect()
}

/// Another word that fits, or a longer text.
fn texts(analysis: &Analysis, span: Span, written: &str) -> Vec<String> {
    let words = fitting(analysis, span, span.start as usize + 1);
    let mut found: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    found.extend(longer(written));
    found
}

fn quoted(word: &str) -> String {
    crate::source_text::quoted(word.trim_matches('"'))
}

/// A text with something behind its last word.
fn longer(written: &str) -> Vec<String> {
    let Some(inner) = written.strip_suffix('"') else { return Vec::new() };
    let words = inner.trim_end_matches('"').trim_end();
    let rest = written.get(words.len()..).unwrap_or_default();
    ["-x", "1"].iter().map(|more| format!("{words}{more}{rest}")).collect()
}

/// The words, constructors and facts that fit a place.
fn fitting(analysis: &Analysis, span: Span, offset: usize) -> Vec<String> {
    let written = analysis.sources.text(span).trim_matches('"');
    let fits = complete(analysis, span.file, offset).found.into_iter().filter(|it| {
        matches!(
            it.kind,
            CompletionKind::Value | CompletionKind::Constructor | CompletionKind::Fact
        ) && it.label != written
    });
    fits.filter_map(|it| filled(&it.insert)).take(MOST_WORDS).collect()
}

/// A snippet as a word, where none of its places wants a text that nobody knows: `${1}`.
fn filled(snippet: &str) -> Option<String> {
    let mut places = snippet.split("${").skip(1);
    let wants =
        places.any(|it| it.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('}'));
    (!wants).then(|| plain(snippet).replace("()", ""))
}

/// Another value for a parameter, as the project file writes it.
fn settings(words: &[String], written: &str) -> Vec<String> {
    match written {
        "true" | "false" => vec![other_truth(written)],
        _ if written.starts_with(['"', '\'']) => {
            let mut found: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let bare = written.trim_matches(['"', '\'']);
            found.extend(quantities(bare).iter().map(|text| quoted(text)));
            found.extend(addresses(bare).iter().map(|text| quoted(text)));
            found.extend(longer(&quoted(bare)));
            found
        }
        _ => numbers(written, ""),
    }
}

/// Another value where an expression stands.
fn values(analysis: &Analysis, span: Span, value: &Value) -> Vec<String> {
    let written = value.to_string();
    let mut found = match value {
        Value::Bool(_) => vec![other_truth(&written)],
        Value::Int(_) | Value::Float(_) => numbers(&written, ""),
        Value::Size(_) | Value::Duration(_) => quantities(&written),
        Value::Cidr(_) | Value::Address(_) => addresses(&written),
        Value::Str(text) => {
            let words = fitting(analysis, span, span.start as usize);
            let mut found: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            found.extend(longer(&crate::source_text::quoted(text)));
            found
        }
        Value::Variant(..) | Value::Topology(_) | Value::Auto => {
            fitting(analysis, span, span.start as usize)
        }
        _ => Vec::new(),
    };
    found.retain(|text| *text != written);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_word_is_the_least_change_that_is_still_one_of_its_kind() {
        assert_eq!(numbers("1_000", ""), ["1001", "2000", "999"]);
        assert_eq!(numbers("1", ""), ["2", "2"]);
        assert_eq!(numbers("0.5", ""), ["1.0", "0.25"]);
        assert_eq!(quantities("80GiB"), ["81GiB", "160GiB", "79GiB"]);
        assert_eq!(quantities("2h30m"), ["3h30m", "4h30m", "1h30m"]);
        assert_eq!(addresses("10.64.0.0/14"), ["10.68.0.0/14", "10.72.0.0/14"]);
        assert_eq!(addresses("10.0.0.1"), ["10.0.0.2", "10.0.0.3"]);
        assert!(
            addresses("255.255.255.255").is_empty()
                && numbers("9223372036854775808x", "").is_empty()
        );
        assert_eq!(longer("\"a\""), ["\"a-x\"", "\"a1\""]);
        assert_eq!(
            longer("\"\"\"\n  a\n  \"\"\""),
            ["\"\"\"\n  a-x\n  \"\"\"", "\"\"\"\n  a1\n  \"\"\""]
        );
    }

    #[test]
    fn a_snippet_is_a_word_where_its_places_have_texts() {
        assert_eq!(filled("spot").as_deref(), Some("spot"));
        assert_eq!(filled("flex_start($1)").as_deref(), Some("flex_start"));
        assert_eq!(filled("queued(max = ${1:7d})").as_deref(), Some("queued(max = 7d)"));
        assert_eq!(filled("reservation(${1})"), None);
    }
}
