//! What stands beside the program that trains, in front of it or behind it, and keeps it from starting or is never reached.

use super::super::lost::trains;
use super::super::shell::{End, LAUNCHERS, NEW_EACH_TIME, Simple, base, is_one_of, word};
use super::super::started::{Script, is_variable};
use super::{Door, Mistake, Reader, joined};
use crate::catalog::{Meaning, OptionTable};
use crate::plan::Place;

/// Programs that ask whether somebody listens.
const KNOCKS: [&str; 4] = ["nc", "netcat", "ncat", "telnet"];

impl Reader<'_> {
    /// All of it, in the text of a launch.
    pub(super) fn beside(&mut self, script: &Script, text: &str, lines: &[Simple]) {
        self.behind_exec(text, lines);
        self.of_host(script, lines);
        self.joined(lines);
        self.waits_for_itself(text, lines);
        self.quoted(lines);
    }

    /// `exec torchrun train.py && cp ...`: the shell is gone.
    pub(super) fn behind_exec(&mut self, text: &str, lines: &[Simple]) {
        // a shell in brackets is another one
        let open = |text: &str| text.matches('(').count() > text.matches(')').count();
        if text.match_indices("exec ").any(|(at, _)| text.get(..at).is_some_and(open)) {
            return;
        }
        let goes = |it: &Simple| {
            it.execs && !it.is_conditional() && matches!(it.end, End::And | End::Next)
        };
        let Some(at) = lines.iter().position(goes) else { return };
        let (before, behind) = lines.split_at_checked(at).unwrap_or_default();
        let Some((own, behind)) = behind.split_first() else { return };
        let program = format!("exec {}", base(word(own, 0)));
        let says = |it: &Simple| {
            let first = base(word(it, 0));
            matches!(first, "" | "echo" | "printf" | "exit" | "true" | ":" | "}" | "fi" | "wait")
        };
        if let Some(next) = behind.iter().find(|it| !says(it)) {
            return self.put_beside(Mistake::Replaced, base(word(next, 0)), &program);
        }
        let at_exit = |it: &&Simple| {
            word(it, 0) == "trap" && it.words.iter().flatten().any(|it| it == "EXIT" || it == "0")
        };
        if before.iter().any(|it| at_exit(&it) && !it.is_conditional()) {
            self.put_beside(Mistake::Replaced, "trap ... EXIT", &program);
        }
    }

    /// `sysctl -w ...` in a container, where it fails and the text with it.
    fn of_host(&mut self, script: &Script, lines: &[Simple]) {
        let on_gke = self.program.is_none_or(|it| matches!(it.place.value, Place::Pool(_)));
        if self.beside.image.is_none() || self.beside.privileged || !on_gke {
            return;
        }
        let known = self.catalog.names("commands.of_hosts");
        let mut strict = script.strict;
        for line in lines {
            let sets = word(line, 0) == "set";
            let letter = |it: &String| {
                it.starts_with('-') && !it.starts_with("--") && it.contains('e') || it == "errexit"
            };
            strict |= sets && line.words.iter().flatten().any(letter);
            strict &= !(sets && line.words.iter().flatten().any(|it| it == "+e"));
            let ends = line.end == End::And || strict && line.end == End::Next;
            let shows = |it: &String| matches!(it.as_str(), "--version" | "--help" | "-V");
            let told = line.words.len() > 1 && !line.words.iter().flatten().any(shows);
            if ends && told && !line.is_conditional() && known.iter().any(|it| is_such(line, it)) {
                return self.put(Mistake::OfHost, joined(&line.words));
            }
        }
    }

    /// `export NAME=VALUE torchrun train.py`, and `cd /workspace torchrun train.py`.
    pub(super) fn joined(&mut self, lines: &[Simple]) {
        for line in lines {
            let first = base(word(line, 0));
            let behind = match first {
                "cd" | "pushd" | "sleep" | "ulimit" | "unset" => {
                    // a folder may be called as a program is
                    let words = line.words.iter().skip(2).flatten();
                    words.map(String::as_str).find(|it| LAUNCHERS.contains(it))
                }
                _ => line.joined.as_deref(),
            };
            if let Some(program) = behind {
                let first = if first.is_empty() { "export" } else { first };
                let (program, first) = (program.to_owned(), first.to_owned());
                return self.put_beside(Mistake::Joined, program, &first);
            }
        }
    }

    /// `until nc -z $MASTER_ADDR 29500; do sleep 1; done; torchrun ...` on each node, the first among them.
    fn waits_for_itself(&mut self, text: &str, lines: &[Simple]) {
        let heads = ["until ", "while ! "];
        let Some((before, rest)) = heads.iter().find_map(|head| text.split_once(head)) else {
            return;
        };
        // on a line of its own as well
        let Some((asked, behind)) =
            rest.split_once(" do ").filter(|_| !before.trim_end().ends_with('('))
        else {
            return;
        };
        let asked = asked.trim_end_matches(';');
        let knocks = ["nc ", "netcat ", "ncat ", "/dev/tcp/", "telnet "];
        let knocked = knocks.iter().any(|it| asked.contains(it));
        let first = asked.contains("MASTER_ADDR") || asked.contains("MASTER_PORT");
        // who asks which node it is on, or has started something, waits for another one
        let ranks = self.catalog.names("commands.ranks");
        let other = ["if ", "case ", "[ ", "[[ ", "test ", " & ", "timeout ", "() {"];
        let asks = |it: &str| {
            other.iter().any(|word| it.contains(word))
                || ranks.iter().any(|rank| it.contains(&**rank))
        };
        let aside = |it: &Simple| {
            it.background && it.words.first().is_some_and(|it| is_one_of(it, &KNOCKS))
        };
        let trained = lines.iter().any(|it| trains(&it.words)) && !lines.iter().any(aside);
        let later = behind.split_once("done").map_or("", |(_, later)| later);
        let starts = ["torchrun ", "distributed.run ", "accelerate ", "python"];
        if knocked
            && first
            && trained
            && !asks(before)
            && !asks(asked)
            && starts.iter().any(|it| later.contains(it))
        {
            self.put(Mistake::WaitsForItself, asked.trim());
        }
    }

    /// `--node-rank='$NODE_RANK'`: what stands between single quotes is put in by nobody.
    fn quoted(&mut self, lines: &[Simple]) {
        let is = |word: &&String| {
            let name = word.rsplit('$').next().unwrap_or_default();
            let name = name.trim_matches(['{', '}']);
            is_variable(word) && !NEW_EACH_TIME.contains(&name)
        };
        let trained = lines.iter().filter(|it| trains(&it.words));
        let found = trained.flat_map(|it| it.words.iter().skip(1).flatten()).find(is);
        if let Some(word) = found.cloned() {
            self.put_beside(Mistake::Unexpanded, word, "quotes");
        }
    }

    /// What a launcher is given as its script, where that is an interpreter.
    pub(super) fn interpreter(&mut self, launcher: &str, told: &[&str]) {
        if !matches!(launcher, "torchrun" | "accelerate" | "deepspeed") || self.door != Door::Launch
        {
            return;
        }
        let bare = ["--no-python", "--no_python", "--module", "-m"];
        let own = told.iter().take_while(|it| !it.ends_with(".py") && !it.ends_with(".sh"));
        let own: Vec<&&str> = own.collect();
        let starts = |it: &&&str| matches!(**it, "python" | "python3" | "bash" | "sh");
        let program = own.iter().copied().find(starts);
        let script = told.get(own.len()).copied();
        // the value of an option may be called so
        let flags = |table: &OptionTable| {
            let all =
                [Meaning::Flag, Meaning::Alone].into_iter().filter_map(|it| table.told.get(&it));
            all.flatten().cloned().collect::<Vec<String>>()
        };
        let flags = self.catalog.row::<OptionTable>(launcher).map(flags).unwrap_or_default();
        let before = own.len().checked_sub(2).and_then(|at| own.get(at));
        let is_value = before.is_some_and(|it| {
            it.starts_with('-') && !it.contains('=') && !flags.contains(&it.replace('_', "-"))
        });
        let last = own.last().is_some_and(|it| starts(it) || **it == "-u");
        let Some(script) = script.filter(|_| !is_value) else { return };
        let word = match program {
            Some(program) => Some(*program).filter(|_| last),
            // `--config` and its like are told files as well
            None => Some(script).filter(|it| it.ends_with(".sh") && stands_free(&own, &flags)),
        };
        if let Some(word) = word.filter(|_| !own.iter().any(|it| bare.contains(*it))) {
            let takes = format!("`{launcher}` starts Python itself, and takes a script of it");
            self.put_beside(Mistake::NoWord, word, &takes);
        }
    }
}

/// Whether what stands behind these options is the value of none of them.
fn stands_free(own: &[&&str], flags: &[String]) -> bool {
    own.last().is_none_or(|it| {
        !it.starts_with('-') || it.contains('=') || flags.contains(&it.replace('_', "-"))
    })
}

/// Whether a command is one of a table: its program, and words that stand in it (`sysctl -w`).
pub(super) fn is_such(line: &Simple, row: &str) -> bool {
    let mut words = row.split(' ');
    let is_program = words.next() == Some(base(word(line, 0)));
    let has = |own: &str| {
        line.words.iter().skip(1).flatten().any(|it| {
            // the value of a letter may be written to it
            it == own || own.starts_with("--") && it.starts_with(&format!("{own}="))
        })
    };
    is_program && words.all(has)
}
