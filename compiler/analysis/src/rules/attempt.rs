//! One rule on one noun: whether it applies and holds, and the report where it does not.

use super::Rule;
use super::compile::{Body, Guard, Said};
use crate::eval::{Evaluation, FrameId};
use slipform_model::{Diagnostic, Label, NounId, Value};
use slipform_source::{Sources, Span};
use slipform_syntax::tree::{Expr, Name};

/// One rule on one noun.
pub(super) struct Attempt<'a, 't> {
    pub(super) rule: &'a Rule<'t>,
    body: &'a Body<'t>,
    pub(super) id: NounId,
    pub(super) sources: &'a Sources,
    found: Vec<Diagnostic>,
}

impl<'a, 't> Attempt<'a, 't> {
    pub(super) fn new(
        rule: &'a Rule<'t>,
        body: &'a Body<'t>,
        id: NounId,
        sources: &'a Sources,
    ) -> Self {
        Self { rule, body, id, sources, found: Vec::new() }
    }

    /// What is wrong with a noun of which the premises hold, once for each round in which the rule does not.
    pub(super) fn run(
        mut self,
        evaluation: &mut Evaluation<'t, '_>,
        noun: FrameId,
    ) -> Vec<Diagnostic> {
        if self.body.names_values() {
            let frame = evaluation.scope(noun, []);
            self.behind(evaluation, frame, &self.body.guards);
            evaluation.leave(frame);
        } else {
            self.behind(evaluation, noun, &self.body.guards);
        }
        self.found
    }

    /// Tries the rule behind the guards that are passed already.
    fn behind(
        &mut self,
        evaluation: &mut Evaluation<'t, '_>,
        frame: FrameId,
        guards: &'a [Guard<'t>],
    ) {
        let mut guards = guards.iter();
        while let Some(guard) = guards.next() {
            match guard {
                Guard::When(condition) if holds(evaluation, condition, frame) == Some(true) => {}
                Guard::When(_) => return,
                Guard::Let(name, value) => {
                    let value = evaluation.eval(value, frame);
                    evaluation.set(frame, &name.value, value);
                }
                Guard::For(names, items) => {
                    let at = items.span;
                    let items = evaluation.eval(items, frame);
                    for (key, value) in evaluation.rounds(&items) {
                        if !evaluation.expand_one(at) {
                            return;
                        }
                        let inner = evaluation.scope(frame, round(names, key, value));
                        self.behind(evaluation, inner, guards.as_slice());
                        evaluation.leave(inner);
                    }
                    return;
                }
            }
        }
        if holds(evaluation, self.body.require, frame) == Some(false) {
            let inner = evaluation.scope(frame, []);
            let report = self.report(evaluation, inner);
            evaluation.leave(inner);
            self.found.push(report);
        }
    }

    fn report(&self, evaluation: &mut Evaluation<'t, '_>, frame: FrameId) -> Diagnostic {
        let code = self.rule.code.value.to_string();
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

/// The names of a round and their values.
fn round(names: &[Name], key: Value, value: Value) -> Vec<(&str, Value)> {
    match names {
        [one] => vec![(one.value.as_str(), value)],
        [first, second, ..] => vec![(first.value.as_str(), key), (second.value.as_str(), value)],
        [] => Vec::new(),
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

/// Whether a condition holds; `None` where that is unknown.
pub(super) fn holds<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    condition: &'t Expr,
    frame: FrameId,
) -> Option<bool> {
    match evaluation.eval(condition, frame) {
        Value::Bool(truth) => Some(truth),
        _ => None,
    }
}

fn text_of<'t>(evaluation: &mut Evaluation<'t, '_>, text: &'t Expr, frame: FrameId) -> String {
    match evaluation.eval(text, frame) {
        Value::Unknown => String::new(),
        value => value.to_string(),
    }
}
