//! Reads the standard library once, when the compiler is built: a cold start then only decodes its trees, and finds its
//! regular expressions ready to be matched.

use regex_automata::dfa::{dense, sparse};
use slipform_source::FileId;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, StrPart, Tree, TypeExprKind};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let trees = trees()?;
    let mut patterns = BTreeSet::new();
    for tree in &trees {
        tree.stmts.iter().for_each(|stmt| find_patterns(NodeRef::Stmt(stmt), &mut patterns));
    }
    let stored: Vec<_> = trees.into_iter().map(|tree| (tree.stmts, tree.comments)).collect();
    let bytes = postcard::to_stdvec(&stored).map_err(io::Error::other)?;
    fs::write(out.join("stdlib.bin"), bytes)?;
    let mut table = String::from("&[");
    for (at, pattern) in patterns.iter().enumerate() {
        let path = out.join(format!("pattern-{at}.dfa"));
        let (form, bytes) = automaton(pattern)?;
        fs::write(&path, bytes)?;
        write!(table, "({pattern:?}, Baked::{form}(&AlignAs {{ _align: [], bytes: *include_bytes!({path:?}) }})),")
            .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(out.join("patterns.rs"), table)
}

fn trees() -> io::Result<Vec<Tree>> {
    let mut trees = Vec::new();
    for (at, (path, text)) in slipform_stdlib::FILES.iter().enumerate() {
        let tree = slipform_syntax::parse(FileId(at as u32), text);
        if let Some(problem) = tree.problems.first() {
            let line =
                text.bytes().take(problem.at.0.start as usize).filter(|b| *b == b'\n').count();
            return Err(io::Error::other(format!("{path}:{}: {}", line + 1, problem.message)));
        }
        trees.push(tree);
    }
    Ok(trees)
}

/// The regular expressions below a node: those of types, and those that `matches` is called with.
fn find_patterns(node: NodeRef<'_>, found: &mut BTreeSet<String>) {
    node.walk(&mut |node| match node {
        NodeRef::TypeExpr(ty) => {
            if let TypeExprKind::Matching(_, pattern) = &ty.kind {
                found.extend(plain(pattern));
            }
        }
        NodeRef::Expr(Expr { kind: ExprKind::Call(of, args), .. }) => {
            if matches!(&of.kind, ExprKind::Name(name) if name == "matches") {
                found.extend(args.get(1).and_then(|arg| plain(&arg.value)));
            }
        }
        _ => {}
    });
}

fn plain(expr: &Expr) -> Option<String> {
    let ExprKind::Str(parts) = &expr.kind else { return None };
    let [StrPart::Text(text)] = parts.as_slice() else { return None };
    Some(text.to_string())
}

/// Bytes up to which an automaton is a table: it is walked several times as fast as a list, but takes three times as much, of
/// which all is checked before the first walk.
const LARGEST_TABLE: usize = 16 << 10;

/// Bytes that an automaton may take before it is made as small as it can be. Making it so takes longer the more states there are: a repetition with a
/// bound (`.{0,60}x`) among alternatives comes to more than a build should wait for.
const LARGEST: usize = 4 << 20;

/// Bytes that finding its states may take.
const LARGEST_SEARCH: usize = 64 << 20;

/// A regular expression as it is matched, in the byte order of the machine that the compiler is built for, and its form.
fn automaton(pattern: &str) -> io::Result<(&'static str, Vec<u8>)> {
    let config = dense::Config::new()
        .minimize(true)
        .dfa_size_limit(Some(LARGEST))
        .determinize_size_limit(Some(LARGEST_SEARCH));
    let dense = dense::Builder::new().configure(config).build(pattern).map_err(|error| {
        let mend = match error.is_size_limit_exceeded() {
            true => "; it has too many states: take bounds of repetitions (`{0,60}`) out, or ask in two steps",
            false => "",
        };
        io::Error::other(format!("{pattern}: {error}{mend}"))
    })?;
    let is_big_endian = env::var("CARGO_CFG_TARGET_ENDIAN").as_deref() == Ok("big");
    if dense.memory_usage() <= LARGEST_TABLE {
        let (bytes, padding) = match is_big_endian {
            true => dense.to_bytes_big_endian(),
            false => dense.to_bytes_little_endian(),
        };
        return Ok(("Dense", bytes.get(padding..).unwrap_or_default().to_vec()));
    }
    let sparse: sparse::DFA<Vec<u8>> = dense.to_sparse().map_err(io::Error::other)?;
    Ok(match is_big_endian {
        true => ("Sparse", sparse.to_bytes_big_endian()),
        false => ("Sparse", sparse.to_bytes_little_endian()),
    })
}
