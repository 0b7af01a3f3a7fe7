//! What two texts of one file come to, where a line or a word decides it.

use slipform_changes::{Change, Effect, File, changes};
use std::collections::BTreeSet;

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

const CONTROLLERS: &str = "systemctl restart slurmctld  # on each controller";
const NODES: &str = "systemctl restart slurmd  # on every node";
const RESTART: &[&str] = &[CONTROLLERS, NODES];

#[test]
fn of_lines_of_slurm_the_worst_counts() {
    let path = "20-slurm/slurm.conf";
    let conf = "# of floor\nClusterName=floor\nNodeName=a[1-2] CPUs=8\nPartitionName=h100 Nodes=ALL MaxTime=60\nKillWait=30\n";
    let with = |from: &str, to: &str| conf.replace(from, to);
    let later = with("MaxTime=60", "MaxTime=90");
    expect(path, conf, &with("# of floor", "# of hall"), Effect::Nothing, &[]);
    expect(path, conf, &later, Effect::InPlace, &["scontrol reconfigure  # on a controller"]);
    let grown = later.replace("a[1-2]", "a[1-4]");
    let come = "systemctl enable --now munge slurmd  # on a[3-4], with the new slurm.conf";
    expect(path, conf, &grown, Effect::Restarts, &[CONTROLLERS, NODES, come]);
    expect(path, conf, &format!("{conf}AuthType=auth/munge\n"), Effect::Restarts, RESTART);
    let renamed = grown.replace("ClusterName=floor", "ClusterName=hall");
    let first = "on a controller, before the new slurm.conf is installed; jobs there end first";
    let drained = format!("scontrol update PartitionName=h100 State=DRAIN  # {first}");
    let ended = "squeue  # on a controller, until it lists none: jobs that wait begin still, and `scancel --state=pending` ends those that are not to";
    expect(path, conf, &renamed, Effect::Replaces, &[&drained, ended, CONTROLLERS, NODES, come]);
}

#[test]
fn another_release_of_slurm_is_an_upgrade() {
    let path = "20-slurm/slurm.conf";
    let of =
        |release: &str| format!("# Slurm {release} cluster floor\n# cluster floor\nKillWait=30\n");
    let upgrade: &[&str] = &[
        "systemctl stop slurmdbd && mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on its host, where there is one, before its packages are upgraded",
        "systemctl restart slurmdbd  # on its host",
        CONTROLLERS,
        NODES,
    ];
    for (old, new) in [("22.05", "23.11"), ("23.02", "24.11"), ("24.05", "25.11")] {
        expect(path, &of(old), &of(new), Effect::Restarts, upgrade);
    }
    for (old, new) in [("22.05", "24.05"), ("23.11", "25.11")] {
        expect(path, &of(old), &of(new), Effect::Replaces, upgrade);
    }
    // what was counted is there from before
    let (old, new) = (of("23.11"), of("23.02"));
    let back = told(path, &old, &new);
    let [counted, state, nodes] = back.first().unwrap().commands.as_slice() else {
        panic!("{back:#?}")
    };
    assert!(counted.contains("mysql slurm_acct_db <slurm_acct_db.sql"), "{counted}");
    assert!(state.contains("mv /var/spool /var/spool.later"), "{state}");
    assert_eq!(nodes, NODES);
    let (old, new) = (of("23.11"), of("24.05").replace("=30", "=60"));
    let found = told(path, &old, &new);
    let details: Vec<_> =
        found.iter().flat_map(|it| &it.details).map(|it| it.after.as_deref()).collect();
    assert_eq!(details, [Some("24.05"), Some("KillWait=60")]);
    assert_eq!(found.first().unwrap().origin, "cluster floor");
}

#[test]
fn the_digest_of_the_rest_is_no_change() {
    let labels = |digest: &str, team: &str| {
        format!(
            "kind: Kustomization\nlabels:\n- pairs:\n    app.kubernetes.io/version: {digest}\n    team: {team}\n"
        )
    };
    let path = "40-main-queues/kustomization.yaml";
    expect(path, &labels("a1", "x"), &labels("b2", "x"), Effect::Nothing, &[]);
    expect(path, &labels("a1", "x"), &labels("b2", "y"), Effect::InPlace, &[]);
    let path = "40-main-queues/install.sh";
    let script = |digest: &str, tool: &str| {
        format!("tools=({tool})\nothers='a=b,app.kubernetes.io/version!={digest}'\n")
    };
    expect(path, &script("a1", "x"), &script("b2", "x"), Effect::Nothing, &[]);
    expect(path, &script("a1", "x"), &script("b2", "y"), Effect::InPlace, &[]);
}

#[test]
fn outputs_that_go_are_told_with_who_asked_for_them() {
    let outputs = |names: &[&str]| -> String {
        let output = |name: &&str| {
            format!("# bucket {name}\noutput \"{name}_url\" {{\n  value = \"gs://{name}\"\n}}\n")
        };
        names.iter().map(output).collect()
    };
    let (both, one) = (outputs(&["data", "lake"]), outputs(&["data"]));
    let script = "read_output 10-foundation lake_url\n";
    let before = [
        File { path: "10-foundation/outputs.tf", text: &both },
        File { path: "50-workloads/train/submit.sh", text: script },
        File { path: "50-workloads/eval/submit.sh", text: "read_output 10-foundation data_url\n" },
    ];
    let after = [File { path: "10-foundation/outputs.tf", text: &one }, before[1], before[2]];
    let found = changes(&before, &after);
    let said: Vec<_> =
        found.iter().map(|it| (it.effect, it.thing.as_str(), it.origin.as_str())).collect();
    assert_eq!(said, [(Effect::InPlace, "output lake_url", "bucket lake")]);
    assert_eq!(
        found.first().unwrap().why,
        "it is gone, and who asks for it finds nothing; `50-workloads/train/submit.sh` asked for it"
    );
    let other = both.replace("gs://lake", "gs://pond");
    expect("10-foundation/outputs.tf", &both, &other, Effect::InPlace, &[]);
    expect("10-foundation/outputs.tf", &one, &both, Effect::Nothing, &[]);
}

#[test]
fn a_cluster_that_is_made_in_another_folder_is_made_anew() {
    let cluster = "# cluster a3m\nresource \"google_container_cluster\" \"this\" {\n  location = \"us-east4-a\"\n}\n";
    let object = "# cluster a3m\nkind: ResourceFlavor\nmetadata: {name: gpus}\n";
    let [old, objects] = ["30-a3m/cluster.tf", "40-a3m-queues/queues.yaml"];
    let before = [File { path: old, text: cluster }, File { path: objects, text: object }];
    let after = [File { path: "30-east/cluster.tf", text: cluster }];
    let said = |after: &[File<'_>]| -> Vec<(Effect, usize)> {
        let left = changes(&before, after).into_iter().filter(|it| it.effect != Effect::Adds);
        left.map(|it| (it.effect, it.commands.len())).collect()
    };
    assert_eq!(said(&after), [(Effect::Replaces, 1), (Effect::ByHand, 0)]);
    assert_eq!(said(&[]), [(Effect::ByHand, 1), (Effect::ByHand, 0)]);
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
fn another_size_of_packets_is_told_of_what_runs() {
    let network = |mtu: u32| {
        format!(
            "resource \"google_compute_network\" \"a\" {{\n  name = \"a\"\n  mtu  = {mtu}\n}}\n"
        )
    };
    expect("10-foundation/network.tf", &network(1460), &network(8896), Effect::Restarts, &[]);
}

#[test]
fn a_range_of_managed_services_stays_as_long_as_it_is_connected() {
    let range = |label: &str, length: u32| {
        format!(
            "resource \"google_compute_global_address\" \"{label}\" {{\n  name          = \"{label}\"\n  purpose       = \"VPC_PEERING\"\n  prefix_length = {length}\n}}\n"
        )
    };
    let connection = |ranges: &[&str]| {
        let names: Vec<String> =
            ranges.iter().map(|it| format!("google_compute_global_address.{it}.name")).collect();
        format!(
            "resource \"google_service_networking_connection\" \"a\" {{\n  network                 = \"a\"\n  service                 = \"s\"\n  reserved_peering_ranges = [{}]\n}}\n",
            names.join(", ")
        )
    };
    let path = "10-foundation/network.tf";
    let one = |length| range("a", length) + &connection(&["a"]);
    let found = told(path, &one(20), &one(18));
    let of_it = found.iter().find(|it| it.thing.contains("global_address")).unwrap();
    assert_eq!(of_it.effect, Effect::Replaces);
    assert!(of_it.stopped_by.as_deref().unwrap().contains("does not let a range go"));
    assert!(of_it.lifted_by.as_deref().unwrap().contains("more_private_services"));
    let both = range("a", 20) + &range("b", 18) + &connection(&["a", "b"]);
    for (before, after) in [(one(20), both.clone()), (both, one(20)), (one(20), range("a", 18))] {
        let found = told(path, &before, &after);
        assert!(found.iter().all(|it| it.stopped_by.is_none()), "{found:#?}");
    }
}

#[test]
fn fewer_machines_end_with_their_disks_and_another_template_ends_none() {
    let group = |size: u32| {
        format!(
            "resource \"google_compute_instance_group_manager\" \"a\" {{\n  name        = \"a\"\n  target_size = {size}\n}}\n"
        )
    };
    let path = "30-a/machines.tf";
    expect(path, &group(2), &group(4), Effect::InPlace, &[]);
    expect(path, &group(4), &group(2), Effect::DestroysData, &[]);
    let template = |machine: &str| {
        format!(
            "resource \"google_compute_instance_template\" \"a\" {{\n  machine_type = \"{machine}\"\n}}\n"
        )
    };
    let other = template("n2-standard-16");
    expect(path, &template("n2-standard-8"), &other, Effect::NextStart, &[]);
    // labels are of the template alone
    let labelled = |team: &str| {
        template("n2-standard-8").replace(
            "machine_type",
            &format!("labels = {{\n    team = \"{team}\"\n  }}\n  machine_type"),
        )
    };
    expect(path, &labelled("research"), &labelled("llm"), Effect::NextStart, &[]);
}

#[test]
fn a_filesystem_of_a_basic_tier_only_grows() {
    let share = |tier: &str, size: u32| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  tier = \"{tier}\"\n  file_shares {{\n    name        = \"share\"\n    capacity_gb = {size}\n  }}\n}}\n"
        )
    };
    let path = "10-foundation/storage.tf";
    for tier in ["BASIC_SSD", "BASIC_HDD"] {
        expect(path, &share(tier, 2560), &share(tier, 5120), Effect::InPlace, &[]);
        expect(path, &share(tier, 5120), &share(tier, 2560), Effect::ByHand, &[]);
    }
    expect(path, &share("ZONAL", 5120), &share("ZONAL", 2560), Effect::InPlace, &[]);
    for tier in ["ZONAL", "REGIONAL"] {
        expect(path, &share(tier, 5120), &share(tier, 12_800), Effect::ByHand, &[]);
        expect(path, &share(tier, 12_800), &share(tier, 5120), Effect::ByHand, &[]);
        expect(path, &share(tier, 12_800), &share(tier, 10_240), Effect::InPlace, &[]);
    }
}

