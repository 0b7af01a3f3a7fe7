//! Words that a program, or its shell, reads as something else than they are written for, each with what it reads and with the mend.

use super::super::lost::trains;
use super::super::options::Options;
use super::super::shell::{End, Known, Simple, UNKNOWN, base, documents, word};
use super::super::started::{Script, behind_launcher, launcher};
use super::{Door, Mistake, Piece, Reader, joined, slip};
use crate::catalog::OptionTable;
use crate::plan::Place;

impl Reader<'_> {
    fn misread(&mut self, word: impl Into<String>, why: &str, mend: &str) {
        self.put_with(Mistake::Misread, word, why, mend);
    }

    /// What one command is told.
    pub(super) fn told(&mut self, line: &Simple, name: &str) {
        let words: Vec<&str> = line.words.iter().flatten().map(String::as_str).collect();
        self.nothing_started(line);
        self.elsewhere(line);
        self.in_one_word(line);
        self.page(name, &words);
        self.subcommand(name, &words);
        if let Some(packages) = packages(&words) {
            self.packages(packages);
        }
    }

    /// `torchrun --nproc-per-node=8`, and nothing that it starts.
    fn nothing_started(&mut self, line: &Simple) {
        let Some((name @ ("torchrun" | "accelerate" | "deepspeed"), told)) = launcher(&line.words)
        else {
            return;
        };
        let Some(table) = self.catalog.row::<OptionTable>(name) else { return };
        let plain = |it: &str| it.replace('_', "-");
        let known: Vec<String> = table.told.values().flatten().map(|it| plain(it)).collect();
        let other = ["-m", "--module", "-h", "--help", "--version", "--no-python", "--no_python"];
        // what an option that is not known here takes may be the script
        let is_open = |it: &Known| {
            let Some(it) = it.as_deref() else { return true };
            let option = plain(it.split('=').next().unwrap_or_default());
            other.contains(&it) || it.starts_with('-') && !known.contains(&option)
        };
        let behind = behind_launcher(&line.words, &Options::of(self.catalog));
        if behind.is_empty() && !told.iter().any(is_open) && !told.is_empty() {
            let why = "no script stands behind its options, and it ends at once";
            self.misread(name, why, "name the script, on the same line or behind `\\`");
        }
    }

    /// `python gs://code/train.py`: programs are files of the node.
    fn elsewhere(&mut self, line: &Simple) {
        let name = base(word(line, 0));
        let words = match launcher(&line.words) {
            Some(_) => behind_launcher(&line.words, &Options::of(self.catalog)),
            None if matches!(name, "python" | "python3" | "bash" | "sh") => {
                line.words.get(1..).unwrap_or_default()
            }
            None => return,
        };
        let mut own = words.iter().map(|it| it.as_deref().unwrap_or_default());
        let script = own.find(|it| !it.starts_with('-')).unwrap_or_default();
        self.remote(script);
    }

    /// A script that no file is called by.
    pub(super) fn remote(&mut self, script: &str) {
        let schemes = ["gs://", "s3://", "https://", "http://"];
        if schemes.iter().any(|it| script.starts_with(it)) {
            let why = "programs are read from files, and this is none";
            self.misread(script, why, "mount its bucket, or fetch it first, and name the file");
        }
    }

    /// `"--lr 1e-4"`: an option and its value that a program is given as one word.
    fn in_one_word(&mut self, line: &Simple) {
        if self.door != Door::Launch || !trains(&line.words) {
            return;
        }
        let mut before = "";
        for written in line.words.iter().map(|it| it.as_deref().unwrap_or("$")) {
            // what an option in front of it takes is its value
            let is_value = before.starts_with('-') && !before.contains(['=', ' ']);
            if !is_value && is_pair(written) {
                let why = "it is one word, and no option is called so";
                let mend = "write the option and its value as two words, or with `=` between";
                return self.misread(written, why, mend);
            }
            before = written;
        }
    }

    /// The same of words that a launcher of the blueprint is given.
    pub(super) fn pairs(&mut self, words: &[Option<&str>]) {
        let words = words.iter().map(|it| it.map(str::to_owned));
        let begins = ["python", "train.py"].map(|it| Some(it.to_owned()));
        self.in_one_word(&Simple::of(begins.into_iter().chain(words).collect()));
    }

    /// `wget https://github.com/.../blob/...`: the page about a file, and not the file.
    fn page(&mut self, name: &str, words: &[&str]) {
        if !matches!(name, "wget" | "curl" | "aria2c") {
            return;
        }
        for address in words.iter().filter(|it| !it.contains("raw=true")) {
            let path = address.split("://").nth(1).unwrap_or_default();
            let (host, path) = path.split_once('/').unwrap_or_default();
            let at = path.split('/').position(|it| it == "blob");
            let (is_page, mend) = match host.trim_start_matches("www.") {
                "github.com" => (at == Some(2), "write `raw` for `blob` in the address"),
                "huggingface.co" | "hf.co" => {
                    let is_page = matches!(at, Some(1..=3));
                    (is_page, "write `resolve` for `blob` in the address")
                }
                _ => continue,
            };
            if is_page {
                return self.misread(*address, "that is the page about a file", mend);
            }
        }
    }

    /// `hf donwload`, `gcloud storage copy`: what a program is told to do, in words that it does not have.
    fn subcommand(&mut self, name: &str, words: &[&str]) {
        let known = self.catalog.names("commands.subcommands");
        let own: Vec<&str> = known
            .iter()
            .filter_map(|it| it.split_once(' '))
            .filter(|it| it.0 == name)
            .map(|it| it.1)
            .collect();
        let told = words.get(1).copied().unwrap_or_default();
        let is_word = told.len() > 3 && told.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if is_word
            && !told.starts_with('-')
            && !own.contains(&told)
            && let Some(meant) = own.iter().find(|it| it.len() > 3 && slip(told, it))
        {
            let why = format!("`{name}` has no `{told}`");
            return self.misread(
                format!("{name} {told}"),
                &why,
                &format!("write `{name} {meant}`"),
            );
        }
        let text = words.iter().filter(|it| !it.starts_with('-')).take(3).copied();
        let text = text.collect::<Vec<_>>().join(" ");
        let instead =
            self.catalog.names("commands.instead").iter().filter_map(|it| it.split_once('='));
        for (wrong, right) in instead {
            if text == wrong || text.starts_with(&format!("{wrong} ")) {
                let why = "it has no such word";
                return self.misread(wrong, why, &format!("write `{right}`"));
            }
        }
    }

    /// What `pip install` is told that is no package.
    fn packages(&mut self, told: &[&str]) {
        let script =
            |it: &&&str| it.ends_with(".py") && !it.contains('/') && !it.ends_with("setup.py");
        let at = told.iter().position(|it| matches!(*it, "python" | "python3" | "torchrun"));
        if let Some(program) = at
            .and_then(|at| told.get(at))
            .filter(|_| told.iter().any(|it| script(&it) || it.ends_with(".py")))
        {
            return self.put_beside(Mistake::Joined, *program, "pip install");
        }
        let one = |it: &&&str| {
            let Some((name, version)) = it.split_once('=') else { return false };
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-[],".contains(c);
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(plain)
                && version.starts_with(|c: char| c.is_ascii_digit())
        };
        if let Some(package) = told.iter().find(one) {
            let why = "`pip` takes it for no package: one `=` says no version";
            self.misread(*package, why, &format!("write `{}`", package.replacen('=', "==", 1)));
        }
    }

    /// What a text is read as by its shell.
    pub(super) fn text_misread(&mut self, shell: &str, script: &Script, lines: &[Simple]) {
        if let Some(bound) = bound(&script.text, lines) {
            let sign = if bound.contains('<') { "reads from" } else { "writes to" };
            let why = format!("the shell {sign} a file there, and the version is not told");
            self.misread(&bound, &why, &format!("quote it: `'{bound}'`"));
        }
        self.ends_itself(script, lines);
        if !matches!(shell, "zsh" | "sh")
            && let Some((name, asked)) = first_of_list(&own(&script.text))
        {
            let why = "Bash puts in the first word of a list there, and none of the others";
            self.misread(asked, why, &format!("write `\"${{{name}[@]}}\"`"));
        }
        self.not_made(lines);
    }

    /// `pkill -f train.py`, whose own shell holds these words. In a pod it is the first process, which nothing inside ends.
    fn ends_itself(&mut self, script: &Script, lines: &[Simple]) {
        let on_slurm = self.program.is_some_and(|it| matches!(it.place.value, Place::Partition(_)));
        if !on_slurm || self.door != Door::Launch {
            return;
        }
        let plain = |it: &str| {
            it.len() > 2 && it.chars().all(|c| c.is_ascii_alphanumeric() || "._-/ ".contains(c))
        };
        for line in lines.iter().filter(|it| word(it, 0) == "pkill") {
            let whole = |it: &Known| {
                it.as_deref().is_some_and(|it| {
                    it == "--full"
                        || it.starts_with('-') && !it.starts_with("--") && it.contains('f')
                })
            };
            let narrows = |it: &Known| {
                it.as_deref().is_some_and(|it| {
                    matches!(it, "-x" | "-P" | "-t" | "-g" | "-n" | "-o" | "-s" | "-u" | "-U")
                })
            };
            let Some(pattern) = line.words.last().and_then(|it| it.as_deref()) else { continue };
            if line.words.len() > 2
                && line.words.iter().any(whole)
                && !line.words.iter().any(narrows)
                && plain(pattern)
                && script.text.contains(pattern)
            {
                let why =
                    "its own shell is called by a text that holds these words, and ends with it";
                let (head, rest) = pattern.split_at(1);
                self.misread(joined(&line.words), why, &format!("write `[{head}]{rest}`"));
            }
        }
    }

    /// Folders of the root that an image of frameworks does not have, and that nothing makes or mounts.
    fn not_made(&mut self, lines: &[Simple]) {
        let on_slurm = self.program.is_some_and(|it| matches!(it.place.value, Place::Partition(_)));
        if !self.is_plain() || self.beside.adds || self.door != Door::Launch || on_slurm {
            return;
        }
        for (at, line) in lines.iter().enumerate() {
            let enters = word(line, 0) == "cd" && !line.is_conditional();
            let entered = Some(word(line, 1)).filter(|_| enters);
            let written = line.written.iter().filter_map(|it| Some(it.rsplit_once('/')?.0));
            let before = lines.get(..at).unwrap_or_default();
            let mut all = entered.into_iter().chain(written);
            let missing = |folder: &&str| {
                let root = folder.strip_prefix('/').and_then(|it| it.split('/').next());
                root.is_some_and(|it| !it.is_empty() && !self.has_root(&format!("/{it}"), before))
            };
            // who goes on without it has thought of it
            let Some(folder) = all.find(missing).filter(|_| line.end != End::Or) else { continue };
            let root = folder.split('/').take(2).collect::<Vec<_>>().join("/");
            let why = format!("the image has no `{root}`, and nothing here makes or mounts it");
            let said = if enters { joined(&line.words) } else { folder.to_owned() };
            return self.misread(said, &why, "make it first (`mkdir -p`), or mount it");
        }
    }

    /// A script that is looked for in a folder which is made for it, and empty.
    pub(super) fn in_empty_folder(&mut self, lines: &[Simple]) {
        let Some(program) = self.program else { return };
        let on_slurm = matches!(program.place.value, Place::Partition(_));
        let Some(folder) = program.workdir.as_deref().filter(|_| !on_slurm) else { return };
        let root = folder.split('/').take(2).collect::<Vec<_>>().join("/");
        let started: Vec<&Simple> = lines.iter().filter(|it| !it.words.is_empty()).collect();
        let [line] = started.as_slice() else { return };
        let words = match launcher(&line.words) {
            Some(_) => behind_launcher(&line.words, &Options::of(self.catalog)),
            None => line.words.get(1..).unwrap_or_default(),
        };
        let script = words.iter().flatten().find(|it| !it.starts_with('-'));
        let Some(script) = script.filter(|it| it.ends_with(".py") && !it.starts_with('/')) else {
            return;
        };
        let usual = self.catalog.names("commands.root_folders");
        let mounted = program.mounts.iter().any(|it| {
            let path = it.path.value.as_str();
            path.starts_with(&root) || slip(&root, path)
        });
        let there = self.beside.adds
            || !self.is_plain()
            || mounted
            || usual.contains(&root)
            || !program.setup.is_empty()
            || !program.sidecars.is_empty();
        if !there && root.len() > 1 && trains(&line.words) {
            let why = format!(
                "`workdir` is `{folder}`, which the image does not have and nothing mounts: it is made, and is empty"
            );
            self.misread(
                script.clone(),
                &why,
                "mount the code there, or have it in an image of one's own",
            );
        }
    }

    /// Whether a folder of the root is there: by the image, a mount, or what another command names and may make.
    fn has_root(&self, root: &str, before: &[Simple]) -> bool {
        let below = |it: &str| {
            it.match_indices(root).any(|(at, _)| {
                let before = it.get(..at).and_then(|it| it.chars().next_back());
                let behind = it.get(at + root.len()..).and_then(|it| it.chars().next());
                let is_part = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
                before.is_none_or(|c| !is_part(c)) && behind.is_none_or(|c| c == '/' || !is_part(c))
            })
        };
        let Some(program) = self.program else { return true };
        let usual = self.catalog.names("commands.root_folders");
        let mut setup = program.setup.iter().flatten().flat_map(|it| &it.0);
        let by_setup = setup.any(|it| match it {
            Piece::Text(text) => below(text),
            Piece::Later(_) | Piece::Run(_) => true,
        });
        let makes = |it: &&Simple| !matches!(word(it, 0), "cd" | "ls" | "echo");
        // scripts of one's own may make anything
        let scripted = |it: &Simple| {
            let name = base(word(it, 0));
            let known = ["source", ".", "eval", "bash", "sh", "make", "ansible", "dpkg", "sudo"];
            known.contains(&name) || name.starts_with("python") || word(it, 0).contains('/')
        };
        usual.iter().any(|it| *it == root)
            // one letter beside a mount, it is told with that
            || program.mounts.iter().any(|it| below(&it.path.value) || slip(root, &it.path.value))
            || program.workdir.as_deref().is_some_and(below)
            || by_setup
            || before.iter().filter(makes).any(|it| {
                it.sets_any
                    || scripted(it)
                    || it.words.iter().any(|it| {
                        it.as_deref()
                            .is_none_or(|it| it == "/" || it.contains(UNKNOWN) || below(it))
                    })
            })
    }
}

