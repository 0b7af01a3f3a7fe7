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
        ("authorized", "", "authorized = { office = 192.168.0.0/24 }"),
        ("teams", "", "teams = { default = team(members = [\"user:a@example.com\"]) }"),
        (
            "teams.members",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"group:b@example.com\"]) }",
        ),
        (
            "teams.made",
            "teams = { team = team(members = [\"user:a@example.com\"]) }",
            "teams = { team = team(members = [\"user:a@example.com\"], made = false) }",
        ),
        (
            "teams.isolated",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"user:a@example.com\"], isolated = true) }",
        ),
        (
            "teams.runs",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"user:a@example.com\"], runs = 9) }",
        ),
        (
            "teams.pods",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"user:a@example.com\"], pods = 9) }",
        ),
        (
            "teams.services",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"user:a@example.com\"], services = 9) }",
        ),
        (
            "teams.claims",
            "teams = { default = team(members = [\"user:a@example.com\"]) }",
            "teams = { default = team(members = [\"user:a@example.com\"], claims = 9) }",
        ),
        ("default_priority", "", "default_priority = \"low\""),
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
        (
            "kueue.recovered_within",
            "kueue = kueue(ready_within = 20m)",
            "kueue = kueue(ready_within = 20m, recovered_within = 10m)",
        ),
        (
            "kueue.one_at_a_time",
            "kueue = kueue(ready_within = 20m)",
            "kueue = kueue(ready_within = 20m, one_at_a_time = true)",
        ),
        (
            "kueue.requeue",
            "kueue = kueue(ready_within = 20m)",
            "kueue = kueue(ready_within = 20m, requeue = requeue())",
        ),
        (
            "kueue.requeue.limit",
            "kueue = kueue(ready_within = 20m, requeue = requeue())",
            "kueue = kueue(ready_within = 20m, requeue = requeue(limit = 3))",
        ),
        (
            "kueue.requeue.base",
            "kueue = kueue(ready_within = 20m, requeue = requeue())",
            "kueue = kueue(ready_within = 20m, requeue = requeue(base = 2m))",
        ),
        (
            "kueue.requeue.max",
            "kueue = kueue(ready_within = 20m, requeue = requeue())",
            "kueue = kueue(ready_within = 20m, requeue = requeue(max = 2h))",
        ),
        (
            "kueue.requeue.place",
            "kueue = kueue(ready_within = 20m, requeue = requeue())",
            "kueue = kueue(ready_within = 20m, requeue = requeue(place = \"kept\"))",
        ),
        (
            "kueue.fair_by",
            "kueue = kueue(fair_sharing = true)",
            "kueue = kueue(fair_sharing = true, fair_by = \"initial_share\")",
        ),
        ("kueue.unqueued_jobs", "kueue = kueue()", "kueue = kueue(unqueued_jobs = \"wait\")"),
        ("kueue.keep_finished", "kueue = kueue()", "kueue = kueue(keep_finished = 3d)"),
        (
            "kueue.integrations",
            "kueue = kueue()",
            "kueue = kueue(integrations = [\"jobset.x-k8s.io/jobset\"])",
        ),
        ("kueue.version", "kueue = kueue()", "kueue = kueue(version = \"0.16.1\")"),
        (
            "kueue.devices",
            "kueue = kueue(version = \"0.19.2\")",
            "kueue = kueue(version = \"0.19.2\", devices = { part = [\"gpu.example.com\"] })",
        ),
        (
            "kueue.parts",
            "kueue = kueue(version = \"0.19.2\")",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
        ),
        (
            "kueue.parts.name",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"cores\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
        ),
        (
            "kueue.parts.classes",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"mig.example.com\"], driver = \"gpu.example.com\") })",
        ),
        (
            "kueue.parts.driver",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"mig.example.com\") })",
        ),
        (
            "kueue.parts.of",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = counter(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\", of = \"true\") })",
        ),
        (
            "kueue.parts.name",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"cores\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
        ),
        (
            "kueue.parts.classes",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"mig.example.com\"], driver = \"gpu.example.com\") })",
        ),
        (
            "kueue.parts.driver",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"mig.example.com\") })",
        ),
        (
            "kueue.parts.of",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\") })",
            "kueue = kueue(version = \"0.19.2\", parts = { part = capacity(\"memory\", classes = [\"gpu.example.com\"], driver = \"gpu.example.com\", of = \"true\") })",
        ),
        (
            "kueue.counts_as",
            "kueue = kueue()",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }) })",
        ),
        (
            "kueue.counts_as.amounts",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }) })",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 2 }) })",
        ),
        (
            "kueue.counts_as.times",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }) })",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }, times = \"nvidia.com/gpu\") })",
        ),
        (
            "kueue.counts_as.kept",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }) })",
            "kueue = kueue(counts_as = { \"example.com/part\" = each({ \"example.com/credits\" = 1 }, kept = true) })",
        ),
        ("private_endpoint", "", "private_endpoint = false"),
        ("google_ranges", "", "google_ranges = true"),
        ("global_access", "", "global_access = true"),
        ("addons", "", "addons = [\"ray\"]"),
        ("groups", "", "groups = \"example.com\""),
        ("logs", "", "logs = [\"system\"]"),
        ("metrics", "", "metrics = [\"api_server\"]"),
        ("dcgm", "", "dcgm = true"),
        ("prometheus", "", "prometheus = false"),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        ("disk_key", "", "disk_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\""),
        ("dns_endpoint", "", "dns_endpoint = false"),
        ("release", "", "release = \"rapid\""),
        ("version", "", "version = \"1.33\""),
        ("maintenance", "", "maintenance = window(\"03:00\")"),
        ("maintenance.start", "maintenance = window(\"03:00\")", "maintenance = window(\"04:00\")"),
        (
            "maintenance.length",
            "maintenance = window(\"03:00\")",
            "maintenance = window(\"03:00\", length = 6h)",
        ),
        (
            "maintenance.days",
            "maintenance = window(\"03:00\", length = 12h)",
            "maintenance = window(\"03:00\", length = 12h, days = [\"sun\"])",
        ),
        (
            "maintenance.except",
            "maintenance = window(\"03:00\")",
            "maintenance = window(\"03:00\", except = { freeze = no_upgrades(\"2026-12-20\", \"2026-12-27\") })",
        ),
        (
            "maintenance.except.from",
            "maintenance = window(\"03:00\", except = { freeze = no_upgrades(\"2026-12-20\", \"2026-12-27\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_upgrades(\"2026-12-21\", \"2026-12-27\") })",
        ),
        (
            "maintenance.except.until",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_upgrades(\"2026-12-20\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_upgrades(\"2026-12-20\", until = \"2026-12-27\") })",
        ),
        (
            "maintenance.except.until",
            "maintenance = window(\"03:00\", except = { freeze = no_upgrades(\"2026-12-20\", \"2026-12-27\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_upgrades(\"2026-12-20\", \"2026-12-28\") })",
        ),
        (
            "maintenance.except.from",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_upgrades(\"2026-12-20\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_upgrades(\"2026-12-21\") })",
        ),
        (
            "maintenance.except.from",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_or_node_upgrades(\"2026-12-20\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_or_node_upgrades(\"2026-12-21\") })",
        ),
        (
            "maintenance.except.until",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_or_node_upgrades(\"2026-12-20\") })",
            "maintenance = window(\"03:00\", except = { freeze = no_minor_or_node_upgrades(\"2026-12-20\", until = \"2026-12-27\") })",
        ),
        ("deletion_protection", "", "deletion_protection = false"),
        ("system_machine", "", "system_machine = \"e2-standard-16\""),
        ("system_disk", "", "system_disk = 200GiB"),
        ("max_pods", "", "max_pods = 64"),
        ("node_identity", "", "node_identity = nodes"),
        ("namespace", "", "namespace = \"team\""),
        ("volumes", "", "volumes = [data]"),
        ("accounts", "", "accounts = { \"research/loader\" = nodes }"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

/// A cluster whose nodes tell where they stand.
pub(super) const GKE_CLUSTER_CLOSE: Subject = Subject {
    program: r#"
network vpc {
  region   = "us-east5"
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

~cluster main on gke {
  network = vpc
  @

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    zone     = "us-east5-a"
    capacity = spot
  }

  queue all {
    pools = [gpus]
  }
}

workload train on main.gpus {
  image  = "a:1"
  launch = torchrun("train.py")
}
"#,
    usual: &["location = \"us-east5\""],
    changes: &[("kueue.topology", "kueue = kueue()", "kueue = kueue(topology = \"asked\")")],
    ..GKE_CLUSTER
};

/// A cluster of somebody else's project, whose pods act as an identity of this one.
pub(super) const GKE_CLUSTER_THERE: Subject = Subject {
    program: r#"
existing network vpc {
  region = "us-east5"
}

identity trainer {}

existing cluster main on gke {
  @

  existing pool gpus {
    machine = "g2-standard-48"
    nodes   = 2
    zone    = "us-east5-a"
  }
}

workload train on main.gpus {
  image    = "a:1"
  launch   = torchrun("train.py")
  identity = trainer
}
"#,
    usual: &["network = vpc", "location = \"us-east5\""],
    changes: &[("project", "", "project = \"other-project\"")],
    ..GKE_CLUSTER
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
        ("capacity", "", "capacity = any_reservation"),
        ("capacity.name", "capacity = reservation(\"a\")", "capacity = reservation(\"b\")"),
        (
            "capacity.name",
            "machine = \"a3-megagpu-8g\"\n    capacity = calendar(\"a\")",
            "machine = \"a3-megagpu-8g\"\n    capacity = calendar(\"b\")",
        ),
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
        (
            "capacity.max",
            "machine = \"a3-megagpu-8g\"\n    capacity = flex_start(1d)",
            "machine = \"a3-megagpu-8g\"\n    capacity = flex_start(2d)",
        ),
        ("placement", "", "placement = \"compact\""),
        ("name", "", "name = \"other\""),
        ("taints", "", "taints = [taint(\"team\", \"a\")]"),
        ("taints.key", "taints = [taint(\"team\", \"a\")]", "taints = [taint(\"rack\", \"a\")]"),
        ("taints.value", "taints = [taint(\"team\", \"a\")]", "taints = [taint(\"team\", \"b\")]"),
        (
            "taints.effect",
            "taints = [taint(\"team\", \"a\")]",
            "taints = [taint(\"team\", \"a\", effect = \"no_execute\")]",
        ),
        ("second_network", "", "second_network = true"),
        ("image_streaming", "", "image_streaming = true"),
        ("image_streaming", "", "image_streaming = false"),
        (
            "image_disks",
            "image_streaming = true",
            "image_streaming = true\n    image_disks = [\"projects/p/global/images/nemo\"]",
        ),
        ("upgrades", "", "upgrades = \"end_of_support\""),
        ("upgrade_by", "", "upgrade_by = surge(2)"),
        ("upgrade_by.extra", "upgrade_by = surge(2)", "upgrade_by = surge(3)"),
        ("upgrade_by.missing", "upgrade_by = surge(2)", "upgrade_by = surge(2, missing = 1)"),
        ("upgrade_by.batch", "upgrade_by = blue_green()", "upgrade_by = blue_green(batch = 2)"),
        (
            "upgrade_by.batch_soak",
            "upgrade_by = blue_green()",
            "upgrade_by = blue_green(batch_soak = 5m)",
        ),
        ("upgrade_by.soak", "upgrade_by = blue_green()", "upgrade_by = blue_green(soak = 2h)"),
        (
            "version",
            "upgrades = \"end_of_support\"",
            "upgrades = \"end_of_support\"\n    version = \"1.33.4-gke.1036000\"",
        ),
        ("repair", "", "repair = false"),
        ("host_maintenance", "", "host_maintenance = \"periodic\""),
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
        ("disk_key", "", "disk_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\""),
        (
            "local_ssd",
            "machine = \"a3-highgpu-8g\"",
            "machine = \"a3-highgpu-8g\"\n    local_ssd = \"raw\"",
        ),
        (
            "local_ssds",
            "machine = \"n2-standard-8\"",
            "machine = \"n2-standard-8\"\n    local_ssds = 4",
        ),
        (
            "rdma",
            "machine = \"a3-ultragpu-8g\"\n    capacity = reservation(\"a\")",
            "machine = \"a3-ultragpu-8g\"\n    capacity = reservation(\"a\")\n    rdma = \"claims\"",
        ),
        ("autoscale", "", "autoscale = true"),
        ("max_pods", "", "max_pods = 64"),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};

/// A pool of machines that GPUs attach to, where these are offered.
pub(super) const POOL_OF_N1: Subject = Subject {
    program: r#"
~network vpc {
  name          = "vpc"
  subnet_name   = "vpc-nodes"
  pods_name     = "vpc-pods"
  services_name = "vpc-services"
  region   = "us-east4"
  subnet   = 10.0.0.0/20
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

~cluster main on gke {
  network  = vpc
  location = "us-east4"

  pool tried {
    @
  }
}
"#,
    usual: &["machine = \"n1-standard-8\"", "nodes = 2", "zone = \"us-east4-a\""],
    changes: &[
        (
            "gpus",
            "machine = \"n1-standard-8\"",
            "machine = \"n1-standard-8\"\n    gpus = attached(\"t4\", 1)",
        ),
        (
            "gpus.gpu",
            "machine = \"n1-standard-8\"\n    gpus = attached(\"t4\", 1)",
            "machine = \"n1-standard-8\"\n    gpus = attached(\"p4\", 1)",
        ),
        (
            "gpus.count",
            "machine = \"n1-standard-8\"\n    gpus = attached(\"t4\", 1)",
            "machine = \"n1-standard-8\"\n    gpus = attached(\"t4\", 2)",
        ),
    ],
    ..POOL
};

/// A pool of machines without accelerators.
pub(super) const POOL_WITHOUT_GPUS: Subject =
    Subject { changes: &[("driver", "", "driver = \"default\"")], ..POOL };

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
    changes: &[
        ("capacity.max", "capacity = queued(1d)", "capacity = queued(2d)"),
        ("capacity.check", "capacity = queued(1d)", "capacity = queued(1d, check = \"dws\")"),
        (
            "capacity.retry",
            "capacity = queued(1d)",
            "capacity = queued(1d, retry = backoff(limit = 3))",
        ),
        (
            "capacity.retry.limit",
            "capacity = queued(1d, retry = backoff())",
            "capacity = queued(1d, retry = backoff(limit = 3))",
        ),
        (
            "capacity.retry.base",
            "capacity = queued(1d, retry = backoff())",
            "capacity = queued(1d, retry = backoff(base = 2m))",
        ),
        (
            "capacity.retry.max",
            "capacity = queued(1d, retry = backoff())",
            "capacity = queued(1d, retry = backoff(max = 10m))",
        ),
    ],
    ..POOL
};

/// A pool of slices, whose queue is told of them.
pub(super) const POOL_OF_SLICES: Subject = Subject {
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

  queue all {
    pools = [tried]
  }
}

workload train on main.tried {
  image  = "a:1"
  launch = python("train.py")
}
"#,
    usual: &["machine = \"ct6e-standard-4t\"", "topology = 4x8", "zone = \"us-east5-a\""],
    changes: &[("slicing", "", "slicing = \"dynamic\"")],
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

/// A queue that hands on to others.
pub(super) const QUEUE_OF_QUEUES: Subject = Subject {
    program: r#"
network vpc {
  region   = "us-east5"
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

network far {
  region   = "us-east5"
  subnet   = 10.20.0.0/20
  pods     = 10.24.0.0/14
  services = 10.28.0.0/20
}

cluster main on gke {
  network  = vpc
  location = "us-east5"

  ~queue tried {
    @
  }
}

cluster other on gke {
  network = far
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  queue one {
    pools      = [gpus]
    local_name = "tried"
  }
}

network third {
  region   = "us-east5"
  subnet   = 10.40.0.0/20
  pods     = 10.44.0.0/14
  services = 10.48.0.0/20
}

cluster last on gke {
  network = third
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }

  queue one {
    pools      = [gpus]
    local_name = "tried"
  }
}
"#,
    usual: &["pools = []", "workers = [other.one]", "local_name = \"tried\""],
    changes: &[("workers", "workers = [other.one]", "workers = [other.one, last.one]")],
    ..QUEUE
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
        ("local_names", "", "local_names = { default = [\"high\", \"low\"] }"),
        ("open_to", "", "open_to = { team = \"a\" }"),
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
        ("next_before", "", "next_before = []"),
        ("preemption", "", "preemption = false"),
        ("by_use", "", "by_use = { default = 2 }"),
        ("strict", "", "strict = true"),
        ("stop", "", "stop = \"hold\""),
        ("checks", "", "checks = [\"budget\"]"),
        ("checks.name", "checks = [check(\"budget\")]", "checks = [check(\"other\")]"),
        (
            "checks.controller",
            "checks = [check(\"budget\")]",
            "checks = [check(\"budget\", controller = \"example.com/budget\")]",
        ),
        (
            "checks.parameters",
            "checks = [check(\"budget\", controller = \"example.com/budget\")]",
            "checks = [check(\"budget\", controller = \"example.com/budget\", parameters = object(\"example.com\", \"Budget\", \"a\"))]",
        ),
        (
            "checks.parameters.group",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"a.com\", \"Budget\", \"a\"))]",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"b.com\", \"Budget\", \"a\"))]",
        ),
        (
            "checks.parameters.kind",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"a.com\", \"Budget\", \"a\"))]",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"a.com\", \"Limit\", \"a\"))]",
        ),
        (
            "checks.parameters.name",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"a.com\", \"Budget\", \"a\"))]",
            "checks = [check(\"budget\", controller = \"a.com/a\", parameters = object(\"a.com\", \"Budget\", \"b\"))]",
        ),
        (
            "checks.pools",
            "checks = [check(\"budget\")]",
            "checks = [check(\"budget\", pools = [gpus])]",
        ),
        (
            "checks.name",
            "checks = [provisioning(\"stock\", class = \"a.example.com\")]",
            "checks = [provisioning(\"room\", class = \"a.example.com\")]",
        ),
        (
            "checks.pools",
            "checks = [provisioning(\"stock\", class = \"a.example.com\")]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", pools = [gpus])]",
        ),
        (
            "checks.class",
            "checks = [provisioning(\"stock\", class = \"a.example.com\")]",
            "checks = [provisioning(\"stock\", class = \"b.example.com\")]",
        ),
        (
            "checks.parameters",
            "checks = [provisioning(\"stock\", class = \"a.example.com\")]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", parameters = { zone = \"b\" })]",
        ),
        (
            "checks.retry",
            "checks = [provisioning(\"stock\", class = \"a.example.com\")]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff(limit = 3))]",
        ),
        (
            "checks.retry.limit",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff())]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff(limit = 3))]",
        ),
        (
            "checks.retry.base",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff())]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff(base = 2m))]",
        ),
        (
            "checks.retry.max",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff())]",
            "checks = [provisioning(\"stock\", class = \"a.example.com\", retry = backoff(max = 10m))]",
        ),
        ("priorities", "", "priorities = { high = 1 }"),
    ],
};

