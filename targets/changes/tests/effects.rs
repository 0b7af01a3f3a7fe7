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

#[test]
fn blocks_that_are_written_by_a_rule_are_blocks() {
    let cluster = |offices: &str| {
        format!(
            "resource \"google_container_cluster\" \"this\" {{\n  master_authorized_networks_config {{\n    dynamic \"cidr_blocks\" {{\n      for_each = {{{offices}}}\n      content {{\n        display_name = cidr_blocks.key\n        cidr_block   = cidr_blocks.value\n      }}\n    }}\n  }}\n}}\n"
        )
    };
    let path = "30-main/cluster.tf";
    let one = cluster("office = \"192.0.2.0/24\"");
    let found = told(path, &one, &cluster("office = \"198.51.100.0/24\""));
    let details = &found.first().unwrap().details;
    assert_eq!(found.first().unwrap().effect, Effect::InPlace, "{found:#?}");
    assert_eq!(details.first().unwrap().after.as_deref(), Some("198.51.100.0/24"), "{found:#?}");
    expect(
        path,
        &one,
        &cluster("office = \"192.0.2.0/24\", home = \"203.0.113.7/32\""),
        Effect::InPlace,
        &[],
    );
}

fn volume(server: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: lake\nspec:\n  nfs: {{server: {server}}}\n  claimRef: {{name: lake, namespace: team}}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: lake, namespace: team}}\nspec: {{volumeName: lake}}\n"
    )
}

#[test]
fn what_is_held_is_deleted_behind_what_holds_it() {
    let path = "40-main-queues/volumes.yaml";
    let claim = "kubectl delete persistentvolumeclaim lake --namespace=team --ignore-not-found";
    let lake = "kubectl delete persistentvolume lake --ignore-not-found";
    expect(
        path,
        &volume("192.0.2.1"),
        &volume("192.0.2.2"),
        Effect::ByHand,
        &[claim, lake, "40-main-queues/install.sh"],
    );
    let found = told(path, &volume("192.0.2.1"), "");
    let things: Vec<_> = found.iter().map(|it| it.thing.as_str()).collect();
    assert_eq!(things, ["PersistentVolumeClaim team/lake", "PersistentVolume lake"]);
}

#[test]
fn what_a_run_has_for_itself_goes_with_it() {
    let run = |nodes: u8| {
        format!(
            "# again: kubectl delete jobset train && kubectl apply -k .\napiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {{name: train, namespace: team}}\nspec: {{replicatedJobs: [{{name: node, replicas: {nodes}}}]}}\n---\napiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {{name: train, namespace: team}}\nspec: {{numNodes: {nodes}}}\n"
        )
    };
    let again = "kubectl delete jobset train && kubectl delete computedomain train --namespace=team --ignore-not-found && kubectl apply -k 50-workloads/train";
    for change in told("50-workloads/train/jobset.yaml", &run(2), &run(4)) {
        assert_eq!(
            (change.effect, change.commands.as_slice()),
            (Effect::ByHand, [again.to_owned()].as_slice())
        );
    }
}

#[test]
fn files_that_no_api_has_are_not_deleted_there() {
    for text in ["image: {tag: v1}\n", "kind: Kustomization\nresources: [a.yaml]\n", "a: [\n"] {
        for change in told("30-main/values.yaml", text, "") {
            assert_eq!((change.effect, change.thing.as_str()), (Effect::Nothing, "values.yaml"));
            assert!(change.commands.is_empty(), "{change:#?}");
        }
    }
}

#[test]
fn a_flavor_is_held_by_the_queues_that_name_it() {
    let queues = |label: &str| {
        format!(
            "kind: ResourceFlavor\nmetadata: {{name: gpus}}\nspec: {{topologyName: block, nodeLabels: {{pool: {label}}}}}\n---\nkind: ClusterQueue\nmetadata: {{name: team}}\nspec: {{resourceGroups: [{{flavors: [{{name: gpus}}]}}]}}\n"
        )
    };
    let drained = "kubectl patch clusterqueue team --type=merge --patch='{\"spec\":{\"stopPolicy\":\"HoldAndDrain\"}}'";
    let commands = [
        drained,
        "kubectl delete clusterqueue team --ignore-not-found",
        "kubectl delete resourceflavor gpus --ignore-not-found",
        "40-main-queues/install.sh",
    ];
    expect("40-main-queues/queues.yaml", &queues("a"), &queues("b"), Effect::ByHand, &commands);
}

#[test]
fn the_order_of_a_set_means_nothing() {
    let pool = |zones: &str| {
        format!(
            "resource \"google_container_node_pool\" \"gpus\" {{\n  node_locations = [{zones}]\n}}\n"
        )
    };
    let path = "30-main/node_pools.tf";
    let both = pool("\"us-east4-a\", \"us-east4-b\"");
    expect(path, &both, &pool("\"us-east4-b\", \"us-east4-a\""), Effect::Nothing, &[]);
    expect(path, &both, &pool("\"us-east4-b\""), Effect::Restarts, &[]);
}
