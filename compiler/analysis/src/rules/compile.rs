//! What the lines of a rule come to: where it applies, what it requires, and what it says where that does not hold.

use crate::functions;
use slipform_model::{Diagnostic, Severity};
use slipform_source::Span;
use slipform_syntax::tree::{
    Clause, ClauseKind, Expr, ExprKind, Late, Level, Mend, Name, Opening, Round, RuleDecl, Then,
};

slipform_source::codes! {
    pub(crate) CODES;
    RULES_MESSAGE = "rules/message":
        "a rule does not say what is wrong",
        "add `error \"...\"` or `warning \"...\"`";
    RULES_ORDER = "rules/order":
        "a line of a rule stands where it says nothing, or says a second time what is said once",
        "put `when`, `let` and `for` above the one `require`, and what is said below it";
    RULES_REQUIRE = "rules/require":
        "a rule does not say what must hold",
        "add `require condition`";
}

/// A rule, ready to be tried.
#[derive(Debug)]
pub(super) struct Body<'t> {
    /// What can be asked behind its opening and before all else: the rule is silent where one does not hold.
    pub(super) premises: Vec<Premise<'t, &'t Expr>>,
    /// Where it applies besides, in the order written.
    pub(super) guards: Vec<Guard<'t>>,
    /// What must hold.
    pub(super) require: &'t Late<Expr>,
    /// How bad it is where that does not hold.
    pub(super) severity: Severity,
    /// What is said then, in the order written.
    pub(super) said: Vec<Said<'t>>,
}

/// What has to be so for a rule to speak at all.
#[derive(PartialEq, Debug)]
pub(super) enum Premise<'t, E> {
    /// A condition holds: a `when`, cut at its `and`s.
    Holds(E),
    /// A condition does not hold: a `require` with nothing but conditions in front of it.
    Fails(E),
    /// There is something to go through: a `for` over what the noun says.
    Any(E),
    /// There is a round to go on with: a `for` over what the noun says, and what is asked of its rounds first.
    Round(Box<Round<&'t [Name], E>>),
}

/// What stands above `require`.
#[derive(Debug)]
pub(super) enum Guard<'t> {
    /// The rule is silent where this does not hold.
    When(&'t Expr),
    /// A name for what follows.
    Let(&'t Name, &'t Late<Expr>),
    /// What follows is tried once a round.
    For(&'t [Name], &'t Expr),
}

/// What stands below `require`.
#[derive(Debug)]
pub(super) enum Said<'t> {
    /// What is wrong.
    Message(&'t Late<Expr>),
    /// A name for what follows.
    Let(&'t Name, &'t Late<Expr>),
    /// A place, and what is to be seen there.
    Label(&'t Late<Expr>, &'t Late<Expr>),
    /// What to do about it.
    Help(&'t Late<Expr>),
    /// The edit that mends it.
    Fix(&'t Mend),
}

impl<'t> Body<'t> {
    /// Reads the lines of a rule, or says what is wrong with them: at `head` what is not there.
    pub(super) fn new(decl: &'t RuleDecl, head: Span) -> Result<Self, Vec<Diagnostic>> {
        let mut required = decl.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Require(condition) => Some((clause.word, condition)),
            _ => None,
        });
        let Some((at, require)) = required.next() else {
            return Err(vec![Diagnostic::error(
                RULES_REQUIRE,
                "a rule says what it requires: `require condition`",
                head,
            )]);
        };
        let mut reader = Reader::new(at);
        decl.clauses.iter().for_each(|clause| reader.clause(clause));
        let Reader { guards, severity, said, mut wrong, .. } = reader;
        let Some((_, severity)) = severity else {
            wrong.push(Diagnostic::error(
                RULES_MESSAGE,
                "a rule says what is wrong: `error \"...\"` or `warning \"...\"`",
                head,
            ));
            return Err(wrong);
        };
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (mut premises, guards) = premises(guards);
        let opening = opening(decl.opening());
        premises.drain(..opening.iter().filter(|it| !matches!(it, Premise::Fails(_))).count());
        Ok(Self { premises, guards, require, severity, said })
    }
}

/// The premises that the opening of a rule comes to.
pub(super) fn opening<'t>(
    Opening { conditions, then }: Opening<&'t Expr, Round<&'t [Name], &'t Expr>>,
) -> Vec<Premise<'t, &'t Expr>> {
    let mut premises: Vec<_> = conditions.into_iter().map(Premise::Holds).collect();
    match then {
        Then::Require(require) => premises.push(Premise::Fails(require)),
        Then::Loop(items, round) if is_plain(items) => {
            premises.push(Premise::Any(items));
            premises.extend(round.map(|round| Premise::Round(round.into())));
        }
        Then::Loop(..) | Then::Nothing => {}
    }
    premises
}

