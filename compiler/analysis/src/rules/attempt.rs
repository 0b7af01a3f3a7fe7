//! One rule on one noun: whether it applies and holds, and the report where it does not.

use super::Rule;
use super::compile::{Body, Said};
use super::of_kind::{Lines, Step};
use super::subject::Subject;
use crate::eval::{Evaluation, FrameId, rounds_of};
use slipform_model::{Diagnostic, Label, NounId, Value};
use slipform_source::{Sources, Span};
use slipform_syntax::tree::Expr;

/// One rule on one noun.
pub(super) struct Attempt<'a, 't> {
    pub(super) rule: Rule<'a, 't>,
    pub(super) body: &'a Body<'t>,
    lines: &'a Lines<'t>,
    pub(super) id: NounId,
    pub(super) sources: &'a Sources,
    found: Vec<Diagnostic>,
}

impl<'a, 't> Attempt<'a, 't> {
    pub(super) fn new(
        rule: Rule<'a, 't>,
        (body, lines): (&'a Body<'t>, &'a Lines<'t>),
        id: NounId,
        sources: &'a Sources,
    ) -> Self {
        Self { rule, body, lines, id, sources, found: Vec::new() }
    }

    /// What is wrong with a noun of which the premises hold, once for each round in which the rule does not.
    pub(super) fn run(
        mut self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Vec<Diagnostic> {
        self.behind(subject, evaluation, &self.lines.steps);
        subject.named.clear();
        self.found
    }

    /// Tries the rule behind the steps that are taken already.
    fn behind(
        &mut self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
        steps: &[Step<'t>],
    ) {
        let mut steps = steps.iter();
        while let Some(step) = steps.next() {
            match step {
                Step::When(condition) if condition.holds(subject, evaluation) == Some(true) => {}
                Step::When(_) => return,
                Step::Let(value) => {
                    let value = value.value(subject, evaluation);
                    subject.named.push(value);
                }
                Step::For(names, items, at) => {
                    let items = items.value(subject, evaluation);
                    let before = subject.named.len();
                    for round in rounds_of(&items) {
                        if !evaluation.expand_one(*at) {
                            return;
                        }
                        subject.name(round, *names);
                        self.behind(subject, evaluation, steps.as_slice());
                        subject.named.truncate(before);
                    }
                    return;
                }
            }
        }
        if self.lines.require.holds(subject, evaluation) == Some(false)
            && let Some(frame) = subject.scope(evaluation, self.rule.unit(), &self.lines.names)
        {
            let report = self.report(evaluation, frame);
            evaluation.leave(frame);
            self.found.push(report);
        }
    }

    fn report(&self, evaluation: &mut Evaluation<'t, '_>, frame: FrameId) -> Diagnostic {
        let code = self.rule.code().to_owned();
        let mut report = Diagnostic::of_rule(code, self.body.severity);
        for said in &self.body.said {
            match said {
                Said::Message(text) => report.message = text_of(evaluation, text, frame),
                Said::Help(text) => report.help.push(text_of(evaluation, text, frame)),
                Said::Label(place, text) => {
                    let span = self.place(evaluation, place, frame).span;
                    label(&mut report, span, text_of(evaluation, text, frame));
                }
                Said::Fix(mend) => report.fixes.extend(self.fix(evaluation, mend, frame)),
                Said::Let(name, value) => {
                    let value = evaluation.eval(value, frame);
                    evaluation.set(frame, &name.value, value);
                }
            }
        }
        if report.labels.is_empty() {
            let span = self.header(evaluation, self.id);
            report.labels.push(Label { span, text: String::new() });
        }
        report
    }
}

/// Adds a place. What a loop declares several times stands in one place: it is shown once, with all that is said.
fn label(report: &mut Diagnostic, span: Span, text: String) {
    match report.labels.iter_mut().find(|label| label.span == span) {
        Some(label) if label.text.is_empty() => label.text = text,
        Some(label) if !text.is_empty() && label.text != text => {
            label.text = format!("{}, {text}", label.text);
        }
        Some(_) => {}
        None => report.labels.push(Label { span, text }),
    }
}

fn text_of<'t>(evaluation: &mut Evaluation<'t, '_>, text: &'t Expr, frame: FrameId) -> String {
    match evaluation.eval(text, frame) {
        Value::Unknown => String::new(),
        value => value.to_string(),
    }
}
