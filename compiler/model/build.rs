//! Bakes the catalog: reads every file of the standard library's catalog, checks that rows agree, and
//! writes one binary that the library carries. A bad row stops the build and is named.

#![allow(clippy::print_stdout, reason = "cargo reads the script's output")]
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the files are shared with the library"
)]

#[path = "src/catalog/blob.rs"]
mod blob;
#[path = "src/catalog/check.rs"]
mod check;
#[path = "src/catalog/compile.rs"]
mod compile;
#[path = "src/catalog/rows.rs"]
mod rows;
#[path = "src/catalog/version.rs"]
mod version;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde::Serialize;

type Encoded = Vec<(String, Vec<u8>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../stdlib/catalog");
    println!("cargo:rerun-if-changed={}", root.display());
    println!("cargo:rerun-if-changed=src/catalog");
    println!("cargo:rerun-if-changed=build.rs");
    let files = read_all(&root)?;
    let texts: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let tables = compile::compile(&texts, &Nothing, &compile::Assumed::default())
        .map_err(|all| all.iter().map(describe).collect::<Vec<_>>().join("\n"))?;
    let faults = check::check(&tables, &Nothing);
    if !faults.is_empty() {
        let lines: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}, `{}`: {}", fault.row, fault.key, fault.message))
            .collect();
        return Err(lines.join("\n").into());
    }
    let blob = encode(&tables, &digest(&texts))?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("catalog.bin"), blob)?;
    Ok(())
}

struct Nothing;

impl compile::Known for Nothing {}

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

fn describe(problem: &compile::Problem) -> String {
    let line = problem.line.unwrap_or(1);
    let key = problem.key.as_deref().unwrap_or_default();
    format!("{}:{line}: {} {key}: {}", problem.file, problem.row, problem.message)
}

fn encode(tables: &compile::Tables, digest: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let version = format!("{}+{digest}", tables.as_of);
    // In the order of `blob::SECTIONS`.
    let encoded: [Encoded; blob::SECTIONS.len()] = [
        section(&tables.sources)?,
        section(&tables.machines)?,
        section(&tables.gpus)?,
        section(&tables.attachables)?,
        section(&tables.tpus)?,
        section(&tables.slices)?,
        section(&tables.offers)?,
        section(&tables.regions)?,
        section(&tables.vertex_regions)?,
        section(&tables.stacks)?,
        section(&tables.slurm_machines)?,
        section(&tables.components)?,
        section(&tables.limit)?,
        single("limits", tables.limits.as_ref())?,
        single("kubernetes", tables.kubernetes.as_ref())?,
        single("slurm", tables.slurm.as_ref())?,
        single("vertex", tables.vertex.as_ref())?,
    ];
    let sections = encoded
        .iter()
        .map(|rows| blob::Section {
            rows: rows.iter().map(|(key, bytes)| (key.as_str(), bytes.as_slice())).collect(),
        })
        .collect();
    let blob = blob::Blob { version: &version, as_of: &tables.as_of, sections };
    Ok(postcard::to_stdvec(&blob)?)
}

fn section<T: Serialize>(rows: &BTreeMap<String, T>) -> Result<Encoded, Box<dyn Error>> {
    rows.iter().map(|(key, row)| Ok((key.clone(), postcard::to_stdvec(row)?))).collect()
}

fn single<T: Serialize>(name: &str, row: Option<&T>) -> Result<Encoded, Box<dyn Error>> {
    let row = row.ok_or_else(|| format!("no file has the table `[{name}]`"))?;
    Ok(vec![(String::new(), postcard::to_stdvec(row)?)])
}

/// FNV-1a over names and texts: tells catalogs apart, protects nothing.
fn digest(texts: &[(&str, &str)]) -> String {
    let bytes = texts.iter().flat_map(|(name, text)| name.bytes().chain([0]).chain(text.bytes()));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}
