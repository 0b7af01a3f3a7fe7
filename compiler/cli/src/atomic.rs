//! Replaces one file at once: a reader sees the old text or the new one, never a half.

use std::fs;
use std::io;
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
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.slipform-{}", std::process::id()));
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, metadata.permissions()))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}
