//! Rules: what must hold of a noun, written in the language. Each is tried for every noun of its kind.
//!
//! A rule is silent where something that it asks for is absent or could not be understood: the reason for that is
//! reported already, and a guess helps nobody.

mod asked;
mod attempt;
mod before;
mod check;
pub(crate) mod compile;
mod library;
mod of_kind;
mod place;
mod reads;
mod subject;
mod term;

pub(crate) use check::check;

use crate::Options;
use crate::eval::{Evaluation, Instance, Rounds};
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::schema::Kind;
use asked::First;
use attempt::Attempt;
use before::Silence;
use compile::Body;
use library::StoredRule;
use of_kind::Kinds;
use slipform_model::{Diagnostic, NounId, Severity, nearest};
use slipform_source::{Sources, Span};
use slipform_syntax::tree::{
    Arg, BinaryOp, ClauseKind, Expr, ExprKind, Name, RuleDecl, Stmt, StmtKind, StrPart,
};
use std::collections::BTreeSet;
use subject::Subject;

slipform_source::codes! {
    pub(crate) CODES;
    ALLOW_REASON = "allow/reason":
        "an `allow` gives no reason, so that nobody who reads it later knows whether it still counts",
        "write between the quotes why this is meant here";
    ALLOW_REFUSAL = "allow/refusal":
        "an `allow` names what a target has no way to write, or what does not run as it is written: allowed, it would be no better",
        "remove the `allow`, and mend what the target reports";
    ALLOW_UNKNOWN = "allow/unknown":
        "an `allow` names a rule that does not exist",
        "take the code from the report that is to be allowed";
    pub(crate) ALLOW_UNUSED = "allow/unused":
        "an `allow` names a rule that is kept here anyway",
        "remove the `allow`";
}

/// Every rule of a program: those of the library, and the blueprint's own.
pub(crate) struct Rules<'t> {
    own: Vec<OwnRule<'t>>,
}

/// A rule and where it lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule<'a, 't> {
    /// Of the standard library.
    OfLibrary(&'static StoredRule),
    /// Of the blueprint's own.
    Own(&'a OwnRule<'t>),
}

/// What the lines of a rule come to; what is wrong with them, where they come to nothing.
type Read<'t> = Result<Body<'t>, Vec<Diagnostic>>;

/// A rule of a blueprint.
#[derive(Debug)]
pub(crate) struct OwnRule<'t> {
    unit: UnitId,
    stmt: &'t Stmt,
    decl: &'t RuleDecl,
    code: &'t str,
    read: Read<'t>,
}

impl<'t> Rules<'t> {
    pub(crate) fn new(program: &Program<'t>) -> Self {
        let units = program.units.iter().enumerate().filter(|(_, unit)| !unit.std);
        let own = units.flat_map(|(at, unit)| {
            unit.tree.stmts.iter().filter_map(move |stmt| OwnRule::new(UnitId(at), stmt))
        });
        Self { own: own.collect() }
    }

    /// All of them, the standard library's first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Rule<'_, 't>> {
        library::all().iter().map(Rule::OfLibrary).chain(self.own.iter().map(Rule::Own))
    }

    /// Those that speak of a kind, in that order.
    fn speaking_of(&self, kind: &Kind) -> impl Iterator<Item = Rule<'_, 't>> {
        let own = self.own.iter().filter(|it| it.speaks_of(kind)).map(Rule::Own);
        library::speaking_of(kind).into_iter().map(Rule::OfLibrary).chain(own)
    }
}

impl<'t> OwnRule<'t> {
    /// The rule that a statement declares, where it has a code.
    pub(crate) fn new(unit: UnitId, stmt: &'t Stmt) -> Option<Self> {
        let decl = declared(stmt)?;
        let code = decl.code.as_ref()?;
        let read = Body::new(decl, code.span);
        Some(Self { unit, stmt, decl, code: &code.value, read })
    }

    fn speaks_of(&self, kind: &Kind) -> bool {
        kinds_of(self.decl).any(|(name, platform)| {
            *kind.name == *name
                && platform.is_none_or(|platform| kind.platform.as_deref() == Some(platform))
        })
    }
}

