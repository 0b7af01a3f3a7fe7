use crate::{Catalog, GkeFeature, GkeMinimum, LockError, sealed};

fn lock() -> String {
    Catalog::builtin().lock("2026").unwrap()
}

/// A lock as a compiler with other facts would have written it.
fn other(pairs: &[(&str, &str)]) -> String {
    let mut text = lock();
    for (from, to) in pairs {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    sealed(&text)
}

fn error(text: &str) -> LockError {
    Catalog::locked(text).err().expect("the lock is refused")
}

const A2: &str = "[[machine]]\nname = \"a2-highgpu-1g\"\n";

/// The text of a row.
fn row(text: &str, start: &str) -> String {
    let (_, rest) = text.split_once(start).unwrap();
    format!("{start}{}\n\n", rest.split("\n\n").next().unwrap())
}

#[test]
fn a_lock_of_this_compiler_holds_every_row() {
    let text = lock();
    assert_eq!(text, lock());
    let locked = Catalog::locked(&text).unwrap();
    assert!(!locked.differs && locked.filled.is_empty() && locked.aside.is_empty());
    assert_eq!(locked.catalog.version(), Catalog::builtin().version());
    assert_eq!(locked.catalog.as_of(), Catalog::builtin().as_of());
    assert_eq!(Catalog::builtin().differences(&locked.catalog), []);
    assert_eq!(locked.catalog.lock("2026").unwrap(), text);
}

/// Without the marks that were baked, every row is read from its text, and comes back as it was.
#[test]
fn what_is_read_is_what_was_written() {
    let text = lock();
    let noted: Vec<String> = text
        .split("\n[")
        .map(|entry| entry.replacen("\nsource = ", "\nconfidence_not_known_yet = 1\nsource = ", 1))
        .collect();
    let read = Catalog::locked(&sealed(&noted.join("\n["))).unwrap();
    assert!(read.differs);
    assert_eq!(read.catalog.lock("2026").unwrap(), text);
}

#[test]
fn other_facts_are_those_of_the_lock() {
    let text = other(&[
        ("catalog = \"", "catalog = \"2026-09-01+0000000000000000\" # \""),
        ("vcpus = 208", "vcpus = 204"),
    ]);
    let locked = Catalog::locked(&text).unwrap();
    assert!(locked.differs);
    assert_eq!(locked.catalog.as_of(), "2026-09-01");
    let found = locked.catalog.differences(Catalog::builtin());
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((only.table, only.words.len()), ("machine", 1));
    assert_eq!(locked.catalog.machine(&only.key).unwrap().vcpus, 204);
    assert_eq!(Catalog::builtin().machine(&only.key).unwrap().vcpus, 208);
}

#[test]
fn a_row_that_the_lock_does_not_have_is_not_there() {
    let text = lock();
    let without = sealed(&text.replace(&row(&text, A2), ""));
    let locked = Catalog::locked(&without).unwrap();
    assert!(locked.differs && locked.catalog.machine("a2-highgpu-1g").is_none());
    assert!(!locked.catalog.machine_names().any(|name| name == "a2-highgpu-1g"));
    let minimum = locked.catalog.gke_feature("a2-highgpu-1g", GkeFeature::Standard, "1.33");
    assert_eq!(minimum, GkeMinimum::Unknown);
    let own = "[[machine]]\nname = \"a2-highgpu-1g\"\nlike = \"a2-highgpu-2g\"\n";
    assert!(locked.catalog.with_local(own).unwrap().machine("a2-highgpu-1g").is_some());
    assert!(locked.catalog.with_local(own).unwrap().base().machine("a2-highgpu-1g").is_none());
}

#[test]
fn what_no_compiler_can_do_without_is_its_own() {
    let text = lock();
    let without = sealed(&text.replace(&row(&text, "[[component]]\nname = \"jobset\"\n"), ""));
    let locked = Catalog::locked(&without).unwrap();
    assert_eq!(locked.filled, ["component jobset"]);
    assert!(locked.catalog.component("jobset").is_some());
}

#[test]
fn what_the_lock_could_not_say_is_the_compilers() {
    let text = lock().replace("\nvertex.training = true", "").replace("\nnetwork.gpu_nics = 8", "");
    let locked = Catalog::locked(&sealed(&text)).unwrap();
    assert_eq!(locked.filled, ["machine network.gpu_nics", "machine vertex.training"]);
    assert_eq!(Catalog::builtin().differences(&locked.catalog), []);
    // what may be absent, and is, is no gap
    let text = lock().replacen("\nplacement.gke_max_nodes = 1500", "", 1);
    let locked = Catalog::locked(&sealed(&text)).unwrap();
    assert!(locked.filled.is_empty());
    let found = locked.catalog.differences(Catalog::builtin());
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_table_that_the_lock_does_not_know_is_the_compilers() {
    let text = lock();
    let rows: Vec<&str> =
        text.split("\n\n").filter(|it| !it.starts_with("[[kueue_release]]")).collect();
    let locked = Catalog::locked(&sealed(&rows.join("\n\n"))).unwrap();
    assert_eq!(locked.filled, ["kueue_release"]);
    assert_eq!(Catalog::builtin().differences(&locked.catalog), []);
}

#[test]
fn what_the_compiler_does_not_know_is_left_aside() {
    let text = other(&[
        ("\nvcpus = 208", "\nvcpus = 208\nnetwork.wings = 2"),
        ("[[machine]]", "[[moon]]\nname = \"x\"\n\n[[machine]]"),
    ]);
    let locked = Catalog::locked(&text).unwrap();
    assert_eq!(locked.aside, ["machine network.wings", "moon"]);
    assert_eq!(Catalog::builtin().differences(&locked.catalog), []);
}

#[test]
fn another_day_is_no_other_fact() {
    let text = sealed(&lock().replace("\ndate = \"2026-", "\ndate = \"2025-"));
    let locked = Catalog::locked(&text).unwrap();
    assert!(!locked.differs);
    assert!(locked.catalog.machines().all(|machine| machine.date.starts_with("2025-")));
    assert_eq!(Catalog::builtin().differences(&locked.catalog), []);
}

#[test]
fn line_ends_of_another_system_are_the_same() {
    let locked = Catalog::locked(&lock().replace('\n', "\r\n")).unwrap();
    assert!(!locked.differs);
    let text = other(&[("vcpus = 208", "vcpus = 204")]).replace('\n', "\r\n");
    assert_eq!(Catalog::locked(&text).unwrap().catalog.differences(Catalog::builtin()).len(), 1);
}

#[test]
fn a_lock_that_was_edited_is_refused_at_its_digest() {
    let text = lock().replacen("vcpus = 208", "vcpus = 204", 1);
    let LockError { problems, help } = error(&text);
    assert_eq!(problems.len(), 1);
    let (line, message) = &problems[0];
    assert!(text.lines().nth(*line as usize - 1).unwrap().starts_with("digest = "));
    assert!(message.contains("edited") && help.contains("catalog.local.toml"), "{message}: {help}");
    // the head is under it, too
    for edited in [
        lock().replacen("edition = \"", "edition = \"1", 1),
        lock().replacen("\"accelerator\",", "", 1),
    ] {
        assert!(error(&edited).problems[0].1.contains("edited"));
    }
}

#[test]
fn a_lock_that_is_no_lock_is_refused_at_its_line() {
    let text = lock();
    let (above, below) = text.split_once("[[machine]]").unwrap();
    let rows = above.lines().count();
    let merged = format!("{above}<<<<<<< ours\n[[machine]]{below}");
    let tries = [
        (String::new(), "which compiler", 1),
        ("words\n".to_owned(), "cannot be read", 1),
        (merged, "both sides of a merge", rows + 1),
        (format!("{above}[[machine]]\nname = \"a2"), "cannot be read", rows + 2),
        (sealed(&text.replacen("slipform = \"0", "slipform = \"99", 1)), "which is older", 4),
        (sealed(&text.replacen("version = 1", "version = 2", 1)), "form of locks", 3),
        (sealed(&text.replacen("version = 1", "version = \"x\"", 1)), "not the form", 1),
        (sealed(&text.replacen("catalog = \"", "catalog = \"\\n", 1)), "which compiler", 1),
    ];
    for (text, said, line) in tries {
        let problems = error(&text).problems;
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].1.contains(said), "{problems:?} should say {said}");
        assert_eq!(problems[0].0 as usize, line, "{problems:?}");
    }
}

