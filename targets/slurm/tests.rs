//! Blueprints rendered for Slurm: what the scripts say, and what is refused.

use super::{Job, Slurm, TEMPLATES};
use crate::launch::Word;
use crate::shell;
use crate::shell::tests::words;
use crate::template::HeaderOption;
use crate::testing::{Blueprint, Fields, gib, list, mount, record, seconds, variant};
use crate::{Output, Target};
use proptest::prelude::*;
use slipform_model::nouns::Body;
use slipform_model::{Deferred, NounId, Value};

/// A cluster with a partition of its own.
struct Site {
    blueprint: Blueprint,
    cluster: NounId,
    partition: NounId,
}

fn site(existing: bool, cluster: Fields<'_>, partition: Fields<'_>) -> Site {
    let mut blueprint = Blueprint::new();
    let kind = "cluster on slurm";
    let cluster = if existing {
        blueprint.existing(kind, "hpc", cluster)
    } else {
        blueprint.noun(kind, "hpc", cluster)
    };
    let partition = blueprint.inside(cluster, "partition", "gpu", partition);
    Site { blueprint, cluster, partition }
}

fn mega(nodes: i64) -> Site {
    site(
        true,
        &[("release", "25.11".into())],
        &[("machine", "a3-megagpu-8g".into()), ("nodes", nodes.into())],
    )
}

impl Site {
    fn workload(&mut self, fields: Fields<'_>) -> NounId {
        let mut all =
            vec![("place", self.blueprint.to(self.partition)), ("image", variant("string", &[]))];
        all[1].1 = "nvcr.io/nvidia/nemo:24.07".into();
        all.extend(fields.iter().cloned());
        self.blueprint.noun("workload", "pretrain", &all)
    }

    fn render(self) -> Output {
        let mut out = Output::default();
        Slurm.render(&self.blueprint.plan(), &mut out);
        out
    }
}

fn torchrun(args: Fields<'_>) -> Value {
    variant(
        "torchrun",
        &[("script", "pretrain_gpt.py".into()), ("args", record(args)), ("module", false.into())],
    )
}

fn file<'a>(out: &'a Output, name: &str) -> &'a str {
    let found = out.artifacts.iter().find(|it| it.path.file_name() == Some(name));
    found.map_or_else(|| panic!("no {name}: {:#?}", out.diagnostics), |it| it.content.as_str())
}

#[test]
fn a_training_run() {
    let mut site = mega(32);
    let data = site.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let data = site.blueprint.to(data);
    let scratch = variant("scratch", &[("size", gib(2048))]);
    let secret = variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]);
    site.workload(&[
        ("nodes", 16.into()),
        ("launch", torchrun(&[("max_steps", 10.into()), ("mock", true.into())])),
        ("mounts", list([mount(data, "/data"), mount(scratch, "/scratch")])),
        ("env", record(&[("HF_TOKEN", secret), ("GREETING", "it's me".into())])),
        ("restarts", 3.into()),
        ("max_run", seconds(259_200)),
    ]);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    assert!(
        out.artifacts
            .iter()
            .any(|it| it.executable && it.path == "50-workloads/pretrain/submit.sh")
    );
    insta::assert_snapshot!("training_run", file(&out, "pretrain.sbatch"));
    insta::assert_snapshot!("submission", file(&out, "submit.sh"));
}

/// Everything that a rank of its own needs differs from what a launcher needs.
#[test]
fn ranks_are_started_by_slurm() {
    let mut site = site(
        true,
        &[("release", "26.05".into())],
        &[("machine", "a4x-highgpu-4g".into()), ("nodes", 36.into())],
    );
    site.workload(&[("nodes", 36.into()), ("launch", argv("srun", &["python", "train.py"]))]);
    insta::assert_snapshot!(file(&site.render(), "pretrain.sbatch"));
}

