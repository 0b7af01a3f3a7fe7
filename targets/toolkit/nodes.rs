//! Partitions and the nodes that they are made of.

use super::blueprint::Cluster;
use super::module::{Module, id};
use super::{networks, patch, scripts, tpus};
use crate::Output;
use crate::document::{Map, Node, map, seq, to_json};
use slipform_model::catalog::SsdMode;
use slipform_model::nouns::{Capacity, HostMaintenance, Partition};
use slipform_model::plan::{NodeSet, Planned};

/// Where nodes have their own disks, as one filesystem that each user may write to.
const LOCAL_DISKS: &str = "/mnt/localssd";

/// A partition with its nodes.
#[derive(Clone, Copy)]
pub(super) struct Member<'p> {
    pub(super) partition: Planned<'p, Partition>,
    pub(super) set: &'p NodeSet,
}

impl Member<'_> {
    /// Its nodes make a filesystem of their disks when they start, or install what runs containers.
    pub(super) fn installs(self) -> bool {
        self.partition.plan.machine.tpu.is_none() && (self.has_disks() || self.has_docker())
    }

    /// Its machine has local disks by itself.
    fn has_disks(self) -> bool {
        let disks = &self.partition.plan.machine.local_ssd;
        disks.mode == SsdMode::Bundled && !disks.counts.is_empty()
    }

    /// The daemon of its network runs in a container, or its plugin comes in one.
    pub(super) fn has_docker(self) -> bool {
        scripts::prologue(self).is_some() || scripts::unpacked(self).is_some()
    }

    /// One card of its nodes does RDMA, on a network of its own.
    pub(super) fn has_rdma_card(self) -> bool {
        self.partition.plan.machine.network.has_rdma_card()
    }

    /// The module of the partition.
    pub(super) fn id(self) -> String {
        id("partition", self.partition.name())
    }

    /// The module of its nodes.
    pub(super) fn nodes_id(self) -> String {
        id("nodes", self.partition.name())
    }

    /// Slurm makes and removes its nodes with each job: those of one job lie close together, and no others do.
    fn goes_with_job(self) -> bool {
        self.set.close && self.set.nodes.0 == 0 && self.partition.body.exclusive
    }
}

/// What nodes start with, the nodes, and the partition, of each partition. `None` where something has no spelling.
pub(super) fn modules(
    cluster: Cluster<'_>,
    members: &[Member<'_>],
    out: &mut Output,
) -> Option<Vec<Module>> {
    let mut modules = Vec::new();
    for member in members {
        let mut starts = false;
        match member.partition.plan.machine.tpu {
            Some(_) => modules.push(tpus::nodes(cluster, *member, out)),
            None => {
                let startup = startup(cluster, *member, out)?;
                starts = !startup.is_empty();
                let nodes = nodes(cluster, *member, starts, out);
                modules.extend(startup);
                modules.push(nodes);
            }
        }
        modules.push(partition(cluster, *member, (members, starts), out));
    }
    Some(modules)
}

/// What a node of a set does when it starts, where it does anything; `None` where that has no spelling.
fn startup(cluster: Cluster<'_>, member: Member<'_>, out: &mut Output) -> Option<Vec<Module>> {
    let machine = &member.partition.plan.machine;
    let disks = member.has_disks();
    let prologue = scripts::prologue(member);
    let mut settings = map();
    if disks {
        let files = map().with("mountpoint", LOCAL_DISKS).with("permissions", "1777");
        settings = settings.with("local_ssd_filesystem", files);
    }
    let plugin = scripts::plugin(member, out)?;
    if member.has_docker() {
        let root = if disks { format!("{LOCAL_DISKS}/docker") } else { "/var/lib/docker".into() };
        let daemon = to_json(&map().with("data-root", root)).unwrap_or_default();
        let docker =
            map().with("enabled", true).with("world_writable", true).with("daemon_config", daemon);
        settings = settings.with("docker", docker);
    }
    if member.has_rdma_card() {
        settings = settings.with("set_ofi_cloud_rdma_tunables", true);
    }
    let mut runners = plugin;
    let place = Some(LOCAL_DISKS).filter(|_| disks);
    if (disks && member.partition.plan.gpus > 0) || cluster.leaves_containers() {
        runners.push(scripts::containers(member.partition.noun, machine, place, out)?);
    }
    if let Some(devices) = prologue.and_then(|it| it.devices.as_deref()) {
        runners.push(scripts::devices(member, devices, out)?);
    }
    runners.extend(member.partition.body.startup.as_deref().map(scripts::own_start));
    if !runners.is_empty() {
        settings = settings.with("runners", seq(runners));
    }
    if settings.is_empty() {
        return Some(Vec::new());
    }
    let module = Module::new(id("startup", member.partition.name()), scripts::STARTUP);
    Some(vec![module.comment(&member.partition.noun.origin).settings(settings)])
}

fn nodes(cluster: Cluster<'_>, member: Member<'_>, starts: bool, out: &mut Output) -> Module {
    let Member { partition, set } = member;
    let machine = &partition.plan.machine;
    let (least, most) = set.nodes;
    let settings = map()
        .with("name", &set.name)
        .with("machine_type", &machine.name)
        .with("node_count_static", least)
        .with("node_count_dynamic_max", most.saturating_sub(least))
        .with("disk_type", set.disk.as_str())
        .with("disk_size_gb", gib(partition.body.disk.0))
        .with("enable_placement", set.close)
        .with_opt("maintenance_interval", maintained(partition.body))
        .with_opt("zones", further_zones(partition.body));
    let topology = machine.placement.topology.as_deref().filter(|_| set.close);
    let settings = settings.with_opt("accelerator_topology", topology);
    let settings = capacity(member, cluster, settings);
    let settings = processors(cluster, member, settings);
    let bound = partition.plan.gpus > 0 || member.has_rdma_card();
    let settings = settings
        .with_opt("bandwidth_tier", bandwidth(partition.body, bound))
        .with_opt("on_host_maintenance", bound.then_some("TERMINATE"))
        .with_opt("service_account_email", cluster.account())
        .with_opt("enable_public_ips", partition.body.public.then_some(true))
        .with("allow_automatic_updates", false);
    let (mut uses, settings) = networks::of_set(cluster, set, cluster.image(settings));
    let mut used = vec![networks::SUBNET];
    used.extend((uses.len() > 1).then_some("additional_networks"));
    used.extend(starts.then_some("startup_script"));
    let settings = patch::apply(partition.noun, patch::NODE_SET, settings, &used, out);
    uses.extend(starts.then(|| id("startup", partition.name())));
    Module::new(member.nodes_id(), "community/modules/compute/schedmd-slurm-gcp-v6-nodeset")
        .comment(&partition.noun.origin)
        .uses(uses)
        .settings(settings)
}

/// The card of the first interface, and how fast it is.
fn bandwidth(partition: &Partition, bound: bool) -> Option<&'static str> {
    match partition.tier_1 {
        true => Some("tier_1_enabled"),
        false => bound.then_some("gvnic_enabled"),
    }
}

