//! Commands that do not start what they say, whichever door they come in by: `launch`, `setup`, `cleanup`, a container beside, or what
//! asks whether nodes are ready.

mod beside;
mod bounds;
mod ends;
mod fetches;
mod hosted;
mod inside;
mod misread;
mod slips;
mod starts;
mod writes;

use super::lost::{CLEARS_UP, endless_loop, never_ends, on_one_line, trains};
use super::shell::{Known, Simple, UNKNOWN, assignment, base, commands, swallowed, unread};
use super::started::{SHELLS, Script, is_variable, shell_text};
use super::{Launcher, Piece, Program, Word};
use crate::Duration;
use crate::catalog::Catalog;
use crate::nouns::Probe;
use slipform_source::nearest;

pub use hosted::{Hosted, Moment};
pub(in crate::plan) use hosted::{faults_of, packages_of};
pub(in crate::plan) use inside::answers;

/// A word that does not do what it is written for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where it is written.
    pub door: Door,
    /// What is wrong with it.
    pub mistake: Mistake,
    /// The word, or what a text leaves open.
    pub word: String,
    /// What it is beside: the program that does not take it.
    pub beside: String,
    /// What is to be written instead, where that follows from the word.
    pub mend: String,
}

/// A field that commands are written in; those of lists by their number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Door {
    /// `launch`
    Launch,
    /// `setup`
    Setup(usize),
    /// `cleanup`
    Cleanup(usize),
    /// `sidecars`
    Sidecar(usize),
    /// `ready_when`
    Ready,
    /// A script that no run starts.
    Script(Moment),
}

