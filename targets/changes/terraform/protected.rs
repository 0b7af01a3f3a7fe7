//! What stops the end of something that is there, and how that is lifted.

use super::Fate;
use super::root::{Instance, Root};
use crate::Effect;
use crate::tree::Detail;

/// Of a block that is taken away: what Terraform reads is the new text.
pub(super) const BARED: &str = "`prevent_destroy` goes with this change, and stops nothing";

const UNGUARDED: &str = "nothing stops its end from now on";

/// What becomes of what stays, together with `prevent_destroy` where that comes or goes: Terraform reads it, and no API has it.
pub(super) fn guarded_otherwise(
    old: &Instance,
    fate: Option<Fate>,
    (then, now): (&Root, &Root),
) -> Option<Fate> {
    let says = |root: &Root| root.protected.contains(&old.block()).then(|| "true".to_owned());
    let (before, after) = (says(then), says(now));
    if before == after || fate.as_ref().is_some_and(Fate::is_end) {
        return fate;
    }
    let why = if after.is_none() { UNGUARDED } else { "" };
    let mut fate = fate.unwrap_or_else(|| Fate::of(Effect::InPlace, Vec::new(), String::new()));
    if fate.effect == Effect::InPlace && fate.why.is_empty() {
        fate.why = why.to_owned();
    }
    fate.details.push(Detail { path: "lifecycle.prevent_destroy".to_owned(), before, after });
    Some(fate)
}

/// How whatever an apply stops at ends, once others are gone.
pub(crate) const HALF_WAY: &str = ": the apply stops there, after others are gone";

/// Of a protection that is not lifted by an apply before.
pub(crate) const LATE: &str =
    ", as it was applied last: the apply stops there, after others are gone";

/// What stops the end of something that is there: `prevent_destroy` of the texts that Terraform reads, of the protections what was
/// applied last.
pub(super) fn protection(old: &Instance, read: &Root) -> Option<&'static str> {
    let says = |field: &str, word: &str| old.flat.get(field).is_some_and(|it| it == word);
    if read.protected.contains(&old.block()) {
        Some("`prevent_destroy`: Terraform stops before it does anything")
    } else if says("deletion_policy", "PREVENT") {
        Some("`deletion_policy`: the provider does not destroy it")
    } else if says("deletion_protection", "true") {
        Some("`deletion_protection`: the provider does not destroy it")
    } else if says("deletion_protection_enabled", "true") {
        Some("`deletion_protection_enabled`: the provider is not let destroy it")
    } else if old.resource == "google_storage_bucket" && !says("force_destroy", "true") {
        Some("the bucket itself, as long as something is in it")
    } else {
        None
    }
}

/// Of a protection that goes in the same change as what it protects.
pub(super) const LIFTED_TOO: &str = "`deletion_protection = false`, which is part of this change and comes too late for it: two applies, the first with that word alone";

/// Whether something says that nothing protects it.
pub(super) fn is_unprotected(new: &Instance) -> bool {
    let says = |field: &str, word: &str| new.flat.get(field).is_some_and(|it| it == word);
    says("deletion_policy", "DELETE")
        || says("deletion_protection", "false")
        || says("deletion_protection_enabled", "false")
}

/// How what stops the end of something is lifted, where Terraform reads these texts. A bucket that is guarded is refused empty as well.
pub(super) fn lift(old: &Instance, read: &Root) -> String {
    let guard = "`deletion_protection = false` in the blueprint, built and applied before it goes";
    let is_bucket = old.resource == "google_storage_bucket";
    let empty = match old.flat.get("name").filter(|_| is_bucket) {
        Some(name) => format!("`gcloud storage rm --recursive 'gs://{name}/**'`"),
        None => "emptying it".to_owned(),
    };
    match (is_bucket, read.protected.contains(&old.block())) {
        (true, false) => format!("{empty}, once nobody needs it"),
        (true, true) => format!("{guard}; and then {empty}, once nobody needs what is in it"),
        (false, _) => guard.to_owned(),
    }
}
