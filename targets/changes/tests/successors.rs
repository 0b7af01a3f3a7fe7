//! What comes after a cluster of Slurm that is made anew, renamed, or kept by others elsewhere: what it held is brought there.

use slipform_changes::{Change, Effect, File, Turn, as_applied, changes, in_steps};

const CLUSTER: &str = include_str!("toolkit/cluster.yaml");
const DEPLOYMENT: &str = include_str!("toolkit/deployment.yaml");

/// Whether commands with these words are all there, in this order.
fn in_order(change: &Change, turns: &[&str]) {
    let mut rest = change.commands.iter();
    for turn in turns {
        assert!(rest.any(|it| it.contains(turn)), "{turn}: {:#?}", change.commands);
    }
}

fn of_cluster<'a>(root: &str, files: [&'a str; 2]) -> [(String, &'a str); 2] {
    let [cluster, deployment] = files;
    [(format!("{root}/cluster.yaml"), cluster), (format!("{root}/deployment.yaml"), deployment)]
}

fn files<'a>(all: &'a [(String, &'a str)]) -> Vec<File<'a>> {
    all.iter().map(|(path, text)| File { path, text }).collect()
}

fn owned(all: &[(String, String)]) -> Vec<File<'_>> {
    all.iter().map(|(path, text)| File { path, text }).collect()
}

/// Another name makes another cluster: what the former holds is brought into it, its tables under the other name.
#[test]
fn a_cluster_under_another_name_gets_what_the_former_held() {
    let old = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    let new = old.replace("slurm_cluster_name: hpc", "slurm_cluster_name: lab");
    let named = DEPLOYMENT.replace("deployment_name: hpc", "deployment_name: lab");
    let before = of_cluster("30-hpc", [&old, DEPLOYMENT]);
    let after = of_cluster("30-lab", [&new, &named]);
    let found = changes(&files(&before), &files(&after));
    let left = found.iter().find(|it| it.root == "30-hpc").unwrap();
    assert_eq!(left.effect, Effect::DestroysData, "{left:#?}");
    assert!(left.takes_away(), "{left:#?}");
    in_order(
        left,
        &[
            "State=DRAIN; done  # on a login node of hpc",
            "until jobs=\"$(squeue --noheader)",
            ">hpc-home.tgz",
            ">hpc-apps.tgz",
            ">hpc-slurm_acct.sql",
            "gcluster create 30-hpc/cluster.yaml",
            "gcluster destroy hpc  # before any folder is applied",
            "gcluster create 30-lab/cluster.yaml",
            "gcluster deploy lab",
            "labels.slurm_cluster_name=lab",
            "<hpc-home.tgz",
            "<hpc-apps.tgz",
            "sed \"s/\\`hpc_/\\`lab_/g; /INSERT INTO .cluster_table./,/;$/s/'hpc'/'lab'/g\" hpc-slurm_acct.sql | gcloud compute ssh ",
        ],
    );
}

/// A range that is another makes the subnet anew, and with it the cluster of which no word is another.
#[test]
fn a_cluster_goes_and_comes_with_its_subnet() {
    let subnet = |range: &str| {
        format!(
            "resource \"google_compute_subnetwork\" \"system\" {{\n  name          = \"system-us-east4\"\n  ip_cidr_range = \"{range}\"\n}}\n"
        )
    };
    let told = |old: &str, new: &str| {
        let (former, next) = (subnet("10.0.0.0/20"), subnet("10.90.0.0/20"));
        let with = |cluster, network| {
            let network = File { path: "10-foundation/network.tf", text: network };
            let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
            [network, cluster, File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT }]
        };
        changes(&with(old, &former), &with(new, &next))
    };
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    let longer = local.replace("MaxTime: 20160", "MaxTime: 60");
    for new in [&local, &longer] {
        let found = told(&local, new);
        let cluster = found.iter().find(|it| it.thing == "cluster.yaml").unwrap();
        assert_eq!(
            (cluster.effect, cluster.origin.as_str()),
            (Effect::DestroysData, "cluster hpc")
        );
        assert!(cluster.why.contains("`/home` is on the disk of its controller"), "{found:#?}");
        assert!(cluster.takes_away(), "{cluster:#?}");
        let milder = found.iter().filter(|it| it.root == "30-hpc" && it.effect > Effect::Replaces);
        assert_eq!(milder.count(), 0, "{found:#?}");
    }
    let found = told(CLUSTER, CLUSTER);
    let cluster = found.iter().find(|it| it.thing == "cluster.yaml").unwrap();
    assert_eq!(cluster.effect, Effect::Replaces, "{cluster:#?}");
    assert!(cluster.why.contains("what jobs used"), "{cluster:#?}");
}

/// Controllers find what they know of jobs where another filesystem is mounted for it: none of them writes there meanwhile.
#[test]
fn what_controllers_know_of_jobs_goes_along_to_another_filesystem() {
    let state = CLUSTER.replace("local_mount: /home", "local_mount: /var/spool/slurm");
    let other = state.replace("$(vars.home_address)", "10.0.0.9");
    assert!(other != state);
    let told = |old: &str, new: &str| {
        let before = of_cluster("30-hpc", [old, DEPLOYMENT]);
        let after = of_cluster("30-hpc", [new, DEPLOYMENT]);
        let found = changes(&files(&before), &files(&after));
        found.into_iter().find(|it| it.thing == "module mount-home").unwrap()
    };
    let moved = [
        "sudo systemctl stop slurmctld  # on each controller of hpc, before ",
        ">hpc-state.tgz",
        "sudo umount --lazy /var/spool/slurm ",
        "10.0.0.9:",
        "<hpc-state.tgz",
        "sudo systemctl start slurmctld  # on each controller of hpc",
        "gcluster deploy hpc",
    ];
    let change = told(&state, &other);
    in_order(&change, &moved);
    assert_eq!(change.commands.iter().filter(|it| it.contains("/etc/fstab")).count(), 2);
    // one that is made anew is stopped before it writes another over it
    let anew = other.replace("machine_type: n2-standard-16", "machine_type: n2-standard-32");
    let change = told(&state, &anew);
    in_order(
        &change,
        &[
            ">hpc-state.tgz",
            "gcluster deploy hpc",
            "stop slurmctld",
            "<hpc-state.tgz",
            "start slurmctld",
        ],
    );
}

/// The next controller starts on what the former one saved of jobs, before what was counted is brought there.
#[test]
fn a_controller_that_is_made_anew_starts_on_what_was_saved() {
    let machine = CLUSTER.replace("machine_type: n2-standard-16", "machine_type: n2-standard-32");
    let before = of_cluster("30-hpc", [CLUSTER, DEPLOYMENT]);
    let after = of_cluster("30-hpc", [&machine, DEPLOYMENT]);
    let found = changes(&files(&before), &files(&after));
    let controller = found.iter().find(|it| it.thing == "module controller").unwrap();
    in_order(
        controller,
        &[
            ">hpc-apps.tgz",
            ">hpc-slurm_acct.sql",
            "sudo systemctl stop slurmctld && sudo rm -f ",
            "gcluster deploy hpc",
            "--skip-old-files",
            "<hpc-slurm_acct.sql",
        ],
    );
}

/// The same words are another command for each cluster.
#[test]
fn commands_for_hosts_name_their_cluster_where_there_are_several() {
    let conf = |name: &str, time: &str| {
        format!(
            "# Slurm 24.11 cluster {name}\n# cluster {name}\nClusterName={name}\nSlurmctldHost=head\nNodeName={name}[1-2] CPUs=8\nPartitionName=gpu Nodes={name}[1-2] MaxTime={time}\n"
        )
    };
    let told = |count: usize| {
        let sides = ["7-00:00:00", "1-00:00:00"];
        let [before, after] = sides.map(|time| ["campus", "annex"].map(|name| conf(name, time)));
        let paths = ["30-campus/slurm.conf", "30-annex/slurm.conf"];
        let of = |texts: &[String; 2]| -> Vec<(String, String)> {
            let all = paths.iter().zip(texts).take(count);
            all.map(|(path, text)| ((*path).to_owned(), text.clone())).collect()
        };
        let (before, after) = (of(&before), of(&after));
        changes(&owned(&before), &owned(&after))
    };
    let found = told(2);
    let commands: Vec<&str> =
        found.iter().flat_map(|it| &it.commands).map(String::as_str).collect();
    for name in ["campus", "annex"] {
        let wanted = format!("scontrol reconfigure  # on a controller of {name}");
        assert!(commands.contains(&wanted.as_str()), "{commands:#?}");
    }
    let alone = told(1);
    let [change] = alone.as_slice() else { panic!("{alone:#?}") };
    assert_eq!(change.commands, ["scontrol reconfigure  # on a controller"]);
    assert!(change.why.contains("less time in `gpu`"), "{}", change.why);
}

/// Releases in between are named.
#[test]
fn a_release_that_is_too_far_has_its_way() {
    let conf =
        |release: &str| format!("# Slurm {release} cluster hpc\nPartitionName=gpu Nodes=a\n");
    let told = |old: &str, new: &str| {
        let (old, new) = (conf(old), conf(new));
        let [before, after] =
            [&old, &new].map(|text| [File { path: "30-hpc/slurm.conf", text: text.as_str() }]);
        let found = changes(&before, &after);
        found.first().map(|it| (it.effect, it.why.clone())).unwrap()
    };
    let (effect, why) = told("23.11", "26.05");
    assert_eq!(effect, Effect::Replaces);
    assert!(why.contains("by way of 25.05, with"), "{why}");
    assert_eq!(told("24.05", "25.11").0, Effect::Restarts);
}

/// A share that is served elsewhere has the cluster deployed, which looks up an image that the same plan builds: the controller goes with that.
#[test]
fn a_controller_goes_where_only_a_share_has_it_deployed() {
    let (head, rest) = CLUSTER.split_once("- group: image-scripts").unwrap();
    let (_, cluster) = rest.split_once("- group: cluster").unwrap();
    let looked_up = format!("{head}- group: cluster{cluster}");
    let share = |place: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name     = \"home\"\n  location = \"{place}\"\n}}\n\noutput \"home_address\" {{\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}}\n"
        )
    };
    let template = "source \"googlecompute\" \"image\" {\n  image_family = \"slurm-a3mega\"\n}\n";
    let told = |script: &str| {
        let (old, new) = (share("us-east4-b"), share("us-east4-c"));
        let with = |share, script| {
            texts(&[
                ("10-foundation/storage.tf", share),
                ("25-machine-images/tools/image.pkr.hcl", template),
                ("25-machine-images/tools/tools.sh", script),
                ("30-hpc/cluster.yaml", looked_up.as_str()),
                ("30-hpc/deployment.yaml", DEPLOYMENT),
            ])
        };
        let (before, after) = (with(&old, "apt-get install parallel\n"), with(&new, script));
        let found = changes(&owned(&before), &owned(&after));
        found.into_iter().find(|it| it.file == "30-hpc/cluster.yaml").unwrap()
    };
    let built = told("apt-get install tmux\n");
    assert_eq!(built.effect, Effect::Restarts, "{built:#?}");
    in_order(&built, &[">hpc-slurm_acct.sql", "gcluster deploy hpc", "<hpc-slurm_acct.sql"]);
    assert!(built.why.contains("the controller is made anew"), "{}", built.why);
    let alone = told("apt-get install parallel\n");
    assert_eq!(alone.effect, Effect::MayReplace, "{alone:#?}");
    in_order(&alone, &["gcluster deploy hpc", "sudo mount /home"]);
}