#[test]
fn a_cluster_of_ones_own() {
    let mut site = site(
        false,
        &[("controllers", list(["head1(10.0.0.10)".into(), "head2(10.0.0.11)".into()]))],
        &[
            ("machine", "hgx-h100".into()),
            ("nodes", 8.into()),
            ("hosts", "dgx[001-008]".into()),
            ("first_address", Value::Address("10.0.1.1".parse().unwrap())),
            ("switch_nodes", 4.into()),
            ("default", true.into()),
            ("max_time", seconds(259_200)),
        ],
    );
    let same = [
        ("machine", "hgx-h100".into()),
        ("nodes", 8.into()),
        ("hosts", "dgx[001-008]".into()),
        ("tier", 10.into()),
    ];
    site.blueprint.inside(site.cluster, "partition", "urgent", &same);
    let cpu =
        [("machine", "n2-standard-8".into()), ("nodes", 1.into()), ("exclusive", false.into())];
    site.blueprint.inside(site.cluster, "partition", "prep", &cpu);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    let files: String =
        out.artifacts.iter().map(|it| format!("--- {}\n{}", it.path, it.content)).collect();
    insta::assert_snapshot!(files);
}

/// The settings of a rendered slurm.conf that have this name.
fn setting<'a>(out: &'a Output, name: &str) -> Option<&'a str> {
    let lines = file(out, "slurm.conf").lines();
    lines
        .filter_map(|line| line.split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// The second of two controllers goes on from what the first has left, so both see it.
#[test]
fn two_controllers_share_their_state() {
    let state = |controllers: &[&str]| {
        let hosts = list(controllers.iter().map(|host| Value::from(*host)));
        let fields = [("controllers", hosts), ("shared", "/mnt/home/".into())];
        let machine = [("machine", "hgx-h100".into()), ("nodes", 2.into())];
        let out = site(false, &fields, &machine).render();
        setting(&out, "StateSaveLocation").map(str::to_owned)
    };
    assert_eq!(state(&["head1"]).as_deref(), Some("/var/spool/slurmctld"));
    assert_eq!(state(&["head1", "head2(10.0.0.2)"]).as_deref(), Some("/mnt/home/slurmctld/hpc"));
}

/// Preemption is between tiers; where it happens, scripts are warned and have their grace.
#[test]
fn jobs_are_preempted_between_tiers_only() {
    let floor = |tier: i64, requeue: bool, release: &str| {
        let partition =
            [("machine", "hgx-h100".into()), ("nodes", 2.into()), ("hosts", "dgx[1-2]".into())];
        let cluster = [("requeue", requeue.into()), ("release", release.into())];
        let mut site = site(false, &cluster, &partition);
        let mut same = partition.to_vec();
        same.push(("tier", tier.into()));
        site.blueprint.inside(site.cluster, "partition", "urgent", &same);
        site.workload(&[("nodes", 2.into()), ("grace", seconds(600))]);
        site.render()
    };
    let one = floor(1, true, "24.05");
    assert_eq!((setting(&one, "PreemptType"), setting(&one, "PreemptMode")), (None, None));
    assert!(!file(&one, "slurm.conf").contains("GraceTime"));
    let two = floor(10, true, "24.05");
    assert_eq!(setting(&two, "PreemptType"), Some("preempt/partition_prio"));
    assert_eq!(setting(&two, "PreemptMode"), Some("REQUEUE"));
    assert_eq!(setting(&two, "PreemptParameters"), Some("send_user_signal"));
    // older releases stop at a setting that they do not know
    let older = floor(10, true, "22.05");
    assert_eq!(setting(&older, "PreemptParameters"), None);
    assert_eq!(setting(&older, "SlurmctldParameters"), Some("preempt_send_user_signal"));
    let graces: Vec<bool> = file(&two, "slurm.conf")
        .lines()
        .filter(|line| line.starts_with("PartitionName="))
        .map(|line| line.contains(" GraceTime=600 "))
        .collect();
    assert_eq!(graces, [true, false]);
    assert_eq!(setting(&two, "KillWait"), Some("600"));
    assert_eq!(setting(&floor(10, false, "24.05"), "PreemptMode"), Some("CANCEL"));
}

/// A long timeout of messages is for the long prologs of some machines; a second controller would take over too late.
#[test]
fn a_second_controller_is_not_kept_waiting() {
    let timeouts = |controllers: &[&str]| {
        let hosts = list(controllers.iter().map(|host| Value::from(*host)));
        let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
        let out = site(false, &[("controllers", hosts)], &machine).render();
        let text = |name| setting(&out, name).unwrap_or_default().to_owned();
        (text("MessageTimeout"), text("UnkillableStepTimeout"), text("PrologEpilogTimeout"))
    };
    let shown = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
    assert_eq!(timeouts(&["head1"]), shown("600", "3000", "600"));
    assert_eq!(timeouts(&["head1", "head2"]), shown("100", "500", "600"));
}

/// The page beside the files says what they take for granted, in the words of this cluster.
#[test]
fn the_page_of_a_cluster_names_what_it_needs() {
    let fields = [
        ("controllers", list(["head1(10.0.0.10)".into(), "head2".into()])),
        ("release", "24.05".into()),
    ];
    let out = site(false, &fields, &[("machine", "hgx-h100".into()), ("nodes", 2.into())]).render();
    let page = file(&out, "README.md");
    for needed in [
        "munge.key",
        "ssh head1 sudo",
        "ssh head2 sudo",
        "/shared/slurmctld/hpc",
        "Slurm 24.05",
        "pyxis",
        "`/usr/local/lib/slurm/spank_pyxis.so`",
        "ENROOT_RUNTIME_PATH /run/enroot/user-$(id -u)\nENROOT_DATA_PATH /var/lib/enroot/user-$(id -u)\n",
        "systemd-tmpfiles --create",
        "nvidia-container-cli",
        "nvidia-fabricmanager",
        "kernel.apparmor_restrict_unprivileged_userns=0",
        "--nodes=2 --ntasks-per-node=1 --gpus-per-node=8 --container-image=",
        "nvidia-smi",
        "6818",
        "any port: the script of a job runs on its first node",
        "`slurmd -C`",
        "`hostname -s`",
        "50-slurm-pmi.sh",
    ] {
        assert!(page.contains(needed), "{needed}: {page}");
    }
}

/// One node, or the host of the submission, imports the image for all.
/// A bare name would be looked for among Slurm's own plugins, where pyxis does not install itself.
#[test]
fn the_container_plugin_is_named_where_it_is() {
    let out = site(false, &[], &[("machine", "hgx-h100".into()), ("nodes", 2.into())]).render();
    let plugins = file(&out, "plugstack.conf");
    assert!(plugins.contains("\nrequired /usr/local/lib/slurm/spank_pyxis.so\n"), "{plugins}");
}

/// Folders and programs that jobs take for granted stand on the page of their cluster, with who writes there.
#[test]
fn the_page_of_a_cluster_names_what_its_jobs_need() {
    let mut site = site(false, &[], &[("machine", "hgx-h100".into()), ("nodes", 2.into())]);
    let storage = variant("path", &[("folder", "/mnt/lake".into())]);
    let lake = site.blueprint.noun("filesystem", "lake", &[("storage", storage)]);
    let lake = site.blueprint.to(lake);
    let secret = variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]);
    let script = [("script", "/work/src/train.py".into()), ("args", record(&[]))];
    let script = [&script[..], &[("module", false.into())]].concat();
    site.workload(&[
        ("mounts", list([mount(lake, "/work")])),
        ("launch", variant("torchrun", &script)),
        ("env", record(&[("HF_TOKEN", secret)])),
    ]);
    let out = site.render();
    let page = file(&out, "README.md");
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