/// The rule that a statement declares.
fn declared(stmt: &Stmt) -> Option<&RuleDecl> {
    let StmtKind::Rule(decl) = &stmt.kind else { return None };
    Some(decl)
}

impl<'a, 't> Rule<'a, 't> {
    pub(crate) fn code(&self) -> &'t str {
        match self {
            Self::OfLibrary(rule) => rule.code(),
            Self::Own(rule) => rule.code,
        }
    }

    pub(crate) fn unit(&self) -> UnitId {
        match self {
            Self::OfLibrary(rule) => UnitId(rule.at.file),
            Self::Own(rule) => rule.unit,
        }
    }

    /// The statement that declares it, and what that says.
    pub(crate) fn declared(&self) -> Option<(&'t Stmt, &'t RuleDecl)> {
        match self {
            Self::OfLibrary(rule) => rule.declared(),
            Self::Own(rule) => Some((rule.stmt, rule.decl)),
        }
    }

    /// What it asks first.
    fn opening(&self) -> First<'t> {
        match self {
            Self::OfLibrary(rule) => First::Stored(&rule.opening),
            Self::Own(rule) => First::Written(compile::opening(rule.decl.opening())),
        }
    }

    /// What its lines come to.
    fn body(&self) -> Result<&'a Body<'t>, &'a [Diagnostic]> {
        let read = match self {
            Self::OfLibrary(rule) => rule.read(),
            Self::Own(rule) => &rule.read,
        };
        read.as_ref().map_err(Vec::as_slice)
    }

    /// How bad it is where it does not hold.
    pub(crate) fn severity(&self) -> Severity {
        self.body().map_or(Severity::Error, |body| body.severity)
    }
}

/// The plain texts of some clauses of a rule: for documentation and searches.
pub(crate) fn texts<'t>(
    rule: &'t RuleDecl,
    of: impl Fn(&'t ClauseKind) -> Option<&'t Expr>,
) -> Vec<String> {
    rule.clauses.iter().filter_map(|clause| plain(of(&clause.kind)?)).collect()
}

/// The kinds that a rule speaks of, each with the platform where it names one.
pub(crate) fn kinds_of(rule: &RuleDecl) -> impl Iterator<Item = (&str, Option<&str>)> {
    rule.on.iter().map(|kind| {
        let mut words = kind.iter().map(|name| name.value.as_str());
        (words.next().unwrap_or_default(), words.next())
    })
}

/// Whether the library refuses a form of a field to all nouns of a kind, or to all of which one fact is true:
/// `require form(capacity) != "queued"`.
pub(crate) fn refuses(kind: &Kind, field: &str, form: &str) -> bool {
    let is_refusal = |clause: &ClauseKind| match clause {
        ClauseKind::When(condition) => matches!(condition.kind, ExprKind::Name(_)).then_some(false),
        ClauseKind::Require(condition) => is_other_form(condition, field, form).then_some(true),
        ClauseKind::Let(..) | ClauseKind::For(..) => None,
        ClauseKind::Says(..)
        | ClauseKind::Label(..)
        | ClauseKind::Help(_)
        | ClauseKind::Fix(_)
        | ClauseKind::Symptom(_)
        | ClauseKind::Since(_) => Some(false),
    };
    let rules = library::speaking_of(kind).into_iter().filter_map(StoredRule::declared);
    let mut refusals = rules.map(|(_, rule)| {
        let parts: Option<Vec<bool>> = rule.clauses.iter().map(|it| is_refusal(&it.kind)).collect();
        parts.is_some_and(|parts| parts.contains(&true))
    });
    refusals.any(|refused| refused)
}

/// `form(capacity) != "queued"`
fn is_other_form(condition: &Expr, field: &str, form: &str) -> bool {
    let ExprKind::Binary(BinaryOp::Ne, _, of, word) = &condition.kind else { return false };
    let ExprKind::Call(called, args) = &of.kind else { return false };
    let [Arg { value, .. }] = &**args else { return false };
    is_name(called, "form") && is_name(value, field) && plain(word).as_deref() == Some(form)
}

