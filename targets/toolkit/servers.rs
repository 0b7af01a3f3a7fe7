//! The controller of a cluster, and the machines that people submit from.

use super::blueprint::Cluster;
use super::module::Module;
use super::nodes::{Member, gib};
use super::{accounts, networks, patch, scripts, storage};
use crate::Output;
use crate::document::{Map, Node, map, seq};
use slipform_model::nouns::{Disk, HealthCheck, SlurmController, SlurmLogin, SlurmStandby};

const LOGIN: &str = "login";

/// The machines that people submit from, where there are any.
pub(super) fn login(cluster: Cluster<'_>, out: &mut Output) -> Option<Module> {
    let SlurmLogin::Login { machine, count, disk, disk_type: _, public, startup: _ } =
        &cluster.planned.body.login;
    if *count == 0 {
        return None;
    }
    let settings = map()
        .with("name_prefix", LOGIN)
        .with("num_instances", *count)
        .with("machine_type", machine)
        .with("disk_type", cluster.cloud.disks.login.as_str())
        .with("disk_size_gb", gib(disk.0))
        .with("enable_login_public_ips", *public)
        .with_opt("service_account_email", cluster.account())
        .with("allow_automatic_updates", false);
    let module = Module::new(LOGIN, "community/modules/scheduler/schedmd-slurm-gcp-v6-login");
    let module = module.comment(&cluster.planned.noun.origin);
    let (noun, settings) = (cluster.planned.noun, cluster.image(settings));
    let settings = patch::apply(noun, patch::LOGIN, settings, &[networks::SUBNET], out);
    Some(module.uses([networks::NETWORK.to_owned()]).settings(settings))
}

/// The controller, which knows all partitions and hands on what all hosts mount.
pub(super) fn controller(cluster: Cluster<'_>, members: &[Member<'_>], out: &mut Output) -> Module {
    let body = cluster.planned.body;
    let SlurmController::Controller {
        machine,
        disk,
        disk_type: _,
        state,
        public,
        identity,
        startup: _,
        standby,
    } = &body.controller.value;
    let disks = cluster.cloud.disks;
    let checks = |when| body.health_checks.contains(&when).then_some(true);
    let settings = map()
        .with("slurm_cluster_name", cluster.planned.name())
        .with("machine_type", machine)
        .with("disk_type", disks.controller.as_str())
        .with("disk_size_gb", gib(disk.0))
        .with("controller_state_disk", state_disk(standby.as_ref(), disks.state, gib(state.0)))
        .with("enable_controller_public_ips", *public)
        .with_opt("service_account_email", identity.map(|it| cluster.email(it)))
        .with_opt("enable_chs_gpu_health_check_prolog", checks(HealthCheck::Prolog))
        .with_opt("enable_chs_gpu_health_check_epilog", checks(HealthCheck::Epilog))
        .with("allow_automatic_updates", false);
    let settings = match standby {
        Some(second) => with_standby(cluster, second, settings),
        None => settings,
    };
    let settings = scripts::of_controller(cluster, members, settings, out);
    let settings = parameters(cluster, members, cluster.image(settings));
    let mut used = vec![networks::SUBNET];
    used.extend(storage::ids(cluster).next().map(|_| "network_storage"));
    used.extend(accounts::id(cluster).map(|_| "cloudsql"));
    // the same template, as a text and as a file
    used.extend(settings.get("slurm_conf_tpl").map(|_| "slurm_conf_template"));
    let settings = patch::apply(cluster.planned.noun, patch::CONTROLLER, settings, &used, out);
    let mut uses = vec![networks::NETWORK.to_owned()];
    uses.extend(members.iter().map(|member| member.id()));
    let SlurmLogin::Login { count, .. } = body.login;
    uses.extend((count > 0).then(|| LOGIN.to_owned()));
    uses.extend(storage::ids(cluster));
    uses.extend(accounts::id(cluster));
    Module::new("controller", "community/modules/scheduler/schedmd-slurm-gcp-v6-controller")
        .comment(&cluster.planned.noun.origin)
        .uses(uses)
        .settings(settings)
}

/// The disk of what a controller knows of jobs; two of them share a filesystem instead.
fn state_disk(standby: Option<&SlurmStandby>, disk: Disk, gib: u64) -> Node {
    match standby {
        Some(_) => Node::Null,
        None => map().with("type", disk.as_str()).with("size", gib).into(),
    }
}

/// A second controller, which goes on where the first is lost.
fn with_standby(cluster: Cluster<'_>, second: &SlurmStandby, settings: Map) -> Map {
    let SlurmStandby::Standby { zone, addresses } = second;
    let spread = if *zone == cluster.cloud.zone { "zonal" } else { "regional" };
    let addresses = addresses.iter().map(ToString::to_string);
    settings
        .with("enable_backup_controller", true)
        .with("controller_ha_type", spread)
        .with("backup_zone", zone)
        .with("static_ips", seq(addresses))
}

/// Settings of slurm.conf that the network of some partition's GPUs asks for, and that the modules have words for.
fn parameters(cluster: Cluster<'_>, members: &[Member<'_>], settings: Map) -> Map {
    let stacks = members.iter().filter_map(|member| member.partition.plan.stack.as_ref());
    let asked = stacks.filter_map(|stack| stack.slurm.as_ref());
    let asked = asked.filter(|slurm| slurm.prologue.is_none());
    let mut parameters = map();
    for (name, value) in asked.flat_map(|slurm| &slurm.cluster_settings) {
        let known = match name.as_str() {
            "SwitchType" => "switch_type",
            "PrologFlags" => "prolog_flags",
            _ => continue,
        };
        parameters = parameters.with(known, value);
    }
    if members.iter().any(|member| member.has_rdma_card()) {
        let patience = cluster.catalog().slurm().rdma_card.unkillable_seconds;
        parameters = parameters.with("unkillable_step_timeout", patience);
    }
    if parameters.is_empty() { settings } else { settings.with("cloud_parameters", parameters) }
}