#[test]
fn an_image_is_imported_once() {
    let mut site = mega(8);
    site.workload(&[("nodes", 2.into()), ("image", "us-east4-docker.pkg.dev/p/r/i:v1".into())]);
    let out = site.render();
    let submit = file(&out, "submit.sh");
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
    let script = |requeue: bool, fields: Fields<'_>| {
        let cluster = [("requeue", requeue.into())];
        let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
        let mut site = site(true, &cluster, &machine);
        site.workload(fields);
        file(&site.render(), "pretrain.sbatch").to_owned()
    };
    let (preempted, failed, over, asked) =
        ("a job of a higher tier", "failures < 3", "the longest run is over", "why=\"asked to end");
    let restarts = ("restarts", Value::from(3));
    let max_run = ("max_run", seconds(7200));
    for (requeue, fields, says) in [
        (true, vec![], vec![preempted]),
        (true, vec![restarts.clone()], vec![preempted, failed, asked]),
        (true, vec![restarts.clone(), max_run.clone()], vec![preempted, failed, over, asked]),
        (false, vec![restarts], vec![failed, asked]),
        (false, vec![max_run], vec![]),
    ] {
        let script = script(requeue, &fields);
        for part in [preempted, failed, over, asked] {
            assert_eq!(script.contains(part), says.contains(&part), "{part}: {script}");
        }
        assert_eq!(script.contains("scontrol requeue"), !says.is_empty(), "{script}");
        assert_eq!(script.contains("count=/shared/logs/"), says.contains(&failed), "{script}");
        let option = if says.is_empty() { "--no-requeue" } else { "--requeue" };
        assert!(directives(&script).unwrap().iter().any(|it| it == option), "{script}");
    }
}

