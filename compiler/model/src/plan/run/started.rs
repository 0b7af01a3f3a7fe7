//! The launchers that a command line starts by itself, and what it tells them: how many processes and nodes, and how these find
//! each other. What their options mean is in the catalog.

use super::configured::configured;
use super::faults::Fault;
use super::lost::{Lost, goes_on, left_behind, lost, trains};
use super::options::Options;
use super::removals::Removal;
use super::said::{Said, asked, in_words, options, variables};
use super::shell::{End, Known, Simple, UNKNOWN, Values, base, commands_among, is_one_of, named};
use super::{Launcher, Piece, RunValue, Word};
use crate::catalog::Meaning;
use std::collections::BTreeMap;

/// A launcher in a command line. What the line does not tell, or only its shell knows, is `None`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// What it is called: `torchrun`.
    pub launcher: &'static str,
    /// Processes that it starts on its node.
    pub processes: Option<i64>,
    /// Nodes that it waits for, at least.
    pub least_nodes: Option<i64>,
    /// Nodes that it waits for, at most.
    pub nodes: Option<i64>,
    /// It is told where nodes meet, and which of them it is on.
    pub meets: bool,
    /// Where nodes meet, where that is written: a host, or a host and its port.
    pub address: Option<String>,
    /// The number of its node, where one is written: the same on each that starts it.
    pub rank: Option<i64>,
    /// It is one of several commands that may share the node.
    pub beside: bool,
    /// It is started where something is there alone, which a question in front of it asks.
    pub guarded: bool,
    /// Processes of another launcher that is left running when it starts, where neither is told which GPUs are its own.
    pub together: Option<i64>,
}

/// What a command line starts and sets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// The program, or the script behind a launcher: nothing where there is none, `None` where only the run knows it.
    pub first: Option<String>,
    /// Launchers in it.
    pub started: Vec<Started>,
    /// Commands in it, in words.
    pub programs: Vec<String>,
    /// Files that these write their output to.
    pub written: Vec<String>,
    /// Variables that it sets for its program, as far as their values are known.
    pub variables: BTreeMap<String, String>,
    /// Options that its programs are told.
    pub options: Vec<Said>,
    /// Paths that are told to programs of training as words of their own.
    pub operands: Vec<String>,
    /// The folder that the last of its commands are started in, where they leave another one.
    pub folder: Option<String>,
    /// What becomes of a failure that nobody is told of: `torchrun` is piped into `tee`.
    pub lost: Option<Lost>,
    /// The program that its shell leaves running when it ends.
    pub left_behind: Option<String>,
    /// What keeps its shell going when its program has ended: `torchrun`, `; sleep infinity`.
    pub goes_on: Option<Lost>,
    /// Variables that its shell puts in, and that its text does not set.
    pub asked: Vec<String>,
    /// What does not start what it says, here and wherever else its nodes are given commands.
    pub faults: Vec<Fault>,
    /// What its commands, and those before and behind its processes, take away.
    pub removals: Vec<Removal>,
}

