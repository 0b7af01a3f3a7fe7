//! Reservations: what is made of them, and how those who take of them name them.

use super::samples::base;
use super::{accept, expect};
use crate::readme::page;

const MADE: &str = "resource google_compute_reservation cpus";
const POOL: &str = "resource google_container_node_pool p";

/// A reservation, and a cluster with a pool that takes of it.
fn with_reservation(reservation: &str, machine: &str, capacity: &str) -> String {
    format!(
        "{}\n{reservation}\ncluster cc on gke {{\n  network = fabric\n  zone = \"us-central1-a\"\n  pool p {{\n    machine = \"{machine}\"\n    nodes = 4\n    capacity = {capacity}\n  }}\n}}\n",
        base("us-central1")
    )
}

#[test]
fn a_reservation_is_made_for_those_who_name_it() {
    let said = "reservation cpus {\n  machine = \"c3-standard-44\"\n  zone = \"us-central1-a\"\n  count = 4\n  shared_with = [\"other-project\"]\n}\n";
    let text = with_reservation(said, "c3-standard-44", "reservation(cpus)");
    let rendered = accept(text.clone());
    expect(
        &rendered.block("10-foundation", MADE),
        &[
            ("name", "\"cpus\""),
            ("specific_reservation_required", "true"),
            ("specific_reservation.count", "4"),
            ("specific_reservation.instance_properties.machine_type", "\"c3-standard-44\""),
            ("share_settings.share_type", "\"SPECIFIC_PROJECTS\""),
            ("share_settings.project_map.project_id", "\"other-project\""),
            // a plan that would destroy it ends before anything else is gone
            ("lifecycle.prevent_destroy", "true"),
        ],
    );
    let takes = [("node_config.reservation_affinity.values", "[\n  \"cpus\"\n]")];
    expect(&rendered.block("30-cc", POOL), &takes);
    let page = page(&text);
    assert!(!page.contains("gcloud compute reservations describe"), "it is made by the roots");
    assert!(page.contains("`compute.sharedReservationsOwnerProjects`, which is empty at first"));
}

/// Managed services take of one that says so, and what is not shared with them stays so.
#[test]
fn a_reservation_of_vertex_is_shared_with_it() {
    let said = "reservation mega {\n  machine = \"a3-megagpu-8g\"\n  zone = \"us-east4-a\"\n  count = 4\n}\n";
    let managed = |capacity: &str| {
        format!(
            "{said}\ncluster managed on vertex {{\n  region = \"us-east4\"\n  zone = \"us-east4-a\"\n  machine = \"a3-megagpu-8g\"\n  capacity = {capacity}\n}}\n"
        )
    };
    let block = |capacity: &str| {
        let text = format!("{}\n{}", base("us-east4"), managed(capacity));
        accept(text).block("10-foundation", "resource google_compute_reservation mega")
    };
    let shares = [("reservation_sharing_policy.service_share_type", "\"ALLOW_ALL\"")];
    expect(&block("reservation(mega)"), &shares);
    let own = format!("{:?}", block("on_demand"));
    assert!(!own.contains("reservation_sharing_policy"), "{own}");
}

/// Whether a reservation that exists is named as a noun or as a text, the roots are the same.
#[test]
fn a_reservation_that_exists_is_named_by_its_noun_or_by_its_name() {
    let noun = "existing reservation mega {\n  machine = \"a3-megagpu-8g\"\n  zone = \"us-central1-a\"\n  project = \"owner-1\"\n  block = \"block-0001\"\n  starts = \"2026-12-20\"\n  ends = \"2027-01-20\"\n}\n";
    let text = with_reservation(noun, "a3-megagpu-8g", "reservation(mega)");
    let by_noun = accept(text.clone());
    let name = "reservation(\"projects/owner-1/reservations/mega\", block = \"block-0001\")";
    let by_name = accept(with_reservation("", "a3-megagpu-8g", name));
    assert_eq!(by_noun.files["30-cc/node_pools.tf"], by_name.files["30-cc/node_pools.tf"]);
    let page = page(&text);
    assert!(page.contains("`mega` holds no machines before 2026-12-20"), "{page}");
    assert!(page.contains("The machines of `mega` are taken back on 2027-01-20"), "{page}");
    assert!(page.contains("gcloud compute reservations describe mega --project=owner-1"), "{page}");
}

#[test]
fn what_the_apply_reserves_takes_its_quota_then() {
    let said = "  machine = \"a3-megagpu-8g\"\n  zone = \"us-central1-a\"\n  count = 6\n}\n";
    let rows = |reservation: &str| {
        let text = with_reservation(reservation, "a3-megagpu-8g", "reservation(h100)");
        let page = page(text);
        let rows = page.lines().filter(|line| line.contains("GPU") && line.starts_with("| `"));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    // 6 machines are reserved, whoever takes 4 of them
    assert_eq!(
        rows(&format!("reservation h100 {{\n{said}")),
        [
            "| `GPUS_ALL_REGIONS` | all regions | 48 |",
            "| `GPUS_PER_GPU_FAMILY` with `gpu_family=NVIDIA_H100_MEGA` | us-central1 | 48 |",
        ]
    );
    assert_eq!(rows(&format!("existing reservation h100 {{\n{said}")), [""; 0]);
}
