//! Slips in texts for a shell, and words that single programs do not take.

use super::super::lost::trains;
use super::super::shell::{End, Known, LAUNCHERS, Simple, base, word};
use super::super::started::{Script, launcher};
use super::{Door, Mistake, Reader, slip};
use crate::catalog::{OptionRules, OptionTable};
use crate::plan::Place;

impl Reader<'_> {
    /// What a text says that a shell reads otherwise.
    pub(super) fn slips(&mut self, script: &Script, text: &str, lines: &[Simple]) {
        let option = |pair: &[Known]| match pair {
            [Some(option), Some(sign)] if sign == "=" => {
                option.strip_prefix("--").is_some_and(|it| !it.is_empty()).then(|| option.clone())
            }
            _ => None,
        };
        let trained = lines.iter().filter(|it| trains(&it.words));
        if let Some(option) = trained.flat_map(|it| it.words.windows(2)).find_map(option) {
            self.put_beside(Mistake::Spaced, format!("{option} ="), "option");
        }
        let spaced = lines.iter().find(|line| {
            word(line, 1) == "="
                && is_name(word(line, 0))
                && !matches!(word(line, 0), "test" | "expr")
        });
        if let Some(line) = spaced {
            self.put(Mistake::Spaced, format!("{} =", word(line, 0)));
        } else if let Some(name) =
            exported(text).filter(|it| is_name(it) && !script.text.contains("<<"))
        {
            self.put(Mistake::Spaced, format!("export {name} ="));
        }
        let clouds = self.catalog.names("commands.of_clouds");
        let asks = ["-n \"${SLURM_", "-n \"$SLURM_", "-v SLURM_", "command -v ", "which "];
        let guarded = asks.iter().any(|it| text.contains(it));
        let asked = |it: &&String| !guarded && text.contains(&format!("$({it} "));
        if let Some(name) = clouds.iter().find(asked).filter(|it| self.is_brought(it)) {
            self.put(Mistake::NotThere, name);
        }
        if let Some(bracket) = tight(text) {
            self.put(Mistake::NoBlank, bracket);
        }
        if let Some(begins) = lines.iter().find_map(broken) {
            self.put(Mistake::Broken, begins);
        }
        if let Some((word, mend)) = lines.iter().find_map(foreign).or_else(|| told_as_pair(text)) {
            self.put_with(Mistake::Foreign, word, "", &mend);
        }
        if let Some(braces) = unrolled(text) {
            self.put(Mistake::Unrolled, braces);
        }
        // a text inside of the text may be written for a batch script
        let mut batch = script.text.lines().map(str::trim).filter(|_| !script.text.contains("<<"));
        if let Some(line) = batch.find(|it| it.starts_with("#SBATCH ")) {
            self.put(Mistake::OfBatch, line);
        }
        if self.door == Door::Launch {
            self.again(text, lines);
            self.idle(text, lines);
            if let Some(name) = self.unexported(lines) {
                self.put(Mistake::Unexported, name);
            }
            self.in_text(lines);
        }
    }

    /// A variable that programs read, set as a command of its own without `export`.
    fn unexported(&self, lines: &[Simple]) -> Option<String> {
        let exports_all = |line: &Simple| {
            let option = word(line, 1);
            word(line, 0) == "set"
                && (option.starts_with('-') && option.contains('a') || word(line, 2) == "allexport")
        };
        if lines.iter().any(exports_all) {
            return None;
        }
        let known = self.catalog.names("variables.known");
        let begins = self.catalog.names("variables.of_programs");
        let is_set = |name: &str| {
            self.program.is_some_and(|it| it.env.iter().any(|variable| variable.name == name))
        };
        let is_used = |name: &str| {
            lines.iter().any(|line| {
                let declared = line.declares.then_some(&line.spoken);
                line.asked.iter().chain(declared.into_iter().flatten()).any(|it| it == name)
            })
        };
        let alone = lines.iter().filter(|line| line.words.is_empty() && !line.declares);
        let set = alone.flat_map(|line| &line.assigned);
        let plain = set.filter(|(_, value)| value.as_ref().is_some_and(|it| !it.contains(' ')));
        let mut names = plain.map(|(name, _)| name);
        let found = names.find(|name| {
            known.contains(name)
                && begins.iter().any(|it| name.starts_with(&**it))
                && !is_used(name)
                && !is_set(name)
        });
        found.cloned()
    }

    /// Programs of a text that are almost those which commands begin with.
    fn in_text(&mut self, lines: &[Simple]) {
        let programs = self.catalog.names("commands.programs");
        for line in lines.iter().filter(|line| line.words.len() > 1) {
            let first = word(line, 0);
            let near = |it: &&String| {
                it.len() > 5
                    && it.len().abs_diff(first.len()) < 2
                    && !it.contains(first)
                    && slip(first, it)
            };
            if first.len() > 5
                && !programs.iter().any(|it| it == first)
                && programs.iter().any(|it| near(&it))
            {
                self.put(Mistake::Misspelt, first);
            }
        }
    }

    /// A launcher that its shell starts again.
    fn again(&mut self, text: &str, lines: &[Simple]) {
        let until = ["torchrun", "accelerate", "deepspeed", "mpirun", "srun"];
        // who counts the tries ends with the status of the last
        let counts = text.contains("exit ");
        let loops = until.iter().find(|it| !counts && text.contains(&format!("until {it} ")));
        let breaks = |pair: &[Simple]| {
            let [line, next] = pair else { return None };
            let ends = line.end == End::And && word(next, 0) == "break";
            ends.then(|| launcher(&line.words).map(|(name, _)| name)).flatten()
        };
        let breaks = || lines.windows(2).find_map(breaks).filter(|_| text.contains("for "));
        let found = loops.copied().or_else(breaks);
        if let Some(name) = found {
            self.put(Mistake::Retries, name);
        }
    }

    /// Nodes that wait before they begin.
    fn idle(&mut self, text: &str, lines: &[Simple]) {
        let trained = lines.iter().rposition(|it| trains(&it.words)).unwrap_or_default();
        let before = lines.iter().take(trained);
        let mut found = before.filter(|it| !it.background && !it.is_conditional());
        let found = found.find_map(long);
        // a loop waits for something
        if let Some(long) = found
            .filter(|_| ["while ", "until ", "for ", "if "].iter().all(|it| !text.contains(it)))
        {
            self.put(Mistake::Waits, long);
        }
    }

    /// What one program does not take.
    pub(super) fn of_program(&mut self, line: &Simple, name: &str) {
        if name == "rm" && self.removes_all(line) {
            self.put(Mistake::Wipes, "rm -rf /");
        }
        if matches!(self.door, Door::Setup(_))
            && !line.background
            && let Some(long) = long(line)
        {
            self.put(Mistake::Waits, long);
        }
        let words: Vec<&str> = line.words.iter().flatten().map(String::as_str).collect();
        if let Some(option) = archive(name, &words) {
            let takes = "`tar` takes what stands behind `f` for the archive";
            self.put_beside(Mistake::NoWord, option, takes);
        }
        self.told(line, name);
        self.of_others(name, &words);
        self.read_by(name, &words);
        // behind a script it is an option of that
        let own = words.iter().take_while(|it| !it.ends_with(".py"));
        let behind = own
            .into_iter()
            .position(|it| *it == "-m")
            .filter(|_| name.starts_with("python") || name == "torchrun");
        if let Some(module) = behind.and_then(|at| words.get(at + 1)) {
            self.module(module, &words);
        }
        if let Some((launcher, told)) = launcher(&line.words) {
            self.launcher_words(launcher, told);
        }
        let serves = name == "vllm" && word(line, 1) == "serve";
        let model = |it: &&&str| **it == "--model" || it.starts_with("--model=");
        if serves && words.iter().any(|it| model(&it)) && !word(line, 2).starts_with('-') {
            self.put_beside(Mistake::Positional, "--model", "vllm serve");
        }
    }

    /// `python train.sh`, `bash train.py`, `python torchrun train.py`: what is read by another program than it is written for.
    fn read_by(&mut self, name: &str, words: &[&str]) {
        let Some(script) = words.get(1).copied() else { return };
        let is_python = matches!(name, "python" | "python3");
        let takes = match (is_python, script) {
            (true, it) if it.ends_with(".sh") => {
                "`python` reads Python, and this is written for a shell"
            }
            (true, "torchrun" | "accelerate" | "deepspeed") => {
                "`python` takes a file, and this is a program of its own"
            }
            (false, it) if matches!(name, "bash" | "sh") && it.ends_with(".py") => {
                "a shell reads its own scripts, and this is written in Python"
            }
            _ => return,
        };
        self.put_beside(Mistake::NoWord, script, takes);
    }

    /// What asks somebody who is not there.
    fn of_others(&mut self, name: &str, words: &[&str]) {
        let Some(program) = self.program else { return };
        // jobs of Slurm run in the homes of who submits them
        let at_home = matches!(program.place.value, Place::Partition(_));
        let says =
            |any: &[&str]| program.texts().any(|text| any.iter().any(|it| text.contains(it)));
        let sets = |end: &str| program.env.iter().any(|it| it.name.ends_with(end));
        match (name, words.get(1).copied(), words.get(2).copied()) {
            ("ray", Some("job"), Some("submit")) => {
                let told = words.iter().any(|it| it.starts_with("--address"));
                if !told && !says(&["ray start", "RAY_ADDRESS"]) && !sets("_ADDRESS") {
                    let who = "no cluster of Ray is started or named here";
                    self.put_beside(Mistake::Nobody, "ray job submit", who);
                }
            }
            ("git", Some("clone"), _) => {
                let by_key = |it: &&&str| it.starts_with("git@") || it.starts_with("ssh://");
                let keys = program.mounts.iter().any(|it| it.path.value.contains("ssh"));
                let url = words.iter().find(by_key);
                let own = [
                    "ssh-add",
                    "ssh-key",
                    "id_rsa",
                    "id_ed25519",
                    "insteadOf",
                    "GIT_SSH",
                    "sshCommand",
                ];
                let other = || at_home || says(&own);
                if let Some(url) = url.filter(|_| !keys && !sets("GIT_SSH_COMMAND") && !other()) {
                    self.put_beside(Mistake::Nobody, *url, "no key for it is mounted here");
                }
            }
            _ => {}
        }
    }

    fn removes_all(&self, line: &Simple) -> bool {
        let all = |it: &Known| it.as_deref().is_some_and(|it| matches!(it, "/" | "/*"));
        let deep = |it: &Known| {
            it.as_deref().is_some_and(|it| {
                it.starts_with('-') && !it.starts_with("--") && it.contains(['r', 'R'])
            })
        };
        line.words.iter().any(all) && line.words.iter().any(deep)
    }

    /// What Python, or `torchrun`, is to start by the name of a module.
    fn module(&mut self, module: &str, words: &[&str]) {
        if module.ends_with(".py") {
            return self.put(Mistake::NoModule, module);
        }
        let known = self.catalog.names("commands.modules");
        let near = |it: &&String| it.len() > 7 && slip(module, it);
        if !known.iter().any(|it| it == module)
            && let Some(meant) = known.iter().find(near)
        {
            return self.put_beside(Mistake::Misspelt, module, meant);
        }
        let of_vllm = module == "vllm.entrypoints.openai.api_server";
        let told = words.iter().any(|it| it.starts_with("--model") || it.starts_with("--config"));
        let next = words.iter().skip_while(|it| **it != module).nth(1);
        if let Some(model) = next.filter(|it| of_vllm && !told && !it.starts_with('-')) {
            self.put_beside(Mistake::Positional, *model, "api_server");
        }
    }

    /// Options of a launcher with words, or numbers, that it does not take.
    fn launcher_words(&mut self, launcher: &str, told: &[Known]) {
        self.launcher_options(launcher, told);
        let Some(rules) = self.catalog.row::<OptionRules>(launcher) else { return };
        let told: Vec<&str> = told.iter().map(|it| it.as_deref().unwrap_or("$")).collect();
        self.interpreter(launcher, &told);
        let count = told.iter().take_while(|it| is_own(it)).count();
        for (at, option) in told.iter().enumerate().take(count) {
            let (option, value) = match option.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (*option, told.get(at + 1).copied()),
            };
            let Some(name) = option.strip_prefix("--") else { continue };
            let Some(value) = value.filter(|it| !it.contains('$') && !it.is_empty()) else {
                continue;
            };
            if let Some(takes) = taken(rules, &name.replace('-', "_"), value) {
                self.put_beside(
                    Mistake::NoWord,
                    value,
                    &format!("`{option}` of `{launcher}` takes {takes}"),
                );
            }
        }
    }

    /// An option in front of the script that the launcher does not know, and that is one slip from one of its own.
    fn launcher_options(&mut self, launcher: &str, told: &[Known]) {
        let Some(table) = self.catalog.row::<OptionTable>(launcher) else { return };
        let plain = |it: &str| it.replace('_', "-");
        let known: Vec<String> = table.told.values().flatten().map(|it| plain(it)).collect();
        let own = told.iter().map(|it| it.as_deref().unwrap_or("$"));
        let starts = |it: &str| LAUNCHERS.contains(&it) || matches!(it, "bash" | "sh");
        let own = own.take_while(|it| is_own(it) && !starts(it));
        let options: Vec<&str> = own.filter(|it| it.starts_with("--") && it.len() > 5).collect();
        for option in options {
            let name = option.split('=').next().unwrap_or_default();
            let written = plain(name);
            if known.iter().any(|it| it.starts_with(&written)) {
                continue;
            }
            let meant = known.iter().find(|it| it.len() > 5 && slip(&written, it));
            if let Some(meant) = meant {
                let takes = format!("`{launcher}` has `{meant}`");
                self.put_beside(Mistake::NoWord, name, &takes);
            }
        }
    }

    /// Whether a program is one that images of frameworks do not have, and that nothing here brings.
    pub(super) fn is_brought(&self, name: &str) -> bool {
        let strange = || self.catalog.names("commands.of_clouds").iter().any(|it| it == name);
        if !self.is_plain() || !strange() {
            return false;
        }
        let brings = self.catalog.names("commands.brings");
        let looks = [format!("command -v {name}"), format!("which {name}"), format!("type {name}")];
        let brought = |text: &str| {
            let mut words = text.split(|c: char| c.is_whitespace() || c == ';');
            brings.iter().any(|it| text.contains(&**it))
                || looks.iter().any(|it| text.contains(&**it))
                || text.contains("install ") && words.any(|it| it == name)
        };
        // what a build installs is not read here
        let Some(program) = self.program else { return false };
        let has_path = program.env.iter().any(|it| it.name == "PATH");
        !has_path && !program.texts().any(brought)
    }

    /// A program that an image is known to be without, and that nothing here brings.
    pub(super) fn absent(&mut self, first: &str) {
        let Some(program) = self.program else { return };
        let beside = match self.door {
            Door::Sidecar(number) => program.sidecars.get(number),
            Door::Launch | Door::Setup(_) | Door::Cleanup(_) => None,
            Door::Ready | Door::Script(_) => return,
        };
        let image = beside.map_or(&program.image, |it| &it.image);
        let Some(image) = image.said() else { return };
        let image = image.trim_start_matches("docker.io/").trim_start_matches("library/");
        let folder = first.strip_suffix(base(first)).unwrap_or_default();
        let name = base(first);
        let without = |row: &String| {
            let (of, names) = row.split_once(' ').unwrap_or_default();
            let (begins, holds) = of.split_once('*').unwrap_or((of, ""));
            let is_such = image.starts_with(begins) && image.contains(holds);
            is_such && names.split(' ').any(|it| it == name)
        };
        let is_own = !["", "/bin/", "/usr/bin/"].contains(&folder);
        if is_own || !self.catalog.names("commands.absent").iter().any(without) {
            return;
        }
        let brings = self.catalog.names("commands.brings");
        let brought = |text: &str| brings.iter().any(|it| text.contains(&**it));
        let words = beside.into_iter().flat_map(|it| it.command.iter().chain(&it.args));
        let words: Vec<String> =
            super::plain(words).into_iter().flatten().map(str::to_owned).collect();
        let has_path = program.env.iter().any(|it| it.name == "PATH");
        if !has_path && !program.texts().any(brought) && !words.iter().any(|it| brought(it)) {
            self.put(Mistake::NotThere, name);
        }
    }
}