/// Folders of a filesystem are made where a job writes to them, and looked for where it only reads.
#[test]
fn mounted_folders_are_there_before_the_training() {
    let mut site = mega(2);
    let storage = variant("path", &[("folder", "/mnt/lake".into())]);
    let lake = site.blueprint.noun("filesystem", "lake", &[("storage", storage)]);
    let lake = site.blueprint.to(lake);
    let part = |folder: &str, read_only: bool| {
        let mut fields = vec![("source", lake.clone()), ("path", format!("/{folder}").into())];
        fields.extend([("folder", folder.into()), ("read_only", read_only.into())]);
        fields.push(("use", "data".into()));
        variant("mount", &fields)
    };
    site.workload(&[("mounts", list([part("data", true), part("results", false)]))]);
    let out = site.render();
    let script = file(&out, "pretrain.sbatch");
    assert!(script.contains("mkdir -p -- /mnt/lake/results || leave \"$?\"\n"), "{script}");
    assert!(script.contains("if [[ ! -d /mnt/lake/data ]]; then\n"), "{script}");
    assert!(!script.contains("mkdir -p -- /mnt/lake/data"), "{script}");
}

/// What fails before the training is a failure like its own: it is counted, and the job goes back to the queue.
#[test]
fn a_mount_that_fails_does_not_end_the_job_for_good() {
    let script = |restarts: i64, requeue: bool| {
        let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
        let mut site = site(true, &[("requeue", requeue.into())], &machine);
        let data = site.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
        let data = site.blueprint.to(data);
        let scratch = variant("scratch", &[("size", gib(10))]);
        let mounts = list([mount(data, "/data"), mount(scratch, "/scratch")]);
        site.workload(&[("mounts", mounts), ("restarts", restarts.into())]);
        file(&site.render(), "pretrain.sbatch").to_owned()
    };
    let ends = |script: &str, word: &str| script.matches(&format!(" || {word} \"$?\"\n")).count();
    let counted = script(3, true);
    assert_eq!(ends(&counted, "leave"), 2, "{counted}");
    let position = |part: &str| counted.find(part).unwrap_or_else(|| panic!("{part}: {counted}"));
    assert!(position("leave() {") < position("srun --job-name=scratch"), "{counted}");
    let once = script(0, false);
    assert_eq!((ends(&once, "leave"), ends(&once, "exit")), (0, 2), "{once}");
}

/// What is mounted later hides what is below it.
#[test]
fn a_folder_is_mounted_before_those_below_it() {
    let mut site = mega(2);
    let scratch = || variant("scratch", &[("size", gib(1))]);
    let mounts = list([mount(scratch(), "/work/inner"), mount(scratch(), "/work")]);
    site.workload(&[("mounts", mounts)]);
    let out = site.render();
    let script = file(&out, "pretrain.sbatch");
    let position = |part: &str| script.find(part).unwrap_or_else(|| panic!("{part}: {script}"));
    assert!(position(":/work\n") < position(":/work/inner\n"), "{script}");
}