fn texts(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

/// Another image would have the controller made anew once more, without what was brought back.
#[test]
fn a_deployment_that_is_given_again_builds_no_image() {
    let fewer = CLUSTER
        .replace("network_count: 8", "network_count: 4")
        .replace("ansible==6.7.0", "ansible==7.7.0");
    let before = of_cluster("30-hpc", [CLUSTER, DEPLOYMENT]);
    let after = of_cluster("30-hpc", [&fewer, DEPLOYMENT]);
    let found = changes(&files(&before), &files(&after));
    let network = found.iter().find(|it| it.thing == "module data-networks").unwrap();
    in_order(
        network,
        &[
            ">hpc-slurm_acct.sql",
            "gcluster deploy hpc",
            "gcluster deploy hpc --skip=image  # again",
            "<hpc-slurm_acct.sql",
        ],
    );
}

/// A share that is made anew and an image that is another one: jobs end before either, and hosts mount it once all is deployed.
#[test]
fn two_reasons_to_deploy_come_to_one_order() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /projects");
    let image = local.replace("ansible==6.7.0", "ansible==7.7.0");
    let share = |place: &str| {
        format!(
            "resource \"google_filestore_instance\" \"home\" {{\n  name     = \"home\"\n  location = \"{place}\"\n}}\n\noutput \"home_address\" {{\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}}\n"
        )
    };
    let (former, next) = (share("us-east4-b"), share("us-east4-c"));
    let with = |share, cluster| {
        let storage = File { path: "10-foundation/storage.tf", text: share };
        let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
        [storage, cluster, File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT }]
    };
    let found = changes(&with(&former, local.as_str()), &with(&next, image.as_str()));
    let of_cluster = found.iter().filter(|it| it.root == "30-hpc" && !it.commands.is_empty());
    let all: Vec<&Change> = of_cluster.collect();
    assert!(all.len() > 1, "{found:#?}");
    for change in all {
        in_order(
            change,
            &[
                "State=DRAIN",
                "until jobs=\"$(squeue ",
                ">hpc-home.tgz",
                "sudo umount --lazy /projects",
                "gcluster deploy hpc",
                "<hpc-home.tgz",
                "sudo mount /projects",
            ],
        );
        let waits = change.commands.iter().filter(|it| it.starts_with("until jobs=\"$(squeue "));
        assert_eq!(waits.count(), 1, "{change:#?}");
    }
}

