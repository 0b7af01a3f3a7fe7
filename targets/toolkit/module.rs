//! A module of Cluster Toolkit's blueprint.

use crate::document::{Item, Map, map, seq};

/// One module: its id, where it comes from, whose outputs it takes, and what it is told.
pub(super) struct Module {
    id: String,
    source: &'static str,
    packer: bool,
    uses: Vec<String>,
    settings: Map,
    comment: String,
}

impl Module {
    pub(super) fn new(id: impl Into<String>, source: &'static str) -> Self {
        let (uses, settings, comment) = (Vec::new(), map(), String::new());
        Self { id: id.into(), source, packer: false, uses, settings, comment }
    }

    /// Packer runs it, and not Terraform.
    pub(super) fn packer(self) -> Self {
        Self { packer: true, ..self }
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
            .with_opt("kind", self.packer.then_some("packer"))
            .with_opt("use", uses)
            .with_opt("settings", settings);
        Item::commented(self.comment, module)
    }
}

/// A text that stands for itself: `$(` would begin an expression, and so would `((` at the beginning.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split("$(");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        // each backslash in front of it, and the dollar, with one more
        let before = out.chars().rev().take_while(|c| *c == '\\').count();
        out.push_str(&"\\".repeat(before + 1));
        out.push_str("$(");
        out.push_str(part);
    }
    if out.starts_with("((") { format!("\\{out}") } else { out }
}

/// A part of the name of a module.
pub(super) fn id(what: &str, name: &str) -> String {
    format!("{what}-{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_begins_an_expression() {
        for (text, written) in [
            ("/data", "/data"),
            ("/a$(vars.b)", r"/a\$(vars.b)"),
            (r"/a\$(b)$(c)", r"/a\\\$(b)\$(c)"),
            ("((a))", r"\((a))"),
            ("/$HOME", "/$HOME"),
        ] {
            assert_eq!(literal(text), written, "{text}");
        }
    }
}
