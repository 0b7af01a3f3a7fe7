//! Blueprints rendered for Slurm: configuration files and batch scripts.

use slipform_tests::text::{Rendered, rendered, rendered_despite};

/// A cluster with these fields and a partition with those.
fn site(head: &str, fields: &str, partition: &str) -> String {
    let fields: String = fields.lines().map(|line| format!("  {}\n", line.trim())).collect();
    let partition: String =
        partition.lines().map(|line| format!("    {}\n", line.trim())).collect();
    format!("{head} hpc on slurm {{\n{fields}  partition gpu {{\n{partition}  }}\n}}\n")
}

/// Nodes with eight GPUs in a cluster that is there already.
fn mega(nodes: i64) -> String {
    let partition = format!("machine = \"a3-megagpu-8g\"\nnodes = {nodes}");
    site("existing cluster", "release = \"25.11\"", &partition)
}

/// A workload with these fields.
fn run(fields: &str) -> String {
    let own = fields.split("group ").next().unwrap_or_default();
    let launch = if own.contains("launch") { "" } else { "  launch = python(\"train.py\")\n" };
    let image =
        if own.contains("image") { "" } else { "  image = \"nvcr.io/nvidia/nemo:25.04\"\n" };
    let fields: String = fields.lines().map(|line| format!("  {}\n", line.trim())).collect();
    format!("\nworkload pretrain on hpc.gpu {{\n{image}{launch}{fields}}}\n")
}

/// A bucket, a filesystem that every node has, and Filestore.
const STORAGE: &str = r#"
bucket data {
  location = "us-east4"
}

filesystem lake {
  storage = path("/mnt/lake")
}
"#;

/// What rules say of buckets that are mounted by nodes of which nothing is known.
const UNNAMED: &[&str] = &["storage/bucket-without-node-identity"];

fn script(text: &str) -> String {
    rendered(text).file(SCRIPT).to_owned()
}

const SCRIPT: &str = "50-workloads/pretrain/pretrain.sbatch";
const SUBMIT: &str = "50-workloads/pretrain/submit.sh";
const CONF: &str = "30-hpc/slurm.conf";

