//! Facts of what a command line says: variables, options and programs, each where it is written.

use super::at_odds::rules_of;
use super::nodes::{loose_words, own};
use super::records::{self, Degrees, Misspelt, Said, ToldPath};
use super::software::base_image;
use super::told::Placed;
use crate::catalog::Meaning;
use crate::nouns::{Argument, ImageUse, Kind, Workload};
use crate::plan::derive::{model_parallel, mounts_unread};
use crate::plan::run::is_made_up;
use crate::plan::{CommandLine, Door, Env, Fault, Launcher, Piece, Plan, Program, Word, is_below};
use crate::{NounId, Value};
use slipform_source::{Span, Spanned};
use std::collections::BTreeSet;

/// Texts by name.
type Texts = Vec<(String, Spanned<String>)>;

/// The variables of its processes, as texts: those of `env`, and those that its command line sets, which win.
pub(super) fn variables(plan: &Plan, id: NounId) -> Option<Placed<Texts>> {
    Some(Placed(variables_of(plan, id, |_| true)?))
}

/// Those of the variables whose texts are asked for.
pub(super) fn variables_of(plan: &Plan, id: NounId, asked: impl Fn(&str) -> bool) -> Option<Texts> {
    let fields = &plan.model.get(id)?.fields;
    let set = &plan.command_line(id)?.variables;
    let mut found = Vec::new();
    if let Some(env) = fields.get("env")
        && let Value::Record(entries) = &env.value
    {
        let own = entries.iter().filter(|(name, _)| !set.contains_key(&***name));
        found.extend(own.filter_map(|(name, entry)| {
            let text = match &entry.value {
                Value::Str(text) => asked(text).then(|| text.to_string()),
                other => Some(other.to_string()).filter(|text| asked(text)),
            };
            let text = Spanned::new(text?, within(env.span, entry.span));
            Some((name.to_string(), text))
        }));
    }
    let launch = Launch::of(plan, id)?;
    found.extend(set.iter().filter(|(_, value)| asked(value)).map(|(name, value)| {
        let at =
            launch.place(&format!("{name}={value}")).or_else(|| launch.place(&format!("{name}=")));
        (name.clone(), Spanned::new(value.clone(), at.unwrap_or(launch.span)))
    }));
    Some(found)
}

