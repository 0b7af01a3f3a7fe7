//! The systems of `blueprints`: each row of their page has its folder, each is short, and each command of a README can be followed, or the
//! page says who tries it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_model::nouns::{Kind, Workload};
use slipform_model::plan::{Place, Plan};
use slipform_tests::{checked, files, reports, root, variant, variants};
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = "blueprints/README.md";

/// What people ask for: each is in the first column of the page.
const ASKED: &[&str] = &[
    "A3 Mega on GKE: NCCL tests on 2 to 32 nodes, Megatron-LM",
    "A3 High on GKE",
    "A3 Ultra, A4 and A4X on GKE",
    "Dynamic Workload Scheduler on GKE: calendar, flex-start, queued by Kueue",
    "NeMo on GKE",
    "A3 Mega on Slurm of Google Cloud: base, image, cluster, NCCL tests on 2 to 32 nodes, NeMo's launcher",
    "A3 High on Slurm of Google Cloud: base, image, cluster, NCCL tests, NeMo's launcher",
    "Slurm on premises with 32 nodes",
    "Compute Engine, one by one and in bulk",
    "TPU v4 and v5e without a cluster",
    "TPU v4 and v5e on GKE: MaxText",
    "TPU v4 and v5e on GKE: hello world",
    "TPU v6e and 7x on GKE",
    "Vertex AI, a single node",
    "Vertex AI, multi node",
    "Vertex AI, Reduction Server",
    "Vertex AI, CLUSTER_SPEC, TF_CONFIG",
    "Vertex AI, tuning",
];

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table under these titles, their cells without what surrounds them.
fn rows(page: &str, title: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(title)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    rows.map(cells).collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The folders of systems.
fn folders() -> BTreeSet<String> {
    let found = files("blueprints", "slipform.toml").into_iter();
    found.map(|path| path.parent().unwrap().file_name().unwrap().to_owned()).collect()
}

/// The environments of a folder.
fn environments(folder: &str) -> BTreeSet<String> {
    let project = text(&format!("blueprints/{folder}/slipform.toml"));
    let heads = project.lines().filter_map(|line| line.strip_prefix("[env.")?.split('.').next());
    heads.map(str::to_owned).collect()
}

#[test]
fn what_is_asked_for_has_its_folder() {
    let page = text(PAGE);
    let rows = rows(&page, "| system | folder |");
    for asked in ASKED {
        assert!(rows.iter().any(|row| row[1].contains(asked)), "no row of {PAGE} has {asked}");
    }
    let (mut named, mut tried) = (BTreeSet::new(), BTreeSet::new());
    for row in &rows {
        let folder = row[2].split(['[', ']']).nth(1).unwrap().to_owned();
        assert!(row[2].contains(&format!("({folder}/README.md)")), "{folder}");
        let there = environments(&folder);
        for environment in quoted(&row[3]) {
            assert!(there.contains(&environment), "{folder} has no environment {environment}");
            tried.insert((folder.clone(), environment));
        }
        named.insert(folder);
    }
    assert_eq!(named, folders());
    for folder in folders() {
        for environment in environments(&folder) {
            let one = (folder.clone(), environment);
            assert!(tried.contains(&one), "{PAGE} says nothing of {one:?}");
        }
    }
}

#[test]
fn systems_are_short() {
    for folder in folders() {
        let found = files(&format!("blueprints/{folder}"), ".bp");
        let blueprints: Vec<String> = found.iter().map(|path| text(path.as_str())).collect();
        let lines: usize = blueprints.iter().map(|text| text.lines().count()).sum();
        assert!(lines < 120, "{folder} has {lines} lines");
        let patched = |text: &String| text.lines().any(|line| line.trim().starts_with("patch "));
        assert!(!blueprints.iter().any(patched), "{folder} needs a patch");
    }
}

/// Who is asked of each environment: consumers are given what `variants.txt` says.
#[test]
fn each_environment_is_given_to_consumers() {
    let given: BTreeSet<String> = variants().into_iter().map(|(title, ..)| title).collect();
    for folder in folders() {
        let project = text(&format!("blueprints/{folder}/slipform.toml"));
        let usual = project.lines().find_map(|line| line.strip_prefix("environment = "));
        for environment in environments(&folder) {
            let line = match usual.map(|word| word.trim_matches('"')) == Some(&environment) {
                true => format!("blueprints/{folder}"),
                false => format!("blueprints/{folder} --env {environment}"),
            };
            assert!(given.contains(&line), "tests/consumers/variants.txt has no line `{line}`");
        }
    }
}

/// The commands of a page, without what is said about them. Lines of a quoted program are left out.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in page.split("```sh\n").skip(1) {
        let script = part.split("```").next().unwrap().replace("\\\n", " ");
        found.extend(script.lines().filter_map(|line| {
            let line = line.split(" #").next()?.trim().trim_start_matches('(');
            (!line.is_empty() && !line.starts_with('#')).then(|| line.to_owned())
        }));
    }
    found
}