/// Whether a word may be a launcher's: not the program that it starts, which may be no script of Python.
fn is_own(word: &str) -> bool {
    let is_program = word.contains('/') && !word.starts_with('-');
    !word.ends_with(".py") && word != "-m" && !is_program
}

/// What an option takes, where this is no word or number of it.
fn taken(rules: &OptionRules, name: &str, value: &str) -> Option<String> {
    let number = value.parse::<f64>().ok();
    if let Some(words) = rules.words.get(name) {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let known = words.iter().any(|it| it.eq_ignore_ascii_case(value)) || number.is_some();
        return (!known && value.chars().all(plain)).then(|| words.join(", "));
    }
    let least = rules.least.get(name).filter(|least| number.is_some_and(|it| it < **least));
    let most = rules.most.get(name).filter(|most| number.is_some_and(|it| it > **most));
    least.map(|it| format!("at least {it}")).or_else(|| most.map(|it| format!("at most {it}")))
}

/// `tar -xfz a.tar.gz`: the archive is `z`.
fn archive<'w>(name: &str, words: &[&'w str]) -> Option<&'w str> {
    let option = words.get(1).copied().filter(|_| name == "tar" && words.len() > 2)?;
    let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'))?;
    let behind = letters.split_once('f').map(|(_, behind)| behind)?;
    matches!(behind, "z" | "j" | "v" | "zv" | "vz" | "J").then_some(option)
}