#[test]
fn what_a_filesystem_holds_is_copied_before_it_goes() {
    let share = |place: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name = \"homes\"\n  location = \"{place}\"\n  file_shares {{\n    name        = \"share\"\n    capacity_gb = 2560\n  }}\n}}\n"
        )
    };
    let kept = |place: &str| {
        let home = fate(&share(place), "", "google_filestore_instance.home").unwrap();
        assert_eq!(home.effect, Effect::DestroysData);
        home.commands.concat()
    };
    let zonal = "gcloud filestore backups create homes-before --instance=homes --instance-zone=us-east4-b --file-share=share --region=us-east4  # ";
    assert!(kept("us-east4-b").starts_with(zonal), "{}", kept("us-east4-b"));
    let regional = "--instance-location=us-east4 --file-share=share --region=us-east4  # ";
    assert!(kept("us-east4").contains(regional), "{}", kept("us-east4"));
    // what is there already takes a backup of a basic tier alone
    let moved = |tier: &str| {
        let of = |place: &str| {
            share(place).replace("  file_shares", &format!("  tier = \"{tier}\"\n  file_shares"))
        };
        let (old, new) = (of("us-east4-b"), of("us-east4-c"));
        fate(&old, &new, "google_filestore_instance.home").unwrap().commands
    };
    let restored = "gcloud filestore instances restore homes --zone=us-east4-c --file-share=share --source-backup=homes-before --source-backup-region=us-east4  # once that is applied";
    assert!(moved("BASIC_SSD").last().unwrap().starts_with(restored), "{:?}", moved("BASIC_SSD"));
    let [backed, applied, _] = &moved("BASIC_SSD")[..] else { panic!("{:?}", moved("BASIC_SSD")) };
    assert!(backed.starts_with("gcloud filestore backups create "), "{backed}");
    assert!(applied.ends_with(" apply"), "{applied}");
    let zonal = moved("ZONAL");
    let starts = [
        "gcloud filestore backups create homes-before ",
        "terraform -chdir=10-foundation apply",
        "gcloud filestore instances create homes-former --location=us-east4-c --tier=ZONAL --file-share=name=share,capacity=2560GB,source-backup=homes-before,source-backup-region=us-east4 --network=name=\"$(gcloud ",
        "read -r FORMER NEXT <<<\"$(gcloud filestore instances describe homes-former --location=us-east4-c ",
        "sudo mkdir -p /mnt/former /mnt/next && ",
        "gcloud filestore instances delete homes-former --location=us-east4-c",
    ];
    assert_eq!(zonal.len(), starts.len(), "{zonal:#?}");
    for (command, start) in zonal.iter().zip(starts) {
        assert!(command.starts_with(start), "{command}");
    }
    // the provider would change a name by itself, which the API does not
    let of = |name: &str| {
        share("us-east4-b")
            .replace("\"homes\"", &format!("\"{name}\""))
            .replace("  file_shares", "  tier = \"BASIC_SSD\"\n  file_shares")
    };
    let named = fate(&of("homes"), &of("people"), "google_filestore_instance.home").unwrap();
    assert_eq!(named.effect, Effect::DestroysData);
    let [_, applied, restored] = &named.commands[..] else { panic!("{named:#?}") };
    assert!(applied.ends_with(" apply -replace=google_filestore_instance.home"), "{applied}");
    assert!(restored.contains("instances restore people "), "{restored}");
}

#[test]
fn a_disk_that_gets_smaller_is_made_anew() {
    let disk = |size: u32| {
        format!("resource \"google_compute_disk\" \"weights\" {{\n  size = {size}\n}}\n")
    };
    let path = "10-foundation/storage.tf";
    expect(path, &disk(500), &disk(600), Effect::InPlace, &[]);
    expect(path, &disk(600), &disk(500), Effect::DestroysData, &[]);
}

#[test]
fn who_takes_the_address_of_what_is_made_anew_is_applied_again() {
    let stored = |place: &str| {
        format!(
            "# filesystem home\nresource \"google_filestore_instance\" \"home\" {{\n  location = \"{place}\"\n}}\n\n# filesystem home\noutput \"home_address\" {{\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}}\n\n# filesystem home\noutput \"home_name\" {{\n  value = google_filestore_instance.home.name\n}}\n"
        )
    };
    let fill = "value=\"$(output ../10-foundation home_address)\"\n";
    let of = |text: &'static str| {
        let (old, new) = (stored("us-east4-a"), stored("us-east4-b"));
        let files = |storage| {
            let readers = [("40-a-queues/fill-deferred.sh", text), ("30-hpc/cluster.yaml", text)];
            let readers = readers.map(|(path, text)| File { path, text });
            [vec![File { path: "10-foundation/a.tf", text: storage }], readers.to_vec()].concat()
        };
        let found = changes(&files(old.as_str()), &files(new.as_str()));
        let told = found.into_iter().map(|it| (it.effect, it.root, it.origin));
        told.collect::<Vec<_>>()
    };
    let told = |effect, root: &str| (effect, root.to_owned(), "filesystem home".to_owned());
    let destroyed = told(Effect::DestroysData, "10-foundation");
    let passed = [
        destroyed.clone(),
        told(Effect::MayReplace, "30-hpc"),
        told(Effect::ByHand, "40-a-queues"),
        told(Effect::InPlace, "10-foundation"),
    ];
    assert_eq!(of(fill), passed);
    assert_eq!(
        of("value=\"$(output ../10-foundation home_name)\"\n"),
        std::slice::from_ref(&destroyed)
    );
    assert_eq!(of("value=home\n"), [destroyed]);
}

#[test]
fn a_bucket_that_keeps_longer_is_told_with_what_fails() {
    let kept =
        |seconds: u32| format!("retention_policy {{\n    retention_period = \"{seconds}\"\n  }}");
    let why = "what is younger is neither deleted nor written over: runs that do so there fail";
    comes_to("google_storage_bucket", "", &kept(60), Effect::InPlace, why);
    comes_to("google_storage_bucket", &kept(60), &kept(90), Effect::InPlace, why);
    comes_to("google_storage_bucket", &kept(90), &kept(60), Effect::InPlace, "");
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
    for file in ["image.pkr.hcl", "10-cuda.sh"] {
        let path = format!("25-machine-images/cuda/{file}");
        let built = ["packer build 25-machine-images/cuda"];
        expect(&path, "1\n", "2\n", Effect::NextStart, &built);
        expect(&path, "1\n", "# a\n1\n", Effect::Nothing, &[]);
    }
}

#[test]
fn what_cluster_toolkit_reads_is_planned_by_its_deployment() {
    for file in ["cluster.yaml", "deployment.yaml"] {
        let path = format!("30-hpc/{file}");
        let found = told(&path, "zone: a\n", "zone: b\n");
        let said: Vec<_> = found.iter().map(|it| (it.effect, it.commands.last())).collect();
        assert_eq!(said, [(Effect::MayReplace, Some(&"gcluster deploy hpc".to_owned()))]);
        expect(&path, "# a\nzone: a\n", "zone: a\n", Effect::Nothing, &[]);
    }
    let before = [File { path: "30-hpc/cluster.yaml", text: "blueprint_name: hpc\n" }];
    let left = changes(&before, &[]);
    let said: Vec<_> = left.iter().map(|it| (it.effect, it.commands.as_slice())).collect();
    let create = "gcluster create 30-hpc/cluster.yaml --deployment-file=30-hpc/deployment.yaml --backend-config=\"bucket=$STATE\" --overwrite-deployment";
    let [(Effect::ByHand, [drained, ended, commands @ ..])] = said.as_slice() else {
        panic!("{left:#?}")
    };
    assert!(drained.contains("State=DRAIN") && ended.starts_with("until jobs="), "{left:#?}");
    let destroy = "gcluster destroy hpc  # before any folder is applied";
    assert_eq!(*commands, [create, destroy].map(str::to_owned));
}