/// Cuts out of guards what can be asked first: conditions and loops over what the noun says, as long as nothing is asked in
/// front of them that depends on a name of the rule. A `let` in front of them is only evaluated where they hold.
fn premises<'t>(guards: Vec<Guard<'t>>) -> (Vec<Premise<'t, &'t Expr>>, Vec<Guard<'t>>) {
    let (mut premises, mut behind) = (Vec::new(), Vec::new());
    let mut named: Vec<&str> = Vec::new();
    let mut first = true;
    let mut guards = guards.into_iter();
    while let Some(guard) = guards.next() {
        match guard {
            Guard::When(condition) => {
                for part in condition.conjuncts() {
                    first &= !part.mentions(&named);
                    if first {
                        premises.push(Premise::Holds(part));
                    } else {
                        behind.push(Guard::When(part));
                    }
                }
            }
            Guard::For(names, items) => {
                // A loop that is not asked first keeps what stands behind it from being asked where there are no rounds.
                first &= is_plain(items) && !items.mentions(&named);
                if first {
                    premises.push(Premise::Any(items));
                    let conditions = asked_of_rounds(guards.as_slice(), &named);
                    if !conditions.is_empty() {
                        premises.push(Premise::Round(Round { names, items, conditions }.into()));
                    }
                }
                named.extend(names.iter().map(|name| name.value.as_str()));
                behind.push(guard);
            }
            Guard::Let(name, _) => {
                named.push(&name.value);
                behind.push(guard);
            }
        }
    }
    (premises, behind)
}

/// What is asked of the rounds of a loop before anything else, unless it depends on what was named in front of the loop.
fn asked_of_rounds<'t>(behind: &[Guard<'t>], named: &[&str]) -> Vec<&'t Expr> {
    let conditions = behind.iter().map_while(|guard| match guard {
        Guard::When(condition) => Some(condition.conjuncts()),
        Guard::Let(..) | Guard::For(..) => None,
    });
    conditions.flatten().take_while(|part| !part.mentions(named)).collect()
}

/// Whether evaluating it has nothing to report, and costs little: a name, or a field of it.
pub(super) fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Member(of, Some(_)) => is_plain(of),
        ExprKind::Call(of, args) => {
            is_total(of) && args.iter().all(|arg| arg.name.is_none() && is_plain(&arg.value))
        }
        _ => false,
    }
}

/// Whether what is called has a result for every argument of its type.
fn is_total(called: &Expr) -> bool {
    let ExprKind::Name(name) = &called.kind else { return false };
    functions::find(name).is_some_and(|function| function.total)
}

/// The lines of a rule as far as they are read.
struct Reader<'t> {
    /// The `require`.
    at: Span,
    /// It is passed.
    below: bool,
    guards: Vec<Guard<'t>>,
    severity: Option<(Span, Severity)>,
    said: Vec<Said<'t>>,
    wrong: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new(at: Span) -> Self {
        let (guards, said, wrong) = (Vec::new(), Vec::new(), Vec::new());
        Self { at, below: false, guards, severity: None, said, wrong }
    }

    fn clause(&mut self, clause: &'t Clause) {
        match &clause.kind {
            ClauseKind::When(condition) => self.guard(clause, Guard::When(condition)),
            ClauseKind::For(names, items) => self.guard(clause, Guard::For(names, items)),
            ClauseKind::Let(Some(name), value) if self.below => {
                self.said.push(Said::Let(name, value));
            }
            ClauseKind::Let(Some(name), value) => self.guards.push(Guard::Let(name, value)),
            // That its name is missing is said.
            ClauseKind::Let(None, _) => {}
            ClauseKind::Require(_) => self.require(clause),
            ClauseKind::Says(level, text) => {
                self.severity(clause, *level);
                self.say(clause, Some(Said::Message(text)));
            }
            ClauseKind::Label(place, text) => self.say(clause, Some(Said::Label(place, text))),
            ClauseKind::Help(text) => self.say(clause, Some(Said::Help(text))),
            ClauseKind::Fix(mend) => self.say(clause, Some(Said::Fix(mend))),
            // For documentation, not for a report.
            ClauseKind::Symptom(_) | ClauseKind::Since(_) => self.say(clause, None),
        }
    }

    fn guard(&mut self, clause: &Clause, guard: Guard<'t>) {
        if self.below {
            return self.misplaced(clause, "below", "above");
        }
        self.guards.push(guard);
    }

    fn say(&mut self, clause: &Clause, said: Option<Said<'t>>) {
        if !self.below {
            return self.misplaced(clause, "above", "below");
        }
        self.said.extend(said);
    }

    fn misplaced(&mut self, clause: &Clause, stands: &str, belongs: &str) {
        let word = clause.kind.word().spelling();
        let message = format!("`{word}` stands {stands} `require` and belongs {belongs} it");
        let help = format!(
            "move the line {belongs} `require`: a rule says with `when`, `let` and `for` where it applies, then what it requires, then \
             what is said"
        );
        self.wrong.push(
            Diagnostic::error(RULES_ORDER, message, clause.word)
                .also(self.at, "what is required")
                .help(help),
        );
    }

    fn require(&mut self, clause: &Clause) {
        if !std::mem::replace(&mut self.below, true) {
            return;
        }
        self.wrong.push(
            Diagnostic::error(RULES_ORDER, "a rule has one `require`", clause.word)
                .labelled("the second one")
                .also(self.at, "the first one")
                .help("join both conditions with `and`, or write a rule for each"),
        );
    }

    fn severity(&mut self, clause: &Clause, level: Level) {
        let severity = match level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
        };
        let Some((first, _)) = self.severity else {
            self.severity = Some((clause.word, severity));
            return;
        };
        self.wrong.push(
            Diagnostic::error(RULES_ORDER, "a rule has one message", clause.word)
                .labelled("the second one")
                .also(first, "the first one")
                .help("say the rest in a `label` or a `help`, or write a rule for each"),
        );
    }
}
