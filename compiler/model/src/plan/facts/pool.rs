//! Facts of pools, partitions and queues.

use super::addresses::address_twice;
use super::attached::{attachable, attached_gpu, gpus_offer};
use super::cluster::pods_range;
use super::machine_image::{built_image, too_old_for};
use super::nodes::shortage;
use super::records::{Allocatable, Blurred, LongCheck, Overbooking, Starved, Stranded};
use super::scripts::SCRIPTS;
use super::{
    MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA, Table, fact, int, own, strings,
};
use crate::catalog::{
    Catalog, GkeFeature, GkeMinimum, GpuDirect, Machine, Offer, SsdMode, Stack, Support, region_of,
};
use crate::nouns::{Body, Capacity, Cohort, Kind, LocalSsd, Partition, Pool, Queue, Ref, Sharing};
use crate::plan::derive::{
    Long, addresses, blurred, capacity_model, check_clash, clashing_checks, covers, disputed,
    disputed_classes, level_words, long_checks, mig_parts, most_told, node_block, overbooked,
    overdrawn, overlent, overlent_others, rival, set_name, shapes, slicing_version, starved,
    stranded, without_blocks,
};
use crate::plan::{Alone, PartitionPlan, Plan, PoolPlan, Resource, SlurmTopology, TpuType};
use crate::{NounId, Size, Topology};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const POOL: Table = Table {
    kind: "pool",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA],
    rows: &[
        &fact("spec", Plan::machine_fact),
        &fact("slice", Plan::slice_fact),
        &fact("nics", Plan::nics_fact),
        &fact("levels", level_words),
        &fact("check_clash", check_clash),
        &fact("attachable", attachable),
        &fact("gpus_offered", |plan, id| {
            let place = place(plan, id)?;
            let gpu = attached_gpu(plan, id)?;
            Some(gpu.map_or(Offer::Unknown, |gpu| plan.model.catalog.offered(gpu, &place)))
        }),
        &fact("gpus_zones", |plan, id| {
            Some(gpus_offer(plan, id)?.map_or_else(Vec::new, |offer| offer.zones.clone()))
        }),
        &fact("gpus_regions", |plan, id| {
            Some(gpus_offer(plan, id)?.map_or_else(Vec::new, |offer| offer.regions.clone()))
        }),
        &fact("upgraded", |plan, id| Some(plan.pool(id)?.upgrades)),
        &fact("short_lived", |plan, id| Some(both(plan, id)?.0.capacity.value.is_lent())),
        &fact("claimable", |plan, id| {
            let machine = &plan.pool(id)?.machine;
            let rdma = machine.network.gpudirect == GpuDirect::Rdma;
            Some(rdma && machine.gke.dranet_min.is_some())
        }),
        &fact("own_interfaces", |plan, id| {
            Some(i64::from(plan.pool(id)?.machine.network.additional_interfaces))
        }),
        &fact("cards", |plan, id| Some(i64::from(plan.pool(id)?.machine.network.physical_nics))),
        &fact("second_profile", |plan, id| {
            let machine = &plan.pool(id)?.machine;
            let profile = &machine.network.network_profile;
            Some(profile.clone().filter(|_| machine.accelerator.is_none()))
        }),
        &fact("max_nodes", |plan, id| Some(plan.pool(id)?.max_nodes())),
        &fact("min_nodes", |plan, id| {
            let pool = plan.pool(id)?;
            Some(pool.nodes.0.saturating_mul(pool.node_pools.len() as i64))
        }),
        &fact("chips", |plan, id| Some(plan.pool(id)?.chips())),
        &fact("node_pools", |plan, id| Some(int(plan.pool(id)?.node_pools.len()))),
        &fact("nodes_per_pool", |plan, id| Some(plan.pool(id)?.nodes.1)),
        &fact("elastic", |plan, id| Some(plan.pool(id)?.elastic)),
        &fact("location", |plan, id| Some(plan.pool(id)?.zone.clone())),
        &fact("region", |plan, id| region(plan, id).map(Some)),
        &fact("arrangement", |plan, id| Some(plan.pool(id)?.placement.clone())),
        &fact("compactable", |plan, id| Some(plan.pool(id)?.machine.placement.compact)),
        &fact("compact_with_flex_start", |plan, id| {
            Some(plan.pool(id)?.machine.placement.flex_start_compact)
        }),
        &fact("placement_limit", |plan, id| {
            Some(plan.pool(id)?.machine.placement.gke_max_nodes.map(i64::from))
        }),
        &fact("pool_limit", |plan, id| pool_limit(plan, id).map(Some)),
        &fact("node_pods", |plan, id| Some(plan.pool(id)?.max_pods)),
        &fact("own_pods", |plan, id| Some(plan.pool(id)?.own_pods)),
        &fact("pod_addresses", |plan, id| {
            Some(node_block(&plan.model.catalog, plan.pool(id)?.max_pods))
        }),
        &fact("pod_room", pod_room),
        &fact("support", |plan, id| {
            let (body, pool) = both(plan, id)?;
            Some(support(&pool.machine, &body.capacity))
        }),
        &fact("asked_together", |plan, id| Some(plan.asked_together.get(&id).copied())),
        &fact("offered", offered),
        &fact("offer_zones", |plan, id| {
            let pool = plan.pool(id)?;
            let offer = plan.model.catalog.offer_of(&pool.machine.name)?;
            Some(offer.zones.clone())
        }),
        &fact("offer_regions", |plan, id| {
            let pool = plan.pool(id)?;
            let offer = plan.model.catalog.offer_of(&pool.machine.name)?;
            Some(offer.regions.clone())
        }),
        &fact("needed_version", needed_version),
        &fact("unreserved_version", |plan, id| {
            let (body, pool) = both(plan, id)?;
            let capacity = &body.capacity.value;
            if capacity.reserved().is_some() || *capacity == Capacity::AnyReservation {
                return Some(None);
            }
            Some(too_old(plan, pool.cluster.id(), &pool.machine, &[GkeFeature::Unreserved]))
        }),
        &fact("autoscaling", |plan, id| Some(plan.pool(id)?.machine.gke.autoscaling)),
        &fact("boot_disk", |plan, id| Some(plan.pool(id)?.disk.as_str().to_owned())),
        &fact("boot_disks", |plan, id| Some(plan.pool(id)?.machine.disk.boot.clone())),
        &fact("local_disks", |plan, id| Some(plan.pool(id)?.local_ssd.1)),
        &fact("attached_disks", |plan, id| {
            let pool = plan.pool(id)?;
            let chosen = pool.machine.local_ssd.mode == SsdMode::Optional;
            Some(if chosen { pool.local_ssd.1 } else { 0 })
        }),
        &fact("local_counts", |plan, id| {
            let ssd = &plan.pool(id)?.machine.local_ssd;
            let counts = ssd.counts.iter().filter(|_| ssd.mode == SsdMode::Optional);
            Some(counts.filter(|count| **count > 0).map(|it| i64::from(*it)).collect::<Vec<_>>())
        }),
        &fact("scratch_room", |plan, id| Some(scratch_room(plan.pool(id)?))),
        &fact("allocatable", |plan, id| {
            let left = plan.pool(id)?.allocatable;
            let known = left.millicpus > 0 && left.memory.0 > 0;
            Some(known.then(|| Allocatable {
                cpus: left.millicpus as f64 / 1000.0,
                memory: left.memory,
                disk: left.disk,
            }))
        }),
        &fact("overbooked", |plan, id| {
            Some(overbooked(plan, id).map(|found| Overbooking {
                held: found.held,
                taken: found.taken,
                has: found.has,
                by: Ref::to(found.by),
            }))
        }),
        &fact("stranded", |plan, id| {
            let found = stranded(plan, id);
            Some(found.map(|it| Stranded { workload: Ref::to(it.workload), asked: it.asked }))
        }),
        &fact("shares", |plan, id| Some(plan.pool(id)?.resource_count)),
        &fact("mig_parts", |plan, id| {
            let (body, pool) = both(plan, id)?;
            let Some(Sharing::Mig { profile }) =
                body.sharing.as_ref().map(|sharing| &sharing.value)
            else {
                return Some(None);
            };
            let gpus = pool.machine.accelerator.as_ref();
            Some(gpus.and_then(|gpus| mig_parts(&plan.model.catalog, &gpus.gpu, profile)))
        }),
        &fact("mig_profiles", mig_profiles),
        &fact("max_shared_clients", |plan, _| {
            Some(Some(i64::from(plan.model.catalog.kubernetes().max_shared_clients)))
        }),
        &fact("topologies", topologies),
        &fact("slice_shapes", shapes),
        &fact("whole", |plan, id| {
            let row = plan.pool(id)?.slicing.as_ref();
            Some(row.and_then(|row| row.whole.as_ref()?.parse::<Topology>().ok()))
        }),
        &fact("sliceable", |plan, id| {
            let tpu = plan.pool(id)?.machine.tpu.as_ref();
            let known = &plan.model.catalog.kubernetes().slicing;
            Some(tpu.is_some_and(|tpu| known.iter().any(|it| it.generation == tpu.generation)))
        }),
        &fact("slicing_version", slicing_version),
        &fact("multislice", |plan, id| {
            let tpu = plan.model.catalog.tpu_of_machine(&plan.pool(id)?.machine.name);
            Some(tpu.map(|tpu| tpu.multislice.to_string()))
        }),
        &fact("stack", |plan, id| {
            Some(plan.pool(id)?.stack.as_ref().map(|stack| stack.name.clone()))
        }),
    ],
};

