//! `slipform init`: a small project that works, in a folder that holds nothing yet.

use crate::Context;
use crate::args::InitArgs;
use crate::report;
use crate::stop::{ExitStatus, Stop};
use crate::world::said;
use slipform_model::{nearest, similar};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_FOLDER = "usage/folder":
        "a project cannot be written here",
        "name a new or empty folder";
    USAGE_TEMPLATE = "usage/template":
        "there is no such template",
        "`slipform init --help` lists them";
}

/// A project to start from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Template {
    /// As `--template` names it.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its files: name and text.
    pub files: &'static [(&'static str, &'static str)],
}

impl Template {
    /// Whether something of it is in a project of Google Cloud.
    fn has_project(&self) -> bool {
        self.files.iter().any(|(name, text)| *name == "slipform.toml" && text.contains("[params]"))
    }
}

macro_rules! template {
    ($name:literal, $program:literal, $about:literal) => {
        Template {
            name: $name,
            about: $about,
            files: &[
                ("slipform.toml", include_str!(concat!("../templates/", $name, "/slipform.toml"))),
                ("train.bp", include_str!(concat!("../templates/", $name, "/train.bp"))),
                ("train.py", include_str!(concat!("../templates/programs/", $program))),
                (".gitignore", include_str!("../templates/gitignore")),
                (".gcloudignore", include_str!("../templates/gcloudignore")),
            ],
        }
    };
}

/// Every template; the first is the usual one.
pub const TEMPLATES: &[Template] = &[
    template!("gke-gpu", "torch.py", "two machines of eight H100 GPUs on GKE, with a queue"),
    template!("gke-tpu", "jax.py", "a slice of TPU v5e on GKE"),
    template!("slurm", "torch.py", "a Slurm cluster of one's own"),
    template!("vertex", "torch.py", "custom training on Vertex AI, without a cluster to keep"),
    template!("everything", "torch.py", "one training run on GKE, on Slurm and on Vertex AI"),
];

pub(crate) fn run(args: &InitArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let template = find(&args.template)?;
    let folder = context.folder.join(&args.dir);
    let was_there = look(&folder, args)?;
    if let Err(error) = write(&folder, template) {
        if !was_there {
            let _ = fs::remove_dir(&folder);
        }
        return Err(Stop::new(
            USAGE_FOLDER,
            format!("`{}` cannot be written: {}", args.dir, said(&error)),
        ));
    }
    for (name, _) in template.files {
        context.console.print(&format!("{}\n", shown(args, name)));
    }
    let inside = if args.dir == "." { String::new() } else { format!(" {}", args.dir) };
    let (what, file) = match template.has_project() {
        true => ("project", "slipform.toml"),
        false => ("machines and addresses", "train.bp"),
    };
    let next =
        format!("next: put your {what} into {}, then `slipform build{inside}`", shown(args, file));
    report::progress(context.console, context.format, &next);
    Ok(ExitStatus::Clean)
}

fn shown(args: &InitArgs, name: &str) -> String {
    if args.dir == "." { name.to_owned() } else { args.dir.join(name).into_string() }
}

fn find(name: &str) -> Result<&'static Template, Stop> {
    if let Some(template) = TEMPLATES.iter().find(|template| template.name == name) {
        return Ok(template);
    }
    let known: Vec<&str> = TEMPLATES.iter().map(|template| template.name).collect();
    let stop = Stop::new(USAGE_TEMPLATE, format!("there is no template `{name}`"));
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => stop.help(similar("a template", near)),
        None => stop.help(format!("the templates are {}", known.join(", "))),
    })
}

/// Whether the folder exists. A folder with anything in it but a repository is someone's.
fn look(folder: &Path, args: &InitArgs) -> Result<bool, Stop> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(Stop::new(USAGE_FOLDER, format!("`{}` is not a folder", args.dir)));
        }
        Err(error) => {
            return Err(Stop::new(
                USAGE_FOLDER,
                format!("`{}` cannot be read: {}", args.dir, said(&error)),
            ));
        }
    };
    match entries.flatten().any(|entry| entry.file_name() != ".git") {
        true => {
            let stop = Stop::new(USAGE_FOLDER, format!("the folder `{}` is not empty", args.dir));
            Err(stop.help("name a new folder: `slipform init my-training`"))
        }
        false => Ok(true),
    }
}

/// Writes every file, or none.
fn write(folder: &Path, template: &Template) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut written: Vec<PathBuf> = Vec::new();
    for (name, text) in template.files {
        let path = folder.join(name);
        let result = fs::File::create_new(&path).and_then(|mut file| {
            written.push(path.clone());
            file.write_all(text.as_bytes())
        });
        if let Err(error) = result {
            for path in written {
                let _ = fs::remove_file(path);
            }
            return Err(error);
        }
    }
    Ok(())
}
