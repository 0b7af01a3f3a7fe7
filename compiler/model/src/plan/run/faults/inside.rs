//! What single commands do that a run of many nodes has no use for: they ask somebody, set what nobody sees, or end before their time.

use super::super::lost::{never_ends, on_one_line, trains};
use super::super::shell::{End, Known, LAUNCHERS, Simple, base, word};
use super::super::started::{Script, launcher};
use super::beside::is_such;
use super::{Door, Mistake, Reader, joined};

impl Reader<'_> {
    /// What the commands of a text do.
    pub(super) fn inside(
        &mut self,
        shell: &str,
        script: &Script,
        lines: &[Simple],
        words: &[Known],
    ) {
        let text = on_one_line(&script.text);
        self.asks = branches(&text);
        self.beside.answered |= answers(&script.text);
        // what a shell has read may have brought functions
        let login =
            |it: &String| it.starts_with('-') && !it.contains("--") && it.contains(['l', 'i']);
        let reads = lines.iter().any(|line| matches!(word(line, 0), "source" | "." | "eval"));
        let has_read = reads || words.iter().flatten().take(3).any(login);
        for (at, line) in lines.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| lines.get(at));
            let first = word(line, 0).to_owned();
            if first != "module" || !has_read {
                self.one(line, &first, before);
            }
        }
        self.slips(script, &text, lines);
        self.starts(shell, script, &text, lines);
        self.text_misread(shell, script, lines);
        self.ends(script, lines);
        self.lowered(lines);
        if self.door == Door::Launch {
            self.bound(text.split(' ').map(Some));
        }
        self.as_root(&text);
        let own = self.catalog.names("commands.sets");
        let sets = |line: &Simple| {
            let activates = word(line, 0) == "conda" && word(line, 1).ends_with("activate");
            line.words.is_empty() || activates || own.iter().any(|it| it == word(line, 0))
        };
        let plain = !text.contains("$(") && !text.contains('>');
        let own_shell = matches!(self.door, Door::Setup(_) | Door::Script(_)) && !lines.is_empty();
        if own_shell && plain && lines.iter().all(sets) {
            let line = lines.first().map(|it| joined(&it.words)).filter(|it| !it.is_empty());
            // what is set may be a secret
            let named = lines.first().and_then(|it| it.assigned.first());
            let named = named.filter(|_| matches!(self.door, Door::Script(_)));
            let line = line.or_else(|| named.map(|(name, _)| format!("export {name}")));
            self.put(Mistake::Vanishes, line.unwrap_or_else(|| text.trim().to_owned()));
        }
        let bounded = self.ends_before(text.split(' ').map(Some));
        if let Some(word) = bounded.filter(|_| is_of_training(&script.text, lines)) {
            self.put(Mistake::CutShort, word);
        }
        if shell != "zsh"
            && let Some(name) = self.no_option(lines)
        {
            self.put(Mistake::NoOption, name);
        }
        if self.door == Door::Launch {
            self.launched(script, &text, lines);
        }
    }

    /// `set -o pipefial`: the name of no option.
    fn no_option(&self, lines: &[Simple]) -> Option<String> {
        let options = self.catalog.names("commands.options_of_shells");
        let no_option = |line: &Simple| {
            let known = |it: &str| options.iter().any(|own| own == it) || it.starts_with('$');
            let named = word(line, 0) == "set" && word(line, 1).ends_with('o');
            let name = word(line, 2);
            (named && word(line, 1).starts_with(['-', '+']) && !name.is_empty() && !known(name))
                .then(|| name.to_owned())
        };
        lines.iter().find_map(no_option)
    }

    /// `sudo` where there is none, and nobody asks.
    fn as_root(&mut self, text: &str) {
        let asks = ["command -v sudo", "which sudo", "type sudo", "hash sudo"];
        let asks = asks.iter().any(|it| text.contains(it));
        if self.is_plain() && !asks && begins_with(text, "sudo") {
            self.put(Mistake::NotThere, "sudo");
        }
    }

    /// A node that joins a cluster of Ray as the last of a branch, with nothing behind it.
    fn last_of_branch(&mut self, lines: &[Simple]) {
        let ends = |pair: &&[Simple]| {
            let [line, next] = *pair else { return false };
            let joins = word(line, 0) == "ray" && word(line, 1) == "start" && !stays(line);
            let head = line.words.iter().flatten().any(|it| it == "--head");
            joins && !head && line.end == End::Next && word(next, 0) == "fi"
        };
        if lines.windows(2).last().filter(ends).is_some() {
            self.put(Mistake::EndsEarly, "ray start");
        }
    }

    /// What the text of a launch does.
    fn launched(&mut self, script: &Script, text: &str, lines: &[Simple]) {
        self.beside(script, text, lines);
        self.last_of_branch(lines);
        let deaf = |line: &&Simple| {
            let told = |it: &Known| {
                let name = it.as_deref().map(|it| it.trim_start_matches("SIG"));
                matches!(name, Some("TERM" | "15"))
            };
            let nothing = line.words.get(1) == Some(&Some(String::new()));
            let own = line.brackets.is_empty() && !line.background;
            own && word(line, 0) == "trap" && nothing && line.words.iter().any(told)
        };
        if let Some(line) = lines.iter().find(deaf) {
            self.put(Mistake::Deaf, word(line, line.words.len() - 1));
        }
        if !branches(text) {
            // behind `||` and `&&`, and in a group, it leaves on a condition
            let leaves = |at: usize, line: &Simple| {
                let before = at.checked_sub(1).and_then(|at| lines.get(at));
                word(line, 0) == "exit"
                    && line.brackets.is_empty()
                    && line.end == End::Next
                    && before.is_none_or(|it| it.end == End::Next)
                    && !text.contains("{ ")
            };
            let serves = |(at, line): (usize, &Simple)| {
                let serves = !text.contains("timeout ") && self.serves(line);
                let stays = never_ends(&line.words) || stays(line) || serves || leaves(at, line);
                stays && !line.is_conditional() && !line.background
            };
            let at = lines.iter().enumerate().position(serves);
            let behind = at.and_then(|at| lines.get(at + 1..)).unwrap_or_default();
            let joins = at
                .and_then(|at| lines.get(at))
                .is_some_and(|it| matches!(it.end, End::And | End::Next));
            let started = behind.iter().find(|it| trains(&it.words)).filter(|_| joins);
            if let Some((line, started)) = at.and_then(|at| lines.get(at)).zip(started) {
                let behind = format!("{}`, and `{}", joined(&line.words), base(word(started, 0)));
                self.put(Mistake::Unreached, behind);
            }
        }
        self.fetches(&script.text, lines);
    }

    /// Whether a command serves, or shows, something until somebody ends it.
    fn serves(&self, line: &Simple) -> bool {
        let ends = [
            "-c",
            "--pid",
            "--help",
            "--version",
            "-h",
            "--daemonize",
            "--inspect",
            "list",
            "stop",
            "build",
            "clean",
            "path",
        ];
        // `--install-extension`, `--generate-config`
        let sets_up = |it: &String| it.starts_with("--install") || it.starts_with("--generate");
        let counts = base(word(line, 0)) == "top";
        let ends = |it: &&String| {
            ends.contains(&it.as_str())
                || sets_up(it)
                || it.starts_with("--pid=")
                || counts && *it == "-n"
        };
        let known = self.catalog.names("commands.stays");
        known.iter().any(|it| is_such(line, it)) && !line.words.iter().flatten().any(|it| ends(&it))
    }

    /// What one command does, with the one in front of it.
    pub(super) fn one(&mut self, line: &Simple, first: &str, before: Option<&Simple>) {
        let name = base(first);
        let image = self.beside.image;
        let own = |image: &str| {
            ["docker", "dind", "podman", "buildah"].iter().any(|it| image.contains(it))
        };
        let launched = self.door == Door::Launch;
        let missing = match name {
            "sudo" => self.is_plain(),
            "docker" | "podman" | "nvidia-docker" | "systemctl" => {
                launched && image.is_some_and(|it| !own(it))
            }
            "module" => launched && self.is_plain(),
            // who says where it is, or goes on without it, has thought of it
            _ => !first.contains('/') && line.end != End::Or && self.is_brought(name),
        };
        let beside = matches!(self.door, Door::Sidecar(_) | Door::Ready);
        // who asks first whether it is there, or goes on without it, has thought of it
        let guarded = line.is_guarded() || line.end == End::Or;
        if missing && !beside && !guarded {
            self.put(Mistake::NotThere, name);
        }
        if !guarded {
            self.absent(first);
        }
        let sub = word(line, 1);
        let is_known = || self.catalog.names("commands.of_vllm").iter().any(|it| it == sub);
        if name == "vllm" && !sub.is_empty() && !sub.starts_with('-') && !is_known() {
            self.put(Mistake::Misspelt, format!("vllm {sub}"));
        }
        let piped = before.is_some_and(|it| it.end == End::Pipe);
        let is_answered = matches!(name, "apt" | "apt-get") && self.beside.answered;
        if !piped
            && !is_answered
            && let Some(word) = asks(line, name, self.catalog.names("commands.yes"))
        {
            self.put(Mistake::Asks, word);
        }
        self.of_program(line, name);
        self.writes(line, name);
        let joins = name == "ray" && word(line, 1) == "start" && !stays(line);
        let last = line.end == End::Next && before.is_none();
        let has = |option: &str| line.words.iter().flatten().any(|it| it == option);
        if joins && last && self.door == Door::Launch && !has("--head") && !has("--help") {
            self.put(Mistake::EndsEarly, "ray start");
        }
    }

    /// Whether its image is one of those that have little beside their framework, and run as root.
    pub(super) fn is_plain(&self) -> bool {
        let known = self.catalog.names("commands.root_images");
        self.beside.image.is_some_and(|image| known.iter().any(|it| image.starts_with(&**it)))
    }

    /// `timeout 1h` in front of what trains, where the run may take longer.
    pub(super) fn ends_before<'w>(
        &self,
        words: impl Iterator<Item = Option<&'w str>>,
    ) -> Option<String> {
        let most = self.beside.most.filter(|_| self.door == Door::Launch)?;
        let words: Vec<&str> = words.flatten().collect();
        // who looks for the status of an end by the time has thought of it
        if words.iter().any(|it| it.trim_end_matches([';', ']']) == "124") {
            return None;
        }
        let mut words = words.into_iter().skip_while(|it| base(it) != "timeout").skip(1);
        let valued = |it: &str| matches!(it, "-k" | "-s" | "--kill-after" | "--signal");
        let time = loop {
            let word = words.next()?;
            match word.starts_with('-') {
                true if valued(word) => {
                    words.next();
                }
                true => {}
                false => break word,
            }
        };
        let next = Some(words.next()?.to_owned());
        let trained = trains(&[next.clone(), Some("t.py".to_owned())])
            || next.is_some_and(|it| base(&it) == "torchrun");
        let unit = match time.chars().last()? {
            'm' => 60.0,
            'h' => 3_600.0,
            'd' => 86_400.0,
            _ => 1.0,
        };
        let number: f64 = time.trim_end_matches(['s', 'm', 'h', 'd']).parse().ok()?;
        (trained && number > 0.0 && number * unit < most.0 as f64)
            .then(|| format!("timeout {time}"))
    }
}