impl CommandLine {
    /// What a command line starts and sets, as far as that can be read.
    pub(in crate::plan) fn read(
        launcher: Launcher,
        command: &[Word],
        around: &Around,
        table: &Options<'_>,
    ) -> Self {
        let begun = around.begun.iter().map(|word| Some(word.clone()));
        let words: Vec<Known> =
            begun.chain(command.iter().map(|word| around.known(word))).collect();
        let first = match launcher {
            Launcher::Python => {
                words.get(1).filter(|it| it.as_deref() != Some("-m")).or(words.get(2))
            }
            Launcher::Torchrun { .. } => {
                words.first().filter(|it| it.as_deref() != Some("-m")).or(words.get(1))
            }
            Launcher::Srun
            | Launcher::Mpirun
            | Launcher::Command
            | Launcher::Submitter
            | Launcher::Entrypoint => words.first(),
        };
        let first = first.cloned().unwrap_or_else(|| Some(String::new()));
        let by_shell = shell_text(&words);
        let mut read = Self {
            first,
            lost: by_shell.as_ref().and_then(lost),
            left_behind: by_shell.as_ref().and_then(left_behind),
            goes_on: by_shell.as_ref().and_then(goes_on),
            asked: by_shell.as_ref().map(|it| asked(&it.text)).unwrap_or_default(),
            ..Self::default()
        };
        let lines = match launcher {
            Launcher::Entrypoint if !around.begun.is_empty() => {
                inner(Simple::of(words), &around.values, DEEPEST)
            }
            // words of a program that stands elsewhere
            Launcher::Torchrun { .. } | Launcher::Submitter | Launcher::Entrypoint => {
                read.operands = operands(&words, table);
                read.options = options(&Simple { words, ..Simple::default() }, table);
                Vec::new()
            }
            Launcher::Python | Launcher::Srun | Launcher::Mpirun | Launcher::Command => {
                inner(Simple::of(words), &around.values, DEEPEST)
            }
        };
        let training = lines.iter().filter(|line| {
            trains(&line.words) || is_one_of(line.words.first().unwrap_or(&None), SERVES)
        });
        read.operands.extend(training.flat_map(|line| operands(&line.words, table)));
        read.folder = lines.iter().rev().find_map(entered);
        read.programs = lines.iter().filter_map(in_words).collect();
        read.written = lines.iter().flat_map(|line| &line.written).cloned().collect();
        read.variables = variables(&lines);
        read.options.extend(of_run(&lines, table).flat_map(|line| options(line, table)));
        read.options
            .extend(configured(by_shell.as_ref().map(|it| it.text.as_str()), &read.options));
        read.started = all_started(&lines, table);
        let mut set = lines.iter().flat_map(|line| &line.assigned);
        let several = read.started.len() > 1 || set.any(|(name, _)| name == DEVICES);
        read.started.iter_mut().for_each(|it| it.beside = several);
        read
    }
}

/// The commands whose options are the run's: beside a launcher of several nodes, what prepares or looks at a run is no run of its own.
fn of_run<'l>(
    lines: &'l [Simple],
    table: &'l Options<'_>,
) -> impl Iterator<Item = &'l Simple> + use<'l> {
    let is_wide = |line: &Simple| started(&line.words, table).is_some_and(|it| it.nodes != Some(1));
    let has_wide = lines.iter().any(is_wide);
    let counts = |line: &&Simple| !has_wide || !trains(&line.words) || is_wide(line);
    lines.iter().filter(counts).collect::<Vec<_>>().into_iter()
}

/// The launchers of these commands.
fn all_started(lines: &[Simple], table: &Options<'_>) -> Vec<Started> {
    let is = |line: &Simple, name: &str| is_one_of(line.words.first().unwrap_or(&None), &[name]);
    let chosen = lines.iter().any(|line| {
        let by_option =
            ["--include", "--exclude", "--gpu_ids", "--gpu-ids"].map(|it| Some(it.to_owned()));
        line.assigned.iter().any(|(name, _)| name == DEVICES)
            || line.words.iter().any(|word| by_option.contains(word))
    });
    let (mut all, mut running) = (Vec::new(), None);
    for line in lines {
        if is(line, "wait") {
            running = None;
        }
        let Some(mut one) = started(&line.words, table) else { continue };
        one.together = running.filter(|_| !chosen);
        one.guarded = line.is_guarded();
        if line.end == End::Background {
            running = one.processes;
        }
        all.push(one);
    }
    all
}

/// The folder that a command enters: `cd /workspace`.
fn entered(line: &Simple) -> Option<String> {
    let [Some(program), folder] = line.words.as_slice() else { return None };
    // a folder that only a shell knows is one, too
    matches!(&**program, "cd" | "pushd").then(|| folder.clone().unwrap_or_default())
}

/// Words of a command that are paths, and no options nor scripts.
fn operands(words: &[Known], table: &Options<'_>) -> Vec<String> {
    let told = behind_launcher(words, table).iter().skip(1).flatten();
    let is_path = |word: &&String| word.starts_with('/') && !word.ends_with(UNKNOWN);
    told.filter(is_path)
        .filter(|it| !it.ends_with(".py") && !it.ends_with(".sh"))
        .cloned()
        .collect()
}