/// A node keeps what an attempt that was killed there has left, under names that the next attempt uses again.
#[test]
fn what_an_attempt_has_left_is_in_no_ones_way() {
    let script = |restarts: i64, requeue: bool| {
        let machine = [("machine", "a3-megagpu-8g".into()), ("nodes", 2.into())];
        let mut site = site(true, &[("requeue", requeue.into())], &machine);
        let data = site.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
        let data = site.blueprint.to(data);
        let mounts = list([mount(data, "/data")]);
        site.workload(&[("mounts", mounts), ("restarts", restarts.into())]);
        file(&site.render(), "pretrain.sbatch").to_owned()
    };
    let again = script(3, true);
    let position = |part: &str| again.find(part).unwrap_or_else(|| panic!("{part}: {again}"));
    let unmounted = position("fusermount -uz \"$1\"");
    assert!(unmounted < position("mkdir -p -- \"$1\""), "{again}");
    assert!(position("fusermount -uz \"$bucket\"") < position("find \"$1\""), "{again}");
    assert!(position("enroot remove --force") < position("srun --job-name=train"), "{again}");
    assert!(!script(0, false).contains("enroot remove"));
}

/// Buckets are mounted as the nodes, so a job says when these are somebody else.
#[test]
fn a_job_says_who_its_nodes_should_be() {
    let mut site = mega(2);
    let nodes = site.blueprint.noun("identity", "trainer", &[]);
    let Some(span) = site.blueprint.model.get(nodes).map(|noun| noun.span) else { panic!("made") };
    let cluster = site.cluster;
    let Body::SlurmCluster(body) = &mut site.blueprint.at(cluster).body else { panic!("made") };
    body.node_identity = Some(slipform_source::Spanned { value: nodes, span });
    site.workload(&[]);
    let out = site.render();
    let script = file(&out, "pretrain.sbatch");
    assert!(script.contains("!= trainer@my-project-1.iam.gserviceaccount.com ]]"), "{script}");
}

fn argv(launch: &str, words: &[&str]) -> Value {
    variant(
        launch,
        &[("argv", list(words.iter().map(|word| Value::from(*word)))), ("args", record(&[]))],
    )
}

#[test]
fn the_header_follows_the_workload_and_the_release() {
    let header = |site: Site, patch: Option<Value>, fields: Fields<'_>| {
        let mut site = site;
        let id = site.workload(fields);
        if let Some(patch) = patch {
            site.blueprint.patch(id, "sbatch", patch);
        }
        let out = site.render();
        assert_eq!(out.diagnostics, []);
        directives(file(&out, "pretrain.sbatch")).unwrap()
    };
    let two: Fields<'_> = &[("nodes", 2.into())];
    let has = |options: &[String], option: &str| options.iter().any(|it| it == option);

    let plain = header(mega(8), None, two);
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
    assert!(!plain.iter().any(|it| it.starts_with("--time") || it.starts_with("--switches")));

    let ranks = header(
        mega(8),
        None,
        &[("nodes", 2.into()), ("launch", argv("srun", &["a"])), ("restarts", 1.into())],
    );
    assert!(has(&ranks, "--ntasks-per-node=8") && has(&ranks, "--requeue"));

    let patch = record(&[
        ("qos", "high #1".into()),
        ("time", seconds(5400)),
        ("exclusive", false.into()),
        ("hold", true.into()),
    ]);
    let patched = header(mega(8), Some(patch), two);
    for option in ["--qos=high #1", "--time=0-01:30:00", "--hold"] {
        assert!(has(&patched, option), "{option}: {patched:?}");
    }
    assert!(!has(&patched, "--exclusive"));

    let nvl = |release: &str| {
        site(
            true,
            &[("release", release.into())],
            &[("machine", "a4x-highgpu-4g".into()), ("nodes", 36.into())],
        )
    };
    assert!(has(&header(nvl("25.05"), None, &[("nodes", 32.into())]), "--segment=16"));
    assert!(
        !header(nvl("23.11"), None, &[("nodes", 32.into())])
            .iter()
            .any(|it| it.starts_with("--segment"))
    );

    let leaves = |nodes: i64| {
        site(
            false,
            &[],
            &[("machine", "hgx-h100".into()), ("nodes", nodes.into()), ("switch_nodes", 4.into())],
        )
    };
    assert!(has(&header(leaves(16), None, &[("nodes", 6.into())]), "--switches=2@01:00:00"));
    assert!(
        !header(leaves(8), None, &[("nodes", 8.into())])
            .iter()
            .any(|it| it.starts_with("--switches"))
    );
}

