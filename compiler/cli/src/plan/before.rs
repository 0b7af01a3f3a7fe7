//! The other side: what was built last, a folder, or a revision of the repository.

use super::PLAN_AGAINST;
use crate::Context;
use crate::args::PlanArgs;
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::folder::{Folder, is_inside};
use crate::manifest::{MANIFEST, Manifest};
use crate::stop::Stop;
use crate::world::{DiskWorld, read};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, LOCAL_CATALOG, PROJECT_FILE};
use slipform_source::{MemoryWorld, World};
use std::path::Path;
use std::process::Command;

/// Files of an output, and the blueprint that they came from where it is known.
pub(crate) struct Before {
    /// As people call it.
    pub(crate) shown: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) analysis: Option<Analysis>,
    /// The compiler that wrote them, where it was another.
    pub(crate) compiler: Option<String>,
    /// The catalog that they were written by, where it was another.
    pub(crate) catalog: Option<String>,
}

impl Before {
    /// What an environment is compared with.
    pub(crate) fn find(
        args: &PlanArgs,
        blueprint: &Blueprint,
        now: &Analysis,
        several: bool,
        context: &Context<'_, '_>,
    ) -> Result<Self, Stop> {
        let environment = now.project.as_ref().map_or("default", |project| &project.environment);
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
                return built(Utf8Path::new(against), &path, now);
            }
            if inner.join(MANIFEST).is_file() {
                return built(&Utf8Path::new(against).join(environment), &inner, now);
            }
            return source(blueprint, against, &path, environment);
        }
        revision(blueprint, against, environment)
    }

    /// All that is built is new, for this reason.
    fn nothing(why: &str) -> Self {
        Self {
            shown: format!("nothing: {why}"),
            files: Vec::new(),
            analysis: None,
            compiler: None,
            catalog: None,
        }
    }
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
    built(&blueprint.base.join(&folder), &path, now)
}

/// The files that a manifest lists.
fn built(shown: &Utf8Path, path: &Path, now: &Analysis) -> Result<Before, Stop> {
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
    let catalog = now.plan.as_ref().map(|plan| plan.model.catalog.version());
    let other = |then: &str, now: Option<&str>| (now != Some(then)).then(|| then.to_owned());
    Ok(Before {
        shown: shown.to_string(),
        files,
        analysis: None,
        compiler: other(&manifest.slipform, Some(env!("CARGO_PKG_VERSION"))),
        catalog: other(&manifest.catalog, catalog),
    })
}

/// What the blueprint in another folder comes to.
fn source(blueprint: &Blueprint, shown: &str, path: &Path, env: &str) -> Result<Before, Stop> {
    let root = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let file = match path.is_dir() {
        true => Utf8PathBuf::new(),
        false => Utf8PathBuf::from(path.file_name().unwrap_or_default().to_string_lossy().as_ref()),
    };
    rendered(blueprint, shown.to_owned(), &DiskWorld::new(root), &file, env)
}

/// What the blueprint came to at a revision.
fn revision(blueprint: &Blueprint, revision: &str, env: &str) -> Result<Before, Stop> {
    let unknown = || {
        let stop = Stop::new(
            PLAN_AGAINST,
            format!("`{revision}` is neither a folder nor a revision of the repository"),
        );
        stop.help("name a folder that was built, the folder of a blueprint, or a revision such as `HEAD~1` or `origin/main`")
    };
    let git = |args: &[&str]| -> Option<Vec<u8>> {
        let output =
            Command::new("git").arg("-C").arg(&blueprint.folder).args(args).output().ok()?;
        output.status.success().then_some(output.stdout)
    };
    if revision.starts_with('-') {
        return Err(unknown());
    }
    let commit = git(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]);
    let commit = String::from_utf8(commit.ok_or_else(unknown)?).map_err(|_| unknown())?;
    let commit = commit.trim();
    let names = git(&["ls-tree", "-r", "-z", "--name-only", commit, "."]).ok_or_else(unknown)?;
    let names = String::from_utf8_lossy(&names).into_owned();
    let file = blueprint.file().to_owned();
    let is_of_it = |name: &str| if file == "" { name.ends_with(".bp") } else { file == name };
    if !names.split('\0').any(is_of_it) {
        return Ok(Before::nothing(&format!("{revision} has no such blueprint")));
    }
    let mut world = MemoryWorld::new(Vec::<(&str, &str)>::new());
    let wanted =
        |name: &str| name.ends_with(".bp") || [PROJECT_FILE, LOCAL_CATALOG].contains(&name);
    for name in names.split('\0').filter(|name| wanted(name)) {
        let text = git(&["show", &format!("{commit}:./{name}")]).ok_or_else(unknown)?;
        world.write(name, String::from_utf8_lossy(&text).into_owned());
    }
    rendered(blueprint, revision.to_owned(), &world, &file, env)
}

fn rendered(
    blueprint: &Blueprint,
    shown: String,
    world: &dyn World,
    file: &Utf8Path,
    env: &str,
) -> Result<Before, Stop> {
    let environment = (env != "default").then_some(env);
    let mut analysis = blueprint.analyse_in(world, file, environment);
    let files = render(&mut analysis, &[]);
    if analysis.has_errors() {
        let first =
            analysis.diagnostics.iter().find(|it| it.severity == slipform_model::Severity::Error);
        let why = first.map(|it| it.message.clone()).unwrap_or_default();
        let stop = Stop::new(PLAN_AGAINST, format!("the blueprint of `{shown}` has errors: {why}"));
        return Err(stop.help("compare with a revision that checks clean, or with what was built"));
    }
    let files = files.into_iter().map(|it| (it.path.to_string(), it.content.to_string()));
    Ok(Before {
        shown,
        files: files.collect(),
        analysis: Some(analysis),
        compiler: None,
        catalog: None,
    })
}
