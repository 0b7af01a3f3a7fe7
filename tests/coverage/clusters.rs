//! Fields of clusters, and of what they have of nodes and queues, each changed.

use super::Subject;

pub(super) const GKE_CLUSTER: Subject = Subject {
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

bucket data {
  location = "us-east5"
}

~cluster main on gke {
  @

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }

  ~queue all {
    pools  = [cpus]
    cohort = "all"
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
        ("cohorts", "", "cohorts = { all = within(\"every\") }"),
        (
            "cohorts.cohort",
            "cohorts = { all = within(\"every\") }",
            "cohorts = { all = within(\"some\") }",
        ),
        (
            "cohorts.weight",
            "kueue = kueue(fair_sharing = true)\n cohorts = { all = within(\"every\") }",
            "kueue = kueue(fair_sharing = true)\n cohorts = { all = within(\"every\", weight = 2) }",
        ),
        ("kueue", "", "kueue = kueue()"),
        ("kueue.ready_within", "kueue = kueue()", "kueue = kueue(ready_within = 20m)"),
        ("kueue.fair_sharing", "kueue = kueue()", "kueue = kueue(fair_sharing = true)"),
        ("kueue.unqueued_jobs", "kueue = kueue()", "kueue = kueue(unqueued_jobs = \"wait\")"),
        ("kueue.keep_finished", "kueue = kueue()", "kueue = kueue(keep_finished = 3d)"),
        (
            "kueue.integrations",
            "kueue = kueue()",
            "kueue = kueue(integrations = [\"jobset.x-k8s.io/jobset\"])",
        ),
        ("private_endpoint", "", "private_endpoint = false"),
        ("dns_endpoint", "", "dns_endpoint = false"),
        ("release", "", "release = \"rapid\""),
        ("version", "", "version = \"1.33\""),
        ("deletion_protection", "", "deletion_protection = false"),
        ("system_machine", "", "system_machine = \"e2-standard-16\""),
        ("node_identity", "", "node_identity = nodes"),
        ("namespace", "", "namespace = \"team\""),
        ("volumes", "", "volumes = [data]"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

pub(super) const POOL: Subject = Subject {
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
pub(super) const POOL_OF_QUEUE: Subject = Subject {
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

/// A pool that is there, with networks that someone else has named.
pub(super) const POOL_THERE: Subject = Subject {
    program: r#"
existing network vpc {
  region = "us-east5"
}

existing cluster main on gke {
  network  = vpc
  location = "us-east5"

  existing pool tried {
    @
  }
}

workload train on main.tried {
  image  = "a:1"
  launch = torchrun("train.py")
}
"#,
    usual: &["machine = \"a3-megagpu-8g\"", "nodes = 2", "zone = \"us-east5-a\""],
    changes: &[("interfaces", "", "interfaces = { eth1 = \"gpu-net-1\", eth2 = \"gpu-net-2\" }")],
    ..POOL
};

pub(super) const QUEUE: Subject = Subject {
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
  kueue   = kueue(fair_sharing = true)

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

  ~queue tried {
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
        ("name", "", "name = \"team-a\""),
        ("local_name", "", "local_name = \"default\""),
        ("cohort", "", "cohort = \"all\""),
        ("cohort.name", "cohort = cohort(\"all\")", "cohort = cohort(\"some\")"),
        ("cohort.lend", "cohort = cohort(\"all\")", "cohort = cohort(\"all\", lend = 4)"),
        ("cohort.borrow", "cohort = cohort(\"all\")", "cohort = cohort(\"all\", borrow = 4)"),
        ("cohort.weight", "cohort = cohort(\"all\")", "cohort = cohort(\"all\", weight = 4)"),
        (
            "cohort.reclaim",
            "cohort = cohort(\"all\")",
            "cohort = cohort(\"all\", reclaim = \"never\")",
        ),
        ("preemption", "", "preemption = false"),
        ("strict", "", "strict = true"),
        ("priorities", "", "priorities = { high = 1 }"),
    ],
};

pub(super) const SLURM_CLUSTER: Subject = Subject {
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

pub(super) const PARTITION: Subject = Subject {
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

pub(super) const VERTEX_CLUSTER: Subject = Subject {
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
