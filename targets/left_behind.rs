//! The page of what earlier builds made and the blueprint has no more: `LEFT-BEHIND.md` in an output folder.
//!
//! A noun that leaves a blueprint does not leave the cloud. The page has the commands that take away what was applied.

use crate::artifact::Applied;
use crate::kubernetes::deferred;
use crate::shell;
use crate::template::Templates;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use slipform_model::Diagnostic;
use std::cmp::Reverse;
use std::sync::LazyLock;

/// The name of the page.
pub const LEFT_BEHIND: &str = "LEFT-BEHIND.md";

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::of_pages(&[(LEFT_BEHIND, include_str!("templates/LEFT-BEHIND.md"))])
});

/// What makes a folder build whose values nobody filled in, by the script that does; nothing where a file is no such script.
pub fn filled_anyhow(script: &Utf8Path, text: &str) -> Option<String> {
    (script.file_name() == Some(deferred::FILLING))
        .then(|| deferred::filled_anyhow(script, text))?
}

/// The folders that such a page speaks of.
pub fn folders(page: &str) -> impl Iterator<Item = &str> {
    page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'))
}

/// A folder that the blueprint asks for no more, and what may still be there of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftBehind {
    /// Where it lies, relative to the output folder.
    pub folder: Utf8PathBuf,
    /// What was applied from it.
    pub remains: Remains,
}

/// What commands made of a noun where its script looks for it no more: in another zone, under another name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FormerMachines {
    /// The folder of that script.
    pub folder: String,
    /// What takes it away.
    pub command: String,
}

/// What is still there without a folder of its own.
#[derive(Clone, Copy, Default, Debug)]
pub struct Former<'a> {
    /// Projects that builds into this folder were of.
    pub projects: &'a [String],
    /// Machines where no script looks for them.
    pub machines: &'a [FormerMachines],
}

/// What was applied from a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remains {
    /// Resources that Terraform keeps.
    Resources {
        /// Some of them cannot be destroyed before that is lifted in the folder's files.
        protected: bool,
        /// Which of them are someone else's by now.
        released: Released,
        /// The script that takes away what commands made of them, and no state has.
        made: Option<Utf8PathBuf>,
    },
    /// A cluster that Cluster Toolkit deployed.
    Deployment {
        /// What takes it away.
        commands: Vec<String>,
    },
    /// What commands made, or asked for.
    Made {
        /// The script that takes it away.
        script: Utf8PathBuf,
    },
    /// Objects of Kubernetes.
    Objects {
        /// The folders that were applied.
        folders: Vec<Utf8PathBuf>,
        /// What makes them build without the values that Terraform made, which may be gone.
        filling: Vec<String>,
        /// Where they are, if that is known.
        applied: Option<Applied>,
    },
}

/// What Terraform is to forget instead of destroying it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Released {
    /// These addresses, if any.
    Addresses(Vec<String>),
    /// Everything in the root.
    Root,
}

impl LeftBehind {
    /// The commands that take it away, run in the output folder.
    pub fn commands(&self) -> Vec<String> {
        let folder = shell::quote(self.folder.as_str());
        match &self.remains {
            Remains::Objects { folders, filling, .. } => {
                let delete =
                    |it: &Utf8PathBuf| format!("kubectl delete -k {}", shell::quote(it.as_str()));
                filling.iter().cloned().chain(folders.iter().map(delete)).collect()
            }
            Remains::Resources { released: Released::Root, .. } => vec![format!(
                "terraform -chdir={folder} state list | while read -r it; do terraform -chdir={folder} state rm \"$it\"; done"
            )],
            Remains::Resources { released: Released::Addresses(addresses), made, .. } => {
                let forget = addresses.iter().map(|address| {
                    format!("terraform -chdir={folder} state rm {}", shell::quote(address))
                });
                let made = made.iter().map(|script| shell::quote(script.as_str()));
                let destroy = format!("terraform -chdir={folder} destroy");
                made.chain(forget).chain([destroy]).collect()
            }
            Remains::Deployment { commands } => commands.clone(),
            Remains::Made { script } => vec![shell::quote(script.as_str())],
        }
    }
}

#[derive(Serialize)]
struct Page<'a> {
    name: &'a str,
    environment: &'a str,
    /// Projects that builds into this folder were of.
    projects: &'a [String],
    machines: &'a [FormerMachines],
    /// Some of it is in the state of Terraform.
    state: bool,
    folders: Vec<Folder<'a>>,
}

#[derive(Serialize)]
struct Folder<'a> {
    path: &'a str,
    terraform: bool,
    protected: bool,
    forgotten: bool,
    /// Commands made something of it, or all that there is.
    made: bool,
    /// Cluster Toolkit deployed it.
    deployed: bool,
    applied: Option<&'a Applied>,
    commands: Vec<String>,
}

