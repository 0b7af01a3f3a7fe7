//! What came of the rules for the noun before. Most nouns say much of what that one said: a rule that was silent is tried again only where
//! something that its silence came from is otherwise.

use super::of_kind::OfKind;
use super::reads::same;
use super::subject::{Known, Subject};
use crate::eval::Evaluation;
use std::collections::BTreeMap;

/// What is known of a noun once all rules were tried on it.
pub(super) struct Before {
    pub(super) fields: Known,
    pub(super) written: Vec<bool>,
    pub(super) answers: Answers,
}

/// What came of premises and of rules for one noun, by their places.
#[derive(Default)]
pub(super) struct Answers {
    premises: Vec<Answer>,
    rules: Vec<Silence>,
    /// Which premises were asked of it and which rules were tried on it: what came of the others is as it was for the noun before.
    asked: Vec<usize>,
    tried: Vec<usize>,
}

/// What is known of a premise.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Answer {
    /// Nobody asked yet.
    #[default]
    Open,
    /// Every field that it came from is known.
    Asked(bool),
    /// It is that of all nouns which write none of its fields: these were not looked at.
    Shared(bool),
}

/// Whether a rule has something to say.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Silence {
    /// It has, or was not tried yet.
    #[default]
    Open,
    /// It has nothing to say, since this one of its premises does not hold.
    Out(u16),
    /// Its premises hold, and it has nothing to say.
    Kept,
}

impl Answers {
    /// What came of the premise at a place.
    pub(super) fn of_premise(&self, at: usize) -> Answer {
        self.premises.get(at).copied().unwrap_or_default()
    }

    /// Keeps what came of a premise.
    pub(super) fn answer(&mut self, at: usize, answer: Answer) {
        keep(&mut self.premises, at, answer);
        self.asked.push(at);
    }

    /// Whether it is known that the rule at a place has nothing to say.
    pub(super) fn is_silent(&self, rule: usize) -> bool {
        self.rules.get(rule).is_some_and(|it| *it != Silence::Open)
    }

    /// Keeps that a rule has nothing to say, nor to report.
    pub(super) fn keep_silent(&mut self, rule: usize, silence: Silence) {
        keep(&mut self.rules, rule, silence);
        self.tried.push(rule);
    }

    /// Forgets that a rule has nothing to say.
    fn open(&mut self, rule: usize) {
        if let Some(silence) = self.rules.get_mut(rule) {
            *silence = Silence::Open;
        }
    }
}

/// Keeps what was found out at a place.
fn keep<T: Copy + Default>(known: &mut Vec<T>, at: usize, found: T) {
    if known.len() <= at {
        known.resize(at + 1, T::default());
    }
    if let Some(known) = known.get_mut(at) {
        *known = found;
    }
}

/// What has to be asked again, and which rules are to be tried again, where a part of a noun is not what the noun before had.
#[derive(Default)]
pub(super) struct Watches {
    of_parts: Vec<OfPart>,
    /// The parts that something comes from, by their field.
    of_fields: BTreeMap<usize, Vec<usize>>,
    of_premises: Vec<OfPremise>,
    of_rules: Vec<OfRule>,
    /// Premises and rules that depend on more than parts: these are asked of each noun.
    premises_of_each: Vec<usize>,
    rules_of_each: Vec<usize>,
}

/// Whose answers and silences come from a part.
#[derive(Clone, Default)]
struct OfPart {
    premises: Vec<usize>,
    rules: Vec<usize>,
}

/// The rules that ask for a premise, each with its place among those of the rule.
#[derive(Clone, Default)]
struct OfPremise {
    rules: Vec<(usize, u16)>,
    is_watched: bool,
}

/// How much of a rule is watched.
#[derive(Clone, Default)]
struct OfRule {
    premises: u16,
    lines: bool,
}

impl OfPart {
    fn is_watched(&self) -> bool {
        !self.premises.is_empty() || !self.rules.is_empty()
    }
}

impl Before {
    /// What of it holds for the noun behind it.
    pub(super) fn carried<'t>(
        self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Answers {
        let kind = subject.kind;
        let mut answers = self.answers;
        let mut watches = kind.watches.borrow_mut();
        watches.add(kind, &mut answers);
        for premise in &watches.premises_of_each {
            watches.reopen(*premise, true, &mut answers);
        }
        for rule in &watches.rules_of_each {
            answers.open(*rule);
        }
        if self.written != subject.written {
            for premise in 0..answers.premises.len() {
                if matches!(answers.premises.get(premise), Some(Answer::Shared(_))) {
                    watches.reopen(premise, false, &mut answers);
                }
            }
        }
        let paths = kind.paths.borrow();
        for (field, parts) in &watches.of_fields {
            // what nobody asked of it, no answer comes from
            let Some(was) = self.fields.get(*field) else { continue };
            subject.learn(*field, evaluation);
            let Some(is) = subject.known(*field) else { continue };
            if parts.len() > 1 && same(was, is) {
                continue;
            }
            for part in parts {
                if paths.all.get(*part).is_none_or(|path| !path.is_same(was, is)) {
                    watches.reopen_part(*part, &mut answers);
                }
            }
        }
        answers
    }
}