#[test]
fn a_line_that_becomes_like_another_of_its_file_is_told() {
    let nodes = |a: &str, b: &str| {
        let module = |id: &str, machine: &str| {
            format!("  - id: {id}\n    source: a\n    settings:\n      machine_type: {machine}\n")
        };
        let modules = format!("{}{}", module("nodes-debug", a), module("login", b));
        format!("deployment_groups:\n- group: cluster\n  modules:\n{modules}")
    };
    let told = |path: &str, old: &str, new: &str| {
        let found = changes(&[File { path, text: old }], &[File { path, text: new }]);
        let details = found.iter().flat_map(|it| &it.details);
        details.map(|it| (it.path.clone(), it.before.clone(), it.after.clone())).collect::<Vec<_>>()
    };
    let (small, large) = (Some("small".to_owned()), Some("large".to_owned()));
    let (old, new) = (nodes("small", "large"), nodes("large", "large"));
    let path = "machine_type".to_owned();
    assert_eq!(told("30-hpc/cluster.yaml", &old, &new), [(path, small, large)]);
    let (old, new) = ("sleep 1\nsleep 2\nsleep 1\n", "sleep 1\nsleep 2\nsleep 2\n");
    let line = |text: &str| Some(text.to_owned());
    let wanted = [(String::new(), line("sleep 1"), line("sleep 2"))];
    assert_eq!(told("50-workloads/train/train.sbatch", old, new), wanted);
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

fn store(network: &str, share: &str) -> String {
    format!(
        "resource \"google_compute_network\" \"x\" {{\n  for_each = toset([\"a\", \"b\"])\n  name = \"{network}-${{each.key}}\"\n}}\nresource \"google_filestore_instance\" \"home\" {{\n  name = \"home\"\n  networks {{\n    network = google_compute_network.x[\"a\"].name\n  }}\n{share}}}\n"
    )
}

#[track_caller]
fn fate(before: &str, after: &str, thing: &str) -> Option<Change> {
    let found = told("10-foundation/main.tf", before, after);
    found.into_iter().find(|it| it.thing == thing)
}

#[test]
fn a_written_value_is_followed_to_who_takes_it() {
    let home = "google_filestore_instance.home";
    let found = fate(&store("main", ""), &store("other", ""), home).unwrap();
    assert_eq!(found.effect, Effect::DestroysData);
    assert_eq!(
        found.why,
        "`networks.network` is the `name` of `google_compute_network.x`, which is another"
    );
    let with_b = |text: &str, b: &str| text.replace("[\"a\", \"b\"]", &format!("[\"a\"{b}]"));
    let other = told("a/main.tf", &store("main", ""), &with_b(&store("main", ""), ""));
    let things: Vec<_> = other.iter().map(|it| it.thing.as_str()).collect();
    assert_eq!(things, ["google_compute_network.x[\"b\"]"]);
    let chain = |name: &str| {
        format!(
            "resource \"google_compute_network\" \"x\" {{\n  name = \"{name}\"\n}}\nresource \"google_compute_network\" \"y\" {{\n  name = google_compute_network.x.name\n}}\nresource \"google_filestore_instance\" \"home\" {{\n  networks {{\n    network = google_compute_network.y.name\n  }}\n}}\n"
        )
    };
    assert_eq!(fate(&chain("p"), &chain("q"), home).unwrap().effect, Effect::DestroysData);
    let pool = |version: &str| {
        format!(
            "resource \"google_container_cluster\" \"this\" {{\n  min_master_version = \"{version}\"\n}}\nresource \"google_container_node_pool\" \"gpus\" {{\n  version = google_container_cluster.this.min_master_version\n}}\n"
        )
    };
    let gpus = fate(&pool("1.32"), &pool("1.33"), "google_container_node_pool.gpus").unwrap();
    assert_eq!(gpus.effect, Effect::Restarts);
}

#[test]
fn a_protection_that_the_change_lifts_is_told_as_it_works() {
    let home = "google_filestore_instance.home";
    let prevent = "  lifecycle {\n    prevent_destroy = true\n  }\n";
    let stop = |before: &str, after: &str| {
        let found = fate(&store("main", before), &store("other", after), home).unwrap();
        (found.stopped_by.unwrap_or_default(), found.why.contains("stops nothing"))
    };
    let early = "`prevent_destroy`: Terraform stops before it does anything".to_owned();
    assert_eq!(stop(prevent, prevent), (early.clone(), false));
    assert_eq!(stop("", prevent), (early, false));
    assert_eq!(stop(prevent, ""), (String::new(), true));
    let on = "  deletion_protection_enabled = true\n  deletion_protection = true\n";
    let off = on.replace("true", "false");
    let late = "`deletion_protection`: the provider does not destroy it, as it was applied last: the apply stops there, after others are gone";
    assert_eq!(stop(on, &off), (late.to_owned(), false));
    assert_eq!(stop(&format!("{on}{prevent}"), &off), (late.to_owned(), true));
    assert_eq!(stop(&off, on), (String::new(), false));
    let gone = fate(&store("main", prevent), "", home).unwrap();
    assert_eq!((gone.stopped_by.as_deref(), gone.effect), (None, Effect::DestroysData));
    let emptied = |keys: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  for_each = toset([{keys}])\n{prevent}}}\n"
        )
    };
    let held =
        fate(&emptied("\"a\""), &emptied(""), "google_filestore_instance.home[\"a\"]").unwrap();
    assert!(held.stopped_by.is_some_and(|it| it.starts_with("`prevent_destroy`")));
}

#[test]
fn the_state_of_controllers_is_copied_into_another_folder() {
    let path = "20-slurm/slurm.conf";
    let commands = [
        "systemctl stop slurmctld  # on head1",
        "mkdir -p /shared/slurmctld && rsync -a /var/spool/slurmctld/ /shared/slurmctld/  # on head1",
        "systemctl start slurmctld  # on head1, with the new slurm.conf",
        "systemctl enable --now munge slurmctld  # on head2, with the new slurm.conf",
        NODES,
    ];
    let after = CONF
        .replace("StateSave", "SlurmctldHost=head2(10.0.0.11)\nStateSave")
        .replace("/var/spool", "/shared");
    expect(path, CONF, &after, Effect::Restarts, &commands);
    let why = &told(path, CONF, &after).first().unwrap().why.clone();
    assert!(why.contains("all jobs go on"), "{why}");
    // back again, the other controller has to read what the first has alone
    let back = [
        "systemctl disable --now slurmctld  # on head2",
        "systemctl stop slurmctld  # on head1",
        "mkdir -p /var/spool/slurmctld && rsync -a /shared/slurmctld/ /var/spool/slurmctld/  # on head1",
        "systemctl start slurmctld  # on head1, with the new slurm.conf",
        NODES,
    ];
    expect(path, &after, CONF, Effect::Restarts, &back);
    // whoever stays has the folder from then on
    let alone = CONF.replace("head1(", "head2(");
    let copied = told(path, &after, &alone).into_iter().flat_map(|it| it.commands);
    let copied: Vec<String> = copied.filter(|it| it.contains("rsync ")).collect();
    assert!(copied.iter().all(|it| it.ends_with("# on head2")) && !copied.is_empty(), "{copied:?}");
    // an upgrade at the same time is one as well
    let release = |release: &str, text: &str| format!("# Slurm {release} cluster floor\n{text}");
    let found = told(path, &release("23.11", CONF), &release("24.05", &after));
    let given = &found.first().unwrap().commands;
    assert!(given.iter().any(|it| it.contains("rsync")), "{found:#?}");
    assert!(given.iter().any(|it| it == "systemctl restart slurmdbd  # on its host"), "{found:#?}");
    let other = after.replace("Name=h100", "Name=h200");
    let found = told(path, CONF, &other);
    let other = found.first().unwrap();
    assert_eq!((other.effect, other.partitions.len()), (Effect::Replaces, 1), "{found:#?}");
    assert!(other.commands.iter().any(|it| it.contains("rsync")), "{found:#?}");
}

const CONF: &str = "SlurmctldHost=head1(10.0.0.10)\nStateSaveLocation=/var/spool/slurmctld\nNodeName=a[01-04] CPUs=8\nNodeSet=first Nodes=a[01-02]\nPartitionName=DEFAULT State=UP\nPartitionName=h100 Nodes=ALL\nPartitionName=prep Nodes=first\n";

#[test]
fn jobs_end_with_the_nodes_and_partitions_that_they_have() {
    let path = "20-slurm/slurm.conf";
    const GOES: &str =
        "  # on a controller, before the new slurm.conf is installed; jobs there end first";
    const UNTIL: &str = "  # on a controller, until it lists none";
    for (from, to, effect, why, before, after) in [
        (
            "a[01-04]",
            "a[01-03]",
            Effect::Restarts,
            "gone are `a04`: jobs there end as on nodes that fail, and go back to the queue if they may",
            ["NodeName=a04 State=DRAIN Reason=goes", "--nodelist=a04"],
            // what is no node any more does not start again with its host
            Some("systemctl disable --now slurmd  # on a04"),
        ),
        (
            "Name=prep",
            "Name=data",
            Effect::Replaces,
            "gone are `prep`: jobs of that partition end",
            ["PartitionName=prep State=DRAIN", "--partition=prep"],
            None,
        ),
        (
            "h100 Nodes=ALL",
            "h100 Nodes=a[02-04]",
            Effect::Replaces,
            "gone are `a01` of partition `h100`: its jobs there end",
            ["NodeName=a01 State=DRAIN Reason=moves", "--nodelist=a01"],
            Some(
                "scontrol update NodeName=a01 State=RESUME  # on a controller, once their partitions are others",
            ),
        ),
        (
            "a[01-02]",
            "a01",
            Effect::Replaces,
            "gone are `a02` of partition `prep`: its jobs there end",
            ["NodeName=a02 State=DRAIN Reason=moves", "--nodelist=a02"],
            Some(
                "scontrol update NodeName=a02 State=RESUME  # on a controller, once their partitions are others",
            ),
        ),
    ] {
        let changed = CONF.replace(from, to);
        let [drained, listed] = before;
        // what waits in a partition begins still
        let waits = match listed.starts_with("--partition=") {
            true => format!(
                ": jobs that wait there begin still, and `scancel {listed} --state=pending` ends those that are not to"
            ),
            false => String::new(),
        };
        let first =
            [format!("scontrol update {drained}{GOES}"), format!("squeue {listed}{UNTIL}{waits}")];
        let first = first.iter().map(String::as_str);
        let commands: Vec<&str> = first.chain(RESTART.iter().copied()).chain(after).collect();
        expect(path, CONF, &changed, effect, &commands);
        assert_eq!(told(path, CONF, &changed).first().unwrap().why, why);
    }
    let same = CONF.replace("a[01-04]", "a01,a[02-04]");
    expect(path, CONF, &same, Effect::Restarts, RESTART);
    let more = CONF.replace("Nodes=a[01-02]", "Nodes=a[01-03]");
    expect(path, CONF, &more, Effect::Restarts, RESTART);
    let more = format!("{CONF}PartitionName=all Nodes=ALL\n");
    expect(path, CONF, &more, Effect::InPlace, &["scontrol reconfigure  # on a controller"]);
}

