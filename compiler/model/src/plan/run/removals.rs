//! What commands take away of what a run has saved: folders that they remove, move elsewhere, or make like another one.

use super::lost::trains;
use super::questions::Question;
use super::shell::{End, Simple, base};
use super::started::{Around, inner_of};
use super::{Door, Program};

/// Something that a command takes away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removal {
    /// Where the command stands.
    pub door: Door,
    /// The command, as a person says it.
    pub line: String,
    /// The path, or the address in a bucket, as it is written.
    pub what: String,
    /// All that lies below it goes as well.
    pub deep: bool,
    /// What becomes of it.
    pub how: Fate,
    /// It stands behind the program that trains.
    pub behind: bool,
    /// Something in front of it brings there, or copies, what would be lost.
    pub copied: bool,
    /// What decides whether it is done.
    pub questions: Vec<Question>,
}

/// What becomes of what a command takes away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is gone.
    Removed,
    /// It is elsewhere.
    Moved(String),
    /// It is made like another folder: what that does not have is gone.
    Mirrored(String),
}

/// What the commands of a gang take away.
pub(in crate::plan) fn removals(program: &Program, around: &Around) -> Vec<Removal> {
    if !program.texts().any(|text| MARKS.iter().any(|mark| text.contains(mark))) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    let setup = program.setup.iter().enumerate().map(|(at, words)| (Door::Setup(at), words));
    let cleanup = program.cleanup.iter().enumerate().map(|(at, words)| (Door::Cleanup(at), words));
    let all = setup.chain([(Door::Launch, &program.command)]).chain(cleanup);
    for (door, words) in all {
        let words = words.iter().map(|word| around.known(word)).collect();
        let lines = inner_of(words, around);
        let trained = lines.iter().position(|it| trains(&it.words));
        let mut folder = Folder::default();
        for (at, line) in lines.iter().enumerate() {
            let shown = shown(line);
            folder.enter(line);
            let last = at.checked_sub(1).and_then(|at| lines.get(at));
            for (what, deep, how) in taken(line, last.filter(|it| it.end == End::Pipe)) {
                let what = folder.path(what);
                // what does not train has the whole of its door in front of the processes
                let behind = match door {
                    Door::Launch => trained.is_none_or(|trained| at > trained),
                    _ => false,
                };
                let copied = match &how {
                    Fate::Mirrored(from) => {
                        let from = from.trim_end_matches('/');
                        before.iter().any(|it| it.trim_end_matches('/').ends_with(from))
                    }
                    Fate::Removed | Fate::Moved(_) => {
                        before.iter().any(|it| copies(it) || behind && reads(it, &what))
                    }
                };
                let (line, questions) = (shown.clone(), line.questions.clone());
                found.push(Removal { door, line, what, deep, how, behind, copied, questions });
            }
            if trained != Some(at) {
                before.push(shown);
            }
        }
    }
    found
}

/// The folder that commands stand in, where they have entered one by its whole name.
#[derive(Default)]
struct Folder {
    entered: Option<String>,
    /// The shells in brackets around the command that entered it: it is theirs alone.
    brackets: Vec<usize>,
}

impl Folder {
    fn enter(&mut self, line: &Simple) {
        if !line.brackets.starts_with(&self.brackets) {
            *self = Self::default();
        }
        if matches!(line.words.first().and_then(|it| it.as_deref()), Some("cd" | "pushd" | "popd"))
        {
            let whole = line.words.get(1).cloned().flatten().filter(|it| it.starts_with('/'));
            *self = Self { entered: whole, brackets: line.brackets.clone() };
        }
    }

    /// The whole path of what a command takes away.
    fn path(&self, what: String) -> String {
        let is_whole = what.starts_with('/') || what.contains(':') || what.is_empty();
        match &self.entered {
            Some(folder) if !is_whole => {
                let own = what.trim_start_matches("./");
                format!("{}/{own}", folder.trim_end_matches('/'))
            }
            _ => what,
        }
    }
}

/// What stands in every text that takes something away.
const MARKS: [&str; 10] =
    ["rm", "find", "mv", "move", "sync", "delete", "purge", "latest", "truncate", "last_"];

/// Whether a command copies something elsewhere.
fn copies(line: &str) -> bool {
    let copiers =
        ["gsutil", "gcloud", "rclone", "aws", "s5cmd", "rsync", "scp", "cp", "tar", "mv", "azcopy"];
    line.split(' ').next().is_some_and(|it| copiers.contains(&it))
}

