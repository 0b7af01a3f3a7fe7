//! Parses the standard library once, when the compiler is built: a cold start then only decodes its trees.

use slipform_source::FileId;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut trees = Vec::new();
    for (at, (path, text)) in slipform_stdlib::FILES.iter().enumerate() {
        let tree = slipform_syntax::parse(FileId(at as u32), text);
        if let Some(problem) = tree.problems.first() {
            let line =
                text.bytes().take(problem.at.0.start as usize).filter(|b| *b == b'\n').count();
            return Err(io::Error::other(format!("{path}:{}: {}", line + 1, problem.message)));
        }
        trees.push((tree.stmts, tree.comments));
    }
    let bytes = postcard::to_stdvec(&trees).map_err(io::Error::other)?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("stdlib.bin");
    fs::write(out, bytes)
}