pub(super) const PARTITION: Table = Table {
    kind: "partition",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, RESERVED, SHORT_OF_QUOTA, SCRIPTS],
    rows: &[
        &fact("spec", Plan::machine_fact),
        &fact("nics", Plan::nics_fact),
        &fact("chips", |plan, id| {
            let partition = plan.partition(id)?;
            let nodes = i64::try_from(partition.host_names.len()).unwrap_or(i64::MAX);
            Some(nodes.saturating_mul(partition.devices()))
        }),
        &fact("slice", Plan::slice_fact),
        &fact("topologies", |plan, id| {
            Some(slice_topologies(&plan.model.catalog, &plan.partition(id)?.machine))
        }),
        &fact("tpu_type", |plan, id| {
            let set = plan.partition(id)?.set.as_ref();
            Some(set.and_then(|set| set.tpu.as_ref()).map(TpuType::to_string))
        }),
        &fact("host_count", |plan, id| Some(int(plan.partition(id)?.host_names.len()))),
        &fact("cloud", |plan, id| Some(plan.partition(id)?.set.is_some())),
        &fact("address_twice", address_twice),
        &fact("built_image", built_image),
        &fact("too_old", |plan, id| too_old_for(plan, id, &plan.partition(id)?.machine)),
        &fact("threads", |plan, id| Some(i64::from(plan.partition(id)?.machine.threads()))),
        &fact("rdma_card", |plan, id| Some(plan.partition(id)?.machine.network.has_rdma_card())),
        &fact("max_nodes", |plan, id| Some(partition_of(plan, id)?.nodes.value.bounds().1)),
        &fact("min_nodes", |plan, id| Some(partition_of(plan, id)?.nodes.value.bounds().0)),
        &fact("nodeset", |plan, id| Some(set_name(plan.name(id)?))),
        &fact("close", |plan, id| {
            Some(plan.partition(id)?.set.as_ref().is_some_and(|set| set.close))
        }),
        &fact("compactable", |plan, id| Some(plan.partition(id)?.machine.placement.compact)),
        &fact("compact_with_flex_start", |plan, id| {
            Some(plan.partition(id)?.machine.placement.flex_start_compact)
        }),
        &fact("support", |plan, id| {
            let partition = plan.partition(id)?;
            let made = partition.set.is_some();
            let capacity = &partition_of(plan, id)?.capacity;
            Some(if made { support(&partition.machine, capacity) } else { Support::Yes })
        }),
        &fact("offered", |plan, id| {
            let partition = plan.partition(id)?;
            let zone = plan.slurm(partition.cluster)?.cloud.as_ref().map(|it| it.zone.as_str());
            let offered = |zone| plan.model.catalog.offered(&partition.machine.name, zone);
            Some(zone.map_or(Offer::Unknown, offered))
        }),
        &fact("offer_zones", |plan, id| {
            let offer = plan.model.catalog.offer_of(&plan.partition(id)?.machine.name);
            Some(offer.map_or_else(Vec::new, |offer| offer.zones.clone()))
        }),
        &fact("offer_regions", |plan, id| {
            let offer = plan.model.catalog.offer_of(&plan.partition(id)?.machine.name);
            Some(offer.map_or_else(Vec::new, |offer| offer.regions.clone()))
        }),
        &fact("boot_disks", |plan, id| Some(plan.partition(id)?.machine.disk.boot.clone())),
        &fact("fabric_known", |plan, id| {
            let network = &plan.partition(id)?.machine.network;
            let known = network.gpudirect != GpuDirect::Rdma || network.rdma_subnets > 0;
            // a floor of one's own is nothing that is made
            Some(known && network.fabric.is_none())
        }),
        &fact("stack", |plan, id| {
            Some(plan.partition(id)?.stack.as_ref().map(|stack| stack.name.clone()))
        }),
        &fact("switches", |plan, id| Some(int(plan.partition(id)?.switches.len()))),
        &fact("blocks", |plan, id| Some(int(plan.partition(id)?.blocks.len()))),
        &fact("without_blocks", |plan, id| {
            Some(plan.partition(id).and(without_blocks(plan, id)).map(Ref::<Partition>::to))
        }),
        &fact("longest_segment", |plan, id| Some(plan.partition(id)?.longest_segment)),
        &fact("unset_env", |plan, id| {
            let partition = plan.partition(id)?;
            let machine = plan.model.catalog.slurm_machine(&partition.machine.name);
            let stack = partition.stack.as_ref().and_then(|stack| stack.slurm.as_ref());
            let env = stack.into_iter().flat_map(|stack| stack.env_on(machine));
            Some(strings(env.filter(|(_, value)| value.is_none()).map(|(name, _)| name)))
        }),
        &own("stack_env", |partition| {
            let env = stack_env(partition)?.into_iter();
            Some(env.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("\n"))
        }),
        &own("stack_mounts", |partition| {
            let stack = stack_of(partition)?.and_then(|stack| stack.slurm.as_ref());
            Some(stack.map_or(String::new(), |stack| stack.mounts.join("\n")))
        }),
        &fact("same_nodes", |plan, id| {
            Some(neighbour(plan, id, |own, other| own == other).map(Ref::<Partition>::to))
        }),
        &fact("switched_otherwise", |plan, id| {
            let says = |it: &Partition| it.switch_nodes.set().is_some();
            Some(otherwise(plan, id, says, |it| &it.switches).map(Ref::<Partition>::to))
        }),
        &fact("blocked_otherwise", |plan, id| {
            let says = |it: &Partition| it.block_nodes.set().is_some();
            let topology = plan.slurm(plan.partition(id)?.cluster)?.topology;
            let is_one = matches!(topology, SlurmTopology::Blocks(_));
            let other = is_one.then(|| otherwise(plan, id, says, |it| &it.blocks)).flatten();
            Some(other.map(Ref::<Partition>::to))
        }),
        &fact("over_nodes", |plan, id| {
            let over =
                |own: &Names<'_>, other: &Names<'_>| own.is_subset(other) || own.is_superset(other);
            Some(neighbour(plan, id, over).map(Ref::<Partition>::to))
        }),
        &fact("part_of_nodes", |plan, id| {
            let partly = |own: &Names<'_>, other: &Names<'_>| {
                !own.is_disjoint(other) && !own.is_subset(other) && !own.is_superset(other)
            };
            Some(neighbour(plan, id, partly).map(Ref::<Partition>::to))
        }),
    ],
};

