//! A project: the files of one blueprint, its environments, and what `slipform.toml` says of them.

use crate::Options;
use crate::quotas::{Entry, Said};
use crate::report::Reports;
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use slipform_model::{Diagnostic, nearest, similar};
use slipform_source::{FileId, ReadError, Sources, Span, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

slipform_source::codes! {
    pub(crate) CODES;
    PROJECT_EDITION = "project/edition":
        "the project asks for an edition of the language that this compiler does not read",
        "change `edition` in `slipform.toml`, or use a newer compiler";
    pub PROJECT_EMPTY = "project/empty":
        "there is no blueprint to compile",
        "name a `.bp` file or a folder with one; `slipform init` writes a project";
    pub PROJECT_ENVIRONMENT = "project/environment":
        "the project has no environment of this name",
        "declare it in `slipform.toml`: `[env.prod.params]`";
    pub(crate) UNUSABLE = "project/file":
        "`slipform.toml` cannot be used",
        "mend the line that the report points at";
    PROJECT_PATH = "project/path":
        "a folder of the project leads out of it",
        "use a path below the project's folder";
}

/// The editions of the language that this compiler reads.
pub const EDITIONS: &[&str] = &["2026"];

/// The project's file.
pub const PROJECT_FILE: &str = "slipform.toml";

/// The project's own facts.
pub const LOCAL_CATALOG: &str = "catalog.local.toml";

/// The facts that a project is held to.
pub const LOCK_FILE: &str = "slipform.lock";

/// A project, or a single file that stands for one.
#[derive(Clone, PartialEq, Debug)]
pub struct Project {
    /// Its name: of the project file, else of the file or folder.
    pub name: String,
    /// The folder that paths are relative to.
    pub root: Utf8PathBuf,
    /// The folder of its blueprints.
    pub source: Utf8PathBuf,
    /// The folder that artifacts go to, where none is named on the command line.
    pub out: Utf8PathBuf,
    /// The files that are compiled; others come in through `use`.
    pub entries: Vec<Utf8PathBuf>,
    /// The environment that is built.
    pub environment: String,
    /// All environments, in the order of the project file.
    pub environments: Vec<String>,
    /// Values of parameters for this environment.
    pub params: BTreeMap<String, Setting>,
    /// Where the project file has each parameter, in all environments.
    pub keys: Vec<(String, Span)>,
    /// Labels of all that is made on Google Cloud, for this environment.
    pub labels: BTreeMap<String, Setting>,
    /// What stands before the names of what is made on Google Cloud, for this environment.
    pub prefix: Option<String>,
    /// APIs that its project on Google Cloud has on besides those that something needs.
    pub apis: BTreeSet<String>,
    /// What its project on Google Cloud has of quotas, for this environment.
    pub(crate) quotas: Said,
}

/// A value that the project file gives to a parameter, or to a label.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// The value as the command line would give it.
    pub text: String,
    /// Where its key is written.
    pub key: Span,
    /// Where it is written itself, quotes included.
    pub value: Span,
}

/// Parameters as the file has them.
type Params = BTreeMap<toml::Spanned<String>, toml::Spanned<toml::Value>>;

/// Labels as the file has them.
type Labels = BTreeMap<toml::Spanned<String>, toml::Spanned<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    project: Option<Section>,
    #[serde(default)]
    params: Params,
    #[serde(default)]
    labels: Labels,
    quotas: Option<Entry>,
    #[serde(default)]
    cloud: Cloud,
    #[serde(default)]
    env: BTreeMap<String, Environment>,
}

/// What a project file comes to.
type Filed = Result<Arc<File>, toml::de::Error>;

