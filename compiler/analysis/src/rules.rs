//! Rules: what must hold of a noun, written in the language. Each is tried for every noun of its kind.
//!
//! A rule is silent where something that it asks for is absent or could not be understood: the reason for that is
//! reported already, and a guess helps nobody.

use crate::check::{Checker, Scope};
use crate::eval::{Evaluation, FrameId};
use crate::infer::{Infer, Seen, paths_set_when};
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::schema::Kind;
use crate::source_text::{insertion, literal, whole_line};
use crate::types::Type;
use slipform_model::{Diagnostic, Fix, NounId, Severity, Value, nearest};
use slipform_source::{Sources, Span};
use slipform_syntax::tree::{Expr, ExprKind, Name, RuleClause, RuleDecl, Stmt, StmtKind, StrPart};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// A rule and where it lives.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'t> {
    pub(crate) unit: UnitId,
    pub(crate) stmt: &'t Stmt,
    pub(crate) decl: &'t RuleDecl,
    pub(crate) code: &'t Name,
}

/// Every rule of the program, the standard library's first.
pub(crate) fn rules<'t>(program: &Program<'t>) -> Vec<Rule<'t>> {
    let mut rules = Vec::new();
    for (at, unit) in program.units.iter().enumerate() {
        for stmt in &unit.tree.stmts {
            if let StmtKind::Rule(decl) = &stmt.kind {
                rules.extend(decl.code.as_ref().map(|code| Rule {
                    unit: UnitId(at),
                    stmt,
                    decl,
                    code,
                }));
            }
        }
    }
    rules
}

impl<'t> Rule<'t> {
    /// The kind that it speaks of, and the platform where it names one.
    fn on(&self) -> (&'t str, Option<&'t str>) {
        let mut on = self.decl.on.iter().map(|name| name.value.as_str());
        (on.next().unwrap_or_default(), on.next())
    }

    fn speaks_of(&self, kind: &Kind) -> bool {
        let (name, platform) = self.on();
        *kind.name == *name
            && platform.is_none_or(|platform| kind.platform.as_deref() == Some(platform))
    }

    /// `error` or `warning`, as its clauses say.
    fn severity(&self) -> Severity {
        let warns = self.decl.clauses.iter().any(|clause| clause.word.value == "warning");
        if warns { Severity::Warning } else { Severity::Error }
    }
}

/// Blueprints of fewer nouns are checked faster than a thread starts.
const NOUNS_FOR_A_SECOND_THREAD: usize = 256;

/// Tries every rule on every noun: on two threads where there are many, each over one half.
/// Incomplete once `interrupted` says yes.
pub(crate) fn run<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    rules: &[Rule<'t>],
    sources: &Sources,
    interrupted: &(dyn Fn() -> bool + Sync),
) {
    let count = evaluation.nouns.len();
    let mut used = BTreeSet::new();
    if count < NOUNS_FOR_A_SECOND_THREAD {
        used = run_over(evaluation, 0..count, rules, sources, interrupted);
    } else {
        let (mut first, mut second) = (Reports::default(), Reports::default());
        std::thread::scope(|scope| {
            let mut fork = evaluation.fork(&mut second);
            let (half, stop) = (count / 2, interrupted);
            let other = scope.spawn(move || run_over(&mut fork, half..count, rules, sources, stop));
            used.extend(run_over(&mut evaluation.fork(&mut first), 0..half, rules, sources, stop));
            if let Ok(found) = other.join() {
                used.extend(found);
            }
        });
        for report in first.finish().into_iter().chain(second.finish()) {
            evaluation.reports.add_rule(report);
        }
    }
    allowances(evaluation, rules, &used);
}