/// What jobs write until the last of them is over is in the backup.
#[test]
fn a_share_that_goes_is_kept_behind_who_writes_to_it() {
    let share = "resource \"google_filestore_instance\" \"home\" {\n  name     = \"home\"\n  location = \"us-east4-b\"\n  file_shares {\n    name        = \"home\"\n    capacity_gb = 2560\n  }\n}\n\noutput \"home_address\" {\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}\n";
    let mounted = CLUSTER.replace("local_mount: /home", "local_mount: /projects");
    let (head, rest) = mounted.split_once("  - id: mount-home\n").unwrap();
    let (_, rest) = rest.split_once("  # cluster hpc, partition a3mega\n").unwrap();
    let gone = format!("{head}  # cluster hpc, partition a3mega\n{rest}")
        .replace("    - mount-home\n", "");
    let before = [
        File { path: "10-foundation/storage.tf", text: share },
        File { path: "30-hpc/cluster.yaml", text: &mounted },
        File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
    ];
    let after = [
        File { path: "10-foundation/storage.tf", text: "# nothing\n" },
        File { path: "30-hpc/cluster.yaml", text: &gone },
        File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT },
    ];
    let found = changes(&before, &after);
    let is_kept = |it: &String| it.starts_with("gcloud filestore backups create home-before");
    let storage =
        found.iter().find(|it| it.thing.starts_with("google_filestore_instance")).unwrap();
    assert!(!storage.commands.iter().any(is_kept), "{storage:#?}");
    let mount = found.iter().find(|it| it.thing == "module mount-home").unwrap();
    assert!(mount.commands.last().is_some_and(is_kept), "{mount:#?}");
}