fn is_name(expr: &Expr, name: &str) -> bool {
    matches!(&expr.kind, ExprKind::Name(known) if *known == *name)
}

/// A text with `...` for what is interpolated.
fn plain(text: &Expr) -> Option<String> {
    let ExprKind::Str(parts) = &text.kind else { return None };
    let part = |part: &StrPart| match part {
        StrPart::Text(text) => text.to_string(),
        StrPart::Interp(_) => "...".to_owned(),
    };
    Some(parts.iter().map(part).collect())
}

/// Blueprints of fewer nouns are checked faster than a thread starts, or before somebody sees a part of it.
const MANY_NOUNS: usize = 256;

/// What is reported so far, and what rules say of the nouns whose statements are at a place, with all in them, and where these stand; nothing where all
/// nouns are tried as fast, or where these are half of them.
pub(crate) fn ahead<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    rules: &Rules<'t>,
    sources: &Sources,
    at: Span,
) -> Option<(Vec<Diagnostic>, Vec<Span>)> {
    let touches =
        |span: &Span| span.file == at.file && span.start <= at.end && at.start <= span.end;
    let mut places: Vec<Span> =
        evaluation.nouns.iter().map(|noun| noun.stmt.span).filter(touches).collect();
    places.dedup();
    let is_there = |noun: &Instance<'_>| places.iter().any(|it| it.covers(noun.stmt.span));
    let nouns = evaluation.nouns.iter().enumerate();
    let typed = nouns.filter(|(_, noun)| is_there(noun)).map(|(place, _)| place);
    let typed: Vec<usize> = typed.take(MANY_NOUNS / 2).collect();
    if evaluation.nouns.len() < MANY_NOUNS || typed.is_empty() || typed.len() == MANY_NOUNS / 2 {
        return None;
    }
    let mut found = Reports::default();
    run_over(&mut evaluation.fork(&mut found), typed, rules, sources, &|| false);
    let mut told = evaluation.reports.clone();
    found.finish().into_iter().for_each(|report| told.add_rule(report));
    Some((told.finish(), places))
}

/// Tries every rule on every noun, and gives the allowances that were needed: on two threads where there are many, each
/// over one half. Incomplete once `interrupted` says yes.
pub(crate) fn run<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    rules: &Rules<'t>,
    sources: &Sources,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> BTreeSet<Span> {
    let count = evaluation.nouns.len();
    let mut used = BTreeSet::new();
    if count < MANY_NOUNS {
        let before = evaluation.recount(Rounds::of_rules(count));
        used = run_over(evaluation, 0..count, rules, sources, interrupted);
        evaluation.recount(before);
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
    used
}

/// Tries every rule on some nouns; gives the allowances that were needed.
fn run_over<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    nouns: impl IntoIterator<Item = usize>,
    rules: &Rules<'t>,
    sources: &Sources,
    interrupted: &(dyn Fn() -> bool + Sync),
) -> BTreeSet<Span> {
    let mut used: BTreeSet<Span> = BTreeSet::new();
    let mut kinds = Kinds::new(rules);
    for at in nouns {
        if interrupted() {
            break;
        }
        let id = NounId(at as u32);
        let Some(of_kind) = kinds.rules_on(evaluation, at) else { continue };
        let mut subject = Subject::new(id, &of_kind, evaluation);
        for rule in 0..of_kind.rules.len() {
            if subject.answers.is_silent(rule) {
                debug_assert!(
                    subject.alone(evaluation, |alone, evaluation| {
                        try_rule(alone, rule, sources, evaluation).is_none_or(|it| it.1.is_empty())
                    }),
                    "`{}` says of each of two nouns what it says of one that is the same",
                    of_kind.rules.get(rule).map_or("", |it| it.rule.code())
                );
                continue;
            }
            let told = evaluation.reports.so_far().len();
            let Some((declared, found)) = try_rule(&mut subject, rule, sources, evaluation) else {
                continue;
            };
            if found.is_empty() && evaluation.reports.so_far().len() == told {
                subject.answers.keep_silent(rule, Silence::Kept);
            }
            for report in found {
                match allowance(evaluation, id, declared) {
                    Some(allow) => {
                        used.insert(allow);
                    }
                    None => evaluation.reports.add_rule(report),
                }
            }
        }
        subject.leave(evaluation);
    }
    used
}