/// Tries every rule on some nouns; gives the allowances that were needed.
fn run_over<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    nouns: Range<usize>,
    rules: &[Rule<'t>],
    sources: &Sources,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> BTreeSet<Span> {
    let mut used: BTreeSet<Span> = BTreeSet::new();
    let mut of_kind = OfKind { rules, known: Vec::new() };
    for at in nouns {
        if interrupted() {
            break;
        }
        let id = NounId(at as u32);
        for rule in of_kind.rules_on(evaluation, at).iter() {
            let Some(outer) = evaluation.file_frame(rule.unit) else { continue };
            let frame = evaluation.noun_scope(outer, id);
            let mut attempt = Attempt { rule, id, sources, found: Vec::new() };
            attempt.clauses(evaluation, frame, &rule.decl.clauses);
            let found = attempt.found;
            evaluation.leave(frame);
            for report in found {
                match allowance(evaluation, id, rule) {
                    Some(allow) => {
                        used.insert(allow);
                    }
                    None => evaluation.reports.add_rule(report),
                }
            }
        }
        evaluation.forget(id);
    }
    used
}

/// Rules that speak of one kind.
type Rules<'a, 't> = Rc<[&'a Rule<'t>]>;

/// The rules of each kind that was met: there are few kinds and many nouns.
struct OfKind<'a, 't> {
    rules: &'a [Rule<'t>],
    known: Vec<(Arc<Kind>, Rules<'a, 't>)>,
}

impl<'a, 't> OfKind<'a, 't> {
    fn rules_on(&mut self, evaluation: &Evaluation<'_, '_>, at: usize) -> Rules<'a, 't> {
        let Some(noun) = evaluation.nouns.get(at) else { return Rules::default() };
        if let Some((_, rules)) = self.known.iter().find(|(kind, _)| Arc::ptr_eq(kind, &noun.kind))
        {
            return rules.clone();
        }
        let rules: Rules<'a, 't> =
            self.rules.iter().filter(|rule| rule.speaks_of(&noun.kind)).collect();
        self.known.push((noun.kind.clone(), rules.clone()));
        rules
    }
}

/// Where a noun, or one that it is declared in, allows a rule to be broken.
fn allowance(evaluation: &Evaluation<'_, '_>, id: NounId, rule: &Rule<'_>) -> Option<Span> {
    let mut at = Some(id);
    while let Some(id) = at {
        let noun = evaluation.nouns.get(id.0 as usize)?;
        let codes = noun.allows.iter().filter_map(|allow| allow.code.as_ref());
        if let Some(code) = codes.into_iter().find(|code| code.value == rule.code.value) {
            return Some(code.span);
        }
        at = noun.parent;
    }
    None
}

