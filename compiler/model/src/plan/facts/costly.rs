//! Options that cost a run more than they give it, and files that lie where they cannot be, by the tables of such.

use super::records::{Costly, Elsewhere, OtherProject};
use super::said::{Launch, variables_of};
use super::software::installs;
use super::told::Placed;
use crate::NounId;
use crate::catalog::{CostlyOption, Misplaced, OtherPackage};
use crate::nouns::Access;
use crate::plan::{CommandLine, Plan, Program, Said, Source};
use slipform_source::Spanned;

/// Its options with values that cost the run more than they give it, each where it is said.
pub(super) fn costly_options(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Costly>>>> {
    let line = plan.command_line(id)?;
    if line.options.is_empty() {
        return Some(Placed(Vec::new()));
    }
    let launch = Launch::of(plan, id)?;
    let found = line.options.iter().filter_map(|said| {
        let name = said.name();
        let last = name.rsplit('.').next().unwrap_or_default();
        let rows = plan.model.catalog.named::<CostlyOption>(|it| it == name || it == last);
        let row = rows.into_iter().find(|row| costs(row, said) && stands(row, said, line))?;
        let value = said.value.clone().unwrap_or_else(|| "on".to_owned());
        let (then, mend, costs) = (row.then.clone(), row.mend.clone(), row.costs.name().to_owned());
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let told = Costly { name: said.option.clone(), value, costs, then, mend };
        Some(Spanned::new(told, at))
    });
    Some(Placed(found.collect()))
}

fn costs(row: &CostlyOption, said: &Said) -> bool {
    let value = said.value.as_deref().unwrap_or("true").to_ascii_lowercase();
    let off = ["false", "0", "no", "none", "null", ""].contains(&&*value);
    if row.values.is_empty() && row.below.is_none() {
        return !off;
    }
    let number: Option<f64> = said.value.as_deref().and_then(|it| it.parse().ok());
    let is_below = row.below.zip(number).is_some_and(|(below, it)| it > 0.0 && it < below);
    is_below || row.values.contains(&value)
}

/// Whether an option stands in such a program, beside what its row asks for.
fn stands(row: &CostlyOption, said: &Said, line: &CommandLine) -> bool {
    let of_program = || line.options.iter().filter(|it| it.program == said.program);
    let says = |names: &[String]| of_program().any(|it| names.contains(&it.name()));
    let named = row.programs.iter().any(|it| said.program.starts_with(&**it));
    let free = row.programs.is_empty() && row.beside.is_empty();
    (free || named || says(&row.beside)) && !says(&row.unless)
}

/// Files of variables and options that lie in a bucket, which does not hold such.
pub(super) fn misplaced(plan: &Plan, id: NounId) -> Option<Placed<Vec<Spanned<Elsewhere>>>> {
    let (line, program) = (plan.command_line(id)?, plan.program(id)?);
    let is_bucket =
        |source: &Source| matches!(source, Source::Bucket { .. } | Source::LocalCheckpoints { .. });
    if !program.mounts.iter().any(|mount| is_bucket(&mount.source.value)) {
        return Some(Placed(Vec::new()));
    }
    let rows = || plan.model.catalog.rows::<Misplaced>();
    let seen = variables_of(plan, id, |text| text.contains('/'))?.into_iter();
    let seen = seen.filter_map(|(name, text)| {
        let by_name = rows().find(|row| row.variables.contains(&name));
        told(program, by_name, rows(), &name, &text.value).map(|it| Spanned::new(it, text.span))
    });
    let launch = Launch::of(plan, id)?;
    let options = line.options.iter().filter_map(|said| {
        let own = format!("{} {}", said.program, said.option);
        let by_name = rows().find(|row| row.options.contains(&own));
        let at = launch.place(&said.option).unwrap_or(launch.span);
        let value = said.value.as_deref()?;
        told(program, by_name, rows(), &said.option, value).map(|it| Spanned::new(it, at))
    });
    Some(Placed(seen.chain(options).collect()))
}

fn told<'c>(
    program: &Program,
    by_name: Option<&'c Misplaced>,
    rows: impl Iterator<Item = &'c Misplaced>,
    written: &str,
    value: &str,
) -> Option<Elsewhere> {
    let begins = |row: &'c Misplaced| {
        row.begins.iter().find_map(|it| value.strip_prefix(&**it)).map(|rest| (row, rest))
    };
    let (row, path) =
        by_name.map(|row| (row, value)).or_else(|| rows.into_iter().find_map(begins))?;
    let (number, mount) = program.holder(path)?;
    let is_written = mount.access == Access::Write && !path.contains("mode=ro");
    let in_bucket = matches!(mount.source.value, Source::Bucket { .. });
    (in_bucket && is_written).then(|| Elsewhere {
        written: written.to_owned(),
        path: path.to_owned(),
        mount: number as i64,
        then: row.then.clone(),
        mend: row.mend.clone(),
    })
}

