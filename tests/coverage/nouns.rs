//! Fields of what workloads stand on and refer to, each changed.

mod clusters;

use clusters::{
    GKE_CLUSTER, GKE_CLUSTER_CLOSE, GKE_CLUSTER_THERE, PARTITION, PARTITION_IN_VAIN,
    PARTITION_OF_TPUS, PARTITION_OF_TPUS_IN_VAIN, PARTITION_ON_CLOUD, PARTITION_ON_CLOUD_IN_VAIN,
    POOL, POOL_OF_N1, POOL_OF_QUEUE, POOL_OF_SLICES, POOL_THERE, POOL_WITHOUT_GPUS, QUEUE,
    QUEUE_OF_FLAVORS, QUEUE_OF_QUEUES, SLURM_CLUSTER, SLURM_CLUSTER_IN_VAIN, SLURM_ON_CLOUD,
    SLURM_ON_CLOUD_IN_VAIN, VERTEX_CLUSTER,
};

/// A kind, and a program around a noun of it.
pub(crate) struct Subject {
    pub(crate) kind: &'static str,
    /// As it is written: `gke`, `slurm`, `vertex`; `None` where it belongs to no platform.
    pub(crate) platform: Option<&'static str>,
    /// The program, with `@` where the fields of the noun stand, and `~` in front of what is `existing` where it is.
    program: &'static str,
    /// The fields of the noun where none of them is tried.
    usual: &'static [&'static str],
    /// Fields as they stand at first and as they stand then. A row with a point is of a constructor in the field.
    pub(crate) changes: &'static [(&'static str, &'static str, &'static str)],
}

impl Subject {
    /// The program with a field of a noun that is made, as it is tried.
    pub(crate) fn with(&self, field: &str, line: &str) -> String {
        self.program(field, line).replace('~', "")
    }

    /// The same of a noun that exists.
    pub(crate) fn existing(&self, field: &str, line: &str) -> String {
        self.program(field, line).replace('~', "existing ")
    }

    fn program(&self, field: &str, line: &str) -> String {
        let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
        let own = field.split('.').next().map(str::to_owned);
        let written: Vec<Option<String>> = line.lines().map(name).chain([own]).collect();
        let others = self.usual.iter().copied().filter(|it| !written.contains(&name(it)));
        let lines: Vec<&str> = others.chain([line]).collect();
        format!(
            "param project: ProjectId = \"my-project\"\n\n{}",
            self.program.replace('@', &lines.join("\n  "))
        )
    }
}

/// A filesystem that a server of one's own holds, with a field as it is tried.
pub(crate) fn on_a_server(line: &str) -> String {
    let storage = "storage = nfs(\"10.0.0.2\", \"/a\")";
    FILESYSTEM.with("storage", &format!("{storage}\n  {line}"))
}

/// A network with a cluster on it.
const NETWORK: Subject = Subject {
    kind: "network",
    platform: None,
    program: r#"
~network vpc {
  @
}

~cluster main on gke {
  network = vpc

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}
"#,
    usual: &[
        "region = \"us-east5\"",
        "subnet = 10.0.0.0/20",
        "pods = 10.4.0.0/14",
        "services = 10.8.0.0/20",
    ],
    changes: &[
        ("region", "region = \"us-east5\"", "region = \"us-east4\""),
        ("subnet", "subnet = 10.0.0.0/20", "subnet = 10.0.0.0/21"),
        ("pods", "pods = 10.4.0.0/14", "pods = 10.12.0.0/14"),
        ("services", "services = 10.8.0.0/20", "services = 10.9.0.0/20"),
        ("accelerators", "", "accelerators = 192.168.0.0/17"),
        ("own_ranges", "", "own_ranges = [10.4.0.0/14]"),
        ("mtu", "", "mtu = 1460"),
        ("nat", "", "nat = false"),
        ("nat_addresses", "", "nat_addresses = 2"),
        ("nat_ports", "", "nat_ports = 8192"),
        ("ssh", "", "ssh = false"),
        ("firewall", "", "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"]) }"),
        (
            "firewall.from",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"]) }",
            "firewall = { office = ingress(from = [198.51.100.0/24], tcp = [\"443\"]) }",
        ),
        (
            "firewall.tcp",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"]) }",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"8443\"]) }",
        ),
        (
            "firewall.udp",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"]) }",
            "firewall = { office = ingress(from = [192.0.2.0/24], udp = [\"443\"]) }",
        ),
        (
            "firewall.icmp",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"]) }",
            "firewall = { office = ingress(from = [192.0.2.0/24], tcp = [\"443\"], icmp = true) }",
        ),
        ("flow_logs", "", "flow_logs = false"),
        ("flow_logs", "flow_logs = true", "flow_logs = 50"),
        ("name", "", "name = \"other\""),
        ("subnet_name", "", "subnet_name = \"other\""),
        ("pods_name", "", "pods_name = \"other\""),
        ("services_name", "", "services_name = \"other\""),
    ],
};

