//! Reads the standard library once, when the compiler is built: a cold start then only decodes its trees, and finds its
//! regular expressions ready to be matched.

use regex_automata::dfa::{dense, sparse};
use regex_syntax::hir::{Hir, HirKind, Literal};
use slipform_source::FileId;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    Clause, ClauseKind, Expr, ExprKind, Late, Opening, Round, StmtKind, StrPart, Tree, TypeExpr,
    TypeExprKind,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let trees = trees()?;
    let mut patterns = BTreeSet::new();
    for tree in &trees {
        tree.stmts.iter().for_each(|stmt| find_patterns(NodeRef::Stmt(stmt), &mut patterns));
    }
    let heads = (declaring(&trees), ctors(&trees));
    let mut bodies = Vec::new();
    rules(&trees, &out, &mut bodies)?;
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
    let module = path.trim_end_matches(".bp").replace('/', ".");
    let stmts = body(tree.stmts.to_stored(), bodies)?;
    Ok((path, module, stmts, body(tree.comments.to_stored(), bodies)?))
}

/// Where a part of a tree comes to lie.
fn body(bytes: postcard::Result<Vec<u8>>, bodies: &mut Vec<u8>) -> io::Result<Range<usize>> {
    let from = bodies.len();
    bodies.extend(bytes.map_err(io::Error::other)?);
    Ok(from..bodies.len())
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

/// The rules of the library as the compiler has them: tables of numbers alone, as those of regular expressions are.
#[derive(Default)]
struct Rules {
    codes: String,
    table: String,
    count: usize,
    /// Places among what is asked, and of rules.
    places: Vec<u32>,
}

/// What the tables of rules are called.
fn rules(trees: &[Tree], out: &Path, bodies: &mut Vec<u8>) -> io::Result<()> {
    let (mut asked, mut rounds, mut rules) = (Each::default(), Each::default(), Rules::default());
    let mut of_kinds: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    let texts = trees.iter().zip(slipform_stdlib::FILES).enumerate();
    let all = texts.flat_map(|(file, (tree, (_, text)))| {
        tree.stmts.iter().enumerate().filter_map(move |(at, stmt)| match &stmt.kind {
            StmtKind::Rule(rule) => Some((&**rule, rule.code.as_ref()?, (file, at), text)),
            _ => None,
        })
    });
    for (rule, code, at, text) in all {
        for on in &rule.on {
            let mut words = on.iter().map(|name| name.value.as_str());
            let kind = (words.next().unwrap_or_default(), words.next());
            of_kinds.entry(kind).or_default().push(rules.count as u32);
        }
        let opening = rule.opening().map(
            |expr| asked.place(vec![written(expr, text)], || Late::from(expr.clone()).to_stored()),
            |Round { names, items, conditions }| {
                let exprs = std::iter::once(items).chain(conditions.iter().copied());
                let named = names.iter().map(|it| it.value.as_str());
                let texts = named.chain(exprs.map(|it| written(it, text))).collect();
                rounds.place(texts, || {
                    let conditions: Vec<Expr> = conditions.into_iter().cloned().collect();
                    let (names, items) = (names.to_vec(), items.clone());
                    Late::from(Round { names, items, conditions }).to_stored()
                })
            },
        );
        rules.add(&code.value, at, opening).map_err(io::Error::other)?;
    }
    let kinds: Vec<String> = of_kinds
        .iter()
        .map(|((kind, platform), all)| {
            let rules = rules.places(all);
            format!("OfKind {{ kind: {kind:?}, platform: {platform:?}, rules: {rules:?} }}")
        })
        .collect();
    let (asked, rounds) = (asked.stored(bodies)?, rounds.stored(bodies)?);
    let Rules { codes, table, count, places } = rules;
    let tables = format!(
        "static RULES: [StoredRule; {count}] = [{table}];\nstatic OF_KINDS: &[OfKind] = &[{}];\nstatic PLACES: &[u32] = &{places:?};\nconst ASKED: &[Range<usize>] = &{asked:?};\nconst ROUNDS: &[Range<usize>] = &{rounds:?};\n",
        kinds.join(",")
    );
    fs::write(out.join("codes.txt"), codes)?;
    fs::write(out.join("rules.rs"), tables)
}

impl Rules {
    /// One more: what it is called, the file and the statement that it is, and what it asks first.
    fn add(
        &mut self,
        code: &str,
        (file, stmt): (usize, usize),
        Opening { conditions, then }: Opening<u32, u32>,
    ) -> std::fmt::Result {
        let from = self.codes.len();
        self.codes.push_str(code);
        let (code, conditions) = (from..self.codes.len(), self.places(&conditions));
        self.count += 1;
        write!(
            self.table,
            "StoredRule {{ code: {code:?}, at: StmtAt {{ file: {file}, stmt: {stmt} }}, opening: StoredOpening {{ conditions: {conditions:?}, then: Then::{then:?} }}, read: OnceLock::new() }},"
        )
    }

    fn places(&mut self, all: &[u32]) -> Range<usize> {
        let from = self.places.len();
        self.places.extend(all);
        from..self.places.len()
    }
}

/// The files that declare something besides rules.
fn declaring(trees: &[Tree]) -> Vec<usize> {
    let declares = |tree: &Tree| tree.stmts.iter().any(|it| !matches!(it.kind, StmtKind::Rule(_)));
    trees.iter().enumerate().filter(|(_, tree)| declares(tree)).map(|(at, _)| at).collect()
}

/// An expression, as it stands in its file.
fn written(expr: &Expr, text: &'static str) -> &'static str {
    text.get(expr.span.range()).unwrap_or_default()
}

/// What is stored once, whoever asks for it.
#[derive(Default)]
struct Each {
    all: Vec<postcard::Result<Vec<u8>>>,
    /// Places, by all that is written of each.
    known: BTreeMap<Vec<String>, u32>,
}

impl Each {
    fn place(
        &mut self,
        texts: Vec<&str>,
        stored: impl FnOnce() -> postcard::Result<Vec<u8>>,
    ) -> u32 {
        let texts = texts.into_iter().map(str::to_owned).collect();
        *self.known.entry(texts).or_insert_with(|| {
            self.all.push(stored());
            self.all.len() as u32 - 1
        })
    }

    /// Where they come to lie.
    fn stored(self, bodies: &mut Vec<u8>) -> io::Result<Vec<Range<usize>>> {
        self.all.into_iter().map(|it| body(it, bodies)).collect()
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

/// The regular expressions below a node: those of types, and those that `matches` is called with, there or by the name of a `let`.
fn find_patterns(node: NodeRef<'_>, found: &mut BTreeSet<String>) {
    let mut named: BTreeMap<&str, &Expr> = BTreeMap::new();
    node.walk(&mut |node| {
        if let NodeRef::Clause(Clause { kind: ClauseKind::Let(Some(name), value), .. }) = node {
            named.insert(&name.value, value);
        }
    });
    node.walk(&mut |node| match node {
        NodeRef::TypeExpr(ty) => {
            if let TypeExprKind::Matching(_, pattern) = &ty.kind {
                found.extend(plain(pattern));
            }
        }
        NodeRef::Expr(Expr { kind: ExprKind::Call(of, args), .. }) => {
            let is_asked = matches!(&of.kind, ExprKind::Name(name) if name == "matches");
            if let (true, Some(asked)) = (is_asked, args.get(1)) {
                found.extend(plain(&asked.value));
                let named = texts(&asked.value, &named).into_iter();
                found.extend(named.filter(|text| automaton(text).is_ok()));
            }
        }
        _ => {}
    });
}

/// What an expression may come to that stands elsewhere, or in one of two arms.
fn texts(of: &Expr, named: &BTreeMap<&str, &Expr>) -> Vec<String> {
    let any = |of: &Expr| plain(of).into_iter().chain(texts(of, &BTreeMap::new()));
    match &of.kind {
        ExprKind::Name(name) => {
            named.get(name.as_str()).into_iter().flat_map(|it| any(it)).collect()
        }
        ExprKind::If(_, then, otherwise) => any(then).chain(any(otherwise)).collect(),
        _ => Vec::new(),
    }
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
