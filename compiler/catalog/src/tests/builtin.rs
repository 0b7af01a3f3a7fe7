//! The built-in rows: all are readable, refer to each other rightly, and hold the figures that are
//! easily got wrong.

use std::collections::BTreeSet;

use slipform_rows::blob::{Blob, Section};
use slipform_rows::{Each, Form, Make, Nothing, Tables, Typed, check};

use super::{slices_by_name, usual};
use crate::{
    Arch, BAKED, CapacityModel, Catalog, Confidence, GkeFeature, GkeMinimum, GkeVersion, GpuDirect,
    LimitValue, MachineKind, Offer, Row, Sheet, Support, Wraparound, region_of, sides,
};

fn catalog() -> &'static Catalog {
    Catalog::builtin()
}

fn too_old(needed: &str) -> GkeMinimum {
    GkeMinimum::TooOld { needed: needed.to_owned() }
}

/// Every row of the binary, as the checker wants them.
fn tables() -> Tables<Typed> {
    struct All;
    impl Make<Typed> for All {
        fn rows<T: Row>(&mut self) -> <Typed as Form>::Rows<T> {
            catalog().rows::<T>().map(|row| (row.key().to_owned(), row.clone())).collect()
        }
        fn sheet<T: Sheet>(&mut self) -> Option<T> {
            Some(catalog().sheet::<T>().clone())
        }
    }
    Tables::make(catalog().as_of().to_owned(), &mut All)
}

#[test]
fn every_row_can_be_read_back() {
    struct Read(Vec<(&'static str, usize)>);
    impl Each for Read {
        fn rows<T: Row>(&mut self) {
            self.0.push((T::TABLE, T::of(&tables()).len()));
        }
        fn sheet<T: Sheet>(&mut self) {
            self.0.push((T::TABLE, usize::from(T::of(&tables()).is_some())));
        }
    }
    let mut read = Read(Vec::new());
    Tables::<Typed>::each(&mut read);
    let blob: Blob<'_> = postcard::from_bytes(BAKED).unwrap();
    assert_eq!(blob.sections.len(), read.0.len());
    for (section, (name, read)) in blob.sections.iter().zip(read.0) {
        assert!(read > 0, "no file has a row of {name}");
        let section: Section<'_> = postcard::from_bytes(section).unwrap();
        assert_eq!(section.rows.len(), read, "section {name}");
        let ascending = section.rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
        assert!(ascending, "keys of section {name} ascend, none twice");
    }
}

#[test]
fn rows_agree_with_each_other() {
    assert_eq!(check(&tables(), &Nothing), []);
}

#[test]
fn the_checker_sees_a_broken_reference() {
    let mut tables = tables();
    let machine = tables.machines.get_mut("a3-megagpu-8g").unwrap();
    machine.accelerator.as_mut().unwrap().gpu = "h1000".to_owned();
    tables.slices.get_mut("v5e").unwrap().slices[3].hosts += 1;
    let faults = check(&tables, &Nothing);
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0], "`h1000` is not a GPU");
    assert!(messages[1].contains("hosts of 4 chips"), "{messages:?}");
}

#[test]
fn nothing_was_lost() {
    let google = catalog().machines().filter(|machine| {
        matches!(machine.kind, MachineKind::Gpu | MachineKind::Cpu) && machine.series != "h4d"
    });
    assert_eq!(google.count(), 443);
    let of_kind = |kind| catalog().machines().filter(move |machine| machine.kind == kind).count();
    assert_eq!(of_kind(MachineKind::Gpu), 36);
    assert_eq!(of_kind(MachineKind::Tpu), 15);
    assert_eq!(of_kind(MachineKind::Node), 8);
    assert_eq!(catalog().gpus().count(), 22);
    assert_eq!(catalog().gpus().map(|gpu| gpu.mig.len()).sum::<usize>(), 99);
    assert_eq!(catalog().attachables().count(), 4);
    assert_eq!(catalog().tpus().count(), 7);
    let slices: usize = catalog().tpus().map(|tpu| catalog().slices(&tpu.generation).len()).sum();
    assert_eq!(slices, 1064);
    assert_eq!(catalog().vertex_regions().count(), 31);
}

