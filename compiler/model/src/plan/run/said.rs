//! What commands say to the programs that they start: variables that these see, and options that they are told.

use super::lost::trains;
use super::options::Options;
use super::shell::{Known, Simple, UNKNOWN, base, family, lines};
use super::started::{behind_launcher, launcher};
use crate::catalog::Meaning;
use std::collections::{BTreeMap, BTreeSet};

/// An option in a command: `--save-interval 500`, `trainer.devices=8`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// The program that is told: a script, a module of Python, or what is not started by something else.
    pub program: String,
    /// The option as it is written: `--save-interval`.
    pub option: String,
    /// Its value; nothing where it has none, or where only a shell or the run knows it.
    pub value: Option<String>,
    /// What it means, where that is known.
    pub means: Option<Meaning>,
}

impl Said {
    /// The option without what it begins with, and with underscores for dashes: `save_interval`.
    pub fn name(&self) -> String {
        self.option.trim_start_matches(['-', '+']).replace('-', "_")
    }
}

/// Variables that the program of a line of commands sees: those that are set for all, and for itself. What is set to several values, or to
/// one that only a shell knows, is left out.
pub(super) fn variables(lines: &[Simple]) -> BTreeMap<String, String> {
    let starts = |line: &Simple| !line.words.is_empty();
    let main = lines.iter().rposition(|line| launcher(&line.words).is_some());
    let runs = |line: &Simple| trains(&line.words) || starts_module(&line.words);
    let main = main.or_else(|| lines.iter().rposition(runs));
    let main = main.or_else(|| lines.iter().rposition(starts)).unwrap_or(lines.len());
    // a shell in brackets keeps what is set there to itself
    let around = lines.get(main).map(|it| it.brackets.as_slice()).unwrap_or_default();
    let reaches = |line: &Simple| line.brackets.iter().all(|it| around.contains(it));
    let seen = lines.iter().enumerate().filter(|(at, line)| match starts(line) {
        true => *at == main,
        false => *at < main && reaches(line),
    });
    let mut found: BTreeMap<String, Known> = BTreeMap::new();
    // what is set in a branch may not be
    let set = seen.flat_map(|(_, line)| {
        let all = line.assigned.iter().cloned().chain(sent(line));
        all.map(|(name, value)| (name, value.filter(|_| starts(line) || !line.is_conditional())))
    });
    for (name, value) in set {
        let same = found.get(&name).is_none_or(|before| *before == value);
        found.insert(name, value.filter(|_| same));
    }
    // what several programs see each in its own way is known of none
    let others = lines.iter().enumerate().filter(|(at, line)| starts(line) && *at != main);
    for (name, value) in others.flat_map(|(_, line)| &line.assigned) {
        if let Some(own) = found.get_mut(name).filter(|own| *own != value) {
            *own = None;
        }
    }
    let unset =
        lines.iter().take(main).filter(|it| it.words.first() == Some(&Some("unset".to_owned())));
    for name in unset.flat_map(|line| line.words.iter().skip(1).flatten()) {
        found.insert(name.clone(), None);
    }
    let known = |(name, value): (String, Known)| Some((name, value.filter(|it| !it.is_empty())?));
    found.into_iter().filter_map(known).collect()
}

/// `python -m MaxText.train`, and no module that installs or serves.
fn starts_module(words: &[Known]) -> bool {
    let word = |at: usize| words.get(at).and_then(|it| it.as_deref()).unwrap_or_default();
    let aside = ["pip", "venv", "ensurepip", "compileall", "json.tool", "http.server", "wandb"];
    let module = words.iter().position(|it| it.as_deref() == Some("-m")).map(|at| word(at + 1));
    base(word(0)).starts_with("python") && module.is_some_and(|it| !aside.contains(&it))
}

