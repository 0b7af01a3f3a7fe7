//! Blueprints rendered for Slurm: what the scripts say, and what is refused.

use super::{Job, Slurm, TEMPLATES};
use crate::launch::Word;
use crate::shell;
use crate::shell::tests::words;
use crate::template::HeaderOption;
use crate::testing::{Blueprint, Fields, gib, list, mount, record, seconds, variant};
use crate::{Output, Target};
use proptest::prelude::*;
use slipform_model::{Deferred, NounId, Value};

/// A cluster with a partition of its own.
struct Site {
    blueprint: Blueprint,
    cluster: NounId,
    partition: NounId,
}

fn site(existing: bool, cluster: Fields<'_>, partition: Fields<'_>) -> Site {
    let mut blueprint = Blueprint::new();
    let kind = "cluster on slurm";
    let cluster = if existing {
        blueprint.existing(kind, "hpc", cluster)
    } else {
        blueprint.noun(kind, "hpc", cluster)
    };
    let partition = blueprint.inside(cluster, "partition", "gpu", partition);
    Site { blueprint, cluster, partition }
}

fn mega(nodes: i64) -> Site {
    site(
        true,
        &[("release", "25.11".into())],
        &[("machine", "a3-megagpu-8g".into()), ("nodes", nodes.into())],
    )
}

impl Site {
    fn workload(&mut self, fields: Fields<'_>) -> NounId {
        let mut all =
            vec![("place", self.blueprint.to(self.partition)), ("image", variant("string", &[]))];
        all[1].1 = "nvcr.io/nvidia/nemo:24.07".into();
        all.extend(fields.iter().cloned());
        self.blueprint.noun("workload", "pretrain", &all)
    }

    fn render(self) -> Output {
        let mut out = Output::default();
        Slurm.render(&self.blueprint.plan(), &mut out);
        out
    }
}

fn torchrun(args: Fields<'_>) -> Value {
    variant(
        "torchrun",
        &[("script", "pretrain_gpt.py".into()), ("args", record(args)), ("module", false.into())],
    )
}

fn file<'a>(out: &'a Output, name: &str) -> &'a str {
    let found = out.artifacts.iter().find(|it| it.path.file_name() == Some(name));
    found.map_or_else(|| panic!("no {name}: {:#?}", out.diagnostics), |it| it.content.as_str())
}

#[test]
fn a_training_run() {
    let mut site = mega(32);
    let data = site.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let data = site.blueprint.to(data);
    let scratch = variant("scratch", &[("size", gib(2048))]);
    let secret = variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]);
    site.workload(&[
        ("nodes", 16.into()),
        ("launch", torchrun(&[("max_steps", 10.into()), ("mock", true.into())])),
        ("mounts", list([mount(data, "/data"), mount(scratch, "/scratch")])),
        ("env", record(&[("HF_TOKEN", secret), ("GREETING", "it's me".into())])),
        ("restarts", 3.into()),
        ("max_run", seconds(259_200)),
    ]);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    assert!(
        out.artifacts
            .iter()
            .any(|it| it.executable && it.path == "50-workloads/pretrain/submit.sh")
    );
    insta::assert_snapshot!("training_run", file(&out, "pretrain.sbatch"));
    insta::assert_snapshot!("submission", file(&out, "submit.sh"));
}

/// Everything that a rank of its own needs differs from what a launcher needs.
#[test]
fn ranks_are_started_by_slurm() {
    let mut site = site(
        true,
        &[("release", "26.05".into())],
        &[("machine", "a4x-highgpu-4g".into()), ("nodes", 36.into())],
    );
    site.workload(&[("nodes", 36.into()), ("launch", argv("srun", &["python", "train.py"]))]);
    insta::assert_snapshot!(file(&site.render(), "pretrain.sbatch"));
}

