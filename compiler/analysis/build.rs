//! Reads the standard library once, when the compiler is built: a cold start then only decodes its trees, and finds its
//! regular expressions ready to be matched.

use regex_automata::dfa::{dense, sparse};
use regex_syntax::hir::{Hir, HirKind, Literal};
use slipform_source::FileId;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    Expr, ExprKind, Late, Name, Opening, Round, StmtKind, StrPart, Tree, TypeExpr, TypeExprKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let trees = trees()?;
    let mut patterns = BTreeSet::new();
    for tree in &trees {
        tree.stmts.iter().for_each(|stmt| find_patterns(NodeRef::Stmt(stmt), &mut patterns));
    }
    let heads = heads(&trees);
    let mut bodies = Vec::new();
    let files: io::Result<Vec<_>> = trees
        .iter()
        .zip(slipform_stdlib::FILES)
        .map(|(tree, (path, _))| stored(tree, path, &mut bodies))
        .collect();
    let bytes = postcard::to_stdvec(&(files?, heads)).map_err(io::Error::other)?;
    fs::write(out.join("stdlib.bin"), bytes)?;
    fs::write(out.join("trees.bin"), bodies)?;
    let stored = Stored::all(&patterns)?;
    fs::write(out.join("patterns.txt"), stored.texts)?;
    fs::write(out.join("patterns.dfa"), stored.automata)?;
    fs::write(out.join("needs.rs"), format!("&[{}]", stored.needs))?;
    fs::write(out.join("patterns.rs"), format!("&[{}]", stored.table))
}

/// The regular expressions of the library as the compiler has them: a table of numbers alone, into two texts. A table that points to what stands in it is
/// written anew by whoever starts the program.
#[derive(Default)]
struct Stored {
    texts: String,
    automata: Vec<u8>,
    table: String,
    /// Where the texts are that they need, and how many these are.
    needs: String,
    needed: usize,
}

impl Stored {
    fn all(patterns: &BTreeSet<String>) -> io::Result<Self> {
        let mut stored = Self::default();
        // the texts first, and close together: among them one is looked for
        let named: Vec<_> = patterns.iter().map(|pattern| stored.text(pattern)).collect();
        for (pattern, named) in patterns.iter().zip(named) {
            let (form, bytes) = automaton(pattern)?;
            let Needs { least, one_of } = Needs::of(pattern).map_err(io::Error::other)?;
            let one_of: Vec<_> = one_of.iter().map(|it| stored.text(it)).collect();
            let needed = stored.needed..stored.needed + one_of.len();
            stored.needed = needed.end;
            for text in one_of {
                write!(stored.needs, "{text:?},").map_err(io::Error::other)?;
            }
            let from = stored.automata.len();
            stored.automata.extend(bytes);
            let automaton = from..stored.automata.len();
            // each begins where a number of four bytes may
            stored.automata.resize(stored.automata.len().next_multiple_of(4), 0);
            let row = format!(
                "text: {named:?}, least: {least}, one_of: {needed:?}, form: Form::{form}, automaton: {automaton:?}"
            );
            write!(stored.table, "Stored {{ {row} }},").map_err(io::Error::other)?;
        }
        Ok(stored)
    }

    fn text(&mut self, text: &str) -> Range<usize> {
        let from = self.texts.len();
        self.texts.push_str(text);
        from..self.texts.len()
    }
}

/// What a file is called, as a path and as a module, and where its statements and comments are among the bodies of all files: apart from what is read at
/// every start.
fn stored<'p>(
    tree: &Tree,
    path: &'p str,
    bodies: &mut Vec<u8>,
) -> io::Result<(&'p str, String, Range<usize>, Range<usize>)> {
    let mut body = |bytes: postcard::Result<Vec<u8>>| {
        let from = bodies.len();
        bodies.extend(bytes.map_err(io::Error::other)?);
        io::Result::Ok(from..bodies.len())
    };
    let module = path.trim_end_matches(".bp").replace('/', ".");
    Ok((path, module, body(tree.stmts.to_stored())?, body(tree.comments.to_stored())?))
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

/// What rules ask first, each question once, and apart what they ask of rounds; each rule with its code, its place and which of these it asks, in the
/// order of the files; the files that declare something else; and which rules speak of a kind, or of one on a platform. Besides, the constructors of
/// types, each with the name of its type.
type Heads<'t> = (
    Vec<Late<Expr>>,
    Vec<Late<Round<Vec<Name>, Expr>>>,
    Vec<StoredRule<'t>>,
    Vec<usize>,
    BTreeMap<&'t str, BTreeMap<Option<&'t str>, Vec<u32>>>,
    Vec<(&'t str, &'t str)>,
);

/// The code of a rule, the file and the statement that it is, and what it asks first.
type StoredRule<'t> = (&'t str, (usize, usize), Opening<u32, u32>);