/// What the rule at a place of a noun's kind finds wrong with it, where its premises hold.
fn try_rule<'k, 't>(
    subject: &mut Subject<'k, 't>,
    rule: usize,
    sources: &Sources,
    evaluation: &mut Evaluation<'t, '_>,
) -> Option<(Rule<'k, 't>, Vec<Diagnostic>)> {
    let tried = subject.speaks(rule, evaluation)?;
    let lines = tried.lines(subject.kind, evaluation)?;
    let attempt = Attempt::new(tried.rule, lines, subject.id, sources);
    Some((tried.rule, attempt.run(subject, evaluation)))
}

/// Where a noun, or one that it is declared in, allows a rule to be broken.
fn allowance(evaluation: &Evaluation<'_, '_>, id: NounId, rule: Rule<'_, '_>) -> Option<Span> {
    let mut at = Some(id);
    while let Some(id) = at {
        let noun = evaluation.nouns.get(id.0 as usize)?;
        let codes = noun.allows.iter().filter_map(|allow| allow.code.as_ref());
        if let Some(code) = codes.into_iter().find(|code| code.value == *rule.code()) {
            return Some(code.span);
        }
        at = noun.parent;
    }
    None
}

/// An allowance of something that cannot be allowed is an error; one that allows nothing any more, a warning. Those of
/// what targets warn of are left to them.
pub(crate) fn allowances(
    evaluation: &mut Evaluation<'_, '_>,
    rules: &Rules<'_>,
    used: &BTreeSet<Span>,
    options: &Options,
) {
    let allows = || evaluation.nouns.iter().flat_map(|noun| noun.allows.iter());
    let codes: Vec<&Name> = allows().filter_map(|allow| allow.code.as_ref()).collect();
    let unreasoned: BTreeSet<Span> =
        allows().filter_map(|allow| blank(allow.reason.as_ref()?)).collect();
    for span in unreasoned {
        let message = "an allowance says why, and this reason is empty";
        let report = Diagnostic::error(ALLOW_REASON, message, span);
        evaluation.reports.add(report.help("write why this is meant here"));
    }
    let mut seen = BTreeSet::new();
    for code in codes {
        let name = code.value.as_str();
        if !seen.insert(code.span) || options.advice.contains(&name) {
            continue;
        }
        if options.refusals.contains(&name) {
            evaluation.reports.add(refusal(code));
        } else if !rules.all().any(|rule| code.value == *rule.code()) {
            evaluation.reports.add(unknown(code, rules, options));
        } else if !used.contains(&code.span) {
            evaluation.reports.add(
                Diagnostic::warning(
                    ALLOW_UNUSED,
                    format!("`{name}` holds here, so it need not be allowed"),
                    code.span,
                )
                .help("remove the allowance")
                .left_out(),
            );
        }
    }
}

/// Where a reason stands that says nothing.
fn blank(reason: &Expr) -> Option<Span> {
    let ExprKind::Str(parts) = &reason.kind else { return None };
    let says = |part: &StrPart| match part {
        StrPart::Text(text) => !text.trim().is_empty(),
        StrPart::Interp(_) => true,
    };
    (!parts.iter().any(says)).then_some(reason.span)
}

fn refusal(code: &Name) -> Diagnostic {
    let message = format!(
        "`{}` cannot be allowed: it tells what has no way to be written, or to run",
        code.value
    );
    Diagnostic::error(ALLOW_REFUSAL, message, code.span)
        .help("remove the allowance, and mend what is reported")
        .left_out()
}

fn unknown(code: &Name, rules: &Rules<'_>, options: &Options) -> Diagnostic {
    let message = format!("there is no rule `{}`", code.value);
    let report = Diagnostic::error(ALLOW_UNKNOWN, message, code.span);
    let known = rules.all().map(|rule| rule.code());
    match nearest(&code.value, known.chain(options.advice.iter().copied())) {
        Some(near) => report.meant("a rule", near, code.span),
        None => report,
    }
}