/// Mistakes, each with the name that rules call it by.
macro_rules! mistakes {
    ($($(#[$doc:meta])* $Mistake:ident = $name:literal,)*) => {
        /// What is wrong with a word.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Mistake {
            $($(#[$doc])* $Mistake,)*
        }

        impl Mistake {
            /// As rules call it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Mistake => $name,)*
                }
            }
        }
    };
}

mistakes! {
    /// Only a shell knows it, and none reads it.
    NoShell = "no-shell",
    /// It is a variable, or a folder, that no shell puts in.
    Unexpanded = "unexpanded",
    /// It was set by a program for texts: a long dash, a curly quote.
    Typeset = "typeset",
    /// The text of a shell leaves it open, or closes it where nothing is open.
    Unclosed = "unclosed",
    /// It stands behind a text of a shell that reads none.
    Unread = "unread",
    /// A shell is to read it as a script, and it is a program.
    NoScript = "no-script",
    /// It is almost the name of a program.
    Misspelt = "misspelt",
    /// The plain `sh` of Debian does not know it.
    BashAlone = "bash-alone",
    /// It never ends, and nothing else is done.
    Endless = "endless",
    /// A variable is taken away from what follows.
    Unset = "unset",
    /// Containers do not have it.
    NotThere = "not-there",
    /// It waits for an answer, and nobody gives one.
    Asks = "asks",
    /// What it sets ends with its own shell.
    Vanishes = "vanishes",
    /// It is told when its time ends, and does not listen.
    Deaf = "deaf",
    /// It ends earlier than the run.
    CutShort = "cut-short",
    /// What stands in front of it never ends.
    Unreached = "unreached",
    /// It goes on beside a shell that ends at once.
    EndsEarly = "ends-early",
    /// One node alone starts what waits for all of them.
    OneNode = "one-node",
    /// It is what the launch starts.
    Twice = "twice",
    /// The shell has no such option.
    NoOption = "no-option",
    /// Blanks stand around the sign that sets a variable.
    Spaced = "spaced",
    /// No blank stands between a bracket and what it asks.
    NoBlank = "no-blank",
    /// Another shell takes it.
    Foreign = "foreign",
    /// It counts to what is put in later.
    Unrolled = "unrolled",
    /// A line begins in the middle of a command.
    Broken = "broken",
    /// It is told to `sbatch`, which does not read it.
    OfBatch = "of-batch",
    /// It writes to what can only be read.
    ReadOnly = "read-only",
    /// It removes the whole system.
    Wipes = "wipes",
    /// Nodes wait for it that have something else to do.
    Waits = "waits",
    /// Each node starts again by itself what waits for the others.
    Retries = "retries",
    /// A launcher does not take it.
    NoWord = "no-word",
    /// It is a file where a module is asked for.
    NoModule = "no-module",
    /// Its program reads the model as another word.
    Positional = "positional",
    /// Nobody answers it.
    Nobody = "nobody",
    /// It is set for the shell alone, and no program sees it.
    Unexported = "unexported",
    /// It lowers how much of something processes may have.
    Lowered = "lowered",
    /// It leaves all processes of a node few of its processors.
    Bound = "bound",
    /// What stands in front of it takes the place of the shell.
    Replaced = "replaced",
    /// It is the host's to do, and ends the text.
    OfHost = "of-host",
    /// It is joined to what stands in front of it.
    Joined = "joined",
    /// It waits for what it starts itself.
    WaitsForItself = "waits-for-itself",
    /// The text ends with a question, and with a failure where the answer is no.
    EndsAsking = "ends-asking",
    /// It makes a success of being told to end.
    EndsWell = "ends-well",
    /// It installs on one node what all of them read.
    InstalledOnce = "installed-once",
    /// It installs beside the program that reads it.
    InstalledAside = "installed-aside",
    /// A text goes on where it is meant to end.
    Swallowed = "swallowed",
    /// No program is called as the first line of a script says.
    Interpreter = "interpreter",
    /// The text ends with a failure whatever has happened.
    EndsFailing = "ends-failing",
    /// What it finds, nobody is told.
    Unheard = "unheard",
    /// It is of another system, or of machines with GPUs.
    OtherSystem = "other-system",
    /// It ends its host.
    Stops = "stops",
    /// It brings to one node what all of them read.
    FetchedOnce = "fetched-once",
    /// It is told to stay off the net.
    Offline = "offline",
    /// Others are started by a file of hosts that is not there.
    ByPdsh = "by-pdsh",
    /// It is the name of all nodes, and of none.
    MeetsInList = "meets-in-list",
    /// It is no JSON.
    NoJson = "no-json",
    /// Nothing asks for the lists of packages.
    NoLists = "no-lists",
    /// The answer is yes, whatever is asked.
    AlwaysTrue = "always-true",
    /// The first start does not find it.
    FirstStart = "first-start",
    /// It is there at the next start.
    MadeAgain = "made-again",
    /// Nothing calls it.
    NeverCalled = "never-called",
    /// It is read as something else, which stands beside it.
    Misread = "misread",
}

/// The words that a command is written in, where each is known.
type Words<'w> = Vec<Option<&'w str>>;

/// What is known around the commands of a gang.
#[derive(Clone, Copy, Default)]
pub(in crate::plan) struct Beside<'a> {
    /// What asks whether it is ready.
    pub(in crate::plan) ready: Option<&'a Probe>,
    /// The image that its own starts from; nothing of programs of the nodes.
    pub(in crate::plan) image: Option<&'a str>,
    /// Its container may do what the host may.
    pub(in crate::plan) privileged: bool,
    /// How long its run may take.
    pub(in crate::plan) most: Option<Duration>,
    /// Its image is one of its own that has more than what it starts from.
    pub(in crate::plan) adds: bool,
    /// `apt` has been told for good that its answer is yes.
    pub(in crate::plan) answered: bool,
    /// Processors of its machine, where that is known.
    pub(in crate::plan) processors: Option<u32>,
}

/// All that do not start what they say.
pub(in crate::plan) fn faults(
    catalog: &Catalog,
    program: &Program,
    beside: Beside<'_>,
) -> Vec<Fault> {
    let mut found = Vec::new();
    let ready = beside.ready;
    let beside = Beside { answered: beside.answered || program.texts().any(answers), ..beside };
    let launcher = program.launcher.value;
    let elsewhere = matches!(launcher, Launcher::Submitter | Launcher::Entrypoint);
    let mut put = |door: Door, begins: bool, words: Words<'_>| {
        let verbatim = door != Door::Launch || !elsewhere;
        let (program, asks) = (Some(program), false);
        let found = &mut found;
        Reader { catalog, door, begins, verbatim, beside, program, asks, found }.read(&words);
    };
    put(Door::Launch, begins(launcher), plain(&program.command));
    for (number, words) in program.setup.iter().enumerate() {
        put(Door::Setup(number), true, plain(words));
    }
    for (number, words) in program.cleanup.iter().enumerate() {
        put(Door::Cleanup(number), true, plain(words));
    }
    for (number, it) in program.sidecars.iter().enumerate() {
        let begins = !it.command.is_empty();
        put(Door::Sidecar(number), begins, plain(it.command.iter().chain(&it.args)));
    }
    if let Some(Probe::Exec { argv, .. }) = ready {
        put(Door::Ready, true, argv.iter().map(|it| Some(it.as_str())).collect());
    }
    found.extend(twice(program));
    found.extend(fetches::unlisted(program));
    found
}

