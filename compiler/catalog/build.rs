//! Bakes the catalog: reads every file of the standard library's catalog, checks that rows agree, and
//! writes one binary that the library carries. A bad row stops the build and is named.

#![allow(clippy::print_stdout, reason = "cargo reads the script's output")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use slipform_rows::{Assumed, Nothing, Problem, blob, check, compile, digest};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../stdlib/catalog");
    println!("cargo:rerun-if-changed={}", root.display());
    println!("cargo:rerun-if-changed=build.rs");
    let files = read_all(&root)?;
    let texts: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let tables = compile(&texts, &Nothing, &Assumed::default())
        .map_err(|all| all.iter().map(describe).collect::<Vec<_>>().join("\n"))?;
    let faults = check(&tables, &Nothing);
    if !faults.is_empty() {
        let lines: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}, `{}`: {}", fault.row, fault.key, fault.message))
            .collect();
        return Err(lines.join("\n").into());
    }
    let parts = texts.iter().flat_map(|(name, text)| [name.as_bytes(), &[0], text.as_bytes()]);
    let blob = blob::encode(&tables, &digest(parts))?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("catalog.bin"), blob)?;
    Ok(())
}

/// Every `.toml` below `root`, by its path inside, in ascending order.
fn read_all(root: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let name = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(files.into_iter().collect())
}

fn describe(problem: &Problem) -> String {
    let line = problem.line.unwrap_or(1);
    let key = problem.key.as_deref().unwrap_or_default();
    format!("{}:{line}: {} {key}: {}", problem.file, problem.row, problem.message)
}