/// Whether a word is an option with its value behind a blank.
fn is_pair(written: &str) -> bool {
    let Some((option, value)) = written.split_once(' ') else { return false };
    let name = option.trim_start_matches('-');
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    option.starts_with("--")
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(plain)
        && !value.trim().is_empty()
}

/// What `pip install` is told.
fn packages<'w, 't>(words: &'w [&'t str]) -> Option<&'w [&'t str]> {
    let told = match words {
        [pip, "install", told @ ..] if matches!(base(pip), "pip" | "pip3") => told,
        [python, "-m", "pip", "install", told @ ..] if base(python).starts_with("python") => told,
        ["uv", "pip", "install", told @ ..] => told,
        _ => return None,
    };
    // what it is told of by options is no package
    (!told.iter().any(|it| *it == "--config-settings" || *it == "-C")).then_some(told)
}

/// A bound of a version that stands without quotes, as a shell reads it: `pip install x<4.50`.
fn bound(text: &str, lines: &[Simple]) -> Option<String> {
    let is_version = |it: &str| it.starts_with(|c: char| c.is_ascii_digit());
    for line in lines {
        let words: Vec<&str> = line.words.iter().flatten().map(String::as_str).collect();
        let Some(told) = packages(&words) else { continue };
        // a file that output goes to may have any name but these
        let points =
            |it: &str| it.contains('.') && it.chars().all(|c| c.is_ascii_digit() || c == '.');
        let above = line.written.iter();
        let above = above.filter(|it| it.strip_prefix('=').is_some_and(is_version) || points(it));
        let below = line.taken.iter().filter(|it| is_version(it.trim_start_matches('=')));
        let signs = above.map(|it| ('>', it)).chain(below.map(|it| ('<', it)));
        for (sign, file) in signs {
            let mut all = told.iter().map(|package| format!("{package}{sign}{file}"));
            if let Some(at) = all.find_map(|it| text.find(it.as_str())) {
                let whole = text.get(at..)?.split([' ', '\n', ';', '&', '|']).next()?;
                return Some(whole.to_owned());
            }
        }
    }
    None
}

