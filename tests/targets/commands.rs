//! What the reader of commands takes for known before they run is what each target has them find.

use slipform_tests::text::{Rendered, rendered_unjudged};
use std::fmt::Write as _;

/// Counts that commands may ask for, by the variables that have them.
const COUNTS: [&str; 5] =
    ["NNODES", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"];

/// The places of the three platforms, with eight GPUs a node.
const PLACES: &str = r#"
existing network fabric {
  region = "us-east4"
}

bucket staging {
  location = "us-east4"
}

existing cluster main on gke {
  network = fabric
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-highgpu-8g"
    nodes    = 4
    capacity = on_demand
  }
}

existing cluster floor on slurm {
  partition h100 {
    machine = "hgx-h100"
    nodes   = 4
  }
}

cluster managed on vertex {
  region  = "us-east4"
  machine = "a3-highgpu-8g"
  staging = staging
}
"#;

/// A workload that shows the counts.
fn shown(place: &str, launch: &str, nodes: usize) -> Rendered {
    let asks = COUNTS.iter().fold(String::new(), |mut all, name| {
        let _ = write!(all, " {name}:\\${name}");
        all
    });
    let text = format!(
        "{PLACES}
workload show on {place} {{
  image  = \"nvcr.io/nvidia/nemo:24.07\"
  nodes  = {nodes}
  launch = {launch}([\"bash\", \"-c\", \"echo{asks}\"])
}}
"
    );
    rendered_unjudged(&text)
}

/// The counts that the reader knows.
fn known(run: &Rendered) -> Vec<(&'static str, String)> {
    let plan = &run.planned.plan;
    let line = plan.command_line(run.planned.id("show")).unwrap();
    let [echo] = line.programs.as_slice() else { panic!("{:?}", line.programs) };
    let told = |name: &'static str| {
        let word = echo.split(' ').find_map(|word| word.strip_prefix(&format!("{name}:")))?;
        (!word.is_empty()).then(|| (name, word.to_owned()))
    };
    COUNTS.into_iter().filter_map(told).collect()
}

/// The values that what is rendered gives a variable: in a pod, in a script, and by what a job asks of Slurm.
fn given(run: &Rendered, name: &str) -> Vec<String> {
    let texts = run.output.artifacts.iter().map(|it| it.content.as_str());
    let mut found = Vec::new();
    for text in texts {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2) {
            if pair[0].trim_start_matches("- ") == format!("name: {name}")
                && let Some(value) = pair[1].strip_prefix("value: ")
            {
                found.push(value.trim_matches(['"', '\'']).to_owned());
            }
        }
        let words = lines.iter().flat_map(|line| line.split_whitespace());
        let set = words.filter_map(|word| word.strip_prefix(&format!("{name}=")));
        let number = |it: &&str| it.chars().all(|c| c.is_ascii_digit()) && !it.is_empty();
        found.extend(set.filter(number).map(str::to_owned));
        if name.starts_with("SLURM_") {
            let asked = lines.iter().filter_map(|line| line.strip_prefix("#SBATCH --nodes="));
            found.extend(asked.map(str::to_owned));
        }
    }
    found
}

#[test]
fn counts_that_commands_find_are_those_that_are_given() {
    for (place, launch, wanted) in [
        ("main.gpus", "command", &[("NNODES", "4")][..]),
        ("main.gpus", "srun", &[("NNODES", "4"), ("WORLD_SIZE", "32"), ("LOCAL_WORLD_SIZE", "8")]),
        (
            "main.gpus",
            "mpirun",
            &[("NNODES", "4"), ("WORLD_SIZE", "32"), ("LOCAL_WORLD_SIZE", "8")],
        ),
        ("floor.h100", "command", &[("SLURM_NNODES", "4"), ("SLURM_JOB_NUM_NODES", "4")]),
        ("floor.h100", "srun", &[("SLURM_NNODES", "4"), ("SLURM_JOB_NUM_NODES", "4")]),
        ("managed", "command", &[("WORLD_SIZE", "4")]),
        ("managed", "srun", &[("WORLD_SIZE", "32"), ("LOCAL_WORLD_SIZE", "8")]),
    ] {
        let run = shown(place, launch, 4);
        let known = known(&run);
        let wanted: Vec<_> = wanted.iter().map(|(name, it)| (*name, (*it).to_owned())).collect();
        assert_eq!(known, wanted, "{place} {launch}");
        for (name, value) in known {
            let given = given(&run, name);
            assert!(!given.is_empty(), "{place} {launch}: nothing gives {name}");
            assert!(
                given.iter().all(|it| *it == value),
                "{place} {launch}: {name} is {value}, and {given:?} is given"
            );
        }
    }
}

#[test]
fn one_node_is_told_that_it_is_alone() {
    let alone = shown("main.gpus", "command", 1);
    assert_eq!(known(&alone), [("NNODES", "1".to_owned())]);
    assert_eq!(given(&alone, "NNODES"), ["1"]);
}
