//! Prints the tree of a file and what is wrong with it: `cargo run -p slipform-syntax --example syntax -- FILE [format]`.
#![allow(clippy::print_stdout)]

use slipform_source::FileId;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(path)?;
    let tree = slipform_syntax::parse(FileId(0), &text);
    if std::env::args().nth(2).as_deref() == Some("format") {
        print!("{}", slipform_syntax::format(&tree, &text));
        return Ok(());
    }
    print!("{}", slipform_syntax::dump(&tree));
    let lines = slipform_source::LineIndex::new(&text);
    for problem in &tree.problems {
        let at = problem.at.0;
        let line = lines.line(at.start as usize) + 1;
        let shown = text.get(at.range()).unwrap_or_default();
        println!("{line}: [{}] {} | {shown:?} {}", problem.code, problem.message, problem.at.1);
        for more in problem
            .also
            .iter()
            .map(|(at, label)| format!("{}: {label}", lines.line(at.start as usize) + 1))
            .chain(problem.help.clone())
        {
            println!("     {more}");
        }
        if let Some((at, new)) = &problem.fix {
            println!("     fix {:?} -> {new:?}", text.get(at.range()).unwrap_or_default());
        }
    }
    Ok(())
}