/// Machines of a reservation are given back before it holds fewer of them.
#[test]
fn nodes_leave_a_reservation_before_it_shrinks() {
    let reserved = CLUSTER.replace("enable_spot_vm: true", "reservation_name: mine");
    for other in [
        reserved.replace("node_count_static: 2", "node_count_static: 1"),
        reserved.replace("reservation_name: mine", "enable_spot_vm: true"),
    ] {
        let before = of_cluster("30-hpc", [&reserved, DEPLOYMENT]);
        let after = of_cluster("30-hpc", [&other, DEPLOYMENT]);
        let found = changes(&files(&before), &files(&after));
        let nodes = found.iter().find(|it| it.thing == "module nodes-a3mega").unwrap();
        assert!(nodes.ends_nodes(), "{nodes:#?}");
        in_order(nodes, &["gcluster deploy hpc", "they have what is reserved until then"]);
        // those that have others from then on are made anew
        let others = !other.contains("reservation_name: mine");
        let anew = nodes.commands.iter().any(|it| it.contains("State=POWER_DOWN_ASAP"));
        assert_eq!(anew, others, "{nodes:#?}");
    }
}

/// A share that is mounted for the first time lets go of nothing that something else takes away.
#[test]
fn what_is_mounted_for_the_first_time_is_no_unmount() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /data");
    let before = of_cluster("30-hpc", [&local, DEPLOYMENT]);
    let (head, rest) = local.split_once("  - id: mount-home\n").unwrap();
    let more = format!(
        "{head}  - id: mount-apps\n    source: modules/file-system/pre-existing-network-storage\n    settings:\n      server_ip: 10.0.0.9\n      remote_mount: /apps\n      fs_type: nfs\n      local_mount: /opt/apps\n  # cluster hpc\n  - id: mount-home\n{rest}"
    );
    let after = of_cluster("30-hpc", [&more, DEPLOYMENT]);
    let told = |before: &[(String, &str)], after: &[(String, &str)]| {
        let found = changes(&files(before), &files(after));
        found.into_iter().find(|it| it.thing == "module mount-apps").unwrap().unmounts()
    };
    assert!(!told(&before, &after));
    assert!(told(&after, &before));
}

