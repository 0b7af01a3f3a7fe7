use super::*;

fn of(words: &[&str]) -> Vec<(Mistake, String)> {
    of_door(Door::Launch, words)
}

fn of_door(door: Door, words: &[&str]) -> Vec<(Mistake, String)> {
    let mut found = Vec::new();
    let words: Words<'_> = words.iter().map(|it| Some(*it)).collect();
    let catalog = Catalog::builtin();
    let image = Some("nvcr.io/nvidia/pytorch:25.01-py3");
    let beside = Beside { image, most: Some(Duration(86_400)), ..Beside::default() };
    let (begins, verbatim, program, asks) = (true, true, None, false);
    let found_here = &mut found;
    Reader { catalog, door, begins, verbatim, beside, program, asks, found: found_here }
        .read(&words);
    found.into_iter().map(|it| (it.mistake, it.word)).collect()
}

fn one(words: &[&str], mistake: Mistake, word: &str) {
    assert_eq!(of(words), [(mistake, word.to_owned())], "{words:?}");
}

fn none(words: &[&str]) {
    assert_eq!(of(words), [], "{words:?}");
}

#[test]
fn words_of_a_shell_without_one_are_found() {
    one(&["cd", "/w", "&&", "python", "train.py"], Mistake::NoShell, "cd");
    one(&["python", "train.py", "&&", "echo", "done"], Mistake::NoShell, "&&");
    one(&["python", "train.py", "2>&1"], Mistake::NoShell, "2>&1");
    one(&["FOO=1", "python", "train.py"], Mistake::NoShell, "FOO=1");
    one(&["python", "~/train.py"], Mistake::Unexpanded, "~/train.py");
    one(&["python", "$HOME/train.py"], Mistake::Unexpanded, "$HOME/train.py");
    one(&["python", "t.py", "\u{2013}lr", "1"], Mistake::Typeset, "\u{2013}lr");
    one(&["pyhton", "t.py"], Mistake::Misspelt, "pyhton");
    one(&["bash", "torchrun", "t.py"], Mistake::NoScript, "torchrun");
    none(&["find", "/a", "-exec", "rm", "{}", ";"]);
    none(&["awk", "-F", "|", "{print}"]);
    none(&["ssh", "host", "cd", "/a", "&&", "make"]);
    none(&["python3", "t.py", "--name", "a=b"]);
    none(&["ipython", "t.py"]);
    none(&["bash", "train.sh", "torchrun"]);
}

const BRACKET: &str = "a bracket stands in the middle of a command: quote what it belongs to";

