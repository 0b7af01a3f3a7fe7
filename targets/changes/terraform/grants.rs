//! Rights that somebody has: nothing runs in them, and what runs is refused once they are gone.

use super::root::Root;
use crate::tree::Detail;
use crate::{Change, Effect};

pub(super) const REVOKED: &str = "a grant is taken away: who used it is refused from then on";
pub(super) const LESS: &str =
    "a grant is taken away, and another is given: what that does not hold is refused from then on";
const MORE: &str = "another grant takes its place, which holds all of it";

pub(super) const OTHERS: &str =
    "it takes the tokens of others: who is not named any more is refused from then on";

/// Roles of which each holds what those before it hold (IAM: "Roles and permissions").
const ASCENDING: &[&[&str]] = &[
    &[
        "roles/storage.objectViewer",
        "roles/storage.objectUser",
        "roles/storage.objectAdmin",
        "roles/storage.admin",
    ],
    &[
        "roles/artifactregistry.reader",
        "roles/artifactregistry.writer",
        "roles/artifactregistry.repoAdmin",
        "roles/artifactregistry.admin",
    ],
];

/// What tokens of others come in by: with it goes the right to act as an account.
const PROVIDER: &str = "google_iam_workload_identity_pool_provider";

/// Whether a resource is a right, or the way to one.
pub(super) fn is_grant(resource: &str) -> bool {
    ["_iam_member", "_iam_binding"].iter().any(|end| resource.ends_with(end))
        || [PROVIDER, "google_iam_workload_identity_pool"].contains(&resource)
}

/// Whether a right is the same after as before, though what it is on, or who has it, is looked up from now on, or made from now on: the value is.
/// What is looked up in another project is another thing.
pub(super) fn is_same(resource: &str, detail: &Detail, (old, new): (&Root, &Root)) -> bool {
    let is_abroad = |text: &str, root: &Root| {
        let looked_up = text.rsplit_once('.').and_then(|(block, _)| root.looked_up.get(block));
        looked_up.is_some_and(|it| it.contains_key("project"))
    };
    let place = |text: &Option<String>, root: &Root| {
        let text = text.as_deref()?.trim_start_matches("${").trim_end_matches('}');
        if is_abroad(text, root) {
            return None;
        }
        let (made, path) = text.strip_prefix("data.").map_or((true, text), |path| (false, path));
        let (block, field) = path.rsplit_once('.').filter(|_| path.starts_with("google_"))?;
        // a bucket's name is its id
        Some((made, block.to_owned(), if field == "id" { "name" } else { field }.to_owned()))
    };
    let bucket = "google_storage_bucket.";
    let told = |block: &str, field: &str| field == "member" || block.starts_with(bucket);
    match (place(&detail.before, old), place(&detail.after, new)) {
        (Some((made, block, field)), Some((then, other, as_then))) if is_grant(resource) => {
            let names = old.name_of(made, &block).zip(new.name_of(then, &other));
            made != then
                && block == other
                && field == as_then
                && told(&block, &field)
                && names.is_none_or(|(before, after)| before == after)
        }
        _ => false,
    }
}

/// Whether a right is on the same repository as before, which is named from now on where it was made, or made where it was named.
pub(super) fn is_same_repository(
    resource: &str,
    detail: &Detail,
    (old, new): (&Root, &Root),
) -> bool {
    if !is_grant(resource) || detail.path != "repository" {
        return false;
    }
    let called = |text: &Option<String>, root: &Root| -> Option<String> {
        let text = text.as_deref()?.trim_start_matches("${").trim_end_matches('}');
        let Some(block) = text.strip_suffix(".name") else { return Some(text.to_owned()) };
        root.instances.get(block)?.flat.get("repository_id").cloned()
    };
    let (before, after) = (called(&detail.before, old), called(&detail.after, new));
    before.is_some() && before == after
}

/// Whether a field of a provider says whose tokens it takes.
pub(super) fn says_who(resource: &str, path: &[&str]) -> bool {
    let fields = ["attribute_condition", "attribute_mapping", "oidc"];
    resource == PROVIDER && path.first().is_some_and(|first| fields.contains(first))
}

/// Whether a change takes a right away that somebody has, or a part of it.
pub(crate) fn revokes(change: &Change) -> bool {
    let resource = change.thing.split('.').next().unwrap_or_default();
    // what it is on is another thing, or who has it is somebody else
    let is_moved = change.follows.is_some() && change.effect == Effect::InPlace;
    [REVOKED, LESS, OTHERS].contains(&change.why.as_str()) || is_moved && is_grant(resource)
}

/// Whether a role holds all that another one does, as far as is known.
pub fn holds(role: &str, other: &str) -> bool {
    let place = |role: &str| {
        let found = ASCENDING.iter().enumerate();
        found
            .filter_map(|(list, roles)| Some((list, roles.iter().position(|it| *it == role)?)))
            .next()
    };
    let both = place(role).zip(place(other));
    role == other || both.is_some_and(|(is, was)| is.0 == was.0 && is.1 >= was.1)
}

/// What another value of a right does.
pub(super) fn other(path: &[&str], detail: &Detail) -> &'static str {
    let holds_all = detail.after.as_deref().zip(detail.before.as_deref());
    let holds_all =
        holds_all.is_some_and(|(after, before)| after != before && holds(after, before));
    if path == ["role"] && holds_all { MORE } else { LESS }
}
