//! Scripts of gcloud: what makes machines of a template, asks for such as are lent, and asks Cloud TPU for slices.

use super::samples::base;
use super::{Rendered, accept};

fn with_machines(words: &str) -> Rendered {
    let text =
        format!("{}\nmachines gpus {{\n  network = fabric\n{words}\n}}\n", base("us-central1"));
    accept(text)
}

fn of_template(nodes: i64, words: &str) -> Rendered {
    with_machines(&format!(
        "  machine = \"a3-megagpu-8g\"\n  nodes = {nodes}\n  zone = \"us-central1-a\"\n  image = image_family(\"cuda\")\n{words}"
    ))
}

fn of_tpus(words: &str) -> Rendered {
    with_machines(&format!("  zone = \"us-central1-a\"\n  identity = trainer\n{words}"))
}

fn says(rendered: &Rendered, file: &str, lines: &[&str]) {
    let text = &rendered.files[file];
    for line in lines {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn commands_make_one_machine_or_several_of_the_template() {
    for (nodes, command) in [
        (1, "gcloud compute instances create \"${missing[0]}\" "),
        (3, "gcloud compute instances bulk create --predefined-names=\"${names%,}\" "),
    ] {
        let rendered = of_template(nodes, "  capacity = spot\n  made_by = \"commands\"\n");
        let numbers = format!("for number in $(seq 1 {nodes}); do");
        let template = "output -raw gpus_template";
        says(&rendered, "30-gpus/create.sh", &[command, &numbers, template]);
        says(&rendered, "30-gpus/delete.sh", &["name ~ \"^gpus-[0-9]{4,6}$\""]);
        says(&rendered, "30-gpus/outputs.tf", &["output \"gpus_template\"", ".self_link"]);
        let machines = &rendered.files["30-gpus/machines.tf"];
        assert!(!machines.contains("instance_group_manager"), "{machines}");
    }
}

#[test]
fn lent_machines_are_asked_for_all_at_once() {
    for capacity in ["flex_start(max = 1d)", "queued(max = 1d)"] {
        let rendered = of_template(4, &format!("  capacity = {capacity}\n"));
        says(
            &rendered,
            "30-gpus/request.sh",
            &["resize-requests create gpus ", "wanted=4\n", "--requested-run-duration=86400s"],
        );
        says(
            &rendered,
            "30-gpus/machines.tf",
            &[
                "provisioning_model          = \"FLEX_START\"",
                "instance_termination_action = \"DELETE\"",
                "seconds = 86400",
                "type = \"NO_RESERVATION\"",
                "default_action_on_failure = \"DO_NOTHING\"",
            ],
        );
        let machines = &rendered.files["30-gpus/machines.tf"];
        assert!(!machines.contains("target_size"), "{machines}");
        // the first provider that knows the model
        says(&rendered, "30-gpus/versions.tf", &[">= 7.41.0"]);
    }
    // commands make them without a group
    let rendered = of_template(4, "  capacity = flex_start(max = 1d)\n  made_by = \"commands\"\n");
    assert!(rendered.files.contains_key("30-gpus/create.sh"));
    assert!(!rendered.files.contains_key("30-gpus/request.sh"));
}

#[test]
fn cloud_tpu_is_asked_for_slices() {
    let one = of_tpus("  machine = \"ct5lp-hightpu-4t\"\n  topology = 4x4\n  nodes = 4");
    says(
        &one,
        "30-gpus/create.sh",
        &[
            "gcloud compute tpus queued-resources create gpus \\\n",
            "--node-id=gpus \\\n",
            "--accelerator-type=v5litepod-16 \\\n",
            "--runtime-version=v2-alpha-tpuv5-lite \\\n",
            "--network=fabric \\\n",
            "--service-account=trainer@my-project-1.iam.gserviceaccount.com \\\n",
            "--internal-ips\n",
        ],
    );
    assert!(!one.files.contains_key("30-gpus/machines.tf"));
    says(&one, "10-foundation/services.tf", &["tpu.googleapis.com"]);
    let several = of_tpus(
        "  machine = \"ct5lp-hightpu-4t\"\n  topology = 4x4\n  nodes = 8\n  capacity = flex_start(max = 1d)\n  wait = 6h\n  startup = \"true\"",
    );
    says(
        &several,
        "30-gpus/create.sh",
        &[
            "gcloud alpha compute tpus",
            "--node-count=2 --node-prefix=gpus",
            "--provisioning-model=flex-start",
            "--max-run-duration=86400s",
            "--valid-until-duration=21600s",
            "startup-script=\"$here\"/startup.sh",
        ],
    );
    assert_eq!(several.files["30-gpus/startup.sh"], "true\n");
}

#[test]
fn each_way_to_have_slices_has_its_words() {
    let slice = "  machine = \"ct5lp-hightpu-4t\"\n  topology = 4x4\n  nodes = 4\n";
    for (capacity, words) in [
        ("spot", "--spot \\\n"),
        (
            "reservation(\"projects/owner-1/reservations/v5e\")",
            "--reservation=projects/owner-1/reservations/v5e \\\n",
        ),
        ("reservation(\"v5e\")", "--reservation=v5e \\\n"),
    ] {
        let rendered = of_tpus(&format!("{slice}  capacity = {capacity}"));
        says(&rendered, "30-gpus/create.sh", &[words]);
    }
}