/// Whether a command is told of what is taken away, or of what lies in it: one of one's own may have brought it elsewhere.
fn reads(line: &str, what: &str) -> bool {
    let whole = what.split('*').next().unwrap_or_default().trim_end_matches('/');
    let folder =
        if what.contains('*') { whole.rsplit_once('/').map_or("", |it| it.0) } else { whole };
    folder.len() > 1 && line.contains(folder)
}

fn shown(line: &Simple) -> String {
    let words = line.words.iter().enumerate().map(|(at, word)| match word.as_deref() {
        Some(word) if at == 0 => base(word),
        Some(word) => word,
        None => "?",
    });
    words.collect::<Vec<_>>().join(" ")
}

type Gone = Vec<(String, bool, Fate)>;

/// What one command takes away, behind the one that it is given words by.
fn taken(line: &Simple, given: Option<&Simple>) -> Gone {
    let words: Vec<&str> = line.words.iter().map(|it| it.as_deref().unwrap_or_default()).collect();
    let Some((first, rest)) = words.split_first() else { return emptied(line) };
    let told = Told::of(rest);
    if told.only_shows(base(first)) {
        return Vec::new();
    }
    match base(first) {
        "rm" => told.removed(0, told.is_deep()),
        "truncate" => told.removed(0, false),
        "find" => found(rest),
        "mv" => told.moved(0),
        "rsync" if rest.iter().any(|it| it.starts_with("--del")) => told.mirrored(),
        "python" | "python3" => trees(rest),
        "xargs" => given.map(|it| piped(it, rest)).unwrap_or_default(),
        ":" | "true" | "echo" | "printf" => emptied(line),
        other => told.remote(other),
    }
}

/// What a command is told.
struct Told<'w> {
    rest: &'w [&'w str],
    /// Its words that are no options.
    plain: Vec<&'w str>,
}

impl<'w> Told<'w> {
    fn of(rest: &'w [&'w str]) -> Self {
        Self { rest, plain: rest.iter().copied().filter(|it| !it.starts_with('-')).collect() }
    }

    fn has(&self, option: &str) -> bool {
        self.rest.contains(&option)
    }

    fn letter(&self, letters: &[char]) -> bool {
        let is = |it: &&str| it.starts_with('-') && !it.starts_with("--") && it.contains(letters);
        self.rest.iter().any(is)
    }

    /// Whether it says what it would do, and does nothing.
    fn only_shows(&self, program: &str) -> bool {
        let dry = self.has("--dry-run") || self.has("--dryrun");
        dry || matches!(program, "rsync" | "gsutil" | "rclone") && self.letter(&['n'])
    }

    fn is_deep(&self) -> bool {
        self.letter(&['r', 'R']) || self.has("--recursive")
    }

    /// Its plain words behind so many.
    fn behind(&self, verbs: usize) -> &[&str] {
        self.plain.get(verbs..).unwrap_or_default()
    }

    fn removed(&self, verbs: usize, deep: bool) -> Gone {
        // all that lies below, whatever it is
        let gone = |it: &&str| ((*it).to_owned(), deep || it.ends_with("/**"), Fate::Removed);
        self.behind(verbs).iter().map(gone).collect()
    }

    fn moved(&self, verbs: usize) -> Gone {
        let Some((to, all)) = self.behind(verbs).split_last() else { return Vec::new() };
        all.iter().map(|it| ((*it).to_owned(), true, Fate::Moved((*to).to_owned()))).collect()
    }

    fn mirrored(&self) -> Gone {
        match self.plain.as_slice() {
            [.., from, to] => vec![((*to).to_owned(), true, Fate::Mirrored((*from).to_owned()))],
            _ => Vec::new(),
        }
    }

    /// What programs of clouds do.
    fn remote(&self, program: &str) -> Gone {
        let verb = |at: usize| self.plain.get(at).copied().unwrap_or_default();
        match (program, verb(0), verb(1)) {
            ("gsutil", "rm", _) => self.removed(1, self.is_deep()),
            ("gsutil", "mv", _) | ("rclone", "move" | "moveto", _) => self.moved(1),
            ("gsutil", "rsync", _) if self.letter(&['d']) => self.mirrored(),
            ("gcloud", "storage", "rm") => self.removed(2, self.is_deep()),
            ("aws", "s3", "rm") => self.removed(2, self.has("--recursive")),
            ("gcloud", "storage", "mv") | ("aws", "s3", "mv") => self.moved(2),
            ("gcloud", "storage", "rsync")
                if self.has("--delete-unmatched-destination-objects") =>
            {
                self.mirrored()
            }
            ("aws", "s3", "sync") | ("s5cmd", "sync", _) if self.has("--delete") => self.mirrored(),
            ("s5cmd", "rm", _) | ("rclone", "purge" | "delete", _) => self.removed(1, true),
            ("rclone", "sync", _) => self.mirrored(),
            _ => Vec::new(),
        }
    }
}

