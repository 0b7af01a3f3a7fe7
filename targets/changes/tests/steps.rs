//! Commands of several changes in one order.

use slipform_changes::{Turn, as_applied, in_steps};

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|it| (*it).to_owned()).collect()
}

/// The commands of changes, each a list, in the order that they come to.
fn ordered(changes: &[&[&str]]) -> Vec<(usize, String)> {
    let all = changes.iter().enumerate();
    let all = all.flat_map(|(at, it)| it.iter().map(move |it| (at, (*it).to_owned())));
    in_steps(all.collect(), &[])
}

/// A share that is made anew while another one leaves, with a list of its own: hosts let go of both before either is destroyed.
#[test]
fn hosts_let_go_of_all_that_an_apply_may_destroy() {
    let found = ordered(&[
        &[
            "for partition in $(sinfo); do scontrol update State=DRAIN; done  # on a login node of hpc: jobs that there are end first",
            "squeue  # on a login node of hpc, until it lists none",
            "sudo umount --lazy /home  # on each controller of hpc and on each machine to submit to it from, before any folder is applied",
            "echo home | sudo tee -a /etc/fstab && sudo mkdir -p /home && sudo mount /home  # on each controller of hpc and on each machine to submit to it from, once it is deployed",
            "gcloud filestore backups create home-before --instance=home  # before it is applied, where what it holds is to be kept",
            "terraform -chdir=10-foundation apply",
            "gcloud filestore instances restore home --zone=z  # once that is applied, before anything mounts it",
        ],
        &[
            "gcluster create 30-hpc/cluster.yaml",
            "gcluster deploy hpc",
            "sudo umount /projects && sudo sed -i x /etc/fstab  # on each controller of hpc and on each machine to submit to it from, once it is deployed",
        ],
    ]);
    let starts = [
        "for partition",
        "squeue",
        "sudo umount --lazy /home",
        "sudo umount --lazy /projects",
        "gcloud filestore backups",
        "terraform",
        "gcloud filestore instances restore",
        "gcluster create",
        "gcluster deploy",
        "echo home",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for ((_, command), start) in found.iter().zip(starts) {
        assert!(command.starts_with(start), "{start}: {found:#?}");
    }
    // each is told no later than what comes behind it
    assert!(found.is_sorted_by_key(|(change, _)| *change), "{found:#?}");
    let commands: Vec<String> = found.into_iter().map(|(_, it)| it).collect();
    let applied = |all: [&str; 3]| all.map(|it| Turn::Apply(it.to_owned())).to_vec();
    let folders = applied(["30-hpc", "10-foundation", "50-workloads/train"]);
    let wanted = applied(["10-foundation", "30-hpc", "50-workloads/train"]);
    assert_eq!(as_applied(folders, &commands), wanted);
}

/// What is held is saved before the cluster goes, whichever change says so, and hosts that are made anew are told nothing.
#[test]
fn nothing_is_saved_of_a_cluster_that_is_gone() {
    let found = ordered(&[
        &[
            "gcluster destroy lab  # before any folder is applied",
            "terraform -chdir=10-foundation apply",
            "gcluster create 30-lab/cluster.yaml",
            "gcluster deploy lab",
        ],
        &[
            "for partition in $(sinfo); do scontrol update State=DRAIN; done  # on a login node of lab: jobs that there are end first",
            "squeue  # on a login node of lab, until it lists none",
            "gcloud compute ssh x --command='sudo tar home' >lab-home.tgz  # here, before its disk goes",
            "read -r CONTROLLER ZONE <<<\"$(gcloud --filter='labels.slurm_cluster_name=lab AND x')\"  # here: the controller, before it goes",
            "scontrol update NodeName=lab-cpu-[0-9] State=POWER_DOWN_ASAP  # on a login node of lab, once it is deployed",
        ],
        &["packer build 25-machine-images/base"],
    ]);
    let starts = [
        "for partition",
        "squeue",
        "read -r CONTROLLER",
        "gcloud compute ssh",
        "test -s lab-home.tgz && gcluster destroy",
        "terraform",
        "packer build",
        "gcluster create",
        "test -s lab-home.tgz && gcluster deploy",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for ((_, command), start) in found.iter().zip(starts) {
        assert!(command.starts_with(start), "{start}: {found:#?}");
    }
}

/// A share that a cluster lets go of, and nothing else, is kept once nobody writes to it; and others are left as they are.
#[test]
fn what_only_goes_is_kept_last() {
    let kept = "gcloud filestore backups create projects-before --instance=projects  # before it is applied, where what it holds is to be kept";
    let found = ordered(&[
        &[kept],
        &[
            "gcluster deploy lab --skip=image",
            "sudo umount /projects && sudo sed -i x /etc/fstab  # on each controller of lab and on each machine to submit to it from, once it is deployed",
            "sinfo --Node --states=draining  # on a login node of lab, until it lists none: they mount what goes until then",
        ],
    ]);
    assert!(found.last().is_some_and(|(_, it)| it == kept), "{found:#?}");
    let own = [&["scontrol reconfigure  # on a controller", "squeue  # on a controller"][..]];
    let commands: Vec<String> = ordered(&own).into_iter().map(|(_, it)| it).collect();
    assert_eq!(commands, texts(own[0]));
}

/// What is done to a controller behind all that is saved of its cluster is done to that one, whichever the last one was; and one that is made anew has what it mounts.
#[test]
fn each_controller_is_found_before_something_is_done_to_it() {
    let found_of = |cluster: &str| {
        format!(
            "read -r CONTROLLER ZONE <<<\"$(gcloud --filter='labels.slurm_cluster_name={cluster} AND x')\"  # here: the controller, before it goes"
        )
    };
    let stopped_of = |cluster: &str| {
        format!(
            "gcloud ssh \"${{CONTROLLER:?}}\"  # here, behind the last of these of {cluster}: x"
        )
    };
    let saved_of = |cluster: &str| {
        format!(
            "gcloud ssh \"${{CONTROLLER:?}}\" >{cluster}-apps.tgz' >{cluster}-apps.tgz  # here, before its disk goes"
        )
    };
    let of = |cluster: &str| [found_of(cluster), saved_of(cluster), stopped_of(cluster)];
    let (dev, prod) = (of("dev"), of("prod"));
    let mounted = "echo home | sudo tee -a /etc/fstab && sudo mount /home  # on each controller of dev and on each machine to submit to it from, once it is deployed";
    let filled = "gcloud ssh \"${CONTROLLER:?}\" --command='sudo tar --extract --directory=/' <dev-apps.tgz  # here, minutes after it is deployed";
    let rest = ["gcluster create 30-dev/cluster.yaml", "gcluster deploy dev", filled];
    let all: Vec<&str> = dev.iter().chain(&prod).rev().map(String::as_str).collect();
    let found = ordered(&[&all, &rest[..], &[mounted]]);
    let commands: Vec<&str> = found.iter().map(|(_, it)| it.as_str()).collect();
    let rest = [rest[0], "test -s dev-apps.tgz && gcluster deploy dev", filled];
    let wanted: Vec<&str> = dev.iter().chain(&prod).map(String::as_str).chain(rest).collect();
    assert_eq!(commands, wanted);
}

/// Of nodes that are told twice to be made anew, those that hold the others.
#[test]
fn nodes_are_powered_down_once() {
    let down = |nodes: &str| {
        format!(
            "sudo scontrol update NodeName='{nodes}' State=POWER_DOWN_ASAP  # on a login node of lab, once it is deployed: each is made anew as its job ends"
        )
    };
    let all = ["lab-cpu-[0-1]", "lab-cpu-[0-19]", "lab-l4-[0-1]", "lab-cpu-30"].map(down);
    let list: Vec<&str> =
        std::iter::once("gcluster deploy lab").chain(all.iter().map(String::as_str)).collect();
    let found = ordered(&[&list]);
    let commands: Vec<&str> = found.iter().map(|(_, it)| it.as_str()).collect();
    assert_eq!(commands, [list[0], list[2], list[3], list[4]]);
}

/// What a cluster has that leaves is deleted while it is there, and nothing mounts a share before what it held is in it.
#[test]
fn objects_go_before_their_cluster_and_come_behind_what_they_mount() {
    let found = ordered(&[
        &["gcluster deploy lab"],
        &[
            "terraform -chdir=10-foundation apply",
            "kubectl delete persistentvolume projects --ignore-not-found",
            "40-pods-queues/install.sh",
            "gcloud filestore instances restore projects --zone=z",
        ],
        &["kubectl delete jobset tune --namespace=default --ignore-not-found"],
        &["terraform -chdir=30-old destroy"],
    ]);
    let starts = [
        "kubectl delete jobset",
        "terraform -chdir=30-old",
        "terraform -chdir=10-foundation",
        "kubectl delete persistentvolume",
        "gcloud filestore instances restore",
        "40-pods-queues/install.sh",
        "gcluster deploy",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for ((_, command), start) in found.iter().zip(starts) {
        assert!(command.starts_with(start), "{start}: {found:#?}");
    }
}
