//! A project's own rows.

use super::{slices_by_name, usual};
use crate::{Catalog, GkeFeature, GkeMinimum, Offer};

fn with(text: &str) -> Catalog {
    match Catalog::builtin().with_local(text) {
        Ok(catalog) => catalog,
        Err(error) => panic!("{error}"),
    }
}

fn refused(text: &str) -> String {
    match Catalog::builtin().with_local(text) {
        Ok(_) => panic!("taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_row_is_corrected_key_by_key() {
    let catalog = with(
        r#"
[[machine]]
name = "a3-megagpu-8g"
capacity.spot = "no"
gke.standard_min = { "1.36" = "1.36.1-gke.100" }
"#,
    );
    let machine = catalog.machine("a3-megagpu-8g").unwrap();
    let before = Catalog::builtin().machine("a3-megagpu-8g").unwrap();
    assert_eq!(machine.capacity.spot.to_string(), "no");
    assert_eq!(machine.capacity.on_demand, before.capacity.on_demand);
    assert_eq!(machine.network, before.network);
    assert_eq!(machine.source.last().map(String::as_str), Some("local"));
    assert_eq!(machine.source.len(), before.source.len() + 1);
    assert!(matches!(
        catalog.gke_feature("a3-megagpu-8g", GkeFeature::Standard, "1.36.0-gke.1"),
        GkeMinimum::TooOld { .. }
    ));
    assert_eq!(before.capacity.spot.to_string(), "yes", "the built-in catalog stays as it is");
    assert_ne!(catalog.version(), Catalog::builtin().version());
}

#[test]
fn what_is_installed_follows_a_corrected_plugin() {
    let catalog = with("[[stack]]\nname = \"gib\"\nplugin.tag = \"v1.1.2\"\n");
    let stack = catalog.stack("gib").unwrap();
    let gke = stack.gke.as_ref().unwrap();
    let installed: Vec<String> =
        gke.installers.iter().map(|it| stack.reference(&it.image)).collect();
    assert!(installed.iter().any(|it| it.ends_with("nccl-plugin-gib:v1.1.2")), "{installed:?}");
}

#[test]
fn an_installer_says_how_it_prepares_a_node_and_one_writes_what_workloads_wait_for() {
    let own = |more: &str| {
        let text = format!(
            "[[stack]]\nname = \"tcpx\"\n[[stack.gke.installers]]\nname = \"prepare-disks\"\n\
             image = {{ repository = \"example.com/x\" }}\n{more}"
        );
        Catalog::builtin().with_local(&text).unwrap_err().to_string()
    };
    let without = own("");
    assert!(without.contains("missing key `recipe`"), "{without}");
    let unknown = own("recipe = \"nccl\"\n");
    assert!(unknown.contains("`nccl`"), "{unknown}");
    let elsewhere = own("recipe = { plugin = { unpacked = \"/x\" } }\nhost_paths = [\"/opt\"]\n");
    assert!(elsewhere.contains("which workloads wait for"), "{elsewhere}");
}

#[test]
fn every_built_in_machine_survives_an_empty_correction() {
    for machine in Catalog::builtin().machines() {
        let text =
            format!("[[machine]]\nname = \"{}\"\nsource = [\"compute-api\"]\n", machine.name);
        let catalog = with(&text);
        let mut expected = machine.clone();
        expected.source = vec!["compute-api".to_owned()];
        assert_eq!(catalog.machine(&machine.name), Some(&expected));
    }
}

#[test]
fn a_machine_announced_yesterday() {
    let catalog = with(
        r#"
as_of = "2026-12-01"

[sources.launch]
name = "launch note"
date = "2026-12-01"
confidence = "medium"

[[machine]]
name = "a5-highgpu-8g"
like = "a4-highgpu-8g"
family = "a5-highgpu"
series = "a5"
vcpus = 256
source = ["launch"]
confidence = "medium"

[[offer]]
name = "a5-highgpu"
regions = ["us-east4"]
zones = ["us-east4-b"]
"#,
    );
    let machine = catalog.machine("a5-highgpu-8g").unwrap();
    assert_eq!((machine.vcpus, machine.accelerator.as_ref().unwrap().gpu.as_str()), (256, "b200"));
    assert_eq!(catalog.machine("a5-highgpu-8g").unwrap().stack.as_deref(), Some("gib"));
    assert_eq!(catalog.offered("a5-highgpu-8g", "us-east4-b"), Offer::InZone);
    assert_eq!(catalog.offered("a5-highgpu-8g", "us-west1-a"), Offer::Nowhere);
    assert_eq!(catalog.as_of(), "2026-12-01");
    let names: Vec<&str> = catalog.machine_names().collect();
    assert_eq!(names.len(), Catalog::builtin().machine_names().count() + 1);
    assert!(names.is_sorted());
    assert_eq!(catalog.machines().count(), names.len());
}

#[test]
fn groups_slices_and_limits() {
    let catalog = with(
        r#"
[[machine]]
like = "hgx-h100"
network.gpu_fabric_gbps = 1600
rows = [{ name = "site-a", vcpus = 128 }, { name = "site-b", memory_gib = 1024 }]

[[slices]]
generation = "v5e"
machine = "ct5lp-hightpu-4t"
chips_per_host = 4
rows = [["16x32", 512, 128, "v5litepod-512"]]

[limits.vpc]
mtu_max = 9000
"#,
    );
    assert_eq!(catalog.machine("site-a").unwrap().vcpus, 128);
    assert_eq!(catalog.machine("site-b").unwrap().network.gpu_fabric_gbps, 1600);
    assert_eq!(usual(slices_by_name(&catalog, "v5litepod-512")).unwrap().hosts, 128);
    assert_eq!(usual(slices_by_name(&catalog, "v5litepod-256")).unwrap().hosts, 64);
    assert_eq!(catalog.limits().vpc.mtu_max, 9000);
    assert_eq!(catalog.limits().vpc.mtu_min, 1300);
    assert_eq!(catalog.limit("vpc.mtu_max").unwrap().value.int(), Some(9000));
}

#[test]
fn later_text_goes_on_top_of_earlier() {
    let first = with("[[machine]]\nname = \"site-a\"\nlike = \"hgx-h100\"\n");
    let second = first.with_local("[[machine]]\nname = \"site-a\"\nvcpus = 64\n").unwrap();
    assert_eq!(second.machine("site-a").unwrap().vcpus, 64);
    assert_eq!(second.machine("site-a").unwrap().memory_gib, 2048.0);
}

#[test]
fn a_pair_that_nobody_lists_is_said_in_words() {
    let text = refused("[[stack]]\nname = \"tcpxo\"\nplugin.tag = \"v9.9.9\"\n");
    let said = "plugin v9.9.9 and daemon 1.0.21 are not a listed pair";
    assert!(text.contains(said), "{text}");
}

#[test]
fn what_is_wrong_is_said_with_row_key_and_line() {
    let cases = [
        (
            "[[machine]]\nname = \"a3-megagpu-8g\"\nvcpu = 208\n",
            "line 3: machine `a3-megagpu-8g`, `vcpu`: unknown key `vcpu`",
        ),
        (
            "[[machine]]\nname = \"a3-megagpu-8g\"\n\nnetwork.gpu_nics = \"eight\"\n",
            "line 4: machine `a3-megagpu-8g`, `network.gpu_nics`: wrong kind of value: string \"eight\", expected a whole number",
        ),
        (
            "[[machine]]\nname = \"a3-megagpu-8g\"\ncapacity.spot = \"maybe\"\n",
            "line 3: machine `a3-megagpu-8g`, `capacity.spot`: unknown word `maybe`",
        ),
        (
            "[[machine]]\nname = \"x-1\"\nlike = \"x-0\"\n",
            "machine `x-1`, `like`: there is no machine `x-0` to start from",
        ),
        ("[[machine]]\nname = \"x-1\"\nkind = \"cpu\"\n", "missing key `series`"),
        ("[[machine]]\nvcpus = 4\n", "line 1: machine, `name`: a row without `name`"),
        (
            "[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\n\n[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\n",
            "line 5: machine `x`: stands twice in the catalog",
        ),
        (
            "[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\naccelerator.gpu = \"h1000\"\n",
            "line 2: machine `x`, `accelerator.gpu`: `h1000` is not a GPU",
        ),
        (
            "[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\nvcpus = 90\n",
            "machine `x`, `sockets`: 90 vcpus cannot be dealt to 2 sockets of cores with 2 threads",
        ),
        ("[[machines]]\nname = \"x\"\n", "a catalog has no table `machines`"),
        ("[[machine]\nname = \"x\"\n", "line 1: "),
        (
            "[[slices]]\ngeneration = \"v5e\"\nchips_per_host = 4\nrows = [[\"16by32\", 512, 128, \"v5litepod-512\"]]\n",
            "a topology is two or three sides, as in 4x4x8",
        ),
        (
            "[[slices]]\ngeneration = \"v5e\"\nmachine = \"ct5lp-hightpu-4t\"\nchips_per_host = 4\nrows = [[\"16x32\", 512, 100, \"v5litepod-512\"]]\n",
            "100 hosts of 4 chips, the slice has 512",
        ),
        ("[limits.vpc]\nmtu = 9000\n", "unknown key `mtu`"),
        (
            "[[machine]]\nname = \"x\"\nlike = \"e2-standard-8\"\ndisk.boot = [\"floppy\"]\n",
            "machine `x`, `disk.boot`: `floppy` has no quota under `kubernetes.quotas.disks`",
        ),
        ("[kubernetes.quotas]\nnetwork = \"NETWORKS\"\n", "unknown key `network`"),
        ("[kubernetes.taints.gpu]\neffect = \"Never\"\n", "unknown word `Never`"),
        (
            "[[machine]]\nname = \"a3-megagpu-8g\"\nnetwork.additional_vpc_mtu = 9000\n",
            "`network.additional_vpc_mtu`: 9000 does not lie in 1300 to 8896",
        ),
        (
            "as_of = \"soon\"\n[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\ndate = \"soon\"\n",
            "`soon` is not a date",
        ),
    ];
    for (text, expected) in cases {
        let message = refused(text);
        assert!(message.contains(expected), "wanted: {expected}\ngot: {message}");
    }
}

#[test]
fn the_example_of_the_readme_is_taken() {
    let readme = include_str!("../../../../stdlib/catalog/README.md");
    let example = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let catalog = with(example);
    assert_eq!(catalog.machine("rack-7").unwrap().vcpus, 192);
    assert_eq!(catalog.machine("a3-megagpu-8g").unwrap().capacity.spot.to_string(), "no");
}

/// Cores follow from the processors and the sockets, so that a machine that is like another says only what differs.
#[test]
fn cores_follow_from_sockets() {
    let cores = |rows: &str| {
        with(&format!("[[machine]]\nname = \"x\"\nlike = \"hgx-h100\"\n{rows}"))
            .machine("x")
            .unwrap()
            .cores_per_socket()
    };
    assert_eq!(cores(""), Some(56));
    assert_eq!(cores("vcpus = 192\n"), Some(48));
    assert_eq!(cores("vcpus = 112\nthreads_per_core = 1\n"), Some(56));
    assert_eq!(with("").machine("n2-standard-8").unwrap().cores_per_socket(), None);
}

#[test]
fn every_problem_is_reported() {
    let message = refused(
        "[[machine]]\nname = \"a3-megagpu-8g\"\nvcpu = 1\n\n[[gpu]]\nname = \"l4\"\nbf16 = 3\n",
    );
    assert_eq!(message.lines().count(), 2, "{message}");
}

#[test]
fn numbers_that_no_machine_has_are_refused() {
    for (field, text) in [
        ("memory_gib", "memory_gib = 1e308"),
        ("memory_gib", "memory_gib = -1"),
        ("local_ssd", "local_ssd.counts = [4000000000]\nlocal_ssd.disk_gib = 375"),
    ] {
        let told =
            refused(&format!("[[machine]]\nname = \"site-a\"\nlike = \"hgx-h100\"\n{text}\n"));
        assert!(told.contains(field) && told.contains("than any machine has"), "{told}");
    }
}
