//! Writes changes: all of them, or none.
//!
//! First every new file is written into a staging folder inside the output folder, so that a full disk or a missing right
//! shows before anything is touched. Then each is renamed into place, the manifest last. What is replaced or removed is
//! kept in the staging folder until all is done, and put back if something fails.

use super::{Change, Changes, File, STAGING};
use crate::manifest::{MANIFEST, Manifest};
use crate::stop::Stop;
use crate::world::said;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

slipform_source::codes! {
    pub(crate) CODES;
    OUTPUT_BUSY = "output/busy":
        "another build is writing to the same output folder",
        "wait for it to end";
    OUTPUT_UNWRITABLE = "output/unwritable":
        "the system refused to write; everything is as it was",
        "check permissions and space";
}

impl Changes {
    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_manifest_only() && self.manifest.is_none()
    }

    /// Whether nothing changes but the manifest, if that does.
    pub(crate) fn is_manifest_only(&self) -> bool {
        self.files.is_empty() && self.moved.is_empty() && self.dropped.is_empty()
    }

    /// Writes everything.
    ///
    /// # Errors
    /// What the system refused; the folder is then as it was.
    pub(crate) fn apply(&self) -> Result<(), Stop> {
        if self.is_empty() && !self.folder.at.join(STAGING).exists() {
            return Ok(());
        }
        let mut commit = Commit { root: &self.folder.at, undo: Vec::new(), lock: None };
        match commit.run(self) {
            Ok(()) => {
                commit.finish();
                self.remove_empty_folders();
                Ok(())
            }
            Err(failure) => {
                commit.roll_back();
                let path = self.folder.shown.join(&failure.path);
                let path =
                    if failure.path.as_str().is_empty() { &self.folder.shown } else { &path };
                Err(match failure.error.kind() {
                    io::ErrorKind::WouldBlock => Stop::new(
                        OUTPUT_BUSY,
                        format!("another build is writing to `{}`", self.folder.shown),
                    ),
                    _ => Stop::new(
                        OUTPUT_UNWRITABLE,
                        format!("`{path}` cannot be written: {}", said(&failure.error)),
                    )
                    .help("the folder is as it was"),
                })
            }
        }
    }

    /// Folders that held nothing but what is gone.
    fn remove_empty_folders(&self) {
        let removed = self.files.iter().filter(|(_, change)| **change == Change::Remove);
        let removed = removed.map(|(path, _)| path).rev();
        for path in removed.chain(self.moved.keys().rev()).chain(self.dropped.iter().rev()) {
            for parent in path.ancestors().skip(1).filter(|parent| !parent.as_str().is_empty()) {
                if fs::remove_dir(self.folder.at.join(parent)).is_err() {
                    break;
                }
            }
        }
    }
}

/// The manifest of a build while it renames files into place.
const STAGED: &str = "manifest.new";
/// What those of builds that were cut short are called, with a number.
const CUT: &str = "manifest.cut-";

/// Whether a file of the staging folder tells what a build meant to write.
pub(super) fn is_manifest(name: &str) -> bool {
    name == STAGED || name.starts_with(CUT)
}

struct Failure {
    path: Utf8PathBuf,
    error: io::Error,
}

/// How to take back one step.
enum Undo {
    RemoveFolder(PathBuf),
    RemoveFile(PathBuf),
    Restore { kept: PathBuf, at: PathBuf },
}

struct Commit<'a> {
    root: &'a Path,
    undo: Vec<Undo>,
    /// Held while the staging folder is in use.
    lock: Option<fs::File>,
}