#[test]
fn a_training_run() {
    let text = mega(32)
        + STORAGE
        + &run("nodes = 16
            launch = torchrun(\"pretrain_gpt.py\", args = { max_steps = 10, mock = true })
            mounts = [mount(data, \"/data\"), mount(scratch(2TiB), \"/scratch\")]
            env = { HF_TOKEN = secret(\"hf-token\"), GREETING = \"it's me\" }
            restarts = 3
            max_run = 3d");
    let out = rendered_despite(&text, UNNAMED);
    let submit = out.output.artifacts.iter().find(|it| it.path == SUBMIT).unwrap();
    assert!(submit.executable);
    insta::assert_snapshot!(out.shown(&[SUBMIT, SCRIPT]));
}

/// Everything that a rank of its own needs differs from what a launcher needs.
#[test]
fn ranks_are_started_by_slurm() {
    let text =
        site("existing cluster", "release = \"26.05\"", "machine = \"a4x-highgpu-4g\"\nnodes = 36")
            + &run("nodes = 36\nlaunch = srun([\"python\", \"train.py\"])");
    insta::assert_snapshot!(rendered(&text).shown(&[SCRIPT]));
}

/// Groups of one partition are steps of one job, on nodes of their own.
#[test]
fn groups_are_steps_of_a_job() {
    let group = "
group rollout on hpc.gpu {
  image  = \"vllm/vllm-openai:v0.9.0\"
  launch = srun([\"python\", \"serve.py\"])
  port   = 29600
  env    = { NOTE = \"a  b\", SAME = \"x\" }
}";
    let text = mega(8)
        + STORAGE
        + &run(&format!(
            "nodes = 2
            launch = torchrun(\"learn.py\")
            mounts = [mount(scratch(1GiB), \"/scratch\")]
            role = \"learner\"
            after = [ready(rollout)]
            env = {{ NOTE = \"it's $HOME\", SAME = \"x\" }}{group}"
        ));
    insta::assert_snapshot!(rendered(&text).shown(&[SUBMIT, SCRIPT]));
}

/// Groups of two partitions are components of a heterogeneous job.
#[test]
fn groups_on_two_partitions_are_components() {
    insta::assert_snapshot!(rendered(&two_partitions()).shown(&[SCRIPT]));
}

/// A cluster with GPUs and with processors, and a job on both.
fn two_partitions() -> String {
    let group = "
group prepare on hpc.cpu {
  image  = \"python:3.11-slim-bookworm\"
  launch = python(\"prepare.py\")
  mounts = [mount(lake, \"/data\")]
  env    = { TOKEN = secret(\"token\") }
}";
    let fields = format!(
        "nodes = 2\nrestarts = 1\nafter = [complete(prepare)]\nmounts = [mount(lake, \"/data\", read_only = true)]{group}"
    );
    let cluster = "
existing cluster hpc on slurm {
  release = \"25.11\"

  partition gpu {
    machine = \"a3-highgpu-8g\"
    nodes   = 2
  }

  partition cpu {
    machine = \"n2-standard-8\"
    nodes   = 1
  }
}
";
    cluster.to_owned() + STORAGE + &run(&fields)
}

/// A helper that asks for a part of a node is beside the others, and a bucket of its own is mounted there.
#[test]
fn a_helper_is_beside_the_others() {
    let group = "
group board on hpc.gpu {
  image   = \"python:3.11-slim-bookworm\"
  launch  = python(\"board.py\")
  mounts  = [mount(data, \"/data\")]
  after   = [ready(pretrain)]
  decides = false
  cpus    = 2
  memory  = 4GiB
}";
    let text = mega(2) + STORAGE + &run(&format!("nodes = 2{group}"));
    let out = rendered_despite(&text, UNNAMED);
    insta::assert_snapshot!(out.shown(&[SCRIPT]));
}

/// One that asks for all of a node has one, and nodes count over all groups.
#[test]
fn a_helper_that_shares_nothing_has_a_node() {
    let group = |fields: &str| {
        format!(
            "nodes = 2\ngroup board on hpc.gpu {{\n  image = \"a:1\"\n  launch = python(\"b.py\")\n  decides = false\n{fields}}}"
        )
    };
    let nodes = |fields: &str| {
        let script = script(&(mega(8) + &run(&group(fields))));
        let options = directives(&script);
        options.iter().find_map(|it| it.strip_prefix("--nodes=").map(str::to_owned)).unwrap()
    };
    assert_eq!(nodes(""), "3");
    assert_eq!(nodes("  cpus = 2\n  memory = 4GiB\n"), "2");
}

/// Secrets of one variable that are not the same come from their files alone.
#[test]
fn a_secret_of_one_group_is_not_anothers() {
    let group = |name: &str| {
        format!(
            "env = {{ TOKEN = secret(\"one\") }}\nnodes = 2\ngroup other on hpc.gpu {{\n  image = \"a:1\"\n  launch = python(\"b.py\")\n  env = {{ TOKEN = secret(\"{name}\") }}\n}}"
        )
    };
    let script = |name: &str| script(&(mega(8) + &run(&group(name))));
    let (same, other) = (script("one"), script("two"));
    assert_eq!(same.matches("printenv TOKEN ").count(), 1, "{same}");
    assert_eq!(same.matches("__secrets+=(TOKEN=\"$__secret\")\n").count(), 1, "{same}");
    assert!(!other.contains("printenv"), "{other}");
    assert_eq!(other.matches("export -n TOKEN\n").count(), 2, "{other}");
    assert!(other.contains("__secrets_1+=(TOKEN=\"$__secret\")\n"), "{other}");
}

/// A group that has a part of the GPUs is not given those of the job.
#[test]
fn a_group_has_the_gpus_that_it_asks_for() {
    let group = |gpus: &str| {
        let group = "group other on hpc.gpu {\n  image = \"a:1\"\n  launch = torchrun(\"b.py\")\n";
        script(&(mega(8) + &run(&format!("nodes = 2\n{group}{gpus}}}"))))
    };
    assert!(group("  accelerators = 4\n").contains("\" --gpus-per-node=4\n"));
    assert!(!group("").contains("\" --gpus-per-node="));
}

/// The page tells of each group where its log is and what it starts from.
#[test]
fn the_page_names_groups_with_their_images_and_logs() {
    let out = rendered(&two_partitions());
    let page = out.file("README.md");
    for part in [
        "| prepare | `python:3.11-slim-bookworm` |",
        "tail -F /shared/logs/pretrain-JOB-prepare.out",
        "tail -F /shared/logs/pretrain-JOB-node.out",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_cluster_of_ones_own() {
    let text = r#"
cluster hpc on slurm {
  controllers = ["head1(10.0.0.10)", "head2(10.0.0.11)"]

  partition gpu {
    machine       = "hgx-h100"
    nodes         = 8
    hosts         = "dgx[001-008]"
    first_address = 10.0.1.1
    switch_nodes  = 4
    default       = true
    max_time      = 3d
  }
  partition urgent {
    machine = "hgx-h100"
    nodes   = 8
    hosts   = "dgx[001-008]"
    tier    = 10
  }
  partition prep {
    machine   = "n2-standard-8"
    nodes     = 1
    exclusive = false
  }
}
"#;
    insta::assert_snapshot!(rendered(text).shown(&[
        CONF,
        "30-hpc/gres.conf",
        "30-hpc/topology.conf",
        "30-hpc/cgroup.conf",
        "30-hpc/plugstack.conf",
    ]));
}

/// The settings of a rendered slurm.conf that have this name.
fn setting<'a>(out: &'a Rendered, name: &str) -> Option<&'a str> {
    let lines = out.file(CONF).lines();
    lines
        .filter_map(|line| line.split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

const HGX: &str = "machine = \"hgx-h100\"\nnodes = 2";

/// The second of two controllers goes on from what the first has left, so both see it.
#[test]
fn two_controllers_share_their_state() {
    let state = |controllers: &str| {
        let fields = format!("controllers = {controllers}\nshared = \"/mnt/home/\"");
        let out = rendered(&site("cluster", &fields, HGX));
        setting(&out, "StateSaveLocation").map(str::to_owned)
    };
    assert_eq!(state("[\"head1\"]").as_deref(), Some("/var/spool/slurmctld"));
    let two = state("[\"head1\", \"head2(10.0.0.2)\"]");
    assert_eq!(two.as_deref(), Some("/mnt/home/slurmctld/hpc"));
}

/// Of two partitions over the same nodes one says under which switches these are, be it the first or the second.
#[test]
fn nodes_lie_as_the_partition_says_that_knows_it() {
    let partition = |name: &str, more: &str| {
        format!(
            "  partition {name} {{\n    machine = \"hgx-h100\"\n    nodes = 4\n    hosts = \"dgx[1-4]\"\n{more}  }}\n"
        )
    };
    let low = partition("low", "    tier = 1\n");
    let high = partition("high", "    tier = 2\n    switch_nodes = 2\n    default = true\n");
    for partitions in [format!("{low}{high}"), format!("{high}{low}")] {
        let out = rendered(&format!("cluster hpc on slurm {{\n{partitions}}}\n"));
        let lines = out.file("30-hpc/topology.conf").lines();
        let leaves = lines.filter(|line| line.starts_with("SwitchName=high-leaf"));
        assert_eq!(leaves.count(), 2, "{}", out.file("30-hpc/topology.conf"));
    }
}

/// Every node hangs on the switch that some partition over it says, wherever that stands and however many others lie over it.
#[test]
fn nodes_under_a_wider_partition_keep_their_switches() {
    let partition = |name: &str, hosts: &str, nodes: u32, more: &str| {
        format!(
            "  partition {name} {{\n    machine = \"hgx-h100\"\n    nodes = {nodes}\n    hosts = \"{hosts}\"\n{more}  }}\n"
        )
    };
    let wide = partition("wide", "gpu[01-16]", 16, "    tier = 2\n");
    let gpu = partition("gpu", "gpu[01-10]", 10, "    switch_nodes = 6\n    default = true\n");
    let teach = partition("teach", "gpu[11-14]", 4, "    switch_nodes = 2\n");
    for partitions in [format!("{wide}{gpu}{teach}"), format!("{teach}{gpu}{wide}")] {
        let out = rendered(&format!("cluster hpc on slurm {{\n{partitions}}}\n"));
        let lines = out.file("30-hpc/topology.conf").lines();
        let mut leaves: Vec<&str> =
            lines.filter(|it| it.contains("-leaf") && it.contains("Nodes=")).collect();
        leaves.sort_unstable();
        let expected = [
            "SwitchName=gpu-leaf1 Nodes=gpu[01-06]",
            "SwitchName=gpu-leaf2 Nodes=gpu[07-10]",
            "SwitchName=teach-leaf1 Nodes=gpu[11-12]",
            "SwitchName=teach-leaf2 Nodes=gpu[13-14]",
            "SwitchName=wide-leaf1 Nodes=gpu[15-16]",
        ];
        assert_eq!(leaves, expected);
    }
}

/// Blocks of a partition are those of its own nodes, where a wider one is in none.
#[test]
fn blocks_under_a_wider_partition_are_told() {
    let text = r#"
cluster hpc on slurm {
  release = "25.05"
  partition all {
    machine = "hgx-h100"
    nodes   = 8
    hosts   = "dgx[1-8]"
    default = true
  }
  partition near {
    machine     = "hgx-h100"
    nodes       = 4
    hosts       = "dgx[5-8]"
    block_nodes = 2
  }
}
"#;
    let out = rendered(text);
    let topology = out.file("30-hpc/topology.yaml");
    assert!(topology.contains("topology: blocks-near"), "{topology}");
    assert!(topology.contains("nodes: dgx[7-8]"), "{topology}");
    let near = out.file(CONF).lines().find(|it| it.starts_with("PartitionName=near "));
    assert!(near.is_some_and(|it| it.contains("Topology=blocks-near")), "{near:?}");
}

/// Preemption is between tiers; where it happens, scripts are warned and have their grace.
#[test]
fn jobs_are_preempted_between_tiers_only() {
    // nothing is taken from it, so that nobody waits for its grace
    let urgent = run("nodes = 2\ngrace = 20m").replace("pretrain on hpc.gpu", "soon on hpc.urgent");
    let floor = |tier: i64, requeue: bool, release: &str| {
        let text = format!(
            r#"
cluster hpc on slurm {{
  requeue = {requeue}
  release = "{release}"
  partition gpu {{
    machine = "hgx-h100"
    nodes   = 2
    hosts   = "dgx[1-2]"
    default = true
  }}
  partition urgent {{
    machine = "hgx-h100"
    nodes   = 2
    hosts   = "dgx[1-2]"
    tier    = {tier}
  }}
}}
"#
        );
        rendered(&(text + &run("nodes = 2\ngrace = 10m") + &urgent))
    };
    let one = floor(1, true, "24.05");
    assert_eq!((setting(&one, "PreemptType"), setting(&one, "PreemptMode")), (None, None));
    assert!(!one.file(CONF).contains("GraceTime"));
    let two = floor(10, true, "24.05");
    assert_eq!(setting(&two, "PreemptType"), Some("preempt/partition_prio"));
    assert_eq!(setting(&two, "PreemptMode"), Some("REQUEUE"));
    assert_eq!(setting(&two, "PreemptParameters"), Some("send_user_signal"));
    // older releases stop at a setting that they do not know
    let older = floor(10, true, "22.05");
    assert_eq!(setting(&older, "PreemptParameters"), None);
    assert_eq!(setting(&older, "SlurmctldParameters"), Some("preempt_send_user_signal"));
    let lines = two.file(CONF).lines().filter(|line| line.starts_with("PartitionName="));
    let graces: Vec<bool> = lines.map(|line| line.contains(" GraceTime=600 ")).collect();
    assert_eq!(graces, [true, false]);
    assert_eq!(setting(&two, "KillWait"), Some("1200"));
    assert_eq!(setting(&floor(10, false, "24.05"), "PreemptMode"), Some("CANCEL"));
}

/// A long timeout of messages is for the long prologs of some machines; a second controller would take over too late.
#[test]
fn a_second_controller_is_not_kept_waiting() {
    let timeouts = |controllers: &str| {
        let machine = "machine = \"a3-megagpu-8g\"\nnodes = 2";
        let out = rendered(&site("cluster", &format!("controllers = {controllers}"), machine));
        ["MessageTimeout", "UnkillableStepTimeout", "PrologEpilogTimeout"]
            .map(|name| setting(&out, name).unwrap_or_default().to_owned())
    };
    assert_eq!(timeouts("[\"head1\"]"), ["600", "3000", "600"]);
    assert_eq!(timeouts("[\"head1\", \"head2\"]"), ["100", "500", "600"]);
}

/// What jobs used is kept by Slurm's own server, whose configuration nobody else reads; the page says who may submit.
#[test]
fn what_jobs_used_is_counted() {
    let fields = "controllers = [\"head1(10.0.0.10)\"]
        accounting = slurmdbd(enforce = [\"associations\", \"limits\"], keep = 400d, qualities = { \"urgent\" = 1000 })
        priority = multifactor(age = 5)";
    let batch = "nodes = 2\nbatch = { account = \"llm\", qos = \"high\" }";
    let out = rendered(&(site("cluster", fields, HGX) + &run(batch)));
    for (name, value) in [
        ("AccountingStorageType", "accounting_storage/slurmdbd"),
        ("AccountingStorageHost", "10.0.0.10"),
        ("AccountingStorageTRES", "gres/gpu"),
        ("AccountingStorageEnforce", "associations,limits"),
        ("JobAcctGatherType", "jobacct_gather/cgroup"),
        ("PriorityType", "priority/multifactor"),
        ("PriorityWeightAge", "5"),
        ("PriorityWeightFairshare", "10000"),
        ("PriorityDecayHalfLife", "7-00:00:00"),
    ] {
        assert_eq!(setting(&out, name), Some(value), "{name}");
    }
    let page = out.file("30-hpc/README.md");
    for line in [
        "sudo install -o slurm -m 600 ./slurmdbd/slurmdbd.conf /etc/slurm/\n",
        "sacctmgr --immediate add qos high\n",
        "sacctmgr --immediate add account llm\n",
        "sacctmgr --immediate add qos urgent\nsudo sacctmgr --immediate modify qos urgent set priority=1000\n",
        "sacctmgr --immediate add user USER account=llm # each user of it\nsudo sacctmgr --immediate modify user USER where account=llm set qos+=high,urgent # each user of it\n",
        r#"'CREATE USER IF NOT EXISTS "slurm"@"localhost" IDENTIFIED '"$KNOWN"'; GRANT"#,
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    insta::assert_snapshot!(out.shown(&["30-hpc/slurmdbd/slurmdbd.conf"]));
}

/// A database on another host has a password, which is in no file that is rendered.
#[test]
fn the_password_of_a_database_is_brought_by_hand() {
    let fields = "accounting = slurmdbd(host = \"db1\", database = \"sql.example.com\")";
    let out = rendered(&site("cluster", fields, HGX));
    let own = out.file("30-hpc/slurmdbd/slurmdbd.conf");
    assert!(own.contains("\nDbdHost=db1\n") && !own.contains("DbdAddr="), "{own}");
    assert!(own.contains("\nInclude /etc/slurm/slurmdbd-password.conf\n"), "{own}");
    assert!(!own.contains("Purge"), "{own}");
    let page = out.file("30-hpc/README.md");
    for line in [
        r#"sudo mysql <<<'CREATE USER IF NOT EXISTS "slurm"@"db1" IDENTIFIED BY "'"${SLURMDBD_PASSWORD:?}"'"; GRANT ALL ON slurm_acct_db.* TO "slurm"@"db1"'"#,
        r#"/etc/slurm/slurmdbd-password.conf <<<"StoragePass=${SLURMDBD_PASSWORD:?}""#,
        "6819 to db1, 3306 from db1 to sql.example.com,",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    assert_eq!(setting(&out, "AccountingStorageHost"), Some("db1"));
    assert_eq!(setting(&out, "AccountingStorageEnforce"), None);
    assert_eq!(setting(&out, "PriorityType"), Some("priority/basic"));
}

/// Nodes that fetch their configuration have it from all controllers, and their service does without a file.
#[test]
fn nodes_fetch_their_configuration() {
    let fields = |release: &str| {
        format!(
            "controllers = [\"head1(10.0.0.10)\", \"head2\"]\nconfigless = true\nrelease = \"{release}\""
        )
    };
    let out = rendered(&site("cluster", &fields("24.05"), HGX));
    assert_eq!(setting(&out, "SlurmctldParameters"), Some("enable_configless"));
    let service = out.file("30-hpc/slurmd.service.d/jobs.conf");
    let told = "Environment=\"SLURMD_OPTIONS=--conf-server 10.0.0.10:6817,head2:6817\"\n";
    assert!(service.contains(told) && service.contains("\nConditionPathExists=\n"), "{service}");
    let page = out.file("30-hpc/README.md");
    assert!(page.contains("sudo systemctl enable --now munge sackd\n"), "{page}");
    let older = rendered(&site("cluster", &fields("22.05"), HGX));
    let page = older.file("30-hpc/README.md");
    assert!(!page.contains("sackd") && !older.has("30-hpc/sackd.service.d/submit.conf"), "{page}");
    assert_eq!(page.matches("sudo install -m 644 ./*.conf /etc/slurm/\n").count(), 2, "{page}");
    let usual = rendered(&site("cluster", "", HGX));
    let service = usual.file("30-hpc/slurmd.service.d/jobs.conf");
    assert!(service.contains("LimitMEMLOCK=infinity") && !service.contains("SLURMD_OPTIONS"));
}

/// A daemon that ends where no controller answers is started again; from the release on that waits, nothing starts it by itself.
#[test]
fn daemons_that_fetch_their_configuration_are_there_before_controllers() {
    let services = |release: &str| {
        let fields = format!("configless = true\nrelease = \"{release}\"");
        let out = rendered(&site("cluster", &fields, HGX));
        let services = ["slurmd.service.d/jobs.conf", "sackd.service.d/submit.conf"];
        services.map(|file| {
            let path = format!("30-hpc/{file}");
            out.has(&path).then(|| {
                let text = out.file(&path);
                let again = ["\nRestart=on-failure\n", "\nStartLimitIntervalSec=0\n"];
                assert!(text.contains("--conf-server head1:6817\"\n"), "{text}");
                let said = again.map(|line| text.contains(line));
                assert_eq!(said[0], said[1], "{text}");
                said[0]
            })
        })
    };
    assert_eq!(services("22.05"), [Some(true), None]);
    assert_eq!(services("23.11"), [Some(true), Some(true)]);
    assert_eq!(services("24.05"), [Some(false), Some(true)]);
    assert_eq!(services("24.11"), [Some(false), Some(false)]);
}

/// Units of Slurm's packages name a user, with which slurmctld and slurmdbd do not start where it is another one.
#[test]
fn services_run_as_the_user_of_the_cluster() {
    let fields =
        "user = \"hpc-admin\"\naccounting = slurmdbd()\nconfigless = true\nrelease = \"25.05\"";
    let out = rendered(&site("cluster", fields, HGX));
    let page = out.file("30-hpc/README.md");
    for file in ["slurmctld.service.d/user.conf", "slurmdbd.service.d/user.conf"] {
        let text = out.file(&format!("30-hpc/{file}"));
        assert!(text.contains("\nUser=hpc-admin\n") && text.contains("\nGroup=\n"), "{text}");
        let line = format!("sudo install -D -m 644 ./{file} /etc/systemd/system/{file}\n");
        assert_eq!(page.matches(&line).count(), 1, "{page}");
    }
    let submitting = out.file("30-hpc/sackd.service.d/submit.conf");
    assert!(submitting.contains("\nUser=hpc-admin\n"), "{submitting}");
    let usual = rendered(&site("cluster", "accounting = slurmdbd()", HGX));
    assert!(!usual.has("30-hpc/slurmctld.service.d/user.conf"));
    assert!(!usual.file("30-hpc/README.md").contains("service.d/user.conf"));
}

/// What fields have no word for is said in Slurm's own, once each.
#[test]
fn settings_of_a_cluster_are_patched() {
    let fields = "release = \"24.05\"
        patch slurm_conf {
          MaxJobCount         = 20000
          MessageTimeout      = 30
          TrackWCKey          = true
          PriorityCalcPeriod  = 10m
          SchedulerParameters = \"bf_continue,max_switch_wait=7200,bf_window=2880\"
        }";
    let out = rendered(&site("cluster", fields, HGX));
    for (name, value) in [
        ("MaxJobCount", "20000"),
        ("MessageTimeout", "30"),
        ("TrackWCKey", "YES"),
        ("PriorityCalcPeriod", "0-00:10:00"),
        ("SchedulerParameters", "bf_continue,max_switch_wait=7200,bf_window=2880"),
        ("JobRequeue", "1"),
    ] {
        assert_eq!(setting(&out, name), Some(value), "{name}");
        let line = format!("\n{name}=");
        assert_eq!(out.file(CONF).matches(&line).count(), 1, "{name}");
    }
    assert!(out.file(CONF).contains("\nNodeName="));
}

/// Lines of partitions and nodes have what fields have no word for.
#[test]
fn lines_of_partitions_are_patched() {
    let more = format!(
        "{HGX}\n    exclusive = false\n    patch partition_line {{\n      AllowAccounts = \"research\"\n      DefaultTime = 4h\n      DefMemPerGPU = 240000\n    }}\n    patch node_line {{\n      Weight = 10\n    }}"
    );
    let out = rendered(&site("cluster", "release = \"24.05\"", &more));
    let line = |start: &str| {
        out.file(CONF).lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned()
    };
    let partition = line("PartitionName=");
    for said in [
        " AllowAccounts=research",
        " DefaultTime=0-04:00:00",
        " DefMemPerGPU=240000",
        " DefCpuPerGPU=",
    ] {
        assert!(partition.contains(said), "{said}: {partition}");
    }
    assert!(!partition.contains("DefMemPerCPU"), "{partition}");
    assert!(line("NodeName=").contains(" Weight=10 "));
}

/// What control groups hold jobs to is said in Slurm's own words, beside what follows.
#[test]
fn control_groups_of_a_cluster_are_patched() {
    let file = "30-hpc/cgroup.conf";
    let usual = rendered(&site("cluster", "release = \"24.05\"", HGX));
    assert!(
        usual
            .file(file)
            .ends_with("\nConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=yes\n")
    );
    let fields = "release = \"24.05\"
        patch cgroup_conf {
          ConstrainSwapSpace = true
          MaxRAMPercent      = 98.5
        }";
    let out = rendered(&site("cluster", fields, HGX));
    let said: Vec<&str> = out.file(file).lines().filter(|it| !it.starts_with('#')).collect();
    assert_eq!(
        said,
        [
            "ConstrainCores=YES",
            "ConstrainDevices=YES",
            "ConstrainRAMSpace=YES",
            "ConstrainSwapSpace=YES",
            "MaxRAMPercent=98.5"
        ]
    );
}

/// Two words of one setting stand beside each other.
#[test]
fn controllers_have_one_line_of_parameters() {
    let text = r#"
cluster hpc on slurm {
  configless = true
  release    = "22.05"
  partition gpu {
    machine = "hgx-h100"
    nodes   = 2
    hosts   = "dgx[1-2]"
  }
  partition urgent {
    machine = "hgx-h100"
    nodes   = 2
    hosts   = "dgx[1-2]"
    tier    = 2
  }
}
"#;
    let both = "enable_configless,preempt_send_user_signal";
    assert_eq!(setting(&rendered(text), "SlurmctldParameters"), Some(both));
}

/// A node that starts anew has the time that it takes; where nothing starts it, Slurm's own time stays.
#[test]
fn nodes_have_time_to_start_anew() {
    let time = |fields: &str| {
        let out = rendered(&site("cluster", fields, HGX));
        setting(&out, "ResumeTimeout").map(str::to_owned)
    };
    assert_eq!(time(""), None);
    assert_eq!(time("reboot = \"/sbin/reboot\"").as_deref(), Some("1200"));
    let said = time("reboot = \"/sbin/reboot\"\nreboot_time = 30m");
    assert_eq!(said.as_deref(), Some("1800"));
}

/// Nodes find their GPUs by themselves where they are told to, and the others have theirs listed.
#[test]
fn nodes_find_their_gpus() {
    let text = r#"
cluster hpc on slurm {
  release = "24.11"
  partition found {
    machine = "hgx-h100"
    nodes   = 2
    detect  = "nvidia"
  }
  partition listed {
    machine = "hgx-h100"
    nodes   = 2
  }
  partition cpu {
    machine = "n2-standard-8"
    nodes   = 1
    detect  = "nvml"
  }
}
"#;
    insta::assert_snapshot!(rendered(text).shown(&["30-hpc/gres.conf"]));
}

/// Blocks are what NVLink joins, in one file with all that there is of the cluster where its release reads one.
#[test]
fn nodes_are_in_blocks() {
    let cluster = |release: &str, others: &str| {
        format!(
            r#"
cluster hpc on slurm {{
  release = "{release}"
  partition gpu {{
    machine = "gb200-nvl72-tray"
    nodes   = 36
    hosts   = "tray[01-36]"
    default = true
  }}
{others}
}}
"#
        )
    };
    let job = run("nodes = 12");
    let with_cpus = "  partition cpu {\n    machine = \"n2-standard-8\"\n    nodes   = 4\n    switch_nodes = 2\n  }";
    let plugin = |release: &str, others: &str| {
        let out = rendered(&(cluster(release, others) + &job));
        let segment = directives(out.file(SCRIPT)).iter().any(|it| it == "--segment=12");
        (setting(&out, "TopologyPlugin").map(str::to_owned), segment)
    };
    let named = |name: &str| Some(format!("topology/{name}"));
    // 23.11 has blocks, and no way to ask for a part of one
    assert_eq!(plugin("23.11", ""), (named("tree"), false));
    assert_eq!(plugin("24.05", ""), (named("block"), true));
    assert_eq!(plugin("24.05", with_cpus), (named("tree"), false));
    assert_eq!(plugin("25.05", with_cpus), (None, true));
    let blocks = rendered(&cluster("24.05", ""));
    let both = rendered(&cluster("25.05", with_cpus));
    let lines = both.file(CONF).lines().filter(|line| line.starts_with("PartitionName="));
    let own: Vec<bool> = lines.map(|line| line.contains(" Topology=blocks-gpu ")).collect();
    assert_eq!(own, [true, false]);
    insta::assert_snapshot!(
        blocks.shown(&["30-hpc/topology.conf"]) + &both.shown(&["30-hpc/topology.yaml"])
    );
}

/// The page beside the files says what they take for granted, in the words of this cluster.
#[test]
fn the_page_of_a_cluster_names_what_it_needs() {
    let fields = "controllers = [\"head1(10.0.0.10)\", \"head2\"]\nrelease = \"24.05\"";
    insta::assert_snapshot!(rendered(&site("cluster", fields, HGX)).shown(&["30-hpc/README.md"]));
}

/// Folders and programs that jobs take for granted stand on the page of their cluster, with who writes there.
#[test]
fn the_page_of_a_cluster_names_what_its_jobs_need() {
    let text = site("cluster", "", HGX)
        + STORAGE
        + &run("mounts = [mount(lake, \"/work\")]
            launch = torchrun(\"/work/src/train.py\")
            env = { HF_TOKEN = secret(\"hf-token\") }");
    let out = rendered(&text);
    let page = out.file("30-hpc/README.md");
    for needed in [
        "`/mnt/lake`, the same filesystem, for `pretrain`: who submits may write to it",
        "`/mnt/lake/src/train.py`, the program of `pretrain`",
        "reads secrets from `~/.secrets`",
        "at port 29500 of it",
    ] {
        assert!(page.contains(needed), "{needed}: {page}");
    }
    assert!(!page.contains("gcsfuse"), "{page}");
}

/// One node, or the host of the submission, imports the image for all.
#[test]
fn an_image_is_imported_once() {
    let text = mega(8) + &run("nodes = 2\nimage = \"us-east4-docker.pkg.dev/p/r/i:v1\"");
    let out = rendered(&text);
    let submit = out.file(SUBMIT);
    for part in [
        "image=/shared/images/us-east4-docker.pkg.dev+p+r+i+v1.sqsh\n",
        "docker://us-east4-docker.pkg.dev#p/r/i:v1",
        "srun --job-name=import --mpi=none --partition=gpu --nodes=1",
        "machine us-east4-docker.pkg.dev login oauth2accesstoken",
    ] {
        assert!(submit.contains(part), "{part}: {submit}");
    }
}

/// What ends a script decides whether it comes back: preempted always, failed as often as it may, out of its time never.
#[test]
fn a_job_goes_back_to_the_queue_for_a_reason() {
    let script = |requeue: bool, fields: &str| {
        let machine = "machine = \"a3-megagpu-8g\"\nnodes = 2";
        let cluster = site("existing cluster", &format!("requeue = {requeue}"), machine);
        script(&(cluster + &run(fields)))
    };
    let (preempted, failed, over, asked) =
        ("a job of a higher tier", "failures < 3", "the longest run is over", "why=\"asked to end");
    for (requeue, fields, says) in [
        (true, "", vec![preempted]),
        (true, "restarts = 3", vec![preempted, failed, asked]),
        (true, "restarts = 3\nmax_run = 2h", vec![preempted, failed, over, asked]),
        (false, "restarts = 3", vec![failed, asked]),
        (false, "max_run = 2h", vec![]),
    ] {
        let script = script(requeue, fields);
        for part in [preempted, failed, over, asked] {
            assert_eq!(script.contains(part), says.contains(&part), "{part}: {script}");
        }
        assert_eq!(script.contains("scontrol requeue"), !says.is_empty(), "{script}");
        assert_eq!(script.contains("count=/shared/logs/"), says.contains(&failed), "{script}");
        let option = if says.is_empty() { "--no-requeue" } else { "--requeue" };
        assert!(directives(&script).iter().any(|it| it == option), "{script}");
    }
}

/// Who saves and ends with 0 when it is asked to has not finished: what waits for the end of the run would begin on half of it.
#[test]
fn a_run_that_was_asked_to_end_is_not_completed() {
    let ended = "if ((status == 0 && warnings > 0)); then\n";
    for fields in ["", "max_run = 2h", "restarts = 3\nmax_run = 2h"] {
        let script = script(&(mega(2) + &run(fields)));
        let leave = script.rfind(" \"$status\"\n").unwrap_or_default();
        assert!(position(&script, ended) < leave, "{script}");
        assert!(!script.contains("((status != 0 || warnings > 0)) || exit 0"), "{script}");
    }
    let group = "group reader on hpc.gpu {\n  image = \"a:1\"\n  nodes = 1\n  launch = command([\"true\"])\n}";
    let script = script(&(mega(8) + &run(&format!("nodes = 2\nmax_run = 2h\n{group}"))));
    let asked = "((code != 0 || warnings == 0 || ending > 0)) || code=1\n";
    assert!(position(&script, asked) < position(&script, "ended[group]=$code\n"), "{script}");
}

/// Folders of a filesystem are made where a job writes to them, and looked for where it only reads.
#[test]
fn mounted_folders_are_there_before_the_training() {
    let mounts = "mounts = [mount(lake, \"/data\", folder = \"data\", read_only = true), \
                  mount(lake, \"/results\", folder = \"results\", read_only = false)]";
    let script = script(&(mega(2) + STORAGE + &run(mounts)));
    assert!(script.contains("mkdir -p -- /mnt/lake/results || leave \"$?\"\n"), "{script}");
    assert!(script.contains("if [[ ! -e /mnt/lake/data ]]; then\n"), "{script}");
    assert!(!script.contains("mkdir -p -- /mnt/lake/data"), "{script}");
}

/// A folder of the nodes is no shared one: each of them makes its own, and a file stays what it is.
#[test]
fn folders_of_the_nodes_are_made_on_each_of_them() {
    let mounts = "mounts = [mount(host_path(\"/scratch/data\"), \"/data\", read_only = false), \
                  mount(host_path(\"./logs\"), \"/logs\", read_only = false), \
                  mount(host_path(\"/etc/hosts\"), \"/etc/hosts\", read_only = true)]";
    let script = script(&(mega(2) + &run(mounts)));
    let made = "srun --job-name=_folders \"${on_each_node[@]}\" bash -c '[[ -e \"$1\" ]] || mkdir -p -- \"$1\"' folders /scratch/data || leave \"$?\"\n";
    assert!(position(&script, "on_each_node=(") < position(&script, made), "{script}");
    assert!(script.contains("logs ]] || mkdir -p -- "), "{script}");
    assert!(script.contains("if [[ ! -e /etc/hosts ]]; then\n"), "{script}");
}

/// A job in a cluster that is there already, with mounts that may be left over and others that may fail.
fn mounted(mounts: &str, restarts: i64, requeue: bool) -> String {
    let machine = "machine = \"a3-megagpu-8g\"\nnodes = 2";
    let cluster = site("existing cluster", &format!("requeue = {requeue}"), machine);
    let fields = format!("mounts = [{mounts}]\nrestarts = {restarts}");
    rendered_despite(&(cluster + STORAGE + &run(&fields)), UNNAMED).file(SCRIPT).to_owned()
}

fn position(script: &str, part: &str) -> usize {
    script.find(part).unwrap_or_else(|| panic!("{part}: {script}"))
}

/// What fails before the training is a failure like its own: it is counted, and the job goes back to the queue.
#[test]
fn a_mount_that_fails_does_not_end_the_job_for_good() {
    let mounts = "mount(data, \"/data\"), mount(scratch(10GiB), \"/scratch\")";
    let ends = |script: &str, word: &str| script.matches(&format!(" || {word} \"$?\"\n")).count();
    let counted = mounted(mounts, 3, true);
    assert_eq!(ends(&counted, "leave"), 2, "{counted}");
    let scratch = position(&counted, "srun --job-name=_scratch");
    assert!(position(&counted, "leave() {") < scratch, "{counted}");
    let once = mounted(mounts, 0, false);
    assert_eq!((ends(&once, "leave"), ends(&once, "exit")), (0, 2), "{once}");
}

/// What is mounted later hides what is below it.
#[test]
fn a_folder_is_mounted_before_those_below_it() {
    let mounts =
        "mounts = [mount(scratch(1GiB), \"/work/inner\"), mount(scratch(1GiB), \"/work\")]";
    let script = script(&(mega(2) + &run(mounts)));
    assert!(position(&script, ":/work\n") < position(&script, ":/work/inner\n"), "{script}");
}

/// A node keeps what an attempt that was killed there has left, under names that the next attempt uses again.
#[test]
fn what_an_attempt_has_left_is_in_no_ones_way() {
    let again = mounted("mount(data, \"/data\")", 3, true);
    let at = |part| position(&again, part);
    assert!(at("fusermount -uz \"$1\"") < at("mkdir -p -- \"$1\""), "{again}");
    assert!(at("fusermount -uz \"$bucket\"") < at("find \"$1\""), "{again}");
    assert!(at("enroot remove --force") < at("srun --job-name=train"), "{again}");
    assert!(!mounted("mount(data, \"/data\")", 0, false).contains("enroot remove"));
}

/// Buckets are mounted as the nodes, so a job says when these are somebody else.
#[test]
fn a_job_says_who_its_nodes_should_be() {
    let machine = "machine = \"a3-megagpu-8g\"\nnodes = 2";
    let cluster = site("existing cluster", "node_identity = trainer", machine);
    let script = script(&(cluster + "identity trainer {}\n" + &run("")));
    assert!(script.contains("!= trainer@my-project-1.iam.gserviceaccount.com ]]"), "{script}");
}

/// The options of a header as sbatch reads them where no value needs quotes.
fn directives(script: &str) -> Vec<String> {
    let options = script.lines().filter_map(|line| line.strip_prefix("#SBATCH "));
    options.map(|option| option.trim_matches('"').replace("=\"", "=")).collect()
}

#[test]
fn the_header_follows_the_workload_and_the_release() {
    let header = |site: &str, fields: &str| {
        let text = site.to_owned() + &run(fields);
        directives(rendered(&text).file(SCRIPT))
    };
    let has = |options: &[String], option: &str| options.iter().any(|it| it == option);
    let any = |options: &[String], start: &str| options.iter().any(|it| it.starts_with(start));

    let plain = header(&mega(8), "nodes = 2");
    for option in [
        "--partition=gpu",
        "--nodes=2",
        "--ntasks-per-node=1",
        "--gpus-per-node=8",
        "--exclusive",
        "--mem=0",
        "--signal=B:USR1@300",
        "--requeue",
    ] {
        assert!(has(&plain, option), "{option}: {plain:?}");
    }
    assert!(!any(&plain, "--time") && !any(&plain, "--switches"));

    let ranks = header(&mega(8), "nodes = 2\nlaunch = srun([\"a\"])\nrestarts = 1");
    assert!(has(&ranks, "--ntasks-per-node=8") && has(&ranks, "--requeue"));

    // as long as Slurm can
    let patient = header(&mega(8), "nodes = 2\ngrace = 18h12m15s");
    assert!(has(&patient, "--signal=B:USR1@65535"), "{patient:?}");

    let patch = "nodes = 2
        allow patch/relied-on \"for a trial\"
        allow patch/owned \"for a trial\"
        patch sbatch {
          qos = \"high #1\"
          time = 90m
          exclusive = false
          hold = true
        }";
    let patched = header(&mega(8), patch);
    for option in ["--qos=high #1", "--time=0-01:30:00", "--hold"] {
        assert!(has(&patched, option), "{option}: {patched:?}");
    }
    assert!(!has(&patched, "--exclusive"));

    let nvl = |release: &str| {
        let machine = "machine = \"a4x-highgpu-4g\"\nnodes = 36";
        site("existing cluster", &format!("release = \"{release}\""), machine)
    };
    assert!(has(&header(&nvl("25.05"), "nodes = 32"), "--segment=16"));
    assert!(has(&header(&nvl("25.05"), "nodes = 36"), "--segment=18"));
    // three elevens do not lie in two domains of 18
    assert!(has(&header(&nvl("25.05"), "nodes = 33"), "--segment=3"));
    assert!(!any(&header(&nvl("25.05"), "nodes = 35"), "--segment"));
    assert!(!any(&header(&nvl("23.11"), "nodes = 32"), "--segment"));

    let leaves = |nodes: i64| {
        site("cluster", "", &format!("machine = \"hgx-h100\"\nnodes = {nodes}\nswitch_nodes = 4"))
    };
    assert!(has(&header(&leaves(16), "nodes = 6"), "--switches=2@01:00:00"));
    assert!(!any(&header(&leaves(8), "nodes = 8"), "--switches"));
}

/// A value that Terraform knows is read when the job is submitted, and asked for where it is used.
#[test]
fn later_values_come_from_the_submission() {
    let home = r#"
filesystem home {
  storage  = filestore(2560GiB)
  location = "us-east4-a"
  network  = fabric
}

network fabric {
  region = "us-east4"
}
"#;
    let text = mega(8)
        + home
        + &run("nodes = 2
            launch = torchrun(\"pretrain_gpt.py\", args = { server = home.address })
            mounts = [mount(home, \"/home/shared\")]");
    let out = rendered(&text);
    let script = out.file(SCRIPT);
    assert!(script.contains(": \"${home_address:?"), "{script}");
    assert!(script.contains("train pretrain_gpt.py --server=\"${home_address}\" &"), "{script}");
    assert!(script.contains("  /home/shared:/home/shared\n"), "{script}");
    let submit = out.file(SUBMIT);
    assert!(
        submit.contains("terraform -chdir=\"$here\"/../../10-foundation output -raw home_address"),
        "{submit}"
    );
}

/// What changes nothing about the run is no reason to refuse it.
#[test]
fn an_identity_does_not_matter() {
    let text = mega(8) + "identity trainer {}\n" + &run("nodes = 2\nidentity = trainer");
    let out = rendered_despite(&text, &["identity/of-slurm-jobs"]);
    assert!(out.file(SCRIPT).contains("--nodes=2"));
}

/// Runs what a task of a job runs, with something put in for what only a node has.
fn task(script: &str, changed: &[(&str, &str)], variables: &[(&str, &str)]) -> (String, i32) {
    let (_, step) = script.split_once("srun --job-name=train ").unwrap();
    let (step, _) = step.split_once("&\nlauncher=$!").unwrap();
    let step = step.split("\nexport \"${__secrets").next().unwrap();
    let step = step.split("\nexec \"$@\"\n)").next().unwrap().trim_end_matches(' ');
    let mut step = step.rsplit_once("\"${container[@]}\" ").unwrap().1.to_owned();
    for (from, to) in changed {
        assert!(step.contains(from), "no {from} in\n{step}");
        step = step.replace(from, to);
    }
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", &step]).env("MASTER_ADDR", "first").env("MASTER_PORT", "29500");
    let known = [
        ("SLURM_NNODES", "2"),
        ("SLURM_NTASKS", "2"),
        ("SLURM_PROCID", "1"),
        ("SLURM_NODEID", "1"),
        ("SLURM_LOCALID", "0"),
        ("SLURM_JOB_ID", "7"),
    ];
    bash.envs(known).envs(variables.iter().copied());
    let output = bash.output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (out + &errors, output.status.code().unwrap_or(-1))
}

/// What enroot makes of an image: its folder, what changes that, its entry point.
const ENTRY: &str = "cd / && unset OLDPWD || exit 1\n\n\
    if [ -s RC.local ]; then\n  . RC.local\nfi\n\n\
    if [ $# -gt 0 ]; then\n  exec bash -c 'echo \"$RANK $WORLD_SIZE $PWD\"; printf \"%s.\" \"$@\"' serve \"$@\"\n\
    else\n  exec bash -c 'echo \"$RANK alone\"'\nfi\n";

#[test]
fn an_entry_point_is_the_one_that_enroot_keeps() {
    let folder = std::env::temp_dir().join(format!("slipform-entry-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rc = folder.join("rc").to_str().unwrap().to_owned();
    std::fs::write(&rc, ENTRY.replace("RC", &rc)).unwrap();
    let start = |fields: &str| {
        // what pyxis writes there has the entry point left out
        std::fs::write(format!("{rc}.local"), "exec \"$@\"\n").unwrap();
        let script = script(&(mega(2) + &run(&format!("fabric = \"off\"\n{fields}"))));
        task(&script, &[("/etc/rc", &rc)], &[])
    };
    let given = start("launch = entrypoint([\"it's\", \"$HOME\"])");
    let own = start("launch = entrypoint()");
    let elsewhere = start("launch = entrypoint([1])\nworkdir = \"/my app\"");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(given, ("1 2 /\nit's.$HOME.".to_owned(), 0));
    assert_eq!(own, ("1 alone\n".to_owned(), 0));
    assert!(!elsewhere.0.starts_with("1 2 /\n") && elsewhere.0.ends_with("1."), "{elsewhere:?}");
}

#[test]
fn launchers_may_agree_on_their_ranks() {
    let launch = "launch = torchrun(\"train.py\", rendezvous = \"c10d\")\nfabric = \"off\"";
    let script = script(&(mega(2) + &run(launch)));
    let (words, status) = task(&script, &[("exec torchrun", "exec echo")], &[]);
    let meeting = "--rdzv_backend=c10d --rdzv_endpoint=first:29500 --rdzv_id=7";
    assert_eq!((words, status), (format!("--nnodes=2 --nproc_per_node=8 {meeting} train.py\n"), 0));
}

#[test]
fn a_job_may_have_a_part_of_each_node() {
    let launch = "launch = srun([\"true\"])\nfabric = \"off\"";
    let lines =
        |fields: &str| directives(&script(&(mega(2) + &run(&format!("{launch}\n{fields}")))));
    let half = lines("accelerators = 4");
    assert!(half.contains(&"--gpus-per-node=4".to_owned()), "{half:?}");
    assert!(half.contains(&"--ntasks-per-node=4".to_owned()), "{half:?}");
    let crowded = lines("processes = 16");
    assert!(crowded.contains(&"--gpus-per-node=8".to_owned()), "{crowded:?}");
    assert!(crowded.contains(&"--ntasks-per-node=16".to_owned()), "{crowded:?}");
}

/// The batch script expands what all nodes share, and each task what is its own.
#[test]
fn tasks_are_told_what_their_run_knows() {
    let launch = r#"launch = srun(["echo", "node_rank", node_rank], args = { id = run_id, rank = node_rank, nodes = node_count, n = attempt, at = host(pretrain), text = "$HOME's" })
env = { RANK_OF_NODE = node_rank, ID = run_id, TEXT = "run_id" }
fabric = "off""#;
    let script = script(&(mega(2) + &run(launch)));
    assert!(script.contains("  ID=\"$SLURM_JOB_ID\"\n"), "{script}");
    assert!(script.contains("  TEXT=run_id\n"), "{script}");
    let (words, status) = task(&script, &[("exec \"$@\"", "\"$@\"; echo $RANK_OF_NODE")], &[]);
    let options = "--id=7 --rank=1 --nodes=2 --n=0 --at=first --text=$HOME's";
    assert_eq!((words, status), (format!("node_rank 1 {options}\n1\n"), 0));
}

/// Variables of a container may be called as those of the script are; where programs are found is said inside of it only.
#[test]
fn variables_of_a_container_stay_out_of_the_script() {
    let fields = r#"image = "a:1"
launch = srun(["echo"])
env = { cpus = "1", image = "b:1", PATH = "/opt/bin:/usr/bin:/bin" }
fabric = "off""#;
    let script = script(&(mega(2) + &run(fields)));
    assert!(script.contains("\nvariables=(\n  cpus=1\n  image=b:1\n)\n"), "{script}");
    assert_eq!(script.matches("export PATH=/opt/bin:/usr/bin:/bin\n").count(), 1, "{script}");
    let (_, step) = script.split_once("srun --job-name=train ").unwrap();
    assert!(step.contains("export PATH="), "{script}");
    let (path, status) = task(&script, &[("exec \"$@\"", "echo \"$PATH\"")], &[]);
    assert_eq!((path.as_str(), status), ("/opt/bin:/usr/bin:/bin\n", 0));
}

#[test]
fn what_a_blueprint_says_wins_against_the_script_of_the_network() {
    let folder = std::env::temp_dir().join(format!("slipform-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let theirs = folder.join("theirs.sh").to_str().unwrap().to_owned();
    std::fs::write(&theirs, "export NCCL_FASTRAK_USE_SNAP=theirs NCCL_FASTRAK_NUM_FLOWS=theirs\n")
        .unwrap();
    let fields = "launch = srun([\"bash\", \"-c\", \"echo \\$NCCL_FASTRAK_USE_SNAP \\$NCCL_FASTRAK_NUM_FLOWS \\$NCCL_SOCKET_IFNAME\"])
        env = { NCCL_FASTRAK_USE_SNAP = \"my \\$0\", NCCL_SOCKET_IFNAME = \"eth9\" }";
    let out = rendered_despite(&(mega(2) + &run(fields)), &["gpu/owned-variables"]);
    let script = out.file(SCRIPT).to_owned();
    let known = "/var/lib/tcpxo/lib64/nccl-env-profile.sh";
    let variables = [("NCCL_FASTRAK_USE_SNAP", "my $0"), ("NCCL_SOCKET_IFNAME", "eth9")];
    let found = task(&script, &[(known, &theirs)], &variables);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found, ("my $0 theirs eth9\n".to_owned(), 0));
}

#[test]
fn each_node_is_prepared_and_cleaned_up_once() {
    let fields = r#"setup = [["echo", "it's", node_rank]]
cleanup = [["false"], ["echo", "last", "<$HOME>"]]
fabric = "off""#;
    let script = |launch: &str| script(&(mega(2) + &run(&format!("{fields}\nlaunch = {launch}"))));
    let alone = task(&script(r#"command(["bash", "-c", "echo run; exit 4"])"#), &[], &[]);
    let ended = "clean-up ended with status 1\n";
    assert_eq!(alone, (format!("it's 1\nrun\nlast <$HOME>\n{ended}"), 4));
    // the tasks of a node: the first does what is done once, the others wait for it and it for them
    let launch = r#"srun(["bash", "-c", "sleep $LOCAL_RANK; echo $LOCAL_RANK"])
processes = 2"#;
    let script = script(launch);
    let folder = std::env::temp_dir().join(format!("slipform-once-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let there = format!("\"{}/job-", folder.display());
    let of = |local: &'static str| {
        let (script, there) = (script.clone(), there.clone());
        std::thread::spawn(move || {
            let variables = [("SLURM_LOCALID", local), ("SLURM_STEP_ID", "0")];
            task(&script, &[("\"/tmp/job-", &there)], &variables)
        })
    };
    let (first, second) = (of("0"), of("1"));
    let (first, second) = (first.join().unwrap(), second.join().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(first, (format!("it's 1\n0\nlast <$HOME>\n{ended}"), 0));
    assert_eq!(second, ("1\n".to_owned(), 0));
}

#[test]
fn nodes_are_chosen_by_features_and_left_out_by_name() {
    let script = script(
        &(mega(4)
            + &run("nodes = 2
                avoid_nodes = [\"gpu-3\", \"gpu-4\"]
                only_nodes = { rack = \"r1\", cooling = \"water\" }")),
    );
    assert!(script.contains("#SBATCH --constraint=r1&water\n"), "{script}");
    assert!(script.contains("#SBATCH --exclude=gpu-3,gpu-4\n"), "{script}");
}

/// What only a batch job has stands in its header, its steps and in the script that submits it.
#[test]
fn a_batch_job_has_words_of_its_own() {
    let text = mega(8)
        + &run("nodes = 8
            image = squashfs(\"./nemo.sqsh\", from = \"nvcr.io/nvidia/nemo:25.04\")
            launch = srun([\"python\", \"train.py\", node_rank])
            workdir = \"/scratch/%j\"
            mounts = [mount(host_path(\".\"), \"/work\"), mount(host_path(\"/scratch/%u\"), \"/scratch\")]
            restarts = 1
            batch = {
              account = \"llm\", qos = \"high\", reservation = \"big\", nice = 5, label = true,
              output = \"logs/%x_%u_%j.out\", error = \"logs/%x_%u_%j.err\", signal = \"USR1\",
              dependency = [afterok(job(77)), singleton], segment = 4, switches = switches(2, wait = 1h),
              ranks = \"physical_host\", cpu_bind = \"cores\", mem_bind = \"local\", gpu_bind = \"closest\",
              mpi = \"pmi2\", import = \"job\", stage = [staged(\"./tok\", \"/tmp/tok/model\")], stage_images = \"/dev/shm\",
              login = [[\"python3\", \"-m\", \"venv\", \"env\"]]
            }");
    insta::assert_snapshot!(rendered(&text).shown(&[SUBMIT, SCRIPT]));
}

/// Without a container programs and paths are those of the nodes; an array on nodes that others use has ports of its own.
#[test]
fn an_array_of_jobs_without_a_container() {
    let cluster = site(
        "existing cluster",
        "release = \"23.11\"",
        "machine = \"n2-standard-8\"\nnodes = 4\nexclusive = false",
    );
    let text = cluster
        + STORAGE
        + &run("nodes = 1
            image = no_container
            launch = command([\"/opt/site/split\", \"--part\", array_index])
            workdir = \"/mnt/lake\"
            mounts = [mount(lake, \"/mnt/lake\")]
            cpus = 2
            memory = 4GiB
            env = { TOKEN = secret(\"token\"), PATH = \"/opt/site/bin:/usr/bin:/bin\" }
            batch = { array = \"0-31%4\" }");
    insta::assert_snapshot!(rendered(&text).shown(&[SUBMIT, SCRIPT]));
}

/// Jobs that share nodes have a port, a part of the memory and files of their own; one of an array never speaks for the others.
#[test]
fn jobs_that_share_nodes_keep_apart() {
    let cluster = |exclusive: &str| {
        let partition = format!("machine = \"a3-megagpu-8g\"\nnodes = 4\n{exclusive}");
        site("existing cluster", "release = \"25.11\"", &partition)
    };
    let job = run("nodes = 1
            accelerators = 2
            restarts = 2
            workdir = \"/scratch/%j\"
            mounts = [mount(host_path(\"/scratch/%u\"), \"/scratch/%j\")]
            batch = { array = \"0-3\", stage = [staged(\"./tok\", \"/tmp/job-%j/%a/tok\")] }");
    let out = rendered(&(cluster("exclusive = false") + &job));
    insta::assert_snapshot!(out.file(SCRIPT));
    let page = out.file("README.md");
    assert!(page.contains("`JOB=\"${JOB}_3\"` is that of number 3"), "{page}");
    assert!(page.contains("srun --jobid=\"$(squeue --jobs=\"$JOB\""), "{page}");
    let alone = script(&(cluster("") + &job));
    assert!(alone.contains("#SBATCH --mem=0\n"), "{alone}");
    assert!(alone.contains("MASTER_PORT=29500\n"), "{alone}");
}

/// Groups of a job have its options, their image is copied once, and what a squashfs file has to be there for is said.
#[test]
fn groups_have_the_options_of_their_job() {
    let text = mega(8)
        + &run("nodes = 2
            image = squashfs(\"/images/nemo.sqsh\")
            batch = { signal = \"INT\", label = true, stage_images = \"/dev/shm\", gpu_bind = \"none\", array = \"0-1\" }
            group other on hpc.gpu {
              image = squashfs(\"/images/nemo.sqsh\")
              launch = srun([\"python\", \"b.py\"])
            }");
    let out = rendered(&text);
    let script = out.file(SCRIPT);
    for part in [
        "end_step \"${roles[group]}\" INT || asked[group]=1",
        "if [[ -n \"${ready[$copy]:-}\" ]] || spread \"$image\" \"$copy\"; then",
        " --label --gpu-bind=none \"${container[@]}\" bash -c",
        "#SBATCH --output=%x-%A_%a.out",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
    let submit = out.file(SUBMIT);
    assert!(submit.contains("/images/nemo.sqsh is not here"), "{submit}");
    assert!(submit.contains("--output=\"$logs/%x-%A_%a.out\""), "{submit}");
}

/// One script submits a chain in its order; the page names it and no other.
#[test]
fn a_chain_is_submitted_by_one_script() {
    let job = |name: &str, after: &str| {
        run(&format!("nodes = 1\nbatch = {{ dependency = [{after}] }}"))
            .replace("workload pretrain", &format!("workload {name}"))
    };
    let text = mega(8)
        + &job("fetch", "")
        + &job("tune", "afterok(pretrain), after(fetch, 90s), afterany(job(7))")
        + &job("pretrain", "afterok(fetch)")
        + &job("alone", "");
    let out = rendered(&text);
    insta::assert_snapshot!(
        out.shown(&["50-workloads/tune/chain.sh", "50-workloads/tune/submit.sh"])
    );
    let page = out.file("README.md");
    for (line, stands) in [
        ("50-workloads/tune/chain.sh # cluster hpc: fetch, pretrain, tune\n", true),
        ("50-workloads/alone/submit.sh # cluster hpc\n", true),
        ("50-workloads/fetch/submit.sh", false),
        ("50-workloads/tune/submit.sh", false),
    ] {
        assert_eq!(page.contains(line), stands, "{line}: {page}");
    }
}

/// What several jobs wait for runs once; a test that none waits for is waited for by who submits, before the others are.
#[test]
fn what_is_awaited_by_several_is_submitted_once() {
    let job = |name: &str, fields: &str| {
        run(&format!("nodes = 1\n{fields}"))
            .replace("workload pretrain", &format!("workload {name}"))
    };
    let after = "batch = { dependency = [afterok(fetch)] }";
    let text = mega(8)
        + &job("small", after)
        + &job("fetch", "")
        + &job("large", after)
        + &job("probe", &format!("test = true\n{after}"));
    let out = rendered(&text);
    insta::assert_snapshot!(out.file("50-workloads/large/chain.sh"));
    let page = out.file("README.md");
    assert_eq!(page.matches("/chain.sh #").count(), 1, "{page}");
    assert!(page.contains("chain.sh # cluster hpc: fetch, probe, small, large\n"), "{page}");
    assert!(!page.contains("50-workloads/fetch/submit.sh"), "{page}");
}

/// What `submit.sh` gives `sbatch`, on a host where that only says its words.
fn submitted(out: &Rendered, words: &[&str], variables: &[(&str, &str)]) -> (String, bool) {
    let mut bash = std::process::Command::new("bash");
    let said = "sbatch() { for word; do echo \"$word\"; done; }\nexec() { \"$@\"; }\n";
    let script = out.file(SUBMIT).replace("/shared/logs", "/tmp");
    bash.args(["-c", &format!("{said}{script}"), SUBMIT]).args(words);
    let output = bash.envs(variables.iter().copied()).output().unwrap();
    let told = [output.stdout, output.stderr].concat();
    (String::from_utf8(told).unwrap(), output.status.success())
}

/// A dependency of the command line is one more, however it is spelled.
#[test]
fn no_dependency_takes_the_place_of_another() {
    let fetch = run("nodes = 1\nimage = no_container").replace("pretrain", "fetch");
    let waits = |on: &str| {
        let own = format!("nodes = 1\nimage = no_container\nbatch = {{ dependency = [{on}] }}");
        rendered(&(mega(8) + &fetch + &run(&own)))
    };
    let known = [("JOB_FETCH", "7")];
    for (on, words, wanted) in [
        ("afterok(fetch)", vec!["--hold"], "--dependency=afterok:7\n"),
        ("afterok(fetch)", vec!["--dependency=singleton"], "--dependency=afterok:7,singleton\n"),
        ("afterok(fetch)", vec!["-d", "after:3"], "--dependency=afterok:7,after:3\n"),
        ("afterok(fetch)", vec!["-dafter:3", "--hold"], "--dependency=afterok:7,after:3\n"),
        ("singleton", vec!["--dependency=after:3"], "--dependency=singleton,after:3\n"),
    ] {
        let (told, well) = submitted(&waits(on), &words, &known);
        assert!(well && told.contains(wanted), "{words:?}: {told}");
        assert_eq!(told.matches("singleton").count(), wanted.matches("singleton").count());
        assert_eq!(told.contains("--hold"), words.contains(&"--hold"), "{told}");
    }
    let (told, well) = submitted(&waits("afterok(fetch)"), &["-d", "after:3?after:4"], &known);
    assert!(!well && told.contains("joined by `?`"), "{told}");
}

/// A float stays one: to a program that reads `1.0`, `1` may be another number.
#[test]
fn floats_keep_their_points() {
    let out = script(
        &(mega(2)
            + &run("nodes = 1
                launch = python(\"t.py\", args = { limit = 1.0, part = 0.5, least = 0.00001, steps = 10 })
                env = { LIMIT = 1.0, STEPS = 10, TEXT = \"${2.0}\" }")),
    );
    for word in [
        "--limit=1.0",
        "--part=0.5",
        "--least=0.00001",
        "--steps=10",
        "LIMIT=1.0",
        "STEPS=10",
        "TEXT=2.0",
    ] {
        let alone = |line: &str| line.split_whitespace().any(|it| it.trim_matches('\'') == word);
        assert!(out.lines().any(alone), "{word}: {out}");
    }
}

/// The header and the step of a job of one group ask for the same.
#[test]
fn headers_and_steps_agree() {
    let asked = |fields: &str| {
        let script =
            script(&(mega(2) + &run(&format!("nodes = 2\nlaunch = srun([\"a\"])\n{fields}"))));
        let of = |name: &str| {
            let options = directives(&script);
            options.iter().find_map(|it| it.strip_prefix(name).map(str::to_owned))
        };
        let step = script.lines().find(|line| line.starts_with("cpus=")).unwrap().to_owned();
        (of("--ntasks-per-node="), of("--cpus-per-task="), of("--mem="), step)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        asked("processes = 4\ncpus = 96\nmemory = 512GiB"),
        (text("4"), text("24"), text("524288M"), "cpus=24".to_owned())
    );
    assert_eq!(
        asked(""),
        (text("8"), None, text("0"), "cpus=$((SLURM_CPUS_ON_NODE / 8))".to_owned())
    );
}

/// A container is saved under another name until its job has ended well, and who starts from the file does not ask for it before; who
/// submits jobs of its own does. An import on a node says whose use of it that is.
#[test]
fn a_container_is_saved() {
    let text = mega(8)
        + &run("nodes = 1
            launch = command([\"pip\", \"install\", \"einops\"])
            batch = { save = \"./own.sqsh\", account = \"llm\" }")
        + "
workload next on hpc.gpu {
  image  = squashfs(\"./own.sqsh\")
  launch = torchrun(\"train.py\")
  nodes  = 2
  batch  = { dependency = [afterok(pretrain)] }
}

workload own on hpc.gpu {
  image  = squashfs(\"./own.sqsh\")
  launch = submitter([\"python3\", \"main.py\"])
  nodes  = 2
}
";
    let out = rendered(&text);
    let script = out.file(SCRIPT);
    for part in [
        "saved=\"$SLURM_SUBMIT_DIR\"/own.sqsh\n",
        "container+=(--container-save=\"$saved.$SLURM_JOB_ID\")\n",
        "if ((status == 0)); then\n  mv -- \"$saved.$SLURM_JOB_ID\" \"$saved\" || status=$?\nelse\n",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
    let submit = out.file(SUBMIT);
    assert!(submit.contains(" --partition=gpu --account=llm --nodes=1 "), "{submit}");
    // sbatch takes its variables before what a script says
    let wins = "# Options of all jobs that come of it. They win against those that its scripts say";
    assert!(out.file("50-workloads/own/submit.sh").contains(wins));
    let missing = "./own.sqsh is not here";
    assert!(!out.file("50-workloads/next/submit.sh").contains(missing));
    assert!(out.file("50-workloads/own/submit.sh").contains(missing));
}

/// sbatch takes segments and switches of one component for no other, so each says its own.
#[test]
fn each_component_stands_close_together() {
    let text = |batch: &str| {
        format!(
            r#"existing cluster hpc on slurm {{
  release = "25.11"
  partition gpu {{
    machine = "a4x-highgpu-4g"
    nodes   = 36
  }}
  partition more {{
    machine = "a4x-highgpu-4g"
    nodes   = 36
  }}
  partition cpu {{
    machine = "n2-standard-8"
    nodes   = 3
  }}
  partition one {{
    machine = "n2-standard-16"
    nodes   = 1
  }}
}}

workload pretrain on hpc.gpu {{
  image  = "nvcr.io/nvidia/nemo:25.04"
  launch = python("train.py")
  nodes  = 8
  batch  = {{ {batch} }}
{groups}}}
"#,
            groups = [("reward", "more", 12), ("prepare", "cpu", 3), ("judge", "one", 1)].map(
                |(name, partition, nodes)| format!(
                    "  group {name} on hpc.{partition} {{\n    image = \"nvcr.io/nvidia/nemo:25.04\"\n    launch = python(\"x.py\")\n    nodes = {nodes}\n  }}\n"
                )
            )
            .concat()
        )
    };
    let said = |batch: &str| {
        let script = script(&text(batch));
        let component = |text: &str| {
            let mut lines = text.lines().filter_map(|line| line.strip_prefix("#SBATCH --"));
            lines
                .find(|line| line.starts_with("segment") || line.starts_with("switches"))
                .unwrap_or_default()
                .to_owned()
        };
        script.split("#SBATCH hetjob").map(component).collect::<Vec<_>>()
    };
    assert_eq!(said("segment = 4"), ["segment=4", "segment=4", "", ""]);
    assert_eq!(said("switches = switches(2)"), ["switches=2", "switches=2", "switches=2", ""]);
    assert_eq!(said(""), ["segment=8", "segment=12", "", ""]);
}

/// NeMo's launcher starts from an image with the variables of the nodes' network in it. One node has no network, and needs none of them.
#[test]
fn the_launcher_of_nemo() {
    let launcher = |said: &str| {
        let cluster = mega(8);
        format!(
            "use std.components.{{nemo_launcher}}\n\n{cluster}\nnemo_launcher gpt on hpc.gpu {{\n{said}\n}}\n"
        )
    };
    let (setup, train) =
        ("50-workloads/gpt-setup/gpt-setup.sbatch", "50-workloads/gpt-train/submit.sh");
    let out = rendered(&launcher("nodes = 8\nfolders = [\"/lake\"]"));
    for part in [
        "container+=(--container-save=\"$saved.$SLURM_JOB_ID\")",
        "LD_LIBRARY_PATH=/var/lib/tcpxo/lib64",
        "NCCL_FASTRAK_CTRL_DEV=enp0s12",
        "echo \"$variable\" >>/etc/environment",
    ] {
        assert!(out.file(setup).contains(part), "{part}: {}", out.file(setup));
    }
    for (part, stands) in [
        ("./nemofw.sqsh is not here", true),
        ("container_mounts=[", true),
        ("/lake", true),
        ("env_vars", false),
        ("trainer.devices", false),
    ] {
        assert_eq!(out.file(train).contains(part), stands, "{part}: {}", out.file(train));
    }
    let alone = rendered(&launcher("nodes = 1"));
    assert!(!alone.file(setup).contains("NCCL_"));
    // so it is no file for several
    assert!(alone.file(train).contains("./nemofw-1.sqsh is not here"));
    assert!(!alone.file(train).contains("container_mounts"));
    // Hydra leaves what is escaped to the shell of the job
    let high = launcher("nodes = 2").replace("a3-megagpu-8g", "a3-highgpu-8g");
    let high = rendered(&high);
    let socket = "/run/tcpx-\\${SLURM_JOB_ID}:/run/tcpx-\\${SLURM_JOB_ID}";
    assert!(high.file(train).contains(socket), "{}", high.file(train));
}
