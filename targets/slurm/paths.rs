//! Paths as a job spells them: those from the folder of its submission on, and what Slurm's patterns stand for in them.

use crate::launch::{Piece, Word};

/// What a pattern stands for in a script; Slurm itself knows it in names of logs alone.
fn known(pattern: char) -> Option<&'static str> {
    Some(match pattern {
        'u' => "\"$(id -un)\"",
        'j' => "\"$SLURM_JOB_ID\"",
        'x' => "\"$SLURM_JOB_NAME\"",
        'A' => "\"${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}\"",
        'a' => "\"${SLURM_ARRAY_TASK_ID:-0}\"",
        _ => return None,
    })
}

/// A path as the script of a job spells it.
pub(super) fn in_job(path: &str) -> Word {
    let mut pieces = Vec::new();
    let rest = match path.strip_prefix('.') {
        // `.`, `./data`, `../data`
        Some(below) if below.is_empty() || below.starts_with(['.', '/']) => {
            pieces.push(Piece::Shell("\"$SLURM_SUBMIT_DIR\"".to_owned()));
            if below.starts_with('.') { format!("/.{below}") } else { below.to_owned() }
        }
        _ => path.to_owned(),
    };
    patterns(&rest, &mut pieces);
    Word(pieces)
}

fn patterns(text: &str, pieces: &mut Vec<Piece>) {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        match after.chars().next().and_then(known) {
            Some(spelled) => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Shell(spelled.to_owned()));
                rest = after.get(1..).unwrap_or_default();
            }
            None => {
                plain.push('%');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
}

/// Folders of a log that are there before the job starts, as the script that submits it spells them: `%x` and `%u` are all that
/// stands in them. Nothing for a log in the folder of the submission, and for other patterns, which a patch may have.
pub(super) fn log_folder(path: &str, job: &str) -> Option<Word> {
    let (folder, _) = path.rsplit_once('/')?;
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = folder;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        let pattern = after.trim_start_matches(|c: char| c.is_ascii_digit());
        match pattern.chars().next() {
            Some('u') => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Shell("\"$(id -un)\"".to_owned()));
            }
            Some('x') => plain.push_str(job),
            _ => return None,
        }
        rest = pattern.get(1..).unwrap_or_default();
    }
    plain.push_str(rest);
    pieces.push(Piece::Text(plain));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    (!pieces.is_empty()).then_some(Word(pieces))
}

#[cfg(test)]
mod tests {
    use super::{in_job, log_folder};
    use crate::launch::{Piece, Word};

    fn shown(word: &Word) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Deferred(text) | Piece::Shell(text) => text.clone(),
        };
        word.0.iter().map(piece).collect()
    }

    #[test]
    fn paths_are_spelled_as_a_job_knows_them() {
        for (path, spelled) in [
            ("/data", "/data"),
            (".", "\"$SLURM_SUBMIT_DIR\""),
            ("./a b", "\"$SLURM_SUBMIT_DIR\"/a b"),
            ("../a", "\"$SLURM_SUBMIT_DIR\"/../a"),
            ("/scratch/%u/%j", "/scratch/\"$(id -un)\"/\"$SLURM_JOB_ID\""),
            ("/100%/%%/%z", "/100%/%%/%z"),
            ("/.hidden", "/.hidden"),
            ("", ""),
        ] {
            assert_eq!(shown(&in_job(path)), spelled);
        }
    }

    #[test]
    fn folders_of_logs_are_known_before_the_job() {
        let folder = |path| log_folder(path, "pre").map(|word| shown(&word));
        assert_eq!(folder("%x.out"), None);
        assert_eq!(folder("/%j.out"), None);
        assert_eq!(folder("/a/%j/log"), None);
        assert_eq!(folder("logs/%j.out").as_deref(), Some("logs"));
        assert_eq!(folder("/a/%x/%u/%j").as_deref(), Some("/a/pre/\"$(id -un)\""));
    }
}
