//! Components: the nouns that one use of a component comes to.

use super::names::origin;
use super::{Declared, MAX_COMPONENT_DEPTH, Site, Waiting, attributes};
use crate::eval::outside::{By, Was};
use crate::eval::{Bound, Evaluation, FrameId, Lazy, State};
use crate::infer::misspelt_fields;
use crate::program::Component;
use slipform_model::{Diagnostic, Value};
use slipform_syntax::tree::{Attr, Decl, Stmt, StmtKind};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    LIMITS_RECURSION = "limits/recursion":
        "a component contains itself, so it would never end",
        "take the inner use out";
}

impl<'t> Evaluation<'t, '_> {
    /// Declares what a component declares, with the fields that its use gives it.
    pub(super) fn unfold(
        &mut self,
        declared: Declared<'t>,
        component: &'t Component<'t>,
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        let Declared { decl, name, .. } = declared;
        if let Some(report) = too_deep(decl, component, site) {
            self.reports.add(report);
            return;
        }
        let Some(file) = self.file_frame(component.unit) else { return };
        let inner = self.scope(file, []);
        let mut given = Given::default();
        self.choose(&decl.body, frame, &mut given);
        let names = given.attrs.iter().map(|attr| attr.name.value.as_str());
        given.open.extend(misspelt_fields(&component.fields, names));
        self.give_fields(decl, component, (&given, frame), inner);
        let called = self.call_declared(decl, name, By::Use(Was::among(&given.attrs, frame)), site);
        let (full, path) = self.names(name, site);
        let inside = Site {
            parent: site.parent,
            name: Some(full),
            path: format!("{path}."),
            origin: origin(decl, name, site),
            keys: Vec::new(),
            depth: site.depth + 1,
            used: site.used.or(Some(decl.header)),
            components: site.components.iter().copied().chain([component.stmt.span]).collect(),
            only: declares_one(&component.decl.body),
            called,
        };
        self.declare(&component.decl.body, inner, &inside, waiting);
        self.bind_declared(frame, name, Bound::Inside(inner), site);
    }

    /// Binds the fields of a component inside of it: what its use writes in a scope, or their defaults.
    fn give_fields(
        &mut self,
        decl: &'t Decl,
        component: &'t Component<'t>,
        (written, frame): (&Given<'t>, FrameId),
        inner: FrameId,
    ) {
        for (field_name, field) in &component.fields.0 {
            let declared = component.decl.body.iter().find_map(|stmt| match &stmt.kind {
                StmtKind::Field(declared) if declared.name.value == **field_name => Some(declared),
                _ => None,
            });
            let Some(declared) = declared else { continue };
            let given = written.attrs.iter().find(|attr| attr.name.value == **field_name);
            let given = given.map(|attr| &attr.value);
            if given.is_none() && written.open.contains(&**field_name) {
                self.bind(inner, declared.name.value.as_str(), Bound::Value(Value::Unknown));
                continue;
            }
            let given = given.or_else(|| decl.on.as_ref().filter(|_| &**field_name == "place"));
            let (expr, scope) = match given {
                Some(expr) => (Some(expr), frame),
                None => (declared.default.as_ref(), inner),
            };
            let name = declared.name.value.as_str();
            if expr.is_none() && field.ty.is_optional() {
                self.bind(inner, name, Bound::Value(Value::Absent));
                continue;
            }
            self.lazies.push(Lazy {
                name,
                expr,
                frame: scope,
                ty: Some(field.written()),
                span: given.map_or(decl.header, |expr| expr.span),
                state: State::Waiting,
            });
            let bound = Bound::Lazy(self.lazies.len() - 1);
            self.bind(inner, name, bound);
        }
    }

    /// Adds the attributes of a block, those of the branches that hold included.
    fn choose(&mut self, body: &'t [Stmt], frame: FrameId, given: &mut Given<'t>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Attr(attr) => given.attrs.push(attr),
                StmtKind::If(choice) => match self.branch(choice, frame) {
                    Some(branch) => self.choose(branch, frame, given),
                    None => given.open.extend(attributes(choice).iter().map(|it| &*it.name.value)),
                },
                _ => {}
            }
        }
    }
}

/// What the use of a component says.
#[derive(Default)]
struct Given<'t> {
    attrs: Vec<&'t Attr>,
    /// The fields that it means to set, nobody knows to what: below a condition that was not understood, or misspelt.
    open: BTreeSet<&'t str>,
}

/// What is wrong with the use of a component inside of itself, or inside of too many others.
fn too_deep(decl: &Decl, component: &Component<'_>, site: &Site) -> Option<Diagnostic> {
    let (message, help) = if site.components.contains(&component.stmt.span) {
        (
            format!("the component `{}` contains itself", decl.kind.value),
            "components do not recurse: a blueprint always comes to an end",
        )
    } else if site.depth >= MAX_COMPONENT_DEPTH {
        (
            format!("components are used more than {MAX_COMPONENT_DEPTH} deep here"),
            "let a component declare its nouns itself, or take them from fewer components",
        )
    } else {
        return None;
    };
    Some(Diagnostic::error(LIMITS_RECURSION, message, decl.header).help(help))
}

/// Whether a body declares one noun, whatever it is given.
fn declares_one(body: &[Stmt]) -> bool {
    let mut nouns = body
        .iter()
        .filter(|stmt| matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::For(_) | StmtKind::If(_)));
    matches!(nouns.next().map(|stmt| &stmt.kind), Some(StmtKind::Decl(_))) && nouns.next().is_none()
}