/// Fields of a workload, what is added to it, and the code of what is said.
type Case<'a> = (Fields<'a>, fn(&mut Site, NounId), &'a str);

#[test]
fn what_slurm_cannot_do_is_said() {
    let codes = |fields: Fields<'_>, change: fn(&mut Site, NounId)| {
        let mut site = mega(8);
        let id = site.workload(fields);
        change(&mut site, id);
        let out = site.render();
        let codes: Vec<String> = out.diagnostics.iter().map(|it| it.code.to_string()).collect();
        (codes.join(" "), out.artifacts.is_empty())
    };
    let nothing: fn(&mut Site, NounId) = |_, _| {};
    let cases: &[Case<'_>] = &[
        (&[("grace", seconds(86_400))], nothing, "slurm/grace"),
        (
            &[("mounts", list([mount(variant("scratch", &[("size", gib(1))]), "/a:b")]))],
            nothing,
            "slurm/mount-path",
        ),
        (
            &[],
            |site, id| site.blueprint.patch(id, "sbatch", record(&[("qoss", "x".into())])),
            "slurm/patch",
        ),
        (
            &[],
            |site, id| site.blueprint.patch(id, "sbatch", record(&[("comment", "a\nb".into())])),
            "text/spelling",
        ),
        (&[("env", record(&[("A", "x\0y".into())]))], nothing, "text/spelling"),
    ];
    for (fields, change, code) in cases {
        assert_eq!(codes(fields, *change), ((*code).to_owned(), true), "{fields:?}");
    }
}

/// A value that Terraform knows is read when the job is submitted, and asked for where it is used.
#[test]
fn later_values_come_from_the_submission() {
    let mut site = mega(8);
    let storage = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let home = site.blueprint.noun(
        "filesystem",
        "home",
        &[("storage", storage), ("location", "us-east4-a".into())],
    );
    let address = Value::Deferred(Deferred { noun: home, field: "address".into() });
    let home = site.blueprint.to(home);
    site.workload(&[
        ("nodes", 2.into()),
        ("launch", torchrun(&[("server", address)])),
        ("mounts", list([mount(home, "/home/shared")])),
    ]);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    let script = file(&out, "pretrain.sbatch");
    assert!(script.contains(": \"${home_address:?"), "{script}");
    assert!(script.contains("train pretrain_gpt.py --server=\"${home_address}\" &"), "{script}");
    assert!(script.contains("  /home/shared:/home/shared\n"), "{script}");
    let submit = file(&out, "submit.sh");
    assert!(
        submit.contains("terraform -chdir=\"$here\"/../../10-foundation output -raw home_address"),
        "{submit}"
    );
}

/// What changes nothing about the run is no reason to refuse it.
#[test]
fn an_identity_does_not_matter() {
    let mut site = mega(8);
    let trainer = site.blueprint.noun("identity", "trainer", &[]);
    let trainer = site.blueprint.to(trainer);
    site.workload(&[("nodes", 2.into()), ("identity", trainer)]);
    let out = site.render();
    assert_eq!(out.diagnostics, []);
    assert!(file(&out, "pretrain.sbatch").contains("--nodes=2"));
}

