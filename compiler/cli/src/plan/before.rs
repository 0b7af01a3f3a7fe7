//! The other side: what was built last, a folder, or a revision of the repository.

use super::PLAN_AGAINST;
use super::former::Formers;
use super::groups::is_in;
use super::moved::{grounds, grounds_of_manifest};
use super::revision::{Found, Revision};
use crate::Context;
use crate::args::PlanArgs;
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::folder::{Folder, is_inside};
use crate::manifest::{Entry, MANIFEST, Manifest};
use crate::stop::Stop;
use crate::world::{DiskWorld, read};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, LOCAL_CATALOG, PROJECT_FILE};
use slipform_model::{Diagnostic, Severity};
use slipform_source::World;
use slipform_targets::Artifact;
use slipform_targets::left_behind::{LEFT_BEHIND, folders};
use std::collections::BTreeMap;
use std::path::Path;

/// Files of an output, and the blueprint that they came from where it is known.
#[derive(Default)]
pub(crate) struct Before {
    /// As people call it.
    pub(crate) shown: String,
    pub(crate) files: Vec<(String, String)>,
    /// What its project is called, where states of Terraform are those of this one.
    pub(crate) name: Option<String>,
    /// The environments that its blueprint has.
    pub(crate) environments: Vec<String>,
    pub(crate) analysis: Option<Analysis>,
    /// Its nouns.
    pub(crate) nouns: Formers,
    /// The first noun of each file, by its path.
    pub(crate) owners: BTreeMap<String, String>,
    /// The cluster that each run is on, by the folder that it is started from.
    pub(crate) grounds: BTreeMap<String, String>,
    /// The compiler that wrote them, where it was another.
    pub(crate) compiler: Option<String>,
    /// The catalog that they were written by, where it was another.
    pub(crate) catalog: Option<String>,
    /// The text of the project's own facts, where its blueprint is there.
    pub(crate) own: String,
    /// What is to be said of it besides.
    pub(crate) notes: Vec<String>,
}

impl Before {
    /// Its files, as those who compare two outputs read them.
    pub(super) fn texts(&self) -> Vec<slipform_changes::File<'_>> {
        let files = self.files.iter();
        files.map(|(path, text)| slipform_changes::File { path, text }).collect()
    }

    /// What an environment is compared with.
    pub(crate) fn find(
        args: &PlanArgs,
        blueprint: &Blueprint,
        now: &Analysis,
        several: bool,
        context: &Context<'_, '_>,
    ) -> Result<Self, Stop> {
        let environment = environment(now);
        let Some(against) = &args.against else {
            return last_build(blueprint, now, environment);
        };
        let path = context.folder.join(against);
        let itself =
            path.canonicalize().ok() == context.folder.join(&args.inputs.path).canonicalize().ok();
        if against.is_empty() || itself && path.exists() {
            let stop =
                Stop::new(PLAN_AGAINST, format!("`--against '{against}'` names no other side"));
            return Err(stop.help("leave it out to compare with what was built last"));
        }
        if path.exists() {
            let inner = path.join(environment);
            if path.join(MANIFEST).is_file() && !several {
                return Self::built(Utf8Path::new(against), &path, now);
            }
            if inner.join(MANIFEST).is_file() {
                return Self::built(&Utf8Path::new(against).join(environment), &inner, now);
            }
            if holds_builds(&path) {
                let inner = Utf8Path::new(against).join(environment);
                return Ok(Self::nothing(&format!("{inner} was never built")));
            }
            return source(blueprint, against, &path, (now, environment));
        }
        revision(blueprint, against, (now, environment), args.fail_on.is_some(), context)
    }

    /// What another environment of the same other side comes to.
    pub(crate) fn in_environment(
        against: &str,
        blueprint: &Blueprint,
        (now, environment): (&Analysis, &str),
        context: &Context<'_, '_>,
    ) -> Result<Self, Stop> {
        let path = context.folder.join(against);
        match path.exists() {
            true => source(blueprint, against, &path, (now, environment)),
            false => revision(blueprint, against, (now, environment), false, context),
        }
    }

    /// What a blueprint comes to.
    pub(crate) fn of(shown: String, analysis: Analysis, artifacts: Vec<Artifact>) -> Self {
        let plan = analysis.plan.as_ref();
        let model = plan.map(|plan| &plan.model);
        let first = |it: &Artifact| Some(model?.get(*it.nouns.first()?)?.path.clone());
        let owners = artifacts.iter().filter_map(|it| Some((it.path.to_string(), first(it)?)));
        Self {
            shown,
            grounds: plan.map(|plan| grounds(plan, &artifacts)).unwrap_or_default(),
            owners: owners.collect(),
            nouns: plan.map(Formers::of_plan).unwrap_or_default(),
            files: artifacts
                .into_iter()
                .map(|it| (it.path.to_string(), it.content.to_string()))
                .collect(),
            analysis: Some(analysis),
            ..Self::default()
        }
    }

    /// The files that a manifest lists.
    pub(super) fn built(shown: &Utf8Path, path: &Path, now: &Analysis) -> Result<Self, Stop> {
        let folder = Folder { shown: shown.to_owned(), at: path.to_owned() };
        let manifest: Manifest = folder.last().ok_or_else(|| {
            Stop::new(PLAN_AGAINST, format!("the manifest of `{shown}` cannot be understood"))
        })?;
        let mut files = Vec::new();
        for entry in manifest.artifacts.iter().filter(|entry| is_inside(&entry.path)) {
            let text = read(&path.join(&entry.path)).map_err(|why| {
                let message = format!("`{}` cannot be read: {why}", shown.join(&entry.path));
                Stop::new(PLAN_AGAINST, message).help("build once more, or compare with a revision")
            })?;
            files.push((entry.path.to_string(), text.to_string()));
        }
        // what a build left behind is no change: its page has the commands
        let page = files.iter().find(|(path, _)| path == LEFT_BEHIND).map(|(_, text)| text.clone());
        let page = page.unwrap_or_default();
        files.retain(|(path, _)| path != LEFT_BEHIND && !folders(&page).any(|it| is_in(path, it)));
        let catalog = now.plan.as_ref().map(|plan| plan.model.catalog.version());
        let nouns = Formers::of_manifest(&manifest);
        let grounds = grounds_of_manifest(&manifest);
        let owner = |it: Entry| Some((it.path.to_string(), it.nouns.into_iter().next()?));
        let other = |then: &str, now: Option<&str>| (now != Some(then)).then(|| then.to_owned());
        Ok(Self {
            shown: shown.to_string(),
            files,
            nouns,
            grounds,
            name: (manifest.environment == environment(now)).then_some(manifest.blueprint),
            compiler: other(&manifest.slipform, Some(env!("CARGO_PKG_VERSION"))),
            catalog: other(&manifest.catalog, catalog),
            owners: manifest.artifacts.into_iter().filter_map(owner).collect(),
            ..Self::default()
        })
    }

    /// All that is built is new, for this reason.
    fn nothing(why: &str) -> Self {
        Self { shown: format!("nothing: {why}"), ..Self::default() }
    }
}

