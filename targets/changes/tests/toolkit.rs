//! What another blueprint of Cluster Toolkit does to a cluster that is there, setting by setting.

use slipform_changes::{Change, Effect, File, changes, is_first_of_all};
use std::collections::BTreeSet;

const CLUSTER: &str = include_str!("toolkit/cluster.yaml");
const DEPLOYMENT: &str = include_str!("toolkit/deployment.yaml");

/// What has nodes that are always there made anew.
const ANEW: &str =
    "sudo \"$(command -v scontrol)\" update NodeName='hpc-a3mega-[0-1]' State=POWER_DOWN_ASAP  # ";

fn told(cluster: &str, deployment: &str) -> Vec<Change> {
    let files = |cluster, deployment| {
        let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
        [cluster, File { path: "30-hpc/deployment.yaml", text: deployment }]
    };
    changes(&files(CLUSTER, DEPLOYMENT), &files(cluster, deployment))
}

/// A blueprint without its deployment file.
fn alone(text: &str) -> [File<'_>; 1] {
    [File { path: "30-hpc/cluster.yaml", text }]
}

fn with(old: &str, new: &str) -> String {
    assert!(CLUSTER.contains(old), "{old}");
    CLUSTER.replace(old, new)
}

/// What begins at one line of the blueprint, up to another.
fn without(from: &str, to: &str) -> String {
    let (head, rest) = CLUSTER.split_once(from).unwrap_or_default();
    let (_, tail) = rest.split_once(to).unwrap_or_default();
    assert!(!head.is_empty() && !tail.is_empty(), "{from} up to {to}");
    format!("{head}{to}{tail}")
}

#[test]
fn each_setting_has_its_own_effect() {
    let rows = [
        ("      name: a3mega\n", "      name: mega\n", "nodes-a3mega", Effect::Replaces),
        (
            "machine_type: a3-megagpu-8g",
            "machine_type: a3-highgpu-8g",
            "nodes-a3mega",
            Effect::MayReplace,
        ),
        ("node_count_static: 2", "node_count_static: 4", "nodes-a3mega", Effect::InPlace),
        ("disk_size: 100", "disk_size: 200", "machine-image", Effect::Restarts),
        ("ansible==6.7.0", "ansible==7.7.0", "image-startup", Effect::Restarts),
        ("node_count_static: 2", "node_count_static: 1", "nodes-a3mega", Effect::Restarts),
        ("node_count_dynamic_max: 4", "node_count_dynamic_max: 8", "nodes-debug", Effect::InPlace),
        ("enable_spot_vm: true", "reservation_name: mine", "nodes-a3mega", Effect::NextStart),
        ("CoresPerSocket: 52", "CoresPerSocket: 48", "nodes-a3mega", Effect::InPlace),
        ("MaxTime: 20160", "MaxTime: 60", "partition-a3mega", Effect::InPlace),
        ("suspend_time: 300", "suspend_time: 600", "partition-debug", Effect::InPlace),
        ("partition_name: debug", "partition_name: small", "partition-debug", Effect::Replaces),
        (
            "machine_type: n2-standard-16",
            "machine_type: n2-standard-32",
            "controller",
            Effect::Restarts,
        ),
        ("size: 50", "size: 100", "controller", Effect::InPlace),
        ("size: 50", "size: 20", "controller", Effect::Replaces),
        ("slurm_cluster_name: hpc", "slurm_cluster_name: lab", "controller", Effect::Replaces),
        ("num_instances: 1", "num_instances: 2", "login", Effect::InPlace),
        (
            "enable_login_public_ips: false",
            "enable_login_public_ips: true",
            "login",
            Effect::Restarts,
        ),
        (
            "network_name: system\n      subnetwork_name: system-us-east4",
            "network_name: system\n      subnetwork_name: other",
            "network",
            Effect::Replaces,
        ),
        ("network_count: 8", "network_count: 4", "data-networks", Effect::Replaces),
        (
            "mount_options: defaults,hard",
            "mount_options: defaults,soft",
            "mount-home",
            Effect::NextStart,
        ),
        (
            "enable_chs_gpu_health_check_prolog: true",
            "unheard_of: true",
            "controller",
            Effect::MayReplace,
        ),
    ];
    for (old, new, module, effect) in rows {
        let found = told(&with(old, new), DEPLOYMENT);
        let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
        assert_eq!(said, [(format!("module {module}").as_str(), effect)], "{old}: {found:#?}");
    }
}

#[test]
fn an_image_is_made_into_machines_one_after_the_other() {
    let found = told(&with("family: slurm-a3mega", "family: slurm-next"), DEPLOYMENT);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    let wanted = [
        ("module controller", Effect::Restarts),
        ("module login", Effect::Restarts),
        ("module machine-image", Effect::Restarts),
        ("module nodes-a3mega", Effect::NextStart),
        ("module nodes-debug", Effect::NextStart),
    ];
    assert_eq!(said, wanted);
    let commands = &found.get(3).unwrap().commands;
    assert_eq!(commands.iter().filter(|it| it.contains(ANEW)).count(), 1, "{commands:#?}");
    let origins: Vec<&str> = found.iter().map(|it| it.origin.as_str()).collect();
    let wanted = [
        "cluster hpc",
        "cluster hpc",
        "machine_image slurm_a3mega",
        "cluster hpc, partition a3mega",
        "cluster hpc, partition debug",
    ];
    assert_eq!(origins, wanted);
}

#[test]
fn homes_on_the_disk_of_the_controller_go_with_it() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    for (old, new, module) in [
        ("machine_type: n2-standard-16", "machine_type: n2-standard-32", "controller"),
        ("ansible==6.7.0", "ansible==7.7.0", "image-startup"),
    ] {
        assert!(local.contains(old), "{old}");
        let other = local.replace(old, new);
        let found = changes(&alone(&local), &alone(&other));
        let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
        assert_eq!(said, [(format!("module {module}").as_str(), Effect::DestroysData)]);
        // which lie elsewhere until the other one is there
        let commands = &found.first().unwrap().commands;
        let at = |words: &str| commands.iter().position(|it| it.contains(words)).unwrap();
        let turns = [
            "State=DRAIN",
            "until jobs=\"$(squeue ",
            ">hpc-home.tgz",
            "gcluster deploy hpc",
            "<hpc-home.tgz",
            "_ASAP",
        ];
        assert!(turns.map(at).is_sorted(), "{commands:#?}");
    }
}

