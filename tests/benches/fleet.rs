//! How fast: a cold `check` of a small blueprint, and fleets of 100, 1,000 and 10,000 workloads.
//!
//! `cargo bench` runs the release binary, so that start-up and the writing of files count. Prints medians, throughput,
//! peak memory and the exponent of growth.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs
)]

mod work;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use work::{binary, ground, millis, workload};

fn main() {
    let binary = binary();
    let folder = std::env::temp_dir().join(format!("slipform-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let small = folder.join("small.bp");
    std::fs::write(&small, fleet(1)).unwrap();
    let (cold, memory) = median(15, || run(&binary, &["check", small.to_str().unwrap()]));
    println!(
        "cold check of a small blueprint   {:>8.1} ms   {memory:>5} MiB   (must: 15 ms)",
        millis(cold)
    );

    let mut times = Vec::new();
    for count in [100, 1_000, 10_000] {
        let path = folder.join(format!("fleet{count}.bp"));
        let text = fleet(count);
        std::fs::write(&path, &text).unwrap();
        let runs = if count > 1_000 { 5 } else { 9 };
        let (check, _) = median(runs, || run(&binary, &["check", path.to_str().unwrap()]));
        let (render, memory) =
            median(runs, || run(&binary, &["build", path.to_str().unwrap(), "--stdout"]));
        let bytes = Command::new(&binary)
            .args(["build", path.to_str().unwrap(), "--stdout"])
            .output()
            .unwrap()
            .stdout
            .len();
        println!(
            "{count:>6} workloads ({:>4} KB of source)   check {:>7.1} ms   build {:>7.1} ms   {:>5.1} MB out   {:>6.0} MB/s   {memory:>5} MiB",
            text.len() / 1000,
            millis(check),
            millis(render),
            bytes as f64 / 1e6,
            bytes as f64 / 1e6 / render.as_secs_f64(),
        );
        times.push((count as f64, render.as_secs_f64()));
    }
    let (a, b) = (times[1], times[2]);
    println!(
        "growth from 1,000 to 10,000: exponent {:.2}   (must: 60 ms, 500 ms, 200 MiB, 1.05)",
        (b.1 / a.1).log10()
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A blueprint of so many workloads.
fn fleet(workloads: usize) -> String {
    let mut text = ground(workloads);
    (0..workloads).for_each(|at| workload(&mut text, at));
    text
}

fn run(binary: &Path, args: &[&str]) -> (Duration, u64) {
    let script = "import resource, subprocess, sys\nr = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\nif r.returncode: sys.stderr.buffer.write(r.stderr); sys.exit(r.returncode)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)";
    let start = Instant::now();
    let status = Command::new(binary)
        .args(args)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    let time = start.elapsed();
    assert!(status.success(), "{args:?} failed");
    // The peak is measured by a process of its own, where there is one to measure with: the time is taken without it.
    let memory = Command::new("python3").arg("-c").arg(script).arg(binary).args(args).output();
    let memory = memory
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .and_then(|text| text.trim().parse().ok());
    (time, memory.unwrap_or(0))
}

fn median(runs: usize, mut one: impl FnMut() -> (Duration, u64)) -> (Duration, u64) {
    let mut found: Vec<(Duration, u64)> = (0..runs).map(|_| one()).collect();
    found.sort();
    let memory = found.iter().map(|(_, memory)| *memory).max().unwrap_or(0);
    (found[runs / 2].0, memory)
}
