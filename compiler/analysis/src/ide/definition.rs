//! Where something is declared: in the same file, in another one, or in the standard library.

use super::cursor::{Cursor, each_stmt, tree};
use super::{project_file, tested};
use crate::Analysis;
use crate::load::module_of;
use crate::program::declared_name;
use crate::types::Type;
use camino::Utf8Path;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Decl, Expr, ExprKind, Name, Stmt, StmtKind, Tree, TypeExprKind, Use};
use slipform_syntax::{NodeRef, walk};

/// The name of the declaration that the word at an offset stands for; the start of a file for a `use` of it.
pub fn definition(analysis: &Analysis, file: FileId, offset: usize) -> Option<Span> {
    if let Some(declared) = project_file::declared(analysis, file, offset) {
        return Some(declared);
    }
    let cursor = Cursor::new(analysis, file, offset)?;
    if let Some(mention) = analysis.index.at(file, offset)
        && let Some(declared) = mention.declared
    {
        return Some(declared);
    }
    let found = of_node(&cursor, cursor.node()?);
    // Right behind a name the cursor still means that name.
    let found = found.or_else(|| {
        let before = Cursor::new(analysis, file, offset.checked_sub(1)?)?;
        of_node(&before, before.node()?)
    });
    // the name of a loop is declared where it stands
    found.or_else(|| match cursor.node()? {
        NodeRef::Name(name) => analysis.index.of(name.span).next().map(|_| name.span),
        _ => None,
    })
}

/// What a node stands for that no index knows.
pub(crate) fn of_node(cursor: &Cursor<'_>, node: NodeRef<'_>) -> Option<Span> {
    let analysis = cursor.analysis;
    match (node, cursor.parent()?) {
        (NodeRef::Name(name), NodeRef::Expr(Expr { kind: ExprKind::Member(base, _), .. })) => {
            member(analysis, base, name)
        }
        (NodeRef::Name(name), NodeRef::Stmt(stmt)) => match &stmt.kind {
            StmtKind::Use(used) => of_use(analysis, used, name),
            StmtKind::Allow(_) => rule(analysis, &name.value).and_then(|stmt| match &stmt.kind {
                StmtKind::Rule(decl) => decl.code.as_ref().map(|code| code.span),
                _ => None,
            }),
            StmtKind::Rule(_) | StmtKind::Kind(_) => kind(analysis, &name.value, None),
            _ => None,
        },
        (NodeRef::Expr(expr), NodeRef::Stmt(Stmt { kind: StmtKind::Decl(decl), .. })) => {
            platform(analysis, decl, expr)
        }
        (NodeRef::Expr(expr), _) => tested::declared(cursor, expr),
        (NodeRef::TypeExpr(ty), _) => match &ty.kind {
            TypeExprKind::Name(name) => of_type(analysis, name),
            _ => None,
        },
        _ => None,
    }
}

/// The platform of a cluster: the kind's variant for it.
fn platform(analysis: &Analysis, decl: &Decl, expr: &Expr) -> Option<Span> {
    let is_on = decl.on.as_ref().is_some_and(|on| on.span == expr.span);
    match &expr.kind {
        ExprKind::Name(platform) if is_on => kind(analysis, &decl.kind.value, Some(platform)),
        _ => None,
    }
}

/// Where the type of the word at an offset is declared, or its kind where it is a noun.
pub fn type_definition(analysis: &Analysis, file: FileId, offset: usize) -> Option<Span> {
    declared_type(analysis, &analysis.index.at(file, offset)?.ty)
}

/// Where the first name in a type is declared.
fn declared_type(analysis: &Analysis, ty: &Type) -> Option<Span> {
    match ty {
        Type::Named(named) => Some(named.span),
        Type::Noun(name) => kind(analysis, name, None),
        Type::Block(block) => kind(analysis, block.kind.as_ref()?, None),
        Type::Ctor(ctor) => of_type(analysis, &ctor.of),
        Type::List(inner)
        | Type::Map(_, inner)
        | Type::Group(inner)
        | Type::Deferred(inner)
        | Type::Optional(inner) => declared_type(analysis, inner),
        Type::Limited(limited) => declared_type(analysis, &limited.base),
        Type::Union(arms) => arms.iter().find_map(|arm| declared_type(analysis, arm)),
        Type::Unknown
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Str
        | Type::Size
        | Type::Duration
        | Type::Cidr
        | Type::Address
        | Type::Topology
        | Type::Range
        | Type::Auto
        | Type::Word(_)
        | Type::Number(_)
        | Type::Fact(_)
        | Type::Record(_) => None,
    }
}

