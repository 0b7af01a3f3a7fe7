//! Backups of instances of Filestore, which are made before an apply, and restored behind it.

use super::root::Instance;
use crate::Change;
use std::collections::BTreeSet;

const KEPT: &str = "gcloud filestore backups create ";
const RESTORED: &str = "gcloud filestore instances restore ";

/// What makes one anew that an apply would change by itself.
pub(super) fn replaced(root: &str, address: &str) -> String {
    format!("terraform -chdir={root} apply -replace={address}")
}

/// Puts what is restored behind the apply of its folder: the one that is given already, since clusters go before it, or one of its own, behind the backups
/// of all that it makes anew.
pub(crate) fn restore_behind(found: &mut [Change]) {
    let is_restored = |it: &String| it.starts_with(RESTORED);
    let restores = |it: &&Change| it.commands.iter().any(is_restored);
    let roots: BTreeSet<String> = found.iter().filter(restores).map(|it| it.root.clone()).collect();
    for root in roots {
        let of_root = |it: &&mut Change| it.root == root;
        let (mut kept, mut restored) = (Vec::new(), Vec::new());
        for change in found.iter_mut().filter(of_root) {
            restored.extend(change.commands.extract_if(.., |it| is_restored(it)));
            kept.extend(change.commands.iter().filter(|it| it.starts_with(KEPT)).cloned());
        }
        let apply = format!("terraform -chdir={root} apply");
        let replaces = |it: &String| it.starts_with(&replaced(&root, ""));
        let anew: BTreeSet<String> = found
            .iter()
            .filter(|it| it.root == root)
            .flat_map(|it| &it.commands)
            .filter(|it| replaces(it))
            .map(|it| it.replacen(&apply, "", 1))
            .collect();
        for change in found.iter_mut().filter(of_root) {
            change.commands.retain(|it| !replaces(it));
        }
        let is_given = found.iter().any(|it| it.commands.contains(&apply));
        let applied = format!("{apply}{}", anew.into_iter().collect::<String>());
        let own = [kept, vec![applied.clone()], restored.clone()].concat();
        for change in found.iter_mut() {
            let keeps = change.commands.iter().any(|it| it.starts_with(KEPT));
            if let Some(at) = change.commands.iter().position(|it| *it == apply) {
                let given = std::iter::once(&applied).chain(&restored);
                change.commands.splice(at..=at, given.cloned());
            } else if !is_given && keeps && change.root == root {
                change.commands.retain(|it| !it.starts_with(KEPT));
                change.commands.extend(own.iter().cloned());
            }
        }
    }
}

/// An instance of Filestore whose words say which it is.
struct Filestore<'i> {
    name: &'i str,
    share: &'i str,
    place: &'i str,
    tier: &'i str,
    /// In GiB, where it is known.
    capacity: Option<u64>,
}

impl<'i> Filestore<'i> {
    fn of(instance: &'i Instance) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let said = |starts: &str, name: &str| {
            let ends = |path: &str| path.rsplit('.').next() == Some(name);
            let mut found =
                instance.flat.iter().filter(|(path, _)| path.starts_with(starts) && ends(path));
            found.find_map(|(_, value)| Some(value.as_str()).filter(|it| it.chars().all(is_plain)))
        };
        let found = Self {
            name: said("name", "name")?,
            share: said("file_shares", "name")?,
            place: said("location", "location")?,
            tier: said("tier", "tier").unwrap_or_default(),
            capacity: said("file_shares", "capacity_gb").and_then(|it| it.parse().ok()),
        };
        (instance.resource == "google_filestore_instance").then_some(found)
    }

    fn is_in_zone(&self) -> bool {
        self.place.matches('-').count() == 2
    }

    fn region(&self) -> &'i str {
        let region = self.place.rsplit_once('-').filter(|_| self.is_in_zone());
        region.map_or(self.place, |(region, _)| region)
    }
}

/// What keeps what is in an instance of Filestore that is destroyed, and what brings it into one that takes its place: into an instance that is there only
/// backups of the basic tiers are restored.
pub(super) fn backed_up(old: &Instance, new: Option<&Instance>) -> Vec<String> {
    let Some(was) = Filestore::of(old) else { return Vec::new() };
    let Filestore { name, share, place, .. } = was;
    let (region, instance) = (was.region(), if was.is_in_zone() { "zone" } else { "location" });
    let kept = format!(
        "{KEPT}{name}-before --instance={name} --instance-{instance}={place} --file-share={share} --region={region}  # before it is applied, where what it holds is to be kept"
    );
    let is = new.and_then(Filestore::of);
    let is = is.filter(|is| [was.tier, is.tier].iter().all(|it| it.starts_with("BASIC_")));
    // nothing is restored into less room than it comes from
    let is = is.filter(|is| is.capacity >= was.capacity);
    let restored = is.map(|is| {
        format!(
            "{RESTORED}{} --zone={} --file-share={} --source-backup={name}-before --source-backup-region={region}  # once that is applied, before anything mounts it",
            is.name, is.place, is.share
        )
    });
    [kept].into_iter().chain(restored).collect()
}