/// What `xargs rm` removes: what the command in front of it lists.
fn piped(lists: &Simple, words: &[&str]) -> Gone {
    let Some(removes) = words.iter().position(|it| base(it) == "rm") else { return Vec::new() };
    let removes = words.get(removes..).unwrap_or_default();
    let listed = lists.words.iter().map(|it| it.as_deref().unwrap_or_default());
    let listed: Vec<&str> = listed.collect();
    match listed.split_first() {
        Some((&"find", rest)) => found(&[rest, &["-exec"], removes, &[";"]].concat()),
        Some((&("ls" | "echo" | "printf"), rest)) => Told::of(rest).removed(0, true),
        _ => Vec::new(),
    }
}

/// Folders that a text for Python removes. What it asks there is not read.
fn trees(words: &[&str]) -> Gone {
    let path = |it: &str| {
        let quote = it.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
        it.get(1..)?.split(quote).next().map(|it| (it.to_owned(), true, Fate::Removed))
    };
    let sure = words.iter().filter(|it| !PYTHON_ASKS.iter().any(|asks| it.contains(asks)));
    sure.flat_map(|it| it.split("rmtree(").skip(1)).filter_map(path).collect()
}

/// Words by which Python does something on a condition.
const PYTHON_ASKS: [&str; 6] = ["if ", " and ", " or ", "for ", "while ", "def "];

/// Files that are written anew: `> /ckpt/latest`.
fn emptied(line: &Simple) -> Gone {
    line.written.iter().map(|it| (it.clone(), false, Fate::Removed)).collect()
}

/// What `find` removes: all that lies in its folders, or what is called so there. Whoever looks at anything else leaves something.
fn found(words: &[&str]) -> Gone {
    let is_root = |it: &&&str| !it.starts_with(['-', '(', '!']);
    let roots: Vec<&str> = words.iter().take_while(|it| is_root(it)).copied().collect();
    let mut rest = words.iter().skip(roots.len()).copied();
    let (mut name, mut removes, mut deep, mut shallow) = (None, false, false, false);
    while let Some(word) = rest.next() {
        match word {
            "-mindepth" => _ = rest.next(),
            "-maxdepth" => {
                rest.next();
                shallow = true;
            }
            "-type" => {
                if !matches!(rest.next(), Some("d" | "f" | "d,f" | "f,d")) {
                    return Vec::new();
                }
            }
            "-name" | "-iname" if name.is_none() => name = rest.next(),
            "-depth" | "-print" | "-xdev" | "-mount" | "-print0" => {}
            "-delete" => removes = true,
            "-exec" | "-execdir" => {
                removes |= rest.next().is_some_and(|it| base(it) == "rm");
                let told = rest.by_ref().take_while(|it| !matches!(*it, ";" | "+"));
                deep |= told.filter(|it| it.contains('r') && it.starts_with('-')).count() > 0;
            }
            _ => return Vec::new(),
        }
    }
    if !removes || name.is_none() && shallow && !deep {
        return Vec::new();
    }
    let below = |root: &&str| match name {
        Some(name) => (format!("{}/{name}", root.trim_end_matches('/')), false, Fate::Removed),
        None => ((*root).to_owned(), true, Fate::Removed),
    };
    roots.iter().map(below).collect()
}

impl Removal {
    /// Whether it takes away what is saved in a folder, or a file in it that says where to go on. Names are those of files and folders of checkpoints.
    pub(in crate::plan) fn takes(&self, folder: &str, names: &[String]) -> bool {
        let what = remote(&self.what);
        let saved = format!("{}/", folder.trim_end_matches('/'));
        let all = what.trim_end_matches(['*', '/']);
        let is_whole = what.ends_with("/*") || what.ends_with("/**") || !what.ends_with('*');
        let above = match is_whole {
            true => format!("{all}/"),
            false => all.to_owned(),
        };
        if self.deep && above.len() > 1 && saved.starts_with(&above) {
            return true;
        }
        let inside = what.strip_prefix(&saved).map(|it| it.trim_end_matches('/'));
        inside.is_some_and(|it| names.iter().any(|name| name == it))
    }
}