#[test]
fn slices_follow_from_their_shape() {
    for tpu in catalog().tpus() {
        for slice in catalog().slices(&tpu.generation) {
            let label = format!("{} of {}", slice.topology, tpu.generation);
            assert_eq!(Some(slice.sides), sides(&slice.topology), "{label}");
            assert!(slice.chips <= tpu.pod_chips, "{label}");
            let counted = match tpu.name_counts {
                crate::NameCounts::Chips => slice.chips,
                crate::NameCounts::Tensorcores => slice.chips * tpu.cores_per_chip,
            };
            assert_eq!(slice.name, format!("{}-{counted}", tpu.name_prefix), "{label}");
            let twists = {
                let [a, b, c] = slice.sides;
                let fours = slice.sides.iter().all(|side| side % 4 == 0);
                fours && ((2 * a == b && b == c) || (a == b && 2 * b == c))
            };
            assert_eq!(slice.twistable, twists, "{label}");
            assert!(!slice.beyond_documented || slice.confidence == Confidence::Low, "{label}");
        }
    }
}

#[test]
fn a_slice_name_means_at_most_one_slice() {
    for tpu in catalog().tpus() {
        let mut named = BTreeSet::new();
        for slice in catalog().slices(&tpu.generation).iter().filter(|slice| slice.default) {
            assert!(named.insert(&slice.name), "{} twice", slice.name);
        }
    }
}

#[test]
fn slices_go_by_name_and_shape() {
    let pod = usual(slices_by_name(catalog(), "v5litepod-256")).unwrap();
    assert_eq!((pod.topology.as_str(), pod.chips, pod.hosts), ("16x16", 256, 64));
    let small = usual(slices_by_name(catalog(), "v4-8")).unwrap();
    assert_eq!((small.topology.as_str(), small.chips, small.single_host()), ("2x2x1", 4, true));
    let eight = catalog().slice("v6e", "2x4").unwrap();
    assert_eq!(eight.machine.as_deref(), Some("ct6e-standard-8t"));
    let pair = catalog().slice_on("ct6e-standard-4t", "2x4").unwrap();
    assert_eq!((pair.hosts, pair.default), (2, false));
    assert_eq!(catalog().slice("v5p", "4x4x8").unwrap().hosts, 32);
    assert_eq!(catalog().slice("v5e", "26x16"), None);
    assert_eq!(usual(slices_by_name(catalog(), "v4-768")), None, "two shapes, none the usual one");
    assert_eq!(slices_by_name(catalog(), "v4-768").len(), 2);
    assert!(slices_by_name(catalog(), "v9-8").is_empty());
    assert!(catalog().slice("7x", "16x24x24").unwrap().beyond_documented);
}

#[test]
fn counts_that_do_not_follow_from_cpus() {
    let gpus = |name: &str| catalog().machine(name).unwrap().accelerator.as_ref().unwrap().count;
    assert_eq!(gpus("g2-standard-24"), 2);
    assert_eq!(gpus("g2-standard-32"), 1);
    assert_eq!(gpus("a2-megagpu-16g"), 16);
    let fraction = catalog().machine("g4-standard-6").unwrap().accelerator.clone().unwrap();
    assert_eq!((fraction.count, fraction.fraction.as_deref()), (1, Some("1/8")));
    assert_eq!(catalog().machine("ct6e-standard-8t").unwrap().vcpus, 360);
}

#[test]
fn networks_of_gpu_machines() {
    let network = |name: &str| catalog().machine(name).unwrap().network.clone();
    let mega = network("a3-megagpu-8g");
    assert_eq!((mega.gpu_nics, mega.additional_vpcs, mega.additional_vpc_mtu), (8, 8, Some(8244)));
    assert_eq!((mega.gpudirect, mega.gpu_fabric_gbps), (GpuDirect::Tcpxo, 1600));
    let ultra = network("a3-ultragpu-8g");
    assert_eq!((ultra.additional_interfaces, ultra.additional_vpcs), (9, 2));
    assert_eq!((ultra.rdma_subnets, ultra.additional_vpc_mtu), (8, Some(8896)));
    assert_eq!(ultra.network_profile.as_deref(), Some("{zone}-vpc-roce"));
    let gb200 = catalog().machine("a4x-highgpu-4g").unwrap();
    assert_eq!((gb200.arch, gb200.network.multi_node_nvlink), (Arch::Arm64, true));
    assert_eq!(gb200.accelerator.as_ref().unwrap().nvlink_domain_gpus, 72);
    assert_eq!(catalog().machine("g2-standard-96").unwrap().network.gpudirect, GpuDirect::None);
}