/// Servers that are told of a model as a word of its own.
const SERVES: &[&str] = &["vllm", "sglang"];

/// Which of a node's GPUs a process sees.
const DEVICES: &str = "CUDA_VISIBLE_DEVICES";

/// Shells within shells that are read.
const DEEPEST: usize = 4;

/// What is known of the nodes around a command line before they run.
#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct Around {
    /// How many there are.
    pub(in crate::plan) nodes: Option<i64>,
    /// Variables with the values that the blueprint, or what follows from it, gives them on all nodes.
    pub(in crate::plan) values: Values,
    /// What its image starts by itself, in words, where that is known: the words of `entrypoint` stand behind it.
    pub(in crate::plan) begun: Vec<String>,
}

impl Around {
    /// A word as it will be.
    pub(in crate::plan) fn known(&self, word: &Word) -> Known {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Run(RunValue::NodeCount) => Some(self.nodes?.to_string()),
            Piece::Later(_) | Piece::Run(_) => None,
        };
        let mut all = String::new();
        for piece in &word.0 {
            match text(piece) {
                Some(text) => all.push_str(&text),
                None => return named(&all, all.len()),
            }
        }
        Some(all)
    }
}

/// The commands of words, where these are known.
pub(super) fn inner_of(words: Vec<Known>, around: &Around) -> Vec<Simple> {
    inner(Simple::of(words), &around.values, DEEPEST)
}

/// A command, or those of the text that it gives to a shell.
fn inner(command: Simple, values: &Values, depth: usize) -> Vec<Simple> {
    let Some(Script { text, .. }) = shell_text(&command.words).filter(|_| depth > 0) else {
        return vec![command];
    };
    let assigned = Simple { assigned: command.assigned, ..Simple::default() };
    let lines = commands_among(&text, values).into_iter();
    let lines = lines.flat_map(|line| {
        let (outer, background) = (line.questions.clone(), line.background);
        let mut inside = inner(line, values, depth - 1);
        inside.iter_mut().for_each(|it| {
            it.questions.extend(outer.iter().cloned());
            it.background |= background;
        });
        inside
    });
    std::iter::once(assigned).chain(lines).collect()
}

/// What `bash -lc TEXT` runs.
pub(super) struct Script {
    pub(super) text: String,
    /// The shell is told to end at the first failure.
    pub(super) strict: bool,
    /// It is told that a pipe fails with any of its commands.
    pub(super) pipes: bool,
    /// How many words stand up to the text, with it.
    length: usize,
}

impl Script {
    /// The first word behind the text, where that asks for none of them.
    pub(super) fn unread(&self, words: &[Known]) -> Option<String> {
        let behind = words.get(self.length..)?.first()?.clone()?;
        (!self.text.contains('$')).then_some(behind)
    }
}

/// Programs that read commands.
pub(super) const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

/// The text that a shell is given as a word.
pub(super) fn shell_text(words: &[Known]) -> Option<Script> {
    let program = base(words.first()?.as_deref()?);
    if !SHELLS.contains(&program) {
        return None;
    }
    let (mut strict, mut pipes, mut runs, mut at) = (false, false, false, 1);
    while let Some(option) = words.get(at).and_then(|word| word.as_deref())
        && option.starts_with(['-', '+'])
    {
        at += 1;
        if option.starts_with('-') && !option.starts_with("--") {
            runs |= option.contains('c');
            strict |= option.contains('e');
            if option.ends_with('o') {
                let name = words.get(at).and_then(|word| word.as_deref());
                pipes |= name == Some("pipefail");
                strict |= name == Some("errexit");
                at += 1;
            }
        }
    }
    let text = runs.then(|| words.get(at)).flatten()?.clone()?;
    Some(Script { text, strict, pipes, length: at + 1 })
}

/// Whether a word, or the value of an option, is a variable of a shell.
pub(super) fn is_variable(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let Some(name) = value.strip_prefix('$') else { return false };
    let name = name.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or(name);
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(plain)
}

