//! What is inserted, with places to fill in.

use crate::Analysis;
use crate::ide::cursor::own_trees;
use crate::types::{FactKind, Field, Fields, Type};
use ipnet::{IpNet, Ipv4Net};
use slipform_model::catalog::region_of;
use slipform_source::Sources;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, LiteralKind, Stmt, StmtKind, StrPart};
use std::net::Ipv4Addr;

/// What examples are made of: the texts of defaults, and the address ranges that a blueprint has taken.
pub(crate) struct Examples<'a> {
    analysis: &'a Analysis,
    sources: &'a Sources,
    taken: Option<Vec<IpNet>>,
    region: Option<Option<String>>,
}

impl<'a> Examples<'a> {
    pub(crate) fn new(analysis: &'a Analysis) -> Self {
        Self { analysis, sources: &analysis.sources, taken: None, region: None }
    }

    /// The region that the blueprint names first: what is made together is in one place as a rule.
    fn region(&mut self) -> Option<String> {
        let first = || regions(self.analysis).into_iter().next();
        self.region.get_or_insert_with(first).clone()
    }

    /// A noun of a kind that the blueprint declares: the last one, as what is written below speaks of it as a rule.
    fn noun(&self, kind: &str) -> Option<String> {
        let stmts = own_trees(self.analysis).flat_map(|tree| &tree.stmts);
        let named = stmts.filter_map(|stmt| match &stmt.kind {
            StmtKind::Decl(decl) if decl.kind.value == kind => decl.name.as_ref(),
            _ => None,
        });
        named.last().map(|name| name.value.to_string())
    }

    /// A private range that nothing in the blueprint overlaps, and no example before.
    pub(crate) fn free_range(&mut self, prefix: u8) -> Option<Ipv4Net> {
        let taken = self.taken.get_or_insert_with(|| taken(self.analysis));
        let private = Ipv4Net::new(Ipv4Addr::new(10, 0, 0, 0), 8).ok()?;
        let overlaps = |net: &Ipv4Net, other: &IpNet| {
            let net = IpNet::V4(*net);
            net.contains(other) || other.contains(&net)
        };
        let mut nets = private.subnets(prefix).ok()?;
        let free = nets.find(|net| !taken.iter().any(|other| overlaps(net, other)))?;
        taken.push(IpNet::V4(free));
        Some(free)
    }
}

/// The regions that a blueprint names, by themselves or by a zone, in its order.
pub(super) fn regions(analysis: &Analysis) -> Vec<String> {
    let mut found = Vec::new();
    for tree in own_trees(analysis) {
        slipform_syntax::walk(tree, &mut |node| {
            let NodeRef::Expr(Expr { kind: ExprKind::Str(parts), .. }) = node else { return };
            let [StrPart::Text(text)] = parts.as_slice() else { return };
            let region = region_of(text).unwrap_or(text);
            if analysis.catalog.region(region).is_some() {
                found.push(region.to_owned());
            }
        });
    }
    found
}

/// The address ranges that are written in a blueprint, and those that its networks have by themselves.
fn taken(analysis: &Analysis) -> Vec<IpNet> {
    let networks = analysis.plan.iter().flat_map(|plan| plan.model.networks());
    let mut found: Vec<IpNet> = networks.map(|(_, network)| network.subnet.value).collect();
    for tree in own_trees(analysis) {
        slipform_syntax::walk(tree, &mut |node| {
            let NodeRef::Expr(Expr { kind: ExprKind::Literal(LiteralKind::Address, text), .. }) =
                node
            else {
                return;
            };
            found.extend(text.parse::<IpNet>().ok());
        });
    }
    found.extend(by_itself(analysis));
    found
}

/// The range that a network has which does not write one: while there is no plan, nobody else says it.
fn by_itself(analysis: &Analysis) -> Option<IpNet> {
    let writes =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Attr(it) if it.name.value == "subnet");
    let lacks = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Decl(decl) => decl.kind.value == "network" && !decl.body.iter().any(writes),
        _ => false,
    };
    own_trees(analysis).flat_map(|tree| &tree.stmts).find(|stmt| lacks(stmt))?;
    let field = analysis.schema.field_of("network", "subnet")?;
    analysis.sources.text(field.default.as_ref()?.span).parse().ok()
}

/// How large a range is that a field of this name has as a rule.
pub(crate) fn usual_prefix(name: &str) -> u8 {
    if name == "pods" { 14 } else { 20 }
}

/// Text that stands for itself in a snippet.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// A snippet without its places: what stands in them stays.
pub fn plain(snippet: &str) -> String {
    let mut text = String::new();
    let mut chars = snippet.chars().peekable();
    let mut open = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            '}' if open > 0 => open -= 1,
            '$' => {
                let braced = chars.next_if_eq(&'{').is_some();
                while chars.next_if(char::is_ascii_digit).is_some() {}
                if braced && chars.next_if_eq(&'|').is_some() {
                    // Of several choices the first is written.
                    text.extend(std::iter::from_fn(|| chars.next_if(|c| !",|".contains(*c))));
                    let _ = chars.find(|c| *c == '}');
                } else if braced {
                    open += usize::from(chars.next_if_eq(&'}').is_none());
                    let _ = chars.next_if_eq(&':');
                }
            }
            c => text.push(c),
        }
    }
    text
}

