//! A page for the rules of each area, and their contents.

use crate::page::{Page, anchor, cell};
use slipform_analysis::{RuleDoc, explain_rules};
use slipform_model::Severity;
use std::collections::BTreeMap;

pub(crate) fn pages() -> Vec<Page> {
    let mut areas: BTreeMap<String, Vec<RuleDoc>> = BTreeMap::new();
    for rule in explain_rules() {
        let area = rule.code.split('/').next().unwrap_or_default().to_owned();
        areas.entry(area).or_default().push(rule);
    }
    let mut contents = Page::new("rules/README.md", "Rules");
    contents.line("What must hold of a blueprint. How a report is read is in [diagnostics](../../diagnostics.md); how a rule is set aside, in [allow a rule](../../how-to/allow-a-rule.md).");
    for (area, rules) in &areas {
        contents.heading(2, area);
        contents.table(
            &["code", "severity", "what must hold"],
            rules.iter().map(|rule| {
                let link = format!("[`{}`]({area}.md#{})", rule.code, anchor(&rule.code));
                vec![link, severity(rule).to_owned(), cell(rule.doc.lines().next())]
            }),
        );
    }
    let pages = areas.iter().map(|(area, rules)| page(area, rules));
    std::iter::once(contents).chain(pages).collect()
}

fn severity(rule: &RuleDoc) -> &'static str {
    match rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}

fn page(area: &str, rules: &[RuleDoc]) -> Page {
    let mut page = Page::new(&format!("rules/{area}.md"), &format!("Rules: {area}"));
    for rule in rules {
        page.heading(2, &rule.code);
        page.line(&format!("{} on `{}`", severity(rule), rule.on));
        page.prose(&rule.doc);
        page.code("text", &format!("{}[{}]: {}", severity(rule), rule.code, rule.message));
        list(&mut page, "Help", &rule.help);
        list(&mut page, "Found in logs where it is not kept", &rule.symptoms);
        page.code("bp fragment", &rule.source);
    }
    page
}

fn list(page: &mut Page, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    page.blank();
    page.line(&format!("**{title}:**"));
    page.blank();
    for item in items {
        page.line(&format!("- {item}"));
    }
    page.blank();
}