/// What `use` statements lead to: where their paths stand, and the file; of a folder where each name stands, and the file that
/// declares it.
pub fn links(analysis: &Analysis, file: FileId) -> Vec<(Span, FileId)> {
    let tree = tree(analysis, file);
    let stmts = tree.map(|tree| tree.stmts.as_slice()).unwrap_or_default();
    let uses = stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Use(used) => Some(used),
        _ => None,
    });
    uses.flat_map(|used| links_of(analysis, used)).collect()
}

fn links_of(analysis: &Analysis, used: &Use) -> Vec<(Span, FileId)> {
    let names = used.names.iter().flatten();
    let declared = |(name, _): &(Name, _)| Some((name.span, of_use(analysis, used, name)?.file));
    match used_files(analysis, used).as_slice() {
        [file] => {
            let ends = used.path.first().zip(used.path.last());
            ends.map(|(first, last)| (first.span.to(last.span), file.file)).into_iter().collect()
        }
        _ => names.filter_map(declared).collect(),
    }
}

fn kind(analysis: &Analysis, name: &str, platform: Option<&str>) -> Option<Span> {
    let mut variants = analysis.schema.variants(name);
    variants
        .find(|kind| platform.is_none() || kind.platform.as_deref() == platform)
        .map(|kind| kind.span)
}

fn of_type(analysis: &Analysis, name: &str) -> Option<Span> {
    let declared = analysis.schema.types.get(name).map(|ty| ty.span);
    declared.or_else(|| kind(analysis, name, None))
}

/// What is declared inside of a noun: the `gpus` of `a3m.gpus`.
pub(crate) fn member(analysis: &Analysis, base: &Expr, member: &Name) -> Option<Span> {
    inside(analysis, declaration(analysis, base)?, &member.value)
}

/// Where a name, or a path of names, is declared.
fn declaration(analysis: &Analysis, expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Name(_) => {
            let at = expr.span;
            let mention = analysis.index.at(at.file, (at.start as usize + at.end as usize) / 2);
            let mention = mention.filter(|it| it.span == at);
            mention.map_or_else(|| tested::base(analysis, expr), |it| it.declared)
        }
        ExprKind::Member(base, Some(name)) => member(analysis, base, name),
        ExprKind::Index(base, _) | ExprKind::Paren(base) => declaration(analysis, base),
        _ => None,
    }
}

/// The name of what is declared as `name` inside of the noun whose name stands at `declared`.
fn inside(analysis: &Analysis, declared: Span, name: &str) -> Option<Span> {
    // A file that is used under a name is declared where it starts.
    let tree = tree(analysis, declared.file)?;
    if declared.start == declared.end {
        return tree
            .stmts
            .iter()
            .filter_map(declared_name)
            .find(|it| it.value == name)
            .map(|it| it.span);
    }
    let decl = decl_named(&tree.stmts, declared)?;
    let component = component(analysis, called(analysis, &decl.kind));
    let body = if analysis.schema.has_kind(&decl.kind.value) {
        Some(decl.body.as_slice())
    } else {
        component
    };
    let mut found = None;
    each_stmt(body?, &mut |stmt| {
        let name = declared_name(stmt).filter(|known| known.value == name);
        found = found.or(name.map(|name| name.span));
    });
    found
}

/// The statement that declares what has its name at a place.
pub(crate) fn declaring(analysis: &Analysis, declared: Span) -> Option<&Stmt> {
    let mut found = None;
    walk(tree(analysis, declared.file)?, &mut |node| {
        let NodeRef::Stmt(stmt) = node else { return };
        if declared_name(stmt).is_some_and(|name| name.span == declared) {
            found = Some(stmt);
        }
    });
    found
}

/// The declaration whose name stands at a place.
pub(crate) fn decl_named(stmts: &[Stmt], declared: Span) -> Option<&Decl> {
    let mut found = None;
    each_stmt(stmts, &mut |stmt| {
        let StmtKind::Decl(decl) = &stmt.kind else { return };
        if decl.name.as_ref().is_some_and(|name| name.span == declared) {
            found = Some(&**decl);
        } else if stmt.span.covers(declared) {
            found = found.or_else(|| decl_named(&decl.body, declared));
        }
    });
    found
}