/// A host that is called otherwise is where it was, and its slurmd goes on there.
#[test]
fn hosts_with_other_names_are_not_let_go() {
    let path = "30-floor/slurm.conf";
    let named = |names: &str, addresses: &str| {
        CONF.replace("a[01-04] CPUs", &format!("{names} NodeAddr={addresses} CPUs"))
            .replace("Nodes=a[01-02]", "Nodes=ALL")
    };
    let old = named("a[01-04]", "10.20.1.[9-12]");
    let commands = |new: &str| {
        let found = told(path, &old, new);
        found.first().unwrap().commands.clone()
    };
    let all = commands(&named("node[01-04]", "10.20.1.[9-12]"));
    assert!(!all.iter().any(|it| it.contains("disable")), "{all:#?}");
    let turns = [
        "scontrol update NodeName='a[01-04]' State=DRAIN",
        "squeue --nodelist='a[01-04]'",
        "hostnamectl set-hostname \"${NODE:?}\"  # on each host that was one of a[01-04]: as which of node[01-04] has its address",
        NODES,
    ];
    let places = turns.map(|turn| all.iter().position(|it| it.starts_with(turn)));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{all:#?}");
    // of which some go
    let fewer = commands(&named("node[01-03]", "10.20.1.[9-11]"));
    assert!(fewer.contains(&"systemctl disable --now slurmd  # on a04".to_owned()), "{fewer:#?}");
}

#[test]
fn a_controller_on_another_host_has_the_jobs_that_were_saved_on_the_old_one() {
    let path = "20-slurm/slurm.conf";
    let head2 = CONF.replace("head1(10.0.0.10)", "head2(10.0.0.11)");
    let ended = "systemctl disable --now slurmctld  # on head1";
    let come = "systemctl enable --now munge slurmctld  # on head2, with the new slurm.conf";
    let nodes = NODES;
    let copied = "mkdir -p /var/spool/slurmctld && rsync -a head1:/var/spool/slurmctld/ /var/spool/slurmctld/  # on head2";
    expect(path, CONF, &head2, Effect::Restarts, &[ended, copied, come, nodes]);
    let found = told(path, CONF, &head2);
    assert!(found.first().unwrap().why.contains("without that they are lost"), "{found:#?}");
    let shared = |text: &str| text.replace("/var/spool", "/shared");
    expect(path, &shared(CONF), &shared(&head2), Effect::Restarts, &[ended, come, nodes]);
    let both = CONF.replace("StateSave", "SlurmctldHost=head2(10.0.0.11)\nStateSave");
    let stays = "systemctl restart slurmctld  # on head1";
    expect(path, CONF, &both, Effect::Restarts, &[stays, come, nodes]);
    let alone = "systemctl restart slurmctld  # on head2";
    expect(path, &both, &head2, Effect::Restarts, &[ended, alone, nodes]);
    // one that is none any more does not go on with what it was told before
    let third = both.replace("head2(10.0.0.11)", "head3(10.0.0.12)");
    let ended = "systemctl disable --now slurmctld  # on head2";
    let come = "systemctl enable --now munge slurmctld  # on head3, with the new slurm.conf";
    expect(path, &both, &third, Effect::Restarts, &[ended, stays, come, nodes]);
    let renumbered = CONF.replace("10.0.0.10", "10.0.0.12");
    expect(path, CONF, &renumbered, Effect::Restarts, RESTART);
}

/// Machines are exchanged by hand: their jobs end before, and nodes that do not have what the file says take none.
#[test]
fn nodes_that_are_another_machine_are_drained_first() {
    let path = "20-slurm/slurm.conf";
    let of = |gpu: &str| {
        CONF.replace(
            "a[01-04] CPUs=8",
            &format!("a[01-04] CPUs=8 Gres=gpu:{gpu}:8 Feature=hgx-{gpu}"),
        )
    };
    let commands = [
        "scontrol update NodeName='a[01-04]' State=DRAIN Reason=exchange  # on a controller, before the new slurm.conf is installed; jobs there end first",
        "squeue --nodelist='a[01-04]'  # on a controller, until it lists none",
        CONTROLLERS,
        NODES,
        "scontrol update NodeName='a[01-04]' State=RESUME  # on a controller, once the other machines are there",
    ];
    expect(path, &of("h100"), &of("h200"), Effect::MayReplace, &commands);
    let found = told(path, &of("h100"), &of("h200"));
    assert_eq!(found.first().unwrap().partitions, ["h100", "prep"]);
    // the same machine, of which more is said
    let untyped = of("h100").replace("gpu:h100:8", "gpu:8");
    expect(path, &untyped, &of("h100"), Effect::Restarts, RESTART);
    expect(path, CONF, &of("h100"), Effect::Restarts, RESTART);
}

fn resource(kind: &str, body: &str) -> String {
    format!("resource \"{kind}\" \"this\" {{\n  location = \"us-east4-a\"\n{body}\n}}\n")
}

#[track_caller]
fn comes_to(kind: &str, before: &str, after: &str, effect: Effect, why: &str) {
    let found = told("main.tf", &resource(kind, before), &resource(kind, after));
    let said: Vec<_> = found.iter().map(|it| (it.effect, it.why.as_str())).collect();
    assert_eq!(said, [(effect, why)], "{found:#?}");
    assert!(effect == Effect::Replaces || found.iter().all(|it| it.stopped_by.is_none()));
}

#[test]
fn nodes_go_with_the_limits_of_their_pool() {
    let pool = "google_container_node_pool";
    let fixed = |count: u8| format!("node_count = {count}");
    let each = |min: u8, max: u8| {
        format!("autoscaling {{\n  min_node_count = {min}\n  max_node_count = {max}\n}}")
    };
    let total = |min: u8, max: u8| {
        each(min, max).replace("min_", "total_min_").replace("max_", "total_max_")
    };
    let gone = "nodes are taken away, with the pods on them";
    let idle = "nodes that have little to do may be taken away, with the pods on them";
    comes_to(pool, &fixed(8), &fixed(4), Effect::Restarts, gone);
    comes_to(pool, &each(2, 8), &fixed(4), Effect::Restarts, gone);
    comes_to(pool, &each(2, 8), &each(2, 4), Effect::Restarts, gone);
    comes_to(pool, &fixed(8), &each(2, 4), Effect::Restarts, gone);
    comes_to(pool, &fixed(8), &each(2, 8), Effect::Restarts, idle);
    comes_to(pool, &fixed(8), &total(2, 4), Effect::Restarts, gone);
    comes_to(pool, &fixed(4), &total(4, 8), Effect::InPlace, "");
    comes_to(pool, &each(2, 4), &fixed(8), Effect::InPlace, "");
}

#[test]
fn rules_that_delete_more_destroy_data() {
    let bucket = "google_storage_bucket";
    let rule = |action: &str, condition: &str| {
        format!(
            "lifecycle_rule {{\n  action {{\n    type = \"{action}\"\n  }}\n  condition {{\n{condition}\n  }}\n}}\n"
        )
    };
    let delete = |age: u8| rule("Delete", &format!("age = {age}"));
    let why = "objects older than 30 days are deleted";
    comes_to(bucket, "", &delete(30), Effect::DestroysData, why);
    comes_to(bucket, &delete(90), &delete(30), Effect::DestroysData, why);
    comes_to(bucket, &delete(30), &delete(90), Effect::InPlace, "");
    comes_to(bucket, &delete(30), "", Effect::InPlace, "");
    comes_to(bucket, "", &rule("SetStorageClass", "age = 30"), Effect::InPlace, "");
    let both = format!("{}{}", rule("SetStorageClass", "age = 7"), delete(30));
    comes_to(bucket, &delete(30), &both, Effect::InPlace, "");
    let below = rule("Delete", "age = 3\nmatches_prefix = [\"tmp/\"]");
    let why = "objects older than 3 days of which `matches_prefix` is `tmp/` are deleted";
    comes_to(bucket, &delete(30), &format!("{}{below}", delete(30)), Effect::DestroysData, why);
    comes_to(
        bucket,
        &below,
        &delete(3),
        Effect::DestroysData,
        "objects older than 3 days are deleted",
    );
}

#[test]
fn policies_that_keep_less_destroy_data() {
    let policies = |days: u32, keep: u8| {
        format!(
            "cleanup_policies {{\n  id = \"old\"\n  action = \"DELETE\"\n  condition {{\n    older_than = \"{}s\"\n  }}\n}}\ncleanup_policies {{\n  id = \"recent\"\n  action = \"KEEP\"\n  most_recent_versions {{\n    keep_count = {keep}\n  }}\n}}\n",
            days * 86_400
        )
    };
    let registry = "google_artifact_registry_repository";
    let kept = "versions are deleted that were kept: a policy kept the last 20";
    comes_to(registry, &policies(30, 20), &policies(30, 5), Effect::DestroysData, kept);
    let old = "versions older than 10 days are deleted";
    comes_to(registry, &policies(30, 20), &policies(10, 20), Effect::DestroysData, old);
    comes_to(registry, &policies(10, 5), &policies(30, 20), Effect::InPlace, "");
    let dry = format!("cleanup_policy_dry_run = true\n{}", policies(10, 20));
    comes_to(registry, &policies(30, 20), &dry, Effect::InPlace, "");
    comes_to(registry, &dry, &policies(10, 20), Effect::DestroysData, old);
}

#[test]
fn what_gke_makes_nodes_anew_for_restarts() {
    let nodes = "its nodes are made anew, one after the other";
    let all = "all nodes of the cluster are made anew, one after the other";
    for (kind, field, why) in [
        ("node_pool", "node_config {\n  fast_socket {\n    enabled = true\n  }\n}", nodes),
        ("node_pool", "node_config {\n  confidential_nodes {\n    enabled = true\n  }\n}", nodes),
        (
            "node_pool",
            "node_config {\n  containerd_config {\n    writable_cgroups {\n      enabled = true\n    }\n  }\n}",
            nodes,
        ),
        ("node_pool", "network_config {\n  enable_private_nodes = true\n}", nodes),
        ("cluster", "addons_config {\n  dns_cache_config {\n    enabled = true\n  }\n}", all),
        ("cluster", "enable_shielded_nodes = true", all),
        ("cluster", "enable_intranode_visibility = true", all),
        ("cluster", "node_version = \"true\"", "its nodes are upgraded, one after the other"),
    ] {
        let kind = format!("google_container_{kind}");
        comes_to(&kind, &field.replace("true", "false"), field, Effect::Restarts, why);
    }
}

/// Optional and computed blocks: Terraform plans nothing where they are gone, so nothing is drained for them.
#[test]
fn a_block_that_the_provider_keeps_stays_as_it_is() {
    let left = |block: &str, how: &str| {
        format!("`{block}`: nothing says it any more, and Terraform leaves it as it is{how}")
    };
    let pool = |inner: &str| format!("node_config {{\n  machine_type = \"a\"\n{inner}}}");
    let streams = |on: bool| pool(&format!("  gcfs_config {{\n    enabled = {on}\n  }}\n"));
    let (kind, off) =
        ("google_container_node_pool", "; to switch it off, write `image_streaming = false`");
    let why = left("node_config.gcfs_config", off);
    comes_to(kind, &streams(true), &pool(""), Effect::Nothing, &why);
    let nodes = "its nodes are made anew, one after the other";
    comes_to(kind, &streams(true), &streams(false), Effect::Restarts, nodes);
    // beside what is changed it is told, too
    let other = pool("").replace("\"a\"", "\"b\"");
    comes_to(kind, &streams(true), &other, Effect::Restarts, &format!("{nodes}; {why}"));
    // of several networks that are written, one that goes is none that the provider keeps
    let network = |name: &str| {
        format!("  additional_node_network_configs {{\n    network = \"{name}\"\n  }}\n")
    };
    let networks = |names: &[&str]| {
        let all: String = names.iter().map(|name| network(name)).collect();
        format!("network_config {{\n{all}}}")
    };
    let gone =
        "`network_config.additional_node_network_configs` comes or goes, which cannot be changed";
    comes_to(kind, &networks(&["a", "b"]), &networks(&["a"]), Effect::Replaces, gone);
    let kind = "google_container_cluster";
    for (block, inner, how) in [
        ("database_encryption", "state = \"ENCRYPTED\"", ""),
        (
            "authenticator_groups_config",
            "security_group = \"g\"",
            "; to switch it off, `gcloud container clusters update CLUSTER --security-group=\"\"`",
        ),
        (
            "cluster_autoscaling",
            "enabled = true",
            "; to switch it off, patch `cluster_autoscaling = { enabled = false }`",
        ),
    ] {
        let before = format!("{block} {{\n  {inner}\n}}");
        comes_to(kind, &before, "", Effect::Nothing, &left(block, how));
    }
    // a block that is no provider's to fill in goes
    let limits = "fleet {\n  project = \"p\"\n}";
    comes_to(kind, limits, "", Effect::InPlace, "");
}

#[test]
fn words_that_end_what_runs_are_told_with_it() {
    let object = |kind: &str, spec: &str| {
        format!("kind: {kind}\nmetadata: {{name: a, namespace: team}}\nspec: {{{spec}}}\n")
    };
    let pods =
        "all of its pods are deleted, until it goes on: it starts from its last checkpoint then";
    let runs = "all runs that it let begin are stopped, and wait until it lets them in again";
    for (kind, before, after, why) in [
        ("JobSet", "replicas: 1", "replicas: 1, suspend: true", pods),
        ("Job", "suspend: false", "suspend: true", pods),
        ("ClusterQueue", "stopPolicy: None", "stopPolicy: HoldAndDrain", runs),
        ("LocalQueue", "stopPolicy: Hold", "stopPolicy: HoldAndDrain", runs),
    ] {
        let path = "40-main-queues/queues.yaml";
        let (before, after) = (object(kind, before), object(kind, after));
        let found = told(path, &before, &after);
        let said: Vec<_> = found.iter().map(|it| (it.effect, it.why.as_str())).collect();
        assert_eq!(said, [(Effect::Restarts, why)]);
        expect(path, &after, &before, Effect::InPlace, &[]);
    }
}

#[test]
fn keys_with_dots_are_whole() {
    let pool = "google_container_node_pool";
    let labels = |field: &str, key: &str, word: &str| {
        format!(
            "{field} = {{\n  \"{key}\" = \"{word}\"\n  \"made\" = google_compute_network.x.id\n}}"
        )
    };
    let node_config = |inner: &str| format!("node_config {{\n{inner}\n}}");
    let team = |word: &str| node_config(&labels("resource_labels", "acme.com/team", word));
    comes_to(pool, &team("a"), &team("b"), Effect::InPlace, "");
    let found = told("main.tf", &resource(pool, &team("a")), &resource(pool, &team("b")));
    let paths: Vec<_> =
        found.iter().flat_map(|it| &it.details).map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["node_config[0].resource_labels.\"acme.com/team\""]);
    let sysctls = |word: &str| {
        let inner = labels("sysctls", "net.core.somaxconn", word);
        node_config(&format!("linux_node_config {{\n{inner}\n}}"))
    };
    let nodes = "its nodes are made anew, one after the other";
    comes_to(pool, &sysctls("1"), &sysctls("2"), Effect::Restarts, nodes);
}

