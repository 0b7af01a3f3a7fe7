//! Whom a change ends and whom it leaves alone, in which order its commands are given, and in which cluster.

use crate::drained::{retold, reworded, told, told_both_ways};
use crate::plan::FLEET;
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

/// A fleet with two pools of GPUs in one subnet, a queue of the second one, and a run on each.
fn lent() -> String {
    let pool = "  pool lent {\n    machine  = \"a3-highgpu-8g\"\n    nodes    = 1\n    capacity = spot\n  }\n\n  queue loans {\n    pools = [lent]\n  }\n\n  queue own {\n    pools = [gpus]\n  }\n}\n\nworkload train";
    reworded(
        FLEET,
        &[
            ("}\n\nworkload train", pool),
            ("\nnetwork fabric {\n", "\nnetwork fabric {\n  accelerators = 192.168.0.0/16\n"),
        ],
    ) + "\nworkload loaned on a3m.lent {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  queue  = a3m.loans\n  launch = torchrun(\"train.py\")\n}\n"
}

/// What stands between two texts of what is told.
fn within<'a>(told: &'a str, from: &str, to: &str) -> &'a str {
    let rest = told.split_once(from).unwrap_or_else(|| panic!("{from}:\n{told}")).1;
    rest.split_once(to).unwrap_or_else(|| panic!("{to}:\n{told}")).0
}

#[test]
fn pools_that_a_subnet_takes_along_end_their_runs() {
    let text = lent();
    let told = told(&text, &reworded(&text, &[("192.168.0.0/16", "192.168.0.0/17")]));
    let command = "$ terraform -chdir=30-a3m destroy -target=google_container_node_pool.gpus -target=google_container_node_pool.lent\n";
    let told_first =
        within(&told, "what runs there ends: loaned, train\n", "drain first: loaned, train\n");
    assert!(told_first.contains(command.trim_end()) || told.contains(command), "{told}");
}

#[test]
fn what_a_queue_holds_is_deleted_behind_it() {
    let text = lent();
    let (kept, _) = text.split_once("\nworkload loaned").unwrap_or_default();
    let pool = within(&text, "\n  pool lent {", "  queue loans {");
    let queue = "  queue loans {\n    pools = [lent]\n  }\n";
    let dropped = reworded(kept, &[(queue, ""), (&format!("\n  pool lent {{{pool}"), "")]);
    let told = told(&text, &dropped);
    let between = within(
        &told,
        "$ kubectl delete clusterqueue loans --ignore-not-found\n",
        "apply in this order",
    );
    assert!(between.contains("$ kubectl delete resourceflavor lent"), "{told}");
    assert_eq!(told.matches("kubectl delete resourceflavor").count(), 1, "{told}");
}

#[test]
fn a_flavor_goes_once_the_queue_that_stays_lets_go_of_it() {
    let text = reworded(&lent(), &[("pools = [lent]", "pools = [gpus, lent]")]);
    let (kept, _) = text.split_once("\nworkload loaned").unwrap_or_default();
    let pool = within(&text, "\n  pool lent {", "  queue loans {");
    let dropped =
        reworded(kept, &[("[gpus, lent]", "[gpus]"), (&format!("\n  pool lent {{{pool}"), "\n")]);
    let told = told(&text, &dropped);
    let between = within(&told, "$ 40-a3m-queues/install.sh\n", "apply in this order");
    assert!(between.contains("$ kubectl delete resourceflavor lent"), "{told}");
}