/// `export NAME = VALUE`
fn exported(text: &str) -> Option<&str> {
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        if word == "export"
            && let Some(name) = words.next()
            && words.peek().is_some_and(|it| it.starts_with('=') && !it.starts_with("=="))
        {
            return Some(name);
        }
    }
    None
}

/// A bracket that asks something, and is written to it: `[$RANK = 0 ]`.
fn tight(text: &str) -> Option<&str> {
    let mut before = "";
    text.split(' ').find(|word| {
        let asks = matches!(before, "if" | "elif" | "while" | "until");
        before = word;
        asks && ["[$", "[\"", "[-", "[!"].iter().any(|it| word.starts_with(it))
    })
}

/// Whether a word may be what a variable is called.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What another shell would take, or one question that nothing ends, with what is to be written.
fn foreign(line: &Simple) -> Option<(String, String)> {
    let (first, second) = (word(line, 0), word(line, 1));
    let export = |name: &str| format!("write `export {name}=...`");
    match first {
        "setenv" if is_name(second) && line.words.len() == 3 => {
            Some((format!("setenv {second}"), export(second)))
        }
        "set" => {
            let name = second.split_once('=').map(|(name, _)| name).filter(|it| is_name(it))?;
            Some((format!("set {name}="), export(name)))
        }
        "[" => {
            let closed = line.words.last().is_some_and(|it| it.as_deref() == Some("]"));
            let begins: Vec<&str> =
                line.words.iter().map_while(|it| it.as_deref()).take(3).collect();
            let mend = "write ` ]` behind what it asks; several questions are `[ A ] && [ B ]`";
            (!closed).then(|| (begins.join(" "), mend.to_owned()))
        }
        _ => {
            let behind = first.strip_prefix('!')?;
            let is_word = behind.starts_with(|c: char| c.is_ascii_alphabetic());
            is_word.then(|| (first.to_owned(), format!("write `! {behind}`")))
        }
    }
}