/// Whether the first `timeout` of a text stands in front of the program that it is there for: others bound checks and evaluations.
fn is_of_training(text: &str, lines: &[Simple]) -> bool {
    let launchers = lines.iter().filter(|it| launcher(&it.words).is_some()).count();
    let behind = text.split("timeout ").nth(1).unwrap_or_default();
    let own = behind.split(['\n', ';', '&', '|']).next().unwrap_or_default();
    let is_launcher = own.contains("torch.distributed.")
        || own
            .split(' ')
            .any(|it| LAUNCHERS.contains(&base(it)) && !base(it).starts_with("python"));
    match launchers {
        0 => lines.iter().filter(|it| trains(&it.words)).count() == 1 && !own.contains(" -c "),
        _ => launchers == 1 && is_launcher,
    }
}

/// Whether a command of a text begins with a word that starts another program.
fn begins_with(text: &str, starter: &str) -> bool {
    let mut before = ";";
    text.split(' ').any(|word| {
        let begins = before.ends_with([';', '&', '|']) || matches!(before, "then" | "do" | "else");
        before = word;
        begins && word == starter
    })
}

/// Whether a text says to `apt` for good that its answer is yes: `echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/90yes`.
pub(in crate::plan) fn answers(text: &str) -> bool {
    text.contains("APT::Get::Assume-Yes") && text.contains("apt.conf")
}

