//! What a plan says of nouns that others own from now on, and of those that they owned before.

use crate::drained::{retold, reworded, told as told_of, told_both_ways};
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

const ESTATE: &str = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20

  subnet_name   = "net"
  pods_name     = "pods"
  services_name = "services"
}

bucket data {
  location = "us-east4"
}

cluster fleet on gke {
  network = net
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload train on fleet.gpus {
  image  = "us-docker.pkg.dev/my-project/images/train:v1"
  nodes  = 2
  launch = torchrun("train.py")
}
"#;

/// A folder in which nothing is left but what others own and a bucket.
const ALONE: &str = r#"param project: ProjectId = "my-project"

bucket data {
  location = "us-east4"
}

bucket logs {
  location = "us-east4"
}

cluster hall on slurm {
  controllers = ["head1"]

  partition cpu {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}
"#;

/// A cluster of Cluster Toolkit, whose nodes mount what another root makes.
const MANAGED: &str = r#"param project: ProjectId = "my-project"

network net {
  region = "us-east4"
}

filesystem home {
  network  = net
  location = "us-east4-a"
  storage  = filestore(2.5TiB, tier = "zonal")
}

cluster hpc on slurm {
  network = net
  zone    = "us-east4-a"
  release = "25.11"
  mounts  = { "/shared" = home }

  partition gpu {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}
"#;

#[test]
fn a_bucket_that_others_own_from_now_on_is_let_go_of() {
    let told = retold(ESTATE, &[("bucket data", "existing bucket data")]);
    assert!(told.contains("in place         bucket data\n"), "{told}");
    let kept = "google_storage_bucket.data: Terraform lets go of it: nothing is deleted";
    assert!(told.contains(kept), "{told}");
}

#[test]
fn a_cluster_that_others_own_from_now_on_is_forgotten_and_not_destroyed() {
    let told = retold(ESTATE, &[("cluster fleet", "existing cluster fleet")]);
    assert!(told.contains("in place         cluster fleet\n"), "{told}");
    assert!(told.contains("terraform -chdir=30-fleet state rm"), "{told}");
    assert!(!told.contains("destroy"), "{told}");
    let taken = ["kubectl delete daemonset", "kubectl delete network", "what runs there"];
    assert!(!taken.iter().any(|it| told.contains(it)), "{told}");
}

#[test]
fn of_a_root_that_goes_what_others_own_is_forgotten_before_the_rest_is_destroyed() {
    let gone = ("bucket logs {\n  location = \"us-east4\"\n}\n", "");
    let told = retold(ALONE, &[("bucket data", "existing bucket data"), gone]);
    let forget =
        told.find("$ terraform -chdir=10-foundation state rm google_storage_bucket.data\n");
    let destroy = told.find("$ terraform -chdir=10-foundation destroy\n");
    assert!(forget.is_some() && forget < destroy, "{told}");
    let all = retold(
        ALONE,
        &[("bucket data", "existing bucket data"), ("bucket logs", "existing bucket logs")],
    );
    assert!(all.contains("state rm google_storage_bucket.logs"), "{all}");
    assert!(!all.contains("with data"), "{all}");
}

#[test]
fn what_others_owned_is_taken_over_and_not_made() {
    let before = reworded(
        ESTATE,
        &[("bucket data", "existing bucket data"), ("cluster fleet", "existing cluster fleet")],
    );
    let told = retold(&before, &[("existing ", "")]);
    let import = |address: &str| format!("terraform -chdir={address}\n");
    let bucket = "10-foundation import google_storage_bucket.data my-project-data";
    assert!(told.contains(&import(bucket)), "{told}");
    let cluster = "30-fleet import google_container_cluster.this projects/my-project/locations/us-east4/clusters/fleet";
    assert!(told.contains(&import(cluster)), "{told}");
    assert!(!told.contains("google_storage_bucket.data: is made"), "{told}");
    assert!(!told.contains("made in the new cluster"), "{told}");
}

#[test]
fn a_cluster_of_cluster_toolkit_that_takes_another_address_is_deployed_again() {
    let told = retold(MANAGED, &[("tier = \"zonal\"", "tier = \"basic_ssd\"")]);
    let create = told.find("$ gcluster create 30-hpc/cluster.yaml --deployment-file=");
    let deploy = told.find("gcluster deploy hpc\n");
    assert!(create.is_some() && create < deploy, "{told}");
}

/// A cluster of a platform's project, in which a run acts as an account that is made here.
const GUEST: &str = r#"param project: ProjectId = "my-project"

bucket logs {
  location = "us-east4"
}

existing network shared {
  region  = "us-east4"
  project = "company-host"
}

existing cluster platform on gke {
  network  = shared
  location = "us-east4"
  name     = "company-training"
  project  = "company-platform"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 8
    zone    = "us-east4-a"
  }
}

identity trainer {}

workload train on platform.gpus {
  image    = "nvcr.io/nvidia/nemo:24.07"
  nodes    = 8
  identity = trainer
  launch   = torchrun("train.py")
}
"#;

/// A second run, as an account that stays here.
const SECOND: &str = "\nidentity helper {}\n\nworkload probe on platform.gpus {\n  image    = \"python:3.12\"\n  identity = helper\n  launch   = command([\"python\"])\n}\n";

#[test]
fn who_pods_may_be_is_let_go_of_with_an_account_beside_a_cluster_of_others() {
    let handed = ("identity trainer", "existing identity trainer");
    let own = reworded(GUEST, &[("  project  = \"company-platform\"\n", "")]);
    for (text, label) in [(GUEST, "trainer_of_company_platform"), (&own, "trainer")] {
        let binding = format!("google_service_account_iam_member.{label}");
        for told in told_both_ways(text, &reworded(text, &[handed])) {
            let forget = format!("$ terraform -chdir=35-workload-identity state rm {binding}\n");
            assert!(told.contains(&forget) && !told.contains("destroy"), "{told}");
        }
        // where the folder stays, it says so itself
        let both = format!("{text}{SECOND}");
        let sandbox = Sandbox::new(&[("train.bp", &reworded(&both, &[handed]))]);
        sandbox.run(&["build", "train.bp"]);
        let released = sandbox.read("out/default/35-workload-identity/released.tf");
        assert!(released.contains(&format!("from = {binding}\n")), "{released}");
        for told in told_both_ways(&both, &reworded(&both, &[handed])) {
            let goes = ["is taken away", "drain first", "destroy"];
            assert!(!goes.iter().any(|it| told.contains(it)), "{told}");
        }
    }
}

#[test]
fn the_page_forgets_who_pods_may_be_and_destroys_nothing() {
    let sandbox = Sandbox::new(&[("train.bp", GUEST)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox
        .write("train.bp", reworded(GUEST, &[("identity trainer", "existing identity trainer")]));
    sandbox.run(&["build", "train.bp"]);
    let page = sandbox.read("out/default/LEFT-BEHIND.md");
    assert!(page.contains("terraform -chdir=35-workload-identity state rm"), "{page}");
    assert!(!page.contains("destroy\n"), "{page}");
}

#[test]
fn a_right_between_two_of_others_is_forgotten_with_the_root_that_gave_it() {
    let mounted = reworded(
        GUEST,
        &[
            (
                "bucket logs {\n  location = \"us-east4\"\n}\n",
                "existing bucket data {\n  location = \"us-east4\"\n}\n",
            ),
            ("  identity = trainer\n", "  identity = trainer\n  mounts   = [data at \"/data\"]\n"),
        ],
    );
    let handed = reworded(&mounted, &[("identity trainer", "existing identity trainer")]);
    let sandbox = Sandbox::new(&[("train.bp", &mounted)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", &handed);
    let plan = sandbox.run(&["plan", "train.bp"]);
    let forget =
        "terraform -chdir=10-foundation state rm google_storage_bucket_iam_member.data_trainer\n";
    assert!(plan.out.contains(forget), "{}", plan.out);
    sandbox.run(&["build", "train.bp"]);
    let page = sandbox.read("out/default/LEFT-BEHIND.md");
    assert!(page.contains(forget), "{page}");
}

#[test]
fn a_cluster_of_others_in_another_place_is_another_one() {
    let moves = [
        (
            "\"company-platform\"",
            "\"company-next\"",
            "company-training in us-east4 of company-platform",
        ),
        (
            "  location = \"us-east4\"\n  name",
            "  location = \"us-east4-a\"\n  name",
            "company-training in us-east4 of company-platform",
        ),
        (
            "\"company-training\"",
            "\"company-other\"",
            "company-training in us-east4 of company-platform",
        ),
    ];
    for (from, to, was) in moves {
        for told in told_both_ways(GUEST, &reworded(GUEST, &[(from, to)])) {
            let there = format!(
                "$ kubectl delete jobset train --namespace=default --ignore-not-found  # on {was}\n"
            );
            assert!(told.contains(&there), "{there}:\n{told}");
            // what runs there ends before what it stands on is taken away
            let (before, _) =
                told.split_once("$ kubectl delete serviceaccount").unwrap_or_default();
            assert!(before.contains("$ kubectl delete jobset"), "{told}");
            assert!(told.contains("drain first: train\n"), "{told}");
            assert!(told.contains("then, since their cluster is a new one: 40-"), "{told}");
            let start = "\n$ kubectl apply -k 50-workloads/train/overlays/default\n";
            assert!(told.contains(start), "{told}");
            let here = told
                .lines()
                .filter(|it| it.contains("$ kubectl delete") && !it.contains("  # on "));
            assert_eq!(here.count(), 0, "{told}");
        }
    }
    let sandbox = Sandbox::new(&[("train.bp", GUEST)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", reworded(GUEST, &[("\"company-platform\"", "\"company-next\"")]));
    sandbox.run(&["build", "train.bp"]);
    let page = sandbox.read("out/default/LEFT-BEHIND.md");
    let place = "in the namespace `default` of the cluster `company-training in us-east4 of company-platform`";
    assert!(
        page.contains(place)
            && page.contains("## `left-behind/40-company-training-company-platform-queues`"),
        "{page}"
    );
    sandbox.run(&["plan", "train.bp"]).expect(Clean);
}

/// Of the former, which others keep, no command is for the one that is made here.
#[test]
fn a_cluster_that_is_made_in_the_place_of_one_of_others_is_another_one() {
    let made = reworded(
        ESTATE,
        &[
            ("launch = torchrun", "identity = runner\n  launch = torchrun"),
            ("bucket data {", "identity runner {}\n\nbucket data {"),
        ],
    );
    let theirs = reworded(
        &made,
        &[(
            "cluster fleet on gke {\n",
            "existing cluster fleet on gke {\n  project = \"company-platform\"\n",
        )],
    );
    for told in told_both_ways(&theirs, &made) {
        let was = "  # on fleet in us-east4 of company-platform\n";
        let ends =
            format!("$ kubectl delete jobset train --namespace=default --ignore-not-found{was}");
        assert!(told.contains(&ends), "{told}");
        let mut left = told.lines().filter(|it| it.contains("$ kubectl delete serviceaccount"));
        assert!(left.all(|it| it.ends_with(was.trim_end())), "{told}");
        let is_replaced = |it: &str| it.starts_with("replaces ") && it.contains(" cluster fleet");
        assert!(told.lines().any(is_replaced), "{told}");
        assert!(told.contains("drain first: train\n"), "{told}");
    }
}

#[test]
fn what_is_of_another_project_is_not_what_was_made_here() {
    let account = [(
        "identity trainer {}",
        "existing identity trainer {\n  project = \"company-accounts\"\n}",
    )];
    for told in told_both_ways(GUEST, &reworded(GUEST, &account)) {
        assert!(told.contains("google_service_account.trainer: it is destroyed"), "{told}");
        assert!(told.contains("drain first: train\n") && !told.contains("state rm"), "{told}");
    }
    let written = format!("{GUEST}\nbucket data {{\n  location = \"us-east4\"\n}}\n");
    let written = reworded(
        &written,
        &[("  identity = trainer\n", "  identity = trainer\n  mounts   = [data at \"/data\"]\n")],
    );
    for told in told_both_ways(&written, &reworded(&written, &account)) {
        let grant = "google_storage_bucket_iam_member.data_trainer: a grant is taken away, and another is given";
        assert!(told.contains(grant), "{told}");
    }
    let named = reworded(
        ESTATE,
        &[("cluster fleet on gke {", "cluster fleet on gke {\n  deletion_protection = false")],
    );
    let cluster = [
        ("cluster fleet", "existing cluster fleet"),
        (
            "  zone    = \"us-east4-a\"\n",
            "  zone    = \"us-east4-a\"\n  project = \"company-platform\"\n",
        ),
    ];
    for told in told_both_ways(&named, &reworded(&named, &cluster)) {
        assert!(told.contains("$ terraform -chdir=30-fleet destroy\n"), "{told}");
        assert!(told.contains("drain first: train\n") && !told.contains("state rm"), "{told}");
    }
    let sandbox = Sandbox::new(&[("train.bp", ESTATE)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", reworded(ESTATE, &cluster));
    sandbox.run(&["build", "train.bp"]);
    let page = sandbox.read("out/default/LEFT-BEHIND.md");
    assert!(page.contains("terraform -chdir=30-fleet destroy\n"), "{page}");
}

#[test]
fn what_is_taken_away_is_never_hidden_behind_what_stays() {
    let roles = "identity trainer {\n  roles   = [\"roles/compute.viewer\", \"roles/monitoring.viewer\", \"roles/logging.viewer\"]\n}";
    let mounted = reworded(
        ESTATE,
        &[
            (
                "  nodes  = 2\n",
                "  nodes  = 2\n  identity = trainer\n  mounts = [data at \"/data\"]\n",
            ),
            ("bucket data", &format!("{roles}\n\nbucket data")),
        ],
    );
    let handed = reworded(
        &mounted,
        &[
            ("identity trainer", "existing identity trainer"),
            ("  mounts = [data at \"/data\"]\n", ""),
        ],
    );
    for told in told_both_ways(&mounted, &handed) {
        let (_, of_it) = told.split_once("identity trainer").unwrap_or_default();
        let first = of_it.lines().nth(1).unwrap_or_default();
        assert!(first.contains("a grant is taken away"), "{told}");
    }
}

const EXISTING: (&str, &str) = ("cluster fleet", "existing cluster fleet");

/// A record of Terraform is in a state alone: taken over empty, its first change makes anew the pool that hangs on it.
#[test]
fn of_a_cluster_that_is_taken_back_all_is_taken_over_but_records_and_grants() {
    let before = reworded(ESTATE, &[EXISTING]);
    let sandbox = Sandbox::new(&[("train.bp", ESTATE), ("before/train.bp", &before)]);
    let plan = ["plan", "train.bp", "--against", "before/train.bp", "--message-format", "json"];
    let told = sandbox.run(&plan).out;
    for address in [
        "google_container_cluster.this projects/my-project/locations/us-east4/clusters/fleet",
        "google_container_node_pool.system my-project/us-east4/fleet/system",
        "google_container_node_pool.gpus my-project/us-east4/fleet/gpus",
        "google_service_account.nodes projects/my-project/serviceAccounts/fleet-nodes@my-project.iam.gserviceaccount.com",
        "google_compute_subnetwork.data[\\\"vpc8\\\"]' projects/my-project/regions/us-east4/subnetworks/fleet-vpc8",
    ] {
        assert!(told.contains(address), "{address}\n{told}");
    }
    for address in ["import terraform_data", "import google_project_iam_member"] {
        assert!(!told.contains(address), "{address}\n{told}");
    }
}

#[test]
fn a_network_that_is_taken_back_destroys_no_filesystem() {
    let home = "filesystem home {\n  network = net\n  location = \"us-east4-a\"\n  storage = filestore(2560GiB)\n}\n";
    let ours = "network net {\n  nat_addresses = 2";
    let text = format!("{}{home}", ESTATE.replace("network net {", ours));
    let theirs = reworded(&text, &[(ours, "existing network net {")]);
    let sandbox = Sandbox::new(&[("train.bp", &text), ("before/train.bp", &theirs)]);
    let told = sandbox.run(&["plan", "train.bp", "--against", "before/train.bp"]);
    let told = told.expect(Different).out;
    assert!(!told.contains("destroys data"), "{told}");
    assert!(told.contains("import 'google_compute_address.net_nat[1]' ID"), "{told}");
}

/// What a cluster is called in the blueprint is no other cluster: it is handed over, and neither destroyed nor made.
#[test]
fn a_cluster_that_is_handed_over_and_called_otherwise_is_the_same() {
    let ours =
        ESTATE.replace("cluster fleet on gke {", "cluster fleet on gke {\n  name = \"hall\"");
    let theirs = reworded(
        &ours,
        &[
            ("cluster fleet on gke {", "existing cluster hall on gke {"),
            ("on fleet.gpus", "on hall.gpus"),
        ],
    );
    for told in told_both_ways(&ours, &theirs) {
        assert!(!told.contains("destroy"), "{told}");
        assert!(told.contains("30-hall state rm"), "{told}");
    }
    for told in told_both_ways(&theirs, &ours) {
        assert!(told.contains("import google_container_cluster.this projects/"), "{told}");
        assert!(!told.contains("kubectl create secret"), "{told}");
    }
}

/// Two clusters of others whose nouns are swapped are where they were, with all that runs in them.
#[test]
fn clusters_of_others_that_are_called_like_each_other_are_where_they_were() {
    let second = "\nexisting cluster annex on gke {\n  network = net\n  zone    = \"us-east4-a\"\n  name    = \"b1\"\n\n  pool gpus {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 4\n  }\n}\n";
    let before = reworded(
        &format!("{ESTATE}{second}"),
        &[("cluster fleet on gke {\n", "existing cluster fleet on gke {\n  name    = \"a1\"\n")],
    );
    let swapped = before
        .replace("cluster fleet on", "cluster x on")
        .replace("cluster annex on", "cluster fleet on")
        .replace("cluster x on", "cluster annex on")
        .replace("on fleet.gpus", "on annex.gpus");
    let sandbox = Sandbox::new(&[("train.bp", &before)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", &swapped);
    let told = sandbox.run(&["plan", "train.bp"]).out;
    for words in ["drain first", "kubectl delete", "replaces"] {
        assert!(!told.contains(words), "{words}:\n{told}");
    }
}

/// A bucket that has another name is another one, whoever owns either: who may write to the one loses that.
#[test]
fn a_bucket_of_others_under_another_name_is_another_one() {
    let writes = "identity trainer {\n  writes = [data]\n}\n";
    let ours = reworded(
        &format!("{ESTATE}{writes}"),
        &[("launch = torchrun", "identity = trainer\n  launch = torchrun")],
    );
    let theirs =
        reworded(&ours, &[("bucket data {\n", "existing bucket data {\n  name = \"theirs\"\n")]);
    for [before, after] in [[&ours, &theirs], [&theirs, &ours]] {
        for told in told_both_ways(before, after) {
            assert!(told.contains("drain first: train\n"), "{told}");
            assert!(!told.contains("import google_storage_bucket"), "{told}");
        }
    }
    let same = reworded(&ours, &[("bucket data {\n", "existing bucket data {\n")]);
    for told in told_both_ways(&ours, &same) {
        assert!(!told.contains("drain first"), "{told}");
    }
}

/// A filesystem asks for the peering, and a network that is handed over takes it along.
#[test]
fn a_network_that_is_taken_back_has_the_peering_of_its_filesystems() {
    let fast = "filesystem fast {\n  network = net\n  location = \"us-east4-a\"\n  storage = lustre(18000GiB, throughput = 500)\n}\n";
    let text = format!("{ESTATE}{fast}");
    let theirs = reworded(&text, &[("network net {", "existing network net {")]);
    for told in told_both_ways(&theirs, &text) {
        for thing in [
            "google_compute_firewall.net_lustre",
            "google_compute_global_address.net_services",
            "google_service_networking_connection.net",
        ] {
            assert!(told.contains(&format!("import {thing} ")), "{thing}\n{told}");
        }
    }
}

#[test]
fn a_build_that_takes_over_names_what_it_makes() {
    let disk = "filesystem work {\n  location = \"us-east4-a\"\n  storage  = hyperdisk_balanced(1TiB)\n}\n";
    let text = format!("{ESTATE}{disk}");
    let theirs = reworded(&text, &[EXISTING, ("filesystem work", "existing filesystem work")]);
    let sandbox = Sandbox::new(&[("train.bp", &theirs)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", &text);
    let told = sandbox.run(&["build", "train.bp"]).expect(Clean).err;
    for words in [
        "terraform -chdir=30-fleet import google_container_cluster.this ID, and so what else is there",
        "terraform -chdir=10-foundation import google_compute_disk.work ID\n",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
}

#[test]
fn the_teams_of_a_cluster_that_is_handed_over_find_it_as_before() {
    let teams =
        "  teams = { research = team(members = [\"group:research@acme.com\"]) }\n  pool gpus";
    let text = ESTATE.replacen("  pool gpus", teams, 1);
    let told = retold(&text, &[EXISTING]);
    let kept =
        "google_project_iam_member.fleet_members[\"group:research@acme.com\"]: Terraform lets go";
    assert!(told.contains(kept), "{told}");
    assert!(!told.contains("a grant is taken away"), "{told}");
}

/// Nodes that run go on with their rights until others have taken their place.
#[test]
fn nodes_act_as_another_projects_account_before_theirs_goes() {
    let own = "identity nodes {}\n\ncluster fleet on gke {\n  node_identity = nodes";
    let text = ESTATE.replace("cluster fleet on gke {", own);
    let others = "existing identity nodes { project = \"company-accounts\" }";
    let told = retold(&text, &[("identity nodes {}", others)]);
    assert!(told.contains("apply in this order: 30-fleet, 10-foundation\n"), "{told}");
    // what comes anew is there before nodes act as it
    let another = text.replace("nodes", "hosts").replace("  hosts ", "  nodes ");
    let told = retold(&text, &[(text.as_str(), another.as_str())]);
    let order = "apply in this order: 10-foundation in part, 30-fleet, 10-foundation\n";
    assert!(told.contains(order), "{told}");
    assert!(told.contains("$ terraform -chdir=10-foundation apply '-target="), "{told}");
}

/// What a queue deals out and knows runs by is its next owner's.
#[test]
fn a_queue_that_others_own_from_now_on_is_left_with_all_that_it_deals_out() {
    let queue = "  queue shared {\n    pools      = [gpus]\n    namespaces = [\"vision\"]\n  }\n}\n\nworkload";
    let text = reworded(ESTATE, &[("  }\n}\n\nworkload", &format!("  }}\n{queue}"))]);
    let theirs = [("queue shared", "existing queue shared")];
    for after in [reworded(&text, &theirs), reworded(&text, &[theirs[0], EXISTING])] {
        for told in told_both_ways(&text, &after) {
            for words in ["kubectl patch", "delete workloadpriorityclass", "delete resourceflavor"]
            {
                assert!(!told.contains(words), "{words}:\n{told}");
            }
            assert!(!told.contains("kubectl delete localqueue"), "{told}");
        }
    }
    // what all queues of a cluster know runs by is of its owner, where one's own queue stays
    let told = told_both_ways(&text, &reworded(&text, &[EXISTING])).concat();
    assert!(!told.contains("delete workloadpriorityclass"), "{told}");
    // one of one's own in it goes as before
    let two = text.replace("  queue shared", "  queue own {\n    pools      = [gpus]\n    namespaces = [\"audio\"]\n  }\n\n  queue shared");
    let told = told_of(&two, &reworded(&text, &theirs));
    assert!(told.contains("$ kubectl delete clusterqueue own --ignore-not-found\n"), "{told}");
    assert!(!told.contains("kubectl delete resourceflavor"), "{told}");
}

/// No command takes away what is in a cluster of others, also where the words of it go in the same edit, and its nodes go on as who they were.
#[test]
fn what_is_in_a_cluster_that_is_handed_over_stays_though_its_words_go() {
    let home = "filesystem home {\n  network  = net\n  location = \"us-east4-a\"\n  storage  = filestore(2560GiB)\n}\n\nidentity nodes {}\n\nidentity notebook {}\n\n";
    let words = "  volumes       = [home]\n  accounts      = { \"default/notebook\" = notebook }\n  node_identity = nodes\n";
    let own = format!("cluster fleet on gke {{\n{words}");
    let text = ESTATE.replace("cluster fleet on gke {\n", &own);
    let text = text.replacen("bucket data", &format!("{home}bucket data"), 1);
    let theirs = reworded(&text, &[EXISTING, (words, "")]);
    for told in told_both_ways(&text, &theirs) {
        assert!(!told.contains("kubectl delete persistentvolume"), "{told}");
        assert!(!told.contains("kubectl delete serviceaccount"), "{told}");
        assert!(told.contains("help: nodes of a cluster that is `existing` from now on"), "{told}");
    }
}

/// What others own and stands on a network, or has machines of a reservation, is in no plan to be taken away: what needs that is stopped.
#[test]
fn what_others_stand_on_is_not_made_anew_by_commands() {
    let ranged = "network net {\n  subnet   = 10.9.0.0/20";
    for before in [ESTATE.to_owned(), reworded(ESTATE, &[EXISTING])] {
        let after = reworded(&before, &[("network net {", ranged)]);
        let after = after.replace("\ncluster fleet", "\nexisting cluster fleet");
        for told in told_both_ways(&before, &after) {
            assert!(told.contains("stopped by cluster fleet, which is others'"), "{told}");
            assert!(!told.contains("-chdir=30-fleet destroy"), "{told}");
            assert!(!told.contains("drain first"), "{told}");
        }
    }
}