fn partition_of(plan: &Plan, id: NounId) -> Option<&Partition> {
    Partition::of(&plan.model.get(id)?.body)
}

/// The network stack of a partition's machine, where it has one.
fn stack_of<'a>(partition: &Alone<'a>) -> Option<Option<&'a Stack>> {
    let machine = partition.catalog.machine(&Partition::of(partition.body)?.machine)?;
    Some(machine.stack.as_deref().and_then(|name| partition.catalog.stack(name)))
}

/// What the script of a partition's network stack would set, with the names that interfaces have there, and what a job sets besides.
fn stack_env(partition: &Alone<'_>) -> Option<BTreeMap<String, String>> {
    let stack = stack_of(partition)?;
    let both = stack.and_then(|stack| Some((stack, stack.slurm.as_ref()?)));
    let Some((stack, slurm)) = both else { return Some(BTreeMap::new()) };
    let machine = partition.catalog.slurm_machine(&Partition::of(partition.body)?.machine.value);
    let filled = |value: &String| {
        let fill = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("${{{name}}}"), value)
        };
        slurm.script_env.iter().fold(value.clone(), fill)
    };
    let profile = stack.profile.iter().chain(&slurm.script_env);
    let mut env: BTreeMap<String, String> =
        profile.map(|(name, value)| (name.clone(), filled(value))).collect();
    for (name, value) in slurm.env_on(machine) {
        env.remove(name);
        env.extend(value.map(|value| (name.to_owned(), value)));
    }
    env.extend(machine.into_iter().flat_map(|machine| machine.env.clone()));
    let path = slurm.library_path.clone();
    env.extend(path.map(|path| ("LD_LIBRARY_PATH".to_owned(), path)));
    Some(env)
}

