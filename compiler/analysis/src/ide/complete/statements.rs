//! Statements: words, kinds, components, fields; rules, platforms and types by their names.

use super::super::cursor::{each_stmt, is_own, own_trees};
use super::super::words::{Top, WORDS, clause};
use super::place::Block;
use super::{Completer, Completion, CompletionKind, snippet};
use crate::rules::kinds_of;
use crate::schema::{BUILT_IN, Kind};
use crate::source_text::is_word;
use crate::types::Type;
use slipform_model::Diagnostic;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{ClauseWord, Stmt, StmtKind, TypeExpr, TypeExprKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Parts of a cluster that one platform has: `cluster/pool-elsewhere` and its like say so of the others.
const OF_PLATFORM: [(&str, &str); 3] = [("pool", "gke"), ("queue", "gke"), ("partition", "slurm")];

impl Completer<'_, '_, '_> {
    /// What may start a statement.
    pub(super) fn statements(&mut self, block: &Block) {
        match block {
            Block::File if self.is_test() => {
                let words = ["use", "let", "type", "rule", "assert"];
                self.words(|word| words.contains(&word.word));
                self.found.push(Completion {
                    detail: "what has to hold of the project".to_owned(),
                    insert: "test ${1:name} {\n  $0\n\\}".to_owned(),
                    ..self.item("test", CompletionKind::Keyword, 0)
                });
            }
            Block::File => {
                self.words(|word| word.top != Top::Never);
                self.kinds(None);
                self.components(None);
            }
            Block::Component => {
                self.words(|word| word.inside && !["patch", "allow"].contains(&word.word));
                self.kinds(None);
                self.components(None);
            }
            Block::Noun(kind) => {
                self.fields(&kind.fields, 2);
                self.words_of_all();
                self.kinds_in(kind);
                self.components(Some(&kind.name));
                self.words(|word| word.inside);
            }
            Block::Use(fields) => {
                self.fields(fields, 2);
                self.words_of_all();
                self.words(|word| word.inside);
            }
            Block::Kind => self.words(|word| word.word == "derived"),
            Block::Unknown => {}
        }
    }

    /// Whether the file speaks of its project, and makes nothing.
    fn is_test(&self) -> bool {
        let file = self.program.units.get(self.unit.0).map(|unit| unit.tree.file);
        let source = file.and_then(|file| self.analysis.sources.get(file));
        source.is_some_and(|source| crate::is_test_file(&source.path))
    }

    fn words(&mut self, wanted: impl Fn(&super::super::words::Word) -> bool) {
        for (at, word) in WORDS.iter().enumerate().filter(|(_, word)| wanted(word)) {
            let seldom = word.top != Top::Often;
            let insert = match (word.snippet, self.place.continues) {
                ("", _) | (_, true) => format!("{} ", word.word),
                (snippet, false) => snippet.to_owned(),
            };
            self.found.push(Completion {
                detail: word.form.to_owned(),
                doc: Some(word.doc.into()),
                insert,
                near: u32::try_from(at).unwrap_or(u32::MAX),
                ..self.item(word.word, CompletionKind::Keyword, 4 + u8::from(seldom))
            });
        }
    }

    /// Words of the language that can stand here alone.
    pub(super) fn words_alone(&mut self, words: &[&str]) {
        for word in words {
            let last = word.rsplit(' ').next().unwrap_or(word);
            let known = WORDS.iter().find(|known| known.word == last);
            self.found.push(Completion {
                detail: known.map(|known| known.form.to_owned()).unwrap_or_default(),
                doc: known.map(|known| known.doc.into()),
                insert: format!("{word} "),
                ..self.item(*word, CompletionKind::Keyword, 0)
            });
        }
    }

    /// The kinds that are declared inside of another, on its platform.
    fn kinds_in(&mut self, around: &Kind) {
        let elsewhere = |kind: &str| {
            let of = OF_PLATFORM.iter().find(|(known, _)| *known == kind);
            of.is_some_and(|(_, platform)| around.platform.as_deref() != Some(platform))
        };
        self.kinds(Some(&around.name));
        // Behind what has to be written stands what the noun is made of.
        let inside = self.found.iter_mut().filter(|it| it.kind == CompletionKind::Kind);
        inside.for_each(|it| it.rank = 1);
        self.found.retain(|it| it.kind != CompletionKind::Kind || !elsewhere(&it.filter));
    }

    /// The kinds that are declared inside of another, or at the top.
    fn kinds(&mut self, parent: Option<&str>) {
        let kinds: Vec<Arc<Kind>> = self.program.schema.kinds.values().cloned().collect();
        for kind in kinds.iter().filter(|kind| kind.parent.as_deref() == parent) {
            let insert = self.declaration(kind);
            self.found.push(Completion {
                detail: "kind".to_owned(),
                doc: kind.doc.clone(),
                insert,
                filter: kind.title(),
                ..self.item(kind.title(), CompletionKind::Kind, 2)
            });
        }
    }

    fn declaration(&mut self, kind: &Kind) -> String {
        let on = match (&kind.platform, kind.fields.0.get("place")) {
            (Some(platform), _) => format!(" on {platform}"),
            (None, Some(place)) => self.on(&place.ty),
            (None, None) => String::new(),
        };
        let more = snippet::OF_WHAT_IS_MADE.iter().find(|(of, _)| *of == &*kind.name);
        let more = more.map(|(_, fields)| *fields).unwrap_or_default();
        let first = places_before(&on);
        let mut fields = snippet::required(&kind.fields, more, first, &mut self.examples());
        let inside = snippet::INSIDE.iter().find(|(of, _)| *of == kind.title());
        fields.push_str(inside.map(|(_, inside)| *inside).unwrap_or_default());
        whole(&kind.name, &on, &fields)
    }

    /// Where something runs: a choice of the nouns that it may run on, those first that were declared last.
    fn on(&mut self, place: &Type) -> String {
        let from = self.found.len();
        self.names(Some(place));
        let mut fit = self.found.split_off(from);
        // a key of a round has signs that a choice is made of
        let is_plain = |it: &Completion| it.label.chars().all(|c| is_word(c) || c == '.');
        fit.retain(|it| it.kind == CompletionKind::Noun && it.rank == 0 && is_plain(it));
        fit.sort_by(|a, b| (a.near, &a.label).cmp(&(b.near, &b.label)));
        let fit: Vec<&str> = fit.iter().map(|it| it.label.as_str()).collect();
        match fit.as_slice() {
            [] => " on ${2:place}".to_owned(),
            [only] => format!(" on ${{2:{only}}}"),
            several => format!(" on ${{2|{}|}}", several.join(",")),
        }
    }

    fn examples(&self) -> snippet::Examples<'_> {
        snippet::Examples::new(self.analysis)
    }

    /// The components that the file knows; only those that stand inside of a noun, where that is asked.
    fn components(&mut self, parent: Option<&str>) {
        let program = self.program;
        let mut names: Vec<&str> = program.components().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        // none is part of itself
        let place = self.place;
        for name in names.into_iter().filter(|name| !place.is_own(name)) {
            let Some(component) = program.component(self.unit, name) else { continue };
            if parent.is_some_and(|parent| !self.stands_in(&component.decl.body, parent)) {
                continue;
            }
            let on = component.fields.0.get("place").map(|place| self.on(&place.ty));
            let on = on.unwrap_or_default();
            let first = places_before(&on);
            let fields = snippet::required(&component.fields, &[], first, &mut self.examples());
            self.found.push(Completion {
                detail: "component".to_owned(),
                doc: component.stmt.doc.clone(),
                insert: whole(name, &on, &fields),
                ..self.item(name, CompletionKind::Kind, 2)
            });
        }
    }

    /// Whether something that a component declares is a part of such a noun.
    fn stands_in(&self, body: &[Stmt], parent: &str) -> bool {
        let mut found = false;
        each_stmt(body, &mut |stmt| {
            if let StmtKind::Decl(decl) = &stmt.kind {
                let mut kinds = self.program.schema.variants(&decl.kind.value);
                found |= kinds.any(|kind| kind.parent.as_deref() == Some(parent));
            }
        });
        found
    }

    /// The platforms of a kind.
    pub(super) fn platforms(&mut self, kind: &str) {
        let variants: Vec<Arc<Kind>> = self.program.schema.variants(kind).cloned().collect();
        for variant in variants {
            let Some(platform) = &variant.platform else { continue };
            let (detail, doc) = (variant.title(), variant.doc.clone());
            self.found.push(Completion {
                detail,
                doc,
                ..self.item(&**platform, CompletionKind::Value, 0)
            });
        }
    }

    /// The kinds that are declared in another, or at the top, by their bare names.
    pub(super) fn kinds_that_exist(&mut self, parent: Option<&str>) {
        self.kinds_by_name(false);
        let schema = &self.program.schema;
        let stands =
            |kind: &str| schema.variants(kind).any(|known| known.parent.as_deref() == parent);
        self.found.retain(|it| stands(&it.label));
    }

    /// Kinds by their bare names; only those that others can be declared in, where that is asked.
    pub(super) fn kinds_by_name(&mut self, parents: bool) {
        let kinds: BTreeMap<Arc<str>, Arc<Kind>> = self
            .program
            .schema
            .kinds
            .values()
            .map(|kind| (kind.name.clone(), kind.clone()))
            .collect();
        for (name, kind) in kinds {
            if !parents || kind.parent.is_none() {
                self.found.push(Completion {
                    doc: kind.doc.clone(),
                    ..self.item(&*name, CompletionKind::Kind, 0)
                });
            }
        }
    }

    /// The rules that speak of a kind.
    pub(super) fn rules(&mut self, kind: Option<&str>) {
        let reported = self.reported_around();
        let stmts = self.analysis.trees.iter().flat_map(|tree| &tree.stmts);
        for stmt in stmts {
            let StmtKind::Rule(rule) = &stmt.kind else { continue };
            let speaks = kinds_of(rule).any(|(on, _)| kind.is_none_or(|kind| on == kind));
            let Some(code) = rule.code.as_ref().filter(|_| speaks) else { continue };
            let reports = reported.contains(code.value.as_str());
            self.found.push(Completion {
                detail: "rule".to_owned(),
                doc: stmt.doc.clone(),
                insert: format!("{} \"${{1:reason}}\"", code.value),
                ..self.item(code.value.as_str(), CompletionKind::Rule, u8::from(!reports))
            });
        }
    }

    /// The codes of what is wrong or doubtful in the noun around.
    fn reported_around(&self) -> BTreeSet<String> {
        self.cursor.asked_for_rules();
        let around = self.cursor.path.iter().rev().find_map(|node| match node {
            NodeRef::Stmt(stmt) if matches!(stmt.kind, StmtKind::Decl(_)) => Some(stmt.span),
            _ => None,
        });
        let within = |it: &&Diagnostic| {
            it.span().is_some_and(|at| around.is_some_and(|around| around.covers(at)))
        };
        self.analysis.diagnostics.iter().filter(within).map(|it| it.code.to_string()).collect()
    }

    /// The lines of a rule.
    pub(super) fn clauses(&mut self) {
        for word in ClauseWord::ALL {
            let (form, doc) = clause(word);
            self.found.push(Completion {
                detail: form.to_owned(),
                doc: Some(doc.into()),
                insert: format!("{} ", word.spelling()),
                ..self.item(word.spelling(), CompletionKind::Keyword, 0)
            });
        }
    }

    /// Types by their names.
    pub(super) fn types(&mut self) {
        let (likely, used) = (self.types_of_fields(), self.types_in_use());
        let name = self.place.field.clone().unwrap_or_default();
        let alike = |ty: &str| !name.is_empty() && ty.to_lowercase().starts_with(name.as_str());
        for (name, _, doc) in BUILT_IN {
            let rank = match likely.contains(*name) {
                true => 0,
                false => 1 + u8::from(!used.contains(*name)),
            };
            self.found.push(Completion {
                doc: Some((*doc).into()),
                ..self.item(*name, CompletionKind::Type, rank)
            });
        }
        let types = self.program.schema.types.values().cloned().collect::<Vec<_>>();
        let place = self.place;
        for ty in types.into_iter().filter(|ty| !place.is_own(&ty.name)) {
            let (detail, doc) = (ty.definition.to_string(), ty.doc.clone());
            let rank = match is_own(self.analysis, ty.span.file) {
                _ if likely.contains(&*ty.name) => 0,
                own if own || used.contains(&*ty.name) || alike(&ty.name) => 1,
                _ => 3,
            };
            let item = self.item(&*ty.name, CompletionKind::Type, rank);
            self.found.push(Completion { detail, doc, ..item });
        }
        let from = self.found.len();
        self.kinds_by_name(false);
        self.found.iter_mut().skip(from).for_each(|it| it.rank = 4);
        self.words(|word| word.word == "deferred");
    }

    /// The types that the blueprint names already.
    fn types_in_use(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for tree in own_trees(self.analysis) {
            slipform_syntax::walk(tree, &mut |node| {
                if let NodeRef::TypeExpr(TypeExpr { kind: TypeExprKind::Name(name), .. }) = node {
                    found.insert(name.to_string());
                }
            });
        }
        found
    }

    /// The types that fields have which are called like what is being declared.
    fn types_of_fields(&self) -> BTreeSet<String> {
        let Some(name) = self.place.field.as_deref() else { return BTreeSet::new() };
        let last = name.rsplit('_').next().unwrap_or_default();
        let schema = &self.program.schema;
        let fields = schema.kinds.values().flat_map(|kind| &kind.fields.0);
        let alike = fields.filter(|(field, _)| &***field == name || &***field == last);
        let mut found = BTreeSet::new();
        alike.for_each(|(_, field)| named_in(&field.ty, &mut found));
        found
    }
}

/// The names of the types that a type is written with.
fn named_in(ty: &Type, found: &mut BTreeSet<String>) {
    match ty {
        Type::Optional(inner) | Type::List(inner) => named_in(inner, found),
        Type::Limited(limited) => named_in(&limited.base, found),
        Type::Union(arms) => arms.iter().for_each(|arm| named_in(arm, found)),
        Type::Word(_) | Type::Ctor(_) | Type::Record(_) | Type::Map(..) => {}
        ty => drop(found.insert(ty.to_string())),
    }
}

/// The number of the first place behind a head.
fn places_before(on: &str) -> usize {
    if on.contains("${2") { 3 } else { 2 }
}

/// A noun with what has to be written in it, and the last place behind it.
fn whole(kind: &str, on: &str, fields: &str) -> String {
    match fields {
        "" => format!("{kind} ${{1:name}}{on} {{\n  $0\n\\}}"),
        fields => format!("{kind} ${{1:name}}{on} {{\n{fields}\\}}$0"),
    }
}
