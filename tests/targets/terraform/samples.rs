//! Blueprints that the tests look at.

/// What most blueprints share.
pub(super) fn base(region: &str) -> String {
    format!(
        r#"
network fabric {{
  region   = "{region}"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}}

bucket data {{
  location = "{region}"
  labels   = {{ team = "ml" }}
}}

identity trainer {{
}}

dashboard board {{
  region = "{region}"
  title  = "\${{danger}}"
}}

image nemo {{
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = registry("{region}", "training")
}}
"#
    )
}

/// A workload that uses all of that, with further fields.
pub(super) fn workload(name: &str, place: &str, fields: &str) -> String {
    let mounts =
        if fields.contains("mounts") { "" } else { "  mounts = [mount(data, \"/data\")]\n" };
    let fields: String = fields.lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!(
        "\nworkload {name} on {place} {{\n  image = nemo\n  launch = python(\"train.py\")\n{mounts}  \
         identity = trainer\n  dashboard = board\n{fields}}}\n"
    )
}

/// 16 A3 Mega nodes of a reservation.
pub(super) fn mega() -> String {
    let cluster = r#"
cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"
  labels  = { team = "ml" }

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 16
    capacity = reservation("my-reservation")
  }
}
"#;
    base("us-east4") + cluster + &workload("pretrain", "a3m.gpus", "nodes = 16")
}

/// Every other family and model of capacity that a root has to say differently.
pub(super) fn zoo() -> String {
    let nouns = r#"
filesystem home {
  storage  = filestore(2560GiB)
  network  = fabric
  location = "us-central1-a"
}

filesystem fast {
  storage  = lustre(36000GiB)
  network  = fabric
  location = "us-central1-a"
  share    = "scratch"
}

registry more {
  location = "us-central1"
}

bucket ckpt {
  location     = "us"
  hierarchical = true
  delete_after = 30d
}

cluster zoo on gke {
  network = fabric
  zone    = "us-central1-a"

  pool cpu {
    machine = "n2-standard-8"
    nodes   = 3
  }
  pool spread {
    machine = "n2-standard-8"
    nodes   = 0..8
  }
  pool cheap {
    machine  = "g2-standard-12"
    nodes    = 2
    capacity = spot
    sharing  = time_shared(4)
  }
  pool mig {
    machine = "a2-highgpu-1g"
    nodes   = 2
    sharing = mig("1g.5gb")
  }
  pool ultra {
    machine  = "a3-ultragpu-8g"
    nodes    = 4
    capacity = flex_start(7d)
  }
  pool b200 {
    machine  = "a4-highgpu-8g"
    nodes    = 4
    capacity = queued(7d)
  }
  pool nvl {
    machine  = "a4x-highgpu-4g"
    nodes    = 18
    capacity = reservation("projects/p-owner/reservations/r", block = "b1")
  }
  pool metal {
    machine  = "a4x-maxgpu-4g-metal"
    nodes    = 18
    capacity = reservation("projects/p-owner/reservations/m")
  }
  pool v5e {
    machine  = "ct5lp-hightpu-4t"
    topology = 4x4
    slices   = 2
  }
  pool v5e_auto {
    machine   = "ct5lp-hightpu-4t"
    topology  = 4x4
    autoscale = true
  }
  pool single {
    machine  = "ct5lp-hightpu-8t"
    topology = 2x4
  }
  pool ironwood {
    machine  = "tpu7x-standard-4t"
    topology = 4x4x4
  }
}

output server = home.address
output lustre = fast.address
output board_name = board.resource
output plane = [zoo.endpoint, "3"]
"#;
    let mounts = "slices = 2\nmounts = [mount(data, \"/data\"), mount(home, \"/home\"), mount(fast, \"/scratch\")]";
    base("us-central1") + nouns + &workload("pretrain", "zoo.v5e", mounts)
}

/// A cluster on what someone else owns.
pub(super) fn shared() -> String {
    r#"
existing network shared {
  region        = "europe-west4"
  name          = "corp"
  subnet_name   = "corp-ew4"
  pods_name     = "pods"
  services_name = "svc"
}

existing bucket corpus {
  location = "eu"
  name     = "corp-corpus"
}

identity reader_account {
}

cluster dev on gke {
  network  = shared
  location = "europe-west4-a"

  pool l4 {
    machine = "g2-standard-12"
    nodes   = 1
  }
}

workload tune on dev.l4 {
  image     = "nvcr.io/nvidia/nemo:24.07"
  launch    = python("train.py")
  mounts    = [mount(corpus, "/data")]
  identity  = reader_account
  namespace = "team-a"
}
"#
    .to_owned()
}

/// The environment of Google's guide to training on TPU v4 and v5e: each of its Terraform variables has a field.
pub(super) fn guide() -> String {
    r#"
network training {
  region       = "us-central2"
  name         = "my-network"
  subnet_name  = "my-subnet"
  subnet       = 10.129.0.0/20
  pods         = 192.168.64.0/20
  services     = 192.168.80.0/20
  accelerators = 172.20.0.0/16
}

bucket aiml {
  location = "us-central2"
  name     = "my-aiml-repository"
}

registry images {
  location = "us-central2"
  name     = "gke-tpu-training"
}

dashboard board {
  region = "us-central1"
}

reservation cpus {
  machine = "c3-standard-44"
  zone    = "us-central1-a"
  count   = 4
}

identity nodes {
  account = "my-gke-sa"
  roles   = ["roles/storage.objectAdmin", "roles/logging.logWriter"]
}

identity trainer {
  account = "cloud-tpu-sa"
  roles   = ["roles/storage.objectAdmin", "roles/logging.logWriter"]
}

## GKE cluster for running TPU training workloads
cluster training_cluster on gke {
  network       = training
  zone          = "us-central2-b"
  name          = "gke-tpu-training-cluster"
  version       = "1.33"
  namespace     = "tpu-training"
  node_identity = nodes

  pool cpu {
    machine   = "n1-standard-4"
    nodes     = 3
    disk      = 200GiB
    disk_type = "pd-standard"
  }
  pool tpu_node_pool {
    machine   = "ct4p-hightpu-4t"
    topology  = 2x2x2
    slices    = 2
    autoscale = true
    labels    = { "multislice-group" = "multi-slice-group" }
  }
}

workload maxtext on training_cluster.tpu_node_pool {
  image     = "us-docker.pkg.dev/p/r/maxtext:1"
  launch    = python("train.py")
  slices    = 2
  mounts    = [mount(aiml, "/data")]
  identity  = trainer
  dashboard = board
}
"#
    .to_owned()
}
