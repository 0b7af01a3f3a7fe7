//! What a check reads of the standard library: in a process of its own, since what was read once stays.

#![allow(missing_docs)]

use slipform_analysis::{Options, analyse};
use slipform_source::MemoryWorld;
use slipform_syntax::tree::StmtKind;

#[test]
fn a_check_reads_the_rules_whose_opening_holds() {
    let text = "network core {\n  subnet nodes { region = us-east4  cidr = 10.0.0.0/20 }\n}\n";
    let world = MemoryWorld::new([("a/main.bp", text)]);
    let analysis = analyse(&world, &Options { path: "a/main.bp".into(), ..Options::default() });
    let files: Vec<bool> = analysis.trees.iter().map(|tree| tree.stmts.is_read()).collect();
    let read = files.iter().filter(|is_read| **is_read).count();
    assert!(read < files.len() * 2 / 3, "{read} of {} files", files.len());
    let stmts = analysis.trees.iter().flat_map(|tree| &tree.stmts);
    let rules: Vec<bool> = stmts
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Rule(rule) => Some(rule.is_read()),
            _ => None,
        })
        .collect();
    let read = rules.iter().filter(|is_read| **is_read).count();
    assert!(read > 0 && read < rules.len() / 10, "{read} of {} rules", rules.len());
}
