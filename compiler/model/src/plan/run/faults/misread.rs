//! Words that a shell or a program reads otherwise than they are written for: a bound of a version that becomes a file, a page in place of what it shows,
//! the first word of a list, and a pattern that its own shell is found by.

use super::super::shell::{Known, Simple, base, word};
use super::super::started::launcher;
use super::{Mistake, Reader, slip};
use crate::catalog::{Meaning, OptionTable};

impl Reader<'_> {
    /// What the words of one command are read as.
    pub(super) fn misread(&mut self, line: &Simple, name: &str) {
        if installs(line, name) {
            self.packages(line);
        }
        self.subcommand(line, name);
        if matches!(name, "wget" | "curl" | "aria2c") {
            let mut words = line.words.iter().flatten();
            if let Some(page) = words.find(|it| is_page(it)) {
                self.put_beside(Mistake::Page, page, name);
            }
        }
        if let Some(("torchrun", told)) = launcher(&line.words)
            && self.starts_nothing(told)
        {
            self.put(Mistake::NoProgram, "torchrun");
        }
    }

    /// `transformers<4.50` without quotes, and `einops=0.8.0`.
    fn packages(&mut self, line: &Simple) {
        let bound = |it: &&String| {
            let digits = it.trim_start_matches('=');
            let first = digits.split(',').next().unwrap_or_default();
            let is_number = first.contains('.') || digits.len() < it.len();
            is_number
                && first.starts_with(|c: char| c.is_ascii_digit())
                && first.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '*')
        };
        let written = line.written.iter().find(bound).map(|it| format!(">{it}"));
        let read = line.read.iter().find(bound).map(|it| format!("<{it}"));
        if let Some(bound) = written.or(read) {
            let package = line.words.iter().flatten().next_back().cloned().unwrap_or_default();
            self.put(Mistake::Redirected, format!("{package}{bound}"));
        }
        let one_sign = |it: &&String| {
            let Some((name, version)) = it.split_once('=') else { return false };
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-[],".contains(c);
            name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(plain)
                && version.starts_with(|c: char| c.is_ascii_digit())
        };
        if let Some(package) = line.words.iter().flatten().find(one_sign) {
            self.put(Mistake::OneSign, package);
        }
    }

    /// `pip instal`, `huggingface-cli downlaod`: almost what the program is told to do.
    fn subcommand(&mut self, line: &Simple, name: &str) {
        let told = word(line, 1);
        let known = self.catalog.names("commands.subcommands").iter().find_map(|row| {
            let (of, all) = row.split_once(' ')?;
            (of == name).then(|| all.split(' ').collect::<Vec<_>>())
        });
        let Some(known) = known.filter(|all| !told.is_empty() && !all.contains(&told)) else {
            return;
        };
        if told.starts_with(['-', '/', '.']) {
            return;
        }
        let meant = known.iter().find(|it| it.len() > 3 && slip(told, it));
        // what `vllm` is told is one of few words
        if meant.is_some() || name == "vllm" {
            let meant = meant.map(|it| format!("{name} {it}")).unwrap_or_default();
            self.put_beside(Mistake::Misspelt, format!("{name} {told}"), &meant);
        }
    }

    /// Whether a launcher is told options alone.
    fn starts_nothing(&self, told: &[Known]) -> bool {
        let Some(table) = self.catalog.row::<OptionTable>("torchrun") else { return false };
        let of = |means: Meaning| table.told.get(&means).into_iter().flatten();
        let alone: Vec<&String> = of(Meaning::Flag).chain(of(Meaning::Alone)).collect();
        let mut takes = false;
        for word in told {
            let Some(word) = word else { return false };
            let name = word.replace('_', "-");
            if matches!(&*name, "-m" | "--module" | "-h" | "--help" | "--") || word.is_empty() {
                return false;
            }
            if !word.starts_with('-') && !takes {
                return false;
            }
            takes = word.starts_with('-') && !word.contains('=') && !alone.contains(&&name);
        }
        true
    }

    /// What the text of a shell does to itself, or to its own lists.
    pub(super) fn of_shell(&mut self, text: &str, lines: &[Simple], shell: &str) {
        let several = lines.iter().filter(|it| !it.words.is_empty()).count() > 1;
        let own = |line: &&Simple| several && line.brackets.is_empty() && !line.background;
        let pattern = |line: &Simple| {
            let behind = line.words.get(1..).unwrap_or_default();
            let known: Vec<&str> = behind.iter().map_while(|it| it.as_deref()).collect();
            let (options, patterns): (Vec<&str>, Vec<&str>) =
                known.iter().partition(|it| it.starts_with('-'));
            let whole = options.contains(&"-f");
            let others = ["-f", "-9", "-KILL", "-TERM", "-INT", "-15", "-2", "-SIGTERM", "-SIGKILL"];
            let narrow = options.iter().any(|it| !others.contains(it));
            let plain = |c: char| c.is_ascii_alphanumeric() || "_./- =".contains(c);
            let [pattern] = patterns.as_slice() else { return None };
            (known.len() == behind.len() && whole && !narrow && pattern.chars().all(plain))
                .then(|| format!("pkill -f {pattern}"))
        };
        let ends = lines.iter().filter(own).filter(|it| base(word(it, 0)) == "pkill");
        if let Some(word) = ends.filter_map(pattern).next() {
            self.put(Mistake::OwnShell, word);
        }
        if shell != "zsh"
            && let Some(name) = first_alone(text)
        {
            self.put(Mistake::FirstAlone, name);
        }
    }
}

