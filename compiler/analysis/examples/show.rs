//! Prints what the analysis says of a file.
#![allow(missing_docs, clippy::print_stdout)]
use slipform_source::{Encoding, MemoryWorld};
fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let world = MemoryWorld::new([("x.bp", text)]);
    let a = slipform_analysis::analyse(
        &world,
        &slipform_analysis::Options { path: "x.bp".into(), ..Default::default() },
    );
    for d in &a.diagnostics {
        let at = |span: slipform_source::Span| {
            a.sources
                .get(span.file)
                .map(|f| {
                    let p = f.lines.position(&f.text, span.start as usize, Encoding::Chars);
                    format!("{}:{}:{}", f.path, p.line + 1, p.column + 1)
                })
                .unwrap_or_default()
        };
        println!(
            "{} {:?} [{}] {}",
            d.span().map(at).unwrap_or_default(),
            d.severity,
            d.code,
            d.message
        );
        for l in &d.labels {
            println!("      at {} {:?}: {}", at(l.span), a.sources.text(l.span), l.text);
        }
        for h in &d.help {
            println!("      help: {h}");
        }
        for f in &d.fixes {
            println!(
                "      fix: {} {:?}",
                f.title,
                f.edits.iter().map(|e| &e.1).collect::<Vec<_>>()
            );
        }
    }
}