/// A share that others take the place of has none of what lies in it, and no later one is there before the folder that makes it is applied.
#[test]
fn another_share_at_the_same_place_is_filled_first() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /projects");
    let other = local.replace("$(vars.home_address)", "$(vars.next_address)");
    let share = |name: &str| {
        format!(
            "resource \"google_filestore_instance\" \"{name}\" {{\n  name     = \"{name}\"\n  location = \"us-east4-b\"\n}}\n\noutput \"{name}_address\" {{\n  value = google_filestore_instance.{name}.networks[0].ip_addresses[0]\n}}\n"
        )
    };
    let (former, both) = (share("home"), format!("{}{}", share("home"), share("next")));
    let with = |share, cluster| {
        let storage = File { path: "10-foundation/storage.tf", text: share };
        let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
        [storage, cluster, File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT }]
    };
    let found = changes(&with(&former, local.as_str()), &with(&both, other.as_str()));
    let mount = found.iter().find(|it| it.thing == "module mount-home").unwrap();
    assert_eq!(mount.effect, Effect::ByHand, "{mount:#?}");
    in_order(
        mount,
        &[
            "State=DRAIN",
            "until jobs=\"$(squeue ",
            "terraform -chdir=10-foundation apply -target=google_filestore_instance.next",
            "rsync -aHAX --update /projects/ /mnt/share/",
            "sudo umount --lazy /projects",
            "gcluster deploy hpc",
            "sudo mount /projects",
        ],
    );
}

/// Where a share goes with what is applied between the end of a cluster and the next one, the host that deploys it takes along what lies there.
#[test]
fn homes_of_a_share_that_goes_come_to_a_cluster_elsewhere() {
    let (head, rest) = CLUSTER.split_once("  - id: mount-home\n").unwrap();
    let (_, rest) = rest.split_once("  # cluster hpc, partition a3mega\n").unwrap();
    let gone = format!("{head}  # cluster hpc, partition a3mega\n{rest}")
        .replace("    - mount-home\n", "");
    let moved = DEPLOYMENT.replace("us-east4-b", "us-east4-c");
    let zone = |text: &str| text.replace("zone: us-east4-b", "zone: us-east4-c");
    let before = of_cluster("30-hpc", [CLUSTER, DEPLOYMENT]);
    let new = zone(&gone);
    let found = changes(&files(&before), &files(&of_cluster("30-hpc", [&new, &moved])));
    let mount = found.iter().find(|it| it.thing == "module mount-home").unwrap();
    assert!(!mount.commands.iter().any(|it| it.contains("/mnt/share")), "{mount:#?}");
    assert!(!mount.unmounts(), "{mount:#?}");
    in_order(
        mount,
        &[">hpc-home.tgz", "gcluster destroy hpc", "gcluster deploy hpc", "<hpc-home.tgz"],
    );
}