/// Whether a folder has a folder for each environment, as builds leave it.
pub(super) fn holds_builds(path: &Path) -> bool {
    let inner = std::fs::read_dir(path).into_iter().flatten().flatten();
    !path.join(PROJECT_FILE).exists()
        && inner.into_iter().any(|it| it.path().join(MANIFEST).is_file())
}

/// What lies in the output folder.
fn last_build(blueprint: &Blueprint, now: &Analysis, environment: &str) -> Result<Before, Stop> {
    let out = now.project.as_ref().map(|project| project.out.clone()).unwrap_or_default();
    let name = Utf8Path::new(environment);
    let folder = out.join(if is_inside(name) { name } else { Utf8Path::new("") });
    let path = blueprint.folder.join(&folder);
    if !path.join(MANIFEST).is_file() {
        let never = format!("{} was never built", blueprint.base.join(&folder));
        return Ok(Before::nothing(&never));
    }
    Before::built(&blueprint.base.join(&folder), &path, now)
}

/// What the blueprint in another folder comes to.
fn source(
    blueprint: &Blueprint,
    shown: &str,
    path: &Path,
    (now, env): (&Analysis, &str),
) -> Result<Before, Stop> {
    let root = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let file = match path.is_dir() {
        true => Utf8PathBuf::new(),
        false => Utf8PathBuf::from(path.file_name().unwrap_or_default().to_string_lossy().as_ref()),
    };
    let mut found = rendered(blueprint, shown.to_owned(), &DiskWorld::new(root), &file, env)?;
    found.notes.extend(other_name(found.analysis.as_ref(), now));
    Ok(found)
}

/// That two blueprints are projects of different names, which is more than either of them says where a folder without `slipform.toml`
/// is held against its one file.
fn other_name(then: Option<&Analysis>, now: &Analysis) -> Option<String> {
    let name = |analysis: &Analysis| Some(analysis.plan.as_ref()?.model.name.to_string());
    let (then, now) = (name(then?)?, name(now)?);
    (then != now).then(|| {
        format!("the other side is the project `{then}`, and this one `{now}`: labels, accounts and states are called after it, so that an apply to what the other side made finds no state; where both are one project, `name` in `slipform.toml` says so")
    })
}