/// A network of somebody else's project, with a cluster on it.
const NETWORK_THERE: Subject = Subject {
    program: r#"
existing network vpc {
  @
}

cluster main on gke {
  network = vpc
}
"#,
    usual: &[
        "region = \"us-east5\"",
        "name = \"company\"",
        "subnet_name = \"training\"",
        "pods_name = \"pods\"",
        "services_name = \"services\"",
    ],
    changes: &[("project", "", "project = \"host-project\"")],
    ..NETWORK
};

/// A network with a managed filesystem in it.
const NETWORK_OF_LUSTRE: Subject = Subject {
    program: r#"
~network vpc {
  @
}

~filesystem home {
  storage  = lustre(36000GiB)
  network  = vpc
  location = "us-east5-a"
}
"#,
    changes: &[
        ("private_services", "", "private_services = 22"),
        ("more_private_services", "", "more_private_services = [22]"),
    ],
    ..NETWORK
};

const BUCKET: Subject = Subject {
    kind: "bucket",
    platform: None,
    program: r#"
identity trainer {}

~bucket data {
  @
}

cluster vertex on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
}

workload train on vertex {
  image    = "a:1"
  launch   = command(["true"])
  identity = trainer
  mounts   = [mount(data, "/data")]
}
"#,
    usual: &["location = \"us-east5\""],
    changes: &[
        ("location", "location = \"us-east5\"", "location = \"us\""),
        ("name", "", "name = \"other-bucket\""),
        ("hierarchical", "", "hierarchical = true"),
        ("versioning", "", "versioning = true"),
        ("soft_delete", "", "soft_delete = 8d"),
        ("delete_after", "", "delete_after = 30d"),
        ("access", "", "access = \"read\""),
        ("class", "", "class = \"nearline\""),
        ("rapid", "hierarchical = true", "hierarchical = true\n  rapid = \"us-east5-a\""),
        ("caches", "", "caches = [\"us-east5-a\"]"),
        ("cached_for", "caches = [\"us-east5-a\"]", "caches = [\"us-east5-a\"]\n  cached_for = 2d"),
        ("retention", "", "retention = 30d"),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        ("deletion_protection", "", "deletion_protection = true"),
        ("force_destroy", "", "force_destroy = true"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

const FILESYSTEM: Subject = Subject {
    kind: "filesystem",
    platform: None,
    program: r#"
network vpc {
  region   = "us-east5"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

network second {
  region = "us-east5"
  subnet = 10.1.0.0/20
}

cluster main on gke {
  network = vpc
  zone    = "us-east5-a"

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }
}

~filesystem home {
  @
}

workload train on main.cpus {
  image  = "a:1"
  launch = command(["true"])
  mounts = [mount(home, "/home")]
}
"#,
    usual: &[
        "storage = filestore(3TiB, tier = \"zonal\")",
        "network = vpc",
        "location = \"us-east5-a\"",
    ],
    changes: &[
        ("storage", "storage = filestore(3TiB)", "storage = lustre(36000GiB)"),
        ("storage.capacity", "storage = filestore(3TiB)", "storage = filestore(4TiB)"),
        ("storage.capacity", "storage = lustre(36000GiB)", "storage = lustre(72000GiB)"),
        (
            "storage.tier",
            "storage = filestore(3TiB)",
            "storage = filestore(3TiB, tier = \"zonal\")",
        ),
        (
            "storage.reserved",
            "storage = filestore(3TiB)",
            "storage = filestore(3TiB, reserved = 10.20.0.0/29)",
        ),
        (
            "storage.throughput",
            "storage = lustre(72000GiB)",
            "storage = lustre(72000GiB, throughput = 500)",
        ),
        (
            "storage.server",
            "storage = nfs(\"10.0.0.2\", \"/a\")",
            "storage = nfs(\"10.0.0.3\", \"/a\")",
        ),
        (
            "storage.export",
            "storage = nfs(\"10.0.0.2\", \"/a\")",
            "storage = nfs(\"10.0.0.2\", \"/b\")",
        ),
        ("network", "network = vpc", "network = second"),
        ("location", "location = \"us-east5-a\"", "location = \"us-east5-b\""),
        ("name", "", "name = \"other\""),
        ("share", "", "share = \"other\""),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        ("deletion_protection", "", "deletion_protection = false"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

/// A folder of the nodes of a Slurm cluster.
const FOLDER: Subject = Subject {
    kind: "filesystem",
    platform: None,
    program: r#"
filesystem home {
  @
}

cluster slurm on slurm {
  shared = "/shared"

  partition h100 {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload train on slurm.h100 {
  image  = "a:1"
  nodes  = 2
  launch = torchrun("train.py")
  mounts = [mount(home, "/home")]
}
"#,
    usual: &["storage = path(\"/a\")"],
    changes: &[("storage.folder", "storage = path(\"/a\")", "storage = path(\"/b\")")],
};

/// A disk that nodes have attached.
const DISK: Subject = Subject {
    kind: "filesystem",
    platform: None,
    program: r#"
network vpc {
  region   = "us-east5"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network = vpc
  zone    = "us-east5-a"

  pool cpus {
    machine = "c3-standard-8"
    nodes   = 1
  }
}

~filesystem home {
  @
}

workload train on main.cpus {
  image  = "a:1"
  launch = command(["true"])
  mounts = [mount(home, "/home")]
}
"#,
    usual: &[
        "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/images/a\")",
        "location = \"us-east5-a\"",
    ],
    changes: &[
        (
            "storage.capacity",
            "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/images/a\")",
            "storage = hyperdisk_ml(200GiB, from = \"projects/my-project/global/images/a\")",
        ),
        (
            "storage.from",
            "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/snapshots/a\")",
            "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/images/a\")",
        ),
        (
            "storage.read_rate",
            "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/images/a\")",
            "storage = hyperdisk_ml(100GiB, from = \"projects/my-project/global/images/a\", read_rate = 2400)",
        ),
        (
            "storage.capacity",
            "storage = hyperdisk_balanced(100GiB)",
            "storage = hyperdisk_balanced(200GiB)",
        ),
        (
            "storage.from",
            "storage = hyperdisk_balanced(100GiB)",
            "storage = hyperdisk_balanced(100GiB, from = \"projects/my-project/global/images/a\")",
        ),
        (
            "storage.iops",
            "storage = hyperdisk_balanced(100GiB)",
            "storage = hyperdisk_balanced(100GiB, iops = 6000)",
        ),
        (
            "storage.rate",
            "storage = hyperdisk_balanced(100GiB)",
            "storage = hyperdisk_balanced(100GiB, rate = 300)",
        ),
        (
            "storage.capacity",
            "storage = hyperdisk_throughput(2TiB)",
            "storage = hyperdisk_throughput(3TiB)",
        ),
        (
            "storage.rate",
            "storage = hyperdisk_throughput(2TiB)",
            "storage = hyperdisk_throughput(2TiB, rate = 100)",
        ),
        (
            "storage.from",
            "storage = hyperdisk_throughput(2TiB)",
            "storage = hyperdisk_throughput(2TiB, from = \"projects/my-project/global/images/a\")",
        ),
    ],
};

const REGISTRY: Subject = Subject {
    kind: "registry",
    platform: None,
    program: "dashboard other {\n  region = \"us-west1\"\n}\n\n~registry images {\n  @\n}\n",
    usual: &["location = \"us-east5\""],
    changes: &[
        ("location", "location = \"us-east5\"", "location = \"us-east4\""),
        ("name", "", "name = \"other\""),
        ("keep", "", "keep = 30"),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

const IDENTITY: Subject = Subject {
    kind: "identity",
    platform: None,
    program: r#"
bucket data {
  location = "us-east5"
}

~identity trainer {
  @
}
"#,
    usual: &[],
    changes: &[
        ("account", "", "account = \"someone\""),
        ("roles", "", "roles = [\"roles/logging.logWriter\"]"),
        ("reads", "", "reads = [data]"),
        ("writes", "", "writes = [data]"),
        ("secrets", "", "secrets = [\"hf-token\"]"),
        ("federated", "", "federated = { work = github(\"a/b\") }"),
        (
            "federated.repository",
            "federated = { work = github(\"a/b\") }",
            "federated = { work = github(\"a/c\") }",
        ),
        (
            "federated.ref",
            "federated = { work = github(\"a/b\") }",
            "federated = { work = github(\"a/b\", ref = \"refs/heads/main\") }",
        ),
        (
            "federated.environment",
            "federated = { work = github(\"a/b\") }",
            "federated = { work = github(\"a/b\", environment = \"prod\") }",
        ),
        (
            "federated.issuer",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\") }",
            "federated = { work = oidc(\"https://b.example.com\", \"slurm\") }",
        ),
        (
            "federated.subject",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\") }",
            "federated = { work = oidc(\"https://a.example.com\", \"other\") }",
        ),
        (
            "federated.audience",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\") }",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\", audience = \"cloud\") }",
        ),
        (
            "federated.keys",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\") }",
            "federated = { work = oidc(\"https://a.example.com\", \"slurm\", keys = \"{}\") }",
        ),
    ],
};

/// A repository of somebody else's project, which images are pushed to.
const REGISTRY_THERE: Subject = Subject {
    program: r#"
existing registry images {
  @
}

image trainer {
  from    = "a:1"
  push_to = images
}
"#,
    changes: &[("project", "", "project = \"other-project\"")],
    ..REGISTRY
};

/// An identity of somebody else's project, which pods act as.
const IDENTITY_THERE: Subject = Subject {
    program: r#"
network vpc {
  region   = "us-east5"
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

existing identity trainer {
  @
}

cluster main on gke {
  network  = vpc
  accounts = { "research/loader" = trainer }
}
"#,
    changes: &[("project", "", "project = \"other-project\"")],
    ..IDENTITY
};

const DASHBOARD: Subject = Subject {
    kind: "dashboard",
    platform: None,
    program: "registry other {\n  location = \"us-west1\"\n}\n\n~dashboard board {\n  @\n}\n",
    usual: &["region = \"us-east5\""],
    changes: &[
        ("region", "region = \"us-east5\"", "region = \"us-east4\""),
        ("title", "", "title = \"Another\""),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

const RESERVATION: Subject = Subject {
    kind: "reservation",
    platform: None,
    program: "~reservation cpus {\n  @\n}\n",
    usual: &["machine = \"n1-standard-16\"", "zone = \"us-east5-a\"", "count = 4"],
    changes: &[
        ("machine", "machine = \"n1-standard-16\"", "machine = \"n1-standard-32\""),
        ("gpus", "", "gpus = attached(\"t4\", 2)"),
        ("gpus.gpu", "gpus = attached(\"t4\", 2)", "gpus = attached(\"v100\", 2)"),
        ("gpus.count", "gpus = attached(\"t4\", 2)", "gpus = attached(\"t4\", 4)"),
        ("local_ssds", "", "local_ssds = 2"),
        ("count", "count = 4", "count = 5"),
        ("zone", "zone = \"us-east5-a\"", "zone = \"us-east5-b\""),
        ("name", "", "name = \"other\""),
        ("shared_with", "", "shared_with = [\"other-project\"]"),
        ("deletion_protection", "", "deletion_protection = false"),
    ],
};

/// Machines of GPUs, with what they may refer to.
const MACHINES: Subject = Subject {
    kind: "machines",
    platform: None,
    program: r#"
network vpc {
  region = "us-east5"
}

network other {
  region      = "us-east5"
  subnet_name = "nodes"
}

identity trainer {}

~machines gpus {
  @
}
"#,
    usual: &[
        "machine = \"a3-megagpu-8g\"",
        "nodes = 2",
        "network = vpc",
        "zone = \"us-east5-a\"",
        "image = image_family(\"cuda\")",
    ],
    changes: &[
        ("machine", "machine = \"a3-megagpu-8g\"", "machine = \"a3-highgpu-8g\""),
        ("nodes", "nodes = 2", "nodes = 3"),
        ("network", "network = vpc", "network = other"),
        ("zone", "zone = \"us-east5-a\"", "zone = \"us-east5-b\""),
        ("image", "image = image_family(\"cuda\")", "image = image_family(\"rocky\")"),
        ("image.name", "image = image_family(\"cuda\")", "image = image_family(\"rocky\")"),
        ("image.name", "image = exact_image(\"cuda\")", "image = exact_image(\"rocky\")"),
        (
            "image.project",
            "image = exact_image(\"cuda\")",
            "image = exact_image(\"cuda\", project = \"other-project\")",
        ),
        (
            "image.project",
            "image = image_family(\"cuda\")",
            "image = image_family(\"cuda\", project = \"other-project\")",
        ),
        ("capacity", "", "capacity = spot"),
        ("capacity.name", "capacity = reservation(\"a\")", "capacity = reservation(\"b\")"),
        ("capacity.name", "capacity = calendar(\"a\")", "capacity = calendar(\"b\")"),
        (
            "capacity.block",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", block = \"block-0001\")",
        ),
        (
            "capacity.policy",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", policy = \"close\")",
        ),
        ("capacity.max", "", "capacity = flex_start(max = 1d)"),
        ("capacity.max", "", "capacity = queued(max = 1d)"),
        ("capacity.check", "capacity = queued()", "capacity = queued(check = \"dws\")"),
        ("capacity.retry", "capacity = queued()", "capacity = queued(retry = backoff(limit = 3))"),
        (
            "capacity.retry.limit",
            "capacity = queued()",
            "capacity = queued(retry = backoff(limit = 3))",
        ),
        (
            "capacity.retry.base",
            "capacity = queued()",
            "capacity = queued(retry = backoff(base = 2m))",
        ),
        (
            "capacity.retry.max",
            "capacity = queued()",
            "capacity = queued(retry = backoff(max = 2h))",
        ),
        ("made_by", "", "made_by = \"commands\""),
        ("placement", "", "placement = \"spread\""),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        ("identity", "", "identity = trainer"),
        ("startup", "", "startup = \"true\""),
        ("public", "", "public = true"),
        ("os_login", "", "os_login = false"),
        (
            "on_host_maintenance",
            "machine = \"n2-standard-8\"\non_host_maintenance = \"migrate\"",
            "machine = \"n2-standard-8\"\non_host_maintenance = \"terminate\"",
        ),
        ("threads_per_core", "", "threads_per_core = 1"),
        ("tier_1", "machine = \"c2-standard-60\"", "machine = \"c2-standard-60\"\ntier_1 = true"),
        ("labels", "", "labels = { team = \"a\" }"),
        ("name", "", "name = \"other\""),
    ],
};

/// Slices of TPUs that Cloud TPU makes.
const MACHINES_OF_TPUS: Subject = Subject {
    kind: "machines",
    platform: None,
    program: r#"
network vpc {
  region = "us-east5"
}

identity trainer {}

identity other {}

~machines chips {
  @
}
"#,
    usual: &[
        "machine = \"ct5lp-hightpu-4t\"",
        "topology = 4x4",
        "nodes = 4",
        "network = vpc",
        "zone = \"us-east5-b\"",
        "identity = trainer",
    ],
    changes: &[
        ("nodes", "nodes = 4", "nodes = 8"),
        ("topology", "topology = 4x4", "topology = 2x2"),
        ("runtime", "", "runtime = \"tpu-ubuntu2204-base\""),
        ("wait", "", "wait = 6h"),
        ("capacity.name", "capacity = reservation(\"a\")", "capacity = reservation(\"b\")"),
        ("capacity.max", "", "capacity = flex_start(max = 1d)"),
        ("identity", "identity = trainer", "identity = other"),
        ("startup", "", "startup = \"true\""),
        ("labels", "", "labels = { team = \"a\" }"),
        ("name", "", "name = \"other\""),
    ],
};

/// What is about slices of Cloud TPU, of instances of Compute Engine.
const MACHINES_IN_VAIN: Subject = Subject {
    changes: &[("runtime", "", "runtime = \"tpu-ubuntu2204-base\""), ("wait", "", "wait = 6h")],
    ..MACHINES
};

/// What is about instances of Compute Engine, of slices of Cloud TPU.
const MACHINES_OF_TPUS_IN_VAIN: Subject = Subject {
    changes: &[
        ("image", "", "image = image_family(\"cuda\")"),
        ("image.name", "", "image = image_family(\"cuda\")"),
        ("image.project", "", "image = image_family(\"cuda\", project = \"other-project\")"),
        (
            "capacity.block",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", block = \"block-0001\")",
        ),
        (
            "capacity.policy",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", policy = \"close\")",
        ),
        ("placement", "", "placement = \"spread\""),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        ("os_login", "", "os_login = false"),
        ("on_host_maintenance", "", "on_host_maintenance = \"terminate\""),
        ("threads_per_core", "", "threads_per_core = 1"),
        ("tier_1", "", "tier_1 = true"),
    ],
    ..MACHINES_OF_TPUS
};

/// A reservation that somebody else keeps, with a pool that takes of it.
const RESERVATION_THERE: Subject = Subject {
    kind: "reservation",
    platform: None,
    program: r#"
existing reservation mega {
  @
}

network vpc {
  region   = "us-east5"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster main on gke {
  network = vpc
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = reservation(mega)
  }
}
"#,
    usual: &["machine = \"a3-megagpu-8g\"", "zone = \"us-east5-a\""],
    changes: &[
        ("block", "", "block = \"block-0001\""),
        ("project", "", "project = \"other-project\""),
        ("starts", "", "starts = \"2026-12-20\""),
        ("ends", "", "ends = \"2027-01-20\""),
    ],
};

const IMAGE: Subject = Subject {
    kind: "image",
    platform: None,
    program: "registry others {\n  location = \"us-east5\"\n}\n\n~image trainer {\n  @\n}\n",
    usual: &["from = \"a:1\"", "push_to = registry(\"us-east5\", \"images\")"],
    changes: &[
        ("from", "from = \"a:1\"", "from = \"a:2\""),
        ("system_packages", "", "system_packages = [\"git\"]"),
        ("packages", "", "packages = [\"numpy\"]"),
        ("run", "", "run = [\"true\"]"),
        ("copy", "", "copy = { \"src\" = \"/src\" }"),
        ("env", "", "env = { A = \"b\" }"),
        ("workdir", "", "workdir = \"/work\""),
        ("push_to", "push_to = registry(\"us-east5\", \"images\")", "push_to = others"),
        (
            "push_to.location",
            "push_to = registry(\"us-east5\", \"images\")",
            "push_to = registry(\"us-east4\", \"images\")",
        ),
        (
            "push_to.repository",
            "push_to = registry(\"us-east5\", \"images\")",
            "push_to = registry(\"us-east5\", \"others\")",
        ),
        ("tag", "", "tag = \"v2\""),
        ("cuda", "", "cuda = \"12.4\""),
        ("platform", "", "platform = \"arm64\""),
    ],
};

/// An image of machines that Packer builds.
const MACHINE_IMAGE: Subject = Subject {
    kind: "machine_image",
    platform: None,
    program: r#"
network vpc {
  region = "us-east5"
}

network other {
  region      = "us-east5"
  subnet_name = "nodes"
}

identity builder {}

~machine_image node {
  @
}
"#,
    usual: &[
        "from = image_family(\"ubuntu-2404-lts-amd64\", project = \"ubuntu-os-cloud\")",
        "network = vpc",
        "zone = \"us-east5-a\"",
    ],
    changes: &[
        (
            "from",
            "from = image_family(\"ubuntu-2404-lts-amd64\", project = \"ubuntu-os-cloud\")",
            "from = exact_image(\"ubuntu-2404-noble-amd64-v20261101\", project = \"ubuntu-os-cloud\")",
        ),
        (
            "from.name",
            "from = image_family(\"ubuntu-2404-lts-amd64\", project = \"ubuntu-os-cloud\")",
            "from = image_family(\"ubuntu-2204-lts\", project = \"ubuntu-os-cloud\")",
        ),
        ("from.name", "from = exact_image(\"a\")", "from = exact_image(\"b\")"),
        (
            "from.project",
            "from = image_family(\"ubuntu-2404-lts-amd64\", project = \"ubuntu-os-cloud\")",
            "from = image_family(\"ubuntu-2404-lts-amd64\", project = \"other-project\")",
        ),
        (
            "from.project",
            "from = exact_image(\"a\")",
            "from = exact_image(\"a\", project = \"other-project\")",
        ),
        ("network", "network = vpc", "network = other"),
        ("zone", "zone = \"us-east5-a\"", "zone = \"us-east5-b\""),
        ("platform", "", "platform = \"arm64\""),
        ("machine", "", "machine = \"c2-standard-8\""),
        ("disk", "", "disk = 60GiB"),
        ("identity", "", "identity = builder"),
        ("os_login", "", "os_login = false"),
        ("system_packages", "", "system_packages = [\"git\"]"),
        ("scripts", "", "scripts = { \"a.sh\" = \"#!/bin/bash\" }"),
        ("driver", "", "driver = \"580\""),
        ("cuda", "", "cuda = \"13.0\""),
        ("slurm", "", "slurm = \"25.11\""),
        ("enroot", "", "enroot = \"3.5\""),
        ("stack", "", "stack = \"gib\""),
        ("labels", "", "labels = { team = \"a\" }"),
        ("name", "", "name = \"other\""),
    ],
};

/// An image that adds nothing and is pushed nowhere, with one who runs it.
const IMAGE_AS_IT_IS: Subject = Subject {
    program: r#"
image trainer {
  @
}

cluster vertex on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
}

workload train on vertex {
  image  = trainer
  launch = command(["true"])
}
"#,
    usual: &["from = \"a:1\""],
    changes: &[("tag", "", "tag = \"v2\"")],
    ..IMAGE
};

/// Nouns that a row does not hold of, which holds of some: what is written there is written in vain.
pub(crate) const IN_VAIN: &[Subject] = &[
    MACHINES_IN_VAIN,
    MACHINES_OF_TPUS_IN_VAIN,
    POOL_WITHOUT_GPUS,
    IMAGE_AS_IT_IS,
    SLURM_CLUSTER_IN_VAIN,
    SLURM_ON_CLOUD_IN_VAIN,
    PARTITION_IN_VAIN,
    PARTITION_ON_CLOUD_IN_VAIN,
    PARTITION_OF_TPUS_IN_VAIN,
];

pub(crate) const SUBJECTS: &[Subject] = &[
    NETWORK,
    NETWORK_THERE,
    REGISTRY_THERE,
    IDENTITY_THERE,
    GKE_CLUSTER_THERE,
    NETWORK_OF_LUSTRE,
    BUCKET,
    FILESYSTEM,
    FOLDER,
    DISK,
    REGISTRY,
    IDENTITY,
    DASHBOARD,
    RESERVATION,
    MACHINES,
    MACHINES_OF_TPUS,
    RESERVATION_THERE,
    IMAGE,
    MACHINE_IMAGE,
    GKE_CLUSTER,
    GKE_CLUSTER_CLOSE,
    POOL,
    POOL_OF_N1,
    POOL_OF_QUEUE,
    POOL_OF_SLICES,
    POOL_THERE,
    QUEUE,
    QUEUE_OF_FLAVORS,
    QUEUE_OF_QUEUES,
    SLURM_CLUSTER,
    SLURM_ON_CLOUD,
    PARTITION,
    PARTITION_ON_CLOUD,
    PARTITION_OF_TPUS,
    VERTEX_CLUSTER,
];