/// Variables that a shell puts into a text, and that nothing in the text sets or speaks of: where it reads other files, nobody knows.
pub(super) fn asked(text: &str) -> Vec<String> {
    let lines = lines(text);
    let reads = |line: &Simple| {
        let first = line.words.first().and_then(|it| it.as_deref());
        line.sets_any || matches!(first, Some("source" | "." | "eval"))
    };
    if lines.iter().any(reads) {
        return Vec::new();
    }
    let spoken: BTreeSet<&str> =
        lines.iter().flat_map(|line| &line.spoken).map(String::as_str).collect();
    let asked: BTreeSet<&String> = lines.iter().flat_map(|line| &line.asked).collect();
    let is_spoken = |name: &str| spoken.contains(name) || spoken.contains(family(name));
    // `coproc NAME { ...; }` sets both
    let by_shell = |name: &str| {
        text.contains(&format!("coproc {}", name.trim_end_matches("_PID"))) || name == "COPROC_PID"
    };
    let open = asked.into_iter().filter(|name| !is_spoken(name) && !by_shell(name));
    open.cloned().collect()
}

/// What `mpirun -x NAME=VALUE` has each process see, and `-genv NAME VALUE`.
fn sent(line: &Simple) -> impl Iterator<Item = (String, Known)> {
    let by_mpi = line
        .words
        .first()
        .and_then(|it| it.as_deref())
        .is_some_and(|it| matches!(base(it), "mpirun" | "mpiexec" | "orterun"));
    let words = if by_mpi { line.words.as_slice() } else { &[] };
    words.iter().enumerate().filter_map(|(at, option)| {
        let in_two = match option.as_deref()? {
            "-x" => false,
            "-genv" | "--genv" | "-env" | "--env" => true,
            _ => return None,
        };
        let word = words.get(at + 1)?.as_deref()?;
        match word.split_once('=') {
            Some((name, value)) => Some((name.to_owned(), Some(value.to_owned()))),
            None if in_two => Some((word.to_owned(), words.get(at + 2)?.clone())),
            None => None,
        }
    })
}

