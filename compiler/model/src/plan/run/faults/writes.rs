//! Commands that write to mounts which can only be read.

use super::super::MountPlan;
use super::super::shell::{End, Simple, word};
use super::{Mistake, Reader};

impl Reader<'_> {
    /// Where one command writes.
    pub(super) fn writes(&mut self, line: &Simple, name: &str) {
        let Some(program) = self.program else { return };
        // who goes on without it has thought of it
        let tries = name == "touch" && line.end == End::And
            || self.asks && ["mkdir", "touch"].contains(&name);
        if line.end == End::Or || tries || program.mounts.iter().all(|mount| !mount.reads_alone()) {
            return;
        }
        let redirected = line.written.iter().map(String::as_str);
        let all: Vec<&str> = written(line, name).into_iter().chain(redirected).collect();
        let found = all.into_iter().find(|path| {
            let mount = program.holder(path).map(|(_, mount)| mount).filter(|it| it.reads_alone());
            let is_root = |it: &MountPlan| plain(&it.path.value) == plain(path);
            mount.is_some_and(|it| name != "mkdir" || !is_root(it))
        });
        if let Some(path) = found.map(str::to_owned) {
            self.put_beside(Mistake::ReadOnly, path, name);
        }
    }
}

fn plain(path: &str) -> &str {
    path.trim_end_matches('/')
}

/// The paths that a command writes to, by what is known of its words.
pub(super) fn written<'l>(line: &'l Simple, name: &str) -> Vec<&'l str> {
    let words: Vec<&str> =
        line.words.iter().skip(1).map(|it| it.as_deref().unwrap_or_default()).collect();
    // what these are told is nowhere that is written to
    let valued = ["--exclude", "--include", "--filter", "-e", "--rsh", "-r", "--reference"];
    let told = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        before.is_some_and(|it| valued.contains(it) && (*it != "-r" || name == "touch"))
    };
    let plain = words.iter().copied().enumerate();
    let plain = plain.filter(|(at, it)| !it.starts_with('-') && !told(*at));
    let plain: Vec<&str> = plain.map(|(_, it)| it).collect();
    let paths = || plain.iter().copied().filter(|it| it.starts_with('/')).collect();
    let last = |least: usize| {
        let last = plain.last().copied().filter(|it| plain.len() > least && it.starts_with('/'));
        last.into_iter().collect::<Vec<_>>()
    };
    let behind = |options: &[&str]| {
        let at = words.iter().position(|it| options.contains(it));
        let own = at.and_then(|at| words.get(at + 1).copied());
        let joined = words.iter().find_map(|it| {
            it.split_once('=')
                .filter(|(option, _)| options.contains(option))
                .map(|(_, value)| value)
        });
        own.or(joined).filter(|it| it.starts_with('/')).into_iter().collect::<Vec<_>>()
    };
    let copies = |verbs: &[&str]| plain.iter().any(|it| verbs.contains(it));
    match name {
        // what is there already is nothing to it
        "mkdir" if words.iter().any(|it| matches!(*it, "-p" | "--parents" | "-pv")) => Vec::new(),
        "mkdir" | "touch" | "chmod" | "chown" | "tee" | "truncate" => paths(),
        "cp" | "mv" | "ln" if words.iter().any(|it| *it == "-t" || it.starts_with("--target")) => {
            behind(&["-t", "--target-directory"])
        }
        "cp" | "mv" | "rsync" | "ln" => last(1),
        "gsutil" | "s5cmd" | "rclone" if copies(&["cp", "rsync", "mv", "copy", "sync"]) => last(2),
        "gcloud" | "aws" if copies(&["cp", "rsync", "mv", "sync"]) => last(2),
        "wget" => behind(&["-P", "-O", "--directory-prefix", "--output-document"]),
        "curl" => behind(&["-o", "--output"]),
        "tar" if word(line, 1).contains('x') || words.contains(&"--extract") => {
            behind(&["-C", "--directory"])
        }
        "tar" if word(line, 1).contains('c') && word(line, 1).ends_with('f') => {
            words.get(1).copied().filter(|it| it.starts_with('/')).into_iter().collect()
        }
        "unzip" => behind(&["-d"]),
        "git" if word(line, 1) == "clone" => last(2),
        "huggingface-cli" | "hf" if copies(&["download"]) => {
            behind(&["--local-dir", "--cache-dir"])
        }
        _ => Vec::new(),
    }
}