/// The launcher of a command, if it is one.
pub(super) fn started(words: &[Known], table: &Options<'_>) -> Option<Started> {
    let (launcher, rest) = launcher(words)?;
    let (told, _) = Told::read(launcher, rest, table);
    let per_node = |default: i64| told.count(Meaning::PerNode, default);
    // a file says what the command leaves out
    let says = |meaning: Meaning| !told.has(Meaning::Elsewhere) || told.has(meaning);
    let nodes = told.nodes().filter(|_| says(Meaning::Nodes));
    let processes = match launcher {
        "torchrun" => per_node(1),
        "accelerate" => match (told.count(Meaning::All, 0)?, nodes) {
            (0, _) => None,
            (all, Some((_, nodes))) if nodes > 0 && all % nodes == 0 => Some(all / nodes),
            _ => None,
        },
        "deepspeed" | "srun" => per_node(0).filter(|count| *count > 0),
        _ if told.has(Meaning::Hosts) => None,
        _ => told.count(Meaning::All, 0).filter(|count| *count > 0),
    };
    let meets = told.is_open
        || told.has(Meaning::Hosts)
        || told.has(Meaning::Elsewhere)
        || told.has(Meaning::Address) && (told.has(Meaning::Rank) || told.deals_ranks());
    // other ways to meet deal numbers by themselves
    let rank = told.count(Meaning::Rank, -1);
    let rank = rank.filter(|rank| *rank >= 0 && !told.deals_ranks());
    let processes = processes.filter(|_| says(Meaning::All) || says(Meaning::PerNode));
    Some(Started {
        launcher,
        processes,
        least_nodes: nodes.map(|it| it.0),
        nodes: nodes.map(|it| it.1),
        meets,
        address: told.said.get(&Meaning::Address).cloned().flatten(),
        rank,
        beside: false,
        guarded: false,
        together: None,
    })
}

/// What a launcher starts, or all words where there is none.
pub(super) fn behind_launcher<'w>(words: &'w [Known], table: &Options<'_>) -> &'w [Known] {
    let Some((launcher, rest)) = launcher(words) else { return words };
    match Told::read(launcher, rest, table) {
        // a file says what that is
        (told, _) if told.has(Meaning::Listed) => &[],
        (_, behind) => behind,
    }
}

/// Which launcher words start, with its options and what follows.
pub(super) fn launcher(words: &[Known]) -> Option<(&'static str, &[Known])> {
    let word = |at: usize| words.get(at).and_then(|word| word.as_deref());
    let name = base(word(0)?);
    let options =
        (1..).take_while(|at| word(*at).is_some_and(|it| it.starts_with('-') && it != "-m"));
    // `python -u -m ...`: where the module stands
    let at = if name.starts_with("python") { options.count() + 2 } else { 1 };
    let module = at > 1 && word(at - 1) == Some("-m");
    Some(match (name, word(at)) {
        ("torchrun", _) => ("torchrun", words.get(1..)?),
        (_, Some("torch.distributed.run" | "torch.distributed.launch")) if module => {
            ("torchrun", words.get(at + 1..)?)
        }
        (_, Some("accelerate.commands.launch")) if module => ("accelerate", words.get(at + 1..)?),
        ("accelerate", Some("launch")) => ("accelerate", words.get(2..)?),
        ("deepspeed", _) => ("deepspeed", words.get(1..)?),
        ("mpirun" | "mpiexec" | "orterun", _) => ("mpirun", words.get(1..)?),
        ("srun", _) => ("srun", words.get(1..)?),
        ("sbatch", _) => ("sbatch", words.get(1..)?),
        ("salloc", _) => ("salloc", words.get(1..)?),
        _ => return None,
    })
}

/// What options tell a launcher.
#[derive(Default)]
struct Told {
    /// By their meaning, as they are written.
    said: BTreeMap<Meaning, Known>,
    /// Words among them may say anything.
    is_open: bool,
}

