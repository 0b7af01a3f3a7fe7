//! What the end-to-end tests share: running the compiler over a world, and saying what came out.

pub mod text;

use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::{Diagnostic, Severity};
use slipform_source::{Encoding, MemoryWorld, ReadError, World};
use slipform_targets::Output;
use std::fs;
use std::sync::Arc;

/// The checkout.
pub fn root() -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Utf8Path::to_owned).unwrap_or_default()
}

/// The files of the checkout, by paths relative to it.
#[derive(Clone, Debug)]
pub struct Checkout;

impl World for Checkout {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        Folder(root()).read(path)
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        Folder(root()).list(folder)
    }
}

/// The files of a folder, by paths relative to it: a project as `slipform` sees it.
#[derive(Clone, Debug)]
pub struct Folder(pub Utf8PathBuf);

impl World for Folder {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        let full = self.0.join(path);
        if full.is_dir() {
            return Err(ReadError::IsFolder);
        }
        fs::read_to_string(&full).map(Arc::from).map_err(|_| ReadError::NotFound)
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// Every file below a folder of the checkout whose name ends so, sorted.
pub fn files(folder: &str, ending: &str) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Utf8PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for name in Checkout.list(&folder) {
            let path = folder.join(&name);
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The variants that the real consumers are given too: each with a blueprint's folder and its options.
pub fn variants() -> Vec<(String, Folder, Options)> {
    let table = fs::read_to_string(root().join("tests/consumers/variants.txt")).unwrap_or_default();
    let lines =
        table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(variant).collect()
}

/// A folder and options of `slipform build`, as they are written behind it.
pub fn variant(line: &str) -> (String, Folder, Options) {
    let mut words = line.split_whitespace();
    let folder = Folder(root().join(words.next().unwrap_or_default()));
    let mut options = Options { build: true, ..Options::default() };
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match word {
            "--set" => {
                let (name, value) = value.split_once('=').unwrap_or((value, ""));
                options.set.push((name.to_owned(), value.to_owned()));
            }
            "--env" => options.environment = Some(value.to_owned()),
            _ => {}
        }
    }
    (line.to_owned(), folder, options)
}

/// What `slipform check` does: analysis, and, where that finds no error, every target.
pub fn checked(world: &dyn World, options: &Options) -> (Analysis, Output) {
    let options = Options {
        advice: slipform_targets::advice().collect(),
        refusals: slipform_targets::refusals().collect(),
        ..options.clone()
    };
    let mut analysis = analyse(world, &options);
    let output = match &analysis.plan {
        Some(plan) if analysis.can_be_rendered() => slipform_targets::render(plan, &[]),
        _ => Output::default(),
    };
    let mut told = output.diagnostics.clone();
    slipform_analysis::cut(&analysis.sources, &analysis.trees, &mut told);
    analysis.diagnostics.extend(told);
    (analysis, output)
}

/// Checks one text as `main.bp`.
pub fn checked_text(text: &str) -> (Analysis, Output) {
    let world = MemoryWorld::new([("main.bp", text)]);
    checked(&world, &Options { path: "main.bp".into(), ..Options::default() })
}

/// One report as tests write it: line, severity, code and message.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Report {
    /// The file of its primary place.
    pub file: String,
    /// The line of its primary place, from 1.
    pub line: u32,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// `tpu/hosts`
    pub code: String,
    /// What it says.
    pub message: String,
    /// What to do, all of it.
    pub help: String,
    /// The text of its primary place.
    pub at: String,
}

/// The reports of an analysis, in order.
pub fn reports(analysis: &Analysis) -> Vec<Report> {
    analysis.diagnostics.iter().filter_map(|it| reported(analysis, it)).collect()
}

/// A diagnostic of an analysis; nothing where it has no place.
pub fn reported(analysis: &Analysis, diagnostic: &Diagnostic) -> Option<Report> {
    let span = diagnostic.span()?;
    let file = analysis.sources.get(span.file)?;
    let line = file.lines().position(&file.text, span.start as usize, Encoding::Chars).line + 1;
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    };
    let (code, message) = (diagnostic.code.to_string(), diagnostic.message.clone());
    let help = diagnostic.help.join("; ");
    let at = analysis.sources.text(span).to_owned();
    Some(Report { file: file.path.to_string(), line, severity, code, message, help, at })
}