/// A script of the launch that is started before it as well, to its end.
fn twice(program: &Program) -> Option<Fault> {
    let script = plain(&program.command).into_iter().flatten().find(|it| it.ends_with(".py"))?;
    let same = |words: &&Vec<Word>| {
        let words = plain(*words);
        let known: Vec<&str> = words.iter().copied().flatten().collect();
        matches!(known.as_slice(), [.., last] if *last == script)
            && known.first().is_some_and(|it| {
                base(it).starts_with("python") || ["torchrun", "accelerate"].contains(&base(it))
            })
            && known.len() == words.len()
    };
    let number = program.setup.iter().position(|words| same(&words))?;
    let (door, word) = (Door::Setup(number), script.to_owned());
    let (beside, mend) = Default::default();
    Some(Fault { door, mistake: Mistake::Twice, word, beside, mend })
}

/// Whether the words of a launch begin with the program that is started.
fn begins(launcher: Launcher) -> bool {
    match launcher {
        Launcher::Command | Launcher::Srun | Launcher::Mpirun | Launcher::Python => true,
        Launcher::Torchrun { .. } | Launcher::Submitter | Launcher::Entrypoint => false,
    }
}

fn plain<'w>(words: impl IntoIterator<Item = &'w Word>) -> Words<'w> {
    let text = |word: &'w Word| match word.0.as_slice() {
        [Piece::Text(text)] => Some(text.as_str()),
        _ => None,
    };
    words.into_iter().map(text).collect()
}

/// What reads the words of one command.
struct Reader<'f> {
    catalog: &'f Catalog,
    door: Door,
    /// The first of them is a program.
    begins: bool,
    /// Nothing that stands elsewhere reads them once more.
    verbatim: bool,
    beside: Beside<'f>,
    /// Whose commands these are.
    program: Option<&'f Program>,
    /// They are a text that does things on a condition.
    asks: bool,
    found: &'f mut Vec<Fault>,
}