/// Whether packages of Python are installed by their names: `pip install`, `python -m pip install`, `uv pip install`.
fn installs(line: &Simple, name: &str) -> bool {
    let told = line.words.iter().position(|it| it.as_deref() == Some("install"));
    let Some(at) = told else { return false };
    let by_module = name.starts_with("python") && word(line, at - 1) == "pip";
    let by_uv = name == "uv" && word(line, at - 1) == "pip";
    matches!(name, "pip" | "pip3") || by_module || by_uv
}

/// Whether an address is that of the page which shows a file, and not of the file.
fn is_page(address: &str) -> bool {
    let path = ["github.com/", "huggingface.co/"].iter().find_map(|host| {
        let (before, path) = address.split_once(host)?;
        before.ends_with("://").then_some(path)
    });
    // owner, name, and then what is shown of it
    path.is_some_and(|it| it.split('/').skip(2).take(3).any(|part| part == "blob"))
        && !address.contains("raw=")
}

/// A list of several words, options among them, of which a shell puts in the first alone: `$ARGS` of `ARGS=(--lr 1e-4)`.
fn first_alone(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices("=(").find_map(|(at, _)| {
        let before = text.get(..at)?;
        let name = before.rsplit(|c| !is_name(c)).next().filter(|it| !it.is_empty())?;
        let inside = text.get(at + 2..)?.split(')').next()?;
        let words: Vec<&str> = inside.split_whitespace().collect();
        let holds_options = words.len() > 1 && words.iter().any(|it| it.starts_with('-'));
        let alone = |(at, _): (usize, &str)| {
            let behind = text.get(at + 1..).unwrap_or_default();
            let behind = match behind.strip_prefix('{') {
                Some(inside) => inside.strip_prefix(name).and_then(|it| it.strip_prefix('}')),
                None => behind.strip_prefix(name).filter(|it| !it.starts_with(is_name)),
            };
            let quotes = text.get(..at).unwrap_or_default().matches('\'').count();
            let escaped = text.get(..at).unwrap_or_default().ends_with('\\');
            quotes % 2 == 0 && !escaped && behind.is_some()
        };
        (holds_options && text.match_indices('$').any(alone)).then(|| name.to_owned())
    })
}