/// What stands in the way of nodes that have a reservation is who has it.
#[test]
fn nodes_of_a_reservation_wait_for_those_that_go() {
    let reserved = with("enable_spot_vm: true", "reservation_name: mine");
    let named =
        reserved.replace("nodes-a3mega", "nodes-train").replace("name: a3mega\n", "name: train\n");
    let found = changes(&alone(&reserved), &alone(&named));
    let come = found.iter().find(|it| it.thing == "module nodes-train").unwrap();
    assert_eq!(come.effect, Effect::Adds);
    assert!(come.why.ends_with("with the end of those of nodes-a3mega"), "{}", come.why);
}

/// An image that is built anew has the controller made anew, so that a change which leaves it alone builds none.
#[test]
fn an_image_is_built_where_something_of_it_is_another() {
    let deployed = |cluster: &str, deployment: &str| {
        let found = told(cluster, deployment);
        let commands = &found.first().unwrap().commands;
        commands.iter().find(|it| it.starts_with("gcluster deploy ")).cloned().unwrap()
    };
    let (kept, built) = ("gcluster deploy hpc --skip=image", "gcluster deploy hpc");
    for (old, new, command) in [
        ("node_count_static: 2", "node_count_static: 3", kept),
        ("MaxTime: 20160", "MaxTime: 60", kept),
        ("machine_type: n2-standard-16", "machine_type: n2-standard-32", kept),
        ("disk_size: 100", "disk_size: 200", built),
        ("ansible==6.7.0", "ansible==7.7.0", built),
        ("family: slurm-a3mega", "family: slurm-next", built),
    ] {
        assert_eq!(deployed(&with(old, new), DEPLOYMENT), command, "{old}");
    }
    let moved = |from: &str, to: &str| {
        assert!(DEPLOYMENT.contains(from), "{from}");
        deployed(CLUSTER, &DEPLOYMENT.replace(from, to))
    };
    assert_eq!(moved("zone: us-east4-b", "zone: us-east4-c"), kept);
    assert_eq!(moved("project_id: ", "project_id: other-"), built);
    // of no image that is built here there is none to leave out
    let images = without("- group: image-scripts", "- group: cluster");
    let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
    let other = images.replace("MaxTime: 20160", "MaxTime: 60");
    let found = changes(&files(&images), &files(&other));
    assert_eq!(found.first().unwrap().commands.last().unwrap(), built);
}

#[test]
fn machines_that_stand_do_not_have_what_is_mounted_from_now_on() {
    let bare = without(
        "  # filesystem home\n",
        "  # cluster hpc, partition a3mega\n  - id: startup-a3mega",
    );
    let bare = bare.replace("    - mount-home\n", "");
    let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
    let told = |old, new| {
        let found = changes(&files(old), &files(new));
        let mount = found.into_iter().find(|it| it.thing == "module mount-home");
        mount.map(|it| (it.effect, it.why, it.commands)).unwrap()
    };
    let data = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    let (effect, why, commands) = told(&bare, &data);
    assert_eq!(effect, Effect::NextStart);
    assert!(why.contains("those that stand do not have it"), "{why}");
    let [.., deployed, mounted, anew, lent] = commands.as_slice() else { panic!("{commands:#?}") };
    assert!(deployed.starts_with("gcluster deploy "), "{commands:#?}");
    // those that came for a job, and stay, do not have it either
    assert!(lent.contains("NodeName='hpc-debug-[0-3]' State=POWER_DOWN_ASAP"), "{lent}");
    let line = "echo \"${HOME_ADDRESS:?}:/home /data nfs defaults,hard,_netdev 0 0\" | sudo tee -a /etc/fstab && sudo mkdir -p /data && sudo mount /data  # on each controller of hpc and on each machine to submit to it from, once it is deployed; HOME_ADDRESS is what `terraform -chdir=10-foundation output -raw home_address` says here";
    assert_eq!(mounted, line);
    assert!(anew.starts_with(ANEW), "{commands:#?}");
    // what moves is mounted where it is now, and there alone
    let work = data.replace("local_mount: /data", "local_mount: /work");
    let (_, _, commands) = told(&data, &work);
    let hosts: Vec<&String> = commands.iter().filter(|it| it.contains("/etc/fstab")).collect();
    let [gone, come] = hosts.as_slice() else { panic!("{commands:#?}") };
    assert!(gone.starts_with("sudo umount /data && "), "{gone}");
    assert!(come.contains("sudo mount /work  # on each controller of hpc"), "{come}");
    // hosts that are made anew have it without
    let anew = data.replace("machine_type: n2-standard-16", "machine_type: n2-standard-32");
    let (_, _, commands) = told(&bare, &anew);
    assert!(commands.iter().all(|it| !it.contains("/etc/fstab")), "{commands:#?}");
    // it is there no more where it is used, before it is destroyed
    let (effect, why, commands) = told(&data, &bare);
    assert_eq!(effect, Effect::NextStart);
    assert!(why.contains("hangs once it is gone"), "{why}");
    let [_, deployed, unmounted, anew @ ..] = commands.as_slice() else { panic!("{commands:#?}") };
    assert!(deployed.starts_with("gcluster deploy "));
    assert!(unmounted.starts_with("sudo umount /data && "), "{unmounted}");
    // those that a job had made have it mounted, too
    let [always, lent, looked] = anew else { panic!("{anew:#?}") };
    assert!(always.starts_with(ANEW), "{always}");
    assert!(lent.contains("NodeName='hpc-debug-[0-3]' State=POWER_DOWN_ASAP"), "{lent}");
    assert!(looked.starts_with("sinfo --Node --states=draining,"), "{looked}");
    // what a controller shares where nothing else does, it says when it is made
    for (old, new) in [(bare.as_str(), CLUSTER), (CLUSTER, bare.as_str())] {
        let (effect, _, commands) = told(old, new);
        assert_eq!(effect, Effect::Replaces);
        let at = |words: &str| commands.iter().position(|it| it.starts_with(words));
        let turns =
            ["for partition in ", "until jobs=", "gcluster destroy hpc", "gcluster deploy hpc"];
        let turns: Vec<_> = turns.into_iter().map(at).collect();
        assert!(turns.is_sorted() && turns.first().unwrap().is_some(), "{commands:#?}");
        assert!(at(ANEW).is_none(), "{commands:#?}");
        // what lies in the one folder is taken along into the other while both are there
        let copied = commands.iter().position(|it| it.contains("sudo rsync -aHAX "));
        let (destroyed, deployed) = (at("gcluster destroy hpc"), at("gcluster deploy hpc"));
        let (way, is_in_turn) = match new == CLUSTER {
            true => ("rsync -aHAX --update /home/ /mnt/share/", copied < destroyed),
            false => ("rsync -aHAX --update /mnt/share/ /home/", copied > deployed),
        };
        assert!(is_in_turn && commands.iter().any(|it| it.contains(way)), "{commands:#?}");
    }
    // and where the same share moves there
    let (effect, _, commands) = told(&data, CLUSTER);
    assert_eq!(effect, Effect::Replaces);
    assert!(commands.iter().any(|it| it == "gcluster destroy hpc"), "{commands:#?}");
    let copied: Vec<&String> = commands.iter().filter(|it| it.contains("rsync ")).collect();
    assert!(copied.len() == 1 && !copied.iter().any(|it| it.contains("/data/")), "{copied:#?}");
}

