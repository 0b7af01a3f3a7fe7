//! What stands where no apply of this output looks for it: states under another prefix, and all of an environment that is no more.

use super::before::{Before, holds_builds};
use super::groups::{Group, Groups};
use super::moved::name_places;
use super::words::arrow;
use crate::Context;
use crate::args::PlanArgs;
use crate::blueprint::Blueprint;
use crate::folder::Folder;
use crate::stop::Stop;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Detail, Effect, File, changes, quoted};
use slipform_targets::Artifact;
use std::collections::{BTreeMap, BTreeSet};

const OTHER_PREFIX: &str =
    "its state lies under the former name: an apply finds none, and makes all of it a second time";

const RENAMED: &str = "where it only got another name, keep the former one: under another all of it is made a second time";

/// The states of Terraform of a project that has another name: their prefix begins with it.
pub(super) fn elsewhere(before: &Before, now: &Analysis, new: &[Artifact]) -> Option<Group> {
    let model = &now.plan.as_ref()?.model;
    let then = before.name.as_deref().filter(|then| **then != *model.name)?;
    let old = roots(before.files.iter().map(|(path, _)| path.as_str()));
    let stay =
        roots(new.iter().map(|it| it.path.as_str())).into_iter().filter(|it| old.contains(it));
    let moved = |root: &str| {
        let prefix = |name: &str| format!("{name}/{}/{root}", model.environment);
        let (from, to) = (prefix(then), prefix(&model.name));
        let init = |how: &str, prefix: &str| {
            let prefix = quoted(&format!("prefix={prefix}"));
            format!(
                "terraform -chdir={root} init {how} -backend-config=\"bucket=$STATE\" -backend-config={prefix}"
            )
        };
        Change {
            commands: vec![init("-reconfigure", &from), init("-migrate-state", &to)],
            details: vec![Detail {
                path: "prefix".to_owned(),
                before: Some(from),
                after: Some(to),
            }],
            thing: "state".to_owned(),
            ..Change::of_file(Effect::ByHand, root, &format!("{root}/"), OTHER_PREFIX)
        }
    };
    let moved: Vec<Change> = stay.map(moved).collect();
    let group = Group::of_all(format!("project {}", model.name), Effect::ByHand, moved);
    let fields = vec![arrow("name", Some(then), Some(&model.name))];
    (!group.changes.is_empty()).then_some(Group { fields, is_noun: true, ..group })
}

/// The folders that Terraform applies.
fn roots<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let files = paths.filter(|path| path.ends_with(".tf"));
    files.filter_map(|path| Some(path.split_once('/')?.0)).collect()
}

/// How protections are lifted of what no build renders any more.
pub(super) const TORN_DOWN: &str = "what \"Tear down\" of its `README.md` says";

/// What becomes of the environments that the other side has, and this one does not.
pub(super) fn gone_environments(
    args: &PlanArgs,
    blueprint: &Blueprint,
    now: &[Analysis],
    others: &[Before],
    context: &Context<'_, '_>,
) -> Result<Vec<Groups>, Stop> {
    let Some(first) = now.first().filter(|_| args.env.is_empty()) else { return Ok(Vec::new()) };
    let projects = now.iter().filter_map(|it| it.project.as_ref());
    let known: BTreeSet<&String> =
        projects.flat_map(|it| it.environments.iter().chain([&it.environment])).collect();
    if let Some(out) = builds(args, blueprint, first, context) {
        let names = now.iter().filter_map(|it| Some(&it.plan.as_ref()?.model.name));
        let names: BTreeSet<&str> = names.map(|it| &**it).collect();
        let built = out.environments(|name| names.contains(name)).into_iter();
        let gone = built.filter(|(name, _)| !known.contains(name));
        let told = gone.map(|(name, it)| {
            Ok(gone_environment(&name, &Before::built(&it.shown, &it.at, first)?))
        });
        return told.collect();
    }
    let Some(against) = &args.against else { return Ok(Vec::new()) };
    let then: BTreeSet<&String> = others.iter().flat_map(|it| &it.environments).collect();
    let gone = then.into_iter().filter(|name| !known.contains(name));
    gone.map(|name| {
        let before = Before::in_environment(against, blueprint, (first, name), context)?;
        Ok(gone_environment(name, &before))
    })
    .collect()
}

/// The folder that has a folder for each environment that was built, where that is the other side.
fn builds(
    args: &PlanArgs,
    blueprint: &Blueprint,
    now: &Analysis,
    context: &Context<'_, '_>,
) -> Option<Folder> {
    let Some(against) = &args.against else {
        let out = &now.project.as_ref()?.out;
        return Some(Folder { shown: blueprint.base.join(out), at: blueprint.folder.join(out) });
    };
    let at = context.folder.join(against);
    holds_builds(&at).then(|| Folder { shown: against.into(), at })
}

fn gone_environment(name: &str, before: &Before) -> Groups {
    let old: Vec<File<'_>> = before.files.iter().map(|(path, text)| File { path, text }).collect();
    let mut left = changes(&old, &[]);
    left.retain(|change| change.effect == Effect::ByHand);
    // what stands on something is taken away before it
    left.sort_by(|a, b| b.root.cmp(&a.root));
    name_places(&mut left, before);
    for change in left.iter_mut().filter(|it| it.lifted_by.is_some()) {
        change.lifted_by = Some(TORN_DOWN.to_owned());
    }
    let nouns = before.nouns.iter();
    let runs = nouns.filter(|noun| noun.kind == "workload").map(|noun| noun.path.clone());
    let group = Group {
        ends: runs.collect(),
        fields: vec!["gone".to_owned()],
        is_noun: true,
        help: Some(RENAMED.to_owned()),
        ..Group::of_all(format!("environment {name}"), Effect::ByHand, left)
    };
    Groups {
        environment: name.to_owned(),
        project: None,
        against: before.shown.clone(),
        causes: Vec::new(),
        groups: if group.changes.is_empty() { Vec::new() } else { vec![group] },
        by_facts: false,
        leaving: BTreeSet::new(),
        turns: Vec::new(),
        again: Vec::new(),
        fresh: BTreeSet::new(),
        untouched: Vec::new(),
        starts: BTreeMap::new(),
    }
}