/// A queue that shares its cluster with one that has other pools, and by no weights.
pub(super) const QUEUE_OF_FLAVORS: Subject = Subject {
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
    machine   = "a3-megagpu-8g"
    nodes     = 4
    capacity  = spot
    placement = "spread"
  }

  pool more {
    machine   = "a3-megagpu-8g"
    nodes     = 4
    capacity  = spot
    placement = "spread"
  }

  ~queue tried {
    @
  }
}
"#,
    usual: &["pools = [gpus, more]"],
    changes: &[
        ("flavors", "", "flavors = [flavor([gpus], name = \"h100\")]"),
        (
            "flavors.pools",
            "flavors = [flavor([gpus], name = \"h100\")]",
            "flavors = [flavor([more], name = \"h100\")]",
        ),
        (
            "flavors.name",
            "flavors = [flavor([gpus])]",
            "flavors = [flavor([gpus], name = \"h100\")]",
        ),
        ("flavors.quota", "flavors = [flavor([gpus])]", "flavors = [flavor([gpus], quota = 16)]"),
        (
            "flavors.quota.devices",
            "flavors = [flavor([gpus], quota = of(devices = 8))]",
            "flavors = [flavor([gpus], quota = of(devices = 4))]",
        ),
        (
            "flavors.quota.cpus",
            "flavors = [flavor([gpus], quota = of(devices = 4, cpus = 8))]",
            "flavors = [flavor([gpus], quota = of(devices = 4, cpus = 4))]",
        ),
        (
            "flavors.quota.memory",
            "flavors = [flavor([gpus], quota = of(devices = 4, memory = 8GiB))]",
            "flavors = [flavor([gpus], quota = of(devices = 4, memory = 4GiB))]",
        ),
        (
            "flavors.quota.disk",
            "flavors = [flavor([gpus], quota = of(devices = 4, disk = 8GiB))]",
            "flavors = [flavor([gpus], quota = of(devices = 4, disk = 4GiB))]",
        ),
        (
            "flavors.quota.others",
            "flavors = [flavor([gpus], quota = of(devices = 4))]",
            "flavors = [flavor([gpus], quota = of(devices = 4, others = { seats = 2 }))]",
        ),
        (
            "flavors.lend",
            "cohort = \"all\"\n    flavors = [flavor([gpus])]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = 4)]",
        ),
        (
            "flavors.lend.devices",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 8))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4))]",
        ),
        (
            "flavors.lend.cpus",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, cpus = 8))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, cpus = 4))]",
        ),
        (
            "flavors.lend.memory",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, memory = 8GiB))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, memory = 4GiB))]",
        ),
        (
            "flavors.lend.disk",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, disk = 8GiB))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], lend = of(devices = 4, disk = 4GiB))]",
        ),
        (
            "flavors.lend.others",
            "cohort = \"all\"\n    flavors = [flavor([gpus], quota = of(devices = 8, others = { seats = 4 }), lend = of(devices = 4))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], quota = of(devices = 8, others = { seats = 4 }), lend = of(devices = 4, others = { seats = 2 }))]",
        ),
        (
            "flavors.borrow",
            "cohort = \"all\"\n    flavors = [flavor([gpus])]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = 4)]",
        ),
        (
            "flavors.borrow.devices",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 8))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4))]",
        ),
        (
            "flavors.borrow.cpus",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, cpus = 8))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, cpus = 4))]",
        ),
        (
            "flavors.borrow.memory",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, memory = 8GiB))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, memory = 4GiB))]",
        ),
        (
            "flavors.borrow.disk",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, disk = 8GiB))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, disk = 4GiB))]",
        ),
        (
            "flavors.borrow.others",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4))]",
            "cohort = \"all\"\n    flavors = [flavor([gpus], borrow = of(devices = 4, others = { seats = 2 }))]",
        ),
        (
            "flavors.labels",
            "flavors = [flavor([gpus])]",
            "flavors = [flavor([gpus], labels = { \"cloud.google.com/machine-family\" = \"a3\" })]",
        ),
        (
            "flavors.unlabelled",
            "flavors = [flavor([gpus, more])]",
            "flavors = [flavor([gpus, more], unlabelled = true)]",
        ),
        (
            "flavors.taints",
            "flavors = [flavor([gpus])]",
            "flavors = [flavor([gpus], taints = { spot = \"true\" })]",
        ),
        (
            "flavors.tolerates",
            "flavors = [flavor([gpus])]",
            "flavors = [flavor([gpus], tolerates = [\"spot\"])]",
        ),
        (
            "flavors.class",
            "flavors = [flavor([gpus])]",
            "flavors = [flavor([gpus], class = \"flexible\")]",
        ),
        (
            "cohort.displace",
            "cohort = cohort(\"all\")",
            "cohort = cohort(\"all\", displace = true)",
        ),
    ],
    ..QUEUE
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
        ("prologs", "", "prologs = { \"a.sh\" = \"#!/bin/sh\" }"),
        ("epilogs", "", "epilogs = { \"a.sh\" = \"#!/bin/sh\" }"),
        ("node_check", "", "node_check = node_check(\"#!/bin/sh\")"),
        (
            "node_check.script",
            "node_check = node_check(\"#!/bin/sh\")",
            "node_check = node_check(\"#!/bin/bash\")",
        ),
        (
            "node_check.every",
            "node_check = node_check(\"#!/bin/sh\")",
            "node_check = node_check(\"#!/bin/sh\", every = 10m)",
        ),
        ("reboot", "", "reboot = \"/usr/sbin/reboot\""),
        (
            "reboot_time",
            "reboot = \"/usr/sbin/reboot\"",
            "reboot = \"/usr/sbin/reboot\"\n  reboot_time = 10m",
        ),
        ("accounting", "", "accounting = slurmdbd()"),
        ("accounting.host", "accounting = slurmdbd()", "accounting = slurmdbd(host = \"db1\")"),
        (
            "accounting.database",
            "accounting = slurmdbd()",
            "accounting = slurmdbd(database = \"sql1\")",
        ),
        (
            "accounting.enforce",
            "accounting = slurmdbd()",
            "accounting = slurmdbd(enforce = [\"associations\"])",
        ),
        ("accounting.keep", "accounting = slurmdbd()", "accounting = slurmdbd(keep = 365d)"),
        (
            "accounting.qualities",
            "accounting = slurmdbd()",
            "accounting = slurmdbd(qualities = { \"high\" = 1000 })",
        ),
        ("priority", "", "priority = multifactor()"),
        ("priority.age", "priority = multifactor()", "priority = multifactor(age = 7)"),
        (
            "priority.fair_share",
            "priority = multifactor()",
            "priority = multifactor(fair_share = 7)",
        ),
        ("priority.size", "priority = multifactor()", "priority = multifactor(size = 7)"),
        ("priority.qos", "priority = multifactor()", "priority = multifactor(qos = 7)"),
        (
            "priority.half_life",
            "priority = multifactor()",
            "priority = multifactor(half_life = 1d)",
        ),
        ("priority.max_age", "priority = multifactor()", "priority = multifactor(max_age = 1d)"),
        ("configless", "", "configless = true"),
        ("node_identity", "node_identity = nodes", "node_identity = other"),
    ],
};

