//! The blueprint that a command line names.
//!
//! A project is read from its own folder, so that what is rendered does not depend on where the command was started;
//! diagnostics show its files as the user gave the path.

use crate::Context;
use crate::args::Inputs;
use crate::git;
use crate::report::Places;
use crate::stop::{ExitStatus, Stop};
use crate::world::{Asked, DiskWorld, Edited, said};
use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Depth, Options, Stages, analyse, analyse_in_stages};
use slipform_analysis::{LOCAL_CATALOG, PROJECT_EMPTY};
use slipform_model::catalog::Catalog;
use slipform_source::{Sources, World};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) USAGE_PATH = "usage/path":
        "the path is no blueprint that can be read or written",
        "name a `.bp` file, or the folder of a project";
    USAGE_SET = "usage/set":
        "a `--set` is not of the form `name=value`",
        "write `--set nodes=16`";
}

/// A blueprint to analyse: once, or once for each environment.
#[derive(Clone)]
pub(crate) struct Blueprint {
    /// As the user gave it.
    pub(crate) shown: Utf8PathBuf,
    /// The folder of the project, as the user gave it; empty for the current one.
    pub(crate) base: Utf8PathBuf,
    /// The same folder as reports have it: for a forge from the root of its repository.
    told: Utf8PathBuf,
    /// The same folder for the system.
    pub(crate) folder: PathBuf,
    /// The file in it, or nothing.
    file: Utf8PathBuf,
    set: Vec<(String, String)>,
    asked: Asked,
    /// Facts in the place of the compiler's and of a lock's.
    facts: Option<Arc<Catalog>>,
    /// What a project adds to facts, in the place of what its folder has.
    own: Option<Arc<str>>,
}