#[test]
fn interfaces_of_a_stack_are_the_networks_of_its_machines() {
    for machine in catalog().machines() {
        let Some(gke) = machine
            .stack
            .as_deref()
            .and_then(|name| catalog().stack(name))
            .and_then(|stack| stack.gke.as_ref())
        else {
            continue;
        };
        let interfaces = gke.interfaces.len();
        let wanted = usize::try_from(machine.network.additional_interfaces).unwrap();
        assert_eq!(interfaces, wanted, "{}", machine.name);
    }
}

#[test]
fn a_stack_fits_the_machines_that_name_it() {
    for machine in catalog().machines() {
        let Some(stack) = machine.stack.as_deref().and_then(|name| catalog().stack(name)) else {
            assert_eq!(machine.network.gpudirect, GpuDirect::None, "{}", machine.name);
            continue;
        };
        assert_eq!(stack.gpudirect, machine.network.gpudirect, "{}", machine.name);
        assert_eq!(stack.arch, machine.arch, "{}", machine.name);
        for name in &stack.gke.as_ref().unwrap().components {
            let component = catalog().component(name).unwrap();
            assert!(component.manifest.is_some() || component.chart.is_some(), "{name}");
        }
    }
}

#[test]
fn tcpxo_pairs() {
    let stack = catalog().stack("tcpxo").unwrap();
    assert_eq!(stack.daemon_for("1.0.15"), Some("1.0.21"));
    assert_eq!(stack.daemon_for("v1.0.12"), Some("1.0.18"));
    assert_eq!(stack.daemon_for("1.0.13"), None);
    assert!(stack.owns("NCCL_FASTRAK_NUM_FLOWS"));
    assert!(stack.owns("NCCL_BUFFSIZE"));
    assert!(!stack.owns("NCCL_DEBUG_SUBSYS"));
    let daemon = stack.gke.as_ref().unwrap().daemon.as_ref().unwrap();
    assert_eq!(
        daemon.image.to_string(),
        "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21"
    );
    assert!(daemon.devices.iter().any(|device| device == "/dev/dmabuf_import_helper"));
}

#[test]
fn gke_versions_compare_within_their_branch() {
    let check = |version| catalog().gke_feature("a4x-highgpu-4g", GkeFeature::Standard, version);
    assert_eq!(check("1.32.8-gke.1108000"), GkeMinimum::Met);
    assert_eq!(check("1.33.0-gke.2000000"), too_old("1.33.4-gke.1036000"));
    assert_eq!(check("1.33.4-gke.1035999"), too_old("1.33.4-gke.1036000"));
    assert_eq!(check("1.33.4-gke.1036000"), GkeMinimum::Met);
    assert_eq!(check("1.33"), GkeMinimum::Met, "a bare branch is its newest patch");
    assert_eq!(check("1.34.0-gke.1"), GkeMinimum::Met);
    assert_eq!(check("1.31.9-gke.9999999"), too_old("1.32.8-gke.1108000"));
    assert_eq!(check("latest"), GkeMinimum::Unknown);
    assert_eq!(
        catalog().gke_feature("no-such-machine", GkeFeature::Standard, "1.33"),
        GkeMinimum::Unknown
    );
    assert_eq!(
        catalog().gke_feature("e2-standard-4", GkeFeature::Standard, "1.30"),
        GkeMinimum::Met
    );
    let tcpxo = |version| catalog().gke_feature("a3-megagpu-8g", GkeFeature::GpuDirect, version);
    assert_eq!(tcpxo("1.31.13-gke.1"), too_old("1.31.14-gke.1243000"));
    assert_eq!(tcpxo("1.33.0-gke.1"), GkeMinimum::Met);
    let dranet = |version| catalog().gke_feature("a4-highgpu-8g", GkeFeature::Dranet, version);
    assert_eq!(dranet("1.33.9-gke.1"), too_old("1.34.1-gke.1829001"));
}

#[test]
fn versions_are_read_and_ordered() {
    let parse = |text| GkeVersion::parse(text);
    assert!(parse("1.9.0-gke.5") < parse("1.10.0-gke.1"));
    assert!(parse("1.33.4-gke.99") < parse("1.33.4-gke.100"));
    assert!(parse("v1.33.4-gke.100") < parse("1.33"));
    for wrong in ["", "1", "1.x", "1.33.4.5", "1.33.4-gke.", "1.33.4-alpha"] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}