impl File {
    /// What a text says. Environments, and analyses of one edit after another, have the same one: the last is kept.
    fn of(text: &Arc<str>) -> Filed {
        static LAST: Mutex<Option<(Arc<str>, Filed)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.as_ref().filter(|(of, _)| of == text) {
            return known.clone();
        }
        let filed: Filed = toml::from_str(text).map(Arc::new);
        *last = Some((text.clone(), filed.clone()));
        filed
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Section {
    name: Option<String>,
    edition: Option<toml::Spanned<String>>,
    /// The environment that is built where none is named.
    environment: Option<toml::Spanned<String>>,
    source: Option<toml::Spanned<String>>,
    out: Option<toml::Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Environment {
    #[serde(default)]
    params: Params,
    #[serde(default)]
    labels: Labels,
    quotas: Option<Entry>,
    #[serde(default)]
    cloud: Cloud,
}

/// What the file says of the project on Google Cloud.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Cloud {
    /// What stands before names that the blueprint does not say.
    prefix: Option<toml::Spanned<String>>,
    /// APIs to have on.
    #[serde(default)]
    apis: Vec<toml::Spanned<String>>,
}

impl Project {
    /// Finds the project of a path: a folder with blueprints, or one `.bp` file.
    pub(crate) fn find(
        world: &dyn World,
        options: &Options,
        sources: &mut Sources,
        reports: &mut Reports,
    ) -> Option<Self> {
        let (path, environment) = (options.path.as_path(), options.environment.as_deref());
        let one_file = path.extension() == Some("bp");
        let root = if one_file { path.parent().unwrap_or(Utf8Path::new("")) } else { path };
        let stem = if one_file { path.file_stem() } else { root.file_name() };
        let mut project = Self {
            name: stem.unwrap_or("blueprint").to_owned(),
            root: root.to_owned(),
            source: root.to_owned(),
            out: root.join("out"),
            entries: Vec::new(),
            environment: environment.unwrap_or("default").to_owned(),
            environments: Vec::new(),
            params: BTreeMap::new(),
            keys: Vec::new(),
            labels: BTreeMap::new(),
            prefix: None,
            apis: BTreeSet::new(),
            quotas: Said::new(),
        };
        project.read_file(world, options, sources, reports);
        project.entries = match options.program() {
            Some(program) => vec![program.to_owned()],
            None if one_file => vec![path.to_owned()],
            None => blueprints(world, &project.source),
        };
        if let Some(program) = options.program() {
            project.name = program.file_stem().unwrap_or("program").to_owned();
        }
        project.entries.extend(options.test_file().map(Utf8Path::to_owned));
        if project.entries.is_empty() {
            nothing_in(path, world, sources, reports);
            return None;
        }
        Some(project)
    }

    /// Reads the project file. A project needs none; an environment that is asked for is declared in one.
    fn read_file(
        &mut self,
        world: &dyn World,
        options: &Options,
        sources: &mut Sources,
        reports: &mut Reports,
    ) {
        let file = self.root.join(PROJECT_FILE);
        let environment = options.environment.as_deref();
        let (code, message) = match (world.read(&file), environment) {
            (Ok(text), _) => {
                let id = sources.add(file, text.clone());
                return self.read(id, &text, options, reports);
            }
            (Err(ReadError::NotFound), None) => return,
            (Err(ReadError::NotFound), Some(environment)) => (
                PROJECT_ENVIRONMENT,
                format!("there is no environment `{environment}`: `{file}` does not exist"),
            ),
            (Err(why), _) => (UNUSABLE, format!("`{file}` cannot be read: {why}")),
        };
        let at = sources.add(file, "");
        reports.error(code, message, Span::new(at, 0, 0));
    }

    fn read(&mut self, id: FileId, text: &Arc<str>, options: &Options, reports: &mut Reports) {
        let file = match File::of(text) {
            Ok(file) => file,
            Err(error) => {
                let range = error.span().unwrap_or(0..0);
                let message = error.message().lines().next().unwrap_or_default();
                let at = Span::new(id, range.start, range.end);
                let report = unusable(message, at);
                reports.add(match bare_word(text, range.start) {
                    Some((from, word)) => {
                        let at = Span::new(id, from, from + word.len());
                        report.fix("put it in quotes", at, format!("\"{word}\""))
                    }
                    None => report,
                });
                return;
            }
        };
        for name in file.env.keys().filter(|name| name.contains(char::is_control)) {
            let message = format!("an environment cannot be called {name:?}: its name is one line");
            reports.error(UNUSABLE, message, Span::new(id, 0, 0));
        }
        let none = Section::default();
        let section = file.project.as_ref().unwrap_or(&none);
        self.environments = file.env.keys().cloned().collect();
        let all = file.env.values().map(|environment| &environment.params);
        self.keys = std::iter::once(&file.params).chain(all).flat_map(|it| keys(id, it)).collect();
        self.take(id, &file.params);
        self.put_on(id, &file.labels);
        self.granted(id, file.quotas.as_ref());
        self.place(id, &file.cloud, reports);
        // A program of tests is in no environment.
        if options.program().is_none() {
            let usual = section.environment.as_ref();
            let asked = match options.environment.as_deref() {
                Some(asked) => Some((asked, None)),
                None => usual.map(|it| (it.get_ref().as_str(), Some(span_of(id, it)))),
            };
            self.choose(asked, id, &file.env, reports);
        }
        self.describe(section, id, reports);
    }

    /// What `[project]` says of names and folders.
    fn describe(&mut self, section: &Section, id: FileId, reports: &mut Reports) {
        let at = |spanned: &toml::Spanned<String>| span_of(id, spanned);
        let is_unknown =
            |edition: &&toml::Spanned<String>| !EDITIONS.contains(&edition.get_ref().as_str());
        let unknown = section.edition.as_ref().filter(is_unknown);
        if let Some(edition) = unknown {
            let known = EDITIONS.join(", ");
            let message = format!(
                "the edition `{}` is unknown; this compiler reads {known}",
                edition.get_ref()
            );
            let report = Diagnostic::error(PROJECT_EDITION, message, at(edition));
            reports.add(match EDITIONS {
                [only] => {
                    let written = format!("\"{only}\"");
                    report.fix(format!("write {written}"), at(edition), written)
                }
                _ => report,
            });
        }
        self.name = section.name.as_ref().unwrap_or(&self.name).clone();
        for (written, folder) in
            [(&section.source, &mut self.source), (&section.out, &mut self.out)]
        {
            let Some(written) = written else { continue };
            match inside(&self.root, written.get_ref()) {
                Some(path) => *folder = path,
                None => {
                    let message = format!("`{}` leads out of the project", written.get_ref());
                    reports.error(PROJECT_PATH, message, at(written));
                }
            }
        }
    }

    /// Takes the parameters of the environment that is asked for, by the file itself where a place is told, or of the only one.
    fn choose(
        &mut self,
        asked: Option<(&str, Option<Span>)>,
        id: FileId,
        declared: &BTreeMap<String, Environment>,
        reports: &mut Reports,
    ) {
        let only = match self.environments.as_slice() {
            [only] => Some((only.as_str(), None)),
            _ => None,
        };
        let Some((name, at)) = asked.or(only).map(|(name, at)| (name.to_owned(), at)) else {
            return;
        };
        match declared.get(&name) {
            Some(found) => {
                self.take(id, &found.params);
                self.put_on(id, &found.labels);
                self.granted(id, found.quotas.as_ref());
                self.place(id, &found.cloud, reports);
            }
            None => {
                let report = Diagnostic::error(
                    PROJECT_ENVIRONMENT,
                    format!("there is no environment `{name}`"),
                    at.unwrap_or(Span::new(id, 0, 0)),
                );
                let near = nearest(&name, self.environments.iter().map(String::as_str));
                reports.add(match (near, at) {
                    (Some(near), Some(at)) => report.meant_text("an environment", near, at),
                    (Some(near), None) => report.help(similar("an environment", near)),
                    (None, _) if self.environments.is_empty() => {
                        report.help(format!("declare it: `[env.{name}.params]`"))
                    }
                    (None, _) => report
                        .help(format!("the environments are {}", self.environments.join(", "))),
                });
            }
        }
        self.environment = name;
    }

    fn take(&mut self, id: FileId, params: &Params) {
        let settings = params.iter().map(|(name, value)| {
            (name.get_ref().clone(), setting(id, name, value, written(value.get_ref())))
        });
        self.params.extend(settings);
    }

    fn put_on(&mut self, id: FileId, labels: &Labels) {
        let settings = labels.iter().map(|(key, value)| {
            (key.get_ref().clone(), setting(id, key, value, value.get_ref().clone()))
        });
        self.labels.extend(settings);
    }

    /// Takes what is said of the project on Google Cloud: of an environment over what holds in all, and what is listed besides it.
    fn place(&mut self, id: FileId, cloud: &Cloud, reports: &mut Reports) {
        let mut refuse = |at: std::ops::Range<usize>, message: String| {
            reports.error(UNUSABLE, message, Span::new(id, at.start, at.end));
        };
        if let Some(prefix) = &cloud.prefix {
            match is_prefix(prefix.get_ref()) {
                true => self.prefix = Some(prefix.get_ref().clone()),
                false => refuse(
                    prefix.span(),
                    format!(
                        "`{}` cannot stand before names: a prefix has 1 to 12 small letters, digits and `-`, a letter first and no `-` at its end",
                        prefix.get_ref()
                    ),
                ),
            }
        }
        for api in &cloud.apis {
            match is_api(api.get_ref()) {
                true => drop(self.apis.insert(api.get_ref().clone())),
                false => refuse(
                    api.span(),
                    format!(
                        "`{}` is no name of an API: they end in `.googleapis.com`, such as `bigquery.googleapis.com`",
                        api.get_ref()
                    ),
                ),
            }
        }
    }

    fn granted(&mut self, id: FileId, quotas: Option<&Entry>) {
        if let Some(quotas) = quotas {
            quotas.tell(id, &[], Span::new(id, 0, 0), &mut self.quotas);
        }
    }
}

/// A word without quotes behind the `=` of a line: where it starts, and what it is.
fn bare_word(text: &str, at: usize) -> Option<(usize, &str)> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(start..)?.lines().next()?;
    let sign = line.find('=')? + 1;
    let value = line.get(sign..)?.split('#').next()?.trim();
    let from = start + sign + line.get(sign..)?.find(value)?;
    let is_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let begins = value.starts_with(|c: char| c.is_alphabetic());
    (begins && value.chars().all(is_word)).then_some((from, value))
}

/// What the reader of the file says of it: of a word that is none, the one that was probably meant.
fn unusable(message: &str, at: Span) -> Diagnostic {
    let report = Diagnostic::error(UNUSABLE, message.to_owned(), at);
    let Some(("", named)) = message.split_once("unknown field ") else { return report };
    let mut names = named.split('`').skip(1).step_by(2);
    let written = names.next().unwrap_or_default();
    match nearest(written, names) {
        Some(near) => report.meant("a word", near, at),
        None => report,
    }
}

fn span_of<V>(id: FileId, spanned: &toml::Spanned<V>) -> Span {
    Span::new(id, spanned.span().start, spanned.span().end)
}

/// Whether a text may stand before names, which it leaves room for.
fn is_prefix(text: &str) -> bool {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=12).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(letters)
        && !text.ends_with('-')
}

