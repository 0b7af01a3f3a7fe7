//! What the catalog knows of words that are anybody's own: images that there are, variables that programs read.

use super::{Completer, Completion, CompletionKind, names, snippet};
use crate::types::Type;
use slipform_model::catalog::{ImageForm, VariableForm};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{BinaryOp, Expr, ExprKind};

/// The type of references of images.
const IMAGES: &str = "ImageRef";

/// The map of variables.
const VARIABLES: &str = "env";

impl Completer<'_, '_, '_> {
    /// Texts of a type of which the catalog knows some: behind what the blueprint has.
    pub(super) fn known(&mut self, wanted: &Type) {
        let named = names::named_texts(wanted);
        if named.iter().any(|named| &*named.name == IMAGES) {
            self.images();
        }
        if let Some(source) = self.mounted() {
            self.text(&format!("/{source}"), String::new(), CompletionKind::Value, 1);
        }
    }

    /// A tag of each repository of which one is known.
    fn images(&mut self) {
        let catalog = self.catalog;
        for form in catalog.rows::<ImageForm>() {
            let Some(tag) = &form.such else { continue };
            let detail = format!("a tag that there is, as of {}", form.date);
            let image = format!("{}:{tag}", form.repository);
            self.text(&image, detail, CompletionKind::Fact, 4);
        }
    }

    /// What is mounted where a path is typed: `ckpt` of `ckpt at `.
    fn mounted(&self) -> Option<String> {
        let path = self.cursor.path.iter().rev();
        let mut ats = path.filter_map(|node| match node {
            NodeRef::Expr(Expr { kind: ExprKind::Binary(BinaryOp::At, _, left, _), .. }) => {
                Some(left)
            }
            _ => None,
        });
        match &ats.next()?.kind {
            ExprKind::Name(name) => Some(name.to_string()),
            _ => None,
        }
    }

    /// Variables that programs of training read, where one is named.
    pub(super) fn variables(&mut self) {
        if self.place.slot.as_deref() != Some(VARIABLES) {
            return;
        }
        let forms = self.catalog.rows::<VariableForm>();
        let named = forms.flat_map(|form| form.names.iter().map(move |name| (name, form)));
        let mut named: Vec<(&String, &VariableForm)> =
            named.filter(|(name, _)| !self.place.written.contains(name)).collect();
        named.sort_by_key(|(name, _)| *name);
        for (name, form) in named {
            let insert = match self.place.continues {
                true => snippet::escaped(name),
                false => format!("{} = \"$1\"", snippet::escaped(name)),
            };
            let detail = form.called.clone();
            let item = self.item(name.as_str(), CompletionKind::Field, 1);
            self.found.push(Completion { insert, detail, ..item });
        }
    }
}