/// `export NAME: VALUE`
fn told_as_pair(text: &str) -> Option<(String, String)> {
    let mut words = text.split([' ', '\n', ';']);
    while let Some(word) = words.next() {
        if word == "export"
            && let Some(name) = words.next().and_then(|it| it.strip_suffix(':'))
            && is_name(name)
        {
            return Some((format!("export {name}:"), format!("write `export {name}=...`")));
        }
    }
    None
}

/// A row of numbers whose end only a variable knows: `{0..$N}`.
fn unrolled(text: &str) -> Option<&str> {
    if text.contains("eval") {
        return None;
    }
    let row = |(at, _): (usize, &str)| {
        let rest = text.get(at..)?;
        let (row, _) = rest.split_once('}')?;
        let (first, last) = row.strip_prefix('{')?.split_once("..")?;
        let is_end = |it: &str| {
            !it.is_empty()
                && it.chars().all(|c| c.is_ascii_alphanumeric() || "_${(-+*/ )".contains(c))
        };
        let quoted = text.get(..at)?.matches('\'').count() % 2 == 1;
        let is_put_in = first.contains('$') || last.contains('$');
        // `{0..${N}}` has a brace of its own
        let whole = row.len() + 1 + usize::from(last.contains('{'));
        (is_end(first) && is_end(last) && is_put_in && !quoted).then(|| rest.get(..whole)).flatten()
    };
    text.match_indices('{').find_map(row)
}

