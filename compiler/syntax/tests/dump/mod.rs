//! The tree as text: one line a statement, expressions in parentheses, no spans.

use slipform_syntax::tree::*;
use std::fmt::Write;

/// The whole tree without its spans and comments: two texts that dump alike mean the same.
pub(crate) fn dump(tree: &Tree) -> String {
    let mut out = String::new();
    stmts(&mut out, &tree.stmts, 0);
    out
}

fn stmts(out: &mut String, stmts: &[Stmt], depth: usize) {
    for stmt in stmts {
        self::stmt(out, stmt, depth);
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{:width$}{text}", "", width = depth * 2);
}

fn stmt(out: &mut String, stmt: &Stmt, depth: usize) {
    for doc in stmt.doc.iter().flat_map(|doc| doc.split('\n')) {
        line(out, depth, format!("## {doc}").trim_end());
    }
    let broken = if stmt.broken { "broken " } else { "" };
    line(out, depth, format!("{broken}{}", head(&stmt.kind)).trim_end());
    match &stmt.kind {
        StmtKind::Kind(it) => stmts(out, &it.body, depth + 1),
        StmtKind::Component(it) => stmts(out, &it.body, depth + 1),
        StmtKind::Decl(it) => stmts(out, &it.body, depth + 1),
        StmtKind::Patch(it) => stmts(out, &it.body, depth + 1),
        StmtKind::For(it) => stmts(out, &it.body, depth + 1),
        StmtKind::If(it) => {
            stmts(out, &it.then, depth + 1);
            if let Some(otherwise) = &it.otherwise {
                line(out, depth, "else");
                stmts(out, otherwise, depth + 1);
            }
        }
        StmtKind::Rule(it) => {
            it.clauses.iter().for_each(|clause| line(out, depth + 1, &self::clause(clause)));
        }
        _ => {}
    }
}

fn clause(clause: &Clause) -> String {
    let verb = match &clause.kind {
        ClauseKind::Fix(Mend::Remove(_)) => " remove",
        ClauseKind::Fix(Mend::Set(..)) => " set",
        _ => "",
    };
    let (names, exprs) = clause.kind.parts();
    let names = names.iter().map(|name| name.value.to_string());
    let parts: Vec<_> = names.chain(exprs.into_iter().map(expr)).collect();
    format!("{}{verb} {}", clause.kind.word().spelling(), parts.join(" "))
}

/// The first line of a statement.
fn head(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Use(it) => use_(it),
        StmtKind::Param(it) => param(it),
        StmtKind::Let(it) => format!("let {}", value(it)),
        StmtKind::Output(it) => format!("output {}", value(it)),
        StmtKind::Assert(it) => {
            format!(
                "assert {}{}",
                expr(&it.condition),
                prefixed(", ", it.message.as_ref().map(expr))
            )
        }
        StmtKind::Type(it) => format!("type {} = {}", name(&it.name), ty(&it.definition)),
        StmtKind::Kind(it) => {
            format!(
                "kind {}{}{}",
                name(&it.name),
                with(" in ", &it.parent),
                with(" on ", &it.platform)
            )
        }
        StmtKind::Rule(it) => rule(it),
        StmtKind::Component(it) => format!("component {}", name(&it.name)),
        StmtKind::Decl(it) => decl(it),
        StmtKind::Attr(it) => format!("{} = {}", it.name.value, expr(&it.value)),
        StmtKind::Field(it) => field(it),
        StmtKind::Patch(it) => format!("patch {}", name(&it.target)),
        StmtKind::Allow(it) => {
            format!("allow {} {}", name(&it.code), it.reason.as_ref().map(expr).unwrap_or_default())
        }
        StmtKind::For(it) => {
            format!(
                "for {} in {}{}",
                names(&it.names),
                expr(&it.items),
                prefixed(" by ", it.key.as_deref().map(expr))
            )
        }
        StmtKind::If(it) => format!("if {}", expr(&it.condition)),
        StmtKind::Error => "error".into(),
    }
}

fn use_(it: &Use) -> String {
    let path = it.path.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(".");
    let named =
        |(name, alias): &(Name, Option<Name>)| format!("{}{}", name.value, with(" as ", alias));
    let names = it
        .names
        .as_ref()
        .map(|names| format!(" {{{}}}", names.iter().map(named).collect::<Vec<_>>().join(" ")));
    format!("use {path}{}{}", names.unwrap_or_default(), with(" as ", &it.alias))
}

fn param(it: &Param) -> String {
    format!(
        "param {}{}{}{}",
        name(&it.name),
        prefixed(": ", it.ty.as_deref().map(ty)),
        prefixed(" = ", it.default.as_ref().map(expr)),
        prefixed(" where ", it.condition.as_deref().map(expr))
    )
}

fn rule(it: &RuleDecl) -> String {
    let dotted = |kind: &Vec<Name>| {
        kind.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(".")
    };
    let on = it.on.iter().map(dotted).collect::<Vec<_>>().join(" | ");
    format!("rule {} on {on}", name(&it.code))
}

fn decl(it: &Decl) -> String {
    let existing = if it.existing.is_some() { "existing " } else { "" };
    let on = prefixed(" on ", it.on.as_ref().map(expr));
    format!("{existing}{} {}{on}", it.kind.value, name(&it.name))
}

