//! Programs that start others: what stands behind them is the command.

use super::shell::{Known, base, is_one_of};

/// Drops what starts another program, with its own words, from in front of that; says whether there was any.
pub(super) fn drop_starter(words: &mut Vec<Known>) -> bool {
    let Some(name) = words.first().and_then(|it| it.as_deref()).map(base) else { return false };
    // `command -v srun` asks whether there is one
    let asks = name == "command" && words.get(1).is_some_and(|it| is_one_of(it, &["-v", "-V"]));
    if asks {
        return false;
    }
    let by_name = STARTERS.iter().find(|it| it.0 == name).map(|it| (1, it.1, it.2));
    let by_command = || {
        let is_it = |it: &&(&str, &str, &[&str])| {
            it.0 == name && words.get(1).is_some_and(|word| is_one_of(word, &[it.1]))
        };
        STARTING_COMMANDS.iter().find(is_it).map(|it| (2, it.2, 0))
    };
    let Some((length, valued, own)) = by_name.or_else(by_command) else { return false };
    words.drain(..length);
    drop_options(words, valued, own);
    true
}

/// Drops the options and own words of what starts another program.
fn drop_options(words: &mut Vec<Known>, valued: &[&str], own: usize) {
    while let Some(Some(first)) = words.first()
        && first.starts_with('-')
    {
        let count = if valued.contains(&first.as_str()) { 2 } else { 1 };
        let is_last = first == "--";
        words.drain(..count.min(words.len()));
        if is_last {
            break;
        }
    }
    words.drain(..own.min(words.len()));
}

/// Programs that start the rest of their words, with their options that take a value, and how many words of their own come
/// before the rest.
const STARTERS: [(&str, &[&str], usize); 23] = [
    ("tini", &["-p", "-e"], 0),
    ("dumb-init", &["-r", "--rewrite"], 0),
    ("catchsegv", &[], 0),
    ("gosu", &[], 1),
    ("su-exec", &[], 1),
    ("taskset", &[], 1),
    ("chrt", &["-p"], 1),
    ("ltrace", &["-o", "-e"], 0),
    ("strace", &["-o", "-e", "-s", "-p"], 0),
    ("compute-sanitizer", &["--tool", "--log-file", "--target-processes"], 0),
    (
        "ncu",
        &[
            "-o",
            "--export",
            "-k",
            "--kernel-name",
            "-c",
            "--launch-count",
            "-s",
            "--launch-skip",
            "--set",
            "--section",
        ],
        0,
    ),
    ("exec", &["-a"], 0),
    ("env", &["-u", "-C", "-S"], 0),
    ("nohup", &[], 0),
    ("command", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("sudo", &["-u", "-g"], 0),
    ("nice", &["-n"], 0),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("numactl", &["-N", "-m", "-C", "-p"], 0),
    ("setsid", &[], 0),
    ("ionice", &["-c", "-n"], 0),
];

/// Programs that do so by one of their commands.
const STARTING_COMMANDS: [(&str, &str, &[&str]); 7] = [
    (
        "nsys",
        "profile",
        &[
            "-o",
            "--output",
            "-t",
            "--trace",
            "-s",
            "--sample",
            "-c",
            "--capture-range",
            "-e",
            "--env-var",
            "-d",
            "--duration",
            "-y",
            "--delay",
            "-f",
            "--force-overwrite",
            "-w",
            "--show-output",
            "-x",
            "--stop-on-exit",
            "--capture-range-end",
            "--kill",
        ],
    ),
    (
        "uv",
        "run",
        &[
            "--with",
            "--python",
            "-p",
            "--project",
            "--directory",
            "--extra",
            "--group",
            "--env-file",
        ],
    ),
    ("poetry", "run", &[]),
    ("pipenv", "run", &[]),
    ("pdm", "run", &["-p"]),
    ("conda", "run", &["-n", "--name", "-p", "--prefix", "--cwd"]),
    ("micromamba", "run", &["-n", "--name", "-p", "--prefix", "--cwd"]),
];

#[cfg(test)]
mod tests {
    use super::super::shell::tests::shown;

    #[test]
    fn what_starts_a_command_is_none_of_it() {
        assert_eq!(
            shown("nsys profile -o /p -t cuda,nvtx --stats=true torchrun t.py"),
            ["torchrun t.py"]
        );
        assert_eq!(shown("uv run --with x tini -g -- python t.py"), ["python t.py"]);
        assert_eq!(
            shown("numactl -m 0 stdbuf -o L ncu --set full -- python t.py"),
            ["python t.py"]
        );
        assert_eq!(shown("command -v srun && command a"), ["command -v srun", "a"]);
        assert_eq!(shown("uv pip install x; nsys stats p"), ["uv pip install x", "nsys stats p"]);
    }
}