#[test]
fn a_grant_that_goes_is_taken_away_and_no_more() {
    let grant = |role: &str| {
        format!(
            "resource \"google_project_iam_member\" \"nodes\" {{\n  role = \"roles/{role}\"\n  project = google_project.this.project_id\n}}\n"
        )
    };
    let said = |before: &str, after: &str| {
        let found = fate(before, after, "google_project_iam_member.nodes").unwrap();
        (found.effect, found.why)
    };
    let revoked = "a grant is taken away: who used it is refused from then on".to_owned();
    assert_eq!(said(&grant("viewer"), ""), (Effect::InPlace, revoked));
    let other = "a grant is taken away, and another is given: what that does not hold is refused from then on".to_owned();
    assert_eq!(said(&grant("viewer"), &grant("editor")), (Effect::InPlace, other));
    let project = |id: &str| {
        format!(
            "{}resource \"google_project\" \"this\" {{\n  project_id = \"{id}\"\n}}\n",
            grant("viewer")
        )
    };
    assert_eq!(said(&project("a"), &project("b")).0, Effect::InPlace);
}

/// Objects that are there have what they came with.
#[test]
fn a_bucket_says_what_stays_of_its_objects() {
    let bucket = |words: &str| {
        format!(
            "resource \"google_storage_bucket\" \"data\" {{\n  name = \"data\"\n  location = \"us-east4\"\n{words}}}\n"
        )
    };
    let class = |it: &str| bucket(&format!("  storage_class = \"{it}\"\n"));
    let key = bucket("  encryption {\n    default_kms_key_name = \"k\"\n  }\n");
    let why = |before: &str, after: &str| {
        let found = fate(before, after, "google_storage_bucket.data").unwrap();
        assert_eq!(found.effect, Effect::InPlace);
        found.why
    };
    assert!(why(&class("STANDARD"), &class("NEARLINE")).contains("stay in the class"));
    assert!(why(&key, &bucket("")).contains("encrypted with the former key"));
    assert_eq!(why(&bucket(""), &key), "");
}

/// Rights go with the account that is handed over: whoever has it from now on keeps them.
#[test]
fn a_grant_that_is_let_go_of_is_not_taken_away() {
    let roles = "resource \"google_project_iam_member\" \"trainer\" {\n  for_each = toset([\"roles/logging.logWriter\"])\n  role = each.value\n}\n";
    let forgotten = "removed {\n  from = google_project_iam_member.trainer\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let right = "google_project_iam_member.trainer[\"roles/logging.logWriter\"]";
    let found = fate(roles, forgotten, right).unwrap();
    assert_eq!(found.effect, Effect::InPlace);
    assert!(found.why.starts_with("Terraform lets go of it"), "{}", found.why);
    assert!(fate(roles, "", right).unwrap().why.starts_with("a grant is taken away"));
}

/// The pool stays where nobody lifts its protection, also where only the word goes that made it.
#[test]
fn a_pool_of_identities_that_is_protected_stops_the_apply_that_takes_it_away() {
    let account =
        "resource \"google_service_account\" \"applies\" {\n  account_id = \"applies\"\n}\n";
    let pool = |policy: &str| {
        format!(
            "{account}resource \"google_iam_workload_identity_pool\" \"applies\" {{\n  workload_identity_pool_id = \"applies\"\n  deletion_policy = \"{policy}\"\n}}\n"
        )
    };
    let gone =
        |before: &str| fate(before, account, "google_iam_workload_identity_pool.applies").unwrap();
    let stopped = gone(&pool("PREVENT"));
    assert_eq!(stopped.effect, Effect::InPlace);
    assert!(stopped.stopped_by.is_some_and(|it| it.contains("after others are gone")));
    assert!(stopped.lifted_by.is_some_and(|it| it.contains("before it goes")));
    assert_eq!(gone(&pool("DELETE")).stopped_by, None);
}

/// Whoever hands over a bucket or an account leaves its rights as they are.
#[test]
fn a_right_on_what_is_looked_up_from_now_on_is_the_same() {
    let grant = |bucket: &str, member: &str| {
        format!(
            "resource \"google_storage_bucket_iam_member\" \"a\" {{\n  bucket = {bucket}\n  member = {member}\n}}\n"
        )
    };
    let made = grant("google_storage_bucket.data.id", "google_service_account.a.member");
    let theirs =
        grant("data.google_storage_bucket.data.name", "data.google_service_account.a.member");
    let lookups = "data \"google_storage_bucket\" \"data\" {\n  name = \"data\"\n}\n";
    let theirs = format!("{lookups}{theirs}");
    let other = grant("data.google_storage_bucket.more.name", "google_service_account.a.member");
    let worst = |after: &str| {
        let told = told("10-foundation/iam.tf", &made, after);
        told.into_iter().map(|it| it.effect).min()
    };
    assert_eq!(worst(&theirs), Some(Effect::Nothing));
    assert_eq!(worst(&other), Some(Effect::InPlace));
}

/// Whoever hands over a network leaves what stands on it as it is.
#[test]
fn what_stands_on_something_that_is_handed_over_is_the_same() {
    let home = |network: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name = \"home\"\n  networks {{\n    network = {network}.name\n  }}\n}}\n"
        )
    };
    let made = "resource \"google_compute_network\" \"x\" {\n  name = \"main\"\n}\n";
    let made = format!("{made}{}", home("google_compute_network.x"));
    let released = "removed {\n  from = google_compute_network.x\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let theirs = |name: &str| {
        let lookup = format!("data \"google_compute_network\" \"x\" {{\n  name = \"{name}\"\n}}\n");
        format!("{lookup}{}", home("data.google_compute_network.x"))
    };
    let share = "google_filestore_instance.home";
    assert!(fate(&made, &format!("{released}{}", theirs("main")), share).is_none());
    let other = fate(&made, &format!("{released}{}", theirs("other")), share).unwrap();
    assert_eq!(other.effect, Effect::DestroysData);
    assert_eq!(fate(&made, &theirs("main"), share).unwrap().effect, Effect::DestroysData);
    // and the other way round
    assert!(fate(&theirs("main"), &made, share).is_none());
    let other = fate(&theirs("other"), &made, share).unwrap();
    assert_eq!(other.effect, Effect::DestroysData);
}

/// Who empties a bucket that is guarded has lost what was in it, and is refused all the same.
#[test]
fn a_guarded_bucket_is_not_emptied_before_its_guard_is_lifted() {
    let bucket = |guard: &str| {
        format!("resource \"google_storage_bucket\" \"keep\" {{\n  name = \"p-keep\"\n{guard}}}\n")
    };
    let guard = "  lifecycle {\n    prevent_destroy = true\n  }\n";
    let moved = |guard| bucket(guard).replace("p-keep", "p-kept");
    let lifted = |guard| {
        let told = fate(&bucket(guard), &moved(guard), "google_storage_bucket.keep").unwrap();
        told.lifted_by.unwrap_or_default()
    };
    let empty = "`gcloud storage rm --recursive 'gs://p-keep/**'`";
    assert!(lifted("").starts_with(empty), "{}", lifted(""));
    let guarded = lifted(guard);
    let unguard = guarded.find("deletion_protection = false");
    assert!(unguard.is_some() && unguard < guarded.find(empty), "{guarded}");
}

