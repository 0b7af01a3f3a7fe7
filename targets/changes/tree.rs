//! Values as paths and words, and how two of them differ.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One value that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Detail {
    /// `node_config.machine_type`, `spec.replicatedJobs[node].replicas`
    pub path: String,
    /// What it was; nothing where it was not there.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// Scalars by the path that leads to each.
pub(crate) type Flat = BTreeMap<String, String>;

/// Every scalar of a value. Items of lists that have names go by them, or else by what they are known by.
pub(crate) fn flat(value: &Value) -> Flat {
    let mut found = Flat::new();
    add(value, String::new(), &mut found);
    found
}

fn add(value: &Value, path: String, found: &mut Flat) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, inner) in fields {
                let name = whole(name);
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                add(inner, path, found);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let names = names_by(items, "name").or_else(|| names_by(items, "id"));
            for (at, item) in items.iter().enumerate() {
                let name = names.as_ref().and_then(|names| names.get(at));
                let key = name.map_or_else(|| at.to_string(), |name| (*name).to_owned());
                add(item, format!("{path}[{key}]"), found);
            }
        }
        Value::String(text) => {
            found.insert(path, text.clone());
        }
        other => {
            found.insert(path, other.to_string());
        }
    }
}

/// What each item says in a field, where all do and none says the same.
fn names_by<'a>(items: &'a [Value], field: &str) -> Option<Vec<&'a str>> {
    let names: Vec<&str> =
        items.iter().map(|item| item.get(field)?.as_str()).collect::<Option<_>>()?;
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    (distinct.len() == items.len()).then_some(names)
}

/// A key as part of a path: in quotes, where what separates keys is part of it, as in `"acme.com/team"`.
fn whole(key: &str) -> String {
    let plain = !key.is_empty() && !key.contains(['.', '[', ']', '"']);
    if plain { key.to_owned() } else { format!("\"{key}\"") }
}

/// What differs between two values.
pub(crate) fn details(before: &Flat, after: &Flat) -> Vec<Detail> {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = paths.into_iter().filter(|path| before.get(*path) != after.get(*path));
    let detail = |path: &String| Detail {
        path: path.clone(),
        before: before.get(path).cloned(),
        after: after.get(path).cloned(),
    };
    differs.map(detail).collect()
}

/// The names of a path, without the places in lists and the quotes: `spec`, `replicatedJobs`, `replicas`.
pub(crate) fn names(path: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some((name, tail)) = rest.strip_prefix('"').and_then(|inside| inside.split_once('"'))
        {
            found.push(name);
            rest = tail.strip_prefix('.').unwrap_or(tail);
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, tail) = rest.split_at(end);
        if !name.is_empty() {
            found.push(name);
        }
        rest = match tail.strip_prefix('[') {
            Some(inside) => inside.split_once(']').map_or("", |(_, tail)| tail),
            None => tail.strip_prefix('.').unwrap_or(tail),
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_by_names_where_items_have_them() {
        let value = serde_json::json!({ "a": [{ "name": "x", "b": 1 }, { "name": "y", "b": 2 }], "c": [3, 4] });
        let found: Vec<String> = flat(&value).into_keys().collect();
        assert_eq!(found, ["a[x].b", "a[x].name", "a[y].b", "a[y].name", "c[0]", "c[1]"]);
        assert_eq!(names("a[x].b"), ["a", "b"]);
        let value = serde_json::json!([{ "id": "nodes", "b": 1 }, { "id": "login", "name": "x" }]);
        let found: Vec<String> = flat(&value).into_keys().collect();
        assert_eq!(found, ["[login].id", "[login].name", "[nodes].b", "[nodes].id"]);
        let value = serde_json::json!({ "labels": { "acme.com/team": "x", "": "y" } });
        let found: Vec<String> = flat(&value).into_keys().collect();
        assert_eq!(found, ["labels.\"\"", "labels.\"acme.com/team\""]);
        assert_eq!(names("a[0].\"acme.com/team\".b"), ["a", "acme.com/team", "b"]);
        assert_eq!(names("labels[app.kubernetes.io/name].c"), ["labels", "c"]);
    }
}
