//! Outputs of Terraform that are others from then on, and the folders that take them.

use crate::toolkit::Again;
use crate::{
    Change, Effect, File, file_name, files, kubernetes, root_of, terraform, texts_of, toolkit,
};
use std::collections::BTreeSet;

const DEPLOYED_AGAIN: &str = "the cluster is deployed again";
const FILLED_ANEW: &str = "the folder is filled again, before it is applied";
const VOLUMES_ANEW: &str = "the folder is filled and applied again, and a volume in it deleted before, once nothing mounts it";

/// Tells of each output that is another from then on which folders take it, and have to be applied again. One that nobody takes is not told.
pub(crate) fn pass_on(
    found: &mut Vec<Change>,
    (before, after): (&[File<'_>], &[File<'_>]),
    built: &files::Built,
) {
    let others: BTreeSet<String> =
        found.iter().filter_map(terraform::other_output).map(str::to_owned).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let mut sides = Sides { before, after, built, others: &others, renewed: BTreeSet::new() };
    let served = sides.served();
    sides.renewed =
        served.iter().copied().filter(|root| toolkit::is_put_first(found, root)).collect();
    let mut readers = Vec::new();
    found.retain(|change| {
        let Some(name) = terraform::other_output(change) else { return true };
        let of_it: Vec<Change> =
            sides.readers(change, name).map(|it| sides.told(change, name, it)).collect();
        let is_taken = !of_it.is_empty();
        readers.extend(of_it);
        is_taken
    });
    found.extend(readers);
    let stands = |root: &&str| !sides.renewed.contains(root);
    served.into_iter().filter(stands).for_each(|root| toolkit::as_one(found, root));
}

/// Both outputs, and what of the foundation is another.
struct Sides<'s> {
    before: &'s [File<'s>],
    after: &'s [File<'s>],
    built: &'s files::Built,
    others: &'s [&'s str],
    /// The clusters that are taken away and deployed anew.
    renewed: BTreeSet<&'s str>,
}

impl<'s> Sides<'s> {
    /// The clusters whose hosts mount what is served elsewhere.
    fn served(&self) -> Vec<&'s str> {
        let clusters = self.after.iter().filter(|it| file_name(it.path) == "cluster.yaml");
        let roots: BTreeSet<&str> = clusters.map(|it| root_of(it.path)).collect();
        let is_served = |root: &&str| self.others.iter().any(|it| self.again(root, it).is_some());
        roots.into_iter().filter(is_served).collect()
    }

    fn again(&self, root: &str, name: &str) -> Option<Again> {
        let sides = (&texts_of(root, self.before), &texts_of(root, self.after));
        toolkit::served_elsewhere(root, (name, self.others), sides, self.built)
    }

    /// The files of other folders that take an output.
    fn readers(&self, change: &Change, name: &str) -> impl Iterator<Item = &'s File<'s>> {
        let is_there = |file: &&File<'_>| self.before.iter().any(|old| old.path == file.path);
        let takes = |file: &&File<'_>| {
            let is_script = file.path.ends_with(".sh") || files::is_of_cluster(file.path);
            let mut words = file.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            is_script && root_of(file.path) != change.root && words.any(|word| word == name)
        };
        let found: Vec<&'s File<'s>> = self.after.iter().filter(takes).filter(is_there).collect();
        found.into_iter()
    }

    /// What becomes of one of them.
    fn told(&self, change: &Change, name: &str, file: &File<'_>) -> Change {
        let root = root_of(file.path);
        let Again { effect, why, commands, leaves_data } = match files::is_of_cluster(file.path) {
            true => {
                let served = self.again(root, name).filter(|_| !self.renewed.contains(root));
                served.unwrap_or_else(|| self.deployed(root, file))
            }
            false => self.filled(root, name, file),
        };
        let from = format!("it takes `{name}` of {}, which is another then", change.root);
        let told = Change::of_file(effect, root, file.path, &format!("{from}: {why}"));
        Change { origin: change.origin.clone(), commands, leaves_data, ..told }
    }

    fn deployed(&self, root: &str, file: &File<'_>) -> Again {
        let (old, new) = (texts_of(root, self.before), texts_of(root, self.after));
        let again = toolkit::deployed_again(root, DEPLOYED_AGAIN, (&old, &new), self.built);
        match file_name(file.path) == "cluster.yaml" {
            true => again,
            false => Again { commands: Vec::new(), ..again },
        }
    }

    fn filled(&self, root: &str, name: &str, file: &File<'_>) -> Again {
        let of_root = self.before.iter().filter(|it| root_of(it.path) == root);
        let old: Vec<File<'_>> = of_root.copied().collect();
        let volumes = kubernetes::refilled(root, &old, name);
        let fills = file.path.ends_with("/fill-deferred.sh");
        let (why, commands) = match volumes.is_empty() {
            true => (FILLED_ANEW, fills.then(|| file.path.to_owned()).into_iter().collect()),
            false => (VOLUMES_ANEW, volumes),
        };
        Again { effect: Effect::ByHand, why: why.to_owned(), commands, leaves_data: false }
    }
}
