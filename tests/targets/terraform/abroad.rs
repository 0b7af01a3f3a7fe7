//! What exists in projects of others: clusters, registries and identities, and what is given there.

use super::{accept, at, expect};

/// A cluster of a platform's project, with images and an identity of two others, and a cluster of one's own.
const ESTATE: &str = r#"network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

existing network theirs {
  region  = "us-east4"
  project = "acme-host"
}

existing registry images {
  location = "us-east4"
  name     = "base"
  project  = "acme-images"
}

existing identity loader {
  account = "loader"
  project = "acme-iam"
}

existing identity nodes {
  account = "node-runner"
  project = "acme-iam"
}

bucket data {
  location = "us-east4"
}

identity trainer {
  reads = [data, images]
}

image nemo {
  from     = "nvcr.io/nvidia/nemo:24.07"
  packages = ["lhotse"]
  push_to  = images
}

existing cluster platform on gke {
  network  = theirs
  project  = "acme-platform"
  location = "us-east4"

  existing pool gpus {
    machine = "g2-standard-48"
    nodes   = 2
    zone    = "us-east4-a"
  }
}

cluster own on gke {
  network       = fabric
  zone          = "us-east4-a"
  node_identity = nodes
  accounts      = { "research/loader" = loader }

  pool cpus {
    machine = "n2-standard-16"
    nodes   = 1
  }
}

workload train on platform.gpus {
  image    = nemo
  launch   = torchrun("train.py")
  identity = trainer
  mounts   = [data at "/data"]
}

workload try on own.cpus {
  image    = nemo
  launch   = command(["python", "try.py"])
  identity = trainer
}

output address = platform.endpoint
"#;

#[test]
fn what_others_have_is_looked_up_where_it_is() {
    let rendered = accept(ESTATE);
    let foundation = "10-foundation";
    let cluster = rendered.block(foundation, "data google_container_cluster platform");
    expect(&cluster, &[("project", "\"acme-platform\"")]);
    for (root, label, account) in
        [("35-workload-identity", "loader", "loader"), ("30-own", "nodes", "node-runner")]
    {
        let account = format!("\"{account}\"");
        let read = rendered.block(root, &format!("data google_service_account {label}"));
        expect(&read, &[("account_id", &account), ("project", "\"acme-iam\"")]);
    }
    let own = rendered.block("35-workload-identity", "data google_service_account trainer");
    expect(&own, &[("project", "-")]);
}

#[test]
fn rights_are_given_where_the_other_side_is() {
    let rendered = accept(ESTATE);
    let kind = "resource google_artifact_registry_repository_iam_member";
    for who in ["images_trainer", "images_image_builds"] {
        let grant = rendered.block("10-foundation", &format!("{kind} {who}"));
        expect(&grant, &[("project", "\"acme-images\""), ("repository", "\"base\"")]);
    }
    let kind = "resource google_service_account_iam_member";
    let member = |label: &str| {
        at(&rendered.block("35-workload-identity", &format!("{kind} {label}")), "member")
    };
    let pool = "serviceAccount:acme-platform.svc.id.goog[";
    assert!(member("trainer_of_acme_platform").contains(pool));
    for own in ["trainer", "loader"] {
        assert!(member(own).contains("${var.project_id}.svc.id.goog["), "{}", member(own));
    }
}

#[test]
fn nodes_read_the_images_of_a_registry_that_is_known() {
    let kind = "resource google_artifact_registry_repository_iam_member";
    let expected = [
        ("project", "\"acme-images\""),
        ("repository", "\"base\""),
        ("role", "\"roles/artifactregistry.reader\""),
    ];
    let own = accept(ESTATE.replace("  node_identity = nodes\n", ""));
    expect(&own.block("30-own", &format!("{kind} nodes_images")), &expected);
    let page = own.text.file("README.md");
    assert!(!page.contains("Images of runs come from"), "{page}");
    let made = ESTATE.replace(
        "existing identity nodes {\n  account = \"node-runner\"\n  project = \"acme-iam\"\n}",
        "identity nodes {}",
    );
    expect(&accept(made).block("10-foundation", &format!("{kind} images_nodes")), &expected);
    let plain = ESTATE.replace("push_to  = images", "push_to  = registry(\"us-east4\", \"own\")");
    let plain = plain
        .replace("nvcr.io/nvidia/nemo:24.07", "us-east4-docker.pkg.dev/acme-images/base/nemo:v1");
    let builder = format!("{kind} images_image_builds");
    expect(&accept(plain).block("10-foundation", &builder), &expected);
}