/// The program that a command starts, and what gives a name its value: `STATE=...`, `JOB="$(squeue ...)"`.
fn program(command: &str) -> String {
    let word = command.split_whitespace().next().unwrap();
    let assigned = word
        .split_once('=')
        .filter(|(name, _)| name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_'));
    if let Some((_, value)) = assigned {
        let asked = value.trim_matches('"').strip_prefix("$(");
        return asked.map_or_else(String::new, str::to_owned);
    }
    word.rsplit('/').next().unwrap().trim_end_matches("()").to_owned()
}

#[test]
fn somebody_tries_each_command() {
    let page = text(PAGE);
    let tried: BTreeSet<String> = rows(&page, "| commands | are tried by |")
        .iter()
        .flat_map(|row| quoted(&row[1]))
        .map(|words| words.split(' ').next().unwrap().to_owned())
        .collect();
    let outputs = files("tests/golden", "README.md").into_iter();
    let outputs = outputs.filter(|path| path.components().count() == 4); // not those of a cluster
    for path in files("blueprints", "README.md").into_iter().chain(outputs) {
        for command in commands(&text(path.as_str())) {
            let name = program(&command);
            let known = name.is_empty() || name.starts_with("[[") || tried.contains(&name);
            assert!(known, "{path}: {PAGE} does not say who tries `{name}` of `{command}`");
        }
    }
}

/// Each `slipform` line of each README is run; what is built has no report, and the folder that a person goes to is one that is built.
#[test]
fn the_commands_of_each_readme_build() {
    for folder in folders() {
        let (mut built, mut outputs) = (0, environments(&folder));
        outputs.insert("default".to_owned());
        for command in commands(&text(&format!("blueprints/{folder}/README.md"))) {
            let words: Vec<&str> = command.split_whitespace().collect();
            if let ["cd", path] = words[..]
                && let Some(environment) = path.strip_prefix(&format!("blueprints/{folder}/out/"))
            {
                assert!(outputs.contains(environment), "{folder}: {command}");
            }
            let ["slipform", what, rest @ ..] = &words[..] else { continue };
            assert!(matches!(*what, "check" | "build"), "{folder}: {command}");
            let rest: Vec<&str> = rest.iter().copied().filter(|it| *it != "--all-envs").collect();
            let (title, world, options) = variant(&rest.join(" "));
            let (analysis, output) = checked(&world, &options);
            assert_eq!(reports(&analysis), [], "{title}");
            assert!(!output.artifacts.is_empty(), "{title} renders nothing");
            built += usize::from(*what == "build");
        }
        assert!(built > 0, "the README of {folder} builds nothing");
    }
}

/// Whether a plan has runs of several nodes with GPUs on GKE or on Slurm, and what tests such nodes.
fn trained_and_tested(plan: &Plan) -> (bool, bool) {
    let (mut trained, mut tested) = (false, false);
    for (id, run) in plan.workloads() {
        let machine = match run.lead().program.place.value {
            Place::Pool(id) => plan.pool(id).map(|pool| &pool.machine),
            Place::Partition(id) => plan.partition(id).map(|partition| &partition.machine),
            Place::Vertex(_) => None,
        };
        let on_gpus = machine.is_some_and(|it| it.accelerator.is_some() && it.tpu.is_none());
        let test = Workload::of(&plan.model.get(id).unwrap().body).is_some_and(|it| it.test);
        trained |= on_gpus && !test && run.lead().nodes > 1;
        tested |= on_gpus && test;
    }
    (trained, tested)
}

#[test]
fn nodes_are_tested_before_anything_rests_on_them() {
    for (title, folder, options) in variants() {
        if title.starts_with("blueprints/") {
            let (analysis, _) = checked(&folder, &options);
            let (trained, tested) = trained_and_tested(analysis.plan.as_ref().unwrap());
            assert!(!trained || tested, "{title} trains on nodes that nothing tests");
        }
    }
}