/// The cluster with a database of what jobs used in front of the controller.
fn with_database(protected: bool) -> String {
    let module = format!(
        "  # cluster hpc\n  - id: accounts\n    source: community/modules/database/slurm-cloudsql-federation\n    use:\n    - network\n    settings:\n      sql_instance_name: hpc-accounts\n      tier: db-n1-standard-2\n      enable_backups: true\n      deletion_protection: {protected}\n      use_psc_connection: true\n"
    );
    let before = "  # cluster hpc\n  - id: controller-startup";
    with(before, &format!("{module}{before}"))
}

#[test]
fn the_database_of_what_jobs_used_is_told_before_it_is_lost() {
    let told = |old: &str, new: &str| {
        let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
        let found = changes(&files(old), &files(new));
        let found = found.into_iter().find(|it| it.thing == "module accounts");
        found.map(|it| (it.effect, it.why)).unwrap()
    };
    let (kept, free) = (with_database(true), with_database(false));
    for (old, new, effect, words) in [
        (
            &kept,
            CLUSTER,
            Effect::DestroysData,
            "with the tables gone, until `deletion_protection = false` was deployed",
        ),
        (&free, CLUSTER, Effect::DestroysData, "with its backups"),
        (
            &kept,
            &kept.replace("hpc-accounts", "lab-accounts"),
            Effect::DestroysData,
            "with the tables gone, until `deletion_protection = false` was deployed",
        ),
        (&kept, &free, Effect::InPlace, ""),
        (&kept, &kept.replace("standard-2\n", "standard-4\n"), Effect::InPlace, "started anew"),
    ] {
        let (found, why) = told(old, new);
        assert_eq!(found, effect, "{why}");
        assert!(why.contains(words), "{why}");
    }
    let (_, why) = told(&free, CLUSTER);
    assert!(!why.contains("refuses"), "{why}");
    let before = [File { path: "30-hpc/cluster.yaml", text: &kept }];
    let left = changes(&before, &[]);
    let said: Vec<_> = left.iter().map(|it| (it.effect, it.leaves_data)).collect();
    assert_eq!(said, [(Effect::ByHand, true)]);
    let moved = |cluster: &str| {
        let region = DEPLOYMENT.replace("us-east4", "us-west1");
        let files = |deployment| {
            [
                File { path: "30-hpc/cluster.yaml", text: cluster },
                File { path: "30-hpc/deployment.yaml", text: deployment },
            ]
        };
        let found = changes(&files(DEPLOYMENT), &files(&region));
        found.iter().map(|it| it.effect).collect::<Vec<_>>()
    };
    assert_eq!(moved(&kept), [Effect::DestroysData]);
    assert_eq!(moved(CLUSTER), [Effect::Replaces]);
}

