//! Facts of what a command line says: variables, options and programs, each where it is written.

use super::records::{Misspelt, Said, ToldPath};
use super::told::Placed;
use crate::nouns::ImageUse;
use crate::plan::derive::mounts_unread;
use crate::plan::{MountPlan, Plan, Program};
use crate::{NounId, Value};
use slipform_source::{Span, Spanned};

/// Texts by name.
type Texts = Vec<(String, Spanned<String>)>;

/// The variables of its processes, as texts: those of `env`, and those that its command line sets, which win.
pub(super) fn variables(plan: &Plan, id: NounId) -> Option<Placed<Texts>> {
    let fields = &plan.model.get(id)?.fields;
    let set = &plan.program(id)?.command_line.variables;
    let mut found = Vec::new();
    if let Some(env) = fields.get("env")
        && let Value::Record(entries) = &env.value
    {
        let own = entries.iter().filter(|(name, _)| !set.contains_key(&***name));
        found.extend(own.map(|(name, entry)| {
            let text = Spanned::new(entry.value.to_string(), within(env.span, entry.span));
            (name.to_string(), text)
        }));
    }
    let launch = Launch::of(plan, id)?;
    found.extend(set.iter().map(|(name, value)| {
        let at =
            launch.place(&format!("{name}={value}")).or_else(|| launch.place(&format!("{name}=")));
        (name.clone(), Spanned::new(value.clone(), at.unwrap_or(launch.span)))
    }));
    Some(Placed(found))
}

/// The options in its command line.
pub(super) fn options(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Said>>>> {
    let launch = Launch::of(plan, id)?;
    let saving = saving(plan);
    let said = |said: &crate::plan::Said| {
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let name = said.name();
        let told = Said {
            program: said.program.clone(),
            written: said.option.clone(),
            saves: saves(saving, &name),
            name,
            value: said.value.clone(),
            number: said.value.as_deref().and_then(|it| it.parse().ok()),
        };
        Spanned::new(told, at)
    };
    Some(Placed(plan.program(id)?.command_line.options.iter().map(said).collect()))
}

/// The last words of names that say where a program saves.
fn saving(plan: &Plan) -> &[String] {
    plan.model.catalog.limit("options.saving").map_or(&[], |it| it.value.names())
}

/// Whether a name ends by such a word: `save`, `trainer.default_root_dir`, `async_save_dir`.
fn saves(saving: &[String], name: &str) -> bool {
    saving.iter().any(|word| {
        let front = name.strip_suffix(&**word);
        front.is_some_and(|front| front.is_empty() || front.ends_with(['.', '_']))
    })
}

/// The paths that its options and variables name, and the mounts that these lie in.
pub(super) fn paths(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<ToldPath>>>> {
    let program = plan.program(id)?;
    let told = options(plan, id)?.0.into_iter().filter_map(|it| {
        let Said { written, name, value, .. } = it.value;
        Some((written, name, value?, it.span))
    });
    let seen = variables(plan, id)?.0.into_iter();
    let seen = seen.map(|(name, value)| (name.clone(), name, value.value, value.span));
    let saving = saving(plan);
    let path = |(written, name, path, at): (String, String, String, Span)| {
        let saves = saves(saving, &name);
        let mount = lies_in(program, &path);
        let read_only = mount.is_some_and(|(_, mount)| mount.reads_alone());
        let mount = mount.map(|(number, _)| number as i64);
        Spanned::new(ToldPath { written, name, path, mount, read_only, saves }, at)
    };
    let all = told.chain(seen).filter(|(_, _, path, _)| path.starts_with('/')).map(path);
    let unread = mounts_unread(plan, program);
    Some(Placed(all.filter(|it| it.value.mount.is_some() || !unread).collect()))
}

/// The mount that a path lies in: the deepest, which hides the others.
fn lies_in<'p>(program: &'p Program, path: &str) -> Option<(usize, &'p MountPlan)> {
    let mounts = program.mounts.iter().enumerate();
    let holders = mounts.filter(|(_, mount)| is_below(path, &mount.path.value));
    holders.max_by_key(|(_, mount)| mount.path.value.trim_end_matches('/').len())
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Those of these paths that lie in no mount, and one letter beside the path of one.
pub(super) fn strayed(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Misspelt>>>> {
    let program = plan.program(id)?;
    // without a container all folders of the node are there
    if matches!(program.image, ImageUse::NoContainer) {
        return Some(Placed(Vec::new()));
    }
    let scripts: Vec<&str> = scripts(program).collect();
    let strays = |it: Spanned<ToldPath>| {
        let written = it.value.path;
        let is_own = program.workdir.as_deref().is_some_and(|own| is_below(&written, own))
            || is_usual(&written);
        let beside = |mount: &&str| {
            let head = written.split('/').take(mount.split('/').count());
            let head = head.collect::<Vec<_>>().join("/");
            is_one_letter_off(&head, mount) && !scripts.iter().any(|it| is_below(it, &head))
        };
        let mounts = program.mounts.iter().map(|mount| mount.path.value.trim_end_matches('/'));
        let known = mounts.filter(|_| it.value.mount.is_none() && !is_own).find(beside)?.to_owned();
        Some(Spanned::new(Misspelt { written, known }, it.span))
    };
    Some(Placed(paths(plan, id)?.0.into_iter().filter_map(strays).collect()))
}

/// Scripts that its commands start: folders that have one are there.
fn scripts(program: &Program) -> impl Iterator<Item = &str> {
    let words = program.command_line.programs.iter().flat_map(|line| line.split(' '));
    let first = program.command_line.first.as_deref();
    words.chain(first).filter(|it| it.ends_with(".py") || it.ends_with(".sh"))
}

/// Folders that every system, or every node of Vertex AI (`/gcs`), has.
const USUAL: [&str; 19] = [
    "bin", "boot", "dev", "etc", "gcs", "home", "lib", "lib64", "media", "opt", "proc", "root",
    "run", "sbin", "srv", "sys", "tmp", "usr", "var",
];

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

/// `launch`, as it is written.
struct Launch<'a> {
    value: Option<&'a Value>,
    span: Span,
}

impl<'a> Launch<'a> {
    fn of(plan: &'a Plan, id: NounId) -> Option<Self> {
        let written = plan.model.get(id)?.fields.get("launch").map(|it| &it.value);
        Some(Self { value: written, span: plan.program(id)?.launcher.span })
    }

    /// The word that holds a text: one of a list, or a named argument that is spelled so.
    fn place(&self, text: &str) -> Option<Span> {
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