#[test]
fn a_cluster_that_cannot_start_is_refused() {
    let code = |mut site: Site, more: Fields<'_>| {
        if !more.is_empty() {
            site.blueprint.inside(site.cluster, "partition", "more", more);
        }
        site.render().diagnostics.first().map(|it| it.code.to_string())
    };
    let declared = |fields: Fields<'_>| site(false, &[], fields);
    let dgx: Fields<'_> =
        &[("machine", "hgx-h100".into()), ("nodes", 4.into()), ("hosts", "dgx[1-4]".into())];
    let part: Fields<'_> =
        &[("machine", "hgx-h100".into()), ("nodes", 2.into()), ("hosts", "dgx[1-2]".into())];
    assert_eq!(code(declared(dgx), part).as_deref(), Some("slurm/hosts"));
    assert_eq!(code(declared(dgx), dgx), None);
    assert_eq!(
        code(declared(&[("machine", "l40s-8".into()), ("nodes", 1.into())]), &[]).as_deref(),
        Some("slurm/node-facts")
    );
    let last = Value::Address("255.255.255.254".parse().unwrap());
    let beyond = [("machine", "hgx-h100".into()), ("nodes", 4.into()), ("first_address", last)];
    assert_eq!(code(declared(&beyond), &[]).as_deref(), Some("slurm/addresses"));
}

/// The options of a header as sbatch reads them: quotes group, a backslash escapes, a bare `#` ends the line, and the
/// first line that is no comment ends the header. `None` where a line is no sound option.
fn directives(script: &str) -> Option<Vec<String>> {
    let mut options = Vec::new();
    for line in script.lines().take_while(|line| line.is_empty() || line.starts_with('#')) {
        let Some(text) = line.strip_prefix("#SBATCH ") else { continue };
        let (mut word, mut quote, mut chars) = (String::new(), None, text.chars());
        while let Some(c) = chars.next() {
            match (c, quote) {
                ('\\', _) => word.push(chars.next()?),
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('#', None) => break,
                (c, None) if c.is_whitespace() => return None,
                (c, _) => word.push(c),
            }
        }
        if quote.is_some() || !word.starts_with("--") {
            return None;
        }
        options.push(word);
    }
    Some(options)
}

/// A script with one text in every place that takes a text of the blueprint.
fn script_with(text: &str) -> String {
    let word = || Word::from(text);
    let job = Job {
        title: "t".into(),
        env: vec![super::job::Variable { name: "A".into(), value: word() }],
        secrets: vec![super::job::Secret {
            variable: "B".into(),
            note: "s".into(),
            file: text.to_owned(),
            help: text.to_owned(),
        }],
        tasks: 1,
        processes: 8,
        image: text.to_owned(),
        squashfs: text.to_owned(),
        workdir: Some(text.to_owned()),
        mounts: vec![super::mounts::MountLine {
            node_local: true,
            text: text.to_owned(),
            depth: 1,
        }],
        launcher: "torchrun",
        command: vec![word(), word()],
        ..Job::default()
    };
    TEMPLATES.render("job.sbatch", &job).unwrap()
}

proptest! {
    #[test]
    fn a_header_says_what_was_meant(values in prop::collection::vec("\\PC{0,12}", 1..4)) {
        let option = |(at, value): (usize, &String)| HeaderOption {
            name: ["comment", "qos", "account"][at].to_owned(),
            value: Some(value.clone()),
        };
        let options: Vec<HeaderOption> = values.iter().enumerate().map(option).collect();
        let meant: Vec<String> = options.iter().map(|it| format!("--{}={}", it.name, it.value.as_ref().unwrap())).collect();
        let script = TEMPLATES.render("job.sbatch", &Job { options, tasks: 1, ..Job::default() }).unwrap();
        prop_assert_eq!(directives(&script), Some(meant));
    }

    #[test]
    fn no_text_leaves_its_place(text in "([^\0]|'|\"|\\$\\(id\\)|`id`|\n|\\\\){1,16}") {
        // a text with the marks of a quoted one would match more than its own places
        prop_assume!(shell::quote(&text).starts_with('\''));
        let plain = script_with("'plain'");
        let other = script_with(&text);
        let (quoted, of_plain) = (shell::quote(&text), shell::quote("'plain'"));
        let places = plain.matches(&of_plain).count();
        prop_assert_eq!(places, 9);
        prop_assert_eq!(words(&quoted), Some(vec![text]));
        let parts: Vec<&str> = plain.split(&of_plain).collect();
        prop_assert_eq!(other, parts.join(&quoted));
    }
}