/// What a command starts, in words: `vllm serve MODEL --port 8000`. A word that nobody knows is `?`.
pub(super) fn in_words(line: &Simple) -> Option<String> {
    let word = |(at, word): (usize, &Known)| match word.as_deref() {
        Some(word) if at == 0 => base(word).to_owned(),
        Some(word) => word.trim_end_matches(UNKNOWN).to_owned(),
        None => "?".to_owned(),
    };
    let words: Vec<_> = line.words.iter().enumerate().map(word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Options that the program of a command is told; those of its launcher are the launcher's.
pub(super) fn options(line: &Simple, table: &Options<'_>) -> Vec<Said> {
    let words = behind_launcher(&line.words, table);
    let program = program(words);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(word) = word else { continue };
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => {
                (option, Some(value).filter(|it| !it.ends_with(UNKNOWN)).map(str::to_owned))
            }
            None if word.starts_with('-') => {
                let next = words.get(at + 1).cloned().flatten();
                (word.as_str(), next.filter(|it| !it.starts_with('-')))
            }
            None => continue,
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "-+_./".contains(c);
        if option.chars().all(plain) && option.contains(|c: char| c.is_ascii_alphabetic()) {
            let mut said =
                Said { program: program.clone(), option: option.to_owned(), value, means: None };
            said.means = table.of_said(&program, &said.name(), said.value.as_deref());
            found.push(said);
        }
    }
    found
}

/// What reads the options of a command: behind an interpreter its script, or a module.
fn program(words: &[Known]) -> String {
    let mut known = words.iter().map(|word| word.as_deref().unwrap_or_default());
    let first = known.next().unwrap_or_default();
    let is_python = base(first).starts_with("python");
    let module = |it: &str| it == "-m";
    let name = match first {
        "-m" => known.next(),
        _ if is_python => match known.find(|it| module(it) || !it.starts_with('-')) {
            Some("-m") => known.next(),
            script => script,
        },
        _ => Some(first),
    };
    base(name.unwrap_or_default()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::*;
    use crate::catalog::Catalog;

    fn seen(text: &str) -> String {
        let pair = |(name, value): (String, String)| format!("{name}={value}");
        variables(&commands(text)).into_iter().map(pair).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_program_sees_what_is_set_for_it() {
        assert_eq!(seen("export A=1 B=$X; C=2 python t.py"), "A=1 C=2");
        assert_eq!(seen("A=1 python prepare.py && B=2 python t.py; C=3 date"), "B=2");
        assert_eq!(seen("A=1 train; export B=2"), "A=1");
        assert_eq!(seen("A=0 a.sh & A=1 b.sh; wait"), "");
        assert_eq!(seen("A=0 vllm serve m & A=1 python t.py; kill %1"), "");
        assert_eq!(seen("export A=0; export A=1; a"), "");
        assert_eq!(seen("mpirun -np 2 -x A=1 -x B train"), "A=1");
        assert_eq!(seen("mpirun -genv A 1 -genv B=2 -env C $D -np 2 train"), "A=1 B=2");
        assert_eq!(seen("env A=1 train"), "A=1");
    }

    #[test]
    fn a_text_asks_for_what_it_does_not_set() {
        assert_eq!(
            asked("python t.py --rank \"$RANK\" --of=${WORLD_SIZE} ${A:-1}"),
            ["RANK", "WORLD_SIZE"]
        );
        for text in [
            "RANK=$(hostname); a $RANK",
            "for RANK in 1; do a $RANK; done",
            ". env.sh; a $RANK",
            "a '$RANK'",
            ": \"${RANK:=0}\"; a $RANK",
            "[ -n \"$RANK\" ] && a $RANK",
            "if [[ -n \"$SLURM_JOB_ID\" ]]; then a $SLURM_PROCID; fi",
            "[ -n \"${RANK+x}\" ] && a $RANK",
            "[[ -v RANK ]] && a $RANK",
            "printf -v RANK %d 0; a $RANK",
            "echo RANK=0 > env; a $RANK",
            "cat > w.sh <<'E'\na $RANK\nE\nb",
            "cat <<-E\n\ta $RANK\n\tE\nb",
            "f() { a $RANK; }; b",
        ] {
            assert!(asked(text).is_empty(), "{text}");
        }
        assert_eq!(asked("echo RANK=$NODE_RANK; a $RANK"), ["NODE_RANK", "RANK"]);
        assert_eq!(asked("if [ $RANK = 0 ]; then a; fi"), ["RANK"]);
        assert_eq!(asked("f() { a $RANK; }; f"), ["RANK"]);
    }

    fn told(text: &str) -> Vec<String> {
        let shown = |it: Said| {
            let value = it.value.as_deref().unwrap_or("?");
            format!("{}: {}={value}", it.program, it.name())
        };
        let table = Options::of(Catalog::builtin());
        commands(text).iter().flat_map(|line| options(line, &table)).map(shown).collect()
    }

    #[test]
    fn options_are_those_of_the_program() {
        assert_eq!(
            told("torchrun --nnodes 2 t.py --save-interval 5 --bf16 --save=/a a.b=1 ++c=2"),
            ["t.py: save_interval=5", "t.py: bf16=?", "t.py: save=/a", "t.py: a.b=1", "t.py: c=2"]
        );
        assert_eq!(
            told("python -u -m vllm.x --port $PORT"),
            ["vllm.x: u=?", "vllm.x: m=vllm.x", "vllm.x: port=?"]
        );
        assert_eq!(told("/opt/vllm serve m -tp=8 d=/a/$B"), ["vllm: tp=8", "vllm: d=?"]);
    }

    #[test]
    fn a_command_is_told_in_its_words() {
        let all: Vec<_> =
            commands("cd /w; /bin/ray start --address $A").iter().filter_map(in_words).collect();
        assert_eq!(all, ["cd /w", "ray start --address ?"]);
    }
}