/// What the blueprint came to at a revision. One that is not where it was is looked for in all of it: that everything is new
/// would pass every gate.
fn revision(
    blueprint: &Blueprint,
    word: &str,
    (now, env): (&Analysis, &str),
    gated: bool,
    context: &Context<'_, '_>,
) -> Result<Before, Stop> {
    let opened = Revision::open(&blueprint.folder, word, context.folder);
    let Some((revision, named)) = opened else {
        let stop = Stop::new(
            PLAN_AGAINST,
            format!("`{word}` is neither a folder nor a revision of the repository"),
        );
        return Err(stop.help("name a folder that was built, the folder of a blueprint, a revision such as `HEAD~1` or `origin/main`, or a place in one: `origin/main:infra`"));
    };
    let name = now.project.as_ref().map_or("", |project| &project.name);
    let (place, shown, why) = match named {
        Some(place) => match revision.refuse(&place) {
            Some(stop) => return Err(stop),
            None => (place, word.to_owned(), None),
        },
        None => match revision.find(blueprint.file(), name)? {
            Found::Here(place) => (place, word.to_owned(), None),
            Found::Elsewhere(place, why) => {
                let other =
                    format!("{why}; where it was another, `--against {word}:PATH` names it");
                let shown = revision.shown(&place);
                (place, shown, Some(other))
            }
            Found::New(note) => {
                let nothing = Before::nothing(&format!("{word} has no such blueprint"));
                return Ok(Before { notes: note.into_iter().collect(), ..nothing });
            }
            Found::Unclear(why, example) => {
                let help = format!(
                    "name the one that it was: `--against {}`; where it was none of them, make it and take them away in two changes",
                    revision.shown(&example)
                );
                if gated {
                    let message = format!("{why}, so that no gate can be passed");
                    return Err(Stop::new(PLAN_AGAINST, message).help(help));
                }
                let nothing = Before::nothing(&format!("{word} has no such blueprint"));
                return Ok(Before { notes: vec![why, help], ..nothing });
            }
        },
    };
    let world = revision.world(&place)?;
    let found = rendered(blueprint, shown, &world, &place.file, env)?;
    let plan = found.analysis.as_ref().and_then(|analysis| analysis.plan.as_ref());
    let name = plan.map(|plan| plan.model.name.to_string());
    Ok(Before { name, notes: why.into_iter().collect(), ..found })
}

fn rendered(
    blueprint: &Blueprint,
    shown: String,
    world: &dyn World,
    file: &Utf8Path,
    env: &str,
) -> Result<Before, Stop> {
    let mut analysis = blueprint.analyse_in(world, file, None);
    let project = analysis.project.as_ref();
    let environments = match project.map(|it| it.environments.clone()) {
        Some(known) if !known.is_empty() => known,
        _ => vec![DEFAULT.to_owned()],
    };
    let there = project.is_none_or(|it| it.environment == env);
    if !there && project.is_some_and(|it| it.environments.iter().any(|known| known == env)) {
        analysis = blueprint.analyse_in(world, file, Some(env));
    } else if !there {
        let nothing = Before::nothing(&format!("`{shown}` has no environment `{env}`"));
        return Ok(Before { environments, ..nothing });
    }
    let files = render(&mut analysis, &[]);
    if analysis.has_errors() {
        return Err(unchecked(&shown, &analysis));
    }
    let own = world.read(Utf8Path::new(LOCAL_CATALOG));
    let own = own.map_or_else(|_| String::new(), |text| text.to_string());
    Ok(Before { environments, own, ..Before::of(shown, analysis, files) })
}

/// What is wrong with the other side, so that nobody can say what changes.
fn unchecked(shown: &str, analysis: &Analysis) -> Stop {
    let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
    let mut errors = analysis.diagnostics.iter().filter(is_error);
    let first = errors.next().map_or_else(String::new, |it| {
        let at = it.span().map_or_else(String::new, |span| analysis.sources.line_ref(span));
        let at = if at.is_empty() { at } else { format!("{at}: ") };
        format!("{at}{} ({})", it.message, it.code)
    });
    let more = match errors.count() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let message = format!(
        "the blueprint of `{shown}` has errors under this compiler, so that nobody can say what changes: {first}{more}"
    );
    let stop = Stop::new(PLAN_AGAINST, message);
    stop.help("compare with what was built (`--against out`, where it is committed), or with a revision that checks clean; a change that mends it is merged without a plan")
}

/// The one environment of a project that declares none.
const DEFAULT: &str = "default";

fn environment(analysis: &Analysis) -> &str {
    analysis.project.as_ref().map_or(DEFAULT, |project| &project.environment)
}
