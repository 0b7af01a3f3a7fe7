//! What both benchmarks work on, and with.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A network and a cluster with a pool for every hundred workloads.
pub(crate) fn ground(workloads: usize) -> String {
    let mut text = String::from(
        "param project: ProjectId = \"my-project\"\n\nnetwork net {\n  region   = \"us-east4\"\n  subnet   = 10.0.0.0/16\n  pods     = 10.64.0.0/10\n  services = 10.1.0.0/16\n}\n\ncluster fleet on gke {\n  network       = net\n  zone          = \"us-east4-a\"\n  control_plane = 172.16.0.0/28\n",
    );
    for pool in 0..workloads.div_ceil(100) {
        let machine = "machine = \"g2-standard-96\"";
        writeln!(text, "  pool p{pool} {{\n    {machine}\n    nodes   = 16\n  }}").unwrap();
    }
    text + "}\n"
}

/// One workload, written out.
pub(crate) fn workload(text: &mut String, at: usize) {
    let (pool, steps) = (at / 100, 1000 + at);
    writeln!(
        text,
        "\nworkload w{at} on fleet.p{pool} {{\n  image    = \"us-docker.pkg.dev/my-project/images/train:v{at}\"\n  nodes    = 4\n  launch   = torchrun(\"train.py\", args = {{ steps = {steps}, seed = {at} }})\n  parallel = {{ tensor = 8, pipeline = 2 }}\n  env      = {{ RUN = \"run-{at}\" }}\n}}"
    )
    .unwrap();
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The release binary, built on demand, or the one that `SLIPFORM` names.
pub(crate) fn binary() -> PathBuf {
    if let Some(program) = std::env::var_os("SLIPFORM") {
        return program.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = ["build", "--release", "--quiet", "--package", "slipform"];
    let status = Command::new(cargo).current_dir(root).args(build).status();
    assert!(status.unwrap().success(), "the release binary cannot be built");
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("release/slipform")
}