impl Told {
    /// What is told, and the words behind it.
    fn read<'w>(launcher: &str, words: &'w [Known], table: &Options<'_>) -> (Self, &'w [Known]) {
        let mut told = Self::default();
        let mut rest = words.iter();
        let mut behind = rest.as_slice();
        while let Some(word) = rest.next() {
            let Some(word) = word else {
                told.is_open = true;
                behind = rest.as_slice();
                continue;
            };
            if !word.starts_with('-') || word == "--" {
                break;
            }
            let (option, value) = match word.split_once('=') {
                // what only a shell knows is told, and not known
                Some((option, value)) => {
                    (option, Some(Some(value).filter(|it| !it.ends_with(UNKNOWN))))
                }
                None => (word.as_str(), None),
            };
            let (meaning, attached) = table.of_launcher(launcher, option);
            let value = value.map(|it| it.map(str::to_owned)).or(attached.map(Some));
            let is_last = |word: &Known| {
                word.as_ref().is_some_and(|it| it.starts_with('-') || it.ends_with(".py"))
            };
            let value = match (meaning, value) {
                (Some(Meaning::Flag | Meaning::Alone | Meaning::Listed), value) => value.flatten(),
                (Some(Meaning::Two), _) => {
                    rest.by_ref().take(2).for_each(drop);
                    None
                }
                (Some(Meaning::Variable), _) => {
                    let first = rest.next().and_then(|it| it.as_deref());
                    if first.is_some_and(|it| !it.contains('=')) {
                        rest.next();
                    }
                    None
                }
                (None, None) if rest.clone().next().is_none_or(is_last) => None,
                (_, Some(value)) => value,
                (_, None) => rest.next().cloned().flatten(),
            };
            if let Some(meaning) = meaning {
                told.said.insert(meaning, value);
            }
            behind = rest.as_slice();
        }
        (told, behind)
    }

    fn has(&self, meaning: Meaning) -> bool {
        self.said.contains_key(&meaning)
    }

    /// Nodes meet in a way that gives each its number: any but `static`.
    fn deals_ranks(&self) -> bool {
        self.said.get(&Meaning::Backend).is_some_and(|it| it.as_deref() != Some("static"))
    }

    /// A number that is told, or what holds where nothing is said.
    fn count(&self, meaning: Meaning, default: i64) -> Option<i64> {
        match self.said.get(&meaning) {
            Some(said) => said.as_ref()?.parse().ok(),
            None => (!self.is_open).then_some(default),
        }
    }

    /// The fewest and the most nodes: `2`, `2:4`.
    fn nodes(&self) -> Option<(i64, i64)> {
        if self.has(Meaning::Alone) {
            return Some((1, 1));
        }
        let Some(said) = self.said.get(&Meaning::Nodes) else {
            return (!self.is_open && !self.has(Meaning::Hosts)).then_some((1, 1));
        };
        let said = said.as_deref()?;
        let (least, most) = said.split_once([':', '-']).unwrap_or((said, said));
        Some((least.parse().ok()?, most.parse().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::*;
    use crate::catalog::Catalog;

    fn of(text: &str) -> Vec<Started> {
        let table = Options::of(Catalog::builtin());
        let lines = commands(text).into_iter();
        let lines = lines.flat_map(|line| inner(line, &Values::new(), DEEPEST));
        lines.filter_map(|line| started(&line.words, &table)).collect()
    }

    fn told(text: &str) -> (Option<i64>, Option<i64>, bool) {
        let [one] = of(text).try_into().unwrap_or_else(|_| panic!("{text}"));
        (one.processes, one.nodes, one.meets)
    }

    #[test]
    fn a_number_of_a_node_is_read_where_it_counts() {
        let rank = |text: &str| of(text).first().and_then(|one| one.rank);
        assert_eq!(rank("torchrun --nnodes=4 --node_rank=0 --master_addr=a t.py"), Some(0));
        assert_eq!(rank("accelerate launch --machine_rank 1 t.py"), Some(1));
        assert_eq!(rank("torchrun --nnodes=4 --node_rank=$NODE_RANK --master_addr=a t.py"), None);
        assert_eq!(rank("torchrun --rdzv_backend=c10d --rdzv_endpoint=a --node_rank=0 t.py"), None);
        assert_eq!(rank("torchrun --nnodes=4 t.py"), None);
        assert_eq!(
            rank("torchrun --rdzv_backend=static --rdzv_endpoint=a --node_rank=0 t.py"),
            Some(0)
        );
    }

    #[test]
    fn options_of_launchers_are_read_to_the_script() {
        assert_eq!(told("torchrun --nproc_per_node=4 t.py --nnodes 9"), (Some(4), Some(1), false));
        assert_eq!(
            told(
                "torchrun --nproc-per-node 8 --nnodes 2 --rdzv_backend c10d --rdzv-endpoint $A t.py"
            ),
            (Some(8), Some(2), true)
        );
        assert_eq!(told("torchrun --nproc-per-node gpu --standalone t.py"), (None, Some(1), false));
        assert_eq!(told("torchrun $ARGS t.py"), (None, None, true));
        assert_eq!(
            told("python3 -m torch.distributed.run --nproc_per_node=2 t.py"),
            (Some(2), Some(1), false)
        );
        assert_eq!(
            told("bash -lc 'sh -c \"torchrun --nproc_per_node 2 t.py\"'"),
            (Some(2), Some(1), false)
        );
        assert_eq!(
            told("mpirun --allow-run-as-root --mca a b -np 64 ./a -np 2"),
            (Some(64), Some(1), false)
        );
        assert_eq!(told("mpirun -np 64 --hostfile /h ./a"), (None, None, true));
        assert_eq!(
            told("accelerate launch --num_processes 16 --num_machines 2 --new thing t.py"),
            (Some(8), Some(2), false)
        );
        assert_eq!(told("accelerate launch --config_file c.yaml t.py"), (None, None, true));
        assert_eq!(told("deepspeed --num_gpus 4 t.py"), (Some(4), Some(1), false));
        assert_eq!(told("srun -N4 --ntasks-per-node=8 t"), (Some(8), Some(4), false));
        assert_eq!(told("srun -Jname -wh[1-4] -N4 t -N 9"), (None, Some(4), false));
        assert_eq!(told("sbatch -pa100 -N 2 -W job.sh -N 9"), (None, Some(2), false));
        assert_eq!(told("mpirun -genv A=B -np 4 ./a"), (Some(4), Some(1), false));
        assert_eq!(told("mpirun -genv A B -np 4 ./a"), (Some(4), Some(1), false));
        assert_eq!(
            told("torchrun --nnodes 2 --rdzv-backend static --rdzv-endpoint $A:1 t.py"),
            (Some(1), Some(2), false)
        );
        assert!(of("echo torchrun; python t.py; pip install torchrun").is_empty());
        assert_eq!(
            told("bash -eo pipefail -c 'torchrun --nproc_per_node 2 t.py'"),
            (Some(2), Some(1), false)
        );
    }

    #[test]
    fn launchers_that_run_together_are_told_from_others() {
        let table = Options::of(Catalog::builtin());
        let together = |text: &str| {
            let all = all_started(&commands(text), &table);
            all.last().and_then(|one| one.together)
        };
        let half = "torchrun --nproc-per-node=4";
        assert_eq!(together(&format!("{half} a.py & {half} b.py & wait $!")), Some(4));
        for text in [
            format!("{half} a.py; {half} b.py"),
            format!("{half} a.py & wait; {half} b.py"),
            format!("CUDA_VISIBLE_DEVICES=4,5,6,7 {half} a.py & {half} b.py"),
            format!("python a.py & {half} b.py"),
            format!("{half} a.py & python b.py"),
        ] {
            assert_eq!(together(&text), None, "{text}");
        }
    }

    #[test]
    fn variables_of_shells_are_told_from_other_texts() {
        assert!(
            ["$RANK", "${NODE_RANK}", "--node-rank=$NODE_RANK"].iter().all(|it| is_variable(it))
        );
        assert!(["$5", "$(RANK)", "${oc.env:X}", "a$B", "$"].iter().all(|it| !is_variable(it)));
    }
}
