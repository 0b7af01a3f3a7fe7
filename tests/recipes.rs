//! The gate against false alarms: `tests/recipes` holds blueprints of published runs that work, each with its source. A rule that
//! reports one of them is wrong, unless the blueprint allows it with a reason. What they have to cover (machines, platforms,
//! capacities, sizes) is asked of what they say, never of their names.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_analysis::Options;
use slipform_model::nouns::{Capacity, Kind, Pool, VertexCluster};
use slipform_model::plan::{Place, Plan};
use slipform_tests::{Checkout, checked, checked_text, files, reports, root};
use std::collections::BTreeMap;

const FOLDER: &str = "tests/recipes";

/// What a run is, as far as the gate asks.
struct Recipe {
    /// `a3-megagpu`, or the generation of a TPU; `cpu` of machines that have no accelerators.
    family: String,
    platform: &'static str,
    /// How its nodes are obtained; nothing on Slurm, whose nodes are there.
    capacity: Option<&'static str>,
    nodes: i64,
}

fn recipes(plan: &Plan) -> Vec<Recipe> {
    let mut found = Vec::new();
    for (_, run) in plan.workloads() {
        let gang = run.lead();
        let place = gang.program.place.value;
        let (machine, platform) = match place {
            Place::Pool(id) => (&plan.pool(id).unwrap().machine, "gke"),
            Place::Partition(id) => {
                let partition = plan.partition(id).unwrap();
                let made = !plan.model.get(partition.cluster).unwrap().existing;
                (&partition.machine, if made { "slurm of one's own" } else { "slurm" })
            }
            Place::Vertex(id) => (&plan.vertex(id).unwrap().machine, "vertex"),
        };
        let attached = plan.vertex(place.id()).is_some_and(|it| it.gpus > 0);
        let generation = machine.tpu.as_ref().map(|tpu| tpu.generation.clone());
        let family = match generation {
            Some(generation) => generation,
            None if machine.accelerator.is_some() || attached => machine.family.clone(),
            None => "cpu".to_owned(),
        };
        let body = &plan.model.get(place.id()).unwrap().body;
        let capacity = Pool::of(body).map(|it| &it.capacity.value);
        let capacity = capacity.or_else(|| VertexCluster::of(body).map(|it| &it.capacity.value));
        found.push(Recipe { family, platform, capacity: capacity.map(word), nodes: gang.nodes });
    }
    found
}

fn word(capacity: &Capacity) -> &'static str {
    match capacity {
        Capacity::OnDemand => "on demand",
        Capacity::Spot => "spot",
        Capacity::Reservation { .. } => "reservation",
        Capacity::AnyReservation => "any reservation",
        Capacity::FlexStart { .. } => "flex start",
        Capacity::Queued { .. } => "queued",
        Capacity::Calendar { .. } => "calendar",
    }
}

#[test]
fn every_recipe_is_clean_and_they_cover_what_there_is() {
    let paths = files(FOLDER, ".bp");
    assert!(paths.len() >= 60, "only {} recipes", paths.len());
    let mut alarms = String::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    for path in &paths {
        let (analysis, output) =
            checked(&Checkout, &Options { path: path.clone(), ..Options::default() });
        for report in reports(&analysis) {
            alarms.push_str(&format!("{path}: {report:?}\n"));
        }
        assert!(!output.artifacts.is_empty() || !alarms.is_empty(), "{path} renders nothing");
        let Some(plan) = &analysis.plan else { continue };
        for recipe in recipes(plan) {
            count(recipe.family);
            count(recipe.platform.to_owned());
            count(recipe.capacity.unwrap_or("there").to_owned());
            let size = match recipe.nodes {
                1 => "one node",
                2..8 => "a few nodes",
                8..100 => "dozens of nodes",
                _ => "hundreds of nodes",
            };
            count(size.to_owned());
        }
    }
    assert!(alarms.is_empty(), "\n{alarms}");
    let wanted = [
        &["a2-highgpu", "a2-megagpu", "a3-highgpu", "a3-megagpu", "a3-ultragpu", "a4-highgpu"][..],
        &["a4x-highgpu", "g2", "n1", "v4", "v5e", "v5p", "v6e", "7x", "cpu"],
        &["gke", "slurm", "slurm of one's own", "vertex"],
        &["on demand", "spot", "reservation", "flex start", "queued", "calendar"],
        &["one node", "a few nodes", "dozens of nodes", "hundreds of nodes"],
    ];
    let missing: Vec<_> =
        wanted.iter().flat_map(|it| it.iter()).filter(|it| !counts.contains_key(**it)).collect();
    assert!(missing.is_empty(), "no recipe has {missing:?}; they have {counts:#?}");
}

#[test]
fn every_recipe_names_its_source() {
    for path in files(FOLDER, ".bp") {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        let source = text.lines().find_map(|line| line.strip_prefix("## Source: "));
        let (whose, what) = source.and_then(|it| it.split_once(", ")).unwrap_or_default();
        assert!(
            !whose.is_empty() && what.len() > 4,
            "{path} needs `## Source: OWNER/REPOSITORY, PATH`, or a document and its section"
        );
    }
}

/// Published runs by what they train and on what: Megatron-LM, NeMo, Megatron Bridge, llm-foundry, torchtitan. Commits of what
/// names them were read on 2026-11-21.
const MODELS: &str = include_str!("recipes/models.tsv");

/// They work, so that none of them is said not to fit its devices, or not to divide.
#[test]
fn published_models_fit_their_devices() {
    let rows: Vec<Vec<&str>> =
        MODELS.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() > 500, "only {} rows", rows.len());
    let mut partitions: BTreeMap<&str, u32> = BTreeMap::new();
    let mut runs = String::new();
    for (at, row) in rows.iter().enumerate() {
        let [_, _, machine, nodes, parallel, model] = row[..] else { panic!("{row:?}") };
        let most = partitions.entry(machine).or_default();
        *most = nodes.parse::<u32>().unwrap().max(*most);
        let place = machine.replace('-', "_");
        runs.push_str(&format!(
            "workload w{at} on floor.{place} {{\n  image = no_container\n  nodes = {nodes}\n"
        ));
        runs.push_str("  launch = torchrun(\"train.py\")\n");
        runs.push_str(&format!("  parallel = {{ {parallel} }}\n  model = {{ {model} }}\n}}\n"));
    }
    let partitions: String = partitions
        .iter()
        .map(|(machine, nodes)| {
            let name = machine.replace('-', "_");
            format!(
                "  partition {name} {{\n    machine = \"{machine}\"\n    nodes = {nodes}\n  }}\n"
            )
        })
        .collect();
    let text = format!(
        "cluster floor on slurm {{\n  release = \"25.05\"\n  controllers = [\"head1\"]\n{partitions}}}\n{runs}"
    );
    let (analysis, _) = checked_text(&text);
    let found = reports(&analysis);
    assert!(found.is_empty(), "{found:#?}");
}