/// An allowance of an unknown rule is an error; one that allows nothing any more, a warning.
fn allowances(evaluation: &mut Evaluation<'_, '_>, rules: &[Rule<'_>], used: &BTreeSet<Span>) {
    let codes: Vec<&Name> = evaluation
        .nouns
        .iter()
        .flat_map(|noun| noun.allows.iter().filter_map(|allow| allow.code.as_ref()))
        .collect();
    let mut seen = BTreeSet::new();
    for code in codes {
        if !seen.insert(code.span) {
            continue;
        }
        let known = rules.iter().map(|rule| rule.code.value.as_str());
        if !rules.iter().any(|rule| rule.code.value == code.value) {
            let mut report = Diagnostic::error(
                "allow/unknown",
                format!("there is no rule `{}`", code.value),
                code.span,
            );
            if let Some(near) = nearest(&code.value, known) {
                report = report.help(format!("a rule with a similar code exists: `{near}`")).fix(
                    format!("write `{near}`"),
                    code.span,
                    near,
                );
            }
            evaluation.reports.add(report);
        } else if !used.contains(&code.span) {
            evaluation.reports.add(
                Diagnostic::warning(
                    "allow/unused",
                    format!("`{}` holds here, so it need not be allowed", code.value),
                    code.span,
                )
                .help("remove the allowance"),
            );
        }
    }
}

/// One rule on one noun.
struct Attempt<'a, 't> {
    rule: &'a Rule<'t>,
    id: NounId,
    sources: &'a Sources,
    found: Vec<Diagnostic>,
}

impl<'t> Attempt<'_, 't> {
    fn clauses(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        frame: FrameId,
        clauses: &'t [RuleClause],
    ) {
        for (at, clause) in clauses.iter().enumerate() {
            let expr = clause.exprs.first();
            match (clause.word.value.as_str(), expr) {
                ("when", Some(expr)) if holds(evaluation, expr, frame) != Some(true) => return,
                ("let", Some(expr)) => {
                    let value = evaluation.eval(expr, frame);
                    if let Some(name) = clause.names.first() {
                        evaluation.set(frame, &name.value, value);
                    }
                }
                ("for", Some(expr)) => {
                    let items = evaluation.eval(expr, frame);
                    let rest = clauses.get(at + 1..).unwrap_or_default();
                    for (key, value) in evaluation.rounds(&items) {
                        let names = match clause.names.as_slice() {
                            [one] => vec![(one.value.as_str(), value)],
                            [first, second, ..] => {
                                vec![(first.value.as_str(), key), (second.value.as_str(), value)]
                            }
                            [] => Vec::new(),
                        };
                        let inner = evaluation.scope(frame, names);
                        self.clauses(evaluation, inner, rest);
                        evaluation.leave(inner);
                    }
                    return;
                }
                ("require", Some(expr)) => {
                    if holds(evaluation, expr, frame) != Some(false) {
                        return;
                    }
                    let rest = clauses.get(at + 1..).unwrap_or_default();
                    let report = self.report(evaluation, frame, rest);
                    self.found.push(report);
                    return;
                }
                _ => {}
            }
        }
    }

    /// What the clauses behind `require` say.
    fn report(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        frame: FrameId,
        clauses: &'t [RuleClause],
    ) -> Diagnostic {
        let mut report = Diagnostic {
            code: self.rule.code.value.clone().into(),
            severity: self.rule.severity(),
            message: String::new(),
            labels: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        };
        for clause in clauses {
            let first = clause.exprs.first();
            let second = clause.exprs.get(1);
            match (clause.word.value.as_str(), first, second) {
                ("error" | "warning", Some(text), _) => {
                    report.message = text_of(evaluation, text, frame)
                }
                ("help", Some(text), _) => report.help.push(text_of(evaluation, text, frame)),
                ("label", Some(place), text) => {
                    let span = self.place(evaluation, place, frame).span;
                    let text =
                        text.map(|text| text_of(evaluation, text, frame)).unwrap_or_default();
                    // What a loop declares several times stands in one place: it is shown once, with all that is said.
                    match report.labels.iter_mut().find(|label| label.span == span) {
                        Some(label) if !text.is_empty() && label.text != text => {
                            label.text = format!("{}, {text}", label.text);
                        }
                        Some(_) => {}
                        None => report.labels.push(slipform_model::Label { span, text }),
                    }
                }
                ("fix", Some(place), value) => {
                    report.fixes.extend(self.fix(evaluation, clause, place, value, frame))
                }
                ("let", Some(expr), _) => {
                    let value = evaluation.eval(expr, frame);
                    if let Some(name) = clause.names.first() {
                        evaluation.set(frame, &name.value, value);
                    }
                }
                _ => {}
            }
        }
        if report.labels.is_empty() {
            let span = self.header(evaluation, self.id);
            report.labels.push(slipform_model::Label { span, text: String::new() });
        }
        report
    }

    fn header(&self, evaluation: &Evaluation<'t, '_>, id: NounId) -> Span {
        evaluation.nouns.get(id.0 as usize).map_or(self.rule.stmt.span, |noun| noun.header)
    }

    /// Where a place is written: a field's value, or the header of its noun where nothing is.
    fn place(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        place: &'t Expr,
        frame: FrameId,
    ) -> Written<'t> {
        match &place.kind {
            ExprKind::Name(name) => {
                if let Some(written) = self.field_place(evaluation, self.id, name) {
                    return written;
                }
                match evaluation.eval(place, frame) {
                    Value::Ref(noun) => Written::header(self.header(evaluation, noun.id), noun.id),
                    _ => Written::header(self.header(evaluation, self.id), self.id),
                }
            }
            ExprKind::Member(base, Some(member)) => match evaluation.eval(base, frame) {
                Value::Ref(noun) => self
                    .field_place(evaluation, noun.id, &member.value)
                    .unwrap_or_else(|| Written::header(self.header(evaluation, noun.id), noun.id)),
                Value::Record(record) | Value::Variant(_, record) => {
                    let outer = self.place(evaluation, base, frame);
                    match record.get(member.value.as_str()) {
                        Some(item) if outer.span.covers(item.span) => {
                            Written { span: item.span, attr: None, ..outer }
                        }
                        _ => outer,
                    }
                }
                _ => self.place(evaluation, base, frame),
            },
            ExprKind::Index(base, key) => {
                let outer = self.place(evaluation, base, frame);
                let found = evaluation.eval(base, frame);
                let item = match (&found, evaluation.eval(key, frame)) {
                    (Value::Record(record), Value::Str(key)) => record.get(&*key),
                    (Value::List(items), Value::Int(number)) => {
                        usize::try_from(number).ok().and_then(|number| items.get(number))
                    }
                    _ => None,
                };
                // What a `let` or a default made stands elsewhere; the field is where it was asked for.
                match item.filter(|item| outer.span.covers(item.span)) {
                    Some(item) => Written { span: item.span, attr: None, ..outer },
                    None => outer,
                }
            }
            ExprKind::Paren(inner) => self.place(evaluation, inner, frame),
            _ => match evaluation.eval(place, frame) {
                Value::Ref(noun) => Written::header(self.header(evaluation, noun.id), noun.id),
                _ => Written::header(self.header(evaluation, self.id), self.id),
            },
        }
    }

    fn field_place(
        &self,
        evaluation: &Evaluation<'t, '_>,
        id: NounId,
        name: &str,
    ) -> Option<Written<'t>> {
        let noun = evaluation.nouns.get(id.0 as usize)?;
        let known = noun.kind.fields.0.contains_key(name);
        if noun.unfolded {
            let span = noun.written(name).unwrap_or(noun.header);
            return known.then(|| Written::header(span, id));
        }
        if let Some((_, expr, _)) = noun.attrs.get(name) {
            let attr = attr_stmt(&noun.decl.body, name);
            return Some(Written { span: expr.span, noun: id, attr });
        }
        if name == "place" {
            let on = noun.decl.on.as_ref()?;
            return Some(Written { span: on.span, noun: id, attr: None });
        }
        known.then(|| Written::header(noun.header, id))
    }

    fn fix(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        clause: &'t RuleClause,
        place: &'t Expr,
        value: Option<&'t Expr>,
        frame: FrameId,
    ) -> Option<Fix> {
        let name = match &place.kind {
            ExprKind::Name(name) => name.as_str(),
            ExprKind::Member(_, Some(member)) => member.value.as_str(),
            _ => return None,
        };
        let written = self.place(evaluation, place, frame);
        match (clause.names.first()?.value.as_str(), value) {
            ("remove", _) => {
                let edit = (whole_line(self.sources, written.attr?), String::new());
                Some(Fix { title: format!("remove `{name}`"), edits: vec![edit] })
            }
            ("set", Some(value)) => {
                let value = literal(&evaluation.eval(value, frame))?;
                let edit = match written.attr {
                    Some(_) => (written.span, value.clone()),
                    None if matches!(place.kind, ExprKind::Name(_)) => {
                        let noun = evaluation.nouns.get(written.noun.0 as usize)?;
                        if noun.unfolded {
                            return None;
                        }
                        insertion(self.sources, noun.stmt, noun.decl, &format!("{name} = {value}"))?
                    }
                    None if written.span == self.header(evaluation, written.noun) => return None,
                    None => (written.span, value.clone()),
                };
                Some(Fix { title: format!("set `{name} = {value}`"), edits: vec![edit] })
            }
            _ => None,
        }
    }
}