impl Reader<'_> {
    fn put(&mut self, mistake: Mistake, word: impl Into<String>) {
        self.put_beside(mistake, word, "");
    }

    fn put_beside(&mut self, mistake: Mistake, word: impl Into<String>, beside: &str) {
        self.put_with(mistake, word, beside, "");
    }

    fn put_with(&mut self, mistake: Mistake, word: impl Into<String>, beside: &str, mend: &str) {
        let (door, word) = (self.door, word.into());
        let (beside, mend) = (beside.to_owned(), mend.to_owned());
        self.found.push(Fault { door, mistake, word, beside, mend });
    }

    fn read(&mut self, words: &[Option<&str>]) {
        let first = words.first().copied().flatten().unwrap_or_default();
        let known: Vec<Known> = words.iter().map(|it| it.map(str::to_owned)).collect();
        if self.begins && SHELLS.contains(&base(first)) {
            self.absent(first);
            if let Some(script) = shell_text(&known) {
                return self.text(base(first), &script, &known);
            }
            self.script(words);
        }
        if self.door == Door::Launch && self.begins && never_ends(&known) {
            return self.put(Mistake::Endless, joined(&known));
        }
        if let Some(word) = words.iter().flatten().find(|word| is_typeset(word)) {
            self.put(Mistake::Typeset, *word);
        }
        if self.door == Door::Launch && self.begins {
            self.bound(words.iter().copied());
        }
        if self.begins {
            self.program(first);
            self.one(&Simple::of(known.clone()), first, None);
        }
        if matches!(self.door, Door::Setup(_)) {
            self.made_again(true, &[Simple::of(known.clone())]);
        }
        if let Some(word) = self.ends_before(words.iter().copied()) {
            self.put(Mistake::CutShort, word);
        }
        let is_told = self.found.last().is_some_and(|it| it.mistake == Mistake::NoShell);
        if let Some(word) = self.joint(first, words).filter(|_| !is_told) {
            self.put(Mistake::NoShell, word);
        }
        let expands = |word: &&&str| {
            word.starts_with("~/")
                || is_home(word)
                || self.verbatim && (is_variable(word) || holds_variable(word))
                || SEES_FILES.contains(&base(first)) && word.starts_with('/') && word.contains('*')
        };
        if let Some(word) = words.iter().flatten().find(expands) {
            self.put(Mistake::Unexpanded, *word);
        }
        let launched = self.program.map(|it| it.launcher.value);
        if self.door == Door::Launch
            && matches!(launched, Some(Launcher::Torchrun { .. } | Launcher::Python))
        {
            self.remote(first);
            self.pairs(words.get(1..).unwrap_or_default());
            let begins = Some(Some("python".to_owned()));
            self.in_empty_folder(&[Simple::of(begins.into_iter().chain(known).collect())]);
        }
    }

    /// The first word, where it is no program.
    fn program(&mut self, first: &str) {
        let of_shells = self.catalog.names("commands.of_shells");
        let assigns = assignment(&Some(first.to_owned()))
            .is_some_and(|(name, _)| !name.contains(|c: char| c.is_ascii_lowercase()));
        // several words in `launch` are told by a rule of their own
        let several = first.contains(char::is_whitespace) && self.door != Door::Launch;
        if assigns || several || of_shells.iter().any(|it| it == first) {
            return self.put(Mistake::NoShell, first);
        }
        let programs = self.catalog.names("commands.programs");
        let near = |it: &&String| it.len().abs_diff(first.len()) < 2 && !it.contains(first);
        if first.len() > 5 && !programs.iter().any(|it| it == first) {
            let meant = nearest(first, programs.iter().filter(near).map(String::as_str));
            // one letter more, less or other, or two in another order
            if meant.is_some_and(|it| slip(first, it)) {
                self.put(Mistake::Misspelt, first);
            }
        }
    }

    /// A word that joins commands, or leads what they write elsewhere.
    fn joint(&self, first: &str, words: &[Option<&str>]) -> Option<String> {
        let reads_text = self.catalog.names("commands.takes_commands");
        if reads_text.iter().any(|it| it == base(first)) {
            return None;
        }
        let joints = self.catalog.names("commands.joints");
        let runs = words.iter().flatten().any(|it| it.starts_with("-exec") || *it == "-ok");
        let joins = |(at, word): (usize, &Option<&str>)| {
            let word = (*word)?;
            let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().flatten()?;
            // what one sign is to an option is its value
            let is_value = word.len() == 1 && before.starts_with('-') && !before.contains('=');
            let is_one = word.len() < 5 && joints.iter().any(|it| it == word);
            (is_one && !is_value && !(runs && word == ";")).then(|| word.to_owned())
        };
        words.iter().enumerate().skip(1).find_map(joins)
    }

    /// `bash torchrun`: a shell reads what is no script of its own.
    fn script(&mut self, words: &[Option<&str>]) {
        let mut behind = words.iter().skip(1).copied();
        let Some(Some(script)) = behind.find(|it| it.is_none_or(|it| !it.starts_with('-'))) else {
            return;
        };
        // a text without `-c` is taken for the name of a file
        let is_text = script.contains(' ') && !script.contains('/');
        if script.ends_with(".py")
            || is_text
            || self.catalog.names("commands.programs").iter().any(|it| it == script)
        {
            self.put(Mistake::NoScript, script);
        }
    }

    fn text(&mut self, shell: &str, script: &Script, words: &[Known]) {
        if let Some(word) = script.unread(words) {
            self.put(Mistake::Unread, word);
        }
        if shell != "zsh"
            && let Some(open) = unread(&script.text)
        {
            return self.put(Mistake::Unclosed, open);
        }
        if let Some((end, line)) = swallowed(&script.text) {
            self.put_beside(Mistake::Swallowed, line, &end);
        }
        let lines = commands(&script.text);
        let first = |line: &Simple| line.words.first().cloned().flatten().unwrap_or_default();
        // what is shown may be written as people write
        let shows = |line: &&Simple| matches!(&*first(line), "echo" | "printf" | "log" | "logger");
        let said = lines.iter().filter(|it| !shows(it));
        let mut said = said.flat_map(|line| line.words.iter().flatten());
        if let Some(word) = said.find(|word| is_typeset(word)) {
            self.put(Mistake::Typeset, word.clone());
        }
        if shell == "sh" {
            let by_name = lines.iter().any(|line| first(line) == "source");
            let pipes = lines.iter().any(|line| {
                first(line) == "set" && line.words.iter().flatten().any(|it| it == "pipefail")
            });
            if by_name || pipes || script.pipes {
                self.put(Mistake::BashAlone, if by_name { "source" } else { "pipefail" });
            }
        }
        self.inside(shell, script, &lines, words);
        if self.door != Door::Launch {
            return;
        }
        self.in_empty_folder(&lines);
        if let Some(word) = endless(&script.text, &lines) {
            self.put(Mistake::Endless, word);
        }
        let taken = lines.iter().filter(|line| first(line) == "unset");
        for name in taken.flat_map(|line| line.words.iter().skip(1).flatten()) {
            self.put(Mistake::Unset, name.clone());
        }
    }
}

