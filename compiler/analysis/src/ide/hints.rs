//! What an editor writes between the words of a blueprint: what follows for a noun, and what an expression comes to.

use super::cursor::{each_stmt, given, tree};
use super::{autos, show};
use crate::Analysis;
use slipform_model::plan::Plan;
use slipform_model::{Noun, Placed, Value};
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Attr, Decl, Expr, ExprKind, Stmt, StmtKind, StrPart};
use std::collections::BTreeMap;
use std::ops::Range;

/// Characters of one hint.
const MOST_CHARACTERS: usize = 40;

/// Characters of what follows for a noun: VS Code shows no more of a line's hints (`editor.inlayHints.maximumLength`). The rest is
/// shown where the cursor rests.
const MOST_ON_A_LINE: usize = 43;

/// Something that an editor shows between the words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// Behind this offset of the file.
    pub offset: usize,
    /// What is shown.
    pub text: String,
    /// What is shown where the cursor rests on it.
    pub more: String,
}

/// What follows in a part of a file: behind heads of nouns what their numbers come to, behind expressions their values.
pub fn hints(analysis: &Analysis, file: FileId, range: Range<usize>) -> Vec<Hint> {
    let (Some(tree), Some(plan)) = (tree(analysis, file), &analysis.plan) else {
        return Vec::new();
    };
    let mut nouns: BTreeMap<Span, Vec<&Noun>> = BTreeMap::new();
    for noun in plan.model.nouns.iter().filter(|noun| noun.span.file == file) {
        nouns.entry(noun.span).or_default().push(noun);
    }
    let mut finder = Finder { analysis, plan, nouns, range, found: Vec::new() };
    finder.block(&tree.stmts, None);
    finder.found.sort_by_key(|hint| hint.offset);
    finder.found
}

/// A number that follows for a noun, and how it is said.
struct Figure {
    fact: &'static str,
    before: &'static str,
    /// What is counted: one, and several.
    counted: [&'static str; 2],
    /// Smaller ones say nothing.
    least: i64,
    more: &'static str,
}

const fn figure(
    fact: &'static str,
    before: &'static str,
    counted: [&'static str; 2],
    least: i64,
    more: &'static str,
) -> Figure {
    Figure { fact, before, counted, least, more }
}

const OF_CHIPS: [&str; 2] = [" chip", " chips"];
const CHIPS: Figure = figure("chips", "", OF_CHIPS, 1, "GPUs or chips of all its nodes, at most");
const WORLD: Figure =
    figure("world_size", "", [" process", " processes"], 1, "processes of all its nodes");
const HOSTS: Figure =
    figure("slice.hosts", "", [" host a slice", " hosts a slice"], 1, "nodes of one slice");
const NICS: Figure = figure(
    "nics.data_nics",
    "",
    [" NIC a node", " NICs a node"],
    1,
    "interfaces of each node besides the first",
);
const NODE_POOLS: Figure =
    figure("node_pools", "", [" node pool", " node pools"], 2, "one for each slice");
const MAX_NODES: Figure =
    figure("max_nodes", "up to ", [" node", " nodes"], 1, "nodes of all its pools, at most");
const HOLDS: Figure = figure("holds", "holds ", OF_CHIPS, 1, "GPUs or chips that it holds itself");
const COPIES: Figure =
    figure("data_parallel", "data parallel ", ["", ""], 1, "copies of the model");

/// The numbers of each kind that people count by hand.
const FIGURES: &[(&str, &[Figure])] = &[
    ("pool", &[CHIPS, HOSTS, NODE_POOLS, NICS]),
    ("partition", &[CHIPS, NICS]),
    ("cluster", &[MAX_NODES, CHIPS, NICS]),
    ("queue", &[HOLDS]),
    ("workload", &[CHIPS, WORLD, COPIES, NICS]),
    ("group", &[CHIPS, WORLD, NICS]),
];

struct Finder<'a> {
    analysis: &'a Analysis,
    plan: &'a Plan,
    nouns: BTreeMap<Span, Vec<&'a Noun>>,
    range: Range<usize>,
    found: Vec<Hint>,
}

impl<'a> Finder<'a> {
    /// The statements of a file, or of the nouns that a declaration makes.
    fn block(&mut self, stmts: &'a [Stmt], of: Option<&[&'a Noun]>) {
        each_stmt(stmts, &mut |stmt| {
            let span = stmt.span.range();
            if span.end < self.range.start || span.start > self.range.end {
                return;
            }
            match &stmt.kind {
                StmtKind::Decl(decl) => self.decl(decl),
                StmtKind::Attr(attr) => self.attr(attr, of.unwrap_or_default()),
                StmtKind::Let(it) => self.named(it.name.as_ref().map(|it| it.span), &it.value),
                _ => {}
            }
        });
    }

    fn decl(&mut self, decl: &'a Decl) {
        let nouns = self.nouns.get(&decl.header).cloned().unwrap_or_default();
        if let [noun] = nouns.as_slice() {
            self.figures(noun, decl);
        } else if nouns.len() > 1 {
            let more = nouns.iter().take(8).map(|noun| noun.path.as_str()).collect::<Vec<_>>();
            self.add(decl.header.end, format!("{} of them", nouns.len()), more.join("\n"));
        }
        self.block(&decl.body, Some(&nouns));
    }

