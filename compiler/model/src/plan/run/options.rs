//! What options mean: those of launchers, and the names by which programs of frameworks are told.

use crate::catalog::{Catalog, Meaning, OptionTable};
use std::collections::BTreeMap;

/// The tables of the catalog, by what is looked for.
#[derive(Debug, Default)]
pub(in crate::plan) struct Options {
    launchers: BTreeMap<String, Launcher>,
    names: Vec<Name>,
    /// How files of weights end.
    weights: Vec<String>,
    /// Parts of the names of programs that save no checkpoint.
    readers: Vec<String>,
}

/// The options of a launcher.
#[derive(Debug)]
struct Launcher {
    told: BTreeMap<String, Meaning>,
    /// Letters may have any value behind them, and not numbers alone.
    letters: bool,
}

/// What names end by.
#[derive(Debug)]
struct Name {
    end: String,
    means: Meaning,
    /// Programs that have it; any, where none is named.
    of: Vec<String>,
    /// What stands behind an underscore is an end, too.
    in_words: bool,
}

impl Options {
    /// Those that a catalog has.
    pub(in crate::plan) fn of(catalog: &Catalog) -> Self {
        let mut options = Self {
            weights: catalog.names("commands.weights").to_vec(),
            readers: catalog.names("commands.readers").to_vec(),
            ..Self::default()
        };
        for table in catalog.rows::<OptionTable>() {
            let told = table.told.iter().flat_map(|(means, all)| all.iter().map(|it| (it, *means)));
            if table.launcher {
                let told = told.map(|(option, means)| (option.clone(), means));
                let launcher = Launcher { told: told.collect(), letters: table.letters };
                options.launchers.insert(table.of.clone(), launcher);
                continue;
            }
            options.names.extend(told.map(|(name, means)| Name {
                end: name.clone(),
                means,
                of: table.programs.clone(),
                in_words: table.endings,
            }));
        }
        options
    }

    /// What an option means to a launcher, and the value that is written to its letter (`-N4`, `-Jname`); nothing where nobody knows it.
    pub(super) fn of_launcher(
        &self,
        launcher: &str,
        option: &str,
    ) -> (Option<Meaning>, Option<String>) {
        let plain = option.replace('_', "-");
        let Some(Launcher { told, letters }) = self.launchers.get(launcher) else {
            return (None, None);
        };
        if let Some(means) = told.get(&plain) {
            return (Some(*means), None);
        }
        let attached = |(letter, value): (&str, &str)| {
            let means = *told.get(letter)?;
            let is_value = !value.is_empty() && !letter.ends_with('-');
            let number = value.chars().all(|c| c.is_ascii_digit());
            let takes = means != Meaning::Flag && *letters;
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
            has(&self.weights, &|end| value.is_some_and(|value| value.ends_with(end)))
                || has(&self.readers, &|word| file.contains(word))
        };
        self.of_name(program, name).filter(|means| *means != Meaning::Saves || !is_read())
    }

    /// What a name of an option means to a program, by the longest end that is known.
    fn of_name(&self, program: &str, name: &str) -> Option<Meaning> {
        let ends = |it: &&Name| {
            let front = name.strip_suffix(&*it.end);
            let whole = |front: &str| {
                front.is_empty() || front.ends_with('.') || it.in_words && front.ends_with('_')
            };
            front.is_some_and(whole)
                && (it.of.is_empty() || it.of.iter().any(|known| known == program))
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
