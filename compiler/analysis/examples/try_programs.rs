#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout)]
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Options, analyse};
use slipform_source::{Encoding, ReadError, World};
use std::sync::Arc;
struct Disk;
impl World for Disk {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        if path.is_dir() {
            return Err(ReadError::IsFolder);
        }
        std::fs::read_to_string(path).map(Arc::from).map_err(|_| ReadError::NotFound)
    }
    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|e| e.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|a| a == "--library") {
        for report in slipform_analysis::check_library() {
            println!("[{}] {} {:?}", report.code, report.message, report.span());
        }
        return;
    }
    let mut set = Vec::new();
    let mut env = None;
    let mut paths = Vec::new();
    let mut it = args.into_iter();
    let mut verbose = false;
    while let Some(a) = it.next() {
        if a == "--set" {
            let v = it.next().unwrap();
            let (k, w) = v.split_once('=').unwrap();
            set.push((k.to_owned(), w.to_owned()));
        } else if a == "--env" {
            env = it.next();
        } else if a == "-v" {
            verbose = true;
        } else {
            paths.push(a);
        }
    }
    for path in paths {
        let options = Options {
            path: Utf8PathBuf::from(&path),
            set: set.clone(),
            environment: env.clone(),
            build: true,
            ..Options::default()
        };
        let analysis = analyse(&Disk, &options);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut expected: Vec<(u32, String, String, String)> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            for severity in ["error", "warning"] {
                for part in line.split(&format!("# {severity}: [")).skip(1) {
                    let (code, rest) = part.split_once(']').unwrap();
                    expected.push((
                        at as u32 + 1,
                        severity.into(),
                        code.into(),
                        rest.split(" # ").next().unwrap_or_default().trim().into(),
                    ));
                }
            }
        }
        for d in &analysis.diagnostics {
            let (mut line, mut file) = (0, String::new());
            if let Some(span) = d.span() {
                if let Some(f) = analysis.sources.get(span.file) {
                    line = f.lines.position(&f.text, span.start as usize, Encoding::Chars).line + 1;
                    file = f.path.to_string();
                }
            }
            let severity = format!("{:?}", d.severity).to_lowercase();
            let hit = expected.iter().position(|e| {
                e.0 == line
                    && e.1 == severity
                    && e.2 == d.code.to_string()
                    && d.message.contains(&e.3)
            });
            if let Some(hit) = hit {
                expected.remove(hit);
                if !verbose {
                    continue;
                }
            }
            println!("{file}:{line}: {severity} [{}] {}", d.code, d.message);
            for l in &d.labels {
                if let Some(f) = analysis.sources.get(l.span.file) {
                    let p = f.lines.position(&f.text, l.span.start as usize, Encoding::Chars);
                    println!(
                        "      {}:{}:{} `{}` {}",
                        f.path,
                        p.line + 1,
                        p.column + 1,
                        analysis.sources.text(l.span),
                        l.text
                    );
                }
            }
            for h in &d.help {
                println!("      help: {h}");
            }
            for f in &d.fixes {
                println!(
                    "      fix: {} {:?}",
                    f.title,
                    f.edits
                        .iter()
                        .map(|e| (analysis.sources.text(e.0).to_owned(), e.1.clone()))
                        .collect::<Vec<_>>()
                );
            }
        }
        for e in expected {
            println!("{path}:{}: EXPECTED {} [{}] {}", e.0, e.1, e.2, e.3);
        }
    }
}