impl Blueprint {
    /// Looks whether there is something at the path.
    pub(crate) fn open(inputs: &Inputs, context: &Context<'_, '_>) -> Result<Self, Stop> {
        let set = settings(&inputs.set)?;
        let path = inputs.path.as_path();
        let metadata = match std::fs::metadata(context.folder.join(path)) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let stop = Stop::new(USAGE_PATH, format!("there is no file or folder `{path}`"));
                return Err(stop.help("name a `.bp` file, or the folder of a project"));
            }
            Err(error) => {
                return Err(Stop::new(
                    USAGE_PATH,
                    format!("`{path}` cannot be read: {}", said(&error)),
                ));
            }
        };
        let has_ending = path.extension() == Some("bp");
        if !metadata.is_dir() && !has_ending {
            let stop = Stop::new(
                USAGE_PATH,
                format!("`{path}` is no blueprint: its name does not end in `.bp`"),
            );
            return Err(stop.help("name a `.bp` file, or the folder of a project"));
        }
        if metadata.is_dir() && has_ending {
            let stop = Stop::new(USAGE_PATH, format!("`{path}` is a folder, not a file"));
            return Err(stop.help("the name of a project's folder does not end in `.bp`"));
        }
        let (base, file) = match (has_ending, path.parent(), path.file_name()) {
            (true, Some(parent), Some(name)) => (parent, Utf8Path::new(name)),
            _ => (path, Utf8Path::new("")),
        };
        let base = if base == "." { Utf8Path::new("") } else { base };
        Ok(Self {
            shown: path.to_owned(),
            told: told(base, context),
            base: base.to_owned(),
            folder: context.folder.join(base),
            file: file.to_owned(),
            set,
            asked: context.asked.clone(),
            facts: None,
            own: None,
        })
    }

    /// The same blueprint under other facts; a project's own come on top of them.
    pub(crate) fn under(&self, facts: Catalog) -> Self {
        Self { facts: Some(Arc::new(facts)), ..self.clone() }
    }

    /// The same blueprint with other facts of the project's own than its folder has.
    pub(crate) fn with_own(&self, own: Option<Arc<str>>) -> Self {
        Self { own, ..self.clone() }
    }

    /// The file, where it is no folder.
    pub(crate) fn file(&self) -> &Utf8Path {
        &self.file
    }

    /// Analyses another version of it, with the same settings.
    pub(crate) fn analyse_in(
        &self,
        world: &dyn World,
        file: &Utf8Path,
        environment: Option<&str>,
    ) -> Analysis {
        analyse(world, &self.options(file, environment, true))
    }

    /// How it is analysed.
    pub(crate) fn options(
        &self,
        file: &Utf8Path,
        environment: Option<&str>,
        build: bool,
    ) -> Options {
        Options {
            path: file.to_owned(),
            test: None,
            environment: environment.map(str::to_owned),
            set: self.set.clone(),
            build,
            editor: false,
            advice: slipform_targets::advice().chain(slipform_changes::allowances()).collect(),
            refusals: slipform_targets::refusals().collect(),
            facts: self.facts.clone(),
        }
    }

    /// Analyses it for one environment.
    pub(crate) fn analyse(&self, environment: Option<&str>, build: bool) -> Analysis {
        let options = self.options(&self.file, environment, build);
        let disk = DiskWorld::new(&self.folder).keeping(&self.asked);
        let own = self.own.iter().map(|text| (LOCAL_CATALOG.into(), text.clone()));
        let mut analysis = analyse(&Edited { disk, texts: own.collect() }, &options);
        for diagnostic in analysis.diagnostics.iter_mut().filter(|it| it.code == PROJECT_EMPTY.name)
        {
            diagnostic.message =
                format!("nothing to compile in `{}`: there is no `.bp` file in it", self.shown);
        }
        analysis
    }

    /// Analyses it with a file of tests, or that file alone.
    pub(crate) fn analyse_test(
        &self,
        test: &Utf8Path,
        environment: Option<&str>,
        set: &[(String, String)],
        build: bool,
    ) -> Analysis {
        let options = Options {
            test: Some(test.to_owned()),
            set: set.to_vec(),
            ..self.options(&self.file, environment, build)
        };
        analyse(&DiskWorld::new(&self.folder), &options)
    }

    /// Reads a file of tests with its names and types, and evaluates nothing: of which environment is not known yet.
    pub(crate) fn read_test(&self, test: &Utf8Path) -> Analysis {
        let test = Some(test.to_owned());
        let options = Options { test, ..self.options(&self.file, None, false) };
        let stages = Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Names, ahead: None };
        let world = DiskWorld::new(&self.folder);
        analyse_in_stages(&world, &options, &mut slipform_syntax::parse, stages)
    }

    /// An analysis for each environment that is asked for, or for each that the project has.
    pub(crate) fn analyses(&self, asked: &[String], build: bool) -> Vec<Analysis> {
        let first = self.analyse(asked.first().map(String::as_str), build);
        let known = first.project.as_ref().map(|project| project.environments.clone());
        let known = known.filter(|known| asked.is_empty() && known.len() > 1);
        self.for_each(first, known.as_deref().unwrap_or(asked), build)
    }

    /// An analysis for each of some environments, each once, of which one may be at hand; that one where there are none.
    pub(crate) fn for_each(
        &self,
        at_hand: Analysis,
        environments: &[String],
        build: bool,
    ) -> Vec<Analysis> {
        let environment = at_hand.project.as_ref().map(|project| project.environment.clone());
        let mut at_hand = Some(at_hand);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let distinct = environments.iter().filter(|name| seen.insert(name));
        let mut found: Vec<Analysis> = distinct
            .map(|name| {
                let it = at_hand.take_if(|_| environment.as_ref() == Some(name));
                it.unwrap_or_else(|| self.analyse(Some(name), build))
            })
            .collect();
        found.extend(at_hand.filter(|_| environments.is_empty()));
        found
    }

    /// Whether the command line gives values to parameters.
    pub(crate) fn has_settings(&self) -> bool {
        !self.set.is_empty()
    }

    /// How the files of an analysis are shown.
    pub(crate) fn places<'a>(&'a self, analysis: &'a Analysis) -> Places<'a> {
        self.places_in(&analysis.sources)
    }

    /// How files are shown that were read of it.
    pub(crate) fn places_in<'a>(&'a self, sources: &'a Sources) -> Places<'a> {
        Places { sources, base: &self.told, library: slipform_stdlib::FILES.len() }
    }

    /// What the diagnostics of an analysis amount to.
    pub(crate) fn status(&self, analysis: &Analysis) -> ExitStatus {
        ExitStatus::of(&analysis.diagnostics, &analysis.sources)
    }
}

/// A folder as reports have it. Forges show problems beside the lines of a repository: wherever the command was started, they count
/// paths from its root.
fn told(base: &Utf8Path, context: &Context<'_, '_>) -> Utf8PathBuf {
    let from_root = || {
        let prefix = context.format.is_of_forges().then(|| git::prefix(context.folder))??;
        let mut found = Utf8PathBuf::from(prefix.trim_end_matches('/'));
        for part in base.components() {
            match part {
                Utf8Component::Normal(name) => found.push(name),
                Utf8Component::CurDir => {}
                Utf8Component::ParentDir if found.pop() => {}
                _ => return None,
            }
        }
        Some(found)
    };
    from_root().unwrap_or_else(|| base.to_owned())
}

/// `name=value`, each name once.
fn settings(given: &[String]) -> Result<Vec<(String, String)>, Stop> {
    let mut set: Vec<(String, String)> = Vec::with_capacity(given.len());
    for one in given {
        let Some((name, value)) = one.split_once('=').filter(|(name, _)| is_name(name)) else {
            let stop =
                Stop::new(USAGE_SET, format!("`--set {one}` is not of the form `name=value`"));
            return Err(stop.help("write `--set nodes=16`"));
        };
        if set.iter().any(|(known, _)| known == name) {
            return Err(Stop::new(USAGE_SET, format!("`--set {name}=...` is given twice")));
        }
        set.push((name.to_owned(), value.to_owned()));
    }
    Ok(set)
}

fn is_name(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
