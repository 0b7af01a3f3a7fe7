//! Scripts that no run starts: around jobs, when a host starts, and when an image is built. They are read as texts of commands are, and what
//! becomes of their status is another thing each.

use super::super::lost::{endless_loop, never_ends, on_one_line};
use super::super::said::asked;
use super::super::shell::{
    End, Known, Simple, base, commands, documents, lines as all_lines, word,
};
use super::super::started::{SHELLS, Script, shell_text};
use super::inside::branches;
use super::starts::is_strict;
use super::{Beside, Door, Fault, Mistake, Reader, joined, slip};
use crate::catalog::Catalog;

/// When a script is run that no run starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// On each node of a job of Slurm, before it starts there.
    Prolog,
    /// Behind it.
    Epilog,
    /// From time to time.
    Check,
    /// When a host of Slurm on Google Cloud is made, which waits for its end.
    Start,
    /// Whenever a machine starts, which waits for nothing.
    Boot,
    /// When an image of machines is built.
    Build,
    /// When an image of containers is built.
    Layer,
}

impl Moment {
    /// As rules call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prolog => "prolog",
            Self::Epilog => "epilog",
            Self::Check => "check",
            Self::Start => "start",
            Self::Boot => "boot",
            Self::Build => "build",
            Self::Layer => "layer",
        }
    }

    /// Somebody waits for its end.
    fn is_awaited(self) -> bool {
        self != Self::Boot
    }

    /// Its status decides, and is another one from host to host, or from job to job.
    fn decides(self) -> bool {
        matches!(self, Self::Prolog | Self::Epilog | Self::Start)
    }

    /// It is run around jobs.
    fn is_around(self) -> bool {
        matches!(self, Self::Prolog | Self::Epilog)
    }
}

/// A script that no run starts, and what is known of where it is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosted {
    /// When.
    pub moment: Moment,
    /// The fields that it is written in, from the noun's own on.
    pub at: Vec<String>,
    /// What it says.
    pub text: String,
    /// What is run there begins from, where that is known: a family of images, or an image of containers.
    pub system: Option<String>,
    /// There is no GPU.
    pub no_gpus: bool,
    /// Folders that all of its hosts see.
    pub shared: Vec<String>,
}

/// What a script does not do as it is written.
pub(in crate::plan) fn faults_of(catalog: &Catalog, hosted: &Hosted) -> Vec<Fault> {
    let mut found = Vec::new();
    let image = hosted.system.as_deref().filter(|_| hosted.moment == Moment::Layer);
    let beside = Beside { image, ..Beside::default() };
    let mut reader = Reader {
        catalog,
        door: Door::Script(hosted.moment),
        begins: true,
        verbatim: true,
        beside,
        program: None,
        asks: false,
        found: &mut found,
    };
    let packages = hosted.system.as_deref().and_then(|it| packages_of(catalog, it));
    match read_by(hosted) {
        Ok(words) => {
            let Some(mut shell) = words.first().cloned().flatten() else { return found };
            // the plain shell of these is Bash, or knows what that knows
            if shell == "sh" && packages.is_some_and(|it| it != "deb") {
                shell = "bash".to_owned();
            }
            if let Some(script) = shell_text(&words) {
                reader.text(&shell, &script, &words);
                reader.hosted(hosted, &script, packages);
            }
        }
        Err(Some(line)) => reader.put(Mistake::Interpreter, line),
        Err(None) => {}
    }
    found
}

/// The words that a script is started by, with what it says as the last of them. `Err`: its first line where nothing is called so, or nothing
/// where it is written for no shell.
fn read_by(hosted: &Hosted) -> Result<Vec<Known>, Option<String>> {
    let line = hosted.text.lines().next().unwrap_or_default();
    let usual = if hosted.moment == Moment::Layer { "sh" } else { "bash" };
    let told = line.strip_prefix("#!").map_or_else(|| usual.to_owned(), |it| it.trim().to_owned());
    let mut told: Vec<&str> = told.split_whitespace().collect();
    if told.first().is_some_and(|it| base(it) == "env") {
        told.remove(0);
        match told.first() {
            Some(&"-S") => {
                told.remove(0);
            }
            // all that stands behind it is one word
            _ if told.len() > 1 => return Err(Some(line.to_owned())),
            _ => {}
        }
    }
    let Some((first, options)) = told.split_first() else { return Err(None) };
    let shell = base(first);
    let of_shell = |line: &str| {
        matches!(line, "fi" | "done" | "esac")
            || line.starts_with("set -")
            || line.starts_with("echo ")
    };
    if shell.starts_with("python") && hosted.text.lines().map(str::trim).any(of_shell) {
        return Err(Some(line.to_owned()));
    }
    if !SHELLS.contains(&shell) {
        let is_near = SHELLS.iter().any(|it| it.len() > 2 && slip(shell, it));
        return Err(is_near.then(|| line.to_owned()));
    }
    let words = [shell].into_iter().chain(options.iter().copied()).chain(["-c", &hosted.text]);
    Ok(words.map(|it| Some(it.to_owned())).collect())
}