/// Writes the page. What runs in a cluster comes before the cluster, and that before what it stands on.
///
/// # Errors
///
/// What has no spelling there.
pub fn left_behind(
    name: &str,
    environment: &str,
    former: Former<'_>,
    left: &[LeftBehind],
) -> Result<String, Box<Diagnostic>> {
    let mut folders: Vec<Folder<'_>> = left.iter().map(folder).collect();
    // what is no object of Kubernetes stands on roots, as roots do
    let is_ground = |it: &Folder<'_>| it.terraform || it.made || it.deployed;
    let place = |it: &Folder<'_>| (stage(it.path).to_owned(), it.path.to_owned());
    folders.sort_by_cached_key(|it| (is_ground(it), Reverse(place(it))));
    let state = folders.iter().any(|folder| folder.terraform || folder.deployed);
    let Former { projects, machines } = former;
    let page = Page { name, environment, projects, machines, state, folders };
    TEMPLATES.page(LEFT_BEHIND, &page)
}

/// `50-workloads/train` of `left-behind/2/50-workloads/train`: what stands on something has the larger number, whichever move left it behind.
fn stage(path: &str) -> &str {
    let Some(moved) = path.strip_prefix("left-behind/") else { return path };
    let numbered = moved.split_once('/').filter(|(n, _)| n.bytes().all(|it| it.is_ascii_digit()));
    numbered.map_or(moved, |(_, rest)| rest)
}

fn folder(left: &LeftBehind) -> Folder<'_> {
    let folder = Folder {
        path: left.folder.as_str(),
        terraform: false,
        protected: false,
        forgotten: false,
        made: false,
        deployed: false,
        applied: None,
        commands: left.commands(),
    };
    match &left.remains {
        Remains::Resources { protected, released, made } => {
            let forgotten = *released == Released::Root;
            let protected = *protected && !forgotten;
            Folder { terraform: true, protected, forgotten, made: made.is_some(), ..folder }
        }
        Remains::Deployment { .. } => Folder { deployed: true, ..folder },
        Remains::Made { .. } => Folder { made: true, ..folder },
        Remains::Objects { applied, .. } => Folder { applied: applied.as_ref(), ..folder },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(folder: &str, protected: bool, released: Released) -> LeftBehind {
        let remains = Remains::Resources { protected, released, made: None };
        LeftBehind { folder: folder.into(), remains }
    }

    #[test]
    fn the_page_has_the_commands_in_the_order_in_which_they_work() {
        let forgotten = vec!["google_filestore_instance.home".to_owned()];
        let objects = |folder: &str, applied| LeftBehind {
            folder: folder.into(),
            remains: Remains::Objects {
                folders: vec![format!("{folder}/overlays/dev").into()],
                filling: Vec::new(),
                applied,
            },
        };
        let script = |folder: &str| Utf8PathBuf::from(format!("{folder}/delete.sh"));
        let made = |folder: &str, remains| LeftBehind { folder: folder.into(), remains };
        let none = Released::Addresses(Vec::new());
        let commands = vec!["gcluster create".to_owned(), "gcluster destroy hpc".to_owned()];
        let desk =
            Remains::Resources { protected: false, released: none, made: Some(script("30-desk")) };
        let there = Applied {
            cluster: "aa".to_owned(),
            namespace: "team".to_owned(),
            place: None,
            made: false,
        };
        let left = [
            root("10-foundation", false, Released::Addresses(forgotten)),
            root("30-aa", true, Released::Addresses(Vec::new())),
            root("30-theirs", true, Released::Root),
            made("30-chips", Remains::Made { script: script("30-chips") }),
            made("30-desk", desk),
            made("30-hpc", Remains::Deployment { commands }),
            objects("left-behind/50-workloads/a b", None),
            objects("left-behind/50-workloads/train", Some(there)),
        ];
        insta::assert_snapshot!(left_behind("training", "dev", Former::default(), &left).unwrap());
    }

    #[test]
    fn what_runs_in_a_queue_goes_before_it_whichever_move_left_them_behind() {
        let objects = |folder: &str| LeftBehind {
            folder: folder.into(),
            remains: Remains::Objects {
                folders: vec![folder.into()],
                filling: Vec::new(),
                applied: None,
            },
        };
        let all = [
            "left-behind/10/40-b1-queues",
            "left-behind/2/50-workloads/train",
            "left-behind/40-a1-queues",
            "left-behind/50-workloads/train",
        ];
        let left = all.map(objects);
        let page = left_behind("training", "dev", Former::default(), &left).unwrap();
        let order: Vec<&str> = folders(&page).collect();
        let [b1, train_2, a1, train] = all;
        assert_eq!(order, [train, train_2, b1, a1]);
    }

    #[test]
    fn another_project_leaves_the_whole_estate_behind() {
        let former = Former { projects: &["old-1".to_owned()], machines: &[] };
        let page = left_behind("training", "dev", former, &[]).unwrap();
        assert!(page.contains("## Project `old-1`\n"), "{page}");
        assert!(page.contains("Tear down") && !page.contains("folders below"), "{page}");
    }
}
