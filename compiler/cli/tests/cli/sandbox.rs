//! A folder that a test has for itself, and `slipform` run in it.

use slipform::{Console, ExitStatus};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A blueprint that is clean and small; `keep` may be set.
pub(crate) const BUCKET: &str = r#"param project: ProjectId = "my-project"
param keep: Duration = 30d where keep >= 1d

bucket data {
  location     = "us-east4"
  delete_after = keep
}
"#;

/// A temporary folder, removed when it goes.
pub(crate) struct Sandbox {
    root: PathBuf,
}

/// What a command said, and how it ended.
pub(crate) struct Outcome {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

impl Sandbox {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("slipform-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let sandbox = Self { root };
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// A folder with [`BUCKET`] as `train.bp`.
    pub(crate) fn with_bucket() -> Self {
        Self::new(&[("train.bp", BUCKET)])
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Every file with its bytes, and every folder and link, by path.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        walk(&self.root, &self.root, &mut found);
        found
    }

    /// Runs a command line in the folder.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.run_in(".", args)
    }

    /// Runs a command line in a folder inside.
    pub(crate) fn run_in(&self, folder: &str, args: &[&str]) -> Outcome {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, &mut err);
        let words = ["slipform"].iter().chain(args).map(Into::into);
        let status = slipform::run(words, &mut console, &self.root.join(folder));
        console.flush().unwrap();
        Outcome {
            status,
            out: String::from_utf8(out).unwrap(),
            err: String::from_utf8(err).unwrap(),
        }
    }

    /// Runs a command line that must end in a status, say a word on stderr, and change nothing on disk.
    pub(crate) fn refuses(&self, args: &[&str], status: ExitStatus, said: &str) {
        let before = self.tree();
        let outcome = self.run(args);
        assert_eq!(outcome.status, status, "{args:?}\n{}", outcome.err);
        assert!(outcome.err.contains(said), "{args:?} should say {said:?}:\n{}", outcome.err);
        assert!(self.tree() == before, "{args:?} changed something on disk");
    }

    /// Runs a command line that must fail, say a word on stdout, and change nothing on disk.
    pub(crate) fn refuses_in_out(&self, args: &[&str], said: &str) {
        let before = self.tree();
        let outcome = self.run(args).expect(ExitStatus::Errors);
        assert!(outcome.out.contains(said), "{args:?} should say {said:?}:\n{}", outcome.out);
        assert!(self.tree() == before, "{args:?} changed something on disk");
    }
}

impl Outcome {
    /// The outcome, if it is what was to come.
    pub(crate) fn expect(self, status: ExitStatus) -> Self {
        assert_eq!(self.status, status, "\n{}{}", self.out, self.err);
        self
    }
}

fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            found.insert(format!("{name}/"), Vec::new());
            walk(root, &path, found);
        } else if metadata.is_symlink() {
            found.insert(
                format!("{name}@"),
                fs::read_link(&path).unwrap().to_string_lossy().into_owned().into_bytes(),
            );
        } else {
            found.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
}