/// No API has the guard, so that no apply tells of it: who approves is told here.
#[test]
fn a_guard_that_comes_or_goes_alone_is_told() {
    let bucket = |guard: &str| {
        format!("resource \"google_storage_bucket\" \"keep\" {{\n  name = \"p-keep\"\n{guard}}}\n")
    };
    let guarded = bucket("  lifecycle {\n    prevent_destroy = true\n  }\n");
    let told = |before: &str, after: &str| {
        let told = fate(before, after, "google_storage_bucket.keep").unwrap();
        let paths = told.details.iter().map(|it| it.path.as_str()).collect::<Vec<_>>().join(", ");
        assert_eq!((told.effect, paths.as_str()), (Effect::InPlace, "lifecycle.prevent_destroy"));
        told.why
    };
    assert_eq!(told(&guarded, &bucket("")), "nothing stops its end from now on");
    assert_eq!(told(&bucket(""), &guarded), "");
    assert!(fate(&guarded, &guarded, "google_storage_bucket.keep").is_none());
}

#[test]
fn a_right_on_a_repository_that_is_handed_over_is_the_same() {
    let grant = |repository: &str| {
        format!(
            "resource \"google_artifact_registry_repository_iam_member\" \"a\" {{\n  repository = {repository}\n  member = \"m\"\n}}\n"
        )
    };
    let made = "resource \"google_artifact_registry_repository\" \"images\" {\n  repository_id = \"base\"\n}\n";
    let made = format!("{made}{}", grant("google_artifact_registry_repository.images.name"));
    let right = "google_artifact_registry_repository_iam_member.a";
    assert!(fate(&made, &grant("\"base\""), right).is_none());
    assert!(fate(&grant("\"base\""), &made, right).is_none());
    assert_eq!(fate(&made, &grant("\"other\""), right).unwrap().effect, Effect::InPlace);
}

#[test]
fn what_lets_others_in_is_a_right_that_they_have() {
    let provider = |branch: &str| {
        format!(
            "resource \"google_iam_workload_identity_pool_provider\" \"ci\" {{\n  attribute_condition = \"assertion.ref == \\\"{branch}\\\"\"\n}}\n"
        )
    };
    let said = |after: &str| {
        let provider_of = "google_iam_workload_identity_pool_provider.ci";
        let found = fate(&provider("main"), after, provider_of).unwrap();
        (found.effect, found.why)
    };
    let revoked = "a grant is taken away: who used it is refused from then on".to_owned();
    assert_eq!(said(""), (Effect::InPlace, revoked));
    let (effect, why) = said(&provider("next"));
    assert_eq!(effect, Effect::InPlace);
    assert!(why.starts_with("it takes the tokens of others"), "{why}");
}

#[test]
fn of_labels_only_those_that_are_named_are_not_looked_at() {
    let bucket = "google_storage_bucket";
    let labels = |team: &str, stage: &str| {
        format!(
            "labels = {{\n  \"acme.com/team\" = \"{team}\"\n  stage = \"{stage}\"\n}}\nlifecycle {{\n  ignore_changes = [labels[\"acme.com/team\"]]\n}}"
        )
    };
    let before = resource(bucket, &labels("a", "x"));
    let other = told("main.tf", &before, &resource(bucket, &labels("b", "x")));
    assert!(other.iter().all(|it| it.effect == Effect::Nothing), "{other:#?}");
    comes_to(bucket, &labels("a", "x"), &labels("b", "y"), Effect::InPlace, "");
}

#[test]
fn what_was_moved_before_stays_where_it_is() {
    let before = "resource \"google_container_node_pool\" \"gpus\" {\n  name = \"a\"\n}\n";
    let after = "resource \"google_container_node_pool\" \"gpus\" {\n  for_each = toset([\"a\"])\n  name = each.key\n}\nmoved {\n  from = google_container_node_pool.gpus\n  to = google_container_node_pool.gpus[\"a\"]\n}\n";
    assert!(told("main.tf", before, after).iter().all(|it| it.effect == Effect::Nothing));
    assert_eq!(told("main.tf", after, after), []);
}

#[test]
fn another_range_of_providers_is_told() {
    let root = |version: &str, more: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    google = {{\n      source  = \"hashicorp/google\"\n      version = \"{version}\"\n    }}\n  }}\n{more}}}\n\nprovider \"google\" {{\n  default_labels = {{\n    blueprint = \"fleet\"\n  }}\n}}\n"
        )
    };
    let before = root(">= 7.20.0, < 8.0.0", "");
    let of = |after: &str| told("10-foundation/versions.tf", &before, after);
    let [range] = of(&root(">= 7.40.0, < 8.0.0", "")).try_into().unwrap();
    assert_eq!((range.effect, range.thing.as_str()), (Effect::InPlace, "terraform"));
    assert!(range.why.contains("`terraform init -upgrade`"), "{}", range.why);
    let [labels] = of(&before.replace("fleet", "other")).try_into().unwrap();
    assert_eq!((labels.effect, labels.thing.as_str()), (Effect::InPlace, "provider google"));
    let [odd] = of(&root(">= 7.20.0, < 8.0.0", "  backend \"s3\" {\n    key = \"a\"\n  }\n"))
        .try_into()
        .unwrap();
    assert_eq!(odd.effect, Effect::MayReplace);
}

#[test]
fn a_bucket_says_how_it_is_let_go() {
    let bucket = "resource \"google_storage_bucket\" \"data\" {\n  name = \"my-data\"\n}\n";
    let [gone] = told("10-foundation/storage.tf", bucket, "").try_into().unwrap();
    assert!(gone.lifted_by.is_some_and(|it| it.contains("'gs://my-data/**'")));
    let forced = bucket.replace("\n}", "\n  force_destroy = true\n}");
    let [gone] = told("10-foundation/storage.tf", &forced, "").try_into().unwrap();
    assert_eq!((gone.stopped_by, gone.lifted_by), (None, None));
}

#[test]
fn a_worker_that_goes_takes_its_runs_along() {
    let config = |clusters: &str| {
        format!(
            "apiVersion: kueue.x-k8s.io/v1beta2\nkind: MultiKueueConfig\nmetadata:\n  name: all\nspec:\n  clusters: [{clusters}]\n"
        )
    };
    let (one, two) = (config("a"), config("a, b"));
    expect("40-a3m-queues/queues.yaml", &one, &two, Effect::InPlace, &[]);
    expect("40-a3m-queues/queues.yaml", &two, &one, Effect::Restarts, &[]);
    let older = one.replace("v1beta2", "v1beta1");
    expect("40-a3m-queues/queues.yaml", &older, &one, Effect::InPlace, &[]);
}

#[test]
fn of_a_root_that_is_left_the_protection_of_data_is_told_first() {
    let prevent = "  lifecycle {\n    prevent_destroy = true\n  }\n";
    let cluster = format!("resource \"google_container_cluster\" \"this\" {{\n{prevent}}}\n");
    let bucket = "resource \"google_storage_bucket\" \"data\" {\n}\n";
    let home = format!("resource \"google_filestore_instance\" \"home\" {{\n{prevent}}}\n");
    for (text, stop, data) in [
        (cluster.clone(), Some("google_container_cluster.this"), false),
        (format!("{cluster}{bucket}"), Some("google_container_cluster.this"), true),
        (format!("{cluster}{bucket}{home}"), Some("google_filestore_instance.home"), true),
        (bucket.to_owned(), Some("google_storage_bucket.data"), true),
    ] {
        let [left] = changes(&[File { path: "10-a/a.tf", text: &text }], &[]).try_into().unwrap();
        let by = left.stopped_by.as_deref().and_then(|it| it.split("(`").nth(1));
        assert_eq!(by.and_then(|it| it.strip_suffix("`)")), stop, "{left:?}");
        assert_eq!((left.effect, left.leaves_data), (Effect::ByHand, data));
    }
}

#[test]
fn what_stands_on_something_is_destroyed_before_it() {
    let root = |path| File { path, text: "resource \"google_compute_network\" \"a\" {\n}\n" };
    let left = changes(&[root("10-foundation/a.tf"), root("30-a/a.tf"), root("35-ids/a.tf")], &[]);
    let roots: Vec<&str> = left.iter().map(|it| it.root.as_str()).collect();
    assert_eq!(roots, ["35-ids", "30-a", "10-foundation"]);
}

#[test]
fn a_control_plane_is_never_lowered() {
    let cluster = |version: &str| {
        format!(
            "resource \"google_container_cluster\" \"this\" {{\n  min_master_version = \"{version}\"\n}}\n"
        )
    };
    let why = |old: &str, new: &str| {
        let found = told("30-a3m/cluster.tf", &cluster(old), &cluster(new));
        found.first().map(|it| it.why.clone()).unwrap_or_default()
    };
    let stays = "it stays at the version that it has";
    assert!(why("1.34", "1.33").contains(stays));
    assert!(why("1.34.1-gke.200", "1.34.0-gke.300").contains(stays));
    assert!(!why("1.33", "1.34").contains(stays) && !why("1.9", "1.10").contains(stays));
}

#[test]
fn a_role_that_holds_more_takes_nothing_away() {
    let grant = |role: &str| {
        format!(
            "resource \"google_storage_bucket_iam_member\" \"data_trainer\" {{\n  bucket = \"data\"\n  role   = \"roles/{role}\"\n  member = \"serviceAccount:trainer\"\n}}\n"
        )
    };
    let revokes = |old: &str, new: &str| {
        let found = told("10-foundation/grants.tf", &grant(old), &grant(new));
        assert!(found.iter().all(|it| it.effect == Effect::InPlace), "{found:?}");
        found.iter().any(Change::revokes)
    };
    assert!(revokes("storage.objectUser", "storage.objectViewer"));
    assert!(revokes("storage.objectUser", "artifactregistry.admin"));
    assert!(!revokes("storage.objectViewer", "storage.objectUser"));
}

#[test]
fn who_may_read_a_secret_is_told_with_the_secret() {
    let page = |lines: &str| format!("# train\n\n```sh\n{lines}```\n");
    let bind = "gcloud secrets add-iam-policy-binding token --member=serviceAccount:runner --role=roles/secretmanager.secretAccessor\n";
    let found = told("README.md", &page(""), &page(bind));
    let secrets = found.iter().find(|it| it.thing == "secrets").unwrap();
    assert_eq!(secrets.commands, [bind.trim_end()]);
    assert!(secrets.why.contains("an account that may read one is made before"), "{}", secrets.why);
    let worker = "kubectl create secret generic kubeconfig-west --namespace=kueue-system --from-file=kubeconfig=west.yaml\n";
    let found = told("40-front-queues/README.md", &page(""), &page(worker));
    assert!(found.iter().any(|it| it.commands == [worker.trim_end()]), "{found:?}");
}