impl Commit<'_> {
    fn run(&mut self, changes: &Changes) -> Result<(), Failure> {
        let here = |error| Failure { path: Utf8PathBuf::new(), error };
        self.make_folders(self.root).map_err(here)?;
        self.stage().map_err(here)?;
        // what was compared without the lock may be another build's by now
        let unchanged = changes.before.as_ref().map(Manifest::text);
        let now = changes.folder.last().map(|manifest| manifest.text());
        if now != unchanged {
            return Err(here(io::ErrorKind::WouldBlock.into()));
        }
        let mut staged = Vec::new();
        for (number, (path, change)) in changes.files.iter().enumerate() {
            let Some(file) =
                changes.written.get(path.as_str()).filter(|_| *change != Change::Remove)
            else {
                continue;
            };
            let new = self.staging().join(format!("{number}.new"));
            write(&new, file).map_err(|error| Failure { path: path.clone(), error })?;
            staged.push((path, new));
        }
        let manifest = self.staging().join(STAGED);
        if let Some(text) = &changes.manifest {
            fs::write(&manifest, text).map_err(|error| Failure { path: MANIFEST.into(), error })?;
        }
        for (from, to) in &changes.moved {
            self.relocate(from, to).map_err(|error| Failure { path: from.clone(), error })?;
        }
        for (number, path) in changes.dropped.iter().enumerate() {
            self.remove(path, &format!("{number}.dropped"))
                .map_err(|error| Failure { path: path.clone(), error })?;
        }
        for (number, (path, _)) in
            changes.files.iter().filter(|(_, change)| **change == Change::Remove).enumerate()
        {
            self.remove(path, &format!("{number}.removed"))
                .map_err(|error| Failure { path: path.clone(), error })?;
        }
        for (number, (path, new)) in staged.into_iter().enumerate() {
            self.place(&new, path, number)
                .map_err(|error| Failure { path: path.clone(), error })?;
        }
        if changes.manifest.is_some() {
            let path = Utf8Path::new(MANIFEST);
            self.place(&manifest, path, usize::MAX)
                .map_err(|error| Failure { path: path.to_owned(), error })?;
        }
        Ok(())
    }

    fn staging(&self) -> PathBuf {
        self.root.join(STAGING)
    }

    /// Makes the staging folder, or takes over what a build that was cut short left.
    fn stage(&mut self) -> io::Result<()> {
        let staging = self.staging();
        if fs::symlink_metadata(&staging).is_ok_and(|found| !found.is_dir()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        fs::create_dir_all(&staging)?;
        let lock = self.lock_file()?;
        // Some file systems know no locks; there the builds of one folder are not told apart.
        if let Err(fs::TryLockError::WouldBlock) = lock.try_lock() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut cut = 0_usize;
        for entry in fs::read_dir(&staging)?.flatten().filter(|entry| entry.file_name() != "lock") {
            // what a build that was cut short meant to write tells its files from those of others, until one is through
            if is_manifest(&entry.file_name().to_string_lossy()) {
                if entry.file_name() == STAGED {
                    while staging.join(format!("{CUT}{cut}")).exists() {
                        cut += 1;
                    }
                    fs::rename(entry.path(), staging.join(format!("{CUT}{cut}")))?;
                }
                continue;
            }
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
        self.lock = Some(lock);
        Ok(())
    }

    /// The file that is locked. A link there would lead elsewhere, and a pipe would wait for whoever writes to it.
    fn lock_file(&self) -> io::Result<fs::File> {
        let path = self.staging().join("lock");
        if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("its lock is not a file"));
        }
        fs::OpenOptions::new().create(true).write(true).truncate(false).open(path)
    }

    /// Makes a folder and those above it, each a step of its own.
    fn make_folders(&mut self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|it| !it.as_os_str().is_empty() && !it.exists())
            .collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder)?;
            self.undo.push(Undo::RemoveFolder(folder.to_owned()));
        }
        Ok(())
    }

    fn relocate(&mut self, from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
        let (at, kept) = (self.root.join(from), self.root.join(to));
        if let Some(parent) = kept.parent() {
            self.make_folders(parent)?;
        }
        fs::rename(&at, &kept)?;
        self.undo.push(Undo::Restore { kept, at });
        Ok(())
    }

    /// Takes a file or a folder away, into the staging folder.
    fn remove(&mut self, path: &Utf8Path, name: &str) -> io::Result<()> {
        let at = self.root.join(path);
        let kept = self.staging().join(name);
        fs::rename(&at, &kept)?;
        self.undo.push(Undo::Restore { kept, at });
        Ok(())
    }

    /// Renames a staged file into place; what stood there is kept.
    fn place(&mut self, new: &Path, path: &Utf8Path, number: usize) -> io::Result<()> {
        let at = self.root.join(path);
        if let Some(parent) = at.parent() {
            self.make_folders(parent)?;
        }
        if fs::symlink_metadata(&at).is_err() {
            fs::rename(new, &at)?;
            self.undo.push(Undo::RemoveFile(at));
            return Ok(());
        }
        let kept = self.staging().join(format!("{number}.old"));
        // The old file stays in place until the new one replaces it at once.
        if fs::hard_link(&at, &kept).is_err() {
            fs::copy(&at, &kept)?;
        }
        self.undo.push(Undo::Restore { kept, at: at.clone() });
        fs::rename(new, &at)
    }

    fn finish(self) {
        let _ = fs::remove_dir_all(self.staging());
    }

    fn roll_back(mut self) {
        let mut folders = Vec::new();
        for step in std::mem::take(&mut self.undo).into_iter().rev() {
            let _ = match step {
                // The one around the staging folder goes last.
                Undo::RemoveFolder(folder) => {
                    if fs::remove_dir(&folder).is_err() {
                        folders.push(folder);
                    }
                    Ok(())
                }
                Undo::RemoveFile(file) => fs::remove_file(file),
                Undo::Restore { kept, at } => fs::rename(kept, at),
            };
        }
        // Without the lock the staging folder belongs to another build, and what was half done before still is.
        let staging = self.staging();
        let cut = staging.join(format!("{CUT}0")).exists();
        let _ = match self.lock.is_some() {
            true if cut => fs::remove_file(staging.join(STAGED)),
            true => fs::remove_dir_all(staging),
            false => Ok(()),
        };
        for folder in folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn write(path: &Path, file: &File) -> io::Result<()> {
    fs::write(path, &file.content)?;
    if file.executable { make_executable(path) } else { Ok(()) }
}

/// Who may read it may run it.
#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