/// Whether a condition holds; `None` where that is unknown.
fn holds<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    condition: &'t Expr,
    frame: FrameId,
) -> Option<bool> {
    match evaluation.eval(condition, frame) {
        Value::Bool(truth) => Some(truth),
        _ => None,
    }
}

/// Where a place is written.
struct Written<'t> {
    span: Span,
    noun: NounId,
    /// The statement that sets it, where one does.
    attr: Option<&'t Stmt>,
}

impl Written<'_> {
    fn header(span: Span, noun: NounId) -> Self {
        Self { span, noun, attr: None }
    }
}

fn attr_stmt<'t>(body: &'t [Stmt], name: &str) -> Option<&'t Stmt> {
    body.iter().find(|stmt| matches!(&stmt.kind, StmtKind::Attr(attr) if attr.name.value == name))
}

fn text_of<'t>(evaluation: &mut Evaluation<'t, '_>, text: &'t Expr, frame: FrameId) -> String {
    match evaluation.eval(text, frame) {
        Value::Unknown => String::new(),
        value => value.to_string(),
    }
}

/// Checks a rule without trying it: its kind, and the types of its expressions.
pub(crate) fn check(checker: &mut Checker<'_, '_>, rule: &Rule<'_>, file: &Scope<'_>) {
    let program = checker.program;
    let (name, platform) = rule.on();
    let kinds: Vec<&Arc<Kind>> = program
        .schema
        .variants(name)
        .filter(|kind| platform.is_none_or(|platform| kind.platform.as_deref() == Some(platform)))
        .collect();
    if kinds.is_empty() {
        let span = rule.decl.on.first().map_or(rule.stmt.span, |on| on.span);
        checker.reports.error(
            "names/unknown-kind",
            format!("there is no kind of noun called `{name}`"),
            span,
        );
        return;
    }
    let mut scope = file.assuming(Vec::new());
    for kind in &kinds {
        for field in kind.fields.0.keys() {
            if let Some(known) = program.schema.field_of(name, field) {
                scope.add(
                    field,
                    Seen { ty: known.read(), span: known.span, doc: known.doc.clone() },
                );
            }
        }
        if let Some(parent) = &kind.parent {
            scope.add(parent, Seen { ty: Type::Noun(parent.clone()), span: kind.span, doc: None });
        }
        scope.add(
            "self",
            Seen { ty: Type::Noun(kind.name.clone()), span: kind.span, doc: kind.doc.clone() },
        );
    }
    let mut infer = Infer::new(&program.schema, checker.reports, checker.index, &scope, true);
    for clause in &rule.decl.clauses {
        check_clause(&mut infer, clause);
    }
    shape(rule, checker.reports);
}

