//! Projects in the folders that the editor has open: what is wrong in them is told before any of their files is opened.

use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::PROJECT_FILE;
use std::collections::BTreeSet;

/// Folders that are looked into, so that whoever opens a whole disk need not wait for it.
const MOST_FOLDERS: usize = 5000;

/// Folders of which nobody writes what lies in them.
const MADE: [&str; 5] = ["node_modules", "target", "out", "venv", "__pycache__"];

/// The folders with a project file, at the top or below it. Links are not followed.
pub(crate) fn projects(folders: &[Utf8PathBuf]) -> BTreeSet<Utf8PathBuf> {
    let mut found = BTreeSet::new();
    let mut waiting: Vec<Utf8PathBuf> = folders.iter().rev().cloned().collect();
    let mut looked = 0;
    while let Some(folder) = waiting.pop().filter(|_| looked < MOST_FOLDERS) {
        looked += 1;
        if folder.join(PROJECT_FILE).is_file() {
            found.insert(folder.clone());
        }
        waiting.extend(inside(&folder));
    }
    found
}

fn inside(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = folder.read_dir_utf8() else { return Vec::new() };
    let folders = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let written = !name.starts_with('.') && !MADE.contains(&name);
        written && entry.file_type().is_ok_and(|it| it.is_dir())
    });
    folders.map(|entry| entry.path().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_found_where_people_write_them() {
        let top = Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let top = top.join(format!("slipform-workspace-{}", std::process::id()));
        for folder in ["", "infra/prod", "infra/prod/out/default", ".git/x", "web/node_modules/x"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
            std::fs::write(top.join(folder).join(PROJECT_FILE), "").unwrap();
        }
        let found = projects(&[top.clone(), top.join("nowhere")]);
        assert_eq!(found, BTreeSet::from([top.clone(), top.join("infra/prod")]));
        std::fs::remove_dir_all(top).unwrap();
    }
}