pub(super) const QUEUE: Table = Table {
    kind: "queue",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH],
    rows: &[
        &fact("chips", |plan, id| {
            let each = |pool: &PoolPlan| pool.max_nodes().saturating_mul(pool.resource_count);
            let all = accelerated(plan, id)?;
            Some(all.iter().fold(0i64, |all, pool| each(pool).saturating_add(all)))
        }),
        &fact("borrowers", |plan, id| {
            let own = plan.queue(id)?;
            let others = plan.queues().filter(|(other, queue)| {
                let reached = plan.model.get(*other).and_then(|noun| Queue::of(&noun.body));
                let same = queue.cluster == own.cluster && queue.cohort == own.cohort;
                *other != id && same && reached.is_some_and(|body| !body.is_lender())
            });
            Some(int(others.count()))
        }),
        &fact("unit", |plan, id| {
            let units = accelerated(plan, id)?.into_iter().map(|pool| {
                let fixed = pool.slice.as_ref().filter(|_| pool.slicing.is_none());
                let slice = fixed.filter(|slice| !slice.single_host);
                match pool.sharing {
                    // A pod asks for one share.
                    Some(Sharing::TimeShared { .. }) => 1,
                    Some(Sharing::Mig { .. }) | None => {
                        pool.resource_count.saturating_mul(slice.map_or(1, |slice| slice.hosts))
                    }
                }
            });
            Some(units.filter(|unit| *unit > 0).reduce(common_divisor))
        }),
        &fact("resources", |plan, id| {
            let pools = accelerated(plan, id)?;
            let named: BTreeSet<_> =
                pools.iter().filter_map(|pool| pool.resource.as_deref()).collect();
            Some(strings(named))
        }),
        &fact("rival", |plan, id| {
            let pools: Vec<NounId> =
                plan.queue(id)?.flavors.iter().map(|flavor| flavor.pool.id()).collect();
            Some(rival(plan, id, &pools, Resource::Devices).map(Ref::<Queue>::to))
        }),
        &fact("holds", |plan, id| {
            let own = plan.queue(id)?;
            let devices = own.flavors.iter().map(|flavor| flavor.quota.devices);
            let handed = own.handing.iter().map(|handing| handing.quota.devices);
            Some(devices.chain(handed).fold(0, i64::saturating_add))
        }),
        &fact("borrows", |plan, id| {
            let queue = Queue::of(&plan.model.get(id)?.body)?;
            Some(queue.cohort.as_ref().and_then(Cohort::borrow))
        }),
        &fact("local", |plan, id| Some(plan.queue(id)?.local.clone())),
        &fact("doors", |plan, id| {
            let doors = plan.queue(id)?.doors.iter();
            let all = doors.flat_map(|(namespace, names)| {
                names.iter().map(move |name| format!("{namespace}/{name}"))
            });
            Some(all.collect::<Vec<_>>())
        }),
        &fact("overdrawn", |plan, id| Some(shortage(plan, overdrawn(plan, id)))),
        &fact("overlent", |plan, id| Some(shortage(plan, overlent(plan, id)))),
        &fact("overlent_others", |plan, id| {
            plan.queue(id)?;
            Some(shortage(plan, overlent_others(plan, id)))
        }),
        &fact("counted", |plan, id| Some(strings(covers(plan, id)?))),
        &fact("flavor_count", |plan, id| {
            let names = plan.queue(id)?.flavors.iter().map(|it| it.name.as_str());
            Some(int(names.collect::<BTreeSet<_>>().len()))
        }),
        &fact("check_count", |plan, id| {
            let body = Queue::of(&plan.model.get(id)?.body)?;
            let asked = plan.queue(id)?.flavors.iter().filter_map(|it| it.queued.as_ref());
            let said = body.checks.iter().map(|it| it.value.name());
            let all: BTreeSet<&str> = asked.map(|it| it.check.as_str()).chain(said).collect();
            let joins =
                |pool: &PoolPlan| pool.slicing.as_ref().is_some_and(|it| it.controller.is_some());
            let mut pools = plan.queue(id)?.flavors.iter().filter_map(|it| plan.pool(it.pool));
            let by_itself = [pools.any(joins), !body.workers.is_empty()];
            Some(int(all.len() + by_itself.into_iter().filter(|it| *it).count()))
        }),
        &fact("blurred", |plan, id| {
            plan.queue(id)?;
            let of = blurred(plan, id);
            Some(of.map(|(pool, other)| Blurred { pool: Ref::to(pool), other: Ref::to(other) }))
        }),
        &fact("starved", |plan, id| {
            plan.queue(id)?;
            let of = starved(plan, id);
            Some(of.map(|it| Starved { pool: Ref::to(it.pool), name: it.name, input: it.input }))
        }),
        &fact("claimed", |plan, id| {
            let counts = plan.queue(id)?.counts.values().flatten();
            let claimed = counts.filter(|(_, it)| it.claimed).map(|(name, _)| name.as_str());
            Some(strings(claimed.collect::<BTreeSet<_>>()))
        }),
        &fact("most_told", most_told),
        &fact("disputed", |plan, id| {
            plan.queue(id)?;
            Some(disputed(plan, id).map_or_else(Vec::new, |(_, names)| names))
        }),
        &fact("disputing", |plan, id| {
            plan.queue(id)?;
            Some(disputed(plan, id).map(|(other, _)| Ref::<Queue>::to(other)))
        }),
        &fact("disputed_classes", |plan, id| {
            plan.queue(id)?;
            Some(disputed_classes(plan, id).map_or_else(Vec::new, |(_, names)| names))
        }),
        &fact("disputing_class", |plan, id| {
            plan.queue(id)?;
            Some(disputed_classes(plan, id).map(|(other, _)| Ref::<Queue>::to(other)))
        }),
        &fact("places", |plan, id| {
            Some(plan.queue(id)?.flavors.iter().any(|flavor| flavor.levels.is_some()))
        }),
        &fact("clashing_checks", clashing_checks),
        &fact("long_checks", |plan, id| {
            let long = long_checks(plan, id)?.into_iter();
            let told =
                long.map(|Long { check, what, used, most }| LongCheck { check, what, used, most });
            Some(told.collect::<Vec<_>>())
        }),
        &fact("undealt", |plan, id| accelerated(plan, id).and(Some(plan.queue(id)?.undealt))),
    ],
};

