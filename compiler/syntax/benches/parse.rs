//! How fast a large file is parsed, re-parsed after an edit, and laid out: `cargo bench -p slipform-syntax`.
#![allow(clippy::print_stdout)]

use slipform_source::FileId;
use slipform_syntax::{format, parse, reparse};
use std::hint::black_box;
use std::time::{Duration, Instant};

const SAMPLE: &str = include_str!("../tests/samples/training.bp");

fn main() {
    for target in [30_000, 300_000, 3_000_000] {
        let text = repeated(target);
        let lines = text.lines().count();
        println!("{} bytes, {lines} lines", text.len());
        show("  parse", text.len(), || parse(FileId(0), &text));
        let tree = parse(FileId(0), &text);
        show("  format", text.len(), || format(&tree, &text));
        let edited = text.replacen("restarts = 3", "restarts = 33", 1);
        // As the language server does it: the tree before the edit becomes the tree behind it.
        let (mut tree, mut flip) = (Some(tree), false);
        show("  edit near the start", text.len(), || {
            let (old, new) = if flip { (&edited, &text) } else { (&text, &edited) };
            flip = !flip;
            tree = tree.take().map(|tree| reparse(tree, old, new));
        });
    }
}

/// The sample again and again, with other names each time.
fn repeated(target: usize) -> String {
    let mut text = String::new();
    let mut round = 0;
    while text.len() < target {
        text += &SAMPLE
            .replace("a3m", &format!("a3m_{round}"))
            .replace("pretrain", &format!("pretrain_{round}"));
        round += 1;
    }
    text
}

fn show<T>(what: &str, bytes: usize, mut work: impl FnMut() -> T) {
    let best = (0..9)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed()
        })
        .min()
        .unwrap_or(Duration::ZERO);
    println!("{what}: {best:.2?}, {:.1} MB/s", bytes as f64 / 1e6 / best.as_secs_f64());
}
