//! Values that fit a type: its words and constructors, and facts of the catalog.

use super::super::cards;
use super::names::suits_inside;
use super::place::{Typed, Wanted};
use super::{Completer, Completion, CompletionKind, snippet};
use crate::functions::{self, Function};
use crate::infer::Infer;
use crate::types::{Ctor, FactKind, Type};
use slipform_model::catalog::{Machine, MachineKind, region_of};
use slipform_syntax::tree::Expr;
use std::sync::Arc;

impl Completer<'_, '_, '_> {
    /// Whatever fits a type, and whatever is known where the type is not.
    pub(super) fn values(&mut self, wanted: Option<&Type>) {
        for arm in wanted.map(Type::arms).unwrap_or_default() {
            match &arm {
                Type::Word(word) => self.text(word, String::new(), CompletionKind::Value, 0),
                Type::Number(number) => self.value(&number.to_string(), 0),
                Type::Bool => {
                    self.value("true", 0);
                    self.value("false", 0);
                }
                Type::Auto => self.value("auto", 0),
                Type::Ctor(ctor) => self.ctor(ctor),
                Type::Topology => self.topologies(),
                Type::Fact(kind) => self.facts(*kind),
                _ => {}
            }
        }
        self.names(wanted);
        self.functions(wanted);
    }

    fn value(&mut self, text: &str, rank: u8) {
        let item = self.item(text, CompletionKind::Value, rank);
        self.found.push(item);
    }

    /// What an expression may be compared with.
    pub(super) fn compared(&mut self, with: &Expr, typed: Typed) {
        let schema = &self.program.schema;
        let reports = &mut *self.checker.reports;
        let ty = Infer::new(schema, reports, self.checker.index, self.scope, true).expr(with, None);
        let ty = Some(ty.set()).filter(|ty| !matches!(ty, Type::Unknown));
        match typed {
            Typed::Bare => self.values(ty.as_ref()),
            Typed::Quoted => self.texts(ty.as_ref()),
        }
    }

    /// A string, with its quotes where it does not stand in quotes already.
    fn text(&mut self, text: &str, detail: String, kind: CompletionKind, rank: u8) {
        let in_quotes = matches!(
            self.place.wanted,
            Wanted::Text(_) | Wanted::TextOf(_) | Wanted::Compared(_, Typed::Quoted)
        );
        let label = if in_quotes { text.to_owned() } else { format!("\"{text}\"") };
        let filter = text.to_owned();
        self.found.push(Completion { detail, filter, ..self.item(label, kind, rank) });
    }

    /// The inside of a string.
    pub(super) fn texts(&mut self, wanted: Option<&Type>) {
        for arm in wanted.map(Type::arms).unwrap_or_default() {
            match &arm {
                Type::Word(word) => self.text(word, String::new(), CompletionKind::Value, 0),
                Type::Fact(kind) => self.facts(*kind),
                _ => {}
            }
        }
    }

    /// The inside of a string that a function takes.
    pub(super) fn texts_of(&mut self, function: &str) {
        match function {
            "all" => self.kinds_by_name(false),
            "limit" => {
                let catalog = self.catalog;
                for limit in catalog.all_limits() {
                    self.text(&limit.path, String::new(), CompletionKind::Fact, 0);
                }
            }
            "offered_in" => {
                self.facts(FactKind::Machine);
                self.facts(FactKind::Zone);
            }
            _ => {}
        }
    }

    fn ctor(&mut self, ctor: &Arc<Ctor>) {
        let mut examples = snippet::Examples::new(self.analysis);
        let needed = ctor.fields.0.iter().filter(|(_, field)| !field.may_be_left_out());
        let places: Vec<String> = needed
            .enumerate()
            .map(|(at, (name, field))| snippet::value(name, field, at + 1, &mut examples))
            .collect();
        let insert = match (ctor.fields.0.is_empty(), self.place.continues) {
            (true, _) | (_, true) => ctor.name.to_string(),
            (false, false) if places.is_empty() => format!("{}($1)", ctor.name),
            (false, false) => format!("{}({})", ctor.name, places.join(", ")),
        };
        let doc = self.program.schema.types.get(&ctor.of).and_then(|ty| ty.doc.clone());
        let detail = Type::Ctor(ctor.clone()).to_string();
        self.found.push(Completion {
            insert,
            detail,
            doc,
            ..self.item(&*ctor.name, CompletionKind::Constructor, 0)
        });
    }

    /// The topologies of the machine around; of every generation where there is none.
    fn topologies(&mut self) {
        let catalog = self.catalog;
        let machine = self.place.machine.as_deref();
        let generation = machine.and_then(|machine| catalog.tpu_of_machine(machine));
        let tpus: Vec<_> =
            catalog.tpus().filter(|tpu| generation.is_none_or(|only| *only == **tpu)).collect();
        for (tpu, slice) in tpus
            .iter()
            .flat_map(|tpu| catalog.slices(&tpu.generation).iter().map(move |it| (tpu, it)))
        {
            let fits = generation.is_none() || slice.machine.as_deref() == machine;
            if fits && !self.found.iter().any(|known| known.label == slice.topology) {
                let detail = format!("{}, TPU {}", cards::slice_line(slice), tpu.generation);
                let filter = slice.topology.clone();
                // Small slices first, as the catalog has them.
                let rank =
                    u8::try_from(slice.chips.checked_ilog2().unwrap_or(0)).unwrap_or(u8::MAX);
                let item = self.item(&slice.topology, CompletionKind::Fact, rank);
                self.found.push(Completion { detail, filter, ..item });
            }
        }
    }

    fn facts(&mut self, kind: FactKind) {
        let catalog = self.catalog;
        match kind {
            FactKind::Machine => {
                // a node of a site's own floor stands in a partition
                let own =
                    |machine: &&Machine| !self.place.cloud || machine.kind != MachineKind::Node;
                for machine in catalog.machines().filter(own) {
                    // Who trains looks for accelerators first.
                    let rank = u8::from(machine.accelerator.is_none() && machine.tpu.is_none());
                    self.text(
                        &machine.name,
                        cards::machine_line(machine),
                        CompletionKind::Fact,
                        rank,
                    );
                }
            }
            FactKind::Zone => {
                let offer =
                    self.place.machine.as_deref().and_then(|machine| catalog.offer_of(machine));
                for zone in catalog.zones() {
                    let offers = offer.is_some_and(|offer| offer.zones.contains(&zone));
                    let detail = if offers { self.offers() } else { String::new() };
                    let here = self.place.region.as_deref();
                    let far = here.is_some_and(|region| region_of(&zone) != Some(region));
                    let rank = u8::from(!offers) + 2 * u8::from(far);
                    self.text(&zone, detail, CompletionKind::Fact, rank);
                }
            }
            FactKind::Region => {
                let offer =
                    self.place.machine.as_deref().and_then(|machine| catalog.offer_of(machine));
                for region in catalog.regions() {
                    let offers = offer
                        .is_some_and(|offer| offer.regions.iter().any(|known| known == region));
                    let detail = if offers { self.offers() } else { String::new() };
                    self.text(region, detail, CompletionKind::Fact, u8::from(!offers));
                }
            }
        }
    }

    fn offers(&self) -> String {
        self.place.machine.as_ref().map(|machine| format!("offers {machine}")).unwrap_or_default()
    }

    /// The functions whose results fit.
    fn functions(&mut self, wanted: Option<&Type>) {
        for function in functions::ALL.iter().filter(|function| gives(function, wanted)) {
            let insert = match self.place.continues {
                true => function.name.to_owned(),
                false => format!("{}($0)", function.name),
            };
            self.found.push(Completion {
                insert,
                detail: function.signature.to_owned(),
                doc: Some(function.doc.to_owned()),
                ..self.item(function.name, CompletionKind::Function, 6)
            });
        }
    }
}

/// Whether a function may give what is wanted, whatever its arguments are.
fn gives(function: &Function, wanted: Option<&Type>) -> bool {
    let Some(wanted) = wanted else { return true };
    let arguments = vec![Type::Unknown; function.signature.matches(',').count() + 1];
    match (function.ty)(&arguments) {
        // The larger or smaller of two of the same type.
        Ok(Type::Unknown) => wanted.arms().iter().any(is_ordered),
        Ok(ty) => suits_inside(&ty, wanted),
        // It takes a word of its own, and what it gives depends on that.
        Err(_) => wanted.arms().iter().any(|arm| matches!(arm, Type::List(_) | Type::Int)),
    }
}

fn is_ordered(arm: &Type) -> bool {
    matches!(arm.bare(), Type::Int | Type::Float | Type::Size | Type::Duration)
}