/// How often hosts are maintained, as Compute Engine calls it.
fn maintained(partition: &Partition) -> Option<&'static str> {
    partition.host_maintenance.as_ref().map(|how| match how.value {
        HostMaintenance::AsNeeded => "AS_NEEDED",
        HostMaintenance::Periodic => "PERIODIC",
    })
}

/// Zones besides the deployment's own, which the module adds by itself.
fn further_zones(partition: &Partition) -> Option<Node> {
    (!partition.zones.is_empty()).then(|| seq(&partition.zones))
}

/// Whole GiB, which is what the modules count in.
pub(super) fn gib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 30)
}

/// How nodes are obtained: one of what the modules have several settings for, which exclude each other.
fn capacity(member: Member<'_>, cluster: Cluster<'_>, settings: Map) -> Map {
    match &member.partition.body.capacity.value {
        // of a partition, a rule answers it
        Capacity::OnDemand | Capacity::AnyReservation | Capacity::Queued { .. } => settings,
        Capacity::Spot => settings.with("enable_spot_vm", true),
        Capacity::Reservation { .. } => {
            settings.with_opt("reservation_name", member.set.reservation.as_deref())
        }
        Capacity::FlexStart { max } => {
            let flex = map().with("enabled", true).with("max_run_duration", max.0);
            settings.with("dws_flex", flex)
        }
        Capacity::Calendar { .. } => {
            let own =
                cluster.plan.taken(&member.partition.body.capacity.value).map(|taken| match taken
                    .owner
                {
                    Some(owner) => format!(
                        "projects/{owner}/zones/{}/futureReservations/{}",
                        cluster.cloud.zone, taken.name
                    ),
                    None => taken.name,
                });
            settings.with_opt("future_reservation", own)
        }
    }
}

/// The processors of a node, all of its machine's where nothing else is said; where the catalog knows how they are cut up, Slurm is told.
fn processors(cluster: Cluster<'_>, member: Member<'_>, settings: Map) -> Map {
    let machine = cluster.catalog().slurm_machine(&member.partition.plan.machine.name);
    let threads = member.partition.body.threads_per_core.set().map(|it| it.value);
    // left out, the module turns off every second one
    let features = map().with("threads_per_core", threads.map_or(Node::Null, Node::from));
    let settings = settings.with("advanced_machine_features", features);
    let Some(machine) = machine else { return settings };
    let sockets = machine.sockets_written.then_some(machine.sockets);
    let conf = map()
        .with("CoresPerSocket", machine.cores_per_socket)
        .with_opt("SocketsPerBoard", sockets)
        .with("ThreadsPerCore", threads.unwrap_or(i64::from(machine.threads_per_core)));
    settings.with("node_conf", conf)
}