#[test]
fn capacity_of_machines() {
    let support = |name: &str, model| catalog().machine(name).unwrap().capacity.support(model);
    assert_eq!(support("a3-highgpu-1g", CapacityModel::OnDemand), Support::No);
    assert_eq!(support("a3-highgpu-1g", CapacityModel::Spot), Support::Yes);
    assert_eq!(support("a3-ultragpu-8g", CapacityModel::Reservation), Support::Unknown);
    assert_eq!(support("a4x-highgpu-4g", CapacityModel::FutureReservation), Support::Yes);
    assert_eq!(support("a4x-highgpu-4g", CapacityModel::FlexStart), Support::No);
    assert_eq!(support("ct6e-standard-4t", CapacityModel::Calendar), Support::Yes);
    assert_eq!(support("tpu7x-standard-4t", CapacityModel::Spot), Support::Allowlist);
    assert_eq!(support("ct4p-hightpu-4t", CapacityModel::FlexStart), Support::No);
}

#[test]
fn places() {
    let offered = |what, place| catalog().offered(what, place);
    assert_eq!(offered("a3-megagpu-8g", "us-east4-a"), Offer::InZone);
    assert_eq!(offered("a3-megagpu-8g", "us-east4"), Offer::InRegion);
    // which processors there are in a region of TPUs alone is said nowhere
    assert_eq!(offered("n1-standard-4", "us-central2-b"), Offer::Unknown);
    assert_eq!(offered("a3-megagpu-8g", "us-central2-b"), Offer::Nowhere);
    assert_eq!(offered("h3-standard-88", "us-east4-a"), Offer::Nowhere);
    assert_eq!(offered("a3-megagpu-8g", "us-west1-c"), Offer::InRegion);
    assert_eq!(offered("a3-megagpu-8g", "us-west2-a"), Offer::Nowhere);
    assert_eq!(offered("a3-megagpu-8g", "us-east9-a"), Offer::Unknown);
    assert_eq!(offered("ct5p-hightpu-4t", "us-east5-a"), Offer::InZone);
    assert_eq!(offered("v4", "us-central2-b"), Offer::InZone);
    assert_eq!(offered("v6e", "us-south1-ai1b"), Offer::InZone);
    assert_eq!(offered("n2-standard-8", "us-west1-b"), Offer::InRegion);
    assert_eq!(offered("t4", "us-west2-b"), Offer::InZone);
    assert_eq!(offered("hgx-h100", "us-east4"), Offer::Unknown);
    assert!(catalog().has_zone("us-central1-ai1a"));
    assert!(!catalog().has_zone("us-central1-d"));
    assert!(!catalog().has_zone("us-central1"));
    assert!(catalog().regions().contains(&"europe-west4"));
    assert!(catalog().zones().iter().any(|zone| zone == "europe-west1-d"));
}

#[test]
fn regions_of_zones() {
    assert_eq!(region_of("us-central1-a"), Some("us-central1"));
    assert_eq!(region_of("us-south1-ai1b"), Some("us-south1"));
    for region in ["us-central1", "northamerica-northeast2", "us", "", "a-b-c"] {
        assert_eq!(region_of(region), None, "{region}");
    }
}

#[test]
fn limits_by_path_and_by_type() {
    let value = |path: &str| catalog().limit(path).unwrap().value.clone();
    assert_eq!(value("vpc.mtu_max"), LimitValue::Int(8896));
    assert_eq!(value("gke.pod_mask.110"), LimitValue::Int(24));
    assert_eq!(value("vpc.rdma_profile"), LimitValue::Text("{zone}-vpc-roce".to_owned()));
    assert_eq!(catalog().limit("vpc.no_such"), None);
    let limits = catalog().limits();
    assert_eq!((limits.vpc.mtu_min, limits.vpc.mtu_max), (1300, 8896));
    assert_eq!(limits.names.gke_node_pool.max, 40);
    assert_eq!(limits.flex_start.max_run_seconds, 7 * 24 * 3600);
}

#[test]
fn bfloat16_and_density() {
    for gpu in catalog().gpus() {
        assert_eq!(gpu.bf16, gpu.bf16_dense_tflops > 0, "{}", gpu.name);
        let on_google = gpu.gke_label.is_some();
        let used = catalog().machines().any(|machine| {
            machine.accelerator.as_ref().is_some_and(|accelerator| {
                accelerator.gpu == gpu.name && accelerator.gke_label.is_some()
            })
        }) || catalog().attachable(&gpu.name).is_some();
        assert_eq!(on_google, used, "{}", gpu.name);
    }
    assert_eq!(catalog().gpu("h100-80gb").unwrap().bf16_dense_tflops, 989);
}

