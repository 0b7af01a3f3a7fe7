//! Backups of instances of Filestore, which are made before an apply, and restored behind it.

use super::root::Instance;
use crate::Change;
use std::collections::BTreeSet;

pub(crate) const KEPT: &str = "gcloud filestore backups create ";
const RESTORED: &str = "gcloud filestore instances restore ";
/// What brings a backup back by way of an instance of its own, and how each of these begins.
const BESIDE: [&str; 4] = [
    "gcloud filestore instances create ",
    "read -r FORMER NEXT <<<",
    "sudo mkdir -p /mnt/former /mnt/next ",
    "gcloud filestore instances delete ",
];

/// What makes one anew that an apply would change by itself.
pub(super) fn replaced(root: &str, address: &str) -> String {
    format!("terraform -chdir={root} apply -replace={address}")
}

/// Puts what is restored behind the apply of its folder: the one that is given already, since clusters go before it, or one of its own, behind the backups
/// of all that it makes anew.
pub(crate) fn restore_behind(found: &mut [Change]) {
    let is_restored =
        |it: &String| [RESTORED].iter().chain(&BESIDE).any(|starts| it.starts_with(starts));
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
    /// How networks reach it, where that is said.
    connect_mode: Option<&'i str>,
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
            connect_mode: said("networks", "connect_mode"),
        };
        (instance.resource == "google_filestore_instance").then_some(found)
    }

    fn is_in_zone(&self) -> bool {
        self.place.matches('-').count() == 2
    }

    /// Restored into one that is there.
    fn restored(&self, was: &Self) -> Vec<String> {
        let Self { name, place, share, .. } = self;
        vec![format!(
            "{RESTORED}{name} --zone={place} --file-share={share} --source-backup={}-before --source-backup-region={}  # once that is applied, before anything mounts it",
            was.name,
            was.region()
        )]
    }

    /// By way of one that is made of the backup, beside the one that is there: a machine that reaches both copies.
    fn copied(&self, was: &Self) -> Vec<String> {
        let [made, asked, copies, deletes] = BESIDE;
        let Self { name, place, share, .. } = self;
        let Self { name: former, share: its, tier, .. } = was;
        // where its tier is: in a zone, or in a region
        let alike = was.is_in_zone() == self.is_in_zone();
        let there = if alike { place } else { &was.place };
        let (region, capacity) = (was.region(), was.capacity.unwrap_or_default());
        let says = |of: &str, place: &str, what: &str| {
            format!(
                "$(gcloud filestore instances describe {of} --location={place} --format='value({what})')"
            )
        };
        let network = says(name, place, "networks[0].network");
        let mode = self.connect_mode.map(|it| format!(",connect-mode={it}")).unwrap_or_default();
        let beside = format!("{former}-former");
        let address = "networks[0].ipAddresses[0]";
        let addresses = [says(&beside, there, address), says(name, place, address)].join(" ");
        vec![
            format!(
                "{made}{beside} --location={there} --tier={tier} --file-share=name={its},capacity={capacity}GB,source-backup={former}-before,source-backup-region={region} --network=name=\"{network}\"{mode}  # once that is applied: into an instance that is there only backups of the basic tiers are restored, and into no less room"
            ),
            format!("{asked}\"{addresses}\"  # their addresses"),
            format!(
                "{copies}&& sudo mount -t nfs \"${{FORMER:?}}:/{its}\" /mnt/former && sudo mount -t nfs \"${{NEXT:?}}:/{share}\" /mnt/next && sudo rsync -aHAX /mnt/former/ /mnt/next/ && sudo umount /mnt/former /mnt/next  # on a machine of its network, with both addresses, before anything else mounts it; it stops where what there is does not fit"
            ),
            format!("{deletes}{beside} --location={there}  # once all of it is there"),
        ]
    }

    fn region(&self) -> &'i str {
        let region = self.place.rsplit_once('-').filter(|_| self.is_in_zone());
        region.map_or(self.place, |(region, _)| region)
    }
}

/// What keeps what is in an instance of Filestore that is destroyed, and what brings it into one that takes its place: into an instance that is there only
/// backups of the basic tiers are restored (Filestore: "Restore data"), and into a new one those of each.
pub(super) fn backed_up(old: &Instance, new: Option<&Instance>) -> Vec<String> {
    let Some(was) = Filestore::of(old) else { return Vec::new() };
    let Filestore { name, share, place, .. } = was;
    let (region, instance) = (was.region(), if was.is_in_zone() { "zone" } else { "location" });
    let kept = format!(
        "{KEPT}{name}-before --instance={name} --instance-{instance}={place} --file-share={share} --region={region}  # before it is applied, where what it holds is to be kept"
    );
    let back = new.and_then(Filestore::of).map(|is| {
        let is_basic = [was.tier, is.tier].iter().all(|it| it.starts_with("BASIC_"));
        // nothing is restored into less room than it comes from
        match is_basic && is.capacity >= was.capacity {
            true => is.restored(&was),
            false => is.copied(&was),
        }
    });
    [kept].into_iter().chain(back.unwrap_or_default()).collect()
}