fn field(it: &FieldDecl) -> String {
    let derived = if it.derived { "derived " } else { "" };
    let default = prefixed(" = ", it.default.as_ref().map(expr));
    format!("{derived}{}: {}{default}", it.name.value, ty(&it.ty))
}

fn name(name: &Option<Name>) -> String {
    name.as_ref().map_or_else(|| "<missing>".into(), |name| name.value.to_string())
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(", ")
}

fn with(before: &str, name: &Option<Name>) -> String {
    prefixed(before, name.as_ref().map(|name| name.value.to_string()))
}

fn prefixed(before: &str, text: Option<String>) -> String {
    text.map(|text| format!("{before}{text}")).unwrap_or_default()
}

fn value(it: &Let) -> String {
    format!("{}{} = {}", name(&it.name), prefixed(": ", it.ty.as_deref().map(ty)), expr(&it.value))
}

fn list<T>(items: &[T], of: impl Fn(&T) -> String) -> String {
    items.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// An expression with every operator's operands in parentheses.
fn expr(it: &Expr) -> String {
    match &it.kind {
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Auto => "auto".into(),
        ExprKind::Literal(kind, text) => match kind {
            LiteralKind::Int => text.to_string(),
            LiteralKind::Float => format!("float:{text}"),
            LiteralKind::Quantity => format!("quantity:{text}"),
            LiteralKind::Topology => format!("topology:{text}"),
            LiteralKind::Address => format!("address:{text}"),
        },
        ExprKind::Str(parts) => format!("\"{}\"", parts.iter().map(part).collect::<String>()),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Member(of, member) => {
            format!("{}.{}", expr(of), name(&member.as_deref().cloned()))
        }
        ExprKind::Index(of, at) => format!("{}[{}]", expr(of), expr(at)),
        ExprKind::Call(of, args) => format!(
            "{}({})",
            expr(of),
            list(args, |arg| format!("{}{}", argument(&arg.name), expr(&arg.value)))
        ),
        ExprKind::List(items) => format!("[{}]", list(items, expr)),
        ExprKind::ListFor(it) => format!("[{} {{{}}}]", rounds(it), expr(&it.value)),
        ExprKind::Record(entries) => {
            format!(
                "{{{}}}",
                list(entries, |entry| format!("{} = {}", expr(&entry.key), expr(&entry.value)))
            )
        }
        ExprKind::RecordFor(it) => {
            format!(
                "{{{} {{{} = {}}}}}",
                rounds(it),
                it.key.as_ref().map(expr).unwrap_or_default(),
                expr(&it.value)
            )
        }
        ExprKind::Unary(UnaryOp::Neg, of) => format!("(- {})", expr(of)),
        ExprKind::Unary(UnaryOp::Not, of) => format!("(not {})", expr(of)),
        ExprKind::Binary(op, _, left, right) => {
            format!("({} {} {})", expr(left), op.text(), expr(right))
        }
        ExprKind::If(condition, then, otherwise) => {
            format!("(if {} {{{}}} else {{{}}})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::IsSet(of, set) => {
            format!("({} {})", expr(of), if *set { "is set" } else { "is not set" })
        }
        ExprKind::Paren(of) => format!("paren({})", expr(of)),
        ExprKind::Missing => "<missing>".into(),
    }
}

fn argument(name: &Option<Name>) -> String {
    name.as_ref().map(|name| format!("{} = ", name.value)).unwrap_or_default()
}

fn part(part: &StrPart) -> String {
    match part {
        StrPart::Text(text) => text.escape_debug().to_string(),
        StrPart::Interp(it) => format!("${{{}}}", expr(it)),
    }
}

fn rounds(it: &Comprehension) -> String {
    format!(
        "for {} in {}{}",
        names(&it.names),
        expr(&it.items),
        prefixed(" if ", it.condition.as_ref().map(expr))
    )
}

fn ty(it: &TypeExpr) -> String {
    let fields = |fields: &[RecordField]| {
        list(fields, |field| {
            let doc = field.doc.as_ref().map(|doc| format!("## {doc:?} ")).unwrap_or_default();
            let default = prefixed(" = ", field.default.as_ref().map(expr));
            format!("{doc}{}: {}{default}", field.name.value, ty(&field.ty))
        })
    };
    match &it.kind {
        TypeExprKind::Name(name) => name.to_string(),
        TypeExprKind::Optional(of) => format!("{}?", ty(of)),
        TypeExprKind::List(of) => format!("[{}]", ty(of)),
        TypeExprKind::Map(key, value) => format!("map{{{}: {}}}", ty(key), ty(value)),
        TypeExprKind::Record(of) => format!("{{{}}}", fields(of)),
        TypeExprKind::Union(parts) => {
            format!("({})", parts.iter().map(ty).collect::<Vec<_>>().join(" | "))
        }
        TypeExprKind::Word(word) => format!("{word:?}"),
        TypeExprKind::Constructor(name, of) => format!("{}({})", name.value, fields(of)),
        TypeExprKind::Deferred(of) => format!("(deferred {})", ty(of)),
        TypeExprKind::In(of, range) => format!("({} in {})", ty(of), expr(range)),
        TypeExprKind::Matching(of, regex) => format!("({} matching {})", ty(of), expr(regex)),
        TypeExprKind::Missing => "<missing>".into(),
    }
}