/// How a command begins that is the rest of another one: what joins both is cut by a blank, or not there.
fn broken(line: &Simple) -> Option<String> {
    let option = |it: &str| {
        it.strip_prefix("--")
            .is_some_and(|it| it.len() > 1 && it.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let first = word(line, 0);
    if matches!(first, "echo" | "printf" | "log") {
        return None;
    }
    if option(first) {
        return Some(first.to_owned());
    }
    // others look for such a text, or show it
    if !trains(&line.words) {
        return None;
    }
    let glued = |it: &&String| it.starts_with(' ') && option(it.trim_start());
    line.words.iter().flatten().skip(1).find(glued).map(|it| it.trim_start().to_owned())
}

/// `sleep 3600`: ten minutes and more are long.
fn long(line: &Simple) -> Option<String> {
    let told = word(line, 1);
    let number: f64 = told.trim_end_matches(['s', 'm', 'h', 'd']).parse().ok()?;
    let unit = match told.chars().last()? {
        'm' => 60.0,
        'h' => 3_600.0,
        'd' => 86_400.0,
        _ => 1.0,
    };
    let sleeps = base(word(line, 0)) == "sleep" && line.words.len() == 2;
    (sleeps && number * unit >= LONG).then(|| format!("sleep {told}"))
}

/// Seconds that nodes may wait for a reason that nobody sees here, which is a policy of ours.
const LONG: f64 = 600.0;