/// What of a text its shell reads itself: neither what it gives to programs, nor remarks.
fn own(text: &str) -> String {
    let mut left = text.to_owned();
    for given in documents(text) {
        left = left.replace(given.as_str(), "\n");
    }
    let remark = |line: &str| {
        let even = |it: &str, quote: char| it.matches(quote).count().is_multiple_of(2);
        let mut begins = line.match_indices('#').map(|(at, _)| at);
        let begins = begins.find(|at| {
            let before = line.get(..*at).unwrap_or_default();
            let alone = before.is_empty() || before.ends_with([' ', '\t', ';']);
            alone && even(before, '"') && even(before, '\'')
        });
        line.get(..begins.unwrap_or(line.len())).unwrap_or_default().to_owned()
    };
    left.lines().map(remark).collect::<Vec<_>>().join("\n")
}

/// A list of several words that a text asks for by its name alone: its name, and how it is asked for.
fn first_of_list(text: &str) -> Option<(String, String)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (at, _) in text.match_indices("=(") {
        let before = text.get(..at)?;
        let before = before.strip_suffix('+').unwrap_or(before);
        let begin = before.rfind(|c| !is_name(c)).map_or(0, |it| it + 1);
        let name = before.get(begin..).filter(|it| !it.is_empty())?;
        let opens = before.get(..begin)?.chars().next_back();
        let items = text.get(at + 2..)?.split(')').next()?;
        let several = items.split_whitespace().filter(|it| !it.starts_with('#')).count() > 1;
        // what is set otherwise as well may be a text
        let set = format!("{name}=");
        let otherwise = text.match_indices(&set).any(|(at, _)| {
            let own = text.get(..at).is_none_or(|it| !it.ends_with(is_name));
            own && text.get(at + set.len()..).is_some_and(|it| !it.starts_with('('))
        });
        // the first of hosts, or of files, that are looked for may be the one that is meant
        let asks = items.contains('`') || items.contains("$(") || text.contains("IFS=");
        let listed = !items.contains('$') || items.trim_start().starts_with('-');
        if !several || otherwise || asks || !listed || !opens.is_none_or(char::is_whitespace) {
            continue;
        }
        // what stands between single quotes is read by others
        let read: String = text.split('\'').step_by(2).collect::<Vec<_>>().join("q");
        for asked in [format!("${{{name}}}"), format!("${name}")] {
            let ends = |at: usize| {
                let behind = read.get(at + asked.len()..).and_then(|it| it.chars().next());
                let escaped = read.get(..at).is_some_and(|it| it.ends_with('\\'));
                !escaped && behind.is_none_or(|c| matches!(c, ' ' | '\n' | '"' | ';' | '\t'))
            };
            if read.match_indices(&asked).any(|(at, _)| ends(at)) {
                return Some((name.to_owned(), asked));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::super::shell::commands;
    use super::*;

    #[test]
    fn bounds_without_quotes_are_found() {
        let bound = |text: &str| bound(text, &commands(text));
        assert_eq!(bound("pip install x<4.50 && a").as_deref(), Some("x<4.50"));
        assert_eq!(bound("pip install -U a 'b>1' c>=2.0,<3\n").as_deref(), Some("c>=2.0,<3"));
        for text in [
            "pip install 'x<4.50'",
            "pip install \"x>=4\" y",
            "pip install x > /tmp/log",
            "pip install x >/tmp/log 2>&1",
            "pip install x 2>/dev/null",
            "pip install -r req.txt; a <4",
            "pip install x<<E",
            "pip install x>log",
            "# pip install x<4.50\na",
            "echo \"pip install x<4.50\"; b",
            "cat > a <<E\npip install x<3\nE\nb",
        ] {
            assert_eq!(bound(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_asked_for_as_a_whole() {
        for text in [
            "ARGS=(--lr 1e-4)\na ${ARGS}",
            "ARGS=(\n  --lr 1\n  --bs 2\n)\na $ARGS --x",
            "A=(x y); b \"$A\"",
            "ARGS=(--lr $LR --bs 4); a $ARGS",
        ] {
            assert!(first_of_list(text).is_some(), "{text}");
        }
        for text in [
            "ARGS=(--lr 1e-4)\na ${ARGS[@]}",
            "ARGS=(--lr)\na $ARGS",
            "ARGS=(a b)\nc $ARGS_MORE ${#ARGS[@]} \"${ARGS[*]}\" ${ARGS[0]}",
            "A=(x y); echo '$A'",
            "A=(x y); python -c 'print($A)' ; b \\$A",
            "A=(x y); A=\"${A[*]}\"; b $A",
            "A=(x y); A=z; b $A",
            "A=(x y)\n# $A is the first\nb",
            "cat > a <<E\nA=(x y)\nb $A\nE\nc",
            "A=($(hosts)); b $A",
            "A=($X $Y); b $A",
            "f() { a; }; X=1; b $X",
        ] {
            assert_eq!(first_of_list(&own(text)), None, "{text}");
        }
    }
}
