//! `slipform build`: renders, then writes, compares or prints. Nothing is written unless everything that was asked for
//! can be.

pub(crate) mod told;

use crate::Context;
use crate::args::BuildArgs;
use crate::blueprint::Blueprint;
use crate::check::{compare_environments, render, tell};
use crate::folder::{Change, Changes, Content, File, Folder, Left, Permission, is_inside};
use crate::manifest::Manifest;
use crate::plan::{origins, paths_by_kind, places, rights, runs_by_noun};
use crate::report;
use crate::stop::{ExitStatus, Stop};
use crate::watch::{leave, watch};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Project};
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, nearest, similar};
use slipform_source::Sources;
use slipform_targets::left_behind::{Former, LEFT_BEHIND, LeftBehind, left_behind};
use slipform_targets::{Artifact, TARGETS};
use std::collections::BTreeSet;

slipform_source::codes! {
    pub(crate) CODES;
    OUTPUT_ENVIRONMENT = "output/environment":
        "the name of an environment cannot be the name of a folder",
        "name a folder with `--out`, or rename the environment";
    USAGE_ENVIRONMENT = "usage/environment":
        "it is not clear which environment is meant",
        "name one with `--env`, or build all with `--all-envs`";
    USAGE_TARGET = "usage/target":
        "there is no such target",
        "`slipform build --help` lists them";
}

pub(crate) fn run(args: &BuildArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    match args.watch {
        true => watch(context, |context| once(args, context)),
        false => once(args, context),
    }
}

fn once(args: &BuildArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let targets = targets(&args.target)?;
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = analyses(args, &blueprint)?;
    let rendered: Vec<Vec<Artifact>> =
        analyses.iter_mut().map(|analysis| render(analysis, &targets)).collect();
    compare_environments(&blueprint, &mut analyses);
    let told = tell(&blueprint, &analyses, context);
    if told.status != ExitStatus::Clean {
        let what = format!("nothing built from {}", blueprint.shown);
        report::summary(context.console, context.format, &what, &told.diagnostics);
        return Ok(told.status);
    }
    let builds = analyses.into_iter().zip(rendered).filter_map(|(analysis, artifacts)| {
        Some(Build {
            sources: analysis.sources,
            project: analysis.project?,
            plan: analysis.plan?,
            artifacts,
        })
    });
    let builds: Vec<Build> = builds.collect();
    if args.stdout {
        print(&builds, context);
        leave(builds, args.watch);
        return Ok(ExitStatus::Clean);
    }
    let mut changes = Vec::new();
    let gone = match args.out {
        Some(_) => Vec::new(),
        None => told::gone_environments(&blueprint, &builds),
    };
    for build in builds {
        let folder = folder(args, &blueprint, &build, context)?;
        changes.push(build.step(args, &targets, &folder)?);
    }
    if let Some(last) = changes.last_mut() {
        last.told.extend(gone);
    }
    match args.check {
        true => Ok(compare(&changes, context)),
        false => write(&changes, &blueprint, context),
    }
}

/// One environment, rendered.
struct Build {
    sources: Sources,
    project: Project,
    plan: Plan,
    artifacts: Vec<Artifact>,
}

/// What is to happen in one output folder.
struct Step {
    /// The folder, as the user knows it.
    shown: Utf8PathBuf,
    changes: Changes,
    told: Vec<Diagnostic>,
}

impl Build {
    fn step(mut self, args: &BuildArgs, targets: &[&str], folder: &Folder) -> Result<Step, Stop> {
        let last = folder.last();
        let mut content = self.content(targets, last.as_ref());
        let own = last.filter(|last| {
            last.blueprint == content.blueprint && last.environment == content.environment
        });
        let left = own.as_ref().map(|last| folder.left_behind(last, &content, &self.plan));
        let left: Vec<Left> = left.unwrap_or_default();
        let going = own.as_ref().map(|last| told::taken_away(folder, last, &content));
        let made = own.as_ref().map(|last| folder.former_machines(last, &content, &left));
        content.former_machines = made.filter(|_| !args.prune).unwrap_or_default();
        let before = own.as_ref().map(|last| last.projects_before(content.project.as_deref()));
        content.former_projects = before.filter(|_| !args.prune).unwrap_or_default();
        let mut told =
            own.map_or_else(Vec::new, |last| told::taken_over(&last, &self.plan, &content));
        told.extend(going.into_iter().flatten());
        told.extend(told::former_machines(&content.former_machines));
        let is_left = !left.is_empty()
            || !content.former_projects.is_empty()
            || !content.former_machines.is_empty();
        if is_left && !args.prune {
            let left: Vec<LeftBehind> = left.iter().map(|left| left.told.clone()).collect();
            let (now, before) = (content.project.as_deref(), &content.former_projects);
            told.extend(told::other_projects(&folder.shown, now, before));
            told.extend(told::left_behind(&folder.shown, &left));
            let former = Former { projects: before, machines: &content.former_machines };
            match left_behind(&content.blueprint, &content.environment, former, &left) {
                Ok(page) => content.files.push(File {
                    path: LEFT_BEHIND.into(),
                    content: page,
                    executable: false,
                    nouns: Vec::new(),
                    sources: Vec::new(),
                    applied: None,
                }),
                Err(unspelled) => told.push(*unspelled),
            }
        }
        let permission = Permission { overwrite: args.force || args.check, prune: args.prune };
        let changes = folder.changes(content, &left, permission)?;
        leave(self.plan, args.watch);
        Ok(Step { shown: folder.shown.clone(), changes, told })
    }