#[test]
fn a_cluster_of_ones_own() {
    let mut site = site(
        false,
        &[("controllers", list(["head1(10.0.0.10)".into(), "head2(10.0.0.11)".into()]))],
        &[
            ("machine", "hgx-h100".into()),
            ("nodes", 8.into()),
            ("hosts", "dgx[001-008]".into()),
            ("first_address", Value::Address("10.0.1.1".parse().unwrap())),
            ("switch_nodes", 4.into()),
            ("default", true.into()),
            ("max_time", seconds(259_200)),
        ],
    );
    let same = [
        ("machine", "hgx-h100".into()),
        ("nodes", 8.into()),
        ("hosts", "dgx[001-008]".into()),
        ("tier", 10.into()),
    ];
    site.blueprint.inside(site.cluster, "partition", "urgent", &same);
    let cpu =
        [("machine", "n2-standard-8".into()), ("nodes", 1.into()), ("exclusive", false.into())];
    site.blueprint.inside(site.cluster, "partition", "prep", &cpu);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    let files: String =
        out.artifacts.iter().map(|it| format!("--- {}\n{}", it.path, it.content)).collect();
    insta::assert_snapshot!(files);
}

fn argv(launch: &str, words: &[&str]) -> Value {
    variant(
        launch,
        &[("argv", list(words.iter().map(|word| Value::from(*word)))), ("args", record(&[]))],
    )
}

#[test]
fn the_header_follows_the_workload_and_the_release() {
    let header = |site: Site, patch: Option<Value>, fields: Fields<'_>| {
        let mut site = site;
        let id = site.workload(fields);
        if let Some(patch) = patch {
            site.blueprint.patch(id, "sbatch", patch);
        }
        let out = site.render();
        assert_eq!(out.diagnostics, []);
        directives(file(&out, "pretrain.sbatch")).unwrap()
    };
    let two: Fields<'_> = &[("nodes", 2.into())];
    let has = |options: &[String], option: &str| options.iter().any(|it| it == option);

    let plain = header(mega(8), None, two);
    for option in [
        "--partition=gpu",
        "--nodes=2",
        "--ntasks-per-node=1",
        "--gpus-per-node=8",
        "--exclusive",
        "--mem=0",
        "--signal=B:USR1@300",
    ] {
        assert!(has(&plain, option), "{option}: {plain:?}");
    }
    assert!(!plain.iter().any(|it| it.starts_with("--time")
        || it.starts_with("--requeue")
        || it.starts_with("--switches")));

    let ranks = header(
        mega(8),
        None,
        &[("nodes", 2.into()), ("launch", argv("srun", &["a"])), ("restarts", 1.into())],
    );
    assert!(has(&ranks, "--ntasks-per-node=8") && has(&ranks, "--requeue"));

    let patch = record(&[
        ("qos", "high #1".into()),
        ("time", seconds(5400)),
        ("exclusive", false.into()),
        ("hold", true.into()),
    ]);
    let patched = header(mega(8), Some(patch), two);
    for option in ["--qos=high #1", "--time=0-01:30:00", "--hold"] {
        assert!(has(&patched, option), "{option}: {patched:?}");
    }
    assert!(!has(&patched, "--exclusive"));

    let nvl = |release: &str| {
        site(
            true,
            &[("release", release.into())],
            &[("machine", "a4x-highgpu-4g".into()), ("nodes", 36.into())],
        )
    };
    assert!(has(&header(nvl("25.05"), None, &[("nodes", 32.into())]), "--segment=16"));
    assert!(
        !header(nvl("23.11"), None, &[("nodes", 32.into())])
            .iter()
            .any(|it| it.starts_with("--segment"))
    );

    let leaves = |nodes: i64| {
        site(
            false,
            &[],
            &[("machine", "hgx-h100".into()), ("nodes", nodes.into()), ("switch_nodes", 4.into())],
        )
    };
    assert!(has(&header(leaves(16), None, &[("nodes", 6.into())]), "--switches=2@01:00:00"));
    assert!(
        !header(leaves(8), None, &[("nodes", 8.into())])
            .iter()
            .any(|it| it.starts_with("--switches"))
    );
}

/// Fields of a workload, what is added to it, and the code of what is said.
type Case<'a> = (Fields<'a>, fn(&mut Site, NounId), &'a str);