/// What Slurm is told of accounts stands in no file that it reads.
#[test]
fn accounts_are_told_to_slurm_by_hand() {
    let page = |quality: &str| {
        format!("# Slurm\n\n```sh\nsudo sacctmgr --immediate add qos {quality}\n```\n")
    };
    let (old, new) = (page("high"), page("mid"));
    let before = [File { path: "30-lab/README.md", text: &old }];
    let after = [File { path: "30-lab/README.md", text: &new }];
    let found = changes(&before, &after);
    let told = found.iter().find(|it| it.thing == "accounts").unwrap();
    assert_eq!(told.effect, Effect::ByHand);
    assert_eq!(told.commands, ["sudo sacctmgr --immediate add qos mid"]);
    assert!(changes(&before, &before).iter().all(|it| it.thing != "accounts"));
}

/// What jobs have used lies on the host that counts it.
#[test]
fn a_database_comes_along_with_the_host_that_counts() {
    let conf = |host: &str| format!("DbdHost={host}\nStorageHost=localhost\n");
    let path = "30-floor/slurmdbd/slurmdbd.conf";
    let found = told(path, &conf("head1"), &conf("head2"));
    let commands = &found.first().unwrap().commands;
    let at = |words: &str| commands.iter().position(|it| it == words || it.starts_with(words));
    assert!(at("systemctl disable --now slurmdbd  # on head1").is_some(), "{commands:?}");
    assert!(at("mysqldump ") < at("scp head1:slurm_acct_db.sql . && mysql "), "{commands:?}");
    let elsewhere = |host: &str| conf(host).replace("localhost", "db1");
    let found = told(path, &elsewhere("head1"), &elsewhere("head2"));
    let wanted = [
        "systemctl disable --now slurmdbd  # on head1",
        "systemctl enable --now slurmdbd  # on head2, with the new slurmdbd.conf, once README has made its user on db1 and its slurmdbd-password.conf",
    ];
    assert_eq!(found.first().unwrap().commands, wanted);
    // the same host, and a database elsewhere
    let found = told(path, &conf("head1"), &elsewhere("head1"));
    let wanted = [
        "systemctl stop slurmdbd  # on head1",
        "mysqldump --single-transaction --databases slurm_acct_db >slurm_acct_db.sql  # on head1",
        "scp head1:slurm_acct_db.sql . && mysql <slurm_acct_db.sql  # on db1, once README has made its user there",
        "systemctl enable --now slurmdbd  # on head1, with the new slurmdbd.conf",
    ];
    assert_eq!(found.first().unwrap().commands, wanted);
}

/// Until the daemons know that there are none, they look for the scripts of a folder, and take nodes out of service that have none there.
#[test]
fn scripts_around_jobs_are_removed_once_no_daemon_asks_for_them() {
    let asks = format!("{CONF}Prolog=/etc/slurm/prolog.d/*\n");
    let file = |path, text| File { path, text };
    let before = [
        file("30-floor/slurm.conf", asks.as_str()),
        file("30-floor/prolog.d/10-scratch.sh", "#!/bin/bash\n"),
    ];
    let after = [file("30-floor/slurm.conf", CONF)];
    let found = changes(&before, &after);
    let told = found.iter().find(|it| it.thing == "10-scratch.sh").unwrap();
    let turns = [
        "scontrol reconfigure  # on a controller",
        "rm /etc/slurm/prolog.d/10-scratch.sh  # on every node",
    ];
    assert_eq!(told.commands, turns, "{found:#?}");
}

/// Nodes look for the scripts of a folder as soon as the daemons know of it.
#[test]
fn scripts_around_jobs_are_installed_before_daemons_ask_for_them() {
    let asks = format!("{CONF}Prolog=/etc/slurm/prolog.d/*\n");
    let file = |path, text| File { path, text };
    let script = |text| file("30-floor/prolog.d/10-scratch.sh", text);
    let before = [file("30-floor/slurm.conf", CONF)];
    let after = [file("30-floor/slurm.conf", asks.as_str()), script("#!/bin/bash\n")];
    let found = changes(&before, &after);
    let told = found.iter().find(|it| it.thing == "10-scratch.sh").unwrap();
    let installed = "install -D -m 755 ./prolog.d/10-scratch.sh /etc/slurm/prolog.d/10-scratch.sh  # on every node, in a copy of 30-floor";
    assert_eq!(told.commands, [installed, "scontrol reconfigure  # on a controller"]);
    // one that is another has to get there as well
    let other = [file("30-floor/slurm.conf", asks.as_str()), script("#!/bin/bash\ntrue\n")];
    let found = changes(&after, &other);
    assert_eq!(found.first().unwrap().commands, [installed], "{found:#?}");
}

/// What commands asked for under a name is asked for no second time, and a policy that machines have does not go.
#[test]
fn machines_go_before_others_of_their_name_come() {
    let slices = "gcloud compute tpus queued-resources delete chips --force\n";
    let files = |create| {
        [
            File { path: "30-chips/create.sh", text: create },
            File { path: "30-chips/delete.sh", text: slices },
        ]
    };
    let found = changes(&files("--node-id=chips\n"), &files("--node-count=2\n"));
    let slices = found.first().unwrap();
    assert_eq!((slices.effect, slices.leaves_data), (Effect::ByHand, true));
    assert_eq!(slices.commands, ["30-chips/delete.sh", "30-chips/create.sh"]);
    let close = |policy: &str| {
        format!(
            "{policy}# machines trainers\nresource \"google_compute_instance_template\" \"trainers\" {{\n  machine_type = \"a3-megagpu-8g\"\n}}\n# machines trainers\nresource \"google_compute_instance_group_manager\" \"trainers\" {{\n  name = \"trainers\"\n}}\n"
        )
    };
    let policy = "# machines trainers\nresource \"google_compute_resource_policy\" \"trainers\" {\n  name = \"trainers\"\n}\n";
    let (old, new) = (close(policy), close(""));
    let found = told("30-trainers/machines.tf", &old, &new);
    let policy = found.iter().find(|it| it.thing.contains("resource_policy")).unwrap();
    assert_eq!(policy.effect, Effect::DestroysData);
    let commands = [
        "terraform -chdir=30-trainers destroy -target=google_compute_instance_group_manager.trainers",
        "terraform -chdir=30-trainers apply",
    ];
    assert_eq!(policy.commands, commands);
}

/// Scripts of another output look for machines where none are yet: those that are there go before their network all the same.
#[test]
fn machines_go_from_where_they_are_before_their_network() {
    let network = |name: &str| {
        format!("resource \"google_compute_network\" \"fabric\" {{\n  name = \"{name}\"\n}}\n")
    };
    let asked = "data \"google_compute_network\" \"fabric\" {\n  name = \"fabric\"\n}\n";
    let made = "resource \"google_compute_instance_template\" \"desk\" {\n  machine_type = \"n2-standard-8\"\n}\n";
    let script = |zone: &str| {
        format!(
            "there=\"$(gcloud compute instances list --zones={zone})\"\ngcloud compute instances delete \"${{machines[@]}}\" --zone={zone}\n"
        )
    };
    let (old, new) = (network("fabric"), network("woven"));
    let (here, there) = (script("us-east4-b"), script("us-east4-c"));
    let files = |network, script| {
        [
            File { path: "10-foundation/network.tf", text: network },
            File { path: "30-desk/data.tf", text: asked },
            File { path: "30-desk/machines.tf", text: made },
            File { path: "30-desk/delete.sh", text: script },
        ]
    };
    let found = changes(&files(&old, &here), &files(&new, &there));
    let network = found.iter().find(|it| it.thing == "google_compute_network.fabric").unwrap();
    let away = "there=\"$(gcloud compute instances list --zones=us-east4-b)\"; [ -z \"$there\" ] || gcloud compute instances delete $(echo \"$there\") --zone=us-east4-b";
    let applied = "terraform -chdir=10-foundation apply";
    let at = |words: &str| network.commands.iter().position(|it| it == words);
    assert!(at(away).is_some() && at(away) < at(applied), "{:#?}", network.commands);
    let script = found.iter().find(|it| it.thing == "delete.sh").unwrap();
    assert!(script.commands.is_empty(), "{script:#?}");
    // where its network stays, it is given there
    let found = changes(&files(&old, &here), &files(&old, &there));
    let script = found.iter().find(|it| it.thing == "delete.sh").unwrap();
    assert_eq!(script.commands, [away]);
}

/// Networks do not go while machines are on them: what runs there goes before, also where it is no cluster.
#[test]
fn machines_go_before_the_network_that_they_are_on() {
    let network = |name: &str| {
        format!(
            "# network fabric\nresource \"google_compute_network\" \"fabric\" {{\n  name = \"{name}\"\n}}\n"
        )
    };
    let asked =
        "# network fabric\ndata \"google_compute_network\" \"fabric\" {\n  name = \"fabric\"\n}\n";
    let made = "# machines desk\nresource \"google_compute_instance_template\" \"desk\" {\n  machine_type = \"n2-standard-8\"\n}\n";
    let script = "there=\"$(gcloud compute instances list)\"\ngcloud compute instances delete \"${machines[@]}\"\n";
    let slices = "gcloud compute tpus queued-resources delete chips --force\n";
    let (old, new) = (network("fabric"), network("woven"));
    let files = |text| {
        [
            File { path: "10-foundation/network.tf", text },
            File { path: "30-desk/data.tf", text: asked },
            File { path: "30-desk/machines.tf", text: made },
            File { path: "30-desk/delete.sh", text: script },
            File { path: "30-desk/create.sh", text: "#!/bin/bash\n" },
            File { path: "30-chips/delete.sh", text: slices },
            File { path: "30-chips/create.sh", text: "  --network=fabric \\\n" },
        ]
    };
    let found = changes(&files(&old), &files(&new));
    let network = found.iter().find(|it| it.thing == "google_compute_network.fabric").unwrap();
    assert_eq!(network.effect, Effect::DestroysData);
    let commands = [
        "30-desk/delete.sh",
        "terraform -chdir=30-desk destroy -refresh=false",
        "30-chips/delete.sh",
        "terraform -chdir=10-foundation apply",
        "30-chips/create.sh",
        "terraform -chdir=30-desk apply",
        "30-desk/create.sh",
    ];
    assert_eq!(network.commands, commands);
    assert_eq!(network.takes_along, ["machines desk"]);
    // those of accelerators are of the folder itself
    let own = |name: &str| {
        format!(
            "{made}# machines desk\nresource \"google_compute_instance_group_manager\" \"desk\" {{\n  name = \"desk\"\n}}\n# machines desk\nresource \"google_compute_network\" \"data\" {{\n  name = \"{name}\"\n}}\n"
        )
    };
    let path = "30-desk/machines.tf";
    let (old, new) = (own("a"), own("b"));
    let found = told(path, &old, &new);
    let network = found.iter().find(|it| it.thing == "google_compute_network.data").unwrap();
    let commands = [
        "terraform -chdir=30-desk destroy -target=google_compute_instance_group_manager.desk",
        "terraform -chdir=30-desk apply",
    ];
    assert_eq!(network.commands, commands);
}

