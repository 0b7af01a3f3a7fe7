//! Templates of Packer for images of machines, and who builds them.

use slipform_tests::text::{Rendered, rendered};

const TEMPLATE: &str = "25-machine-images/trainers/image.pkr.hcl";

/// An image with more words, and what stands beside it.
fn image(words: &str, beside: &str) -> Rendered {
    rendered(&format!(
        r#"network fabric {{
  region = "us-east4"
}}

identity builder {{}}

## What trainers start from.
machine_image trainers {{
  from    = image_family("ubuntu-2404-lts-amd64", project = "ubuntu-os-cloud")
  network = fabric
  zone    = "us-east4-b"
{words}
}}
{beside}"#
    ))
}

fn desk(name: &str, image: &str) -> String {
    format!(
        "\nmachines {name} {{\n  machine = \"n2-standard-8\"\n  nodes = 1\n  network = fabric\n  zone = \"us-east4-b\"\n  image = {image}\n}}\n"
    )
}

const CLUSTER: &str = r#"
cluster hpc on slurm {
  network = fabric
  zone    = "us-east4-b"
  release = "25.11"
  shared  = "/home/slipform"
  image   = image_family(trainers)

  partition cpus {
    machine = "n2-standard-16"
    nodes   = 2
  }
}
"#;

#[test]
fn a_template_has_what_the_image_says() {
    let words = r##"
  machine         = "g2-standard-8"
  identity        = builder
  os_login        = false
  system_packages = ["git", "linux-headers-gcp=6.8.0"]
  scripts         = { "b.sh" = "#!/bin/sh\ntrue\n", "a.py" = "#!/usr/bin/python3" }
  driver          = "580"
  labels          = { team = "research" }"##;
    let made = image(words, &desk("desks", "image_family(trainers)"));
    insta::assert_snapshot!(made.file(TEMPLATE));
    let scripts = ["_packages.sh", "b.sh", "a.py", "_holds.sh"];
    for script in scripts {
        let path = format!("25-machine-images/trainers/{script}");
        let found = made.output.artifacts.iter().find(|it| it.path == path);
        assert!(found.is_some_and(|it| it.executable), "{path}");
    }
    let machines = made.file("30-desks/machines.tf");
    assert!(machines.contains("/global/images/family/trainers\""), "{machines}");
    let page = made.file("README.md");
    for line in
        ["packer init 25-machine-images/trainers", "packer build 25-machine-images/trainers"]
    {
        assert!(page.contains(line), "{page}");
    }
}

#[test]
fn one_cluster_alone_has_its_image_built_by_cluster_toolkit() {
    for (beside, alone) in [
        (CLUSTER.to_owned(), true),
        (format!("{CLUSTER}{}", desk("desks", "image_family(trainers)")), false),
        (format!("{CLUSTER}{}", CLUSTER.replace("hpc", "other")), false),
        (format!("{CLUSTER}{}", desk("desks", "exact_image(\"trainers-20261120083000\")")), true),
    ] {
        let made = image("  slurm = \"25.11\"", &beside);
        let cluster = made.file("30-hpc/cluster.yaml");
        assert_eq!(cluster.contains("modules/packer/custom-image"), alone, "{cluster}");
        assert!(cluster.contains("family: trainers\n"), "{cluster}");
        let template = made.output.artifacts.iter().any(|it| it.path == TEMPLATE);
        assert_eq!(template, !alone);
    }
}

#[test]
fn images_are_built_before_those_that_start_from_them() {
    let after = r#"
machine_image more {
  from    = image_family(base)
  network = fabric
  zone    = "us-east4-b"
}

machine_image base {
  from    = image_family(trainers)
  network = fabric
  zone    = "us-east4-b"
}
"#;
    let made = image("", after);
    let page = made.file("README.md");
    let at = |name: &str| page.find(&format!("packer build 25-machine-images/{name}"));
    assert!(at("trainers") < at("base") && at("base") < at("more"), "{page}");
}