/// The names of nodes.
type Names<'a> = BTreeSet<&'a String>;

/// The partition before this one in their cluster whose nodes lie to those of this one as is asked.
fn neighbour(
    plan: &Plan,
    id: NounId,
    lie: impl Fn(&Names<'_>, &Names<'_>) -> bool,
) -> Option<NounId> {
    let names = |id: NounId| Some(plan.partition(id)?.host_names.iter().collect::<Names<'_>>());
    let own = names(id)?;
    let parent = plan.model.get(id)?.parent?;
    let before = plan.children(parent).iter().copied().take_while(|it| *it != id);
    before.into_iter().find(|other| names(*other).is_some_and(|other| lie(&own, &other)))
}

/// The partition before this one that says, as this one does, how hosts of both lie together, and says it otherwise.
fn otherwise(
    plan: &Plan,
    id: NounId,
    says: impl Fn(&Partition) -> bool,
    parts: impl Fn(&PartitionPlan) -> &Vec<(String, Vec<String>)>,
) -> Option<NounId> {
    let told = |id: NounId| says(partition_of(plan, id)?).then(|| plan.partition(id)).flatten();
    let own = told(id)?;
    let parent = plan.model.get(id)?.parent?;
    let shared = |one: &PartitionPlan, other: &PartitionPlan| -> BTreeSet<Vec<String>> {
        let both: Names<'_> = other.host_names.iter().collect();
        let shared = parts(one).iter().map(|(_, hosts)| {
            let mut hosts: Vec<String> =
                hosts.iter().filter(|it| both.contains(it)).cloned().collect();
            hosts.sort();
            hosts
        });
        shared.filter(|it| !it.is_empty()).collect()
    };
    let before = plan.children(parent).iter().copied().take_while(|it| *it != id);
    before
        .into_iter()
        .find(|other| told(*other).is_some_and(|other| shared(own, other) != shared(other, own)))
}

pub(super) fn both(plan: &Plan, id: NounId) -> Option<(&Pool, &PoolPlan)> {
    let Body::Pool(body) = &plan.model.get(id)?.body else { return None };
    Some((body, plan.pool(id)?))
}

/// `yes`, `no`, `allowlist` or `unknown`. A reservation may be one that was made for a later time: how it was obtained
/// does not show in its name.
pub(super) fn support(machine: &Machine, capacity: &Capacity) -> Support {
    let support = machine.capacity.support(capacity_model(capacity));
    let later = machine.capacity.future_reservation;
    let reserved = matches!(capacity, Capacity::Reservation { .. });
    if reserved && later == Support::Yes { later } else { support }
}

fn region(plan: &Plan, id: NounId) -> Option<String> {
    let pool = plan.pool(id)?;
    let of_zone = pool.zone.as_deref().and_then(region_of).map(str::to_owned);
    of_zone.or_else(|| super::cluster::region(plan, pool.cluster.id()).map(str::to_owned))
}

/// The most nodes of one node pool: the machine's own limit, or GKE's for a zone.
fn pool_limit(plan: &Plan, id: NounId) -> Option<i64> {
    let own = plan.pool(id)?.machine.gke.max_nodes_per_pool;
    let general = plan.model.catalog.limits().gke.pool_max_nodes_per_zone;
    Some(i64::from(own.unwrap_or(general)))
}

fn pod_room(plan: &Plan, id: NounId) -> Option<Option<i64>> {
    let pool = plan.pool(id)?;
    let block = node_block(&plan.model.catalog, pool.max_pods)?.max(1);
    let room = pods_range(plan, pool.cluster.id())?.and_then(addresses);
    Some(room.map(|room| room / block))
}

fn offered(plan: &Plan, id: NounId) -> Option<Offer> {
    let place = place(plan, id)?;
    Some(plan.model.catalog.offered(&plan.pool(id)?.machine.name, &place))
}

/// The zone of a pool, or its region.
fn place(plan: &Plan, id: NounId) -> Option<String> {
    plan.pool(id)?.zone.clone().or_else(|| region(plan, id))
}

/// The oldest version that knows the machine and its network stack, where the cluster asks for an older one.
fn needed_version(plan: &Plan, id: NounId) -> Option<Option<String>> {
    let pool = plan.pool(id)?;
    let mut features = vec![GkeFeature::Standard, GkeFeature::GpuDirect];
    features.extend(pool.claims_interfaces.then_some(GkeFeature::Dranet));
    Some(too_old(plan, pool.cluster.id(), &pool.machine, &features))
}

/// The oldest version that has the first of these features on a machine that the cluster's own is too old for.
pub(super) fn too_old(
    plan: &Plan,
    cluster: NounId,
    machine: &Machine,
    features: &[GkeFeature],
) -> Option<String> {
    let Body::GkeCluster(cluster) = &plan.model.get(cluster)?.body else { return None };
    let version = cluster.version.as_ref()?;
    features.iter().find_map(|feature| {
        match plan.model.catalog.gke_feature(&machine.name, *feature, version) {
            GkeMinimum::TooOld { needed } => Some(needed),
            GkeMinimum::Met | GkeMinimum::Unknown => None,
        }
    })
}

/// What a node's own disks hold for pods; nothing where they are raw devices.
pub(super) fn scratch_room(pool: &PoolPlan) -> Size {
    match pool.local_ssd {
        (LocalSsd::Raw, disks) if disks > 0 => Size(0),
        _ => pool.allocatable.disk,
    }
}

/// The pools of a queue that have GPUs or TPU chips, or of those that it hands on to.
fn accelerated(plan: &Plan, id: NounId) -> Option<Vec<&PoolPlan>> {
    let Body::Queue(queue) = &plan.model.get(id)?.body else { return None };
    let workers = queue.workers.iter().filter_map(|it| plan.queue(it.value));
    let handed = workers.flat_map(|worker| &worker.flavors).map(|flavor| flavor.pool);
    let pools = queue.pools.iter().map(|pool| pool.value).chain(handed);
    let pools: Option<Vec<_>> = pools.map(|pool| plan.pool(pool)).collect();
    Some(pools?.into_iter().filter(|pool| pool.resource.is_some()).collect())
}

/// The largest number that both are a multiple of.
fn common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Profiles of the GPU that GKE accepts.
fn mig_profiles(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let machine = &plan.pool(id)?.machine;
    let gpu = machine.accelerator.as_ref().filter(|_| machine.sharing.mig);
    let gpu = gpu.and_then(|gpus| plan.model.catalog.gpu(&gpus.gpu));
    let profiles =
        gpu.into_iter().flat_map(|gpu| &gpu.mig).filter(|row| row.gke && row.blocked.is_none());
    Some(profiles.map(|row| row.profile.clone()).collect())
}

/// Topologies that the machine makes; none for machines without TPUs.
fn topologies(plan: &Plan, id: NounId) -> Option<Vec<Topology>> {
    Some(slice_topologies(&plan.model.catalog, &plan.pool(id)?.machine))
}

/// The shapes of slices that machines of a type make.
pub(super) fn slice_topologies(catalog: &Catalog, machine: &Machine) -> Vec<Topology> {
    let slices = machine.tpu.as_ref().map_or(&[][..], |tpu| catalog.slices(&tpu.generation));
    let own = slices.iter().filter(|slice| slice.machine.as_deref() == Some(&machine.name));
    own.filter_map(|slice| slice.topology.parse().ok()).collect()
}