/// Daemons are one service of their host, whichever cluster has it.
#[test]
fn hosts_leave_one_cluster_before_they_come_to_another() {
    let conf = |name: &str, head: &str, nodes: &str| {
        format!(
            "# Slurm 24.11 cluster {name}\n# cluster {name}\nClusterName={name}\n{head}NodeName={nodes} CPUs=8\nPartitionName=gpu Nodes={nodes}\n"
        )
    };
    let head = |hosts: &[&str]| -> String {
        hosts.iter().map(|it| format!("SlurmctldHost={it}\n")).collect()
    };
    let campus = |nodes| conf("campus", &head(&["c1", "c2"]), nodes);
    let annex = conf("annex", &head(&["a1"]), "ax[1-4]");
    let (paths, merged) =
        (["30-campus/slurm.conf", "30-annex/slurm.conf"], campus("cx[1-4],ax[1-4]"));
    let former = campus("cx[1-4]");
    let before = [(paths[0], former.as_str()), (paths[1], annex.as_str())];
    let (old, new) = (texts(&before), texts(&[(paths[0], merged.as_str())]));
    let found = changes(&owned(&old), &owned(&new));
    let left = found.iter().find(|it| it.root == "30-annex").unwrap();
    let ended =
        "systemctl disable --now slurmd  # on every node of annex, before any folder is applied";
    in_order(left, &["State=DRAIN", "squeue  # ", ended]);
    let grown = found.iter().find(|it| it.root == "30-campus").unwrap();
    in_order(
        grown,
        &["systemctl enable --now munge slurmd  # on ax[1-4], with the new slurm.conf"],
    );
    // a controller that the other one has from then on
    let (less, more) =
        (conf("campus", &head(&["c1"]), "cx[1-4]"), conf("annex", &head(&["a1", "c2"]), "ax[1-4]"));
    let new = texts(&[(paths[0], less.as_str()), (paths[1], more.as_str())]);
    let found = changes(&owned(&old), &owned(&new));
    let all: Vec<&String> = found.iter().flat_map(|it| &it.commands).collect();
    let ended = "systemctl disable --now slurmctld  # on c2, before any folder is applied";
    assert!(all.iter().any(|it| *it == ended), "{all:#?}");
}

/// Two shares of other names at one place are the same for who mounts it there.
#[test]
fn a_share_of_another_name_at_the_same_place_is_filled_first() {
    let local = CLUSTER.replace("local_mount: /home", "local_mount: /projects");
    let other = local
        .replace("id: mount-home", "id: mount-next")
        .replace("- mount-home", "- mount-next")
        .replace("$(vars.home_address)", "10.0.0.9");
    let before = of_cluster("30-hpc", [&local, DEPLOYMENT]);
    let after = of_cluster("30-hpc", [&other, DEPLOYMENT]);
    let found = changes(&files(&before), &files(&after));
    for thing in ["module mount-home", "module mount-next"] {
        let mount = found.iter().find(|it| it.thing == thing).unwrap();
        assert_eq!((mount.effect, mount.unmounts()), (Effect::ByHand, false), "{mount:#?}");
        in_order(
            mount,
            &[
                "until jobs=\"$(squeue ",
                "rsync -aHAX --update /projects/ /mnt/share/",
                "sudo umount --lazy /projects",
                "gcluster deploy hpc",
                "10.0.0.9:",
                "State=POWER_DOWN_ASAP",
            ],
        );
        let tables = mount.commands.iter().filter(|it| it.contains("/etc/fstab"));
        assert_eq!(tables.count(), 2, "{mount:#?}");
    }
}