    /// What is to lie in the output folder.
    fn content(&mut self, targets: &[&str], last: Option<&Manifest>) -> Content {
        let others = match last {
            Some(last) if !targets.is_empty() => self.beside_others(targets, last),
            _ => BTreeSet::new(),
        };
        let model = &self.plan.model;
        let files = std::mem::take(&mut self.artifacts).into_iter().map(|artifact| {
            let nouns = artifact.nouns.iter().filter_map(|id| model.get(*id));
            let mut sources: Vec<String> =
                nouns.clone().map(|noun| self.sources.line_ref(noun.span)).collect();
            sources.dedup();
            File {
                path: artifact.path,
                content: artifact.content,
                executable: artifact.executable,
                nouns: nouns.map(|noun| noun.path.clone()).collect(),
                sources,
                applied: artifact.applied,
            }
        });
        Content {
            catalog: model.catalog.version().to_owned(),
            blueprint: model.name.clone(),
            environment: model.environment.clone(),
            project: model.project.clone(),
            former_projects: Vec::new(),
            former_machines: Vec::new(),
            files: files.collect(),
            others,
            was: (model.nouns.iter().filter(|noun| noun.path != noun.outside.path))
                .map(|noun| (noun.path.clone(), noun.outside.path.clone()))
                .collect(),
            nouns: paths_by_kind(model),
            origins: origins(model),
            existing: (model.nouns.iter().filter(|noun| noun.existing))
                .map(|noun| noun.outside.path.clone())
                .collect(),
            places: places(&self.plan),
            runs: runs_by_noun(&self.plan),
            rights: rights(&self.plan),
        }
    }

    /// Where a build of some targets meets what others wrote before: their files, which stay. What speaks of the
    /// whole folder, such as its README, then speaks of them too.
    fn beside_others(&mut self, targets: &[&str], last: &Manifest) -> BTreeSet<Utf8PathBuf> {
        let owned: BTreeSet<&Utf8Path> =
            last.artifacts.iter().map(|entry| entry.path.as_path()).collect();
        let own: BTreeSet<Utf8PathBuf> = self.artifacts.iter().map(|it| it.path.clone()).collect();
        let mut whole = targets.to_vec();
        for name in TARGETS.iter().map(|it| it.name()).filter(|name| !targets.contains(name)) {
            let rendered = slipform_targets::render(&self.plan, &[name]).artifacts;
            let mut paths = rendered.into_iter().map(|it| it.path).filter(|it| !own.contains(it));
            if paths.any(|path| owned.contains(path.as_path())) {
                whole.push(name);
            }
        }
        let (made, others): (Vec<Artifact>, Vec<Artifact>) =
            slipform_targets::render(&self.plan, &whole)
                .artifacts
                .into_iter()
                .partition(|artifact| own.contains(&artifact.path));
        self.artifacts = made;
        others.into_iter().map(|artifact| artifact.path).collect()
    }
}

/// The names of targets, each known.
fn targets(asked: &[String]) -> Result<Vec<&'static str>, Stop> {
    let known: Vec<&'static str> = TARGETS.iter().map(|target| target.name()).collect();
    let mut found = Vec::new();
    for name in asked {
        match known.iter().find(|known| *known == name) {
            Some(name) => found.push(*name),
            None => {
                let stop = Stop::new(USAGE_TARGET, format!("there is no target `{name}`"));
                return Err(match nearest(name, known.iter().copied()) {
                    Some(near) => stop.help(similar("a target", near)),
                    None => stop.help(format!("the targets are {}", known.join(", "))),
                });
            }
        }
    }
    Ok(found)
}