/// Packages of Python that its image, or a command, installs by a name that is another project's.
pub(super) fn other_projects(plan: &Plan, id: NounId) -> Option<Vec<OtherProject>> {
    let rows = || plan.model.catalog.rows::<OtherPackage>();
    let (program, own) = (plan.program(id)?, installs(plan, id)?);
    let texts = || program.texts().chain(own.iter().map(String::as_str));
    let has_own = |text: &str| {
        text.contains("global.index")
            || text.contains(".no-build-isolation")
            || OTHER_INDEX.iter().any(|it| text.contains(it))
    };
    let named = |name: &str| OTHER_INDEX.contains(&name);
    if !texts().any(|text| rows().any(|row| text.contains(&*row.name)))
        || texts().any(has_own)
        || program.env.iter().any(|it| named(&it.name))
    {
        return Some(Vec::new());
    }
    let line = plan.command_line(id)?;
    let setup = program.setup.iter().map(|words| super::nodes::spoken(words));
    let packages = own.iter().filter(|it| !it.contains(' ')).map(|it| format!("pip install {it}"));
    let steps = own.iter().filter(|it| it.contains(' ')).cloned();
    let all = line.programs.iter().cloned().chain(setup).chain(packages).chain(steps);
    let mut found: Vec<OtherProject> = Vec::new();
    for text in all {
        let apart = !text.contains("--no-build-isolation");
        for name in installed(&text) {
            let is_it = |row: &&OtherPackage| row.name == name && (apart || !row.apart);
            let Some(row) = rows().find(is_it) else { continue };
            let (is, mend, apart) = (row.is.clone(), row.mend.clone(), row.apart);
            if found.iter().all(|it| it.name != name) {
                found.push(OtherProject { name, is, apart, mend });
            }
        }
    }
    Some(found)
}

/// Variables by which pip asks another index, which may have a project of that name, or builds with what is there.
const OTHER_INDEX: [&str; 5] = [
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_FIND_LINKS",
    "PIP_NO_BUILD_ISOLATION",
];

/// The names that the commands of a text install from the index of Python.
fn installed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for command in text.split(['\n', ';', '&', '|']) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let at = words.windows(2).position(|pair| match pair {
            [program, "install"] => program
                .rsplit('/')
                .next()
                .is_some_and(|it| it.trim_matches(['"', '\'']).starts_with("pip")),
            _ => false,
        });
        let shown = |at: usize| words.iter().take(at).any(|it| matches!(*it, "echo" | "printf"));
        let Some(at) = at.filter(|at| !shown(*at)) else { continue };
        let rest = words.get(at + 2..).unwrap_or_default();
        // another index has other names
        let other = ["--index-url", "-i", "--extra-index-url", "--no-index", "--find-links", "-f"];
        if rest.iter().any(|it| other.iter().any(|own| it.split('=').next() == Some(own))) {
            continue;
        }
        let mut rest = rest.iter().peekable();
        while let Some(word) = rest.next() {
            // an address behind it
            if rest.peek().is_some_and(|it| it.trim_matches(['"', '\'']) == "@") {
                rest.next();
                continue;
            }
            let word = word.trim_matches(['"', '\'']);
            if matches!(word, "-r" | "-c" | "-t" | "-e" | "--target" | "--requirement") {
                rest.next();
                continue;
            }
            let name = word.split(['[', '=', '<', '>', '!', '~', '@']).next().unwrap_or_default();
            if !word.starts_with('-') && !word.contains(['/', '@']) {
                found.push(name.to_ascii_lowercase().replace('_', "-"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::installed;

    #[test]
    fn names_of_packages_are_those_of_the_index() {
        for (text, names) in [
            ("pip install -q 'apex==0.1' einops", "apex einops"),
            ("python -m pip install --upgrade pytorch && ls apex", "pytorch"),
            ("pip install -r apex", ""),
            ("pip install git+https://github.com/NVIDIA/apex", ""),
            ("pip install ./apex", ""),
            ("pip install -i https://own/simple apex", ""),
            ("pip download apex; cd apex", ""),
            ("pip install 'apex @ git+https://github.com/NVIDIA/apex'", ""),
        ] {
            assert_eq!(installed(text).join(" "), names, "{text}");
        }
    }
}