pub(super) const PARTITION: Subject = Subject {
    kind: "partition",
    platform: Some("slurm"),
    program: r#"
~cluster main on slurm {
  release = "25.05"

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
        ("block_nodes", "", "block_nodes = 2"),
        ("detect", "", "detect = \"nvml\""),
        ("default", "", "default = true"),
        ("max_time", "", "max_time = 2d"),
        ("tier", "", "tier = 2"),
        ("exclusive", "", "exclusive = false"),
    ],
};

const ON_CLOUD: &str = r#"
network vpc {
  region = "us-east5"
}
network other {
  region = "us-east5"
}
identity nodes {}
identity second {}
bucket data {
  location = "us-east5"
}
filesystem home {
  storage = nfs("10.0.0.2", "/home")
}

~cluster main on slurm {
  @

  partition h100 {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
}
"#;

pub(super) const SLURM_ON_CLOUD: Subject = Subject {
    kind: "cluster",
    platform: Some("slurm"),
    program: ON_CLOUD,
    usual: &[
        "network = vpc",
        "zone = \"us-east5-a\"",
        "release = \"25.11\"",
        "shared = \"/home/shared\"",
        "image = image_family(\"a\")",
    ],
    changes: &[
        ("network", "network = vpc", "network = other"),
        ("zone", "zone = \"us-east5-a\"", "zone = \"us-east5-b\""),
        ("node_identity", "", "node_identity = nodes"),
        ("controller", "", "controller = controller(public = true)"),
        (
            "controller.machine",
            "controller = controller()",
            "controller = controller(machine = \"n2-standard-80\")",
        ),
        ("controller.disk", "controller = controller()", "controller = controller(disk = 300GiB)"),
        (
            "controller.disk_type",
            "controller = controller()",
            "controller = controller(disk_type = \"pd-balanced\")",
        ),
        (
            "controller.state",
            "controller = controller()",
            "controller = controller(state = 100GiB)",
        ),
        (
            "controller.public",
            "controller = controller()",
            "controller = controller(public = true)",
        ),
        (
            "controller.identity",
            "controller = controller()",
            "controller = controller(identity = second)",
        ),
        (
            "controller.standby",
            "controller = controller()\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
        ),
        (
            "controller.standby.zone",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
            "controller = controller(standby = standby(\"us-east5-a\", [10.0.0.10, 10.0.0.11]))\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
        ),
        (
            "controller.standby.addresses",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.12]))\n  accounting = cloud_sql()\n  mounts = { \"/var/spool/slurm\" = home }",
        ),
        ("accounting", "", "accounting = cloud_sql()"),
        (
            "accounting.tier",
            "accounting = cloud_sql()",
            "accounting = cloud_sql(tier = \"db-n1-standard-8\")",
        ),
        (
            "accounting.backups",
            "accounting = cloud_sql()",
            "accounting = cloud_sql(backups = false)",
        ),
        (
            "accounting.deletion_protection",
            "accounting = cloud_sql()",
            "accounting = cloud_sql(deletion_protection = false)",
        ),
        ("login", "", "login = login(count = 2)"),
        ("login.machine", "login = login()", "login = login(machine = \"n2-standard-16\")"),
        ("login.count", "login = login()", "login = login(count = 2)"),
        ("login.disk", "login = login()", "login = login(disk = 300GiB)"),
        ("login.disk_type", "login = login()", "login = login(disk_type = \"pd-ssd\")"),
        ("login.public", "login = login()", "login = login(public = true)"),
        ("mounts", "", "mounts = { \"/data\" = data }"),
        ("image", "image = image_family(\"a\")", "image = image_family(\"b\")"),
        ("image.name", "image = image_family(\"a\")", "image = image_family(\"b\")"),
        (
            "image.project",
            "image = image_family(\"a\")",
            "image = image_family(\"a\", project = \"other-project\")",
        ),
        ("image.name", "image = exact_image(\"a\")", "image = exact_image(\"b\")"),
        (
            "image.project",
            "image = exact_image(\"a\")",
            "image = exact_image(\"a\", project = \"other-project\")",
        ),
        ("health_checks", "", "health_checks = [\"prolog\"]"),
        ("prologs", "", "prologs = { \"a.sh\" = \"#!/bin/sh\" }"),
        ("epilogs", "", "epilogs = { \"a.sh\" = \"#!/bin/sh\" }"),
        ("startup_time", "", "startup_time = 10m"),
        (
            "controller.startup",
            "controller = controller()",
            "controller = controller(startup = \"true\")",
        ),
        ("login.startup", "login = login()", "login = login(startup = \"true\")"),
    ],
};

