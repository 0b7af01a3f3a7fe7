//! What options mean: those of launchers, and the names by which programs of frameworks are told.

use crate::catalog::{Catalog, Meaning, OptionTable};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The tables of a catalog, by what is looked for.
#[derive(Debug)]
pub(in crate::plan) struct Options<'c> {
    launchers: Vec<Launcher<'c>>,
    names: Vec<Name<'c>>,
    /// How files of weights end.
    weights: &'c [String],
    /// Parts of the names of programs that save no checkpoint.
    readers: &'c [String],
}

/// The options of a launcher.
#[derive(Debug)]
struct Launcher<'c> {
    table: &'c OptionTable,
    /// What each means, once it was asked: most blueprints have one launcher or two.
    told: OnceLock<BTreeMap<&'c str, Meaning>>,
}

/// What names end by.
#[derive(Debug)]
struct Name<'c> {
    end: &'c str,
    means: Meaning,
    table: &'c OptionTable,
}

/// The options of a table, with what they mean.
fn told(table: &OptionTable) -> impl Iterator<Item = (&str, Meaning)> {
    table.told.iter().flat_map(|(means, all)| all.iter().map(|it| (it.as_str(), *means)))
}

impl<'c> Launcher<'c> {
    fn told(&self) -> &BTreeMap<&'c str, Meaning> {
        self.told.get_or_init(|| told(self.table).collect())
    }
}

impl<'c> Options<'c> {
    /// Those that a catalog has.
    pub(in crate::plan) fn of(catalog: &'c Catalog) -> Self {
        let (launchers, others): (Vec<_>, Vec<_>) =
            catalog.rows::<OptionTable>().partition(|table| table.launcher);
        let launcher = |table| Launcher { table, told: OnceLock::new() };
        let names = |table| told(table).map(move |(end, means)| Name { end, means, table });
        Self {
            launchers: launchers.into_iter().map(launcher).collect(),
            names: others.into_iter().flat_map(names).collect(),
            weights: catalog.names("commands.weights"),
            readers: catalog.names("commands.readers"),
        }
    }

    /// What an option means to a launcher, and the value that is written to its letter (`-N4`, `-Jname`); nothing where nobody knows it.
    pub(super) fn of_launcher(
        &self,
        launcher: &str,
        option: &str,
    ) -> (Option<Meaning>, Option<String>) {
        let plain = option.replace('_', "-");
        let Some(known) = self.launchers.iter().find(|it| it.table.of == launcher) else {
            return (None, None);
        };
        let told = known.told();
        if let Some(means) = told.get(plain.as_str()) {
            return (Some(*means), None);
        }
        let attached = |(letter, value): (&str, &str)| {
            let means = *told.get(letter)?;
            let is_value = !value.is_empty() && !letter.ends_with('-');
            let number = value.chars().all(|c| c.is_ascii_digit());
            let takes = means != Meaning::Flag && known.table.letters;
            (is_value && (number || takes)).then_some(means)
        };
        let means = plain.split_at_checked(2).and_then(attached);
        (means, means.and(option.get(2..)).map(str::to_owned))
    }

    /// What an option with a value means to a program. What is saved elsewhere is only read where it is one file of weights, and by a server or an
    /// evaluation.
    pub(super) fn of_said(
        &self,
        program: &str,
        name: &str,
        value: Option<&str>,
    ) -> Option<Meaning> {
        let has = |all: &[String], is: &dyn Fn(&str) -> bool| all.iter().any(|it| is(it));
        let file = program.rsplit('/').next().unwrap_or_default();
        let is_read = || {
            has(self.weights, &|end| value.is_some_and(|value| value.ends_with(end)))
                || has(self.readers, &|word| file.contains(word))
        };
        self.of_name(program, name).filter(|means| *means != Meaning::Saves || !is_read())
    }

    /// What a name of an option means to a program, by the longest end that is known.
    fn of_name(&self, program: &str, name: &str) -> Option<Meaning> {
        let ends = |it: &&Name<'_>| {
            let OptionTable { endings, programs, .. } = it.table;
            let front = name.strip_suffix(it.end);
            let whole = |front: &str| {
                front.is_empty() || front.ends_with('.') || *endings && front.ends_with('_')
            };
            front.is_some_and(whole)
                && (programs.is_empty() || programs.iter().any(|known| known == program))
        };
        let found = self.names.iter().filter(ends).max_by_key(|it| it.end.len());
        found.map(|it| it.means)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_by_their_ends() {
        let options = Options::of(Catalog::builtin());
        let of = |name: &str| options.of_name("t.py", name);
        for name in ["save", "trainer.default_root_dir", "async_save"] {
            assert_eq!(of(name), Some(Meaning::Saves), "{name}");
        }
        assert_eq!(of("model.tensor_model_parallel_size"), Some(Meaning::Tensor));
        for name in ["unsaved", "virtual_pipeline_model_parallel_size", "lazy_load", "seed"] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_read_is_not_saved() {
        let options = Options::of(Catalog::builtin());
        let of = |program: &str, value: &str| options.of_said(program, "ckpt_dir", Some(value));
        assert_eq!(of("train.py", "/ckpt"), Some(Meaning::Saves));
        assert_eq!(of("train.py", "/w/vit.pth"), None);
        assert_eq!(of("/app/generate.py", "/models/llama"), None);
    }

    #[test]
    fn letters_of_launchers_may_have_their_value_behind_them() {
        let options = Options::of(Catalog::builtin());
        assert_eq!(options.of_launcher("srun", "-N4"), (Some(Meaning::Nodes), Some("4".into())));
        assert_eq!(options.of_launcher("torchrun", "--nproc_per_node").0, Some(Meaning::PerNode));
        assert_eq!(
            options.of_launcher("srun", "-Jmy_run"),
            (Some(Meaning::Value), Some("my_run".into()))
        );
        assert_eq!(options.of_launcher("sbatch", "-n8"), (Some(Meaning::All), Some("8".into())));
        assert_eq!(options.of_launcher("srun", "-lK").0, None);
        assert_eq!(options.of_launcher("mpirun", "-n4x").0, None);
        assert_eq!(options.of_launcher("torchrun", "--node4").0, None);
    }
}