/// Whether a text does other things on a condition.
pub(super) fn branches(text: &str) -> bool {
    ["if ", "case ", "while ", "until ", "trap ", "()"].iter().any(|it| text.contains(it))
}

/// A server in front of what follows it.
fn stays(line: &Simple) -> bool {
    let has = |option: &str| line.words.iter().flatten().any(|it| it == option);
    match base(word(line, 0)) {
        "ray" => word(line, 1) == "start" && has("--block"),
        "vllm" => word(line, 1) == "serve" && !has("--help"),
        "redis-server" => !has("--daemonize"),
        _ => false,
    }
}

/// A command that waits for an answer.
fn asks(line: &Simple, name: &str, yes: &[String]) -> Option<String> {
    let said = |any: &[&str]| line.words.iter().flatten().any(|it| any.contains(&it.as_str()));
    let unknown = line.words.iter().any(Option::is_none);
    let verb = line.words.iter().flatten().skip(1).find(|it| !it.starts_with('-'));
    let verb = verb.map(String::as_str).unwrap_or_default();
    let quiet = line.words.iter().flatten().any(|it| yes.contains(it))
        || said(&["-c"])
        || line.words.iter().flatten().any(|it| {
            let letters = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
            letters.is_some_and(|it| it.contains('y') || it.contains("qq"))
                || it.contains("Assume-Yes")
        });
    let asked = match (name, verb) {
        ("apt-get" | "apt", "install" | "upgrade" | "dist-upgrade" | "full-upgrade" | "remove") => {
            true
        }
        ("pip" | "pip3", "uninstall") | ("conda" | "mamba", "install" | "create" | "remove") => {
            true
        }
        ("read", _) => said(&["-p"]),
        (it, "pdb") if it.starts_with("python") => said(&["-m"]),
        _ => false,
    };
    (asked && !quiet && !unknown).then(|| match name {
        "read" => "read -p".to_owned(),
        it if it.starts_with("python") => format!("{it} -m pdb"),
        it => format!("{it} {verb}"),
    })
}
