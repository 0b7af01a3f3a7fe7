//! What two texts of one file come to, where a line or a word decides it.

use slipform_changes::{Change, Effect, File, changes};

fn told(path: &str, before: &str, after: &str) -> Vec<Change> {
    changes(&[File { path, text: before }], &[File { path, text: after }])
}

#[track_caller]
fn expect(path: &str, before: &str, after: &str, effect: Effect, commands: &[&str]) {
    let found = told(path, before, after);
    let said: Vec<_> = found.iter().map(|it| (it.effect, it.commands.as_slice())).collect();
    let commands: Vec<String> = commands.iter().map(|it| (*it).to_owned()).collect();
    assert_eq!(said, [(effect, commands.as_slice())], "{found:#?}");
}

const RESTART: &[&str] = &["systemctl restart slurmctld", "systemctl restart slurmd"];

#[test]
fn of_lines_of_slurm_the_worst_counts() {
    let path = "20-slurm/slurm.conf";
    let conf = "# of floor\nClusterName=floor\nNodeName=a[1-2] CPUs=8\nPartitionName=h100 Nodes=ALL MaxTime=60\nKillWait=30\n";
    let with = |from: &str, to: &str| conf.replace(from, to);
    let later = with("MaxTime=60", "MaxTime=90");
    expect(path, conf, &with("# of floor", "# of hall"), Effect::Nothing, &[]);
    expect(path, conf, &later, Effect::InPlace, &["scontrol reconfigure"]);
    let grown = later.replace("a[1-2]", "a[1-4]");
    expect(path, conf, &grown, Effect::Restarts, RESTART);
    expect(path, conf, &format!("{conf}AuthType=auth/munge\n"), Effect::Restarts, RESTART);
    let renamed = grown.replace("ClusterName=floor", "ClusterName=hall");
    expect(path, conf, &renamed, Effect::Replaces, RESTART);
}

#[test]
fn a_range_grows_in_place_only_around_what_it_was() {
    let subnet = |range: &str| {
        format!(
            "resource \"google_compute_subnetwork\" \"a\" {{\n  name          = \"a\"\n  ip_cidr_range = \"{range}\"\n}}\n"
        )
    };
    let path = "10-foundation/network.tf";
    let small = subnet("10.0.0.0/16");
    expect(path, &small, &subnet("10.0.0.0/14"), Effect::InPlace, &[]);
    for other in ["10.0.0.0/20", "172.16.0.0/12", "10.4.0.0/14"] {
        expect(path, &small, &subnet(other), Effect::Replaces, &[]);
    }
}

#[test]
fn what_reads_a_file_decides_what_its_change_does() {
    for (path, effect) in [
        ("50-workloads/train/train.sbatch", Effect::NextStart),
        ("50-workloads/train/request.json", Effect::NextStart),
        ("40-images/nemo/cloudbuild.yaml", Effect::NextStart),
        ("README.md", Effect::Nothing),
        ("10-foundation/notes.txt", Effect::MayReplace),
    ] {
        expect(path, "1\n", "2\n", effect, &[]);
    }
}