#[test]
fn mig_belongs_to_a_gpu() {
    let max = |gpu: &str, profile: &str| {
        let rows = &catalog().gpu(gpu).unwrap().mig;
        rows.iter().find(|row| row.profile == profile).map(|row| row.max)
    };
    assert_eq!(max("h200-141gb", "1g.35gb"), Some(4));
    assert_eq!(max("gb300", "1g.35gb"), Some(7));
    assert_eq!(max("l4", "1g.5gb"), None);
}

#[test]
fn slurm_sees_machines_as_its_images_do() {
    let facts = catalog().slurm();
    assert_eq!(facts.real_memory_mib(1872.0), 1_860_368);
    assert_eq!(facts.real_memory_mib(0.0), 0);
    let mega = catalog().slurm_machine("a3-megagpu-8g").unwrap();
    assert_eq!((mega.cpus(), mega.data_interfaces.len()), (208, 8));
    let gb200 = catalog().slurm_machine("a4x-highgpu-4g").unwrap();
    assert_eq!((gb200.cpus(), gb200.threads_per_core), (140, 1));
}

#[test]
fn vertex_names_what_it_trains_on() {
    let facts = catalog().vertex();
    for machine in catalog().machines() {
        let Some(name) = &machine.vertex.accelerator_type else { continue };
        assert!(facts.accelerator_types.contains(name), "{name}");
    }
    let counts = &catalog().attachable("t4").unwrap().vertex_counts;
    let large = counts.iter().find(|row| row.machines.iter().any(|name| name == "n1-standard-32"));
    assert_eq!(large.unwrap().counts, [2, 4]);
    for attachable in catalog().attachables() {
        for name in attachable.vertex_counts.iter().flat_map(|row| &row.machines) {
            assert!(catalog().machine(name).is_some(), "{name}");
        }
    }
}

#[test]
fn tpus_wrap_and_count_as_documented() {
    let tpu = |generation: &str| catalog().tpu(generation).unwrap();
    assert_eq!(tpu("v5e").wraparound, Wraparound::SidesOfSixteen);
    assert_eq!(tpu("v5p").wraparound, Wraparound::MultiplesOfFour);
    assert_eq!((tpu("7x").jax_devices_per_chip, tpu("v5p").jax_devices_per_chip), (2, 1));
    assert_eq!(tpu("v3").multislice, Support::No);
    assert_eq!(catalog().tpu_of_machine("ct5lp-hightpu-4t").unwrap().generation, "v5e");
    assert_eq!(catalog().tpu_of_machine("n2-standard-4"), None);
}

#[test]
fn the_version_has_date_and_digest() {
    let (date, digest) = catalog().version().split_once('+').unwrap();
    assert_eq!(date, catalog().as_of());
    assert_eq!(digest.len(), 16);
}

#[test]
fn every_accelerator_of_google_cloud_takes_a_quota() {
    for gpu in catalog().gpus().filter(|gpu| gpu.gke_label.is_some()) {
        assert!(gpu.quota.is_some(), "{}", gpu.name);
    }
    for tpu in catalog().tpus().filter(|tpu| tpu.gke) {
        assert!(tpu.quota.is_some(), "{}", tpu.generation);
    }
}

/// Rows are found by their words without a look at the others: they are those that a look at all of them finds.
#[test]
fn rows_are_found_by_the_words_that_they_have() {
    fn same<T: Row>() {
        let catalog = Catalog::builtin();
        let keys = |rows: Vec<&T>| rows.into_iter().map(|row| row.key().to_owned()).collect();
        let mut found = 0;
        for name in catalog.rows::<T>().flat_map(Row::names) {
            let has = |row: &&T| row.names().contains(&name);
            let all: Vec<String> = keys(catalog.rows::<T>().filter(has).collect());
            let named: Vec<String> = keys(catalog.named::<T>(|it| it == name));
            assert_eq!(named, all, "{name}");
            found += 1;
        }
        assert!(found > 0, "{} is found by no words", T::TABLE);
    }
    same::<crate::OptionRules>();
    same::<crate::VariableForm>();
    same::<crate::CostlyVariable>();
    same::<crate::CostlyOption>();
    assert!(Catalog::builtin().named::<crate::VariableForm>(|_| false).is_empty());
}