/// What is asked is there before it is asked, also who may submit.
#[test]
fn counting_begins_before_controllers_ask_for_accounts() {
    let counted = format!("{CONF}AccountingStorageEnforce=associations\n")
        .replace("SlurmctldHost", "ClusterName=floor\nSlurmctldHost");
    let plain = CONF.replace("SlurmctldHost", "ClusterName=floor\nSlurmctldHost");
    let page = "sudo sacctmgr --immediate add account lab\n";
    let file = |path, text| File { path, text };
    let path = "30-floor/slurm.conf";
    let counts = "DbdHost=head1\nStorageHost=localhost\n";
    let before = [file(path, plain.as_str()), file("30-floor/README.md", "")];
    let after = [
        file(path, counted.as_str()),
        file("30-floor/README.md", page),
        file("30-floor/slurmdbd/slurmdbd.conf", counts),
    ];
    let found = changes(&before, &after);
    let all = &found.iter().find(|it| it.thing == "slurmdbd.conf").unwrap().commands;
    let turns = [
        "systemctl enable --now slurmdbd  # on head1, with the new slurmdbd.conf, once README has made its user on head1",
        "sudo sacctmgr --immediate add cluster floor  # on a controller, with the new slurm.conf",
        "sudo sacctmgr --immediate add account lab",
        // slurmctld has made a number of its own, and ends where the database says another
        "systemctl stop slurmctld  # on each controller, before it takes another number",
        "rm -f /var/spool/slurmctld/clustername  # on a controller: the number of the cluster is there that slurmctld has made, and it takes that of the database; jobs that run go on",
        CONTROLLERS,
        NODES,
    ];
    assert_eq!(*all, turns, "{found:#?}");
    let back = changes(&after, &before);
    let ended = "systemctl disable --now slurmdbd  # on head1".to_owned();
    assert!(
        back.iter().any(|it| it.effect == Effect::ByHand && it.commands.contains(&ended)),
        "{back:#?}"
    );
}

/// Two clusters of one site are counted on one host, which goes on for the other.
#[test]
fn a_host_that_counts_for_another_cluster_goes_on() {
    let counts = |host: &str| format!("DbdHost={host}\nStorageHost=localhost\n");
    let (shared, own) = (counts("db1"), counts("adb"));
    let conf = |path| File { path, text: CONF };
    let campus = [
        conf("30-campus/slurm.conf"),
        File { path: "30-campus/slurmdbd/slurmdbd.conf", text: &shared },
    ];
    let annex = conf("30-annex/slurm.conf");
    let counted = |text| File { path: "30-annex/slurmdbd/slurmdbd.conf", text };
    let before = [&campus[..], &[annex, counted(shared.as_str())]].concat();
    let uncounted = [&campus[..], &[annex]].concat();
    let moved = [&campus[..], &[annex, counted(own.as_str())]].concat();
    let all = |after: &[File<'_>]| -> Vec<String> {
        changes(&before, after).into_iter().flat_map(|it| it.commands).collect()
    };
    for after in [&campus[..], &uncounted, &moved] {
        let commands = all(after);
        assert!(
            !commands.iter().any(|it| it.contains("--now slurmdbd  # on db1")),
            "{commands:#?}"
        );
    }
    let commands = all(&moved);
    let dumped = commands.iter().find(|it| it.starts_with("mysqldump ")).unwrap();
    assert!(dumped.ends_with("what they used is in it as well"), "{dumped}");
    let commands = all(&[]);
    assert!(commands.iter().any(|it| it.contains("--now slurmdbd  # on db1")), "{commands:#?}");
}

/// An upgrade changes the tables of a database that is on a host of its own.
#[test]
fn a_database_is_dumped_where_it_is() {
    let conf = |release: &str| format!("# Slurm {release} cluster floor\n{CONF}");
    let (old, new) = (conf("24.11"), conf("25.05"));
    let counts = |host: &str| format!("DbdHost=head1\nStorageHost={host}\n");
    for (host, wanted) in [
        ("db1", "  # on db1, before the packages of head1"),
        ("localhost", "  # on its host, where"),
    ] {
        let counts = counts(host);
        let files = |text| {
            [
                File { path: "30-floor/slurm.conf", text },
                File { path: "30-floor/slurmdbd/slurmdbd.conf", text: &counts },
            ]
        };
        let found = changes(&files(&old), &files(&new));
        let commands = &found.first().unwrap().commands;
        let dumped = commands.iter().find(|it| it.contains("mysqldump")).unwrap();
        assert!(dumped.contains(wanted), "{commands:#?}");
    }
}

/// Who has the configuration is told, since a slurmd without one does not start, and one that lies there is read in the place of what is fetched.
#[test]
fn nodes_are_given_the_configuration_that_no_controller_hands_out() {
    let out = format!("{CONF}SlurmctldParameters=enable_configless\n");
    let unit = |fetch: &str| format!("[Service]\nEnvironment=\"SLURMD_OPTIONS={fetch}\"\n");
    let (with, without) = (unit("--conf-server head1"), unit(""));
    let submit = unit("submits");
    let conf = |text| File { path: "30-floor/slurm.conf", text };
    let unit = |text| File { path: "30-floor/slurmd.service.d/jobs.conf", text };
    let sackd = File { path: "30-floor/sackd.service.d/submit.conf", text: &submit };
    let fetched = [conf(out.as_str()), unit(with.as_str()), sackd];
    let own = [conf(CONF), unit(without.as_str())];
    let commands = |before: &[File<'_>], after: &[File<'_>]| {
        let found = changes(before, after);
        let each: BTreeSet<Vec<String>> = found.into_iter().map(|it| it.commands).collect();
        // one list, whichever file wants it
        assert_eq!(each.len(), 1, "{each:#?}");
        each.into_iter().next().unwrap()
    };
    let unit = "install -D -m 644 ./slurmd.service.d/jobs.conf /etc/systemd/system/slurmd.service.d/jobs.conf && systemctl daemon-reload  # on every node, in a copy of 30-floor";
    // as the page of a cluster has it
    let page = include_str!("../../../tests/golden/slurm-onprem/30-floor/README.md");
    let (bare, _) = unit.split_once(" && systemctl daemon-reload").unwrap();
    assert!(page.contains(&format!("\nsudo {bare}\n")), "{bare}");
    assert!(page.contains(
        "\nsudo install -d -m 755 /etc/slurm\nsudo install -m 644 ./*.conf /etc/slurm/\n"
    ));
    let installed = commands(&fetched, &own);
    let [files, service, controllers, nodes, submitting] = installed.as_slice() else {
        panic!("{installed:#?}")
    };
    let (mut first, wanted) = (
        [files, service],
        "install -d -m 755 /etc/slurm && install -m 644 ./*.conf /etc/slurm/  # on every host, in a copy of 30-floor",
    );
    first.sort_by_key(|it| it.as_str() == unit);
    assert!(first[0].starts_with(wanted) && first[1] == unit, "{installed:#?}");
    assert_eq!([controllers, nodes], [CONTROLLERS, NODES]);
    assert_eq!(submitting, "systemctl disable --now sackd  # on each host to submit from");
    let fetch = commands(&own, &fetched);
    let [service, come, controllers, removed, nodes, submitting] = fetch.as_slice() else {
        panic!("{fetch:#?}")
    };
    let mut first = [service.as_str(), come.as_str()];
    first.sort_by_key(|it| *it != unit);
    assert!(first[0] == unit && first[1].contains("sackd.service.d/submit.conf"), "{fetch:#?}");
    let (bare, _) = first[1].split_once(" && systemctl daemon-reload").unwrap();
    assert!(page.contains(&format!("\nsudo {bare}\n")), "{bare}");
    assert_eq!([controllers, nodes], [CONTROLLERS, NODES]);
    assert_eq!(removed, "rm /etc/slurm/slurm.conf  # on every node that is no controller");
    assert!(
        submitting
            .starts_with("rm -f /etc/slurm/slurm.conf && systemctl enable --now munge sackd  # "),
        "{fetch:#?}"
    );
}

/// Jobs outlive the daemons of their nodes, and keep the GPUs of nodes that another cluster takes for idle.
#[test]
fn a_cluster_that_goes_ends_its_jobs_before_its_daemons() {
    let hall = CONF.replace("StateSave", "ClusterName=hall\nStateSave");
    let floor = CONF.replace("StateSave", "ClusterName=floor\nStateSave");
    let before = [File { path: "30-floor/slurm.conf", text: &floor }];
    for after in [vec![File { path: "30-hall/slurm.conf", text: &hall }], Vec::new()] {
        let found = changes(&before, &after);
        let left = found.iter().find(|it| it.root == "30-floor").unwrap();
        let turns = [
            "scontrol update PartitionName=prep State=DRAIN  # on a controller",
            "squeue  # on a controller",
            "systemctl disable --now slurmd  # on every node",
            "systemctl disable --now slurmctld  # on head1",
        ];
        let at = |words: &str| left.commands.iter().position(|it| it.starts_with(words)).unwrap();
        assert!(turns.map(at).is_sorted(), "{left:#?}");
    }
}

/// Kueue keeps what a queue asks before it lets a run begin as long as the queue names it.
#[test]
fn what_a_queue_asks_goes_once_it_names_it_no_more() {
    let check = "kind: AdmissionCheck\nmetadata: {name: lent}\n---\n";
    let queue = |checks: &str| {
        format!(
            "kind: ClusterQueue\nmetadata: {{name: team}}\nspec: {{admissionChecksStrategy: {{admissionChecks: [{checks}]}}}}\n"
        )
    };
    let (before, after) = (format!("{check}{}", queue("{name: lent}")), queue(""));
    let path = "40-a3m-queues/queues.yaml";
    let commands = |after: &str| -> Vec<String> {
        told(path, &before, after).into_iter().flat_map(|it| it.commands).collect()
    };
    let gone = "kubectl delete admissioncheck lent --ignore-not-found";
    let at = |all: &[String], words: &str| all.iter().position(|it| it.ends_with(words));
    let stays = commands(&after);
    assert!(at(&stays, "install.sh") < at(&stays, gone), "{stays:?}");
    assert!(at(&stays, "install.sh").is_some(), "{stays:?}");
    let all = commands("kind: Namespace\nmetadata: {name: a}\n");
    let queue = "kubectl delete clusterqueue team --ignore-not-found";
    assert!(at(&all, queue).is_some() && at(&all, queue) < at(&all, gone), "{all:?}");
}