    fn figures(&mut self, noun: &Noun, decl: &Decl) {
        let of_kind = FIGURES.iter().find(|(kind, _)| *kind == noun.body.kind());
        let figures = of_kind.map_or(&[][..], |(_, figures)| figures);
        let told = figures.iter().filter_map(|figure| {
            let count = count(self.plan, noun, figure)?;
            let [one, several] = figure.counted;
            let text =
                format!("{}{count}{}", figure.before, if count == 1 { one } else { several });
            let more = format!("{text}: {}, {}", figure.fact, figure.more);
            (count >= figure.least).then_some((text, more))
        });
        let (texts, mut more): (Vec<String>, Vec<String>) = told.unzip();
        let fits = |text: &String| text.len() <= MOST_ON_A_LINE;
        let joined = (1..=texts.len()).filter_map(|count| Some(texts.get(..count)?.join(", ")));
        if let Some(text) = joined.take_while(fits).last() {
            let chosen = autos::left_out(self.plan, noun).into_iter();
            more.extend(chosen.map(|it| format!("{it}, which is left out")));
            self.add(decl.header.end, text, more.join("\n"));
        }
    }

    /// The value of a field, where it is worked out.
    fn attr(&mut self, attr: &Attr, nouns: &[&Noun]) {
        let own = match nouns {
            [noun] if matches!(attr.value.kind, ExprKind::Auto) => return self.chosen(attr, noun),
            [noun] => given(noun, attr),
            _ => None,
        };
        // what a component is given is known by where it is written
        let passed = match self.analysis.index.values(attr.value.span) {
            [value] => Some(value),
            _ => None,
        };
        let Some(value) = own.or(passed) else { return };
        self.value(&attr.value, value, attr.name.value.as_str());
        let mut parts = BTreeMap::new();
        inside(value, attr.value.span, &mut parts);
        NodeRef::Expr(&attr.value).walk(&mut |node| {
            if let NodeRef::Expr(part) = node
                && let Some(value) = parts.get(&part.span)
            {
                self.value(part, value, self.analysis.sources.text(part.span));
            }
        });
    }

    /// What `auto` came to.
    fn chosen(&mut self, attr: &Attr, noun: &Noun) {
        let name = attr.name.value.as_str();
        if let Some(text) = autos::chosen(self.plan, noun, name) {
            let short = format!("= {}", show::shortened(&text, MOST_CHARACTERS));
            self.add(attr.value.span.end, short, format!("{name} = {text}"));
        }
    }

    /// The value of a `let`, where it has one.
    fn named(&mut self, name: Option<Span>, expr: &Expr) {
        let Some(name) = name else { return };
        if let [value] = self.analysis.index.values(name) {
            let name = self.analysis.sources.text(name);
            self.value(expr, value, name);
        }
    }

    fn value(&mut self, expr: &Expr, value: &Value, name: &str) {
        let plain = matches!(
            value,
            Value::Str(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Bool(_)
                | Value::Size(_)
                | Value::Duration(_)
                | Value::Topology(_)
                | Value::Cidr(_)
                | Value::Address(_)
        );
        let chosen = matches!(expr.kind, ExprKind::If(..))
            && matches!(value, Value::Variant(..) | Value::Ref(_));
        if !(plain || chosen) || !is_worked_out(expr) {
            return;
        }
        let text = show::value(value, self.plan);
        if text != self.analysis.sources.text(expr.span) {
            let short = format!("= {}", show::shortened(&text, MOST_CHARACTERS));
            self.add(expr.span.end, short, format!("{name} = {text}"));
        }
    }

    fn add(&mut self, offset: u32, text: String, more: String) {
        let offset = offset as usize;
        if self.range.contains(&offset) || self.range.end == offset {
            self.found.push(Hint { offset, text, more });
        }
    }
}

/// What stands in a call, a record or a list, by the expressions that gave it: what a call is not given has the call's own.
fn inside<'v>(value: &'v Value, whole: Span, found: &mut BTreeMap<Span, &'v Value>) {
    let parts: Vec<&Placed> = match value {
        Value::List(items) => items.iter().collect(),
        Value::Record(record) | Value::Variant(_, record) => record.values().collect(),
        _ => return,
    };
    for part in parts.into_iter().filter(|part| part.span != whole) {
        found.insert(part.span, &part.value);
        inside(&part.value, part.span, found);
    }
}

/// A number that follows. Interfaces of a run count where it sends through them.
fn count(plan: &Plan, noun: &Noun, figure: &Figure) -> Option<i64> {
    let goes_around = autos::fact_of(plan, noun, "uses_fabric") == Some(Value::Bool(false));
    if figure.fact == NICS.fact && goes_around {
        return None;
    }
    match autos::fact_of(plan, noun, figure.fact)? {
        Value::Int(count) => Some(count),
        _ => None,
    }
}

/// Whether somebody has to read elsewhere, or to count, to know what an expression comes to.
fn is_worked_out(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_)
        | ExprKind::Member(..)
        | ExprKind::Index(..)
        | ExprKind::Call(..)
        | ExprKind::Binary(..)
        | ExprKind::If(..) => true,
        ExprKind::Str(parts) => parts.iter().any(|part| matches!(part, StrPart::Interp(_))),
        ExprKind::Paren(inner) => is_worked_out(inner),
        ExprKind::Bool(_)
        | ExprKind::Auto
        | ExprKind::Literal(..)
        | ExprKind::List(_)
        | ExprKind::ListFor(_)
        | ExprKind::Record(_)
        | ExprKind::RecordFor(_)
        | ExprKind::Unary(..)
        | ExprKind::IsSet(..)
        | ExprKind::Missing => false,
    }
}
