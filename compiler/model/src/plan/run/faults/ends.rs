//! How texts end, and what they bring along on the way: a question that nobody meant to be the status, a trap that makes a success of being told
//! to end, packages that are not there where they are read.

use super::super::lost::{CLEARS_UP, trains};
use super::super::questions::Question;
use super::super::shell::{End, Simple, base, commands, lines as all_lines, word};
use super::super::started::{SHELLS, Script, shell_text};
use super::super::traps::ends_well;
use super::{Door, Mistake, Reader, joined};
use crate::plan::Place;

impl Reader<'_> {
    /// All of it.
    pub(super) fn ends(&mut self, script: &Script, lines: &[Simple]) {
        if !matches!(self.door, Door::Launch | Door::Setup(_)) {
            return;
        }
        self.ends_asking(&script.text);
        if self.door != Door::Launch {
            return self.installed(&script.text, lines);
        }
        let at = lines.iter().rposition(|it| trains(&it.words));
        let elsewhere =
            self.program.is_some_and(|it| matches!(it.place.value, Place::Partition(_)));
        // `exec` lets go of traps
        let stays = |at: &usize| lines.get(*at).is_some_and(|it| !it.execs);
        // one behind a program in the background is another trap for it
        let aside = |at: usize| lines.get(at).is_some_and(|it| it.background);
        let up_to = |at| if aside(at) { lines.len() } else { at };
        if let Some(at) = at.filter(stays).filter(|_| !elsewhere)
            && ends_well(&script.text, lines, up_to(at), &["TERM"]).is_some()
        {
            self.put(Mistake::EndsWell, "trap ... TERM");
        }
        self.installed(&script.text, lines);
    }

    /// `[ "$NODE_RANK" = 0 ] && cp ...` as the last words of a text: its status is that of the question where the answer is no.
    fn ends_asking(&mut self, text: &str) {
        let all = all_lines(text);
        let Some((last, before)) = all.split_last() else { return };
        let joined_to = before.last().is_some_and(|it| it.end == End::And);
        let plain = last.end == End::Next && !last.background && !last.execs;
        if !joined_to || !plain || last.words.is_empty() || trains(&last.words) {
            return;
        }
        let asked = last.questions.iter().any(|it| *it != Question::Piped);
        let status = word(last, 1);
        let fails = word(last, 0) == "exit" && last.words.len() > 1 && status != "0";
        let of_node = self.asks_node(last);
        if asked && (fails || of_node) {
            let beside = if of_node { "node" } else { "" };
            self.put_beside(Mistake::EndsAsking, joined(&last.words), beside);
        }
    }

    /// Whether a command is run on some nodes alone: one of each, and not of each process of them.
    pub(super) fn asks_node(&self, line: &Simple) -> bool {
        let ranks = self.catalog.names("commands.ranks");
        line.questions.iter().any(|it| match it {
            Question::Holds(names) => {
                names.iter().any(|name| ranks.iter().any(|rank| name.ends_with(&**rank)))
            }
            _ => false,
        })
    }

    /// `[ "$NODE_RANK" = 0 ] && pip install einops`, where each node has a container of its own, and `pip install einops &`.
    fn installed(&mut self, text: &str, lines: &[Simple]) {
        // an environment that is entered may lie where all see it
        let shared = ["PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV", "PYTHONUSERBASE", "conda run"];
        let enters = lines.iter().any(|it| matches!(word(it, 0), "source" | "." | "eval"))
            || shared.iter().any(|it| text.contains(it));
        if self.beside.image.is_none() || enters {
            return;
        }
        let last = match self.door {
            Door::Launch => lines.iter().rposition(|it| trains(&it.words)).unwrap_or_default(),
            _ => lines.len(),
        };
        let before = lines.get(..last).unwrap_or_default();
        let waits = |at: usize| {
            let behind = before.get(at..).unwrap_or_default();
            behind.iter().any(|it| matches!(word(it, 0), "wait" | "sleep" | "tail" | "pgrep"))
        };
        for (at, line) in before.iter().enumerate().filter(|(_, it)| installs(it)) {
            let others = before.iter().enumerate().any(|(it, other)| it != at && installs(other));
            if line.background && !waits(at) {
                return self.put(Mistake::InstalledAside, joined(&line.words));
            }
            let branches = line.questions.len() == 1;
            // what is run on the first node alone has what it reads
            let behind = lines.get(at + 1..).unwrap_or_default();
            let aside = |it: &Simple| CLEARS_UP.contains(&base(word(it, 0))) || installs(it);
            let reads = behind.iter().any(|it| self.asks_node(it) && !aside(it));
            let of_host = |it: &Question| matches!(it, Question::Holds(names) if names.iter().all(|it| it == "hostname" || it == "HOSTNAME"));
            if (self.asks_node(line) || line.questions.iter().any(of_host))
                && branches
                && !others
                && !reads
            {
                return self.put(Mistake::InstalledOnce, joined(&line.words));
            }
        }
    }
}

/// Whether a command puts packages into its own container that programs of training read. What reports and copies is often the first node's alone.
fn installs(line: &Simple) -> bool {
    let words: Vec<&str> = line.words.iter().flatten().map(String::as_str).collect();
    if SHELLS.contains(&words.first().copied().map(base).unwrap_or_default()) {
        let script = shell_text(&line.words).filter(|_| line.background);
        return script.is_some_and(|it| commands(&it.text).iter().any(installs));
    }
    let told = match words.as_slice() {
        [pip, "install", told @ ..]
            if matches!(base(pip), "pip" | "pip3") && !pip.contains('/') =>
        {
            told
        }
        [python, "-m", "pip", "install", told @ ..] if python.starts_with("python") => told,
        ["uv", "pip", "install", told @ ..] | ["conda" | "mamba", "install", told @ ..] => told,
        ["uv", "sync", told @ ..] => return !told.iter().any(|it| ELSEWHERE.contains(it)),
        _ => return false,
    };
    if told.iter().any(|it| ELSEWHERE.iter().any(|own| it.split('=').next() == Some(own))) {
        return false;
    }
    // a word that only the shell knows may be anything
    let listed = told.iter().any(|it| matches!(*it, "-r" | "--requirement" | "-e" | "--editable"));
    let mut named = told.iter().filter(|it| !it.starts_with('-')).peekable();
    let is_aside = |it: &&&str| **it == "yq" || ASIDE.iter().any(|own| it.contains(own));
    named.peek().is_some() && (listed || named.any(|it| !is_aside(&it)))
}

/// What puts packages elsewhere, or nowhere.
const ELSEWHERE: [&str; 11] = [
    "--target",
    "-t",
    "--prefix",
    "--root",
    "--user",
    "--python",
    "--download",
    "--dry-run",
    "-p",
    "-n",
    "--name",
];

/// Parts of names of packages that report, show and copy.
const ASIDE: [&str; 19] = [
    "wandb",
    "tensorboard",
    "mlflow",
    "huggingface",
    "hf_transfer",
    "hf-transfer",
    "gsutil",
    "gcloud",
    "awscli",
    "google-",
    "py-spy",
    "nvitop",
    "gpustat",
    "nvidia-ml-py",
    "s5cmd",
    "lm-eval",
    "lm_eval",
    "slack",
    "ipdb",
];