/// What a text for a shell does for ever where it does nothing else: clearing up, showing and setting things are nothing.
fn endless(text: &str, lines: &[Simple]) -> Option<String> {
    let nothing = |line: &&Simple| {
        line.words.first().is_none_or(|it| {
            it.as_deref()
                .is_some_and(|it| CLEARS_UP.contains(&base(it)) || IDLE.contains(&base(it)))
        })
    };
    if lines.iter().any(|line| trains(&line.words) || !nothing(&line)) {
        return None;
    }
    if endless_loop(&on_one_line(text)).is_some() {
        return Some("while true".to_owned());
    }
    lines.iter().find(|line| never_ends(&line.words)).map(|line| joined(&line.words))
}

/// The words of a command as a person says them.
fn joined(words: &[Known]) -> String {
    let shown = words.iter().flatten().map(|it| it.replace(UNKNOWN, "..."));
    shown.collect::<Vec<_>>().join(" ")
}

/// Commands beside those that clear up which do nothing that a run is for.
const IDLE: [&str; 20] = [
    "set", "export", "trap", "hostname", "env", "whoami", "df", "free", "apt-get", "apt", "pip",
    "pip3", "while", "for", "do", "done", "[", "test", "unset", "ulimit",
];

/// A long dash in front, or curly quotes around a word or a value.
fn is_typeset(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let quote = |c: char| "\u{201c}\u{201d}\u{2018}\u{2019}".contains(c);
    word.starts_with(['\u{2013}', '\u{2014}']) || value.starts_with(quote) && value.ends_with(quote)
}

/// A folder below the one that a shell knows.
fn is_home(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    ["$HOME/", "${HOME}/", "$PWD/", "${PWD}/"].iter().any(|it| value.starts_with(it))
}

/// A variable of a shell in a path: `--output_dir=/ckpt/$SLURM_JOB_ID`.
fn holds_variable(word: &str) -> bool {
    let is_path =
        word.contains('/') && !word.contains(|c: char| c.is_whitespace() || "'\"`;|&".contains(c));
    let named = |part: &str| {
        let part = part.strip_prefix('{').unwrap_or(part);
        let name: String = part
            .chars()
            .take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '_')
            .collect();
        let ends = part
            .get(name.len()..)
            .is_none_or(|it| it.is_empty() || it.starts_with(['/', '}', '.', '-']));
        name.len() > 2 && name.starts_with(|c: char| c.is_ascii_uppercase()) && ends
    };
    is_path && word.split('$').skip(1).any(named)
}

/// Programs that look for files by their whole names alone.
const SEES_FILES: [&str; 8] = ["cp", "mv", "rm", "ls", "cat", "ln", "chmod", "du"];

/// Whether two words of nearly the same length are one slip apart.
pub(in crate::plan) fn slip(written: &str, known: &str) -> bool {
    let (a, b) = (written.as_bytes(), known.as_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (a, b) {
        // numbers are versions
        ([x, rest @ ..], []) | ([], [x, rest @ ..]) => rest.is_empty() && !x.is_ascii_digit(),
        ([x, p, rest @ ..], [y, q, other @ ..]) if (p, q, rest) == (y, x, other) => true,
        ([x, rest @ ..], [_, other @ ..]) => {
            !x.is_ascii_digit() && (rest == other || rest == b || a == other)
        }
        ([], []) => false,
    }
}

#[cfg(test)]
mod tests;
