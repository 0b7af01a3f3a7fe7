//! A module of Cluster Toolkit's blueprint.

use crate::document::{Item, Map, map, seq};

/// One module: its id, where it comes from, whose outputs it takes, and what it is told.
pub(super) struct Module {
    id: String,
    source: &'static str,
    uses: Vec<String>,
    settings: Map,
    comment: String,
}

impl Module {
    pub(super) fn new(id: impl Into<String>, source: &'static str) -> Self {
        let (uses, settings, comment) = (Vec::new(), map(), String::new());
        Self { id: id.into(), source, uses, settings, comment }
    }

    /// Lines above it.
    pub(super) fn comment(self, comment: impl Into<String>) -> Self {
        Self { comment: comment.into(), ..self }
    }

    /// Outputs of these go into its inputs of the same names; the order of networks is that of interfaces.
    pub(super) fn uses(self, uses: impl IntoIterator<Item = String>) -> Self {
        Self { uses: uses.into_iter().collect(), ..self }
    }

    pub(super) fn settings(self, settings: Map) -> Self {
        Self { settings, ..self }
    }

    /// As the blueprint has it.
    pub(super) fn item(self) -> Item {
        let uses = (!self.uses.is_empty()).then(|| seq(self.uses));
        let settings = (!self.settings.is_empty()).then_some(self.settings);
        let module = map()
            .with("id", self.id)
            .with("source", self.source)
            .with_opt("use", uses)
            .with_opt("settings", settings);
        Item::commented(self.comment, module)
    }
}

/// A part of the name of a module.
pub(super) fn id(what: &str, name: &str) -> String {
    format!("{what}-{name}")
}
