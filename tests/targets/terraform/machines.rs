//! Plain machines of Compute Engine: what their template says of each way to have them, and where a policy is named.

use super::samples::base;
use super::{accept, expect};
use crate::readme::page;

const TEMPLATE: &str = "resource google_compute_instance_template gpus";
const GROUP: &str = "resource google_compute_instance_group_manager gpus";
const POLICY: &str = "resource google_compute_resource_policy gpus";

fn with_machines(machine: &str, words: &str) -> String {
    format!(
        "{}\nmachines gpus {{\n  machine = \"{machine}\"\n  nodes = 2\n  network = fabric\n  zone = \"us-central1-a\"\n  image = image_family(\"cuda\")\n{words}}}\n",
        base("us-central1")
    )
}

#[test]
fn the_template_says_how_machines_are_obtained() {
    let model = ("scheduling.provisioning_model", "\"STANDARD\"");
    for (capacity, said) in [
        ("on_demand", vec![model, ("scheduling.automatic_restart", "true")]),
        (
            "spot",
            vec![
                ("scheduling.provisioning_model", "\"SPOT\""),
                ("scheduling.preemptible", "true"),
                ("scheduling.automatic_restart", "false"),
                ("reservation_affinity.type", "\"NO_RESERVATION\""),
            ],
        ),
        (
            "reservation(\"h100\", block = \"b-1\")",
            vec![
                model,
                ("reservation_affinity.type", "\"SPECIFIC_RESERVATION\""),
                (
                    "reservation_affinity.specific_reservation.values",
                    "[\n  \"h100/reservationBlocks/b-1\"\n]",
                ),
            ],
        ),
        (
            "calendar(\"projects/owner-1/reservations/h100\")",
            vec![
                ("scheduling.provisioning_model", "\"RESERVATION_BOUND\""),
                ("scheduling.instance_termination_action", "\"STOP\""),
                (
                    "reservation_affinity.specific_reservation.values",
                    "[\n  \"projects/owner-1/reservations/h100\"\n]",
                ),
            ],
        ),
    ] {
        let rendered =
            accept(with_machines("a3-megagpu-8g", &format!("  capacity = {capacity}\n")));
        let template = rendered.block("30-gpus", TEMPLATE);
        expect(&template, &said);
        expect(&template, &[("scheduling.on_host_maintenance", "\"TERMINATE\"")]);
    }
}

#[test]
fn a_policy_is_made_where_machines_are_close_together() {
    let close = accept(with_machines("a3-megagpu-8g", ""));
    let collocated = [("group_placement_policy.collocation", "\"COLLOCATED\"")];
    expect(&close.block("30-gpus", POLICY), &collocated);
    let named = "[\n  google_compute_resource_policy.gpus.id\n]";
    expect(&close.block("30-gpus", TEMPLATE), &[("resource_policies", named)]);
    let joined = accept(with_machines("a4x-highgpu-4g", "  capacity = reservation(\"gb200\")\n"));
    let topology = [("workload_policy.accelerator_topology", "\"1x72\"")];
    expect(&joined.block("30-gpus", POLICY), &topology);
    let in_group = "google_compute_resource_policy.gpus.id";
    expect(&joined.block("30-gpus", GROUP), &[("resource_policies.workload_policy", in_group)]);
    let spread = accept(with_machines("n2-standard-8", ""));
    assert!(!spread.files["30-gpus/machines.tf"].contains("google_compute_resource_policy"));
    let moves = [("scheduling.on_host_maintenance", "\"MIGRATE\"")];
    expect(&spread.block("30-gpus", TEMPLATE), &moves);
}

#[test]
fn each_network_of_the_machine_has_a_card() {
    for (machine, words, first, last, all) in [
        ("a3-megagpu-8g", "", "GVNIC", "GVNIC", 9),
        ("a3-ultragpu-8g", "  capacity = reservation(\"h200\")\n", "GVNIC", "MRDMA", 10),
    ] {
        let text = accept(with_machines(machine, words)).files["30-gpus/machines.tf"].clone();
        let cards: Vec<&str> = text.lines().filter(|line| line.contains("nic_type")).collect();
        assert_eq!(cards.len(), all, "{machine}");
        assert!(cards[0].contains(first) && cards[all - 1].contains(last), "{cards:?}");
    }
}

#[test]
fn machines_take_quota_and_are_reached_as_the_page_says() {
    let page = page(with_machines("a3-megagpu-8g", ""));
    for line in [
        "| `GPUS_ALL_REGIONS` | all regions | 16 |",
        "gcloud compute instance-groups managed wait-until gpus --stable --zone=us-central1-a --project=my-project",
        "--tunnel-through-iap",
        "terraform -chdir=30-gpus destroy",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}