fn partition(
    cluster: Cluster<'_>,
    member: Member<'_>,
    (members, starts): (&[Member<'_>], bool),
    out: &mut Output,
) -> Module {
    let Planned { noun, body, plan, .. } = member.partition;
    let machine = cluster.catalog().slurm_machine(&plan.machine.name);
    let card = &cluster.catalog().slurm().rdma_card;
    let of_card = member.has_rdma_card().then_some(card.suspend_seconds);
    let grows = member.set.nodes.0 < member.set.nodes.1;
    let of_tpus = plan.machine.tpu.is_some();
    // of nodes with TPUs slurm-gcp says it by itself
    let shared = body.exclusive && !member.goes_with_job() && !of_tpus;
    let conf = map()
        .with_opt("OverSubscribe", shared.then_some("EXCLUSIVE"))
        .with_opt("MaxTime", body.max_time.as_ref().map(|time| minutes(time.value.0)))
        .with_opt("PriorityTier", (body.tier != 1).then_some(body.tier));
    let settings = map()
        .with("partition_name", member.partition.name())
        .with("exclusive", member.goes_with_job())
        .with("is_default", body.default || members.len() == 1)
        .with_opt("suspend_time", grows.then_some(body.idle.value.0))
        .with_opt("resume_timeout", patience(cluster, member, members, starts))
        .with_opt("suspend_timeout", machine.and_then(|it| it.suspend_timeout).or(of_card))
        .with_opt("partition_conf", (!conf.is_empty()).then_some(conf));
    let settings = patch::apply(noun, patch::PARTITION, settings, &[], out);
    Module::new(member.id(), "community/modules/compute/schedmd-slurm-gcp-v6-partition")
        .comment(&noun.origin)
        .uses([member.nodes_id()])
        .settings(settings)
}

/// Seconds that a node may take to come: what is known of its machine, or what its scripts may take besides. One that takes longer Slurm gives up
/// and makes anew.
fn patience(
    cluster: Cluster<'_>,
    member: Member<'_>,
    members: &[Member<'_>],
    starts: bool,
) -> Option<u64> {
    let facts = cluster.catalog().slurm();
    let scripts = scripts_may_take(cluster, members);
    let told = scripts.filter(|_| starts || cluster.planned.body.startup_time.is_some());
    let scripts = told.or_else(|| starts.then_some(facts.resume_seconds));
    let both = scripts.map(|it| it.saturating_add(facts.resume_seconds));
    of_machine(cluster, member).max(both.map(|it| it.min(facts.longest_resume_seconds)))
}

/// What is known of its machine.
fn of_machine(cluster: Cluster<'_>, member: Member<'_>) -> Option<u64> {
    let (catalog, machine) = (cluster.catalog(), &member.partition.plan.machine);
    let facts = catalog.slurm();
    let known = match &machine.tpu {
        Some(_) => Some(facts.tpu_resume_seconds),
        None if member.has_rdma_card() => Some(facts.rdma_card.resume_seconds),
        None => catalog.slurm_machine(&machine.name).and_then(|it| it.resume_timeout),
    };
    known.map(u64::from)
}

/// Seconds that what nodes start with may take, where that is not what the modules say: as long as it takes to install what they have to. Nodes that
/// are lent slurm-gcp takes away where they have not come after twice as long, so that half of what their machine takes is in it.
pub(super) fn scripts_may_take(cluster: Cluster<'_>, members: &[Member<'_>]) -> Option<u64> {
    let facts = cluster.catalog().slurm();
    let told = cluster.planned.body.startup_time.map(|time| said(cluster, time.0));
    let needs = |member: &Member<'_>| {
        let is_lent = member.partition.body.capacity.value.is_lent();
        let known = of_machine(cluster, *member)
            .filter(|_| is_lent && member.partition.plan.machine.tpu.is_none());
        let lent = known.map(|known| (known / 2).saturating_add(facts.resume_seconds));
        lent.max((member.installs() && told.is_none()).then_some(facts.install_seconds))
    };
    members.iter().filter_map(needs).max().max(told)
}

/// A limit of scripts as slurm-gcp takes it: it has none for "as long as it likes", and some of its releases end every script at once by 0.
pub(super) fn said(cluster: Cluster<'_>, seconds: u64) -> u64 {
    if seconds == 0 { cluster.catalog().slurm().longest_resume_seconds } else { seconds }
}

/// Slurm's own form of a time that is no less: minutes.
fn minutes(seconds: u64) -> u64 {
    seconds.div_ceil(60)
}