/// Whether a text is the name of an API of Google Cloud.
fn is_api(text: &str) -> bool {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let name = text.strip_suffix(".googleapis.com");
    name.is_some_and(|name| {
        !name.is_empty()
            && name.split('.').all(|part| !part.is_empty() && part.chars().all(letters))
    })
}

/// A value and its key, with the places of both.
fn setting<V>(
    id: FileId,
    key: &toml::Spanned<String>,
    value: &toml::Spanned<V>,
    text: String,
) -> Setting {
    Setting { text, key: span_of(id, key), value: span_of(id, value) }
}

/// What the text of a project's file calls it; nothing where it says no name. Whatever else it says is for whoever builds it.
pub fn project_name(text: &str) -> Option<String> {
    let file: toml::Table = toml::from_str(text).ok()?;
    Some(file.get("project")?.get("name")?.as_str()?.to_owned())
}

/// The parameters of a table, and where their names stand.
fn keys(id: FileId, params: &Params) -> impl Iterator<Item = (String, Span)> {
    let names = params.keys().map(|name| (name.get_ref().clone(), name.span()));
    names.map(move |(name, at)| (name, Span::new(id, at.start, at.end)))
}

/// A value of the project file as the command line would give it.
fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => nested(other),
    }
}

fn nested(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => crate::source_text::quoted(text),
        toml::Value::Array(items) => {
            format!("[{}]", items.iter().map(nested).collect::<Vec<_>>().join(", "))
        }
        toml::Value::Table(table) => {
            let entries: Vec<String> = table
                .iter()
                .map(|(key, value)| {
                    format!("{} = {}", crate::source_text::quoted(key), nested(value))
                })
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

/// A path below `root`; `None` where it is absolute or leads out.
fn inside(root: &Utf8Path, path: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(path);
    let plain = path.components().all(|part| {
        matches!(part, camino::Utf8Component::Normal(_) | camino::Utf8Component::CurDir)
    });
    plain.then(|| if path == "." { root.to_owned() } else { root.join(path) })
}

/// Reports a path that no blueprint is at.
fn nothing_in(path: &Utf8Path, world: &dyn World, sources: &mut Sources, reports: &mut Reports) {
    let at = sources.add(path.to_owned(), "");
    let why = match world.read(path) {
        Err(ReadError::NotFound) if world.list(path).is_empty() => {
            "there is no such file or folder"
        }
        _ => "there is no `.bp` file in it",
    };
    let shown = if path.as_str().is_empty() { "." } else { path.as_str() };
    let message = format!("nothing to compile in `{shown}`: {why}");
    reports.error(PROJECT_EMPTY, message, Span::new(at, 0, 0));
}

/// The `.bp` files of a folder, by name.
fn blueprints(world: &dyn World, folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let names = world
        .list(folder)
        .into_iter()
        .filter(|name| name.ends_with(".bp") && !name.starts_with('.'));
    names.map(|name| folder.join(name)).collect()
}