/// The name that a component is declared by, which a `use` may give another one: `model_store` of `shop`.
pub(crate) fn called<'a>(analysis: &'a Analysis, kind: &'a Name) -> &'a str {
    let stmts = tree(analysis, kind.span.file).map(|tree| tree.stmts.as_slice());
    let names = stmts.unwrap_or_default().iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Use(used) => used.names.as_ref(),
        _ => None,
    });
    let mut aliases = names.flatten().filter_map(|(name, alias)| Some((name, alias.as_ref()?)));
    let inner = aliases.find(|(_, alias)| alias.value == kind.value).map(|(name, _)| name);
    inner.unwrap_or(kind).value.as_str()
}

fn component<'a>(analysis: &'a Analysis, name: &str) -> Option<&'a [Stmt]> {
    let stmts = analysis.trees.iter().flat_map(|tree| &tree.stmts);
    stmts.rev().find_map(|stmt| match &stmt.kind {
        StmtKind::Component(it) if it.name.as_ref().is_some_and(|known| known.value == name) => {
            Some(it.body.as_slice())
        }
        _ => None,
    })
}

/// The statement that declares a rule.
pub(crate) fn rule<'a>(analysis: &'a Analysis, code: &str) -> Option<&'a Stmt> {
    let mut stmts = analysis.trees.iter().flat_map(|tree| &tree.stmts);
    stmts.find(|stmt| match &stmt.kind {
        StmtKind::Rule(rule) => rule.code.as_ref().is_some_and(|known| known.value == code),
        _ => false,
    })
}

/// A name in a `use`: what it brings in, or the file that it names.
fn of_use(analysis: &Analysis, used: &Use, name: &Name) -> Option<Span> {
    let files = used_files(analysis, used);
    let inner = used.names.iter().flatten().find(|(inner, alias)| {
        inner.span == name.span || alias.as_ref().is_some_and(|alias| alias.span == name.span)
    });
    let Some((inner, _)) = inner else {
        return files.first().map(|tree| Span::new(tree.file, 0, 0));
    };
    let declared = files.iter().flat_map(|tree| &tree.stmts).filter_map(declared_name);
    declared.into_iter().find(|known| known.value == inner.value).map(|known| known.span)
}

/// The file that declares what a `use` brings in under a name.
pub(crate) fn declared_by(analysis: &Analysis, used: &Use, name: &Name) -> Option<FileId> {
    of_use(analysis, used, name).map(|span| span.file)
}

/// The statement that declares what a `use` brings in under a name.
pub(crate) fn used_stmt<'a>(analysis: &'a Analysis, used: &Use, name: &Name) -> Option<&'a Stmt> {
    let span = of_use(analysis, used, name)?;
    let tree = tree(analysis, span.file)?;
    tree.stmts.iter().find(|stmt| declared_name(stmt).is_some_and(|name| name.span == span))
}

/// The file that a path of a `use` names, or the files of the folder.
pub(crate) fn used_files<'a>(analysis: &'a Analysis, used: &Use) -> Vec<&'a Tree> {
    let segments: Vec<&str> = used.path.iter().map(|name| name.value.as_str()).collect();
    let wanted = segments.join(".");
    let trees = || analysis.trees.iter().map(|tree| (&**tree, module(analysis, tree)));
    let exact: Vec<&Tree> =
        trees().filter(|(_, module)| *module == wanted).map(|(tree, _)| tree).collect();
    if !exact.is_empty() {
        return exact;
    }
    let inside = format!("{wanted}.");
    trees().filter(|(_, module)| module.starts_with(&inside)).map(|(tree, _)| tree).collect()
}

/// A file as a `use` writes it: `std.components.nccl_test`.
pub(crate) fn module(analysis: &Analysis, tree: &Tree) -> String {
    let source = analysis.project.as_ref().map(|project| project.source.as_path());
    let path = analysis.sources.get(tree.file).map(|file| file.path.as_path());
    module_of(source.unwrap_or(Utf8Path::new("")), path.unwrap_or(Utf8Path::new("")))
}