/// A digest is no proof: whoever edits a lock can write it, too.
#[test]
fn rows_of_a_lock_are_checked() {
    let tries = [
        ("vcpus = 208", "vcpus = \"many\"", "wrong kind of value"),
        ("vcpus = 208", "vcpus = -1", "vcpus"),
        ("[[machine]]\nname = \"a2-highgpu-1g\"", "[[machine]]", "without `name`"),
        ("[[machine]]\nname = \"a2-highgpu-1g\"", "[[machine]]\nname = \"a2-highgpu-2g\"", "twice"),
        ("gpu = \"h100-mega-80gb\"", "gpu = \"h101\"", "is not a GPU"),
        ("[kubernetes]\n", "[kubernetes]\nboot_disk_gib = true\n[other]\n", "boot_disk_gib"),
    ];
    for (from, to, said) in tries {
        let text = other(&[(from, to)]);
        let LockError { problems, .. } = error(&text);
        assert!(problems[0].1.contains(said), "{to}: {problems:?}");
        let line = text.lines().nth(problems[0].0 as usize - 1).unwrap();
        assert!(line.starts_with('['), "{to}: {line}");
    }
}

#[test]
fn lists_differ_by_their_items() {
    let text = other(&[("[\"TIME_SHARING\", \"MPS\"]", "[\"TIME_SHARING\", \"old\"]")]);
    let found = Catalog::locked(&text).unwrap().catalog.differences(Catalog::builtin());
    let words: Vec<_> = found.iter().flat_map(|it| &it.words).collect();
    let told: Vec<_> = words.iter().map(|it| (it.before.as_deref(), it.after.as_deref())).collect();
    assert_eq!(told, [(Some("\"old\""), None), (None, Some("\"MPS\""))]);
}

#[test]
fn the_files_of_the_catalog_are_the_catalog() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stdlib/catalog");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "toml") {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                files.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    files.sort();
    let named: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let read = Catalog::of_files(&named).unwrap();
    assert_eq!(read.version(), Catalog::builtin().version());
    assert_eq!(read.differences(Catalog::builtin()), []);
    let told = Catalog::of_files(&[("a.toml", "[[machine]]\nname = 3\n")]).err().unwrap();
    assert!(told[0].starts_with("a.toml:"), "{told:?}");
}