/// What comes may be what the cluster needs that lets go of what goes.
#[test]
fn what_comes_is_made_before_what_goes_is_let_go_of() {
    let share = "resource \"google_filestore_instance\" \"home\" {\n  name     = \"home\"\n  location = \"us-east4-b\"\n}\n\noutput \"home_address\" {\n  value = google_filestore_instance.home.networks[0].ip_addresses[0]\n}\n";
    let account =
        "resource \"google_service_account\" \"workers\" {\n  account_id = \"workers\"\n}\n";
    let mounted = CLUSTER.replace("local_mount: /home", "local_mount: /projects");
    let (head, rest) = mounted.split_once("  - id: mount-home\n").unwrap();
    let (_, rest) = rest.split_once("  # cluster hpc, partition a3mega\n").unwrap();
    let gone = format!("{head}  # cluster hpc, partition a3mega\n{rest}")
        .replace("    - mount-home\n", "");
    let with = |foundation, cluster| {
        let foundation = File { path: "10-foundation/storage.tf", text: foundation };
        let cluster = File { path: "30-hpc/cluster.yaml", text: cluster };
        [foundation, cluster, File { path: "30-hpc/deployment.yaml", text: DEPLOYMENT }]
    };
    let found = changes(&with(share, mounted.as_str()), &with(account, gone.as_str()));
    let mount = found.iter().find(|it| it.thing == "module mount-home").unwrap();
    assert!(mount.unmounts(), "{mount:#?}");
    in_order(
        mount,
        &[
            "terraform -chdir=10-foundation apply -target=google_service_account.workers  # what comes",
            "gcluster deploy hpc",
            "sudo umount /projects",
        ],
    );
    let order = ["10-foundation", "30-hpc"].map(|it| Turn::Apply(it.to_owned())).to_vec();
    let commands = mount.commands.iter().map(|it| (0, it.clone())).collect();
    let commands: Vec<String> = in_steps(commands, &order).into_iter().map(|(_, it)| it).collect();
    let last = commands.last().unwrap();
    assert!(
        last.starts_with("terraform -chdir=10-foundation apply  # once hosts"),
        "{commands:#?}"
    );
    let turns = as_applied(order, &commands);
    assert_eq!(turns.iter().map(Turn::root).collect::<Vec<_>>(), ["30-hpc", "10-foundation"]);
}

/// Nothing but their script knows of machines that commands made.
#[test]
fn machines_whose_account_goes_are_made_anew() {
    let account = |name: &str| {
        format!(
            "resource \"google_service_account\" \"{name}\" {{\n  account_id = \"{name}\"\n}}\n"
        )
    };
    let made = |name: &str| {
        format!(
            "gcloud compute instances create desk \\\n  --service-account={name}@mine.iam.gserviceaccount.com\n"
        )
    };
    let away = "there=\"$(gcloud compute instances list)\"\ngcloud compute instances delete \"${machines[@]}\"\n";
    let [before, after] = ["desker", "worker"].map(|it| {
        texts(&[
            ("10-foundation/identities.tf", account(it).as_str()),
            ("30-desk/create.sh", made(it).as_str()),
            ("30-desk/delete.sh", away),
        ])
    });
    let found = changes(&owned(&before), &owned(&after));
    let desk = found.iter().find(|it| it.root == "30-desk").unwrap();
    assert_eq!((desk.effect, desk.leaves_data), (Effect::ByHand, true), "{found:#?}");
    assert_eq!(desk.commands, ["30-desk/delete.sh", "30-desk/create.sh"]);
}

/// A template is for those alone that are made from then on, and nothing makes the others anew where commands made them.
#[test]
fn machines_of_a_template_whose_account_goes_are_made_anew() {
    let account = |name: &str| {
        format!(
            "resource \"google_service_account\" \"{name}\" {{\n  account_id = \"{name}\"\n}}\n"
        )
    };
    let template = |name: &str| {
        format!(
            "resource \"google_compute_instance_template\" \"desk\" {{\n  name_prefix = \"desk-\"\n  service_account {{\n    email = data.google_service_account.{name}.email\n  }}\n}}\ndata \"google_service_account\" \"{name}\" {{\n  account_id = \"{name}\"\n}}\n"
        )
    };
    let away = "there=\"$(gcloud compute instances list)\"\ngcloud compute instances delete \"${machines[@]}\"\n";
    let [before, after] = ["desker", "worker"].map(|it| {
        texts(&[
            ("10-foundation/identities.tf", account(it).as_str()),
            ("30-desk/machines.tf", template(it).as_str()),
            ("30-desk/create.sh", "--source-instance-template=\"$template\"\n"),
            ("30-desk/delete.sh", away),
        ])
    });
    let found = changes(&owned(&before), &owned(&after));
    let desk = found.iter().find(|it| it.thing.ends_with("template.desk")).unwrap();
    assert_eq!((desk.effect, desk.leaves_data), (Effect::ByHand, true), "{found:#?}");
    let wanted = ["30-desk/delete.sh", "terraform -chdir=30-desk apply", "30-desk/create.sh"];
    assert_eq!(desk.commands, wanted);
}
