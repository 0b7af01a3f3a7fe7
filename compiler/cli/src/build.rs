//! `slipform build`: renders, then writes, compares or prints. Nothing is written unless everything that was asked for
//! can be.

use crate::Context;
use crate::args::BuildArgs;
use crate::blueprint::Blueprint;
use crate::check::{render, tell};
use crate::folder::{Change, Changes, Content, File, Folder, is_inside};
use crate::report;
use crate::stop::{ExitStatus, Stop};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Project};
use slipform_model::nearest;
use slipform_model::plan::Plan;
use slipform_targets::{Artifact, TARGETS};
use std::collections::BTreeSet;

pub(crate) fn run(args: &BuildArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let targets = targets(&args.target)?;
    let blueprint = Blueprint::open(&args.inputs, context)?;
    let mut analyses = analyses(args, &blueprint)?;
    let rendered: Vec<Vec<Artifact>> =
        analyses.iter_mut().map(|analysis| render(analysis, &targets)).collect();
    let told = tell(&blueprint, &analyses, context);
    if told.status != ExitStatus::Clean {
        let what = format!("nothing built from {}", blueprint.shown);
        report::summary(context.console, context.format, &what, &told.diagnostics);
        return Ok(told.status);
    }
    let builds = analyses.into_iter().zip(rendered).filter_map(|(analysis, artifacts)| {
        Some(Build { project: analysis.project?, plan: analysis.plan?, artifacts })
    });
    let builds: Vec<Build> = builds.collect();
    if args.stdout {
        print(&builds, context);
        return Ok(ExitStatus::Clean);
    }
    let mut changes = Vec::new();
    for build in builds {
        let folder = folder(args, &blueprint, &build, context)?;
        changes.push((
            folder.shown.clone(),
            folder.changes(build.content(&targets, &folder), args.force || args.check)?,
        ));
    }
    match args.check {
        true => Ok(compare(&changes, context)),
        false => write(&changes, &blueprint, context),
    }
}

/// One environment, rendered.
struct Build {
    project: Project,
    plan: Plan,
    artifacts: Vec<Artifact>,
}

impl Build {
    /// What is to lie in the output folder.
    fn content(mut self, targets: &[&str], folder: &Folder) -> Content {
        let others = if targets.is_empty() {
            BTreeSet::new()
        } else {
            self.beside_others(targets, &folder.owned())
        };
        let model = &self.plan.model;
        let files = self.artifacts.into_iter().map(|artifact| {
            let nouns = artifact.nouns.iter().filter_map(|id| model.get(*id));
            let mut sources: Vec<String> = nouns.clone().map(|noun| noun.origin.clone()).collect();
            sources.dedup();
            File {
                path: artifact.path,
                content: artifact.content,
                executable: artifact.executable,
                nouns: nouns.map(|noun| noun.path.clone()).collect(),
                sources,
            }
        });
        Content {
            catalog: model.catalog.version().to_owned(),
            blueprint: model.name.clone(),
            environment: model.environment.clone(),
            files: files.collect(),
            others,
        }
    }

    /// Where a build of some targets meets what others wrote before: their files, which stay. What speaks of the
    /// whole folder, such as its README, then speaks of them too.
    fn beside_others(
        &mut self,
        targets: &[&str],
        owned: &BTreeSet<Utf8PathBuf>,
    ) -> BTreeSet<Utf8PathBuf> {
        let own: BTreeSet<Utf8PathBuf> = self.artifacts.iter().map(|it| it.path.clone()).collect();
        let mut whole = targets.to_vec();
        for name in TARGETS.iter().map(|it| it.name()).filter(|name| !targets.contains(name)) {
            let rendered = slipform_targets::render(&self.plan, &[name]).artifacts;
            let mut paths = rendered.into_iter().map(|it| it.path).filter(|it| !own.contains(it));
            if paths.any(|path| owned.contains(&path)) {
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
                let stop = Stop::new("usage/target", format!("there is no target `{name}`"));
                return Err(match nearest(name, known.iter().copied()) {
                    Some(near) => {
                        stop.help(format!("a target with a similar name exists: `{near}`"))
                    }
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
    let known: &[String] = first.project.as_ref().map_or(&[], |project| &project.environments);
    let mut asked: Vec<&str> = Vec::new();
    for name in if args.all_envs { known } else { &args.env } {
        if !asked.contains(&name.as_str()) {
            asked.push(name);
        }
    }
    let chosen = first.project.as_ref().is_some_and(|project| known.contains(&project.environment));
    if asked.is_empty() && known.len() > 1 && !chosen {
        let stop = Stop::new(
            "usage/environment",
            format!("the project has several environments: {}", known.join(", ")),
        );
        return Err(stop.help("name one with `--env`, build all with `--all-envs`, or name the usual one in `slipform.toml`: `environment = \"...\"`"));
    }
    if asked.len() > 1 && args.out.is_some() {
        return Err(Stop::new(
            "usage/environment",
            "several environments cannot be built into one folder",
        )
        .help("leave `--out` out, or name one environment"));
    }
    if asked.len() < 2 {
        return Ok(vec![first]);
    }
    Ok(asked.iter().map(|env| blueprint.analyse(Some(env), true)).collect())
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
            "output/environment",
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
            context.console.print(&format!("{gap}==> {path}\n{}{end}", artifact.content));
        }
    }
}

/// Lists what a build would change.
fn compare(changes: &[(Utf8PathBuf, Changes)], context: &mut Context<'_, '_>) -> ExitStatus {
    let mut status = ExitStatus::Clean;
    for (shown, change) in changes {
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
            context.console.print(&format!("{word:<9} {}\n", shown.join(path)));
        }
        if change.files.is_empty() {
            context.console.print(&format!("different {}\n", shown.join(crate::MANIFEST)));
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
    changes: &[(Utf8PathBuf, Changes)],
    blueprint: &Blueprint,
    context: &mut Context<'_, '_>,
) -> Result<ExitStatus, Stop> {
    for (shown, change) in changes {
        change.apply()?;
        let line = format!("built {} into {shown}: {}", blueprint.shown, counted(change));
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
    let files = if total == 1 { "1 file".to_owned() } else { format!("{total} files") };
    if parts.is_empty() { files } else { format!("{files} ({})", parts.join(", ")) }
}