/// What is about hosts of one's own, on a cluster that Cluster Toolkit makes.
pub(super) const SLURM_ON_CLOUD_IN_VAIN: Subject = Subject {
    changes: &[
        ("controllers", "", "controllers = [\"a1\", \"a2\"]"),
        ("user", "", "user = \"other\""),
        ("node_check", "", "node_check = node_check(\"#!/bin/sh\")"),
        ("node_check.script", "", "node_check = node_check(\"#!/bin/sh\")"),
        ("node_check.every", "", "node_check = node_check(\"#!/bin/sh\", every = 10m)"),
        ("priority", "", "priority = multifactor()"),
        ("priority.age", "", "priority = multifactor(age = 7)"),
        ("priority.fair_share", "", "priority = multifactor(fair_share = 7)"),
        ("priority.size", "", "priority = multifactor(size = 7)"),
        ("priority.qos", "", "priority = multifactor(qos = 7)"),
        ("priority.half_life", "", "priority = multifactor(half_life = 1d)"),
        ("priority.max_age", "", "priority = multifactor(max_age = 1d)"),
        ("configless", "", "configless = true"),
        ("reboot_time", "", "reboot_time = 10m"),
        ("reboot", "", "reboot = \"/usr/sbin/reboot\""),
    ],
    ..SLURM_ON_CLOUD
};

