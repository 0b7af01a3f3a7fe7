//! What a line of a blueprint says: of which nouns, in which field, and what it comes to; and the rules that hold a field.

use super::cursor::{Cursor, tree};
use super::show;
use crate::Analysis;
use crate::rules::kinds_of;
use slipform_model::{Noun, NounId, Severity, Value};
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    ClauseKind, Expr, ExprKind, Level, Mend, Name, RuleDecl, Stmt, StmtKind,
};
use std::ops::Range;

/// Characters of one value.
const MOST_CHARACTERS: usize = 120;

/// What a line says.
#[derive(Clone, PartialEq, Debug)]
pub struct Said {
    /// The field, the parameter or the name with its type: `nodes: int`. The head, where the line is of a noun as a whole.
    pub what: String,
    /// The nouns whose declaration it stands in, one a round of the loops around it.
    pub nouns: Vec<NounId>,
    /// The field of these nouns.
    pub field: Option<String>,
    /// What is said, where something is.
    pub value: Option<Span>,
    /// What that comes to, once a noun, each once.
    pub values: Vec<Value>,
    /// It stands in a declaration of which nothing is made: behind an `if` that does not hold.
    pub unmade: bool,
}

/// What the line says in which an offset is the first that counts.
pub fn said_at(analysis: &Analysis, file: FileId, line: Range<usize>) -> Option<Said> {
    let text = analysis.sources.get(file)?.text.get(line.clone())?;
    if text.trim().is_empty() || text.trim_start().starts_with('#') {
        return None;
    }
    let offset = line.start + text.len() - text.trim_start().len();
    if tree(analysis, file).is_none() {
        return setting(analysis, file, &line);
    }
    let cursor = Cursor::new(analysis, file, offset)?;
    let stmt = cursor.stmt()?;
    let decl = cursor.decls().next();
    let nouns = decl.map(|decl| cursor.nouns(decl)).unwrap_or_default();
    let ids = nouns.iter().map(|noun| noun.id).collect();
    match &stmt.kind {
        StmtKind::Attr(attr) => Some(Said {
            what: title(&cursor, &attr.name),
            nouns: ids,
            field: Some(attr.name.value.to_string()),
            value: Some(attr.value.span),
            values: values(&nouns, &attr.name.value),
            unmade: decl.is_some() && nouns.is_empty(),
        }),
        StmtKind::Param(it) => {
            let (name, default) = (it.name.as_ref()?, it.default.as_ref());
            // What the project file says goes before the default.
            let params = analysis.project.as_ref().map(|project| &project.params);
            let setting = params.and_then(|params| params.get(name.value.as_str()));
            let value = setting.map(|setting| setting.value).or(default.map(|it| it.span));
            Some(named(&cursor, name, value))
        }
        StmtKind::Let(it) => Some(named(&cursor, it.name.as_ref()?, Some(it.value.span))),
        _ => {
            let decl = decl?;
            let what = analysis.sources.text(decl.header).to_owned();
            let unmade = nouns.is_empty();
            Some(Said { what, nouns: ids, field: None, value: None, values: Vec::new(), unmade })
        }
    }
}

/// The name with its type.
fn title(cursor: &Cursor<'_>, name: &Name) -> String {
    let mention = cursor.analysis.index.at(cursor.file, name.span.start as usize);
    mention.map_or_else(|| name.value.to_string(), |mention| mention.title())
}

/// What the field of some nouns comes to.
fn values(nouns: &[&Noun], field: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for noun in nouns {
        let value = noun.fields.get(field).map(|placed| placed.value.clone());
        found.extend(value.filter(|it| !matches!(it, Value::Unknown) && !found.contains(it)));
    }
    found
}

fn named(cursor: &Cursor<'_>, name: &Name, value: Option<Span>) -> Said {
    let known = cursor.analysis.index.values(name.span).iter();
    Said {
        what: title(cursor, name),
        nouns: Vec::new(),
        field: None,
        value,
        values: known.filter(|value| !matches!(value, Value::Unknown)).cloned().collect(),
        unmade: false,
    }
}

/// A value that the project file gives to a parameter.
fn setting(analysis: &Analysis, file: FileId, line: &Range<usize>) -> Option<Said> {
    let params = &analysis.project.as_ref()?.params;
    let here = |span: Span| span.file == file && line.contains(&(span.start as usize));
    let (name, setting) = params.iter().find(|(_, setting)| here(setting.key))?;
    Some(Said {
        what: format!("param {name}"),
        nouns: Vec::new(),
        field: None,
        value: Some(setting.value),
        values: vec![Value::str(&setting.text)],
        unmade: false,
    })
}

/// A value as a blueprint would write it, shortened.
pub fn shown(analysis: &Analysis, value: &Value) -> String {
    let text = match &analysis.plan {
        Some(plan) => show::value(value, plan),
        None => value.to_string(),
    };
    show::shortened(&text, MOST_CHARACTERS)
}

/// A rule that reads a field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Holding {
    /// Whether what it reports does not point at the field.
    pub aside: bool,
    /// `capacity/unsupported`
    pub code: String,
    /// Whether breaking it stops a build.
    pub severity: Severity,
    /// What must hold, in a sentence.
    pub what: String,
}

/// The rules that speak of a kind and name a field of it: those that point at the field first.
pub fn rules_of(analysis: &Analysis, noun: &Noun, field: &str) -> Vec<Holding> {
    let (kind, platform) = (noun.body.kind(), noun.body.platform());
    let speaks = |rule: &RuleDecl| {
        kinds_of(rule).any(|(name, on)| name == kind && (on.is_none() || on == platform))
    };
    let stmts = analysis.trees.iter().flat_map(|tree| &tree.stmts);
    let mut found: Vec<Holding> = stmts
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Rule(rule) if speaks(rule) => holding(stmt, rule, field),
            _ => None,
        })
        .collect();
    found.sort();
    found
}

fn holding(stmt: &Stmt, rule: &RuleDecl, field: &str) -> Option<Holding> {
    let clauses = rule.clauses.iter().map(|clause| &clause.kind);
    let points = clauses.clone().any(|clause| match clause {
        ClauseKind::Label(place, _) => root(place) == Some(field),
        ClauseKind::Fix(Mend::Remove(place) | Mend::Set(place, _)) => root(place) == Some(field),
        _ => false,
    });
    let reads = clauses.clone().any(|clause| match clause {
        ClauseKind::When(of) | ClauseKind::For(_, of) => names(of, field),
        ClauseKind::Let(_, of) | ClauseKind::Require(of) => names(of, field),
        _ => false,
    });
    let warns = clauses.into_iter().any(|it| matches!(it, ClauseKind::Says(Level::Warning, _)));
    (points || reads).then(|| Holding {
        aside: !points,
        code: rule.code.as_ref().map(|code| code.value.to_string()).unwrap_or_default(),
        severity: if warns { Severity::Warning } else { Severity::Error },
        what: stmt
            .doc
            .iter()
            .flat_map(|doc| doc.trim().lines())
            .next()
            .unwrap_or_default()
            .to_owned(),
    })
}

/// The name that a place begins with: `capacity` of `capacity.max`.
fn root(place: &Expr) -> Option<&str> {
    match &place.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member(of, _) | ExprKind::Index(of, _) => root(of),
        _ => None,
    }
}

fn names(expr: &Expr, field: &str) -> bool {
    let mut found = false;
    NodeRef::Expr(expr).walk(&mut |node| {
        if let NodeRef::Expr(Expr { kind: ExprKind::Name(name), .. }) = node {
            found |= name == field;
        }
    });
    found
}