#[test]
fn what_slurm_cannot_do_is_said() {
    let codes = |fields: Fields<'_>, change: fn(&mut Site, NounId)| {
        let mut site = mega(8);
        let id = site.workload(fields);
        change(&mut site, id);
        let out = site.render();
        let codes: Vec<String> = out.diagnostics.iter().map(|it| it.code.to_string()).collect();
        (codes.join(" "), out.artifacts.is_empty())
    };
    let nothing: fn(&mut Site, NounId) = |_, _| {};
    let cases: &[Case<'_>] = &[
        (&[("priority", "high".into())], nothing, "slurm/priority"),
        (&[("namespace", "team-a".into())], nothing, "slurm/namespace"),
        (&[("grace", seconds(86_400))], nothing, "slurm/grace"),
        (
            &[("mounts", list([mount(variant("scratch", &[("size", gib(1))]), "/a:b")]))],
            nothing,
            "slurm/mount-path",
        ),
        (
            &[],
            |site, id| site.blueprint.patch(id, "sbatch", record(&[("qoss", "x".into())])),
            "slurm/patch",
        ),
        (
            &[],
            |site, id| site.blueprint.patch(id, "sbatch", record(&[("comment", "a\nb".into())])),
            "text/spelling",
        ),
        (&[("env", record(&[("A", "x\0y".into())]))], nothing, "text/spelling"),
        (
            &[],
            |site, id| {
                let pool = site.blueprint.to(site.partition);
                site.blueprint.inside(
                    id,
                    "side_job",
                    "tb",
                    &[("pool", pool), ("image", "x".into())],
                );
            },
            "slurm/side-job",
        ),
    ];
    for (fields, change, code) in cases {
        assert_eq!(codes(fields, *change), ((*code).to_owned(), true), "{fields:?}");
    }
}

/// A value that Terraform knows is read when the job is submitted, and asked for where it is used.
#[test]
fn later_values_come_from_the_submission() {
    let mut site = mega(8);
    let storage = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let home = site.blueprint.noun(
        "filesystem",
        "home",
        &[("storage", storage), ("location", "us-east4-a".into())],
    );
    let address = Value::Deferred(Deferred { noun: home, field: "address".into() });
    let home = site.blueprint.to(home);
    site.workload(&[
        ("nodes", 2.into()),
        ("launch", torchrun(&[("server", address)])),
        ("mounts", list([mount(home, "/home/shared")])),
    ]);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    let script = file(&out, "pretrain.sbatch");
    assert!(script.contains(": \"${home_address:?"), "{script}");
    assert!(script.contains("train pretrain_gpt.py --server=\"${home_address}\" &"), "{script}");
    assert!(script.contains("  /home/shared:/home/shared\n"), "{script}");
    let submit = file(&out, "submit.sh");
    assert!(
        submit.contains("terraform -chdir=\"$here\"/../../10-foundation output -raw home_address"),
        "{submit}"
    );
}

#[test]
fn chips_have_no_place_on_slurm() {
    let mut site = site(true, &[], &[("machine", "ct6e-standard-4t".into()), ("nodes", 4.into())]);
    site.workload(&[("nodes", 4.into())]);
    assert_eq!(site.render().diagnostics[0].code, "slurm/tpu");
}

/// What changes nothing about the run is no reason to refuse it.
#[test]
fn an_identity_is_only_warned_of() {
    let mut site = mega(8);
    let trainer = site.blueprint.noun("identity", "trainer", &[]);
    let trainer = site.blueprint.to(trainer);
    site.workload(&[("nodes", 2.into()), ("identity", trainer)]);
    let out = site.render();
    assert_eq!(out.diagnostics[0].code, "slurm/identity");
    assert!(file(&out, "pretrain.sbatch").contains("--nodes=2"));
}