/// A cluster that is made anew where its database may stay leaves it there; elsewhere, what is in it is taken along.
#[test]
fn the_database_outlives_its_cluster_or_is_taken_along() {
    let kept = with_database(true);
    let told = |cluster: &str, deployment: &str| {
        let files = |cluster, deployment| {
            let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
            [cluster, File { path: "30-hpc/deployment.yaml", text: deployment }]
        };
        let found = changes(&files(&kept, DEPLOYMENT), &files(cluster, deployment));
        let worst = found.into_iter().next().unwrap();
        (worst.effect, worst.why, worst.commands)
    };
    let without = "terraform -chdir=hpc/cluster destroy -target=module.controller -target=module.accounts.google_compute_address.psc";
    let zone = DEPLOYMENT.replace("us-east4-b", "us-east4-c");
    let apps = kept.replace("local_mount: /home", "local_mount: /opt/apps");
    let network = kept.replace("subnetwork_name: ", "subnetwork_name: other-");
    assert!(network != kept && apps != kept);
    let first = format!("{without}  # before any folder is applied");
    for (cluster, deployment, wanted) in [
        (&kept, zone.as_str(), &first),
        (&apps, DEPLOYMENT, &without.to_owned()),
        (&network, DEPLOYMENT, &first),
    ] {
        let (effect, why, commands) = told(cluster, deployment);
        assert_eq!(effect, Effect::Replaces, "{why}");
        assert!(why.contains("the database stays"), "{why}");
        assert!(commands.contains(wanted), "{commands:#?}");
        assert!(!commands.iter().any(|it| it.starts_with("gcluster destroy")), "{commands:#?}");
    }
    let (effect, _, commands) = told(&kept, &DEPLOYMENT.replace("us-east4", "us-west1"));
    assert_eq!(effect, Effect::DestroysData);
    let turns = [
        "squeue ",
        "mysqldump ",
        "sed -i 's/deletion_protection *= true/deletion_protection = false/' hpc/cluster/main.tf && terraform -chdir=hpc/cluster apply -target=module.accounts",
        "gcluster destroy hpc  # before any folder is applied",
        "gcluster deploy hpc",
        "mysql --host",
    ];
    let places = turns.map(|turn| commands.iter().position(|it| it.contains(turn)));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{commands:#?}");
}

/// Nodes that stand would be on the former network, where a controller on another does not reach them.
#[test]
fn a_cluster_on_another_network_is_taken_away_before_it_is_deployed_there() {
    let found = told(&with("subnetwork_name: ", "subnetwork_name: other-"), DEPLOYMENT);
    let [Change { effect, origin, commands, .. }, ..] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!((*effect, origin.as_str()), (Effect::Replaces, "cluster hpc"));
    let turns = [
        "State=DRAIN",
        "squeue ",
        "gcluster destroy hpc  # before",
        "gcluster create",
        "gcluster deploy",
    ];
    let places = turns.map(|turn| commands.iter().position(|it| it.contains(turn)));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{commands:#?}");
}

#[test]
fn fewer_nodes_do_not_hide_what_else_is_another() {
    let fewer = with("node_count_static: 2", "node_count_static: 1");
    let found = told(&fewer.replace("enable_spot_vm: true", "reservation_name: mine"), DEPLOYMENT);
    let Change { why, commands, .. } = found.first().unwrap();
    assert!(
        why.starts_with("the last of its nodes are deleted") && why.contains("template"),
        "{why}"
    );
    let [drained, ended, .., anew] = commands.as_slice() else { panic!("{commands:#?}") };
    // a drain returns at once
    assert!(ended.starts_with("squeue --nodelist=hpc-a3mega-1  # "), "{ended}");
    let fewer = "sudo \"$(command -v scontrol)\" update NodeName=hpc-a3mega-1 State=DRAIN Reason=change  # ";
    assert!(drained.starts_with(fewer), "{drained}");
    assert!(anew.contains("NodeName=hpc-a3mega-0 State=POWER_DOWN_ASAP"), "{anew}");
}

/// Nodes of another machine are let end their jobs before, and take some again after.
#[test]
fn another_machine_is_drained_first() {
    let found =
        told(&with("machine_type: a3-megagpu-8g", "machine_type: a3-highgpu-8g"), DEPLOYMENT);
    let commands = &found.first().unwrap().commands;
    let [first, ended, _, deployed, anew, again] = commands.as_slice() else {
        panic!("{commands:#?}")
    };
    assert!(ended.starts_with("squeue --nodelist='hpc-a3mega-[0-1]'  # "), "{ended}");
    assert!(first.contains("NodeName='hpc-a3mega-[0-1]' State=DRAIN Reason=change"), "{first}");
    assert!(deployed.starts_with("gcluster deploy "), "{deployed}");
    assert!(anew.starts_with(ANEW) && again.contains("State=UNDRAIN"), "{commands:#?}");
}

/// Nothing runs a controller's script again: one that has another script to fetch is told to.
#[test]
fn a_controller_that_stands_fetches_what_is_new() {
    let fetch = "          fetch https://raw.githubusercontent.com/";
    let command =
        "sudo bash /slurm/custom_scripts/controller.d/ghpc_startup.sh  # on the controller";
    let of_start = |found: &[Change]| {
        let start = found.iter().find(|it| it.thing == "module controller-startup").unwrap();
        (start.effect, start.commands.iter().any(|it| it.starts_with(command)))
    };
    let more = with(fetch, &format!("          fetch https://example.com/more /opt/more\n{fetch}"));
    assert_eq!(of_start(&told(&more, DEPLOYMENT)), (Effect::ByHand, true));
    // it fetches nothing besides
    let fewer = changes(&alone(&more), &alone(CLUSTER));
    assert_eq!(of_start(&fewer), (Effect::NextStart, false));
    // other words of the script are run there again where they are to count
    let other = told(
        &with("set -e -o pipefail\n          fetch()", "set -euo pipefail\n          fetch()"),
        DEPLOYMENT,
    );
    assert_eq!(of_start(&other), (Effect::NextStart, true));
    // one that is made anew runs all of it
    let anew = more.replace("machine_type: n2-standard-16", "machine_type: n2-standard-32");
    assert_eq!(of_start(&told(&anew, DEPLOYMENT)), (Effect::NextStart, false));
    // what comes to a controller that fetched nothing before
    let none =
        without("  # cluster hpc\n  - id: controller-startup", "  # cluster hpc\n  - id: login\n");
    let none =
        none.replace("      controller_startup_script: $(controller-startup.startup_script)\n", "");
    assert_eq!(of_start(&changes(&alone(&none), &alone(CLUSTER))), (Effect::ByHand, true));
}

/// A controller that is made anew shares another disk.
#[test]
fn nodes_mount_what_a_new_controller_shares() {
    let larger = with("machine_type: n2-standard-16", "machine_type: n2-standard-32");
    let last = |found: &[Change]| found.first().unwrap().commands.last().cloned().unwrap();
    assert!(last(&told(&larger, DEPLOYMENT)).starts_with(ANEW));
    let shared = |text: &str| text.replace("local_mount: /home", "local_mount: /opt/apps");
    let found = changes(&alone(&shared(CLUSTER)), &alone(&shared(&larger)));
    let anew = |it: &Change| it.commands.iter().any(|it| it.starts_with(ANEW));
    assert!(!found.iter().any(anew), "{found:#?}");
}

#[test]
fn a_partition_comes_and_goes_with_its_nodes() {
    let gone = without(
        "  # cluster hpc, partition debug\n  - id: nodes-debug",
        "  # cluster hpc\n  - id: controller-startup",
    );
    let gone = gone.replace("    - partition-debug\n", "");
    let said = |found: &[Change]| -> Vec<(String, Effect)> {
        found.iter().map(|it| (it.thing.clone(), it.effect)).collect()
    };
    let wanted =
        ["nodes-debug", "partition-debug"].map(|id| (format!("module {id}"), Effect::Replaces));
    let controller = ("module controller".to_owned(), Effect::InPlace);
    let found = told(&gone, DEPLOYMENT);
    assert_eq!(said(&found), [wanted.to_vec(), vec![controller.clone()]].concat(), "{found:#?}");
    let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
    let comes = changes(&files(&gone), &files(CLUSTER));
    let wanted =
        ["nodes-debug", "partition-debug"].map(|id| (format!("module {id}"), Effect::Adds));
    assert_eq!(said(&comes), [vec![controller], wanted.to_vec()].concat());
}

#[test]
fn it_is_deployed_as_the_readme_has_it() {
    let found = told(&with("MaxTime: 20160", "MaxTime: 60"), DEPLOYMENT);
    let readme = include_str!("../../../tests/golden/slurm-gcp/README.md");
    for command in &found.first().unwrap().commands {
        assert!(readme.contains(&format!("\n{command}\n")), "{command}");
    }
}

/// The former cluster ends before what it mounts is made anew in another zone: its jobs first, then its nodes, which no Terraform knows.
#[test]
fn a_cluster_in_another_zone_is_taken_away_before_anything_is_applied() {
    let moved = DEPLOYMENT.replace("us-east4-b", "us-east4-c");
    let found = told(&with("zone: us-east4-b", "zone: us-east4-c"), &moved);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    let wanted =
        [("deployment.yaml", Effect::Replaces), ("module machine-image", Effect::NextStart)];
    assert_eq!(said, wanted);
    let readme = include_str!("../../../tests/golden/slurm-gcp/README.md");
    for change in &found {
        assert!(!change.why.contains("jobs that run go on"), "{}", change.why);
        let [drained, ended, _, apps, dumped, destroyed, rest @ ..] = change.commands.as_slice()
        else {
            panic!("{change:#?}")
        };
        let (bare, _) = drained.split_once("  # ").unwrap();
        let (again, _) = ended.split_once("  # ").unwrap();
        assert!(readme.contains(&format!("\n{bare}\n{again}\n")), "{drained}");
        assert!(ended.starts_with("until jobs=\"$(squeue "), "{ended}");
        // its own database is on the controller's disk
        assert!(
            dumped.contains("mysqldump --single-transaction slurm_acct_db' >hpc-slurm_acct.sql")
        );
        assert!(apps.contains(">hpc-apps.tgz"), "{apps}");
        assert_eq!(destroyed, "gcluster destroy hpc  # before any folder is applied");
        assert!(change.takes_away(), "{change:#?}");
        // no node is there any more that would be made anew
        let [_, deployed, _, _, filled] = rest else { panic!("{rest:#?}") };
        assert!(deployed.starts_with("gcluster deploy hpc"), "{rest:#?}");
        assert!(filled.contains("sudo mysql slurm_acct_db"), "{rest:#?}");
    }
    assert!(
        told(&with("MaxTime: 20160", "MaxTime: 60"), DEPLOYMENT).iter().all(|it| !it.takes_away())
    );
}

/// Also where homes go with the former, an image is one of those that come.
#[test]
fn an_image_is_built_for_the_cluster_that_is_made_anew() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    let moved = local.replace("zone: us-east4-b", "zone: us-east4-c");
    let files = |cluster, deployment| {
        let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
        [cluster, File { path: "30-hpc/deployment.yaml", text: deployment }]
    };
    let zone = DEPLOYMENT.replace("us-east4-b", "us-east4-c");
    let found = changes(&files(&local, DEPLOYMENT), &files(&moved, &zone));
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    let wanted =
        [("deployment.yaml", Effect::DestroysData), ("module machine-image", Effect::NextStart)];
    assert_eq!(said, wanted, "{found:#?}");
    let commands = &found.first().unwrap().commands;
    let at = |words: &str| commands.iter().position(|it| it.contains(words));
    let turns = [">hpc-home.tgz", "gcluster destroy hpc", "gcluster deploy hpc", "<hpc-home.tgz"];
    let places = turns.map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{commands:#?}");
}

/// What is given is given once: jobs of all nodes of a network end before any node goes by force.
#[test]
fn nodes_go_by_force_once_their_jobs_are_over() {
    let networks = "    - data-networks\n    - startup-a3mega\n";
    let both = with(
        "node_count_static: 2\n      node_count_dynamic_max: 0",
        "node_count_static: 2\n      node_count_dynamic_max: 2",
    );
    assert!(both.contains(networks));
    let other = both
        .replace("network_count: 8", "network_count: 4")
        .replace("machine_type: a3-megagpu-8g", "machine_type: a3-highgpu-8g");
    let found = changes(&alone(&both), &alone(&other));
    let all: Vec<&String> = found.iter().flat_map(|it| &it.commands).collect();
    let drained: BTreeSet<_> = all.iter().filter(|it| it.contains("State=DRAIN")).collect();
    assert_eq!(drained.len(), 1, "{all:#?}");
    for change in &found {
        let at = |words: &str| change.commands.iter().position(|it| it.contains(words)).unwrap();
        let turns = [
            "squeue --partition=a3mega ",
            "hpc-a3mega-[2-3]' State=POWER_DOWN_FORCE",
            "gcluster deploy",
        ];
        assert!(turns.map(at).is_sorted(), "{change:#?}");
    }
}

#[test]
fn another_release_of_the_toolkit_promises_nothing() {
    let found = told(&with("Cluster Toolkit v1.95.0", "Cluster Toolkit v1.96.0"), DEPLOYMENT);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    assert_eq!(said, [("cluster.yaml", Effect::MayReplace)]);
    let words = with("# a network for each network card of the GPUs", "# other words");
    let found = told(&words, DEPLOYMENT);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    assert_eq!(said, [("cluster.yaml", Effect::Nothing)]);
}

/// What uses a network, and how many nodes are to be powered down before it goes.
#[test]
fn a_network_takes_along_the_partitions_that_are_on_it() {
    let networks = "  # a network for each network card of the GPUs\n  - id: data-networks";
    let rest = "  # filesystem home\n";
    let gone = without(networks, rest).replace("    - data-networks\n", "");
    let found = told(&gone, DEPLOYMENT);
    let network = found.iter().find(|it| it.thing == "module data-networks").unwrap();
    assert_eq!(network.effect, Effect::Replaces);
    assert_eq!(network.partitions, ["a3mega"]);
    assert!(network.why.starts_with("the network goes"), "{}", network.why);
    // they are always there, and would be made anew at once
    let first = network.commands.first().unwrap();
    assert!(first.contains(" update NodeName='hpc-a3mega-[0-1]' State=DRAIN"), "{first}");
    let mut deployed = network.commands.iter().filter(|it| it.starts_with("gcluster deploy hpc"));
    assert!(deployed.next_back().unwrap().contains("# again"), "{network:#?}");
    // whose outputs are named in an expression
    let named = CLUSTER.replace("    - data-networks\n", "").replace(
        "      name: a3mega\n",
        "      name: a3mega\n      additional_networks: $(slice(data-networks.additional_networks, 0, 4))\n",
    );
    let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
    let fewer = named.replace("network_count: 8", "network_count: 4");
    let found = changes(&files(&named), &files(&fewer));
    assert_eq!(found.first().unwrap().partitions, ["a3mega"], "{found:#?}");
}

/// What deployments look up by a family may be another image than before.
#[test]
fn a_family_of_images_may_have_a_newer_one() {
    let found = told(&with("MaxTime: 20160", "MaxTime: 60"), DEPLOYMENT);
    assert!(!found.first().unwrap().why.contains("family of images"), "{found:#?}");
    let (head, rest) = CLUSTER.split_once("- group: image-scripts").unwrap();
    let (_, cluster) = rest.split_once("- group: cluster").unwrap();
    let others = format!("{head}- group: cluster{cluster}");
    let changed = others.replace("MaxTime: 20160", "MaxTime: 60");
    let (old, new) = (
        [File { path: "30-hpc/cluster.yaml", text: &others }],
        [File { path: "30-hpc/cluster.yaml", text: &changed }],
    );
    let found = changes(&old, &new);
    assert!(found.first().unwrap().why.contains("family of images"), "{found:#?}");
    assert!(found.iter().all(|it| !it.leaves_data), "{found:#?}");
    // folders of people go with it, and no gate lets that by: they are kept before, and nothing is stopped for that
    let away = |text: &str| text.replace("local_mount: /home", "local_mount: /data");
    let (others, changed) = (away(&others), away(&changed));
    let (old, new) = (
        [File { path: "30-hpc/cluster.yaml", text: &others }],
        [File { path: "30-hpc/cluster.yaml", text: &changed }],
    );
    let found = changes(&old, &new);
    let [change] = found.as_slice() else { panic!("{found:#?}") };
    assert_eq!((change.effect, change.leaves_data), (Effect::InPlace, true), "{found:#?}");
    let at = |words: &str| change.commands.iter().position(|it| it.contains(words));
    let turns = ["read -r CONTROLLER", ">hpc-home.tgz", ">hpc-slurm_acct.sql", "gcluster deploy"];
    let places = turns.map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{found:#?}");
    assert!(at("systemctl stop").is_none() && at("--extract").is_none(), "{found:#?}");
    // what certainly goes is kept once
    let other = changed.replacen("machine_type: n2-standard-16", "machine_type: n2-standard-32", 1);
    let found = changes(&old, &[File { path: "30-hpc/cluster.yaml", text: &other }]);
    let homes = |it: &Change| it.commands.iter().filter(|it| it.contains(">hpc-home.tgz")).count();
    assert!(found.iter().all(|it| homes(it) == 1), "{found:#?}");
}

/// One that is built first, or by the deployment itself, is another one for the controller, too: whose disk goes.
#[test]
fn a_controller_goes_where_its_family_is_built_in_the_same_plan() {
    let (head, rest) = CLUSTER.split_once("- group: image-scripts").unwrap();
    let (_, cluster) = rest.split_once("- group: cluster").unwrap();
    let away = |text: &str| text.replace("local_mount: /home", "local_mount: /data");
    let elsewhere = away(&format!("{head}- group: cluster{cluster}"));
    let own = away(CLUSTER);
    let template = "source \"googlecompute\" \"image\" {\n  image_family = \"slurm-a3mega\"\n}\n";
    let with = |text, script| {
        [
            File { path: "25-machine-images/tools/image.pkr.hcl", text: template },
            File { path: "25-machine-images/tools/tools.sh", text: script },
            File { path: "30-hpc/cluster.yaml", text },
        ]
    };
    let before = with(elsewhere.as_str(), "apt-get install parallel\n");
    let other = elsewhere.replace("MaxTime: 20160", "MaxTime: 60");
    let built = changes(&before, &with(&other, "apt-get install tmux\n"));
    let moved = changes(&before, &alone(&own));
    for found in [built, moved] {
        let change = found.iter().find(|it| it.effect == Effect::DestroysData).unwrap();
        let at = |words: &str| change.commands.iter().position(|it| it.contains(words));
        let turns = [
            "State=DRAIN",
            "until jobs=\"$(squeue ",
            ">hpc-home.tgz",
            "gcluster deploy hpc",
            "<hpc-home.tgz",
            "_ASAP",
        ];
        let places = turns.map(at);
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{found:#?}");
    }
    // by itself it waits for the next one, and words alone build nothing
    let found = changes(&before, &with(elsewhere.as_str(), "apt-get install tmux\n"));
    let [image] = found.as_slice() else { panic!("{found:#?}") };
    assert!(image.why.contains("the next `gcluster deploy hpc`"), "{}", image.why);
    let found = changes(&before, &with(&other, "# tools\napt-get install parallel\n"));
    assert!(found.iter().all(|it| it.effect >= Effect::InPlace), "{found:#?}");
}

#[test]
fn a_database_that_comes_has_nothing_of_what_there_was() {
    let free = with_database(false);
    let found = told(&free, DEPLOYMENT);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    assert_eq!(said, [("module accounts", Effect::ByHand)]);
    let database = found.first().unwrap();
    assert!(
        database.why.contains("stay in the database on the controller's disk"),
        "{database:#?}"
    );
    let [_, dumped, _, deployed, _, filled] = database.commands.as_slice() else {
        panic!("{:#?}", database.commands)
    };
    assert!(dumped.contains("sudo mysqldump") && filled.contains("<hpc-slurm_acct.sql"));
    assert!(filled.contains("mysql --host=\"$StorageHost\""), "{filled}");
    assert_eq!(deployed, "gcluster deploy hpc --skip=image");
    // what comes into a cluster makes none
    assert!(!database.makes_cluster() && !database.is_left_cluster());
    let files = |text| [File { path: "30-hpc/cluster.yaml", text }];
    assert!(changes(&[], &files(CLUSTER)).iter().any(Change::makes_cluster));
    assert!(changes(&files(CLUSTER), &[]).iter().any(Change::is_left_cluster));
}

/// What a database held is in the controller's own once it is taken away, and jobs go on.
#[test]
fn a_database_that_goes_is_kept_before() {
    for protected in [true, false] {
        let kept = with_database(protected);
        let found = changes(&alone(&kept), &alone(CLUSTER));
        let database = found.iter().find(|it| it.thing == "module accounts").unwrap();
        assert!(database.lets_end(), "{database:#?}");
        let at = |words: &str| database.commands.iter().position(|it| it.contains(words));
        let turns = [
            "mysqldump --single-transaction --no-tablespaces",
            "apply -target=module.accounts",
            "gcluster deploy hpc",
            "sudo mysql slurm_acct_db",
        ];
        let places: Vec<_> = turns.map(at).into_iter().flatten().collect();
        assert_eq!(places.len(), if protected { 4 } else { 3 }, "{:#?}", database.commands);
        assert!(places.is_sorted(), "{:#?}", database.commands);
    }
    // of a cluster that is no more
    let left = changes(&alone(&with_database(true)), &[]);
    let commands = &left.first().unwrap().commands;
    let at = |words: &str| commands.iter().position(|it| it.contains(words));
    assert!(at("mysqldump ").is_some_and(|it| Some(it) < at("gcluster destroy")), "{commands:#?}");
}

/// Where nobody submits from machines of its own, the controller is the host that knows Slurm, and of several clusters each is named.
#[test]
fn commands_are_for_a_host_that_is_there() {
    let bare = without("  # cluster hpc\n  - id: login\n", "  # cluster hpc\n  - id: controller\n");
    let bare = bare.replace("    - login\n", "");
    let fewer = |text: &str| text.replace("node_count_static: 2", "node_count_static: 1");
    for (text, host) in
        [(bare.as_str(), "on the controller of hpc"), (CLUSTER, "on a login node of hpc")]
    {
        let found = changes(&alone(text), &alone(&fewer(text)));
        let commands = &found.first().unwrap().commands;
        let drained = commands.iter().find(|it| it.contains("State=DRAIN")).unwrap();
        assert!(drained.contains(host), "{drained}");
    }
}

/// The address of a share is another where that is made anew, and hosts that stand know the former.
#[test]
fn hosts_mount_a_share_anew_that_is_served_elsewhere() {
    let share = |place: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name     = \"home\"\n  location = \"{place}\"\n  file_shares {{\n    name        = \"home\"\n    capacity_gb = 2560\n  }}\n}}\n\noutput \"home_address\" {{\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}}\n"
        )
    };
    let (old, new) = (share("us-east4-b"), share("us-east4-c"));
    let files = |share| {
        [
            File { path: "10-foundation/storage.tf", text: share },
            File { path: "30-hpc/cluster.yaml", text: CLUSTER },
            File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
        ]
    };
    let found = changes(&files(&old), &files(&new));
    let cluster = found.iter().find(|it| it.file == "30-hpc/cluster.yaml").unwrap();
    assert!(cluster.why.contains("jobs end before that"), "{}", cluster.why);
    let at = |words: &str| cluster.commands.iter().position(|it| it.contains(words));
    let turns = [
        "State=DRAIN",
        "until jobs=\"$(squeue ",
        "sudo umount --lazy /home ",
        "gcluster deploy hpc",
        "sudo mount /home  # ",
        "State=POWER_DOWN_ASAP",
    ];
    let places = turns.map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{:#?}", cluster.commands);
    let named = |it: &&String| it.contains("/etc/fstab") && it.contains(" of hpc ");
    assert_eq!(cluster.commands.iter().filter(named).count(), 2, "{:#?}", cluster.commands);
    // before the share goes, and with the cluster there
    let first = cluster.commands.iter().filter(|it| is_first_of_all(it)).count();
    assert_eq!((first, cluster.takes_away()), (2, false), "{:#?}", cluster.commands);
}

/// A controller whose state is gone below it would begin with none, and write that over what is restored.
#[test]
fn controllers_stand_still_while_their_state_is_made_anew() {
    let state = CLUSTER.replace("local_mount: /home", "local_mount: /var/spool/slurm");
    let share = |place: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name     = \"home\"\n  location = \"{place}\"\n  file_shares {{\n    name        = \"home\"\n    capacity_gb = 2560\n  }}\n}}\n\noutput \"home_address\" {{\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}}\n"
        )
    };
    let (old, new) = (share("us-east4-b"), share("us-east4-c"));
    let files = |share| {
        [
            File { path: "10-foundation/storage.tf", text: share },
            File { path: "30-hpc/cluster.yaml", text: &state },
            File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
        ]
    };
    let found = changes(&files(&old), &files(&new));
    let cluster = found.iter().find(|it| it.file == "30-hpc/cluster.yaml").unwrap();
    let at = |words: &str| cluster.commands.iter().position(|it| it.contains(words));
    let turns = [
        "until jobs=\"$(squeue ",
        "sudo systemctl stop slurmctld  # on each controller of hpc, before any folder is applied",
        "sudo umount --lazy /var/spool/slurm ",
        "sudo mount /var/spool/slurm  # ",
        "sudo systemctl start slurmctld  # on each controller of hpc",
        "gcluster deploy hpc",
    ];
    let places = turns.map(at);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{:#?}", cluster.commands);
}

/// `gcluster` lets no group go, and nothing of another release be written over, unless it is forced.
#[test]
fn what_gcluster_would_refuse_is_forced_and_said() {
    let given = |cluster: &str| {
        let found = told(cluster, DEPLOYMENT);
        found.last().unwrap().commands.clone()
    };
    let create = |commands: &[String]| {
        commands.iter().find(|it| it.starts_with("gcluster create ")).cloned().unwrap()
    };
    let other = given(&with("Cluster Toolkit v1.95.0", "Cluster Toolkit v1.96.0"));
    assert!(create(&other).ends_with(" --overwrite-deployment --force"), "{other:?}");
    let more = given(&with("node_count_static: 2", "node_count_static: 3"));
    assert!(create(&more).ends_with(" --overwrite-deployment"), "{more:?}");
    // the family is built elsewhere from then on
    let elsewhere = without("- group: image-scripts", "- group: cluster");
    let commands = given(&elsewhere);
    let [found, .., kept, group, _, _] = commands.as_slice() else { panic!("{commands:#?}") };
    assert_eq!(group, "terraform -chdir=hpc/image-scripts destroy");
    assert!(found.starts_with("read -r CONTROLLER ") && kept.contains(">hpc-slurm_acct.sql"));
    assert!(create(&commands).ends_with(" --force"), "{commands:?}");
    let found = told(&elsewhere, DEPLOYMENT);
    let said: Vec<_> = found.iter().map(|it| (it.thing.as_str(), it.effect)).collect();
    let wanted = ["module image-startup", "module machine-image"];
    assert_eq!(said, wanted.map(|it| (it, Effect::NextStart)), "{found:#?}");
}

/// The state of a deployment under another name is moved before, or all of it would be made a second time.
#[test]
fn the_state_of_a_deployment_is_moved_where_it_is_called_otherwise() {
    let named = CLUSTER.lines().find(|line| line.starts_with("blueprint_name: "));
    let other = told(&with(named.unwrap_or_default(), "blueprint_name: other"), DEPLOYMENT);
    let first = other.first().map(|it| (it.effect, it.commands.first().map(String::as_str)));
    let (effect, command) = first.unwrap_or((Effect::Nothing, None));
    assert_eq!(effect, Effect::ByHand);
    assert!(
        command.is_some_and(|it| it.starts_with("gcloud storage mv ") && it.ends_with("/other"))
    );
}

/// Pods have ranges of a subnet; hosts of a cluster beside theirs have none of them, and stay.
#[test]
fn ranges_of_pods_are_no_ground_of_hosts() {
    let subnet = |range: &str| {
        format!(
            "resource \"google_compute_subnetwork\" \"system\" {{\n  name = \"system-us-east4\"\n  secondary_ip_range {{\n    range_name    = \"pods\"\n    ip_cidr_range = \"{range}\"\n  }}\n}}\n"
        )
    };
    let pods = "resource \"google_container_cluster\" \"this\" {\n  subnetwork = data.google_compute_subnetwork.system.id\n}\ndata \"google_compute_subnetwork\" \"system\" {\n  name = \"system-us-east4\"\n}\n";
    let name = "        subnetwork_name: system-us-east4\n";
    let cluster = format!("{CLUSTER}\n# {name}");
    let files = |subnet| {
        [
            File { path: "10-foundation/network.tf", text: subnet },
            File { path: "30-hpc/cluster.yaml", text: &cluster },
            File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
            File { path: "30-pods/main.tf", text: pods },
        ]
    };
    let (old, new) = (subnet("10.64.0.0/14"), subnet("10.72.0.0/14"));
    let found = changes(&files(&old), &files(&new));
    let range = found.iter().find(|it| it.thing.ends_with("subnetwork.system")).unwrap();
    let goes = |what: &str| range.commands.iter().any(|it| it.contains(what));
    assert!(goes("terraform -chdir=30-pods destroy"), "{range:#?}");
    assert!(!goes("gcluster") && found.iter().all(|it| it.root != "30-hpc"), "{found:#?}");
}

/// The account of hosts goes with what is applied before they are deployed: no job is left that acts as it.
#[test]
fn jobs_end_before_the_account_of_their_hosts_goes() {
    let line = CLUSTER.lines().find(|it| it.contains("service_account_email: ")).unwrap();
    let account = line.split_once(": ").unwrap().1.split('@').next().unwrap();
    let other = CLUSTER.replace(&format!("{account}@"), "another@");
    let identity = |name: &str| {
        format!(
            "resource \"google_service_account\" \"{name}\" {{\n  account_id = \"{name}\"\n}}\n"
        )
    };
    let (former, next) = (identity(account), identity("another"));
    let files = |identities, cluster| {
        [
            File { path: "10-foundation/identities.tf", text: identities },
            File { path: "30-hpc/cluster.yaml", text: cluster },
            File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
        ]
    };
    let found = changes(&files(&former, CLUSTER), &files(&next, &other));
    let acting: Vec<_> =
        found.iter().filter(|it| it.root == "30-hpc" && it.acts_otherwise()).collect();
    assert!(!acting.is_empty(), "{found:#?}");
    for change in acting {
        assert!(change.effect <= Effect::ByHand, "{change:#?}");
        let at = |words: &str| change.commands.iter().position(|it| it.contains(words));
        let places = ["State=DRAIN", "it ends with the last job", "gcluster deploy"].map(at);
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{change:#?}");
        assert!(change.goes_first() || is_first_of_all(&change.commands[1]), "{change:#?}");
    }
    // one that stays, with all its rights, goes on
    let both = format!("{former}{next}");
    let found = changes(&files(&former, CLUSTER), &files(&both, &other));
    assert!(found.iter().all(|it| !it.commands.iter().any(|it| is_first_of_all(it))), "{found:#?}");
}