/// A value to fill in: the default where there is one, else an example of the type.
pub(crate) fn value(name: &str, field: &Field, at: usize, examples: &mut Examples<'_>) -> String {
    let default = field
        .default
        .as_ref()
        // another network has another range
        .filter(|_| !field.is_auto() && !matches!(field.ty.bare(), Type::Cidr))
        .map(|default| examples.sources.text(default.span));
    // who writes a list or a record fills it
    let is_empty = |text: &&str| ["", "[]", "{}"].contains(text);
    let plain = default.filter(|text| !is_empty(text) && !text.contains('\n'));
    let mut words: Vec<String> = field
        .ty
        .arms()
        .iter()
        .filter_map(|arm| match arm {
            Type::Word(word) => Some(word.to_string()),
            _ => None,
        })
        .collect();
    if !words.is_empty() && !has_facts(&field.ty) {
        // what it is by itself goes first
        words.sort_by_key(|word| plain != Some(format!("\"{word}\"").as_str()));
        return format!("\"${{{at}|{}|}}\"", words.join(","));
    }
    // the place is the text in a list of one
    let one = plain.and_then(|text| text.strip_prefix("[\"")?.strip_suffix("\"]"));
    if let Some(one) = one.filter(|text| !text.contains('"')) {
        return format!("[\"${{{at}:{}}}\"]", escaped(one));
    }
    match plain {
        Some(text) => format!("${{{at}:{}}}", escaped(text)),
        None => example(name, &field.ty, at, examples),
    }
}

fn has_facts(ty: &Type) -> bool {
    ty.arms().iter().any(|arm| matches!(arm, Type::Fact(_)))
}

fn example(name: &str, ty: &Type, at: usize, examples: &mut Examples<'_>) -> String {
    let arms = ty.arms();
    if arms.iter().any(|arm| matches!(arm, Type::Fact(FactKind::Region))) {
        return match examples.region() {
            Some(region) => format!("\"${{{at}:{region}}}\""),
            None => format!("\"${at}\""),
        };
    }
    if arms.iter().any(|arm| matches!(arm, Type::Fact(FactKind::Zone))) {
        let catalog = &examples.analysis.catalog;
        let zone = |region: String| {
            let letter = catalog.region(&region)?.zones.first()?;
            Some(format!("{region}-{letter}"))
        };
        return match examples.region().and_then(zone) {
            Some(zone) => format!("\"${{{at}:{zone}}}\""),
            None => format!("\"${at}\""),
        };
    }
    if let [Type::Noun(kind)] = arms.as_slice() {
        return match examples.noun(kind) {
            Some(noun) => format!("${{{at}:{noun}}}"),
            None => format!("${at}"),
        };
    }
    if arms.iter().any(|arm| matches!(arm, Type::Ctor(ctor) if &*ctor.name == "image_family")) {
        let name = format!("\"${{{at}:debian-12}}\"");
        return format!("image_family({name}, project = \"debian-cloud\")");
    }
    let is_text = |arm: &Type| matches!(arm.bare(), Type::Str | Type::Fact(_) | Type::Word(_));
    if arms.iter().all(is_text) {
        return format!("\"${at}\"");
    }
    let is_number = |arm: &&Type| matches!(arm.bare(), Type::Int | Type::Number(_));
    let only = match arms.as_slice() {
        [only] => only.bare(),
        several => match several.iter().find(is_number) {
            Some(number) => number.bare(),
            None => return format!("${at}"),
        },
    };
    match only {
        Type::Int | Type::Number(_) => format!("${{{at}:1}}"),
        Type::Float => format!("${{{at}:1.0}}"),
        Type::Bool => format!("${{{at}|true,false|}}"),
        Type::Size => format!("${{{at}:100GiB}}"),
        Type::Duration => format!("${{{at}:1h}}"),
        Type::Cidr => match examples.free_range(usual_prefix(name)) {
            Some(range) => format!("${{{at}:{range}}}"),
            None => format!("${at}"),
        },
        Type::Address => format!("${{{at}:10.0.0.1}}"),
        Type::Range => format!("${{{at}:1..2}}"),
        Type::List(_) => format!("[${at}]"),
        Type::Map(..) | Type::Record(_) => format!("{{ ${at} \\}}"),
        _ => format!("${at}"),
    }
}

/// Fields that a noun may leave out only where it is `existing`, by its kind.
pub(super) const OF_WHAT_IS_MADE: &[(&str, &[&str])] =
    &[("reservation", &["count"]), ("machine_image", &["from", "network", "zone"])];

/// What has to stand in a noun besides its fields, by the title of its kind; its places are numbered from 2.
pub(super) const INSIDE: &[(&str, &str)] = &[(
    "cluster on slurm",
    "  partition ${2:gpus} {\n    machine = \"${3:hgx-h100}\"\n    nodes   = ${4:1}\n  \\}\n",
)];

/// The lines of the fields that have to be written, and of `more`, places numbered from `at`.
pub(super) fn required(
    fields: &Fields,
    more: &[&str],
    at: usize,
    examples: &mut Examples<'_>,
) -> String {
    let is_wanted = |name: &str, field: &Field| {
        !field.may_be_left_out() && name != "place" || more.contains(&name)
    };
    let wanted = fields.0.iter().filter(|(name, field)| is_wanted(name, field));
    let wanted: Vec<_> = wanted.collect();
    let width = wanted.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = wanted.iter().enumerate().map(|(index, (name, field))| {
        format!("  {name:width$} = {}\n", value(name, field, at + index, examples))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_snippet_without_places_is_text() {
        assert_eq!(plain("pool ${1:name} {\n  a = $2\n\\}"), "pool name {\n  a = \n}");
        assert_eq!(plain("x = \"${1|a,b|}\""), "x = \"a\"");
        assert_eq!(plain("\\${a\\} $0"), "${a} ");
    }
}
