//! What may be written in a `test` of a file that speaks of its project.

use super::standin::StandIn;
use super::{Completion, CompletionKind, snippet};
use crate::ide::cursor::{Cursor, own_trees};
use crate::source_text::quoted;
use crate::test_file::{FIELDS, is_test_file, test};
use crate::{Analysis, explain_rules};
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Attr, Expr, ExprKind, Stmt, StmtKind};

/// What fits the cursor; nothing where it is in no test.
pub(super) fn offered(cursor: &Cursor<'_>, stand_in: &StandIn) -> Option<Vec<Completion>> {
    let file = cursor.analysis.sources.get(cursor.file)?;
    let path = stand_in.path();
    let (at, decl) = path.iter().enumerate().find_map(|(at, node)| match node {
        NodeRef::Stmt(stmt) => Some((at, test(stmt).filter(|it| !stand_in.is_in(it.header))?)),
        _ => None,
    })?;
    if !is_test_file(&file.path) {
        return None;
    }
    let inside = path.get(at + 1..)?;
    let attr = inside.iter().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }) => Some(attr),
        _ => None,
    });
    let attr = attr.filter(|attr| !stand_in.is_in(attr.name.span));
    let place = Place { cursor, stand_in, inside };
    Some(match attr {
        Some(attr) => place.values(attr),
        None => place.fields(&stand_in.set_in(&decl.body)),
    })
}

struct Place<'p> {
    cursor: &'p Cursor<'p>,
    stand_in: &'p StandIn,
    /// The nodes in the test, the outermost first.
    inside: &'p [NodeRef<'p>],
}

impl Place<'_> {
    fn fields(&self, set: &[String]) -> Vec<Completion> {
        let free = FIELDS.iter().filter(|(name, ..)| !set.iter().any(|known| known == name));
        let fields = free.map(|(name, value, doc)| Completion {
            doc: Some((*doc).into()),
            ..self.named(name, value, CompletionKind::Field)
        });
        fields.collect()
    }

    fn values(&self, attr: &Attr) -> Vec<Completion> {
        let analysis = self.cursor.analysis;
        match attr.name.value.as_str() {
            "environments" => {
                let project = analysis.project.iter();
                project.flat_map(|it| &it.environments).map(|name| self.text(name)).collect()
            }
            "params" if !self.is_in(|kind| matches!(kind, ExprKind::List(_))) => {
                let params = params(analysis).into_iter();
                params.map(|name| self.named(name, "[$0]", CompletionKind::Field)).collect()
            }
            "refused" => {
                let rules = explain_rules();
                let codes = rules.iter().map(|rule| rule.code.as_str());
                let own = analysis.tests.known.iter().map(String::as_str);
                own.chain(codes).map(|code| self.text(code)).collect()
            }
            "renders" => self.nouns(),
            _ => Vec::new(),
        }
    }

    /// Nouns by their whole paths, which replace what of a path is there.
    fn nouns(&self) -> Vec<Completion> {
        let is_path = |expr: &&Expr| matches!(expr.kind, ExprKind::Member(..));
        let path = self.exprs().find(is_path);
        let replace = path.map(|path| self.stand_in.in_file(self.cursor.file, path.span));
        let nouns = self.cursor.plan().into_iter().flat_map(|plan| &plan.model.nouns);
        let nouns = nouns.map(|noun| {
            let item = self.item(&noun.path, noun.path.clone(), CompletionKind::Noun);
            let detail = noun.body.kind().to_owned();
            Completion { detail, replace: replace.unwrap_or(item.replace), ..item }
        });
        nouns.collect()
    }

    fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.inside.iter().filter_map(|node| match node {
            NodeRef::Expr(expr) => Some(*expr),
            _ => None,
        })
    }

    fn is_in(&self, wanted: fn(&ExprKind) -> bool) -> bool {
        self.exprs().any(|expr| wanted(&expr.kind))
    }

    /// A name with its value, where that is not there yet.
    fn named(&self, name: &str, value: &str, kind: CompletionKind) -> Completion {
        let item = self.item(name, name.to_owned(), kind);
        match self.stand_in.continues() {
            true => item,
            false => Completion { insert: format!("{name} = {value}"), ..item },
        }
    }

    /// A text, with its quotes where there are none.
    fn text(&self, text: &str) -> Completion {
        let string = self.exprs().last().filter(|expr| matches!(expr.kind, ExprKind::Str(_)));
        let item = self.item(text, text.to_owned(), CompletionKind::Value);
        match string {
            Some(string) => {
                let inside = self.stand_in.inside_quotes(string.span);
                Completion { replace: self.stand_in.in_file(self.cursor.file, inside), ..item }
            }
            None => Completion { insert: snippet::escaped(&quoted(text)), ..item },
        }
    }

    fn item(&self, label: &str, insert: String, kind: CompletionKind) -> Completion {
        let replace: Span = self.cursor.typed();
        Completion {
            label: label.to_owned(),
            kind,
            detail: String::new(),
            doc: None,
            insert: snippet::escaped(&insert),
            replace,
            filter: label.to_owned(),
            rank: 0,
            near: 0,
        }
    }
}

/// The parameters of a blueprint.
fn params(analysis: &Analysis) -> Vec<&str> {
    let stmts = own_trees(analysis).flat_map(|tree| &tree.stmts);
    let names = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Param(param) => param.name.as_ref(),
        _ => None,
    });
    names.map(|name| name.value.as_str()).collect()
}