/// What asks for a pool by its name may be an object of its cluster.
#[test]
fn none_but_runs_are_drained() {
    let lent = "  pool lent {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = 0..8\n    capacity = queued(max = 2d)\n  }\n\n";
    let queue = "  queue research {\n    pools = [gpus, lent]\n  }\n}\n\nworkload train";
    let text = reworded(FLEET, &[("}\n\nworkload train", &format!("{lent}{queue}"))]);
    let sandbox = Sandbox::new(&[("train.bp", &text)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", reworded(&text, &[(lent, ""), ("[gpus, lent]", "[gpus]")]));
    let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(told.contains("pool a3m.lent"), "{told}");
    // its queue may have put the run on that pool
    assert!(told.contains("drain first: train\n") && !told.contains("ends: a3m"), "{told}");
    // a folder of queues is its cluster's, whichever pool its first object is for
    let (without, _) = text.split_once("cluster a3m").unwrap_or_default();
    sandbox.write("train.bp", without);
    let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(told.contains("they end with their cluster"), "{told}");
    assert!(!told.contains("pool a3m.lent"), "{told}");
}

#[test]
fn what_is_in_a_new_cluster_is_applied_behind_its_queues() {
    let words = [
        ("  network = fabric\n", "  network = fabric\n  location = \"us-east4-a\"\n"),
        ("\"train.py\"", "\"tune.py\""),
    ];
    let told = told(FLEET, &reworded(FLEET, &words));
    let order =
        "apply in this order: 30-a3m\nthen, since their cluster is a new one: 40-a3m-queues\n";
    assert!(told.contains(order), "{told}");
    let start =
        "start again at the end: train\n$ kubectl apply -k 50-workloads/train/overlays/default\n";
    assert!(told.contains(start), "{told}");
}

#[test]
fn what_only_google_cloud_names_is_filled_in_again() {
    let board =
        "dashboard board {\n  region = \"us-east4\"\n}\n\nidentity trainer {}\n\ncluster a3m";
    let shown = "  identity  = trainer\n  dashboard = board\n  launch =";
    let text = reworded(FLEET, &[("cluster a3m", board), ("  launch =", shown)]);
    let told = told(
        &text,
        &reworded(
            &text,
            &[(
                "  region = \"us-east4\"\n}\n\nidentity",
                "  region = \"us-central1\"\n}\n\nidentity",
            )],
        ),
    );
    assert!(told.contains("$ 50-workloads/train/base/fill-deferred.sh\n"), "{told}");
    assert!(told.contains("start again at the end: train\n"), "{told}");
}

#[test]
fn people_of_a_team_stop_no_run() {
    let team =
        "  network = fabric\n  teams = { red = team(members = [\"group:red@example.com\"]) }\n";
    let text = reworded(FLEET, &[("  network = fabric\n", team)]);
    let told = told(&text, &text.replace("red@example.com", "crimson@example.com"));
    assert!(told.contains("google_project_iam_member.a3m_members"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
}

#[test]
fn an_account_that_a_cluster_only_has_stops_no_run() {
    let accounts = "  network = fabric\n  accounts = { \"tools/robot\" = robot }\n";
    let robot = "identity robot {\n  roles = [\"roles/logging.logWriter\"]\n}\n\ncluster a3m";
    let text = reworded(FLEET, &[("  network = fabric\n", accounts), ("cluster a3m", robot)]);
    let told = told(
        &text,
        &reworded(&text, &[("identity robot {\n", "identity robot {\n  account = \"robots\"\n")]),
    );
    assert!(told.contains("`account_id` cannot be changed"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
}

/// Without its logs and metrics a run goes on; without what it reads from it does not.
#[test]
fn a_role_by_which_a_run_is_only_watched_stops_none() {
    let roles = "identity trainer {\n  roles = [\"roles/aiplatform.user\", \"roles/monitoring.metricWriter\"]\n}\n\ncluster a3m";
    let acts = ("  launch =", "  identity = trainer\n  launch =");
    let text = reworded(FLEET, &[("cluster a3m", roles), acts]);
    let without = |role: &str| told(&text, &reworded(&text, &[(role, "")]));
    let watched = without(", \"roles/monitoring.metricWriter\"");
    assert!(watched.contains("a grant is taken away"), "{watched}");
    assert!(!watched.contains("drain first"), "{watched}");
    let used = without("\"roles/aiplatform.user\", ");
    assert!(used.contains("drain first: train"), "{used}");
}

#[test]
fn claims_of_other_namespaces_and_of_what_is_mounted_otherwise_stop_no_run() {
    let volumes = "  network = fabric\n  volumes = [data]\n";
    let mounts =
        "  namespace = \"red\"\n  identity = trainer\n  mounts = [data at \"/data\"]\n  launch =";
    let words = [
        ("  network = fabric\n", volumes),
        ("  launch =", mounts),
        ("cluster a3m", "identity trainer {}\n\ncluster a3m"),
    ];
    let text = reworded(FLEET, &words);
    let told = told(&text, &reworded(&text, &[("  volumes = [data]\n", "")]));
    assert!(told.contains("$ kubectl delete persistentvolumeclaim data --namespace=red"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
}

#[test]
fn a_taint_that_evicts_ends_what_runs_there() {
    let tainted = |how: &str| {
        reworded(
            FLEET,
            &[(
                "    nodes    = 2\n",
                &format!(
                    "    nodes    = 2\n    taints   = [taint(\"team\", \"red\", \"{how}\")]\n"
                ),
            )],
        )
    };
    let evicted = told(FLEET, &tainted("no_execute"));
    assert!(evicted.contains("its nodes get a taint that evicts"), "{evicted}");
    assert!(evicted.contains("drain first: train\n"), "{evicted}");
    let kept = told(FLEET, &tainted("no_schedule"));
    assert!(!kept.contains("drain first"), "{kept}");
}

#[test]
fn fewer_addresses_end_connections_and_more_of_them_do_not() {
    let of = |count: usize| {
        reworded(
            FLEET,
            &[(
                "\nnetwork fabric {\n",
                &format!("\nnetwork fabric {{\n  nat_addresses = {count}\n"),
            )],
        )
    };
    let fewer = told(&of(2), &of(1));
    assert!(fewer.contains("restarts  network fabric"), "{fewer}");
    assert!(
        fewer.contains("connections that are open through the addresses of before end"),
        "{fewer}"
    );
    let more = told(&of(1), &of(2));
    assert!(!more.contains("restarts"), "{more}");
}

#[test]
fn a_lustre_that_is_to_shrink_is_refused() {
    let of = |size: &str| {
        let lake = format!(
            "filesystem lake {{\n  storage  = lustre({size})\n  network  = fabric\n  location = \"us-east4-a\"\n}}\n\ncluster a3m"
        );
        reworded(FLEET, &[("cluster a3m", &lake)])
    };
    let told = told(&of("72000GiB"), &of("36000GiB"));
    assert!(told.contains("such a filesystem only grows"), "{told}");
    assert!(told.contains("needs commands"), "{told}");
}

#[test]
fn commands_say_which_cluster_of_several_they_are_for() {
    let other = FLEET.split_once("cluster a3m").map(|(_, rest)| {
        format!("\ncluster b3m{}", rest.split("\n\nworkload").next().unwrap_or_default())
    });
    let other = other
        .unwrap_or_default()
        .replace("  network = fabric\n", "  network = fabric\n  control_plane = 172.17.0.0/28\n");
    let text = format!("{FLEET}{other}\n");
    let queue = "  pool gpus {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = 2\n    capacity = spot\n  }\n\n  queue q {\n    pools = [gpus]\n  }\n}\n\nworkload";
    let queued = reworded(
        &text,
        &[(
            "  pool gpus {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = 2\n    capacity = spot\n  }\n}\n\nworkload",
            queue,
        )],
    );
    let told = told(&queued, &text);
    assert!(
        told.contains("$ kubectl delete clusterqueue q --ignore-not-found  # on a3m in us-east4 of my-project\n"),
        "{told}"
    );
}

/// Terraform leaves what a provider fills in itself: no run is drained for words that do nothing, and whoever took them out is told.
#[test]
fn words_that_terraform_does_not_take_back_stop_no_run() {
    let pool = |text: &str| {
        reworded(FLEET, &[("    capacity = spot\n", &format!("    capacity = spot\n    {text}\n"))])
    };
    let told = told(&pool("image_streaming = true"), FLEET);
    let said = "Terraform leaves it as it is; to switch it off, write `image_streaming = false`";
    assert!(told.contains(said), "{told}");
    assert!(!told.contains("drain first") && !told.contains("restarts"), "{told}");
    let off = retold(&pool("image_streaming = true"), &[("streaming = true", "streaming = false")]);
    assert!(off.contains("drain first: train\n"), "{off}");
}

/// Secrets are written plain again: whoever disables the key then loses nothing.
#[test]
fn a_key_that_is_taken_back_is_taken_back_by_terraform() {
    let key = "projects/my-project/locations/us-east4/keyRings/r/cryptoKeys/k";
    let keyed = format!("  network = fabric\n  encryption_key = \"{key}\"\n");
    let text = reworded(FLEET, &[("  network = fabric\n", &keyed)]);
    let told = told(&text, FLEET);
    assert!(told.contains("state ENCRYPTED -> DECRYPTED"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
}

/// Networks of two pools are one block: those of one that goes are none of the other's.
#[test]
fn networks_that_go_with_one_pool_end_no_run_of_another() {
    let second = "  pool spots {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = 2\n    capacity = spot\n  }\n}\n\nworkload sweep on a3m.spots {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  nodes  = 2\n  launch = torchrun(\"sweep.py\")\n}\n\nworkload";
    let gpus = "machine  = \"a3-megagpu-8g\"";
    let high = FLEET.replace(gpus, "machine  = \"a3-highgpu-8g\"");
    let both = reworded(&high, &[("}\n\nworkload", second)]);
    for told in told_both_ways(&both, &high) {
        assert!(told.contains("drain first: sweep\n"), "{told}");
        assert!(!told.contains("pool a3m.gpus"), "{told}");
    }
}

/// GKE keeps what a network of pods is set up by as long as the network is there.
#[test]
fn a_network_of_pods_goes_before_what_it_is_set_up_by() {
    let told = retold(FLEET, &[("a3-megagpu-8g", "g2-standard-96")]);
    let network = told.find("$ kubectl delete network vpc1 ");
    let set_up = told.find("$ kubectl delete gkenetworkparamset vpc1 ");
    assert!(network.is_some() && network < set_up, "{told}");
}
