//! Writes the grammar that the parser is generated from: `grammar.pest`, with each rule that makes no node put where it is asked
//! for. Pest takes a snapshot of its state for each round of a loop in such a rule, and for none in a rule that makes a node.

use pest_meta::ast::{Expr, Rule, RuleType};
use pest_meta::parser::{Rule as Part, consume_rules, parse};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs, io};

const GRAMMAR: &str = "src/grammar.pest";

/// What rules without nodes come to.
type Silent = BTreeMap<String, Expr>;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={GRAMMAR}");
    let text = fs::read_to_string(GRAMMAR)?;
    let parts = parse(Part::grammar_rules, &text).map_err(io::Error::other)?;
    let rules = consume_rules(parts).map_err(|wrong| io::Error::other(format!("{wrong:?}")))?;
    let silent = rules.iter().filter(|rule| rule.ty == RuleType::Silent);
    let mut silent: Silent = silent.map(|rule| (rule.name.clone(), rule.expr.clone())).collect();
    for name in silent.keys().cloned().collect::<Vec<_>>() {
        if reaches(&silent, &name, &name) {
            silent.remove(&name);
        }
    }
    let grammar: String = rules.into_iter().map(|rule| written(rule, &silent)).collect();
    let parser = format!(
        "/// See `grammar.pest` for what it guarantees.\n#[derive(pest_derive::Parser)]\n#[grammar_inline = {grammar:?}]\n\
         pub(crate) struct Grammar;\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("grammar.rs"), parser)
}

/// Whether a silent rule asks for another, through others or by itself. One that asks for itself stays a rule.
fn reaches(silent: &Silent, from: &str, to: &str) -> bool {
    let (mut waiting, mut seen) = (vec![from], Vec::new());
    while let Some(name) = waiting.pop() {
        for asked in silent.get(name).into_iter().flat_map(Expr::iter_top_down) {
            let Expr::Ident(asked) = asked else { continue };
            if asked == to {
                return true;
            }
            if let Some((known, _)) = silent.get_key_value(&asked)
                && !seen.contains(&known)
            {
                seen.push(known);
                waiting.push(known);
            }
        }
    }
    false
}

/// A rule as the parser has it.
fn written(rule: Rule, silent: &Silent) -> String {
    let Rule { name, ty, expr } = rule;
    let put = |mut expr: Expr| {
        while let Expr::Ident(asked) = &expr
            && let Some(it) = silent.get(asked)
        {
            expr = it.clone();
        }
        expr
    };
    let (mark, expr) = match ty {
        RuleType::Normal => ("", expr),
        RuleType::Silent => ("_", expr),
        RuleType::NonAtomic => ("!", expr),
        RuleType::Atomic => ("@", expr.map_top_down(put)),
        RuleType::CompoundAtomic => ("$", expr.map_top_down(put)),
    };
    format!("{name} = {mark}{{ {expr} }}\n")
}