fn heads(trees: &[Tree]) -> Heads<'_> {
    let (mut asked, mut rounds) = (Each::default(), Each::default());
    let texts = trees.iter().zip(slipform_stdlib::FILES).enumerate();
    let rules = texts.flat_map(|(file, (tree, (_, text)))| {
        tree.stmts.iter().enumerate().filter_map(move |(at, stmt)| match &stmt.kind {
            StmtKind::Rule(rule) => Some((&**rule, rule.code.as_ref()?, (file, at), text)),
            _ => None,
        })
    });
    let (mut of_rules, mut of_kinds) = (Vec::new(), BTreeMap::<_, BTreeMap<_, Vec<_>>>::new());
    for (rule, code, at, text) in rules {
        for on in &rule.on {
            let mut words = on.iter().map(|name| name.value.as_str());
            let of_kind = of_kinds.entry(words.next().unwrap_or_default()).or_default();
            of_kind.entry(words.next()).or_default().push(of_rules.len() as u32);
        }
        let opening = rule.opening().map(
            |expr| asked.place(vec![written(expr, text)], || expr.clone()),
            |Round { names, items, conditions }| {
                let exprs = std::iter::once(items).chain(conditions.iter().copied());
                let named = names.iter().map(|it| it.value.as_str());
                let texts = named.chain(exprs.map(|it| written(it, text))).collect();
                rounds.place(texts, || Round {
                    names: names.to_vec(),
                    items: items.clone(),
                    conditions: conditions.into_iter().cloned().collect(),
                })
            },
        );
        of_rules.push((code.value.as_str(), at, opening));
    }
    let declares = |tree: &Tree| tree.stmts.iter().any(|it| !matches!(it.kind, StmtKind::Rule(_)));
    let declaring = trees.iter().enumerate().filter(|(_, tree)| declares(tree)).map(|(at, _)| at);
    (asked.all, rounds.all, of_rules, declaring.collect(), of_kinds, ctors(trees))
}

/// An expression, as it stands in its file.
fn written(expr: &Expr, text: &'static str) -> &'static str {
    text.get(expr.span.range()).unwrap_or_default()
}

/// What is stored once, whoever asks for it.
struct Each<T> {
    all: Vec<Late<T>>,
    /// Places, by all that is written of each.
    known: BTreeMap<Vec<String>, u32>,
}

impl<T> Default for Each<T> {
    fn default() -> Self {
        Self { all: Vec::new(), known: BTreeMap::new() }
    }
}

impl<T> Each<T> {
    fn place(&mut self, texts: Vec<&str>, of: impl FnOnce() -> T) -> u32 {
        let texts = texts.into_iter().map(str::to_owned).collect();
        *self.known.entry(texts).or_insert_with(|| {
            self.all.push(Late::from(of()));
            self.all.len() as u32 - 1
        })
    }
}

/// The constructors of the library's types, each with the name of its type.
fn ctors(trees: &[Tree]) -> Vec<(&str, &str)> {
    let stmts = trees.iter().flat_map(|tree| &tree.stmts);
    let declared = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Type(decl) => Some((decl.name.as_ref()?, &*decl.definition)),
        _ => None,
    });
    let kinds = trees.iter().flat_map(|tree| &tree.stmts).filter_map(|stmt| match &stmt.kind {
        StmtKind::Kind(decl) => Some(decl.name.as_ref()?.value.as_str()),
        _ => None,
    });
    let kinds: BTreeSet<&str> = kinds.collect();
    let mut found = Vec::new();
    for (of, definition) in declared {
        arms(definition, &mut |arm| match &arm.kind {
            TypeExprKind::Constructor(name, _) => {
                found.push((name.value.as_str(), of.value.as_str()))
            }
            // what begins with a small letter and is nothing else
            TypeExprKind::Name(name)
                if name.starts_with(|c: char| c.is_ascii_lowercase())
                    && !kinds.contains(name.as_str())
                    && !BUILT_IN.contains(&name.as_str()) =>
            {
                found.push((name, of.value.as_str()));
            }
            _ => {}
        });
    }
    found
}

/// The types that every blueprint has whose names begin with a small letter.
const BUILT_IN: [&str; 4] = ["bool", "int", "float", "string"];

/// A type, or its arms.
fn arms<'t>(ty: &'t TypeExpr, on: &mut impl FnMut(&'t TypeExpr)) {
    match &ty.kind {
        TypeExprKind::Optional(inner) => arms(inner, on),
        TypeExprKind::Union(all) => all.iter().for_each(|arm| arms(arm, on)),
        _ => on(ty),
    }
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

/// What a text has to have for a regular expression to find anything in it: most texts do not, and no automaton is loaded for them.
struct Needs {
    /// Bytes, at least.
    least: usize,
    /// One of these texts; nothing is known where there are none.
    one_of: Vec<String>,
}

impl Needs {
    fn of(pattern: &str) -> Result<Self, Box<regex_syntax::Error>> {
        let parsed = regex_syntax::parse(pattern)?;
        let least = parsed.properties().minimum_len().unwrap_or_default();
        Ok(Self { least, one_of: one_of(&parsed).unwrap_or_default() })
    }
}

/// Texts of which one stands in whatever is found.
fn one_of(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(Literal(bytes)) => Some(vec![str::from_utf8(bytes).ok()?.to_owned()]),
        HirKind::Capture(group) => one_of(&group.sub),
        HirKind::Repetition(of) if of.min > 0 => one_of(&of.sub),
        // the more that has to be there, the fewer texts have it
        HirKind::Concat(parts) => {
            let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min();
            parts.iter().filter_map(one_of).max_by_key(shortest)
        }
        HirKind::Alternation(ways) => {
            let texts: Option<Vec<_>> = ways.iter().map(one_of).collect();
            texts.map(|texts| texts.concat()).filter(|texts| texts.len() <= LONGEST_LIST)
        }
        _ => None,
    }
}

/// More texts are looked for no faster than an automaton is loaded.
const LONGEST_LIST: usize = 16;

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
