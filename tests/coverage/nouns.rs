//! Fields of what workloads stand on and refer to, each changed.

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
        ("mtu", "", "mtu = 1460"),
        ("nat", "", "nat = false"),
        ("flow_logs", "", "flow_logs = false"),
        ("name", "", "name = \"other\""),
        ("subnet_name", "", "subnet_name = \"other\""),
        ("pods_name", "", "pods_name = \"other\""),
        ("services_name", "", "services_name = \"other\""),
    ],
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
    usual: &["storage = filestore(3TiB)", "network = vpc", "location = \"us-east5-a\""],
    changes: &[
        ("storage", "storage = filestore(3TiB)", "storage = lustre(9000GiB)"),
        ("storage.capacity", "storage = filestore(3TiB)", "storage = filestore(4TiB)"),
        ("storage.capacity", "storage = lustre(9000GiB)", "storage = lustre(18000GiB)"),
        (
            "storage.tier",
            "storage = filestore(3TiB)",
            "storage = filestore(3TiB, tier = \"zonal\")",
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
        ("share", "", "share = \"other\""),
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

const REGISTRY: Subject = Subject {
    kind: "registry",
    platform: None,
    program: "~registry images {\n  @\n}\n",
    usual: &["location = \"us-east5\""],
    changes: &[
        ("location", "location = \"us-east5\"", "location = \"us-east4\""),
        ("name", "", "name = \"other\""),
        ("keep", "", "keep = 30"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

const IDENTITY: Subject = Subject {
    kind: "identity",
    platform: None,
    program: "~identity trainer {\n  @\n}\n",
    usual: &[],
    changes: &[
        ("account", "", "account = \"someone\""),
        ("roles", "", "roles = [\"roles/logging.logWriter\"]"),
    ],
};

const DASHBOARD: Subject = Subject {
    kind: "dashboard",
    platform: None,
    program: "~dashboard board {\n  @\n}\n",
    usual: &["region = \"us-east5\""],
    changes: &[
        ("region", "region = \"us-east5\"", "region = \"us-east4\""),
        ("title", "", "title = \"Another\""),
        ("labels", "", "labels = { team = \"a\" }"),
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
        ("platform", "", "platform = \"arm64\""),
    ],
};

const GKE_CLUSTER: Subject = Subject {
    kind: "cluster",
    platform: Some("gke"),
    program: r#"
~network vpc {
  name          = "vpc"
  subnet_name   = "vpc-nodes"
  pods_name     = "vpc-pods"
  services_name = "vpc-services"
  region   = "us-east5"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

~network second {
  name          = "second"
  subnet_name   = "second-nodes"
  pods_name     = "second-pods"
  services_name = "second-services"
  region   = "us-east5"
  subnet   = 10.1.0.0/20
  pods     = 10.12.0.0/14
  services = 10.16.0.0/20
}

identity nodes {}
identity other {}

~cluster main on gke {
  @

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }
}

workload train on main.cpus {
  image  = "a:1"
  launch = command(["true"])
}
"#,
    usual: &["network = vpc"],
    changes: &[
        ("network", "network = vpc", "network = second"),
        ("location", "location = \"us-east5\"", "location = \"us-east5-a\""),
        ("zone", "", "zone = \"us-east5-a\""),
        ("name", "", "name = \"other\""),
        ("control_plane", "", "control_plane = 172.16.0.0/28"),
        ("authorized", "", "authorized = { office = 192.0.2.0/24 }"),
        ("private_endpoint", "", "private_endpoint = false"),
        ("dns_endpoint", "", "dns_endpoint = false"),
        ("release", "", "release = \"rapid\""),
        ("version", "", "version = \"1.33\""),
        ("deletion_protection", "", "deletion_protection = false"),
        ("system_machine", "", "system_machine = \"e2-standard-16\""),
        ("node_identity", "", "node_identity = nodes"),
        ("namespace", "", "namespace = \"team\""),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

const POOL: Subject = Subject {
    kind: "pool",
    platform: Some("gke"),
    program: r#"
~network vpc {
  name          = "vpc"
  subnet_name   = "vpc-nodes"
  pods_name     = "vpc-pods"
  services_name = "vpc-services"
  region   = "us-east5"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

~cluster main on gke {
  network  = vpc
  location = "us-east5"

  pool tried {
    @
  }
}
"#,
    usual: &["machine = \"n2-standard-8\"", "nodes = 2", "zone = \"us-east5-a\""],
    changes: &[
        ("machine", "machine = \"n2-standard-8\"", "machine = \"n2-standard-16\""),
        ("nodes", "nodes = 2", "nodes = 3"),
        (
            "topology",
            "machine = \"ct5p-hightpu-4t\"\n    nodes = auto\n    topology = 2x2x2",
            "machine = \"ct5p-hightpu-4t\"\n    nodes = auto\n    topology = 2x2x4",
        ),
        (
            "slices",
            "machine = \"ct5p-hightpu-4t\"\n    nodes = auto\n    topology = 2x2x2",
            "machine = \"ct5p-hightpu-4t\"\n    nodes = auto\n    topology = 2x2x2\n    slices = 2",
        ),
        ("capacity", "", "capacity = spot"),
        ("capacity.name", "capacity = reservation(\"a\")", "capacity = reservation(\"b\")"),
        ("capacity.name", "capacity = calendar(\"a\")", "capacity = calendar(\"b\")"),
        (
            "capacity.block",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", block = \"c\")",
        ),
        (
            "capacity.policy",
            "machine = \"a3-megagpu-8g\"\n    capacity = reservation(\"a\")",
            "machine = \"a3-megagpu-8g\"\n    capacity = reservation(\"a\", policy = \"p\")",
        ),
        ("capacity.max", "capacity = flex_start(1d)", "capacity = flex_start(2d)"),
        ("placement", "", "placement = \"compact\""),
        ("zone", "zone = \"us-east5-a\"", "zone = \"us-east5-b\""),
        (
            "sharing",
            "machine = \"a3-highgpu-8g\"",
            "machine = \"a3-highgpu-8g\"\n    sharing = time_shared(4)",
        ),
        (
            "sharing.profile",
            "machine = \"a3-highgpu-8g\"\n    sharing = mig(\"1g.10gb\")",
            "machine = \"a3-highgpu-8g\"\n    sharing = mig(\"3g.40gb\")",
        ),
        (
            "sharing.clients",
            "machine = \"a3-highgpu-8g\"\n    sharing = time_shared(4)",
            "machine = \"a3-highgpu-8g\"\n    sharing = time_shared(8)",
        ),
        (
            "driver",
            "machine = \"a3-highgpu-8g\"",
            "machine = \"a3-highgpu-8g\"\n    driver = \"default\"",
        ),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        (
            "local_ssd",
            "machine = \"a3-highgpu-8g\"",
            "machine = \"a3-highgpu-8g\"\n    local_ssd = \"raw\"",
        ),
        ("autoscale", "", "autoscale = true"),
        ("max_pods", "", "max_pods = 64"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

/// A pool that a queue asks for: the workload alone says how long its nodes stay.
const POOL_OF_QUEUE: Subject = Subject {
    program: r#"
network vpc {
  region   = "us-east5"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

cluster main on gke {
  network  = vpc
  location = "us-east5"

  pool tried {
    @
  }

  queue asks {
    pools      = [tried]
    namespaces = ["team"]
  }
}

workload train on main.tried {
  image  = "a:1"
  launch = torchrun("train.py")
}
"#,
    usual: &["machine = \"a3-megagpu-8g\"", "nodes = 2", "zone = \"us-east5-a\""],
    changes: &[("capacity.max", "capacity = queued(1d)", "capacity = queued(2d)")],
    ..POOL
};

const QUEUE: Subject = Subject {
    kind: "queue",
    platform: Some("gke"),
    program: r#"
network vpc {
  region   = "us-east5"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

cluster main on gke {
  network = vpc
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  pool more {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  queue tried {
    @
  }

  queue beside {
    pools  = [gpus]
    quota  = 8
    cohort = "all"
  }
}
"#,
    usual: &["pools = [gpus]", "quota = 8"],
    changes: &[
        ("pools", "pools = [gpus]", "pools = [more]"),
        ("namespaces", "", "namespaces = [\"team\"]"),
        ("quota", "quota = 8", "quota = 16"),
        ("cohort", "", "cohort = \"all\""),
        ("preemption", "", "preemption = false"),
        ("priorities", "", "priorities = { high = 1 }"),
    ],
};

const SLURM_CLUSTER: Subject = Subject {
    kind: "cluster",
    platform: Some("slurm"),
    program: r#"
identity nodes {}
identity other {}
bucket data {
  location = "us-east5"
}

~cluster main on slurm {
  @

  partition h100 {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}

workload train on main.h100 {
  image  = "a:1"
  nodes  = 2
  launch = srun(["true"])
  mounts = [mount(data, "/data")]
}
"#,
    usual: &["shared = \"/shared\"", "node_identity = nodes"],
    changes: &[
        ("name", "", "name = \"other\""),
        ("controllers", "", "controllers = [\"a1\", \"a2\"]"),
        ("release", "", "release = \"25.05\""),
        ("mpi", "", "mpi = \"pmi2\""),
        ("shared", "shared = \"/shared\"", "shared = \"/home\""),
        ("requeue", "", "requeue = false"),
        ("user", "", "user = \"other\""),
        ("node_identity", "node_identity = nodes", "node_identity = other"),
    ],
};

const PARTITION: Subject = Subject {
    kind: "partition",
    platform: Some("slurm"),
    program: r#"
~cluster main on slurm {
  partition usual {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }

  partition tried {
    @
  }
}
"#,
    usual: &["machine = \"a3-megagpu-8g\"", "nodes = 4"],
    changes: &[
        ("machine", "machine = \"a3-megagpu-8g\"", "machine = \"a3-highgpu-8g\""),
        ("nodes", "nodes = 4", "nodes = 8"),
        ("hosts", "", "hosts = \"other-[0-3]\""),
        ("first_address", "", "first_address = 10.0.0.10"),
        ("switch_nodes", "", "switch_nodes = 2"),
        ("default", "", "default = true"),
        ("max_time", "", "max_time = 2d"),
        ("tier", "", "tier = 2"),
        ("exclusive", "", "exclusive = false"),
    ],
};

const VERTEX_CLUSTER: Subject = Subject {
    kind: "cluster",
    platform: Some("vertex"),
    program: r#"
bucket first {
  location = "us-east5"
}
bucket second {
  location = "us-east5"
}

cluster main on vertex {
  @
}

workload train on main {
  image  = "a:1"
  nodes  = 2
  launch = torchrun("train.py")
}
"#,
    usual: &["region = \"us-east5\"", "machine = \"a3-megagpu-8g\"", "zone = \"us-east5-a\""],
    changes: &[
        (
            "region",
            "region = \"us-east5\"\n    zone = \"us-east5-a\"",
            "region = \"us-east4\"\n    zone = \"us-east4-a\"",
        ),
        ("machine", "machine = \"a3-megagpu-8g\"", "machine = \"a3-highgpu-8g\""),
        ("capacity", "", "capacity = spot"),
        ("capacity.name", "capacity = reservation(\"a\")", "capacity = reservation(\"b\")"),
        (
            "capacity.block",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", block = \"c\")",
        ),
        (
            "capacity.policy",
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", policy = \"p\")",
        ),
        ("capacity.max", "capacity = flex_start(1d)", "capacity = flex_start(2d)"),
        ("capacity.max", "", "capacity = queued(2d)"),
        ("capacity.name", "capacity = calendar(\"a\")", "capacity = calendar(\"b\")"),
        (
            "zone",
            "capacity = reservation(\"a\")\n    zone = \"us-east5-a\"",
            "capacity = reservation(\"a\")\n    zone = \"us-east5-b\"",
        ),
        ("staging", "staging = first", "staging = second"),
        ("network", "", "network = \"projects/123/global/networks/vpc\""),
        ("disk", "", "disk = 600GiB"),
        ("disk_type", "", "disk_type = \"pd-standard\""),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

pub(crate) const SUBJECTS: &[Subject] = &[
    NETWORK,
    BUCKET,
    FILESYSTEM,
    FOLDER,
    REGISTRY,
    IDENTITY,
    DASHBOARD,
    IMAGE,
    GKE_CLUSTER,
    POOL,
    POOL_OF_QUEUE,
    QUEUE,
    SLURM_CLUSTER,
    PARTITION,
    VERTEX_CLUSTER,
];