/// The options in its command line.
pub(super) fn options(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Said>>>> {
    let launch = Launch::of(plan, id)?;
    let said = |said: &crate::plan::Said| {
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let name = said.name();
        let told = Said {
            program: said.program.clone(),
            written: said.option.clone(),
            means: said.means.map_or("", Meaning::name).to_owned(),
            name,
            value: said.value.clone(),
            number: said.value.as_deref().and_then(|it| it.parse().ok()),
        };
        Spanned::new(told, at)
    };
    Some(Placed(plan.command_line(id)?.options.iter().map(said).collect()))
}

/// What does not start what it says, each at its field.
pub(super) fn faults(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<records::Fault>>>> {
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    let own = own(plan, id)?;
    let fields = &plan.model.get(id)?.fields;
    let placed = |fault: &Fault| {
        // a command without words is none
        let command = |all: &[Spanned<Vec<Argument>>], number: usize| {
            all.iter().filter(|it| !it.value.is_empty()).nth(number).map(|it| it.span)
        };
        let (field, at) = match fault.door {
            Door::Launch => ("launch", launch.place(&fault.word)),
            Door::Setup(number) => ("setup", command(own.setup, number)),
            Door::Cleanup(number) => ("cleanup", command(own.cleanup, number)),
            Door::Sidecar(number) => ("sidecars", own.sidecars.get(number).map(|it| it.span)),
            Door::Ready => ("ready_when", None),
            // no run starts it
            Door::Script(_) => ("launch", None),
        };
        let whole = fields.get(field).map_or(launch.span, |it| it.span);
        let said = records::Fault {
            field: field.to_owned(),
            mistake: fault.mistake.name().to_owned(),
            word: fault.word.clone(),
            beside: fault.beside.clone(),
            mend: fault.mend.clone(),
        };
        Spanned::new(said, at.map_or(whole, |at| within(whole, at)))
    };
    Some(Placed(line.faults.iter().map(placed).collect()))
}

/// The paths that its options and variables name, and the mounts that these lie in.
pub(super) fn paths(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<ToldPath>>>> {
    let program = plan.program(id)?;
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    let path = |written: &str, name: String, means: &str, path: String, at: Span| {
        let mount = program.holder(&path);
        let read_only = mount.is_some_and(|(_, mount)| mount.reads_alone());
        let mount = mount.map(|(number, _)| number as i64);
        let (written, means) = (written.to_owned(), means.to_owned());
        Spanned::new(ToldPath { written, name, path, mount, read_only, means }, at)
    };
    let told = line.options.iter().filter_map(|said| {
        let means = said.means.map_or("", Meaning::name);
        let found = absolute(line, program, said.value.as_deref()?, means)?;
        let at = launch.place(&said.option).unwrap_or(launch.span);
        Some(path(&said.option, said.name(), means, found, at))
    });
    let seen = variables_of(plan, id, |text| text.starts_with('/'))?.into_iter();
    let seen = seen.map(|(name, text)| path(&name, name.clone(), "", text.value, text.span));
    let unread = mounts_unread(plan, program) || moves_folders(plan, line);
    let known = |it: &Spanned<ToldPath>| it.value.mount.is_some() || !unread;
    Some(Placed(told.chain(seen).filter(known).collect()))
}

/// Values of its options, and paths, that are another one at each start.
pub(super) fn made_up(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let line = plan.command_line(id)?;
    let values = line.options.iter().filter_map(|said| said.value.clone());
    let paths = paths(plan, id)?.0.into_iter().map(|it| it.value.path);
    // a value of `env` is read by no shell: what it says stands there at each start
    let plain = |it: &Env| match it {
        Env::Word(Word(pieces)) => match pieces.as_slice() {
            [Piece::Text(text)] if text.contains('$') => Some(text.clone()),
            _ => None,
        },
        Env::Secret { .. } => None,
    };
    let written = plan.program(id)?.env.iter().filter_map(|it| plain(&it.value));
    let written: Vec<String> = written.collect();
    let is_written = |it: &String| written.iter().any(|text| it.contains(text));
    let all = values.chain(paths).filter(|it| is_made_up(it) && !is_written(it));
    let found: BTreeSet<String> = all.collect();
    Some(found.into_iter().collect())
}

/// Whether its script links, mounts or copies folders: which of them outlive it is the script's affair then.
fn moves_folders(plan: &Plan, line: &CommandLine) -> bool {
    let moves = plan.model.catalog.names("commands.moves_folders");
    line.programs.iter().any(|text| moves.iter().any(|word| text.contains(word)))
}

/// A path from the root down, or one from wherever its program is started, of what is saved there: that is found where the command or the
/// blueprint names the folder.
fn absolute(line: &CommandLine, program: &Program, path: &str, means: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    let is_path =
        !path.contains("://") && path.starts_with(|c: char| c.is_alphanumeric() || c == '.');
    if means != Meaning::Saves.name() || !is_path || path.starts_with("..") {
        return None;
    }
    let own = path.trim_start_matches("./");
    let from = line.folder.as_deref().or(program.workdir.as_deref());
    match from {
        Some(from) if from.starts_with('/') => {
            Some(format!("{}/{own}", from.trim_end_matches('/')))
        }
        Some(_) => None,
        None => Some(own.to_owned()),
    }
}

/// Those of these paths that lie in no mount, and one letter beside the path of one.
pub(super) fn strayed(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misspelt>>>> {
    let program = plan.program(id)?;
    // without a container all folders of the node are there
    if matches!(program.image, ImageUse::NoContainer) || program.mounts.is_empty() {
        return Some(Placed(Vec::new()));
    }
    let scripts: Vec<&str> = scripts(plan.command_line(id)?).collect();
    let strays = |it: Spanned<ToldPath>| {
        let is_told = !it.value.name.is_empty();
        let written = it.value.path;
        let is_own = program.workdir.as_deref().is_some_and(|own| is_below(&written, own))
            || is_usual(&written)
            || !is_told && is_of_images(&written);
        let beside = |mount: &&str| {
            let head = written.split('/').take(mount.split('/').count());
            let head = head.collect::<Vec<_>>().join("/");
            let is_there = scripts.iter().any(|it| is_below(it, &head));
            is_one_letter_off(&head, mount) && (!is_there || is_swapped(&head, mount))
        };
        let mounts = program.mounts.iter().map(|mount| mount.path.value.trim_end_matches('/'));
        let known = mounts.filter(|_| it.value.mount.is_none() && !is_own).find(beside)?.to_owned();
        Some(Spanned::new(Misspelt { written, known }, it.span))
    };
    let line = plan.command_line(id)?;
    let launch = Launch::of(plan, id)?;
    let told = paths(plan, id)?.0;
    // the value of an option is a word of its own, too
    let operands =
        line.operands.iter().filter(|it| told.iter().all(|said| said.value.path != **it));
    let operands = operands.map(|path| {
        let told = ToldPath {
            written: path.clone(),
            name: String::new(),
            mount: program.holder(path).map(|(number, _)| number as i64),
            path: path.clone(),
            read_only: false,
            means: String::new(),
        };
        Spanned::new(told, launch.place(path).unwrap_or(launch.span))
    });
    let operands: Vec<_> = operands.collect();
    let beside = beside_paths(plan, id, &launch)?;
    let all = told.into_iter().chain(operands).chain(beside);
    let mut found: Vec<Spanned<Misspelt>> = all.filter_map(strays).collect();
    found.dedup_by(|a, b| a.value.written == b.value.written && a.span == b.span);
    Some(Placed(found))
}

/// Paths that stand in lists (`[1.0,/data/c4]`), in commands before the processes, or are the script itself.
fn beside_paths(plan: &Plan, id: NounId, launch: &Launch<'_>) -> Option<Vec<Spanned<ToldPath>>> {
    let (program, line, own) = (plan.program(id)?, plan.command_line(id)?, own(plan, id)?);
    let told = |path: &str, at: Span| {
        let (written, name, means) = (path.to_owned(), String::new(), String::new());
        let mount = program.holder(path).map(|(number, _)| number as i64);
        Spanned::new(
            ToldPath { path: written.clone(), written, name, mount, read_only: false, means },
            at,
        )
    };
    let lists = line.options.iter().filter_map(|said| Some((said, said.value.as_deref()?)));
    let lists = lists.filter(|(_, value)| !value.starts_with('/') && value.contains(",/"));
    let mut found: Vec<Spanned<ToldPath>> = Vec::new();
    for (said, value) in lists {
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let parts = value.split(['[', ']', ',', '"', '\'', ' ']).filter(|it| it.starts_with('/'));
        found.extend(parts.map(|path| told(path, at)));
    }
    let said = own.setup.iter().filter(|it| !it.value.is_empty());
    for (words, at) in program.setup.iter().zip(said.map(|it| it.span)) {
        let words = words.iter().filter_map(|word| match word.0.as_slice() {
            [Piece::Text(text)] if text.starts_with('/') && !text.contains(' ') => Some(text),
            _ => None,
        });
        found.extend(words.map(|path| told(path, at)));
    }
    let entered = line.folder.iter().filter(|it| it.starts_with('/'));
    found.extend(entered.map(|path| told(path, launch.place(path).unwrap_or(launch.span))));
    found.extend(served(plan, id, line).into_iter().map(|path| {
        let at = launch.place(path).unwrap_or(launch.span);
        let told = told(path, at).value;
        Spanned::new(ToldPath { name: "model".to_owned(), ..told }, at)
    }));
    let script = scripts(line).find(|it| it.starts_with('/'));
    found.extend(script.map(|path| told(path, launch.place(path).unwrap_or(launch.span))));
    Some(found)
}

/// The folder of a model that a server is told of by a word of its own, where its image is one that brings no models.
fn served<'l>(plan: &Plan, id: NounId, line: &'l CommandLine) -> Option<&'l str> {
    let from = base_image(plan, id)?;
    let known = plan.model.catalog.names("commands.root_images");
    let mut programs = line.programs.iter().filter_map(|it| it.strip_prefix("vllm serve "));
    let word = programs.find_map(|it| it.split(' ').next())?;
    (word.starts_with('/') && known.iter().any(|it| from.starts_with(&**it))).then_some(word)
}

/// Whether two letters are in another order, and all is the same besides.
fn is_swapped(written: &str, known: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    written != known && sorted(written) == sorted(known)
}

/// Scripts that its commands start: folders that have one are there.
fn scripts(line: &CommandLine) -> impl Iterator<Item = &str> {
    let words = line.programs.iter().flat_map(|line| line.split(' '));
    let first = line.first.as_deref();
    words.chain(first).filter(|it| it.ends_with(".py") || it.ends_with(".sh"))
}

/// Folders that every system, or every node of Vertex AI (`/gcs`), has.
const USUAL: [&str; 19] = [
    "bin", "boot", "dev", "etc", "gcs", "home", "lib", "lib64", "media", "opt", "proc", "root",
    "run", "sbin", "srv", "sys", "tmp", "usr", "var",
];

/// Folders that images have their programs and models in: commands name them beside a mount of nearly the same name.
const OF_IMAGES: [&str; 8] = ["app", "apps", "code", "model", "models", "src", "work", "workspace"];

fn is_of_images(path: &str) -> bool {
    path.split('/').nth(1).is_some_and(|first| OF_IMAGES.contains(&first))
}

/// Whether a path begins with the folder of a system.
fn is_usual(path: &str) -> bool {
    path.split('/').nth(1).is_some_and(|first| USUAL.contains(&first))
}

/// Whether one letter is left out, added or another one, or two are in another order. Digits tell folders apart, and so does a letter that is a
/// part of its own (`data-a`).
fn is_one_letter_off(written: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (written.chars().collect(), known.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let stands_alone = |text: &[char]| {
        let parts = |c: Option<&char>| c.is_none_or(|c| !c.is_alphanumeric());
        parts(same.checked_sub(1).and_then(|at| text.get(at))) && parts(text.get(same + 1))
    };
    if stands_alone(&a) && stands_alone(&b) {
        return false;
    }
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    if a.first().into_iter().chain(b.first()).any(char::is_ascii_digit) {
        return false;
    }
    match (a, b) {
        ([], [_]) | ([_], []) => true,
        ([x, rest @ ..], [y, other @ ..]) => {
            rest == other
                || rest == b
                || a == other
                || matches!((rest, other), ([p, rest @ ..], [q, other @ ..]) if (p, q) == (y, x) && rest == other)
        }
        _ => false,
    }
}

/// How a command line cuts models up, program by program, where what `parallel` says is not looked at.
pub(super) fn told_degrees(plan: &Plan, id: NounId) -> Option<Vec<Degrees>> {
    let gang = plan.gang(id)?;
    let body = &plan.model.get(id)?.body;
    let parallel = Workload::of(body).map(|it| &it.parallel.value);
    if parallel.is_some_and(|it| model_parallel(it).is_some_and(|it| it > 1) || it.expert.value > 1)
    {
        return Some(Vec::new());
    }
    let line = plan.command_line(id)?;
    let devices = match gang.program.launcher.value {
        Launcher::Torchrun { .. } | Launcher::Srun | Launcher::Mpirun => Some(gang.world_size),
        Launcher::Python | Launcher::Command => match line.started.as_slice() {
            [one] if !one.beside => one.processes.zip(one.nodes).map(|(each, nodes)| each * nodes),
            _ => None,
        },
        Launcher::Submitter | Launcher::Entrypoint => None,
    };
    let mut found: Vec<(&str, String, Degrees)> = Vec::new();
    for (number, said) in line.options.iter().enumerate() {
        let Some(means) = said.means.filter(|it| it.is_of_degrees()) else { continue };
        let name = said.name();
        let front = name.rsplit_once('.').map_or("", |(front, _)| front);
        let at = found.iter().position(|(of, before, _)| *of == said.program && before == front);
        let at = at.unwrap_or_else(|| {
            found.push((&said.program, front.to_owned(), Degrees::none(devices)));
            found.len() - 1
        });
        let Some((.., degrees)) = found.get_mut(at) else { continue };
        degrees.take(means, said.value.as_deref().and_then(|it| it.parse().ok()), number as i64);
    }
    let open = loose_words(plan, id)?;
    let cut = found.into_iter().filter_map(|(program, front, degrees)| {
        if degrees.cuts() {
            return Some(degrees);
        }
        let own = || line.options.iter().filter(|it| it.program == program);
        let names: Vec<String> = own().map(|it| it.name()).collect();
        let alone = !open && front.is_empty() && has_one_device_a_replica(plan, program, &names);
        let batch = line
            .options
            .iter()
            .position(|it| it.program == program && it.means == Some(Meaning::GlobalBatch));
        Some(Degrees { option: batch.filter(|_| alone)? as i64, ..degrees })
    });
    Some(cut.collect())
}

/// Whether each device of a program of Megatron's has all of the model, by the options that it is told, which are all there are: none of them is
/// of a parallelism of a fork, makes the batch fit, or names a file with further ones.
fn has_one_device_a_replica(plan: &Plan, program: &str, names: &[String]) -> bool {
    let Some(rules) = rules_of(plan, program, names).filter(|it| it.called == "Megatron") else {
        return false;
    };
    const KNOWN: [&str; 5] = [
        "tensor_model_parallel_size",
        "pipeline_model_parallel_size",
        "context_parallel_size",
        "expert_model_parallel_size",
        "expert_tensor_parallel_size",
    ];
    let is_other = |name: &String| {
        rules.elsewhere.iter().any(|it| name.starts_with(it))
            || name == "decrease_batch_size_if_needed"
            || name.contains("parallel_size") && !KNOWN.contains(&&**name)
    };
    !names.iter().any(is_other)
}

/// `launch`, as it is written.
pub(super) struct Launch<'a> {
    value: Option<&'a Value>,
    pub(super) span: Span,
}

impl<'a> Launch<'a> {
    pub(super) fn of(plan: &'a Plan, id: NounId) -> Option<Self> {
        let written = plan.model.get(id)?.fields.get("launch").map(|it| &it.value);
        Some(Self { value: written, span: plan.program(id)?.launcher.span })
    }

    /// The word that holds a text: one of a list, or a named argument that is spelled so.
    pub(super) fn place(&self, text: &str) -> Option<Span> {
        let Value::Variant(_, fields) = self.value? else { return None };
        let lists =
            ["argv", "args"].into_iter().filter_map(|name| match &fields.get(name)?.value {
                Value::List(items) => Some(items.iter()),
                _ => None,
            });
        let holds = |value: &Value| matches!(value, Value::Str(word) if word.contains(text));
        let word = lists.flatten().find(|item| holds(&item.value)).map(|item| item.span);
        let named = || match &fields.get("args")?.value {
            Value::Record(args) => Some(args.get(text.trim_start_matches('-'))?.span),
            _ => None,
        };
        word.or_else(named).map(|at| within(self.span, at))
    }
}

/// A place in a field, or the field, where what it holds was written elsewhere.
fn within(field: Span, at: Span) -> Span {
    if field.covers(at) { at } else { field }
}

#[cfg(test)]
mod tests {
    use super::is_one_letter_off;

    #[test]
    fn one_letter_is_one_letter() {
        let off = |written: &str| is_one_letter_off(written, "/mnt/data");
        assert!(
            ["/mnt/dat", "/mnt/daat", "/mnt/dada", "/mnt/daat", "/mnt/dtaa", "/mn/data"]
                .iter()
                .all(|it| off(it))
        );
        assert!(
            ["/mnt/data", "/mnt/data1", "/mnt/da", "/mnt/date-x", "/mnt"].iter().all(|it| !off(it))
        );
        assert!(!is_one_letter_off("/data1", "/data2"));
        assert!(!is_one_letter_off("/mnt/data-c", "/mnt/data-a"));
        assert!(!is_one_letter_off("/gcs/team_b/x", "/gcs/team_a/x"));
    }
}