/// What is about machines on Google Cloud, on a cluster of hosts of one's own.
pub(super) const SLURM_CLUSTER_IN_VAIN: Subject = Subject {
    changes: &[
        ("controller", "", "controller = controller(public = true)"),
        ("controller.machine", "", "controller = controller(machine = \"n2-standard-80\")"),
        ("controller.disk", "", "controller = controller(disk = 300GiB)"),
        ("controller.disk_type", "", "controller = controller(disk_type = \"pd-balanced\")"),
        ("controller.state", "", "controller = controller(state = 100GiB)"),
        (
            "controller.standby",
            "",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))",
        ),
        (
            "controller.standby.zone",
            "",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))",
        ),
        (
            "controller.standby.addresses",
            "",
            "controller = controller(standby = standby(\"us-east5-b\", [10.0.0.10, 10.0.0.11]))",
        ),
        ("controller.public", "", "controller = controller(public = true)"),
        ("controller.identity", "", "controller = controller(identity = other)"),
        ("login", "", "login = login(count = 2)"),
        ("login.machine", "", "login = login(machine = \"n2-standard-16\")"),
        ("login.count", "", "login = login(count = 2)"),
        ("login.disk", "", "login = login(disk = 300GiB)"),
        ("login.disk_type", "", "login = login(disk_type = \"pd-ssd\")"),
        ("login.public", "", "login = login(public = true)"),
        ("mounts", "", "mounts = { \"/data\" = data }"),
        ("image", "", "image = image_family(\"b\")"),
        ("image.name", "", "image = image_family(\"b\")"),
        ("image.project", "", "image = image_family(\"a\", project = \"other-project\")"),
        ("health_checks", "", "health_checks = [\"prolog\"]"),
        ("startup_time", "", "startup_time = 10m"),
        ("controller.startup", "", "controller = controller(startup = \"true\")"),
        ("login.startup", "", "login = login(startup = \"true\")"),
    ],
    ..SLURM_CLUSTER
};

