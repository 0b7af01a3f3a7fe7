//! What stays as it is although it is written otherwise: blocks that the provider fills in itself, which Terraform leaves where nothing says them any
//! more (optional and computed, by the schema), so that nobody is told but by us; and values of what is looked up from now on where it was made.

use super::root::{Instance, Root};
use crate::tree::{Detail, names};
use slipform_schema::Shape;
use std::collections::BTreeSet;

/// Of a block that stays.
const LEFT: &str = "nothing says it any more, and Terraform leaves it as it is";

/// What switches a block off that has a word, or no way by Terraform: the resource, the names that lead to it, what to do.
const OFF: &[(&str, &[&str], &str)] = &[
    (
        "google_container_node_pool",
        &["node_config", "gcfs_config"],
        "write `image_streaming = false`",
    ),
    (
        "google_container_cluster",
        &["private_cluster_config", "master_global_access_config"],
        "write `global_access = false`",
    ),
    (
        "google_container_cluster",
        &["authenticator_groups_config"],
        "`gcloud container clusters update CLUSTER --security-group=\"\"`",
    ),
];

/// What differs, without what is in blocks that stay, and what is said of these.
pub(super) fn apart(
    shape: Option<&Shape>,
    new: &Instance,
    found: Vec<Detail>,
) -> (Vec<Detail>, Vec<Detail>, Vec<String>) {
    let Some(shape) = shape else { return (found, Vec::new(), Vec::new()) };
    let mut told = BTreeSet::new();
    let (kept, others): (Vec<Detail>, Vec<Detail>) = found.into_iter().partition(|detail| {
        let block = left(shape, detail, new);
        told.extend(block.clone());
        block.is_some()
    });
    let told = told.iter().map(|block| said(&new.resource, shape, block));
    (others, kept, told.collect())
}

/// Whether a value is that of the same thing, which Terraform lets go of here and looks up from now on by the words that it was made with: the lookup
/// waits for nothing, so the plan knows that nothing changes.
pub(super) fn is_handed_over(detail: &Detail, (old, new): (&Root, &Root)) -> bool {
    let of_both = reference(&detail.before).zip(reference(&detail.after));
    let same = of_both.and_then(|(made, found)| same_thing((made, old), (found, new)));
    same.is_some_and(|block| new.released.contains(block))
}

/// Whether a value is that of the same thing, which was looked up by the words that it is made with from now on: where it is there Terraform takes it
/// over, and makes no other.
pub(super) fn is_taken_back(detail: &Detail, (old, new): (&Root, &Root)) -> bool {
    let of_both = reference(&detail.after).zip(reference(&detail.before));
    of_both.and_then(|(made, found)| same_thing((made, new), (found, old))).is_some()
}

/// The block that one side makes and the other looks up by the same words, where one value of it is meant.
fn same_thing<'r>((made, by): (&'r str, &Root), (found, at): (&str, &Root)) -> Option<&'r str> {
    let (block, _) = made.rsplit_once('.')?;
    let words = at.looked_up.get(&format!("data.{block}"))?;
    let instance = by.instances.get(block)?;
    let same = words.iter().all(|(path, word)| instance.flat.get(path) == Some(word));
    (same && found.strip_prefix("data.") == Some(made)).then_some(block)
}

/// What a value refers to, where it is nothing else.
fn reference(text: &Option<String>) -> Option<&str> {
    let text = text.as_deref()?;
    Some(text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or(text))
}

/// Whether a text says that something stays as it is.
pub(super) fn is_left(why: &str) -> bool {
    why.contains(LEFT)
}

/// The names of the block around a value that is gone, where the provider keeps it. Of blocks in each other the outermost that is gone
/// decides: what is in one that is taken away goes with it.
fn left(shape: &Shape, detail: &Detail, new: &Instance) -> Option<Vec<String>> {
    if detail.before.is_none() || detail.after.is_some() {
        return None;
    }
    let mut blocks = detail.path.match_indices('[').filter_map(|(at, _)| detail.path.get(..at));
    let is_there = |block: &&str| {
        let of_it = |path: &String| {
            path.strip_prefix(*block).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        new.flat.keys().any(of_it)
    };
    let outermost = blocks.find(|block| !is_there(block))?;
    let path = names(outermost);
    shape.keeps(&path).then(|| path.into_iter().map(str::to_owned).collect())
}

fn said(resource: &str, shape: &Shape, block: &[String]) -> String {
    let path: Vec<&str> = block.iter().map(String::as_str).collect();
    let off = OFF.iter().find(|(of, names, _)| *of == resource && *names == path);
    let how = match off {
        Some((.., how)) => format!("; to switch it off, {how}"),
        None if shape.replaces(&[path.as_slice(), &["enabled"]].concat()).is_some() => {
            let inner = path.iter().rev().fold("enabled = false".to_owned(), |inner, name| {
                format!("{name} = {{ {inner} }}")
            });
            format!("; to switch it off, patch `{inner}`")
        }
        None => String::new(),
    };
    format!("`{}`: {LEFT}{how}", path.join("."))
}
