//! Lists the library's `.bp` files, so that adding one is adding a file.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut table = String::from("&[\n");
    for folder in ["kinds", "rules", "components"] {
        println!("cargo::rerun-if-changed={folder}");
        for file in blueprints(&root.join(folder)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            table.push_str(&format!("    (\"std/{folder}/{name}\", include_str!({:?})),\n", file));
        }
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("files.rs");
    fs::write(out, table)
}

/// The `.bp` files of a folder, by name.
fn blueprints(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "bp"))
        .collect();
    files.sort();
    files
}