pub(super) const PARTITION_ON_CLOUD: Subject = Subject {
    kind: "partition",
    platform: Some("slurm"),
    program: r#"
network vpc {
  region = "us-east5"
}

~cluster main on slurm {
  network = vpc
  zone    = "us-east5-a"
  release = "25.11"
  shared  = "/home/shared"
  image   = image_family("a")
  partition usual {
    machine = "n2-standard-8"
    nodes   = 4
  }

  partition tried {
    @
  }
}
"#,
    usual: &["machine = \"a3-megagpu-8g\"", "nodes = 4"],
    changes: &[
        ("nodes", "nodes = 4", "nodes = 0..4"),
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
            "capacity = reservation(\"a\")",
            "capacity = reservation(\"a\", policy = \"p\")",
        ),
        ("capacity.max", "capacity = flex_start(1d)", "capacity = flex_start(2d)"),
        ("capacity.max", "", "capacity = queued(2d)"),
        ("capacity.check", "", "capacity = queued(2d, check = \"dws\")"),
        ("capacity.retry", "", "capacity = queued(2d, retry = backoff())"),
        ("capacity.retry.limit", "", "capacity = queued(2d, retry = backoff(limit = 3))"),
        ("capacity.retry.base", "", "capacity = queued(2d, retry = backoff(base = 2m))"),
        ("capacity.retry.max", "", "capacity = queued(2d, retry = backoff(max = 10m))"),
        ("threads_per_core", "", "threads_per_core = 1"),
        (
            "tier_1",
            "machine = \"c2-standard-60\"",
            "machine = \"c2-standard-60\"\n    tier_1 = true",
        ),
        ("host_maintenance", "", "host_maintenance = \"periodic\""),
        (
            "zones",
            "machine = \"n2-standard-8\"",
            "machine = \"n2-standard-8\"\n    zones = [\"us-east5-b\"]",
        ),
        ("placement", "", "placement = \"spread\""),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        ("startup", "", "startup = \"true\""),
        ("idle", "nodes = 0..4", "nodes = 0..4\n    idle = 10m"),
        ("public", "", "public = true"),
        ("default", "", "default = true"),
        ("max_time", "", "max_time = 2d"),
        ("tier", "", "tier = 2"),
        ("exclusive", "", "exclusive = false"),
    ],
};