#[test]
fn texts_that_no_shell_can_read_are_found() {
    let open = |text: &str| unread(text);
    for (text, word) in [
        ("a 'b", "`'` is opened and not closed"),
        ("a \"b", "`\"` is opened and not closed"),
        ("a $(b", "`$(` is opened and not closed"),
        ("a `b", "a backtick is opened and not closed"),
        ("if true; then a", "`if` is opened and not closed"),
        ("for i in 1 2; do a", "`for` is opened and not closed"),
        ("a; fi", "`fi` closes nothing"),
        ("while true; do if a; then b; done", "`done` closes nothing"),
        ("f() {\n # nothing\n}", "nothing stands in front of `}`, where a command has to"),
        ("case $X\n a) b;;\nesac", "`case` has no `in`"),
        ("while true; a; done", "`while` has no `do`"),
        ("if a; then; b; fi", "`;` stands where none may"),
        (
            "if a; then b; elseif c; then d; fi",
            "`then` stands where nothing is open that it belongs to",
        ),
        ("a &&; b", "`;` stands where none may"),
        ("&& a", "`&&` stands where none may"),
        ("a |", "it ends behind `|`, where a command has to stand"),
        ("a & && b", "`&&` stands where none may"),
        ("{ a }\nb", "`{` is opened and not closed"),
        ("{a; }", "`}` closes nothing"),
        ("a)", "`)` closes nothing"),
        ("a --betas (0.9, 0.95)", BRACKET),
        ("A= (1 2); b", BRACKET),
        ("a --eos <|end|>", "behind `<` no file is named: quote it, where it is no redirection"),
        (
            "for (i=0; i<8; i++); do a; done",
            "`for (` begins no loop: a sum stands between `((` and `))`",
        ),
        ("(cd x && a", "`(` is opened and not closed"),
        ("a; [[ -n x", "`[[` is opened and not closed"),
        ("[[ $a =~ ^(b|c)$ ]] && {", "`{` is opened and not closed"),
        ("X=$(if a; then b); c", "`if` is opened and not closed"),
    ] {
        assert_eq!(open(text).as_deref(), Some(word), "{text}");
    }
    for text in [
        "if a; then b; elif c; then d; else e; fi && f",
        "case $X in if) a;; done) b;; (c|d) for i in 1; do e; done;; esac; f",
        "for ((i = 0; i < 3; i++)); do a; done > log 2>&1",
        "until a; do sleep 1; done; while b; do c; done & wait",
        "f() { if a; then b; fi; }; f",
        "echo if then; echo 'it''s' \"it's\"; a # it's",
        "cat <<'E' > a.py\nif x:\n  it's\nE\nb",
        "a=$(cat <<E\nit's (b\nE\n)\nc",
        "echo $'it\\'s'; a",
        "x=\"$(if a; then b; fi)\"; (( x << 2 ))",
        "[[ $a =~ ^(b|c)$ ]] && { d; }",
        "python -c \"if 1: print('x')\"",
        "if [[ $a -ne 0 ]] then b; fi; { { c; } }; for x in 1; do (d) done",
        "a &&\n\n# why\nb ||\n c",
        "f() ( a ); function g { b; }; h () if a; then b; fi",
        "for x do a; done; for x\nin 1 2\ndo a; done; select x in 1; do a; done",
        "case $X in (a|b) c;; *) ;; esac; case $X in a) b; esac",
        "a > >(tee b) 2>&1 <<< \"$c\" {fd}>d; 3< e f",
        "A=(1 $(b c) \"d e\"\n # why\n f); B+=(1); C[1]=2; ((i++)); (( a )) && b",
        "! a; time b; time -p c | d; ! { e; } & wait",
        "coproc W { a; }; coproc b c; [[ ! ( -d a && $b =~ ^(x|y)+$ ) ]] && c",
        "x=${a:-(b)} y=${#a[@]} z=${a//\\/\\\\} w=\"${a:+'}\" && echo {1..3} }",
        "while read -r a; do b; done < <(c; d) | e; until a; do :; done",
        "a <<E && b\nif (\nE\nc <<-'F'\n\t(\n\tF\nd",
        "echo then do fi done in { } [[ if; a if=1 of=2",
        "a=(1 2 3); for x in \"${a[@]}\"; do echo ${#x} ${x#'} ; done",
        // what Bash calls right, and does not read
        "if [[ -n x; then b; fi",
        "[[ -e < b ]] && c",
        "[[ -n x ]",
        "[[ $x -eq 1 ]]n && b",
        "a $((B % 2)/c) &\nd",
        "a > b >& 2>&1 || c",
        "a $[(1 + 2) * 3] $[1 << <<2]; b",
        "A=$(b << c -v)\n\"\"$A\" -d",
        "for ((i=0;i<8;i++).py\n); do :; done",
        "r[\"a b\",(( \"c\"]",
        "[[ ( $a == b || ! -f c ) && $d < e &&\n $f =~ ^[a-z]+(x y|z)$ ]] && g",
    ] {
        assert_eq!(open(text), None, "{text}");
    }
}

#[test]
fn what_does_nothing_for_ever_is_found() {
    for text in
        ["sleep infinity", "apt-get install -y vim; sleep 86400", "while true; do sleep 60; done"]
    {
        assert!(of(&["bash", "-c", text]).iter().any(|it| it.0 == Mistake::Endless), "{text}");
    }
    for text in [
        "/usr/sbin/sshd; sleep infinity",
        "ray start --head; sleep infinity",
        "sleep 60",
        "python t.py; sleep 1d",
    ] {
        none(&["bash", "-c", text]);
    }
}