/// One analysis for each environment that is to be built.
fn analyses(args: &BuildArgs, blueprint: &Blueprint) -> Result<Vec<Analysis>, Stop> {
    let first = blueprint.analyse(args.env.first().map(String::as_str), true);
    let project = first.project.as_ref();
    let known = project.map_or_else(Vec::new, |project| project.environments.clone());
    let chosen = project.is_some_and(|project| known.contains(&project.environment));
    let asked = if args.all_envs { &known } else { &args.env };
    if asked.is_empty() && known.len() > 1 && !chosen {
        let stop = Stop::new(
            USAGE_ENVIRONMENT,
            format!("the project has several environments: {}", known.join(", ")),
        );
        return Err(stop.help("name one with `--env`, build all with `--all-envs`, or name the usual one in `slipform.toml`: `environment = \"...\"`"));
    }
    let analyses = blueprint.for_each(first, asked, true);
    if analyses.len() > 1 && args.out.is_some() {
        return Err(Stop::new(
            USAGE_ENVIRONMENT,
            "several environments cannot be built into one folder",
        )
        .help("leave `--out` out, or name one environment"));
    }
    Ok(analyses)
}

fn folder(
    args: &BuildArgs,
    blueprint: &Blueprint,
    build: &Build,
    context: &Context<'_, '_>,
) -> Result<Folder, Stop> {
    if let Some(out) = &args.out {
        return Ok(Folder { shown: out.clone(), at: context.folder.join(out) });
    }
    let name = Utf8Path::new(&build.plan.model.environment);
    if !is_inside(name) || name.components().count() != 1 || name.as_str().starts_with('.') {
        let stop = Stop::new(
            OUTPUT_ENVIRONMENT,
            format!("the environment `{name}` cannot be the name of a folder"),
        );
        return Err(stop.help("name a folder with `--out`"));
    }
    let out = build.project.out.join(name);
    Ok(Folder { shown: blueprint.base.join(&out), at: blueprint.folder.join(&out) })
}

/// The files one after the other, each under its name.
fn print(builds: &[Build], context: &mut Context<'_, '_>) {
    let several = builds.len() > 1;
    let mut first = true;
    for build in builds {
        for artifact in &build.artifacts {
            let gap = if first { "" } else { "\n" };
            first = false;
            let path = match several {
                true => Utf8Path::new(&build.plan.model.environment).join(&artifact.path),
                false => artifact.path.clone(),
            };
            let end = if artifact.content.ends_with('\n') { "" } else { "\n" };
            context.result(&format!("{gap}==> {path}\n"));
            context.result(&artifact.content);
            context.result(end);
        }
    }
}

/// Lists what a build would change.
fn compare(steps: &[Step], context: &mut Context<'_, '_>) -> ExitStatus {
    let mut status = ExitStatus::Clean;
    for Step { shown, changes: change, told } in steps {
        report::plain(context.console, context.format, told);
        if change.is_empty() {
            report::progress(
                context.console,
                context.format,
                &format!("{shown} is what would be built"),
            );
            continue;
        }
        status = ExitStatus::Different;
        for (path, change) in &change.files {
            let word = match change {
                Change::Create => "missing",
                Change::Update => "different",
                Change::Remove => "extra",
            };
            context.result(&format!("{word:<9} {}\n", shown.join(path)));
        }
        for folder in change.moved.keys().chain(&change.dropped) {
            context.result(&format!("extra     {}\n", shown.join(folder)));
        }
        if change.is_manifest_only() {
            context.result(&format!("different {}\n", shown.join(crate::MANIFEST)));
        }
        report::progress(
            context.console,
            context.format,
            &format!("{shown} is not what would be built"),
        );
    }
    status
}

fn write(
    steps: &[Step],
    blueprint: &Blueprint,
    context: &mut Context<'_, '_>,
) -> Result<ExitStatus, Stop> {
    for Step { shown, changes, told } in steps {
        changes.apply()?;
        report::plain(context.console, context.format, told);
        let line = format!("built {} into {shown}: {}", blueprint.shown, counted(changes));
        report::progress(context.console, context.format, &line);
    }
    Ok(ExitStatus::Clean)
}

/// `12 files: 3 new, 1 changed, 1 removed`
fn counted(changes: &Changes) -> String {
    let count = |wanted| changes.files.values().filter(|change| **change == wanted).count();
    let (new, changed, removed) =
        (count(Change::Create), count(Change::Update), count(Change::Remove));
    let total = changes.unchanged + new + changed;
    let mut parts = Vec::new();
    for (count, word) in
        [(new, "new"), (changed, "changed"), (removed, "removed"), (changes.unchanged, "unchanged")]
    {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let files = report::words::counted(total, "file");
    if parts.is_empty() { files } else { format!("{files} ({})", parts.join(", ")) }
}