/// Nodes with TPUs, which Cluster Toolkit has Cloud TPU make.
pub(super) const PARTITION_OF_TPUS: Subject = Subject {
    kind: "partition",
    platform: Some("slurm"),
    program: r#"
network vpc {
  region = "us-central2"
}

~cluster main on slurm {
  network = vpc
  zone    = "us-central2-b"
  release = "25.11"
  shared  = "/home/shared"
  image   = image_family("a")
  partition usual {
    machine = "n2-standard-8"
    nodes   = 4
  }

  partition tried {
    @
  }
}
"#,
    usual: &["machine = \"ct4p-hightpu-4t\"", "topology = 2x2x1", "nodes = 0..4"],
    changes: &[
        ("nodes", "nodes = 0..4", "nodes = 1..4"),
        ("topology", "topology = 2x2x1", "topology = 2x2x2"),
        ("tpus", "", "tpus = tpu_nodes(keep = true)"),
        ("tpus.tensorflow", "tpus = tpu_nodes()", "tpus = tpu_nodes(tensorflow = \"2.13.0\")"),
        (
            "tpus.container",
            "tpus = tpu_nodes()",
            "tpus = tpu_nodes(container = \"us-docker.pkg.dev/p/r/slurm:v1\")",
        ),
        ("tpus.keep", "tpus = tpu_nodes()", "tpus = tpu_nodes(keep = true)"),
        ("capacity", "", "capacity = spot"),
        ("idle", "", "idle = 10m"),
        ("public", "", "public = true"),
        ("default", "", "default = true"),
        ("max_time", "", "max_time = 2d"),
        ("tier", "", "tier = 2"),
    ],
};

/// What is about instances of Compute Engine, of nodes with TPUs.
pub(super) const PARTITION_OF_TPUS_IN_VAIN: Subject = Subject {
    changes: &[
        ("threads_per_core", "", "threads_per_core = 1"),
        ("tier_1", "", "tier_1 = true"),
        ("host_maintenance", "", "host_maintenance = \"periodic\""),
        ("zones", "", "zones = [\"us-central2-a\"]"),
        ("placement", "", "placement = \"spread\""),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        ("startup", "", "startup = \"true\""),
    ],
    ..PARTITION_OF_TPUS
};