fn check_clause(infer: &mut Infer<'_>, clause: &RuleClause) {
    let exprs = clause.exprs.as_slice();
    match (clause.word.value.as_str(), exprs) {
        ("when", [condition, ..]) => {
            infer.check(condition, &Type::Bool);
            infer.assume(paths_set_when(condition, true));
        }
        ("require", [condition, ..]) => {
            infer.check(condition, &Type::Bool);
        }
        ("let", [value, ..]) => {
            let ty = infer.expr(value, None);
            if let Some(name) = clause.names.first() {
                infer.bind(&name.value, ty, name.span);
            }
        }
        ("for", [items, ..]) => {
            let ty = infer.expr(items, None);
            infer.bind_round(&clause.names, &ty, items.span);
        }
        ("label", [place, text]) => {
            infer.expr(place, None);
            infer.check(text, &Type::Str);
        }
        ("fix", [place, value]) => {
            let wanted = infer.expr(place, None);
            infer.expr(value, Some(&wanted));
        }
        ("error" | "warning" | "help" | "symptom", [text, ..]) => {
            infer.check(text, &Type::Str);
        }
        (_, exprs) => {
            for expr in exprs {
                infer.expr(expr, None);
            }
        }
    }
}

/// A rule requires something and says what is wrong.
fn shape(rule: &Rule<'_>, reports: &mut Reports) {
    let has = |words: &[&str]| {
        rule.decl.clauses.iter().any(|clause| words.contains(&clause.word.value.as_str()))
    };
    if !has(&["require"]) {
        reports.error(
            "rules/require",
            "a rule says what it requires: `require condition`",
            rule.code.span,
        );
    } else if !has(&["error", "warning"]) {
        reports.error(
            "rules/message",
            "a rule says what is wrong: `error \"...\"` or `warning \"...\"`",
            rule.code.span,
        );
    }
}

/// The texts of a clause of a rule, where they are plain: for documentation and searches.
pub(crate) fn texts<'t>(rule: &Rule<'t>, word: &str) -> Vec<String> {
    let clauses = rule.decl.clauses.iter().filter(|clause| clause.word.value == word);
    clauses
        .filter_map(|clause| match &clause.exprs.last()?.kind {
            ExprKind::Str(parts) => Some(
                parts
                    .iter()
                    .map(|part| match part {
                        StrPart::Text(text) => text.clone(),
                        StrPart::Interp(_) => "...".to_owned(),
                    })
                    .collect(),
            ),
            _ => None,
        })
        .collect()
}