/// What packages a system has, as far as its name says it: `deb`, `rpm`, `apk`.
pub(in crate::plan) fn packages_of<'c>(catalog: &'c Catalog, system: &str) -> Option<&'c str> {
    let rows = catalog.names("commands.systems").iter().filter_map(|it| it.split_once(' '));
    let mut kinds: Vec<&str> =
        rows.filter(|(_, name)| system.contains(name)).map(|(kind, _)| kind).collect();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

impl Reader<'_> {
    /// What a text does that it does not do where a run starts it.
    fn hosted(&mut self, hosted: &Hosted, script: &Script, packages: Option<&str>) {
        if self.found.iter().any(|it| it.mistake == Mistake::Unclosed) {
            return;
        }
        let moment = hosted.moment;
        let lines = commands(&hosted.text);
        let text = on_one_line(&hosted.text);
        self.joined(&lines);
        self.behind_exec(&text, &lines);
        self.never_ending(moment, &text, &lines);
        if moment.decides() {
            self.ends_otherwise(&hosted.text, &lines);
        }
        if moment == Moment::Prolog {
            self.told_to_nobody(&hosted.text);
        }
        if moment.is_around() {
            self.of_jobs(&hosted.text, script, &lines);
        }
        for line in &lines {
            self.drains(line);
            self.stops(moment, line);
            self.not_here(hosted, line, packages);
        }
        self.emptied(hosted, &lines);
        if moment == Moment::Boot {
            self.at_each_boot(script, &lines);
        }
    }

    /// What a machine does whenever it starts, and can do once: a filesystem that is made anew, and what fails where it is there already.
    fn at_each_boot(&mut self, script: &Script, lines: &[Simple]) {
        let strict = is_strict(script, lines);
        for line in lines.iter().filter(|it| !it.is_conditional() && it.end != End::Or) {
            let name = base(word(line, 0));
            let has = |letter: char| {
                let mut words = line.words.iter().skip(1).flatten();
                words.any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
            };
            let erases = name.starts_with("mkfs");
            let second = word(line, 1);
            let fails = match name {
                "mkdir" => !has('p'),
                "useradd" | "adduser" | "groupadd" => true,
                "git" => second == "clone",
                "mdadm" => line.words.iter().flatten().any(|it| it == "--create"),
                "ln" => !has('f'),
                _ => false,
            };
            if erases || fails && strict && matches!(line.end, End::Next | End::And) {
                let beside = if erases { "erases" } else { "" };
                return self.put_beside(Mistake::MadeAgain, joined(&line.words), beside);
            }
        }
    }

    /// `sleep infinity` where somebody waits for its end, and what takes longer than a check may.
    fn never_ending(&mut self, moment: Moment, text: &str, lines: &[Simple]) {
        let own = |it: &&Simple| !it.background && !it.is_conditional();
        let long = |it: &&Simple| {
            let time = word(it, 1).trim_end_matches('s').parse::<u32>();
            let sleeps = base(word(it, 0)) == "sleep" && time.is_ok_and(|it| it >= LONGEST_CHECK);
            let has = |word: &str| it.words.iter().flatten().any(|it| it == word);
            let diagnoses = base(word(it, 0)) == "dcgmi" && word(it, 1) == "diag";
            sleeps
                || diagnoses && ["3", "4", "long", "xlong", "-r3", "-r4"].iter().any(|it| has(it))
        };
        if moment == Moment::Check
            && let Some(line) = lines.iter().filter(own).find(long)
        {
            self.put(Mistake::CutShort, joined(&line.words));
        }
        if !moment.is_awaited() {
            return;
        }
        if let Some(line) = lines.iter().filter(own).find(|it| never_ends(&it.words)) {
            return self.put(Mistake::Endless, joined(&line.words));
        }
        let aside = ["done &", "done >", "<<", "nohup ", "setsid ", "() "];
        if let Some(head) = endless_loop(text).filter(|_| !aside.iter().any(|it| text.contains(it)))
        {
            self.put(Mistake::Endless, head.trim_end_matches([';', ' ']));
        }
    }

    /// A text that ends with a question, or with a failure whatever has happened.
    fn ends_otherwise(&mut self, text: &str, lines: &[Simple]) {
        let at_exit = |it: &Simple| {
            word(it, 0) == "trap" && it.words.iter().flatten().any(|it| it == "EXIT" || it == "0")
        };
        let all = all_lines(text);
        let Some((last, before)) = all.split_last() else { return };
        let plain = last.end == End::Next && !last.background && !last.execs;
        if lines.iter().any(at_exit) || !plain || last.words.is_empty() {
            return;
        }
        let joined_to = before.last().filter(|it| it.end == End::And);
        let asks = ["mountpoint", "pgrep", "pidof", "getent", "id", "lsof", "fuser"];
        // a program that only the shell knows is none
        let is_question = |it: &Simple| {
            let own = ["[", "test", "grep", "command", "which", "type"];
            let name = base(word(it, 0));
            it.words.is_empty() || own.contains(&name) || asks.contains(&name)
        };
        let asked = joined_to.is_some_and(is_question);
        let code = word(last, 1).parse::<u8>().ok();
        let fails =
            word(last, 0) == "false" || word(last, 0) == "exit" && code.is_some_and(|it| it > 0);
        if joined_to.is_some() && asked {
            self.put(Mistake::EndsAsking, joined(&last.words));
        } else if fails && joined_to.is_none() && !last.is_conditional() && !leaves(text) {
            self.put(Mistake::EndsFailing, joined(&last.words));
        }
    }

    /// `echo "export NAME=VALUE"` of a prolog: that is read of what prepares tasks alone.
    fn told_to_nobody(&mut self, text: &str) {
        let written = documents(text);
        let grouped = ["} >", "} |", ") >", ") |", "exec >", "done >", "} 2>"];
        if grouped.iter().any(|it| text.contains(it)) {
            return;
        }
        let heads = ["echo \"export ", "echo 'export ", "echo export ", "echo \"unset "];
        let is = |line: &&str| {
            heads.iter().any(|it| line.starts_with(it)) && !line.contains(['>', '|', '`'])
        };
        let own = |line: &&str| !written.iter().any(|it| it.contains(line));
        if let Some(line) = text.lines().map(str::trim).filter(is).find(own) {
            self.put_beside(Mistake::Vanishes, line, "told");
        }
    }

    /// What waits for the job that it stands in front of, or asks what only its processes know; and checks that nobody hears.
    fn of_jobs(&mut self, text: &str, script: &Script, lines: &[Simple]) {
        let alone = |it: &Simple| {
            it.words.iter().flatten().any(|it| matches!(it.as_str(), "--no-allocate" | "-Z"))
        };
        let waits = |it: &&Simple| matches!(base(word(it, 0)), "srun" | "salloc") && !alone(it);
        if let Some(line) = lines.iter().filter(|it| !it.background).find(waits) {
            self.put(Mistake::WaitsForItself, joined(&line.words));
        }
        let known = self.catalog.names("commands.of_tasks");
        if let Some(name) = asked(text).into_iter().find(|it| known.contains(it)) {
            self.put(Mistake::Unset, name);
        }
        let looks = ["$?", "PIPESTATUS", "pipefail", "trap "].iter().any(|it| text.contains(it));
        let checks = |it: &Simple| {
            let sub = word(it, 1);
            base(word(it, 0)) == "nhc" || base(word(it, 0)) == "dcgmi" && sub == "diag"
        };
        if looks || script.pipes {
            return;
        }
        let shows = ["tee", "logger", "cat", "ts", "systemd-cat"];
        let heard = |pair: &&[Simple]| match pair {
            [line, next] => {
                checks(line) && line.end == End::Pipe && shows.contains(&base(word(next, 0)))
            }
            _ => false,
        };
        if let Some([line, next]) = lines.windows(2).find(heard) {
            self.put_beside(Mistake::Unheard, joined(&line.words), word(next, 0));
        }
    }

    /// `scontrol update nodename=... state=drain`, which is refused where no reason is said.
    fn drains(&mut self, line: &Simple) {
        let has = |start: &str| {
            let mut words = line.words.iter().skip(1).flatten();
            words.any(|it| it.to_ascii_lowercase().starts_with(start))
        };
        let drains = ["state=drain", "state=down", "state=fail"].iter().any(|it| has(it));
        // a word that only the shell knows may say it
        let unknown = line.words.iter().any(Option::is_none);
        let updates = base(word(line, 0)) == "scontrol" && has("update") && has("nodename=");
        if updates && drains && !unknown && !has("reason") {
            self.put(Mistake::NoWord, joined(&line.words));
        }
    }

    /// What ends its host.
    fn stops(&mut self, moment: Moment, line: &Simple) {
        let stops = match base(word(line, 0)) {
            "reboot" | "poweroff" | "halt" => true,
            "shutdown" => !matches!(word(line, 1), "-c" | "--help" | "-k"),
            "systemctl" => matches!(word(line, 1), "reboot" | "poweroff" | "halt"),
            "init" | "telinit" => matches!(word(line, 1), "0" | "6"),
            _ => false,
        };
        let own = moment != Moment::Layer && moment != Moment::Start;
        if stops && own && !line.is_conditional() && !line.background && line.brackets.is_empty() {
            self.put(Mistake::Stops, joined(&line.words));
        }
    }

    /// Programs that are not there.
    fn not_here(&mut self, hosted: &Hosted, line: &Simple, packages: Option<&str>) {
        let name = base(word(line, 0));
        if line.is_conditional() || line.end == End::Or || word(line, 0) != name {
            return;
        }
        let rows = self.catalog.names("commands.managers").iter();
        let of = rows.filter_map(|it| it.split_once(' ')).find(|(_, it)| *it == name);
        if let Some((kind, _)) = of
            && packages.is_some_and(|it| it != kind)
        {
            let system = hosted.system.as_deref().unwrap_or_default();
            self.put_beside(Mistake::OtherSystem, name, system);
        }
        if name == "nvidia-smi" && hosted.no_gpus && line.end != End::Pipe {
            self.put_beside(Mistake::OtherSystem, name, "");
        }
        let starts = matches!(word(line, 1), "start" | "restart" | "stop" | "daemon-reload");
        if hosted.moment == Moment::Layer && name == "systemctl" && starts {
            self.put(Mistake::NotThere, joined(&line.words));
        }
    }

    /// `rm -rf $SCRATCH/*` where nobody sets it, and `rm -rf /shared/*` on each node of each job.
    fn emptied(&mut self, hosted: &Hosted, lines: &[Simple]) {
        let text = &hosted.text;
        let letter =
            |it: &String| it.starts_with('-') && !it.starts_with("--") && it.contains(['r', 'R']);
        let deep =
            |it: &&Simple| base(word(it, 0)) == "rm" && it.words.iter().flatten().any(letter);
        // the shell ends at the first variable that nobody sets
        let strict = ["set -u", "set -eu", "nounset"].iter().any(|it| text.contains(it));
        let is_unset = |it: &String| !strict && !self.is_known(hosted.moment, it);
        let unset: Vec<String> = asked(text).into_iter().filter(is_unset).collect();
        let is_folder = |name: &str| {
            let written = [format!("${name}/"), format!("${{{name}}}/"), format!("${name}\"/")];
            written.iter().any(|it| text.contains(it.as_str()))
        };
        let below = |line: &Simple| {
            let named = line.asked.iter().find(|it| unset.contains(it) && is_folder(it));
            named.cloned()
        };
        if let Some(name) = lines.iter().filter(deep).find_map(below) {
            self.put_beside(Mistake::Wipes, joined_below(text, &name), &name);
        }
        let of_all = |it: &&String| {
            let folder = it.strip_suffix("/*").unwrap_or(it).trim_end_matches('/');
            hosted.shared.iter().any(|own| own.trim_end_matches('/') == folder)
        };
        let own = lines.iter().filter(deep).filter(|it| !it.is_conditional());
        let found = own.flat_map(|it| it.words.iter().flatten()).find(of_all);
        if let Some(folder) = found.filter(|_| hosted.moment.is_around()) {
            self.put_beside(Mistake::Wipes, folder.clone(), "shared");
        }
    }

    /// Whether a variable has a value where no run sets one.
    fn is_known(&self, moment: Moment, name: &str) -> bool {
        let own = ["HOME", "PATH", "PWD", "OLDPWD", "HOSTNAME", "UID", "EUID", "PPID", "IFS"];
        let of_shells = ["RANDOM", "SECONDS", "LINENO", "OSTYPE", "MACHTYPE", "SHELL", "SHLVL"];
        let told = self.catalog.names("commands.of_jobs");
        let of_jobs = name.starts_with("CUDA_") || told.iter().any(|it| it == name);
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        // an image that another one begins from has variables of its own
        let unknown = moment == Moment::Layer || moment == Moment::Build;
        unknown
            || !plain
            || own.contains(&name)
            || of_shells.contains(&name)
            || name.starts_with("BASH")
            || moment.is_around() && of_jobs
    }
}

/// The word that a variable stands in, in front of a folder's sign.
fn joined_below(text: &str, name: &str) -> String {
    let is = |it: &&str| it.contains(&format!("${name}")) || it.contains(&format!("${{{name}}}"));
    let found = text.split_whitespace().filter(|it| it.contains('/')).find(is);
    found.unwrap_or(name).replace('"', "")
}

/// Slurm ends a check that takes as many seconds.
const LONGEST_CHECK: u32 = 60;

/// Whether a text ends somewhere else as well.
fn leaves(text: &str) -> bool {
    let all = commands(text);
    let ends = |it: &Simple| matches!(word(it, 0), "exit" | "exec") || it.execs;
    branches(&on_one_line(text)) || all.iter().rev().skip(1).any(ends)
}