#[test]
fn mpirun_needs_mpi() {
    let mut site = site(
        true,
        &[("mpi", "none".into())],
        &[("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())],
    );
    site.workload(&[("launch", argv("mpirun", &["all_gather_perf"]))]);
    assert_eq!(site.render().diagnostics[0].code, "slurm/mpi");
}

#[test]
fn a_cluster_that_cannot_start_is_refused() {
    let code = |mut site: Site, more: Fields<'_>| {
        if !more.is_empty() {
            site.blueprint.inside(site.cluster, "partition", "more", more);
        }
        site.render().diagnostics.first().map(|it| it.code.to_string())
    };
    let declared = |fields: Fields<'_>| site(false, &[], fields);
    let dgx: Fields<'_> =
        &[("machine", "hgx-h100".into()), ("nodes", 4.into()), ("hosts", "dgx[1-4]".into())];
    let part: Fields<'_> =
        &[("machine", "hgx-h100".into()), ("nodes", 2.into()), ("hosts", "dgx[1-2]".into())];
    assert_eq!(code(declared(dgx), part).as_deref(), Some("slurm/hosts"));
    assert_eq!(code(declared(dgx), dgx), None);
    assert_eq!(
        code(declared(&[("machine", "l40s-8".into()), ("nodes", 1.into())]), &[]).as_deref(),
        Some("slurm/node-facts")
    );
    let last = Value::Address("255.255.255.254".parse().unwrap());
    let beyond = [("machine", "hgx-h100".into()), ("nodes", 4.into()), ("first_address", last)];
    assert_eq!(code(declared(&beyond), &[]).as_deref(), Some("slurm/addresses"));
}

/// The options of a header as sbatch reads them: quotes group, a backslash escapes, a bare `#` ends the line, and the
/// first line that is no comment ends the header. `None` where a line is no sound option.
fn directives(script: &str) -> Option<Vec<String>> {
    let mut options = Vec::new();
    for line in script.lines().take_while(|line| line.is_empty() || line.starts_with('#')) {
        let Some(text) = line.strip_prefix("#SBATCH ") else { continue };
        let (mut word, mut quote, mut chars) = (String::new(), None, text.chars());
        while let Some(c) = chars.next() {
            match (c, quote) {
                ('\\', _) => word.push(chars.next()?),
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('#', None) => break,
                (c, None) if c.is_whitespace() => return None,
                (c, _) => word.push(c),
            }
        }
        if quote.is_some() || !word.starts_with("--") {
            return None;
        }
        options.push(word);
    }
    Some(options)
}

/// A script with one text in every place that takes a text of the blueprint.
fn script_with(text: &str) -> String {
    let word = || Word::from(text);
    let job = Job {
        title: "t".into(),
        env: vec![super::job::Variable { name: "A".into(), value: word() }],
        secrets: vec![super::job::Secret {
            variable: "B".into(),
            note: "s".into(),
            file: text.to_owned(),
            help: text.to_owned(),
        }],
        tasks: 1,
        processes: 8,
        image: text.to_owned(),
        squashfs: text.to_owned(),
        workdir: Some(text.to_owned()),
        mounts: vec![super::mounts::MountLine { node_local: true, text: text.to_owned() }],
        launcher: "torchrun",
        command: vec![word(), word()],
        ..Job::default()
    };
    TEMPLATES.render("job.sbatch", &job).unwrap()
}

proptest! {
    #[test]
    fn a_header_says_what_was_meant(values in prop::collection::vec("\\PC{0,12}", 1..4)) {
        let option = |(at, value): (usize, &String)| HeaderOption {
            name: ["comment", "qos", "account"][at].to_owned(),
            value: Some(value.clone()),
        };
        let options: Vec<HeaderOption> = values.iter().enumerate().map(option).collect();
        let meant: Vec<String> = options.iter().map(|it| format!("--{}={}", it.name, it.value.as_ref().unwrap())).collect();
        let script = TEMPLATES.render("job.sbatch", &Job { options, tasks: 1, ..Job::default() }).unwrap();
        prop_assert_eq!(directives(&script), Some(meant));
    }

    #[test]
    fn no_text_leaves_its_place(text in "([^\0]|'|\"|\\$\\(id\\)|`id`|\n|\\\\){1,16}") {
        // a text with the marks of a quoted one would match more than its own places
        prop_assume!(shell::quote(&text).starts_with('\''));
        let plain = script_with("'plain'");
        let other = script_with(&text);
        let (quoted, of_plain) = (shell::quote(&text), shell::quote("'plain'"));
        let places = plain.matches(&of_plain).count();
        prop_assert_eq!(places, 9);
        prop_assert_eq!(words(&quoted), Some(vec![text]));
        let parts: Vec<&str> = plain.split(&of_plain).collect();
        prop_assert_eq!(other, parts.join(&quoted));
    }
}
