//! Values that fit a type: its words and constructors, and facts of the catalog.

use super::super::{cards, choices};
use super::names::suits_inside;
use super::place::Typed;
use super::{Completer, Completion, CompletionKind, scope, snippet};
use crate::functions::{self, Function};
use crate::types::{Ctor, FactKind, Field, Type};
use slipform_syntax::tree::{Doc, Expr, ExprKind};
use std::sync::Arc;

/// Fields of which some durations are refused.
const DURATIONS: [(&str, &[&str]); 2] =
    [("soft_delete", &["7d", "30d", "90d", "0s"]), ("cache", &["1h", "1d", "7d"])];

/// Behind all values.
pub(super) const FUNCTIONS: u8 = 26;

impl Completer<'_, '_, '_> {
    /// Whatever fits a type, and whatever is known where the type is not.
    pub(super) fn values(&mut self, wanted: Option<&Type>) {
        if wanted.is_none() {
            self.forms_of_all();
        }
        let arms = wanted.map(Type::arms).unwrap_or_default();
        for arm in &arms {
            match arm {
                Type::Word(word) if self.fits(self.place.field.as_deref(), word) => {
                    self.word(word, wanted);
                }
                Type::Number(number) => self.value(&number.to_string(), 0),
                Type::Bool => {
                    self.value("true", 0);
                    self.value("false", 0);
                }
                Type::Auto => self.value("auto", 0),
                Type::Ctor(ctor) if self.is_obtained(&ctor.name) && !self.is_of_other(ctor) => {
                    self.ctor(ctor);
                }
                Type::Topology => self.topologies(),
                Type::Fact(kind) => self.facts(*kind),
                Type::Duration => self.some_of(self.durations()),
                Type::Size => self.some_of(&["100GiB", "1TiB"]),
                Type::Cidr => self.free_range(),
                _ => {}
            }
        }
        if arms.iter().any(is_text) {
            self.said();
        }
        wanted.into_iter().for_each(|wanted| self.known(wanted));
        self.names(wanted);
        self.functions(wanted, FUNCTIONS);
    }

    /// Every constructor: what a `let` holds for a field further on.
    fn forms_of_all(&mut self) {
        let program = self.program;
        let mut examples = snippet::Examples::new(self.analysis);
        for form in program.schema.ctors.values() {
            let form = self.form(form, &mut examples);
            self.found.push(Completion { rank: 2, ..form });
        }
        self.value("true", 3);
        self.value("false", 3);
    }

    pub(super) fn value(&mut self, text: &str, rank: u8) {
        let item = self.item(text, CompletionKind::Value, rank);
        self.found.push(item);
    }

    /// A word of an enumeration: behind what the blueprint names already, where there are facts beside it.
    fn word(&mut self, word: &str, wanted: Option<&Type>) {
        let is_fact = |arm: &Type| matches!(arm, Type::Fact(_));
        let beside = wanted.is_some_and(|wanted| wanted.arms().iter().any(is_fact));
        self.text(word, String::new(), CompletionKind::Value, u8::from(beside));
        let docs = wanted.map(choices::documented).unwrap_or_default();
        if let Some(last) = self.found.last_mut() {
            last.doc = docs.iter().find_map(|doc| choices::meaning(doc, word)).map(Doc::from);
        }
    }

    /// Values of a type that has too many of them.
    fn some_of(&mut self, values: &[&str]) {
        for (at, value) in values.iter().enumerate() {
            self.value(value, 2 + u8::try_from(at).unwrap_or(0));
        }
    }

    /// Durations that a field takes.
    fn durations(&self) -> &'static [&'static str] {
        let field = self.place.field.as_deref().unwrap_or_default();
        let own = DURATIONS.iter().find(|(name, _)| *name == field);
        own.map_or(&["30m", "1h", "1d", "7d"], |(_, known)| known)
    }

    /// Whether a form is Slurm's, and the noun around runs elsewhere.
    fn is_of_other(&self, ctor: &Ctor) -> bool {
        ctor.of.starts_with("Slurm")
            && self.platform().is_some_and(|platform| &*platform != "slurm")
    }

    /// A range of addresses that nothing of the blueprint overlaps.
    fn free_range(&mut self) {
        let prefix = snippet::usual_prefix(self.place.field.as_deref().unwrap_or_default());
        let range = snippet::Examples::new(self.analysis).free_range(prefix);
        if let Some(range) = range {
            self.value(&range.to_string(), 0);
        }
    }

    /// What an expression may be compared with.
    pub(super) fn compared(&mut self, with: &Expr, typed: Typed) {
        if let ExprKind::Call(callee, args) = &with.kind
            && matches!(&callee.kind, ExprKind::Name(name) if name == "form")
        {
            let of = args.first().and_then(|arg| self.type_of(&arg.value));
            return self.forms(of.as_ref(), typed);
        }
        let ty = self.type_of(with);
        match typed {
            Typed::Bare => {
                if let Some(ty) = &ty {
                    self.alike(ty);
                }
                self.values(ty.as_ref().filter(|_| !matches!(with.kind, ExprKind::Str(_))));
                // Nothing is compared with itself; numbers and texts are added to themselves.
                let is_word = ty
                    .as_ref()
                    .is_some_and(|ty| matches!(ty.bare(), Type::Union(_) | Type::Word(_)));
                if let ExprKind::Name(name) = &with.kind
                    && is_word
                {
                    self.found.retain(|it| it.kind != CompletionKind::Name || it.label != *name);
                }
            }
            Typed::Quoted => self.texts(ty.as_ref()),
        }
    }

    /// The names that a value of a type may equal: of an enumeration those that have its words.
    fn alike(&mut self, ty: &Type) {
        let arms = ty.arms();
        let shares = |found: &Type| {
            let found = found.arms();
            found.iter().any(|found| arms.iter().any(|arm| found.same(arm)))
        };
        self.each_name(&|_, found| shares(found).then_some(0));
    }

    /// The type of an expression; of a field of a declared noun, as its platform has it.
    fn type_of(&mut self, expr: &Expr) -> Option<Type> {
        let field = match &expr.kind {
            ExprKind::Member(base, Some(name)) => {
                let kind = scope::declared_kind(self.analysis, self.program, self.scope, base);
                kind.and_then(|kind| kind.fields.0.get(name.value.as_str()).map(Field::read))
            }
            _ => None,
        };
        field.map(|ty| ty.set()).or_else(|| scope::type_of(self.checker, self.scope, expr))
    }

    /// What `form` gives of a value: the names of its constructors, and of its kinds of nouns.
    fn forms(&mut self, of: Option<&Type>, typed: Typed) {
        for arm in of.map(Type::arms).unwrap_or_default() {
            match arm {
                Type::Ctor(ctor) => self.text(&ctor.name, String::new(), CompletionKind::Value, 0),
                Type::Noun(kind) => self.text(&kind, String::new(), CompletionKind::Value, 0),
                _ => {}
            }
        }
        if typed == Typed::Bare {
            self.names(Some(&Type::Str));
        }
    }

    /// A string, with its quotes where it does not stand in quotes already.
    pub(super) fn text(&mut self, text: &str, detail: String, kind: CompletionKind, rank: u8) {
        let in_quotes = self.place.wanted.is_quoted();
        let label = if in_quotes { text.to_owned() } else { format!("\"{text}\"") };
        let filter = text.to_owned();
        self.found.push(Completion { detail, filter, ..self.item(label, kind, rank) });
    }

    /// The inside of a string.
    pub(super) fn texts(&mut self, wanted: Option<&Type>) {
        let arms = wanted.map(Type::arms).unwrap_or_default();
        for arm in &arms {
            match arm {
                Type::Word(word) if self.fits(self.place.field.as_deref(), word) => {
                    self.word(word, wanted);
                }
                Type::Fact(kind) => self.facts(*kind),
                _ => {}
            }
        }
        if wanted.is_none() || arms.iter().any(is_text) {
            self.said();
        }
        wanted.into_iter().for_each(|wanted| self.known(wanted));
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
        let form = self.form(ctor, &mut snippet::Examples::new(self.analysis));
        self.found.push(form);
    }

    /// A constructor with what it needs.
    pub(super) fn form(
        &self,
        ctor: &Arc<Ctor>,
        examples: &mut snippet::Examples<'_>,
    ) -> Completion {
        let needed = ctor.fields.0.iter().filter(|(_, field)| !field.may_be_left_out());
        let places: Vec<String> = needed
            .enumerate()
            .map(|(at, (name, field))| snippet::value(name, field, at + 1, examples))
            .collect();
        let insert = match (ctor.fields.0.is_empty(), self.place.continues) {
            (true, _) | (_, true) => ctor.name.to_string(),
            (false, false) if places.is_empty() => format!("{}($1)", ctor.name),
            (false, false) => format!("{}({})", ctor.name, places.join(", ")),
        };
        let doc = self.program.schema.types.get(&ctor.of).and_then(|ty| ty.doc.clone());
        let doc = doc.map(|doc| choices::meaning(&doc, &ctor.name).map_or(doc, Doc::from));
        let detail = Type::Ctor(ctor.clone()).to_string();
        Completion { insert, detail, doc, ..self.item(&*ctor.name, CompletionKind::Constructor, 0) }
    }

    /// The topologies of the machine around; of every generation where there is none.
    fn topologies(&mut self) {
        self.cursor.asked_for_values();
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

    /// The functions whose results fit.
    pub(super) fn functions(&mut self, wanted: Option<&Type>, rank: u8) {
        for function in functions::ALL.iter().filter(|function| gives(function, wanted)) {
            let insert = match self.place.continues {
                true => function.name.to_owned(),
                false => format!("{}($0)", function.name),
            };
            self.found.push(Completion {
                insert,
                detail: function.signature.to_owned(),
                doc: Some(function.doc.into()),
                ..self.item(function.name, CompletionKind::Function, rank)
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

fn is_text(arm: &Type) -> bool {
    matches!(arm.bare(), Type::Str)
}

fn is_ordered(arm: &Type) -> bool {
    matches!(arm.bare(), Type::Int | Type::Float | Type::Size | Type::Duration)
}
