//! Replaces one file at once: a reader sees the old text or the new one, never a half.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes `text` beside `path` and renames it over `path`. The permissions of a file that is replaced stay; a symbolic
/// link stays one, and what it leads to is replaced.
///
/// # Errors
/// Whatever the system says; then `path` is as it was and nothing is left beside it.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = &fs::canonicalize(path)?;
    let metadata = fs::metadata(path)?;
    if metadata.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    over(path, text, Some(metadata.permissions()))
}

/// Writes a file that may be there already, in a folder that is.
///
/// # Errors
/// Whatever the system says; then `path` is as it was and nothing is left beside it.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    over(path, text, None)
}

fn over(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.slipform-{}", std::process::id()));
    // what a process that was killed left there, or a link that leads elsewhere, is not written to
    let _ = fs::remove_file(&beside);
    let written = fs::File::create_new(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .and_then(|()| permissions.map_or(Ok(()), |it| fs::set_permissions(&beside, it)))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
