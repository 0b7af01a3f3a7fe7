//! Which runs are told to save and stop before a change is applied: those that stand on what ends, and those that need what goes.

use crate::plan::FLEET;
use crate::sandbox::Sandbox;
use slipform::ExitStatus::Different;

#[test]
fn who_mounts_what_goes_is_told_to_stop_first() {
    let sandbox = Sandbox::new(&[]);
    let mounted = FLEET
        .replace("cluster a3m", "identity trainer {}\n\ncluster a3m")
        .replace("  launch =", "  identity = trainer\n  mounts = [data at \"/data\"]\n  launch =");
    sandbox.write("with/train.bp", &mounted);
    let text = mounted
        .replace("bucket data {\n  location = \"us-east4\"\n}\n", "")
        .replace("  mounts = [data at \"/data\"]\n", "");
    sandbox.write("train.bp", &text);
    let plan = sandbox.run(&["plan", "train.bp", "--against", "with/train.bp"]).expect(Different);
    for words in [
        "lifted by `gcloud storage rm --recursive 'gs://my-project-data/**'`",
        "runs that need it: train",
        "drain first: train\n",
        "mounts [mount(source = data, path = /data, use = data)] (gone)\n",
    ] {
        assert!(plan.out.contains(words), "{words}:\n{}", plan.out);
    }
    sandbox.write("train.bp", mounted.replace("capacity = spot", "capacity = on_demand"));
    let plan = sandbox.run(&["plan", "train.bp", "--against", "with/train.bp"]).expect(Different);
    assert!(plan.out.contains("drain first: train\n"), "{}", plan.out);
    sandbox.write("train.bp", mounted.replace("nodes    = 2", "nodes    = 3"));
    let plan = sandbox.run(&["plan", "train.bp", "--against", "with/train.bp"]).expect(Different);
    assert!(!plan.out.contains("drain first"), "{}", plan.out);
}

/// What `plan` tells of one text in the place of another.
pub(crate) fn told(before: &str, after: &str) -> String {
    let sandbox = Sandbox::new(&[("before/train.bp", before), ("train.bp", after)]);
    let plan = ["plan", "train.bp", "--against", "before/train.bp"];
    sandbox.run(&plan).expect(Different).out
}