#[test]
fn names_and_commands_say_whose_it_is() {
    let text = accept(ESTATE).text;
    let build = text.file("20-images/nemo/cloudbuild.yaml");
    assert!(build.contains("us-east4-docker.pkg.dev/acme-images/base/nemo:v1"), "{build}");
    let accounts = text.file("40-own-queues/namespaces.yaml");
    assert!(accounts.contains("loader@acme-iam.iam.gserviceaccount.com"), "{accounts}");
    let page = text.file("README.md");
    for words in [
        "get-credentials platform --location=us-east4 --project=acme-platform",
        "get-credentials own --location=us-east4 --project=my-project",
        "| `acme-images` | `base` | `roles/artifactregistry.admin` |",
        "| `acme-iam` | `loader@acme-iam.iam.gserviceaccount.com` | `roles/iam.serviceAccountAdmin` |",
        "| `acme-platform` | all of it | `roles/container.developer` |",
        "(the pool `acme-platform.svc.id.goog`)",
        "- on `node-runner@acme-iam.iam.gserviceaccount.com`: `service-NUMBER@container-engine-robot.iam.gserviceaccount.com` may act",
        "`iam.disableCrossProjectServiceAccountUsage`",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
}

/// Clusters of a platform's projects, called alike, on which runs have images of two registries.
const ALIKE: &str = r#"existing network theirs {
  region  = "us-east4"
  project = "acme-host"
}

registry own {
  location = "us-east4"
}

existing registry base {
  location = "us-east4"
  project  = "acme-images"
}

existing identity nodes {
  project = "acme-one"
}

existing cluster one on gke {
  network       = theirs
  name          = "training"
  location      = "us-east4"
  project       = "acme-one"
  node_identity = nodes

  pool gpus {
    machine = "g2-standard-48"
    nodes   = 2
  }
}

existing cluster two on gke {
  network  = theirs
  name     = "training"
  location = "us-east4"
  project  = "acme-two"

  pool gpus {
    machine = "g2-standard-48"
    nodes   = 2
  }
}

identity trainer {}

workload here on one.gpus {
  image    = "${own.url}/nemo:v1"
  launch   = command(["python", "try.py"])
  identity = trainer
}

workload there on two.gpus {
  image    = "${own.url}/nemo:v1"
  launch   = command(["python", "try.py"])
  identity = trainer
}

workload beside on one.gpus {
  image    = "${base.url}/nemo:v1"
  launch   = command(["python", "try.py"])
  identity = trainer
}
"#;

#[test]
fn clusters_that_others_called_alike_have_folders_of_their_own() {
    let text = accept(ALIKE).text;
    for owner in ["acme-one", "acme-two"] {
        let accounts = text.file(&format!("40-training-{owner}-queues/accounts.yaml"));
        assert!(accounts.contains("name: trainer"), "{accounts}");
        for head in ["## Cluster", "## Workloads on"] {
            let head = format!("\n{head} training-{owner}\n");
            assert!(text.file("README.md").contains(&head), "{head}");
        }
    }
    let theirs = "  location = \"us-east4\"\n  project  = \"acme-two\"\n";
    assert!(ALIKE.contains(theirs), "{ALIKE}");
    let other = "  location = \"us-east4-a\"\n  project  = \"acme-one\"\n";
    let text = accept(ALIKE.replace(theirs, other)).text;
    for place in ["us-east4", "us-east4-a"] {
        text.file(&format!("40-training-acme-one-{place}-queues/accounts.yaml"));
    }
}

#[test]
fn nodes_of_a_cluster_of_others_read_what_is_made_here() {
    let rendered = accept(ALIKE);
    let kind = "resource google_artifact_registry_repository_iam_member";
    let grant = rendered.block("10-foundation", &format!("{kind} own_nodes"));
    expect(&grant, &[("role", "\"roles/artifactregistry.reader\"")]);
    let page = rendered.text.file("README.md");
    let looked_up = "| `acme-one` | `nodes-identity@acme-one.iam.gserviceaccount.com` | `roles/iam.serviceAccountViewer` | it is looked up |";
    assert!(page.contains(looked_up), "{page}");
    let (_, one) = page.split_once("## Cluster training-acme-one").unwrap();
    let (one, two) = one.split_once("## Cluster training-acme-two").unwrap();
    let asked = |of: &str| {
        format!("service account to read images of `us-east4-docker.pkg.dev/{of}`, unless")
    };
    assert!(one.contains(&asked("acme-images/base")), "{one}");
    assert!(two.contains(&asked("my-project-1/own")), "{two}");
}