/// `gcs:bucket/path` of rclone as an address.
fn remote(path: &str) -> String {
    let remote = path
        .split_once(':')
        .filter(|(name, rest)| !rest.starts_with("//") && !name.is_empty() && !name.contains('/'));
    match remote {
        Some((_, rest)) => format!("gs://{rest}"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let all = commands(text);
        let shown = |(what, deep, how): (String, bool, Fate)| {
            let how = match how {
                Fate::Removed => String::new(),
                Fate::Moved(to) => format!(" > {to}"),
                Fate::Mirrored(from) => format!(" < {from}"),
            };
            format!("{what}{}{how}", if deep { " all" } else { "" })
        };
        let last = |at: usize| at.checked_sub(1).and_then(|at| all.get(at));
        let taken = |(at, line)| taken(line, last(at).filter(|it| it.end == End::Pipe));
        all.iter().enumerate().flat_map(taken).map(shown).collect()
    }

    #[test]
    fn what_commands_take_away_is_known_by_their_words() {
        for (text, what) in [
            ("rm -rf /a /b/*", "/a all, /b/* all"),
            ("rm -f /a/latest", "/a/latest"),
            ("find /a -mindepth 1 -delete", "/a all"),
            ("find /a -mindepth 1 -maxdepth 1 -exec rm -rf {} +", "/a all"),
            ("find /a -type d -name 'checkpoint-*' -exec rm -rf {} \\;", "/a/checkpoint-*"),
            ("mv /a /b", "/a all > /b"),
            ("gsutil -m rsync -r -d /s gs://b/a", "gs://b/a all < /s"),
            (
                "gcloud storage rsync -r --delete-unmatched-destination-objects /s gs://b/a",
                "gs://b/a all < /s",
            ),
            ("gcloud storage rm --recursive gs://b/a", "gs://b/a all"),
            ("rclone sync /s gcs:b/a", "gcs:b/a all < /s"),
            ("rsync -a --delete /s/ /a/", "/a/ all < /s/"),
            ("aws s3 rm --recursive s3://b/a", "s3://b/a all"),
            ("python -c \"import shutil; shutil.rmtree('/a')\"", "/a all"),
            (": > /a/latest", "/a/latest"),
            ("gsutil -m rm 'gs://b/a/**'", "gs://b/a/** all"),
            ("ls -d /a/* | xargs rm -rf", "/a/* all"),
            ("find /a -type f -print0 | xargs -0 rm -f", "/a all"),
            ("find /a -name '*.tmp' -mtime +3 | xargs rm", ""),
            ("ls -td /a/* | tail -n +4 | xargs rm -rf", ""),
            ("ls -d /a/* | xargs -n 1 basename", ""),
            ("python -c \"import os, shutil; os.environ['A'] == '0' and shutil.rmtree('/a')\"", ""),
            ("find /a -name '*.tmp' -mtime +3 -delete", ""),
            ("find /a -maxdepth 1 -type f -delete", ""),
            ("gsutil -m rsync -r /s gs://b/a", ""),
            ("gsutil rsync -n -d /s gs://b/a", ""),
            ("rsync -avn --delete /s/ /a/", ""),
            ("rclone sync --dry-run /s gcs:b/a", ""),
            ("rsync -a /s/ /a/", ""),
        ] {
            assert_eq!(of(text).join(", "), what, "{text}");
        }
    }

    #[test]
    fn a_folder_is_taken_with_what_lies_above_it_and_with_its_checkpoints() {
        let takes = |what: &str, deep: bool| {
            let (line, what, how) = (String::new(), what.to_owned(), Fate::Removed);
            let door = Door::Launch;
            let questions = Vec::new();
            Removal { door, line, what, deep, how, behind: false, copied: false, questions }
                .takes("/ckpt/run1", &["checkpoint-*".to_owned(), "latest".to_owned()])
        };
        for what in ["/ckpt", "/ckpt/run1/", "/ckpt/run1/*", "/ckpt/*", "/ckpt/run*"] {
            assert!(takes(what, true), "{what}");
        }
        for what in ["/ckpt/run1/tmp", "/ckpt/run2", "/ckpt/run", "/", "/ckpt/run2*"] {
            assert!(!takes(what, true), "{what}");
        }
        assert!(takes("/ckpt/run1/checkpoint-*", true) && takes("/ckpt/run1/latest", false));
        assert!(!takes("/ckpt/run1/log", false) && !takes("/ckpt/run1", false));
    }
}