/// A text with other words in it.
pub(crate) fn reworded(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// What `plan` tells of a text against itself before, once every word of a kind is another.
pub(crate) fn retold(text: &str, words: &[(&str, &str)]) -> String {
    told(text, &reworded(text, words))
}

/// The fleet with an account, nodes that act as another one, an image in a registry, and a second run that needs none of them.
fn needy() -> String {
    let nouns = "identity trainer {}\n\nidentity nodes {}\n\nregistry images {\n  location = \"us-east4\"\n}\n\nimage nemo {\n  from = \"nvcr.io/nvidia/nemo:24.07\"\n  push_to = images\n}\n\ncluster a3m";
    let other = "\nworkload probe on a3m.cpus {\n  image  = \"python:3.12\"\n  launch = command([\"python\"])\n}\n";
    let pools =
        "  pool cpus {\n    machine = \"n2-standard-16\"\n    nodes   = 1\n  }\n\n  pool gpus {";
    FLEET
        .replace("cluster a3m", nouns)
        .replace("  network = fabric\n", "  network = fabric\n  node_identity = nodes\n")
        .replace("  pool gpus {", pools)
        .replace("\"nvcr.io/nvidia/nemo:24.07\"\n  launch", "nemo\n  identity = trainer\n  launch")
        + other
}

#[test]
fn runs_that_need_what_goes_are_told_whatever_it_is() {
    let needy = needy();
    let tries: [(&str, &str, &str, &str); 6] = [
        (
            "identity trainer {}",
            "identity trainer {\n  account = \"other-one\"\n}",
            "identity trainer",
            "train",
        ),
        (
            "identity nodes {}",
            "identity nodes {\n  account = \"other-one\"\n}",
            "identity nodes",
            "probe, train",
        ),
        (
            "registry images {\n",
            "registry images {\n  name = \"other\"\n",
            "registry images",
            "train",
        ),
        (
            "network fabric {\n",
            "network fabric {\n  name = \"other\"\n",
            "network fabric",
            "probe, train",
        ),
        (
            "  identity = trainer\n",
            "  identity = trainer\n  namespace = \"other\"\n",
            "identity trainer",
            "train",
        ),
        ("    nodes   = 1\n", "    nodes   = 2\n", "", ""),
    ];
    for (old, new, noun, runs) in tries {
        assert!(needy.contains(old), "{old}");
        let told = told(&needy, &needy.replace(old, new));
        if runs.is_empty() {
            assert!(!told.contains("drain first") && !told.contains("need it"), "{told}");
            continue;
        }
        let of_noun = told.split(&format!("  {noun}")).nth(1).unwrap_or_default();
        let told_of = ["runs that need it: ", "what runs there ends: "];
        let needs = of_noun.lines().find(|line| told_of.iter().any(|it| line.contains(it)));
        assert!(needs.is_some_and(|it| it.ends_with(&format!(": {runs}"))), "{old}:\n{told}");
        assert!(told.contains(&format!("drain first: {runs}\n")), "{old}:\n{told}");
    }
}

/// Hosts of Cluster Toolkit unmount a share before it is destroyed; where it only comes, it is there before they mount it.
#[test]
fn a_share_is_unmounted_before_it_is_destroyed() {
    let share = "filesystem data {\n  storage  = filestore(2560GiB)\n  network  = core\n  location = \"us-east4-b\"\n}\n\n";
    let site = format!(
        "param project: ProjectId = \"my-project\"\n\nnetwork core {{\n  region = \"us-east4\"\n}}\n\n{share}cluster hpc on slurm {{\n  network = core\n  zone    = \"us-east4-b\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n  mounts  = {{ \"/data\" = data }}\n\n  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }}\n}}\n"
    );
    let bare = site.replace(share, "").replace("  mounts  = { \"/data\" = data }\n", "");
    let goes = told(&site, &bare);
    assert!(goes.contains("apply in this order: 30-hpc, 10-foundation\n"), "{goes}");
    let at = |words: &str| goes.find(words).unwrap_or_else(|| panic!("{words}\n{goes}"));
    assert!(at("gcluster deploy hpc") < at("$ sudo umount /data && "), "{goes}");
    let comes = told(&bare, &site);
    assert!(comes.contains("apply in this order: 10-foundation, 30-hpc\n"), "{comes}");
    // a network that takes the place of another is there before a cluster is deployed on it
    let moved = bare.replace("network core {", "network core {\n  name   = \"other\"");
    let both = told(&site, &moved);
    assert!(both.contains("apply in this order: 10-foundation, 30-hpc\n"), "{both}");
    // what lies on the controller's disk goes with the subnet that the controller is in
    let ranged = bare.replace("network core {", "network core {\n  subnet = 10.9.0.0/20");
    let range = told(&bare, &ranged);
    assert!(range.contains("destroys data  cluster hpc"), "{range}");
    assert!(range.contains("`/home` is on the disk of its controller"), "{range}");
    assert!(range.contains("take away before anything is applied: 30-hpc\n"), "{range}");
    assert!(range.contains("apply in this order: 10-foundation, 30-hpc\n"), "{range}");
}

#[test]
fn a_grant_to_one_namespace_stops_no_run_of_another() {
    let run = |name: &str, namespace: &str| {
        format!(
            "\nworkload {name} on a3m.gpus {{\n  image = \"python:3.12\"\n  identity = trainer\n  namespace = \"{namespace}\"\n  launch = command([\"python\"])\n}}\n"
        )
    };
    let fleet = FLEET.replace("cluster a3m", "identity trainer {}\n\ncluster a3m");
    let (one, two) = (run("one", "team-a"), run("two", "team-b"));
    let gone = told(&format!("{fleet}{one}{two}"), &format!("{fleet}{one}"));
    assert!(gone.contains("runs that need it: two\n"), "{gone}");
    assert!(gone.contains("drain first: two\n"), "{gone}");
}

#[test]
fn what_runs_on_a_pool_that_becomes_the_clusters_own_ends_with_it() {
    let fleet = needy().replace("pool cpus", "pool system").replace("a3m.cpus", "a3m.system");
    let pool = "  pool system {\n    machine = \"n2-standard-16\"\n    nodes   = 1\n  }\n\n";
    assert!(fleet.contains(pool), "{fleet}");
    let gone = told(&fleet, &fleet.replace(pool, "").replace("a3m.system", "a3m.gpus"));
    let ends = gone.lines().find(|line| line.contains("what runs there ends: "));
    assert!(ends.is_some_and(|it| it.contains("probe")), "{gone}");
}

#[test]
fn a_way_in_that_is_closed_stops_no_run() {
    let told =
        told(FLEET, &FLEET.replace("network fabric {\n", "network fabric {\n  ssh = false\n"));
    assert!(told.contains("fabric_iap_ssh: it is destroyed"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
}

#[test]
fn jobs_of_vertex_need_the_bucket_that_they_are_staged_in() {
    let text = "param project: ProjectId = \"my-project\"\n\nbucket staging {\n  location = \"us-east4\"\n}\n\nidentity trainer {}\n\ncluster jobs on vertex {\n  region = \"us-east4\"\n  machine = \"a3-highgpu-8g\"\n  staging = staging\n}\n\nworkload tune on jobs {\n  image = \"nvcr.io/nvidia/nemo:24.07\"\n  identity = trainer\n  launch = torchrun(\"train.py\")\n}\n";
    let told =
        told(text, &text.replace("bucket staging {\n", "bucket staging {\n  name = \"other\"\n"));
    assert!(told.contains("runs that need it: tune\n"), "{told}");
    assert!(told.contains("drain first: tune\n"), "{told}");
    assert!(
        told.contains("start again at the end: tune\n$ 50-workloads/tune/submit.sh\n"),
        "{told}"
    );
}

/// Files of another server: the volumes cannot be changed, their claims go once nothing mounts them, and what mounted them starts again.
#[test]
fn volumes_that_cannot_be_changed_are_made_anew_without_what_mounts_them() {
    let lake = "filesystem lake {\n  storage = nfs(\"10.9.0.2\", \"/export\")\n}\n\ncluster a3m";
    let mounted = needy()
        .replace("cluster a3m", lake)
        .replace("  launch = torchrun", "  mounts = [lake at \"/lake\"]\n  launch = torchrun");
    // what is shown to whatever runs there is mounted by none of these
    let shown = mounted
        .replace("  network = fabric\n  node", "  network = fabric\n  volumes = [lake]\n  node");
    assert_ne!(shown, mounted);
    for text in [mounted, shown] {
        let told = told(&text, &text.replace("10.9.0.2", "10.9.0.3"));
        let parts = [
            "needs commands   filesystem lake: storage.server 10.9.0.2 -> 10.9.0.3\n",
            "which deletes nothing of what is stored, and made again (spec.nfs.server 10.9.0.2 -> 10.9.0.3)\n",
            "runs that need it: train\n",
            "$ kubectl delete persistentvolumeclaim lake --namespace=default --ignore-not-found\n",
            "$ kubectl delete persistentvolume a3m-default-lake --ignore-not-found\n",
            "$ 40-a3m-queues/install.sh\n",
            "drain first: train\n",
            "start again at the end: train\n$ kubectl delete jobset train --namespace=default --ignore-not-found --cascade=foreground && kubectl apply -k 50-workloads/train/overlays/default\n",
        ];
        let mut rest = told.as_str();
        for part in parts {
            rest = rest.split_once(part).unwrap_or_else(|| panic!("{part}:\n{told}")).1;
        }
    }
}

/// The address of what Terraform makes is known to nobody before: the volumes into which it is put are made anew all the same.
#[test]
fn volumes_with_an_address_of_terraform_are_made_anew_with_what_has_it() {
    let home = "filesystem home {\n  storage  = filestore(2560GiB)\n  network  = fabric\n  location = \"us-east4-a\"\n}\n\ncluster a3m";
    let text = FLEET
        .replace("cluster a3m", home)
        .replace("  launch =", "  mounts = [home at \"/home\"]\n  launch =");
    let told =
        told(&text, &text.replace("filestore(2560GiB)", "filestore(2560GiB, tier = \"zonal\")"));
    let filling = told.split("40-a3m-queues fill-deferred.sh").nth(1).unwrap_or_default();
    for words in [
        "runs that need it: train\n",
        "$ kubectl delete persistentvolumeclaim home --namespace=default --ignore-not-found\n",
        "$ kubectl delete persistentvolume a3m-default-home --ignore-not-found\n",
        "$ 40-a3m-queues/install.sh\n",
        "start again at the end: train\n",
    ] {
        assert!(filling.contains(words), "{words}:\n{told}");
    }
}

/// What was drained starts again behind all that is applied, as its platform starts it, and each run once.
#[test]
fn what_was_drained_is_started_again_at_the_end() {
    let spot = ("capacity = spot", "capacity = on_demand");
    let restarted = told(FLEET, &FLEET.replace("nodes    = 2", "nodes    = 2\n    disk = 300GiB"));
    let (applied, rest) = restarted.split_once("apply in this order: ").unwrap_or_default();
    assert!(applied.contains("drain first: train\n"), "{restarted}");
    assert!(
        rest.contains("start again at the end: train\n$ kubectl delete jobset train"),
        "{restarted}"
    );
    // its own change has the command
    let changed = told(FLEET, &FLEET.replace(spot.0, spot.1));
    assert_eq!(changed.matches("kubectl apply -k 50-workloads/train/").count(), 1, "{changed}");
    assert!(!changed.contains("start again"), "{changed}");
    // there is nothing to delete in a cluster that is made anew
    let anew = told(FLEET, &FLEET.replace("10.64.0.0/14", "10.72.0.0/14"));
    let start =
        "start again at the end: train\n$ kubectl apply -k 50-workloads/train/overlays/default\n";
    assert!(anew.contains(start), "{anew}");
    // what the blueprint has no more does not start
    let (kept, _) = FLEET.split_once("\nworkload").unwrap_or_default();
    let gone = told(FLEET, &kept.replace(spot.0, spot.1));
    assert!(gone.contains("drain first: train\n"), "{gone}");
    assert!(!gone.contains("start again"), "{gone}");
}

#[test]
fn a_range_that_clusters_hold_is_freed_by_hand() {
    let moved = |text: &str| text.replace("10.64.0.0/14", "10.72.0.0/14");
    let before_and_after = |text: &str| told(text, &moved(text));
    let told = before_and_after(FLEET);
    let network = told.split("  network fabric").nth(1).unwrap_or_default();
    assert!(told.contains("replaces  network fabric"), "{told}");
    for words in [
        "stopped by `prevent_destroy`: Terraform stops before it does anything (`30-a3m google_container_cluster.this`)\n",
        "lifted by `deletion_protection = false` in the blueprint, built and applied before it goes\n",
        "what runs there ends: train\n",
        "$ terraform -chdir=30-a3m destroy\n            $ terraform -chdir=10-foundation apply\n            $ terraform -chdir=30-a3m apply\n",
        "drain first: train\n",
        "then, since their cluster is a new one: 30-a3m, 40-a3m-queues\n",
    ] {
        assert!(network.contains(words), "{words}:\n{told}");
    }
    assert!(!network.contains("untouched"), "{told}");
    let services = FLEET.replace("10.68.0.0/20", "10.80.0.0/20");
    for other in [moved(FLEET), services] {
        let sandbox = Sandbox::new(&[("before/train.bp", FLEET), ("train.bp", &other)]);
        let plan = ["plan", "train.bp", "--against", "before/train.bp", "--fail-on", "replace"];
        sandbox.run(&plan).expect(Different);
    }
    let dropped = moved(FLEET).split("cluster a3m").next().unwrap_or_default().to_owned();
    let dropped = self::told(FLEET, &dropped);
    assert!(!dropped.contains("-chdir=30-a3m apply"), "{dropped}");
    let alone = FLEET.split("cluster a3m").next().unwrap_or_default();
    let alone = before_and_after(alone);
    assert!(alone.contains("in place  network fabric: pods 10.64.0.0/14"), "{alone}");
    assert!(!alone.contains("$ "), "{alone}");
}

#[test]
fn runs_of_an_image_that_is_built_under_its_name_again_are_told() {
    let text = needy();
    let packages = "  push_to = images\n  packages = [\"hydra-core==1.3.2\"]\n";
    let told = retold(&text, &[("  push_to = images\n", packages)]);
    let words =
        "its tag is as it was, so that `train` goes on with another image from its next start on";
    assert!(told.contains(words) && !told.contains("probe"), "{told}");
    // with another tag, the run itself is told of
    let tagged = packages.to_owned() + "  tag = \"v2\"\n";
    let told = retold(&text, &[("  push_to = images\n", &tagged)]);
    assert!(!told.contains("its tag is as it was"), "{told}");
    assert!(told.contains("workload train"), "{told}");
}

/// Clean-up takes what has no tag, and runs pull by one.
#[test]
fn what_a_registry_cleans_up_stops_no_run() {
    let kept = reworded(&needy(), &[("registry images {\n", "registry images {\n  keep = 50\n")]);
    let told = retold(&kept, &[("keep = 50", "keep = 10")]);
    assert!(told.contains("versions are deleted that were kept"), "{told}");
    assert!(!told.contains("drain first"), "{told}");
    let moved = retold(&kept, &[("  keep = 50\n", "  keep = 50\n  name = \"other\"\n")]);
    assert!(moved.contains("drain first"), "{moved}");
}

/// A flavor that Kueue knows no more is counted no more: the nodes would be dealt once again.
#[test]
fn who_stands_on_a_flavor_that_goes_is_told_to_stop_first() {
    let text = r#"param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network = net
  zone    = "us-east4-b"

  pool a {
    machine   = "a3-ultragpu-8g"
    nodes     = 8
    capacity  = spot
    placement = "spread"
  }

  pool b {
    machine   = "a3-ultragpu-8g"
    nodes     = 4
    capacity  = spot
    placement = "spread"
  }

  queue prod {
    pools = [a, b]
  }
}

workload one on main.a {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
  queue  = main.prod
}
"#;
    let former = "    nodes     = 4\n    capacity  = spot\n    placement = \"spread\"\n";
    let told = retold(text, &[(former, "    nodes    = 4\n    capacity = reservation(\"r1\")\n")]);
    assert!(told.contains("$ kubectl delete resourceflavor a "), "{told}");
    assert!(told.contains("drain first: one\n"), "{told}");
    let fewer = retold(text, &[("    nodes     = 4\n", "    nodes     = 3\n")]);
    assert!(!fewer.contains("drain first"), "{fewer}");
}

/// What `plan` tells of a text in the place of what was built of another, and in that of the other itself.
pub(crate) fn told_both_ways(before: &str, after: &str) -> [String; 2] {
    let sandbox = Sandbox::new(&[("train.bp", before), ("before/train.bp", before)]);
    sandbox.run(&["build", "train.bp"]);
    sandbox.write("train.bp", after);
    let plans = [&["plan", "train.bp"][..], &["plan", "train.bp", "--against", "before/train.bp"]];
    plans.map(|plan| sandbox.run(plan).expect(Different).out)
}

#[test]
fn what_the_blueprint_has_no_more_stops_its_runs_in_both_ways_of_asking() {
    const HPC: &str = "param project: ProjectId = \"my-project\"\n\nnetwork net {\n  region = \"us-east4\"\n}\n\ncluster hpc on slurm {\n  network = net\n  zone    = \"us-east4-a\"\n  release = \"25.11\"\n  shared  = \"/home/slipform\"\n\n  partition alpha {\n    machine = \"n2-standard-8\"\n    nodes   = 4\n  }\n\n  partition beta {\n    machine = \"n2-standard-16\"\n    nodes   = 0..4\n  }\n}\n\nworkload a on hpc.alpha {\n  image  = \"python:3.12\"\n  launch = command([\"python\"])\n}\n\nworkload b on hpc.beta {\n  image  = \"python:3.12\"\n  launch = command([\"python\"])\n}\n";
    let needy = needy();
    let tries = [
        (
            HPC.to_owned(),
            reworded(HPC, &[("partition beta", "partition betty"), ("hpc.beta", "hpc.betty")]),
            "b",
        ),
        (
            needy.clone(),
            reworded(&needy, &[("pool gpus", "pool h100"), ("a3m.gpus", "a3m.h100")]),
            "train",
        ),
        (
            needy.clone(),
            reworded(&needy, &[("identity trainer {}", ""), ("  identity = trainer\n", "")]),
            "train",
        ),
        (
            needy.clone(),
            reworded(
                &needy,
                &[("registry images", "registry others"), ("push_to = images", "push_to = others")],
            ),
            "train",
        ),
    ];
    for (before, after, runs) in tries {
        for told in told_both_ways(&before, &after) {
            assert!(told.contains(&format!("drain first: {runs}\n")), "{told}");
        }
        // the manifest of an older compiler says of no run where it stands; its files do, of partitions and pools
        let sandbox = Sandbox::new(&[("train.bp", &before)]);
        sandbox.run(&["build", "train.bp"]);
        let manifest = "out/default/slipform.manifest.json";
        let told = sandbox.read(manifest).replace("\"runs\":", "\"untold\":");
        sandbox.write(manifest, told.replace("\"rights\":", "\"unknown\":"));
        sandbox.write("train.bp", &after);
        let told = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
        let is_ground =
            before.contains("pool gpus") != after.contains("pool gpus") || before == HPC;
        assert_eq!(told.contains(&format!("drain first: {runs}\n")), is_ground, "{told}");
    }
}

#[test]
fn what_runs_on_a_network_ends_before_its_packets_have_another_size() {
    let site = |mtu: &str| {
        format!(
            "param project: ProjectId = \"my-project\"\n\nnetwork net {{\n  region   = \"us-east4\"\n  pods     = 10.64.0.0/14\n  services = 10.68.0.0/20\n{mtu}}}\n\ncluster lab on gke {{\n  network = net\n  zone    = \"us-east4-a\"\n  pool g {{\n    machine = \"a3-megagpu-8g\"\n    nodes   = 2\n  }}\n}}\n\nworkload train on lab.g {{\n  image  = \"us-docker.pkg.dev/my-project/images/train:v1\"\n  nodes  = 2\n  launch = torchrun(\"train.py\")\n}}\n"
        )
    };
    let told = told(&site(""), &site("  mtu = 1460\n"));
    assert!(told.contains("drain first: train\n"), "{told}");
    assert!(told.contains("start again at the end: train\n"), "{told}");
}

/// What a controller shares, it says once: a filesystem that comes there, as the catalog names the folders, has all of the cluster made anew.
#[test]
fn what_a_controller_shares_is_taken_away_with_it() {
    let site = |mounts: &str| {
        format!(
            "param project: ProjectId = \"my-project\"\n\nnetwork core {{\n  region = \"us-east4\"\n}}\n\nfilesystem data {{\n  storage  = filestore(2560GiB)\n  network  = core\n  location = \"us-east4-b\"\n}}\n\ncluster hpc on slurm {{\n  network = core\n  zone    = \"us-east4-b\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n  mounts  = {{{mounts}}}\n\n  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }}\n}}\n"
        )
    };
    let comes = |folder: &str| told(&site(""), &site(&format!(" \"{folder}\" = data ")));
    for folder in &slipform_model::catalog::Catalog::builtin().slurm().controller_shares {
        let told = comes(folder);
        assert!(told.contains("gcluster destroy hpc\n"), "{folder}:\n{told}");
        assert!(told.contains(&format!("rsync -aHAX --update {folder}/ ")), "{folder}:\n{told}");
        assert!(told.contains(" cluster hpc: mounts"), "{folder}:\n{told}");
    }
    assert!(!comes("/data").contains("gcluster destroy"));
}

/// What a controller that stands is told to run is what the catalog says that it ran when it was made.
#[test]
fn a_controller_that_stands_fetches_by_what_the_catalog_says() {
    let site = |machine: &str| {
        format!(
            "param project: ProjectId = \"my-project\"\n\nnetwork core {{\n  region = \"us-east4\"\n}}\n\ncluster hpc on slurm {{\n  network = core\n  zone    = \"us-east4-b\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n  image   = image_family(\"slurm-ours\")\n\n  partition gpus {{\n    machine  = \"{machine}\"\n    nodes    = 2\n    capacity = spot\n  }}\n}}\n"
        )
    };
    let told = told(&site("a3-megagpu-8g"), &site("a3-highgpu-8g"));
    let facts = slipform_model::catalog::Catalog::builtin().slurm();
    let fetches = format!("$ sudo bash {}  # on the controller", facts.controller_start);
    assert!(told.contains(&fetches), "{told}");
}

/// A cluster ends before anything that it stands on is touched, also where another row has the commands for that.
#[test]
fn a_cluster_that_goes_first_is_told_first() {
    let site = |region: &str| {
        format!(
            "param project: ProjectId = \"my-project\"\n\nnetwork core {{\n  region = \"{region}\"\n}}\n\nfilesystem home {{\n  storage  = filestore(2560GiB)\n  network  = core\n  location = \"{region}-b\"\n}}\n\ncluster hpc on slurm {{\n  network = core\n  zone    = \"{region}-b\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n  mounts  = {{ \"/home\" = home }}\n\n  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }}\n}}\n"
        )
    };
    let told = told(&site("us-east4"), &site("us-central1"));
    let turns = [
        "$ for partition in ",
        "$ until jobs=",
        "gcluster destroy hpc  # before any folder is applied",
        "$ gcloud filestore backups create ",
        "$ terraform -chdir=10-foundation apply",
        "$ gcluster create ",
        "take away before anything is applied: 30-hpc\n",
    ];
    let places = turns.map(|turn| told.find(turn));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
}

/// What is in a share that goes is copied into the one that comes while both are there.
#[test]
fn a_share_is_copied_into_another_before_it_goes() {
    let site = |home: &str, zone: &str| {
        format!(
            "param project: ProjectId = \"my-project\"\n\nnetwork core {{\n  region = \"us-east4\"\n}}\n\nfilesystem {home} {{\n  storage  = filestore(2560GiB)\n  network  = core\n  location = \"{zone}\"\n}}\n\ncluster hpc on slurm {{\n  network = core\n  zone    = \"{zone}\"\n  release = \"25.11\"\n  shared  = \"/home/shared\"\n  mounts  = {{ \"/home\" = {home} }}\n\n  partition cpus {{\n    machine = \"n2-standard-8\"\n    nodes   = 2\n  }}\n}}\n"
        )
    };
    let turns = [
        "$ for partition in ",
        "$ until jobs=",
        "$ terraform -chdir=10-foundation apply -target=google_filestore_instance.homes  # ",
        "rsync -aHAX --update /home/ ",
        "gcluster destroy hpc  # before any folder is applied",
        "$ gcluster create ",
        "take away before anything is applied: 30-hpc\n",
    ];
    // also where the cluster moves at the same time
    for zone in ["us-east4-b", "us-east4-c"] {
        let told = told(&site("home", "us-east4-b"), &site("homes", zone));
        let places = turns.map(|turn| told.find(turn));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
    }
}

/// Two runs of one folder of a bucket, one after the other: the second begins once the first has ended.
#[test]
fn who_writes_where_another_run_does_from_then_on_ends_before_it() {
    let run = |name: &str, folder: &str| {
        format!(
            "\nworkload {name} on a3m.gpus {{\n  image    = \"python:3.12\"\n  launch   = command([\"python\"])\n  identity = trainer\n  mounts   = [mount(data, \"/ckpt\", folder = \"{folder}\", use = \"checkpoints\")]\n}}\n"
        )
    };
    let fleet = FLEET.replace("cluster a3m", "identity trainer {}\n\ncluster a3m");
    let with = |first: &str, second: &str| {
        format!("{fleet}{}{}", run("probe", first), run("tune", second))
    };
    for told in told_both_ways(&with("probe", "tune"), &with("tune", "probe")) {
        let way = "ends before it starts: tune, which writes to folder `tune` of bucket my-project-data until then";
        assert!(told.contains(way), "{told}");
        assert!(told.contains("drain first: probe, tune\n"), "{told}");
    }
    // who begins in the folder of one that the blueprint has no more
    let before = format!("{fleet}{}", run("probe", "probe"));
    for told in told_both_ways(&before, &format!("{fleet}{}", run("tune", "probe"))) {
        assert!(told.contains("drain first: probe\n"), "{told}");
    }
    for told in told_both_ways(&with("probe", "tune"), &with("probe", "others")) {
        assert!(!told.contains("drain first"), "{told}");
    }
}

/// What Google Cloud never lets through is a mistake to take back: nobody ends for it.
#[test]
fn what_is_refused_stops_no_run() {
    let lustre = "filesystem fast {\n  network  = fabric\n  location = \"us-east4-a\"\n  storage  = lustre(18000GiB, throughput = 1000)\n}\n\ncluster a3m";
    let fleet = FLEET
        .replace("cluster a3m", lustre)
        .replace("  launch =", "  mounts = [fast at \"/fast\"]\n  launch =");
    for told in told_both_ways(
        &fleet,
        &reworded(&fleet, &[("network fabric {", "network fabric {\n  private_services = 18")]),
    ) {
        assert!(told.contains("stopped by its connection to managed services"), "{told}");
        assert!(!told.contains("drain first"), "{told}");
    }
}