impl Watches {
    /// Watches what answers came from.
    fn add(&mut self, kind: &OfKind<'_, '_>, answers: &mut Answers) {
        let premises = kind.premises.borrow();
        self.of_premises.resize_with(premises.all.len(), OfPremise::default);
        self.of_rules.resize_with(kind.rules.len(), OfRule::default);
        for at in answers.asked.drain(..) {
            let Some(known) = self.of_premises.get_mut(at) else { continue };
            if known.is_watched || !matches!(answers.premises.get(at), Some(Answer::Asked(_))) {
                continue;
            }
            known.is_watched = true;
            match premises.all.get(at).and_then(|it| it.reads(kind, &premises.all)) {
                Some(parts) => self.watch(kind, parts, |of_part| of_part.premises.push(at)),
                None => self.premises_of_each.push(at),
            }
        }
        drop(premises);
        for at in answers.tried.drain(..) {
            match answers.rules.get(at) {
                Some(Silence::Open) | None => {}
                Some(Silence::Out(place)) => self.add_premises(kind, at, *place),
                Some(Silence::Kept) => self.add_lines(kind, at),
            }
        }
    }

    /// Watches the premises of a rule, up to that at a place.
    fn add_premises(&mut self, kind: &OfKind<'_, '_>, at: usize, last: u16) {
        let Some(known) = self.of_rules.get_mut(at).filter(|it| it.premises <= last) else {
            return;
        };
        let asked = kind.rules.get(at).into_iter().flat_map(|rule| rule.asked(kind));
        let asked = asked.zip(0..).skip(known.premises.into());
        for (premise, place) in asked.take_while(|(_, place)| *place <= last) {
            known.premises = place + 1;
            if let Some(of_premise) = self.of_premises.get_mut(premise) {
                of_premise.rules.push((at, place));
            }
        }
    }

    /// Watches what follows the premises of a rule, and all of these.
    fn add_lines(&mut self, kind: &OfKind<'_, '_>, at: usize) {
        let known = self.of_rules.get_mut(at).map(|it| std::mem::replace(&mut it.lines, true));
        if known != Some(false) {
            return;
        }
        self.add_premises(kind, at, u16::MAX);
        match kind.rules.get(at).and_then(|rule| rule.reads(kind)) {
            Some(parts) => self.watch(kind, parts, |of_part| of_part.rules.push(at)),
            None => self.rules_of_each.push(at),
        }
    }

    fn watch(&mut self, kind: &OfKind<'_, '_>, parts: &[usize], mut add: impl FnMut(&mut OfPart)) {
        let paths = kind.paths.borrow();
        self.of_parts.resize_with(paths.all.len(), OfPart::default);
        for part in parts {
            let (Some(of_part), Some(path)) = (self.of_parts.get_mut(*part), paths.all.get(*part))
            else {
                continue;
            };
            if !of_part.is_watched() {
                self.of_fields.entry(path.field).or_default().push(*part);
            }
            add(of_part);
        }
    }

    /// Forgets what comes from a part.
    fn reopen_part(&self, part: usize, answers: &mut Answers) {
        let Some(OfPart { premises, rules }) = self.of_parts.get(part) else { return };
        for premise in premises {
            self.reopen(*premise, false, answers);
        }
        for rule in rules {
            answers.open(*rule);
        }
    }

    /// Forgets the answer of a premise, with the silences that come from it: also those of premises behind it, where asking it may report
    /// something.
    fn reopen(&self, premise: usize, reports: bool, answers: &mut Answers) {
        if let Some(answer) = answers.premises.get_mut(premise) {
            *answer = Answer::Open;
        }
        for (rule, place) in self.of_premises.get(premise).iter().flat_map(|it| &it.rules) {
            let Some(silence) = answers.rules.get_mut(*rule) else { continue };
            let comes_from = match silence {
                Silence::Open => false,
                Silence::Out(at) => at == place || reports && *place < *at,
                Silence::Kept => true,
            };
            if comes_from {
                *silence = Silence::Open;
            }
        }
    }
}