#[test]
fn what_plain_shells_do_not_know_is_found() {
    one(&["sh", "-c", "source a; b"], Mistake::BashAlone, "source");
    one(&["sh", "-c", "set -o pipefail; b"], Mistake::BashAlone, "pipefail");
    none(&["bash", "-c", "source a; set -o pipefail; b"]);
}

fn told(text: &str) -> Vec<(Mistake, String)> {
    of(&["bash", "-c", text])
}

#[test]
fn a_slip_is_a_letter_too_many_too_few_another_one_or_two_that_changed_places() {
    for (written, known) in [
        ("tensor_paralel_size", "tensor_parallel_size"),
        ("max_modellen", "max_model_len"),
        ("torchrnu", "torchrun"),
        ("pythom", "python"),
    ] {
        assert!(super::slip(written, known) && super::slip(known, written), "{written}");
    }
    for (written, known) in [("python3", "python2"), ("dtype", "type_of"), ("size", "size")] {
        assert!(!super::slip(written, known), "{written}");
    }
}

#[test]
fn commands_that_ask_set_nothing_or_end_too_early_are_found() {
    let one = |text: &str, mistake: Mistake, word: &str| {
        assert_eq!(told(text), [(mistake, word.to_owned())], "{text}");
    };
    one("sudo torchrun t.py", Mistake::NotThere, "sudo");
    one("docker run x", Mistake::NotThere, "docker");
    one("module load cuda && python t.py", Mistake::NotThere, "module");
    one("apt-get install x; python t.py", Mistake::Asks, "apt-get install");
    one("read -p go; python t.py", Mistake::Asks, "read -p");
    one("trap '' TERM; torchrun t.py", Mistake::Deaf, "TERM");
    one("set -o pipefial; torchrun t.py", Mistake::NoOption, "pipefial");
    one("timeout -k 30 1h torchrun t.py", Mistake::CutShort, "timeout 1h");
    one(
        "ray start --head --block && python t.py",
        Mistake::Unreached,
        "ray start --head --block`, and `python",
    );
    one(
        "if [ \"$NODE_RANK\" = 0 ]; then torchrun --nnodes=4 t.py; fi",
        Mistake::OneNode,
        "torchrun",
    );
    for text in [
        "apt-get update && apt-get install -y x && python t.py",
        "yes | apt-get install x; python t.py",
        "trap 'kill $P' TERM; python t.py & P=$!; wait $P",
        "trap \"kill $P\" TERM; python t.py & P=$!; wait $P",
        "apt-get install -qq x; python t.py",
        "set -euo pipefail; torchrun t.py",
        "timeout 2d torchrun t.py",
        "timeout 60 curl -f x; torchrun t.py",
        "if [ $R = 0 ]; then ray start --head --block; else python t.py; fi",
        "if [ \"$NODE_RANK\" = 0 ]; then torchrun --nnodes=4 t.py; else torchrun --nnodes=4 t.py; fi",
        "ray start --head && python t.py",
        "read LINE < f; python t.py $LINE",
        "source /etc/profile.d/modules.sh; module load cuda; python t.py",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
    let setup = |text: &str| of_door(Door::Setup(0), &["bash", "-c", text]);
    assert_eq!(setup("export A=1"), [(Mistake::Vanishes, "export A=1".to_owned())]);
    assert_eq!(setup("cd /w && make"), []);
    assert_eq!(setup("conda install -y x"), []);
    assert_eq!(setup("source /opt/prepare.sh"), []);
    assert_eq!(setup("export A=1; env > /shared/env"), []);
    assert_eq!(
        of(&["ray", "start", "--address=a:6379"]),
        [(Mistake::EndsEarly, "ray start".to_owned())]
    );
    assert_eq!(of(&["ray", "start", "--address=a:6379", "--block"]), []);
}
