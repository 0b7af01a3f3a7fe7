//! What commands take away of what a run saves, against where it saves.

use super::nodes::own;
use super::records::Removed;
use super::said::{Launch, paths};
use super::told::Placed;
use crate::NounId;
use crate::catalog::Meaning;
use crate::plan::{Door, Fate, Plan, Program, Question, Removal, Source};
use slipform_source::{Span, Spanned};

/// A folder that is saved in, by each name that it has.
struct Saved {
    written: String,
    path: String,
    names: Vec<String>,
    /// It is there at the next start, whatever commands do.
    lasts: bool,
}

/// What is taken away of what is saved, each at its command.
pub(super) fn removed(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Removed>>>> {
    let (line, program) = (plan.command_line(id)?, plan.program(id)?);
    if line.removals.is_empty() {
        return Some(Placed(Vec::new()));
    }
    let saved = saved(plan, id)?;
    let names = plan.model.catalog.names("commands.checkpoints");
    let ranks = plan.model.catalog.names("commands.ranks_alone");
    let asked = line
        .removals
        .iter()
        .filter(|it| it.questions.iter().all(|of| saves_nothing(of, it, ranks)));
    let found = asked.filter_map(|removal| {
        let (folder, how) =
            saved.iter().find_map(|it| Some((it, lost(program, removal, it, names)?)))?;
        // what is moved to where it is loaded from is kept
        let loads = |said: &crate::plan::Said| match &removal.how {
            Fate::Moved(to) => {
                said.means != Some(Meaning::Saves)
                    && said
                        .value
                        .as_ref()
                        .is_some_and(|it| it.starts_with(to.trim_end_matches('/')))
            }
            Fate::Removed | Fate::Mirrored(_) => false,
        };
        if line.options.iter().any(loads) {
            return None;
        }
        let at_end = removal.behind || matches!(removal.door, Door::Cleanup(_));
        let told = Removed {
            line: removal.line.clone(),
            written: folder.written.clone(),
            path: folder.path.clone(),
            how: how.to_owned(),
            at_end,
            copied: removal.copied,
        };
        Some(Spanned::new(told, place(plan, id, removal)?))
    });
    Some(Placed(found.collect()))
}

/// Whether a question lets a command do at each start what it does at one: what it takes away is there, and one of the nodes does it.
fn saves_nothing(question: &Question, removal: &Removal, ranks: &[String]) -> bool {
    match question {
        Question::There(path) => {
            let above = format!("{}/", path.trim_end_matches('/'));
            format!("{}/", removal.what.trim_end_matches('/')).starts_with(&above)
        }
        Question::Holds(names) => names.iter().all(|it| ranks.contains(it)),
        Question::Each | Question::Piped | Question::Itself => true,
        Question::Other => false,
    }
}

/// What becomes of what is saved in a folder by a command: nothing where it stays.
fn lost(
    program: &Program,
    removal: &Removal,
    saved: &Saved,
    names: &[String],
) -> Option<&'static str> {
    let takes = saved.lasts && saved.names.iter().any(|name| removal.takes(name, names));
    match &removal.how {
        Fate::Removed => takes.then_some("removes"),
        Fate::Moved(_) => takes.then_some("moves away"),
        // a folder that is empty when a run starts
        Fate::Mirrored(from) => {
            let is_empty = !lasts(program, from) && !removal.copied;
            let mirrors = || {
                let from = format!("{}/", from.trim_end_matches('/'));
                !saved.lasts
                    && format!("{}/", saved.path).starts_with(&from)
                    && lasts(program, &removal.what)
            };
            (is_empty && (takes || mirrors())).then_some("makes an empty folder of")
        }
    }
}

/// Whether what lies at a path, or an address, is there at the next start.
fn lasts(program: &Program, path: &str) -> bool {
    if !path.starts_with('/') {
        // a host, or a bucket
        return path.contains(':');
    }
    let holder = program.holder(path).map(|(_, mount)| &mount.source.value);
    holder.is_some_and(|source| !matches!(source, Source::Scratch { .. }))
}

/// Where a run saves: in mounts, whose buckets have addresses as well, and in buckets by these.
fn saved(plan: &Plan, id: NounId) -> Option<Vec<Saved>> {
    let (line, program) = (plan.command_line(id)?, plan.program(id)?);
    let told = paths(plan, id)?.0.into_iter().map(|it| it.value);
    let told = told.filter(|it| it.means == Meaning::Saves.name() && it.mount.is_some());
    let mounted = told.filter_map(|it| {
        let (_, mount) = program.holder(&it.path)?;
        let own = it.path.strip_prefix(mount.path.value.trim_end_matches('/'));
        let address = match &mount.source.value {
            Source::Bucket { name, .. } => {
                let folder = mount.folder.iter().map(|it| format!("/{it}"));
                let folder: String = folder.collect();
                Some(format!("gs://{name}{folder}{}", own.unwrap_or_default()))
            }
            Source::Share { .. }
            | Source::Scratch { .. }
            | Source::LocalCheckpoints { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => None,
        };
        let names = [it.path.clone()].into_iter().chain(address).collect();
        let lasts = lasts(program, &it.path);
        Some(Saved { written: it.written, path: it.path, names, lasts })
    });
    let remote = line.options.iter().filter(|it| it.means == Some(Meaning::Saves));
    let remote = remote.filter_map(|it| {
        let path = it.value.clone().filter(|it| it.contains("://"))?;
        let (written, names) = (it.option.clone(), vec![path.clone()]);
        Some(Saved { written, path, names, lasts: true })
    });
    Some(mounted.chain(remote).collect())
}

/// Where a command stands.
fn place(plan: &Plan, id: NounId, removal: &Removal) -> Option<Span> {
    let own = own(plan, id)?;
    // a command without words is none
    let of = |all: &[Spanned<Vec<crate::nouns::Argument>>], number: usize| {
        all.iter().filter(|it| !it.value.is_empty()).nth(number).map(|it| it.span)
    };
    let launch = Launch::of(plan, id)?;
    let at = match removal.door {
        Door::Setup(number) => of(own.setup, number),
        Door::Cleanup(number) => of(own.cleanup, number),
        Door::Launch | Door::Sidecar(_) | Door::Ready | Door::Script(_) => {
            launch.place(&removal.what)
        }
    };
    Some(at.unwrap_or(launch.span))
}
