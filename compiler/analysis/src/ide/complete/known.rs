//! What the catalog knows of words that are anybody's own: images that there are, variables that programs read.

use super::{Completer, Completion, CompletionKind, names, snippet};
use crate::source_text::is_word;
use crate::types::Type;
use slipform_model::catalog::{ImageForm, VariableForm};

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
        let source = self.mounted().map(|source| format!("/{source}"));
        if let Some(path) = source {
            self.text(&path, String::new(), CompletionKind::Value, 1);
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
    fn mounted(&self) -> Option<&str> {
        let head = self.cursor.text.get(..self.place.replace.start as usize)?;
        let head = head.trim_end_matches('"').trim_end().strip_suffix("at")?;
        let source = head.trim_end_matches([' ', '\t']);
        let start = source.trim_end_matches(is_word).len();
        let name = source.get(start..).filter(|name| source.len() < head.len() && !name.is_empty());
        name.filter(|_| !source.get(..start).is_some_and(|before| before.ends_with(['.', '"'])))
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
