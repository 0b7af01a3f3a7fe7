//! Files of the library as files of the disk, for editors that open no document whose text the server alone has.

use camino::{Utf8Path, Utf8PathBuf};
use etcetera::BaseStrategy;
use slipform_analysis::ide::library_text;
use std::fs;
use std::io::Write;

/// The folder that they lie in, within one that is for such things: the library of another version is another one.
const FOLDER: &str = concat!("slipform-", env!("CARGO_PKG_VERSION"));

/// The folder of what is rendered, to be looked at.
const RENDERED: &str = concat!("slipform-rendered-", env!("CARGO_PKG_VERSION"));

/// Where the user keeps what can be made anew.
pub(crate) fn usual() -> Option<Utf8PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Utf8PathBuf::from_path_buf(folders.cache_dir()).ok()
}

/// The copy of a file of the library in a folder. It is written where it does not lie there as it should, to be read alone.
pub(crate) fn copy(within: &Utf8Path, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let text = library_text(path)?;
    let copy = within.join(FOLDER).join(path);
    if fs::read(&copy).is_ok_and(|known| known == text.as_bytes()) {
        return Some(copy);
    }
    write(&copy, text).ok()?;
    Some(copy)
}

/// What is rendered to a path, as a file in a folder.
pub(crate) fn rendered(within: &Utf8Path, path: &str, text: &str) -> Option<Utf8PathBuf> {
    let copy = within.join(RENDERED).join(path);
    write(&copy, text).ok()?;
    Some(copy)
}

/// Puts a file in the place of what lies there: who reads it meanwhile has the one or the other.
fn write(copy: &Utf8Path, text: &str) -> std::io::Result<()> {
    let folder = copy.parent().unwrap_or(copy);
    fs::create_dir_all(folder)?;
    let new =
        folder.join(format!(".{}-{}", copy.file_name().unwrap_or_default(), std::process::id()));
    let mut file = fs::File::create(&new)?;
    file.write_all(text.as_bytes())?;
    let mut may = file.metadata()?.permissions();
    may.set_readonly(true);
    file.set_permissions(may)?;
    fs::rename(new, copy)
}

/// The file of the library that a file of the disk is a copy of.
pub(crate) fn original(file: &Utf8Path) -> Option<&Utf8Path> {
    let mut within = file.ancestors();
    let within = within.find(|it| it.file_name() == Some(FOLDER))?;
    let path = file.strip_prefix(within).ok()?;
    library_text(path).map(|_| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_known_by_its_place_and_mended() {
        let folder = std::env::temp_dir().join(format!("slipform-copies-{}", std::process::id()));
        let folder = Utf8PathBuf::from_path_buf(folder).unwrap();
        let path = Utf8Path::new("std/kinds/cluster.bp");
        let place = copy(&folder, path).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), library_text(path).unwrap());
        assert!(fs::metadata(&place).unwrap().permissions().readonly());
        assert_eq!(original(&place), Some(path));
        fs::remove_file(&place).unwrap();
        fs::write(&place, "of somebody else").unwrap();
        assert_eq!(copy(&folder, path), Some(place.clone()));
        assert_eq!(fs::read_to_string(&place).unwrap(), library_text(path).unwrap());
        assert_eq!(copy(&folder, Utf8Path::new("std/../../escape.bp")), None);
        assert_eq!(original(&folder.join("std/kinds/cluster.bp")), None);
        fs::remove_dir_all(folder).unwrap();
    }
}
