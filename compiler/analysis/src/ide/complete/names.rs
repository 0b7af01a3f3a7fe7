//! Names that stand for a value of a type.

use super::{Completer, Completion, CompletionKind};
use crate::infer::Outer;
use crate::types::Type;

/// How deep nouns are looked for inside of others.
const DEEPEST: usize = 3;

impl Completer<'_, '_, '_> {
    /// The names around the place that fit, and those with something inside that may.
    pub(super) fn names(&mut self, wanted: Option<&Type>) {
        let mut names = self.scope.names();
        names.sort();
        names.dedup();
        for name in names {
            let Some(seen) = self.scope.name(&name) else { continue };
            self.name(&name, &seen.ty, seen.doc.clone(), wanted, 0);
        }
        let keyword = self.item("if", CompletionKind::Keyword, 7);
        let insert = "if ${1:condition} { $2 \\} else { $3 \\}".to_owned();
        self.found.push(Completion { insert, ..keyword });
    }

    fn name(
        &mut self,
        path: &str,
        ty: &Type,
        doc: Option<String>,
        wanted: Option<&Type>,
        depth: usize,
    ) {
        let block = match ty {
            Type::Block(block) => Some(block.clone()),
            _ => None,
        };
        let is_noun =
            block.as_ref().is_some_and(|block| block.kind.is_some()) || matches!(ty, Type::Noun(_));
        let fits =
            wanted.is_none_or(|wanted| ty.set().fits(wanted)) && !matches!(ty, Type::Unknown);
        let holds = depth == 0
            && matches!(
                ty.set().bare(),
                Type::Block(_) | Type::Record(_) | Type::Group(_) | Type::Map(..)
            );
        if fits || holds {
            let kind = if is_noun { CompletionKind::Noun } else { CompletionKind::Name };
            let rank = match (fits, wanted) {
                (true, Some(_)) => 0,
                (true, None) => 1,
                (false, _) => 5,
            };
            self.found.push(Completion {
                detail: ty.to_string(),
                doc,
                ..self.item(path, kind, rank)
            });
        }
        let Some(block) = block.filter(|_| depth < DEEPEST && wanted.is_some()) else { return };
        for (child, ty) in &block.children {
            self.name(&format!("{path}.{child}"), ty, None, wanted, depth + 1);
        }
    }
}