/// What is about hosts of one's own, of nodes that Cluster Toolkit makes.
pub(super) const PARTITION_ON_CLOUD_IN_VAIN: Subject = Subject {
    changes: &[
        ("hosts", "", "hosts = \"other-[0-3]\""),
        ("switch_nodes", "", "switch_nodes = 2"),
        ("block_nodes", "", "block_nodes = 2"),
        ("detect", "", "detect = \"nvml\""),
        ("tpus", "", "tpus = tpu_nodes(keep = true)"),
        ("tpus.tensorflow", "", "tpus = tpu_nodes(tensorflow = \"2.13.0\")"),
        ("tpus.container", "", "tpus = tpu_nodes(container = \"us-docker.pkg.dev/p/r/slurm:v1\")"),
        ("tpus.keep", "", "tpus = tpu_nodes(keep = true)"),
    ],
    ..PARTITION_ON_CLOUD
};

/// What is about machines on Google Cloud, of hosts of one's own.
pub(super) const PARTITION_IN_VAIN: Subject = Subject {
    changes: &[
        ("capacity", "", "capacity = spot"),
        ("capacity.name", "", "capacity = reservation(\"b\")"),
        ("capacity.block", "", "capacity = reservation(\"a\", block = \"c\")"),
        ("capacity.max", "", "capacity = flex_start(2d)"),
        ("placement", "", "placement = \"spread\""),
        ("threads_per_core", "", "threads_per_core = 1"),
        ("tier_1", "", "tier_1 = true"),
        ("host_maintenance", "", "host_maintenance = \"periodic\""),
        ("zones", "", "zones = [\"us-east5-b\"]"),
        (
            "topology",
            "machine = \"ct4p-hightpu-4t\"",
            "machine = \"ct4p-hightpu-4t\"\n    topology = 2x2x1",
        ),
        ("disk", "", "disk = 300GiB"),
        ("disk_type", "", "disk_type = \"pd-ssd\""),
        ("startup", "", "startup = \"true\""),
        ("idle", "", "idle = 10m"),
        ("public", "", "public = true"),
    ],
    ..PARTITION
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

identity trainer {}

workload train on main {
  image    = "a:1"
  nodes    = 2
  launch   = torchrun("train.py")
  identity = trainer
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
        (
            "gpus",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"\n    gpus = attached(\"t4\", 2)",
        ),
        (
            "gpus.gpu",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"\n    gpus = attached(\"t4\", 2)",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"\n    gpus = attached(\"v100\", 2)",
        ),
        (
            "gpus.count",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"\n    gpus = attached(\"t4\", 2)",
            "region = \"us-central1\"\n    zone = \"us-central1-a\"\n    machine = \"n1-standard-16\"\n    gpus = attached(\"t4\", 4)",
        ),
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
        ("capacity.check", "", "capacity = queued(2d, check = \"dws\")"),
        ("capacity.retry", "", "capacity = queued(2d, retry = backoff())"),
        ("capacity.retry.limit", "", "capacity = queued(2d, retry = backoff(limit = 3))"),
        ("capacity.retry.base", "", "capacity = queued(2d, retry = backoff(base = 2m))"),
        ("capacity.retry.max", "", "capacity = queued(2d, retry = backoff(max = 10m))"),
        ("capacity.name", "capacity = calendar(\"a\")", "capacity = calendar(\"b\")"),
        (
            "zone",
            "capacity = reservation(\"a\")\n    zone = \"us-east5-a\"",
            "capacity = reservation(\"a\")\n    zone = \"us-east5-b\"",
        ),
        ("staging", "staging = first", "staging = second"),
        ("staging_folder", "staging = first", "staging = first\n    staging_folder = \"a/b\""),
        ("network", "", "network = \"projects/123/global/networks/vpc\""),
        (
            "reserved_ranges",
            "network = \"projects/123/global/networks/vpc\"",
            "network = \"projects/123/global/networks/vpc\"\n    reserved_ranges = [\"ranges\"]",
        ),
        (
            "network_attachment",
            "",
            "network_attachment = \"projects/p/regions/us-east5/networkAttachments/a\"",
        ),
        ("max_wait", "capacity = flex_start(1d)", "capacity = flex_start(1d)\n    max_wait = 2d"),
        ("persistent_resource", "", "persistent_resource = \"kept\""),
        (
            "encryption_key",
            "",
            "encryption_key = \"projects/p/locations/us-east5/keyRings/r/cryptoKeys/k\"",
        ),
        (
            "tensorboard",
            "staging = first",
            "staging = first\n    tensorboard = \"projects/p/locations/us-east5/tensorboards/1\"",
        ),
        ("web_access", "", "web_access = true"),
        ("dashboard_access", "", "dashboard_access = true"),
        (
            "experiment",
            "",
            "experiment = \"projects/p/locations/us-east5/metadataStores/default/contexts/llm\"",
        ),
        (
            "experiment_run",
            "experiment = \"projects/p/locations/us-east5/metadataStores/default/contexts/llm\"",
            "experiment = \"projects/p/locations/us-east5/metadataStores/default/contexts/llm\"\n    experiment_run = \"projects/p/locations/us-east5/metadataStores/default/contexts/llm-1\"",
        ),
        ("disk", "", "disk = 600GiB"),
        ("disk_type", "", "disk_type = \"pd-standard\""),
        ("labels", "", "labels = { team = \"a\" }"),
    ],
};
