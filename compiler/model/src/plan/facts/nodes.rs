//! Facts of equal nodes: a workload's own and those of its groups.

use super::at_odds::at_odds;
use super::costly::{costly_options, misplaced, other_projects};
use super::hosts::{barred, nodes_of_job, unknown_hosts};
use super::machine_image::too_old_for_containers;
use super::mounts::{not_on_nodes, taken_paths};
use super::pool::scratch_room;
use super::published::{gated, published, strange_models};
use super::records;
use super::records::Layer;
use super::removed::removed;
use super::said::{faults, made_up, options, paths, strayed, told_degrees, variables};
use super::served::{astray, unanswered};
use super::settings::{costly, misread, no_images, numbered, strange_flags, unset};
use super::software::{base_image, installs, wrong_for_gpu};
use super::told_to::{cluster_spec, tf_config};
use super::{Fact, MADE, NAME_BUDGET, NAME_CLASH, Table, fact};
use crate::NounId;
use crate::nouns::{
    Body, Capacity, Group, Kind, Level, OfNodes, Partition, Pool, Ref, VertexCluster, Workload,
};
use crate::plan::derive::{Shortage, grantable, room_of_level};
use crate::plan::{
    Amounts, Component, Env, Gang, Misfit, Piece, Place, Plan, PoolPlan, Program, Resource, Run,
    RunValue, Site, Together, Word, slip,
};
use slipform_source::nearest;

pub(super) const GROUP: Table = Table {
    kind: "group",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, OF_NODES],
    rows: &[
        &fact("takes_role", |plan, id| {
            let lead = run_of(plan, id)?.lead();
            Some(lead.role == plan.group(id)?.role)
        }),
        &fact("has_part", |plan, id| {
            Some(match &run_of(plan, id)?.site {
                Site::Vertex(site) => site.parts.contains_key(&id),
                Site::Gke(_) | Site::Slurm(_) => true,
            })
        }),
        &fact("beside_on_hosts", |plan, id| Some(beside_on_hosts(plan, id))),
    ],
};

/// What equal nodes have, whoever says what they are.
pub(super) const OF_NODES: &[&dyn Fact] = &[
    &fact("run", |plan, id| {
        let own = plan.model.get(id)?;
        let group = matches!(own.body, Body::Group(_));
        Some(Ref::<Workload>::to(if group { own.parent? } else { id }))
    }),
    &fact("role_name", |plan, id| Some(plan.gang(id)?.role.clone())),
    &fact("container_name", |plan, id| Some(plan.gang(id)?.pod.container.clone())),
    &fact("chips", |plan, id| {
        let gang = plan.gang(id)?;
        Some(gang.nodes.saturating_mul(gang.chips_per_node))
    }),
    &fact("world_size", |plan, id| Some(plan.gang(id)?.world_size)),
    &fact("processes_per_node", |plan, id| Some(plan.gang(id)?.processes_per_node)),
    &fact("cluster_spec", cluster_spec),
    &fact("tf_config", tf_config),
    &fact("rendezvous", |plan, id| Some(plan.gang(id)?.rendezvous.clone())),
    &fact("spec", |plan, id| plan.machine_fact(place(plan, id)?.id())),
    &fact("nics", |plan, id| plan.nics_fact(place(plan, id)?.id())),
    &fact("slice", |plan, id| plan.slice_fact(place(plan, id)?.id())),
    &fact("shared_memory_size", |plan, id| Some(plan.gang(id)?.shared_memory)),
    &fact("scratch_room", |plan, id| {
        Some(match place(plan, id)? {
            Place::Pool(pool) => plan.pool(pool).map(scratch_room),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    &fact("acts_as", |plan, id| Some(plan.gang(id)?.identity)),
    &fact("service_account", |plan, id| {
        let account = &plan.gang(id)?.pod.account;
        Some((account != "default").then(|| account.clone()))
    }),
    &fact("too_large", |plan, id| Some(shortage(plan, too_large(plan, id)))),
    &fact("drained", |plan, id| Some(shortage(plan, drained(plan, id)))),
    &fact("avoided", avoided),
    &fact("bfloat16", |plan, id| Some(plan.gang(id)?.program.texts().find_map(bfloat16))),
    &fact("names_hosts", |plan, id| Some(plan.program(id)?.hosts().next().is_some())),
    &fact("placed", |plan, id| {
        Some(run_of(plan, id)?.gke().is_some_and(|site| {
            site.queue.is_some() && plan.placed.contains_key(&site.cluster.id())
        }))
    }),
    &fact("level_room", |plan, id| {
        let all = plan.gang(id)?.pod.nearness.as_ref().map(|it| it.all);
        let Some(Together::Required(level)) = all else { return Some(None) };
        Some(level_room(plan, id, level))
    }),
    &fact("layers", |plan, id| {
        let gang = plan.gang(id)?;
        let layers = gang.pod.nearness.iter().flat_map(|it| &it.layers);
        let layer = |(level, nodes): &(Level, i64)| Layer {
            level: *level,
            nodes: *nodes,
            room: level_room(plan, id, *level),
        };
        Some(layers.map(layer).collect::<Vec<_>>())
    }),
    &fact("domains", |plan, id| Some(domain(plan, id).map(|it| it.count))),
    &fact("domain_room", |plan, id| Some(domain(plan, id).map(|it| it.pods))),
    &fact("platform", place),
    &fact("total_nodes", |plan, id| Some(plan.gang(id)?.nodes)),
    &fact("nodes_together", |plan, id| Some(nodes_together(plan, id))),
    &fact("nodes_of_job", nodes_of_job),
    &fact("barred", barred),
    &fact("nodes_per_slice", |plan, id| Some(plan.gang(id)?.nodes_per_slice)),
    &fact("chips_per_node", |plan, id| Some(plan.gang(id)?.chips_per_node)),
    &fact("room", |plan, id| Some(room(plan, place(plan, id)?))),
    &fact("slice_room", |plan, id| {
        Some(match place(plan, id)? {
            Place::Pool(pool) => plan.pool(pool).map(|pool| match pool.slicing {
                Some(_) => {
                    pool.max_nodes() / plan.gang(id).map_or(1, |it| it.nodes_per_slice.max(1))
                }
                None => pool.node_pools.len() as i64,
            }),
            Place::Partition(_) | Place::Vertex(_) => None,
        })
    }),
    &fact("capacity", |plan, id| Some(capacity(plan, place(plan, id)?.id()).cloned())),
    &fact("too_old", too_old_for_containers),
    &fact("misfits", |plan, id| Some(plan.gang(id)?.pod.misfits.clone())),
    &fact("uses_fabric", |plan, id| Some(plan.gang(id)?.fabric)),
    &fact("owned_env", owned_env),
    &fact("first_word", |plan, id| Some(plan.command_line(id)?.first.clone())),
    &fact("started", |plan, id| {
        let started = &plan.command_line(id)?.started;
        Some(started.iter().cloned().map(records::Started::from).collect::<Vec<_>>())
    }),
    &fact("failure_lost", |plan, id| {
        Some(plan.command_line(id)?.lost.clone().map(records::Lost::from))
    }),
    &fact("left_behind", |plan, id| Some(plan.command_line(id)?.left_behind.clone())),
    &fact("goes_on", |plan, id| {
        Some(plan.command_line(id)?.goes_on.clone().map(records::Lost::from))
    }),
    &fact("asked_variables", |plan, id| {
        let (own, asked) = (own(plan, id)?, &plan.command_line(id)?.asked);
        Some(asked.iter().filter(|name| !own.env.contains_key(*name)).cloned().collect::<Vec<_>>())
    }),
    &fact("faults", faults),
    &fact("variables", variables),
    &fact("options", options),
    &fact("programs", |plan, id| Some(plan.command_line(id)?.programs.clone())),
    &fact("written_files", |plan, id| Some(plan.command_line(id)?.written.clone())),
    &fact("interface_names", |plan, id| Some(interface_names(plan, id))),
    &fact("texts", |plan, id| Some(texts(plan.program(id)?))),
    &fact("scratch_size", |plan, id| Some(plan.program(id)?.scratch())),
    &fact("taken_paths", taken_paths),
    &fact("not_on_nodes", not_on_nodes),
    &fact("paths", paths),
    &fact("strayed", strayed),
    &fact("removed", removed),
    &fact("made_up", made_up),
    &fact("told_degrees", told_degrees),
    &fact("at_odds", at_odds),
    &fact("published", published),
    &fact("gated", gated),
    &fact("unknown_hosts", unknown_hosts),
    &fact("unanswered", unanswered),
    &fact("astray", astray),
    &fact("base_image", base_image),
    &fact("installs", installs),
    &fact("wrong_for_gpu", wrong_for_gpu),
    &fact("tells_rank", tells_rank),
    &fact("splits_nodes", splits_nodes),
    &fact("open_words", open_words),
    &fact("asked", |plan, id| {
        let place = place(plan, id)?.id();
        let run = run_of(plan, id)?;
        Some(run.asks(run.site.place().id(), place).devices)
    }),
    &fact("grantable", |plan, id| {
        let run = run_of(plan, id)?;
        Some(grantable(plan, run, plan.gang(id)?))
    }),
    &fact("image_platform", |plan, id| {
        let Some(image) = own(plan, id)?.image.value.noun() else {
            return Some(None);
        };
        Some(Some(plan.model.body(image)?.platform.clone()))
    }),
    &fact("starts_from", |plan, id| Some(own(plan, id)?.image.value.clone())),
    &fact("reference", |plan, id| Some(plan.gang(id)?.image.clone())),
    &fact("strange_hosts", strange_hosts),
    &fact("reached_by", |plan, id| {
        let run = run_of(plan, id)?;
        let reaches =
            |it: &&Gang| it.program.noun != id && it.program.hosts().any(|host| host == id);
        Some(run.gangs().find(reaches).map(|it| it.role.clone()))
    }),
    &fact("taken_ports", taken_ports),
    &fact("misspelt_env", misspelt_env),
    &fact("misread", misread),
    &fact("numbered", numbered),
    &fact("costly", costly),
    &fact("costly_options", costly_options),
    &fact("misplaced", misplaced),
    &fact("other_projects", other_projects),
    &fact("unset", unset),
    &fact("strange_flags", strange_flags),
    &fact("strange_models", strange_models),
    &fact("no_images", no_images),
    &fact("takes_container", |plan, id| {
        let gang = plan.gang(id)?;
        let stack = plan.pool(gang.program.place.value).and_then(|pool| pool.stack.as_ref());
        let daemon =
            stack.filter(|_| gang.fabric).and_then(|stack| stack.gke.as_ref()?.daemon.as_ref());
        Some(daemon.is_some_and(|daemon| {
            let beside = gang.program.sidecars.iter().map(|sidecar| &sidecar.name);
            beside.chain([&gang.pod.container]).any(|name| *name == daemon.container)
        }))
    }),
    &fact("awaits_itself", |plan, id| {
        let run = run_of(plan, id)?;
        Some(run.gangs.waits_for_itself(plan.gang(id)?))
    }),
];

/// What a workload or a group says of its nodes.
pub(super) fn own(plan: &Plan, id: NounId) -> Option<OfNodes<'_>> {
    let body = &plan.model.get(id)?.body;
    Workload::of(body).map(Workload::own).or_else(|| Group::of(body).map(Group::own))
}

/// The run of a workload, or of the workload that a group is of.
pub(super) fn run_of(plan: &Plan, id: NounId) -> Option<&Run> {
    plan.workload(id).or_else(|| plan.workload(plan.model.get(id)?.parent?))
}

fn place(plan: &Plan, id: NounId) -> Option<Place> {
    plan.gang(id).map(|gang| gang.program.place.value)
}

/// Nodes that a place has at most; nothing for Vertex AI, which has as many as its quota.
fn room(plan: &Plan, place: Place) -> Option<i64> {
    match place {
        Place::Pool(pool) => plan.pool(pool).map(PoolPlan::max_nodes),
        Place::Partition(partition) => {
            plan.partition(partition).map(|it| it.host_names.len() as i64)
        }
        Place::Vertex(_) => None,
    }
}

/// The partition of another component of a job of Slurm that has hosts of this gang's, where the gang is the first of its own.
fn beside_on_hosts(plan: &Plan, id: NounId) -> Option<Ref<Partition>> {
    let site = run_of(plan, id)?.slurm()?;
    let first = |it: &Component| it.berths.first().is_some_and(|berth| berth.gang == id);
    let own = site.components.iter().find(|it| first(it))?.partition;
    let hosts = &plan.partition(own)?.host_names;
    let before = site.components.iter().take_while(|it| it.partition != own);
    let meets = |other: &Ref<Partition>| {
        let other = plan.partition(*other);
        other.is_some_and(|it| it.host_names.iter().any(|host| hosts.contains(host)))
    };
    before.map(|it| it.partition).find(meets)
}

/// Nodes that a job of Slurm asks of a partition, told of the first of its gangs there.
fn nodes_together(plan: &Plan, id: NounId) -> Option<i64> {
    let run = run_of(plan, id)?;
    let first = |it: &&Component| it.berths.first().is_some_and(|berth| berth.gang == id);
    run.slurm()?.components.iter().find(first).map(|component| component.nodes)
}

/// How the nodes of a place are obtained; nothing for hardware of one's own.
pub(super) fn capacity(plan: &Plan, place: NounId) -> Option<&Capacity> {
    let body = &plan.model.get(place)?.body;
    let on_vertex = || VertexCluster::of(body).map(|it| &it.capacity.value);
    Pool::of(body).map(|it| &it.capacity.value).or_else(on_vertex)
}

/// A word that asks for bfloat16: an option of that name that is on, or a value, alone or of an option.
fn bfloat16(word: &str) -> Option<String> {
    let of_that = |word: &str| word == "bf16" || word == "bfloat16" || word == "bf16-mixed";
    let asked = match word.split_once('=') {
        Some((name, value)) => {
            let named = of_that(name.trim_start_matches(['-', '+']));
            of_that(value) || named && value.eq_ignore_ascii_case("true")
        }
        None => of_that(word.trim_start_matches('-')),
    };
    asked.then(|| word.to_owned())
}

/// The interfaces of its pods, where these have a network of their own: the first, and those that its pool's stack names, or one on a second
/// network.
fn interface_names(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let gang = plan.gang(id)?;
    let Place::Pool(pool) = gang.program.place.value else { return None };
    let first = "eth0".to_owned();
    let planned = plan.pool(pool)?;
    let second = planned.data_networks.iter().filter(|_| gang.fabric && planned.stack.is_none());
    let second = second.map(|network| &network.interface);
    let stack = planned.stack.as_ref().filter(|_| gang.fabric);
    let data = stack.and_then(|stack| stack.gke.as_ref()).map(|gke| &gke.data_interfaces);
    let named = plan.model.body(pool)?.interfaces.value.keys();
    let data = data.into_iter().flatten().chain(second).chain(named).cloned();
    (!gang.pod.host_network).then(|| std::iter::once(first).chain(data).collect())
}

/// Whether its command asks which of its nodes it is on.
fn tells_rank(plan: &Plan, id: NounId) -> Option<bool> {
    let program = plan.program(id)?;
    let is_rank =
        |value| matches!(value, RunValue::NodeRank | RunValue::ArrayIndex | RunValue::SliceIndex);
    let ranks = plan.model.catalog.names("commands.ranks");
    let asks = |text: &String| ranks.iter().any(|name| text.contains(name));
    let by_word = program.command.iter().flat_map(Word::of_run).any(is_rank);
    Some(by_word || texts(program).iter().any(asks))
}

/// Whether its command reckons with the number of its node, or does other things on some of them.
fn splits_nodes(plan: &Plan, id: NounId) -> Option<bool> {
    let (ranks, branches) =
        (plan.model.catalog.names("commands.ranks"), plan.model.catalog.names("commands.branches"));
    let has = |line: &str, any: &[String]| any.iter().any(|it| line.contains(&**it));
    let splits = |line: &str| has(line, branches) && has(line, ranks);
    Some(texts(plan.program(id)?).iter().any(|text| text.lines().any(splits)))
}

/// Whether words of its commands are known to a shell alone, which may be any option: `$EXTRA_ARGS`, `"$@"`, `$(ls)`.
pub(super) fn open_words(plan: &Plan, id: NounId) -> Option<bool> {
    let further = plan.model.catalog.names("commands.further_options");
    let is_open = |word: &str| {
        let Some(rest) = word.trim_matches('"').strip_prefix('$') else { return false };
        let name = rest.trim_start_matches('{').to_ascii_uppercase();
        rest.starts_with(['(', '@', '*']) || further.iter().any(|it| name.contains(&**it))
    };
    Some(texts(plan.program(id)?).iter().any(|text| text.split_whitespace().any(is_open)))
}

/// Whether a word that no option stands in front of is known to a shell alone: it may be several options, whatever it is called.
pub(super) fn loose_words(plan: &Plan, id: NounId) -> Option<bool> {
    let is_loose = |text: &String| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.iter().zip(words.iter().skip(1)).any(|(front, word)| {
            word.trim_start_matches('"').starts_with('$') && !front.starts_with('-')
        })
    };
    Some(open_words(plan, id)? || texts(plan.program(id)?).iter().any(is_loose))
}

/// What stands in its command lines, and in variables and words of containers beside its own.
fn texts(program: &Program) -> Vec<String> {
    let sidecars = program.sidecars.iter();
    let beside = sidecars.clone().flat_map(|it| it.command.iter().chain(&it.args));
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        Piece::Later(_) | Piece::Run(_) => None,
    };
    let variables = sidecars.flat_map(|it| &it.env).filter_map(|it| match &it.value {
        Env::Word(word) => Some(format!("{}={}", it.name, word.0.iter().find_map(text)?)),
        Env::Secret { .. } => None,
    });
    let words = program.words().chain(beside).flat_map(|word| &word.0).filter_map(text);
    words.chain(variables).collect()
}

/// Variables of `env`, and those that the command sets, that belong to the machine's network stack. What NCCL says in the log is the user's: a
/// profile only begins with it, and nothing depends on it.
fn owned_env(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let (own, gang) = (own(plan, id)?, plan.gang(id)?);
    let stack = match gang.program.place.value {
        Place::Pool(id) => plan.pool(id)?.stack.as_ref(),
        Place::Partition(id) => plan.partition(id)?.stack.as_ref(),
        Place::Vertex(id) => plan.vertex(id)?.stack.as_ref(),
    };
    let stack = stack.filter(|_| gang.fabric);
    let set = plan.command_line(id)?.variables.keys();
    let set = set.filter(|name| !own.env.contains_key(*name));
    let own = own.env.keys().chain(set).filter(|key| !key.starts_with("NCCL_DEBUG"));
    let owned = own.filter(|key| stack.is_some_and(|stack| stack.owns(key)));
    Some(owned.cloned().collect())
}

/// Its variables with names that are almost those of variables which programs read.
fn misspelt_env(plan: &Plan, id: NounId) -> Option<Vec<records::Misspelt>> {
    // of a short name too many others are near; small letters are told by a rule of their own
    let is_long = |name: &&String| name.len() > 7 && !name.contains(char::is_lowercase);
    let misspelt = |name: &String| {
        let known = plan.model.catalog.names("variables.known");
        if known.contains(name) {
            return None;
        }
        let alike = known.iter().filter(|it| it.len().abs_diff(name.len()) < 3);
        // of a long name few others are near
        let is = |it: &&String| slip(name, it) || name.len() >= LONG_NAME;
        let meant = nearest(name, alike.filter(is).map(String::as_str))?;
        Some(records::Misspelt { written: name.clone(), known: meant.to_owned() })
    };
    // what its own text asks for is read
    let asked = &plan.command_line(id)?.asked;
    let own = own(plan, id)?.env.keys().filter(|it| !asked.contains(it));
    Some(own.filter(is_long).filter_map(misspelt).collect())
}

/// Names of so many letters are one letter more or less off by mistake alone.
const LONG_NAME: usize = 16;

/// What its processes are to find that is of another run.
fn strange_hosts(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let run = run_of(plan, id)?;
    let program = plan.program(id)?;
    // What could not be understood is in no run, and may be of this one.
    let known = |noun: &NounId| {
        plan.model.get(*noun).is_some_and(|noun| !matches!(noun.body, Body::Broken { .. }))
    };
    let strange = program.hosts().filter(known);
    let strange = strange.filter(|noun| run.gangs().all(|it| it.program.noun != *noun));
    Some(strange.filter_map(|noun| Some(plan.model.get(noun)?.path.clone())).collect())
}

/// Names of ports that have the number of another one, or of one that its launch listens on.
fn taken_ports(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let gang = plan.gang(id)?;
    let mut seen = plan.launch_ports(gang);
    let sidecars = gang.program.sidecars.iter();
    let sidecars = sidecars.filter_map(|sidecar| Some((&sidecar.name, sidecar.port?)));
    let own = gang.pod.ports.iter().map(|(name, port)| (name, *port));
    let mut taken = Vec::new();
    for (name, port) in sidecars.chain(own) {
        if seen.contains(&port) {
            taken.push(format!("{name} ({port})"));
        }
        seen.push(port);
    }
    Some(taken)
}

/// What a gang asks of a node of its place that has less.
fn too_large(plan: &Plan, id: NounId) -> Option<Shortage> {
    let gang = plan.gang(id)?;
    let (resource, node) = match gang.program.place.value {
        Place::Pool(pool) => (beyond_pods(gang)?, plan.pool(pool)?.allocatable),
        Place::Partition(partition) => {
            let node = plan.partition(partition)?.node?;
            // too many GPUs are told of on every platform alike
            (Amounts { devices: 0, ..gang.request }.beyond(node)?, node)
        }
        Place::Vertex(_) => return None,
    };
    let known = node.millicpus > 0 && node.memory.0 > 0;
    let (asked, has) = (gang.request.in_words(resource), node.in_words(resource));
    known.then_some(Shortage { pool: gang.program.place.value.id(), asked, has, rival: None })
}

/// What a pod asks for that no node of its pool has left; local disk is told of with what mounts it.
fn beyond_pods(gang: &Gang) -> Option<Resource> {
    gang.pod.misfits.iter().find_map(|misfit| match misfit {
        Misfit::Node(resource) if *resource != Resource::Disk => Some(*resource),
        _ => None,
    })
}

/// What containers beside its own leave it nothing of.
fn drained(plan: &Plan, id: NounId) -> Option<Shortage> {
    let gang = plan.gang(id)?;
    let place = gang.program.place.value;
    let node = plan.pool(place)?.allocatable;
    let beside = gang.program.beside();
    let drained = |of: &Resource| {
        beside.of(*of) > 0 && node.of(*of) > 0 && beside.of(*of) >= gang.request.of(*of)
    };
    let resource = [Resource::Cpus, Resource::Memory].into_iter().find(drained)?;
    let (asked, has) = (beside.in_words(resource), node.in_words(resource));
    Some(Shortage { pool: place.id(), asked, has, rival: None })
}

/// Hosts of its partition that its run keeps away from (Slurm).
fn avoided(plan: &Plan, id: NounId) -> Option<i64> {
    let partition = match place(plan, id)? {
        Place::Partition(partition) => partition,
        Place::Pool(_) | Place::Vertex(_) => return Some(0),
    };
    let hosts = &plan.partition(partition)?.host_names;
    let Body::Workload(workload) = &plan.model.get(run_of(plan, id)?.lead().program.noun)?.body
    else {
        return None;
    };
    let avoided =
        hosts.iter().filter(|host| workload.avoid_nodes.iter().any(|it| it.value == **host));
    Some(avoided.count() as i64)
}

/// Pods of a gang that one domain of a level has room for.
fn level_room(plan: &Plan, id: NounId, level: Level) -> Option<i64> {
    let gang = plan.gang(id)?;
    let pool = plan.pool(gang.program.place.value)?;
    room_of_level(pool, level, gang.request)
}

/// The domains of a pool, as its `domain` tells them apart.
struct Domains {
    count: i64,
    /// Pods of the gang that each has room for.
    pods: i64,
}

/// Nodes and node pools are counted; of other labels nobody knows where they are.
fn domain(plan: &Plan, id: NounId) -> Option<Domains> {
    let gang = plan.gang(id)?;
    let pool = plan.pool(gang.program.place.value)?;
    let labels = &plan.model.catalog.kubernetes().labels;
    let key = gang.pod.domain.as_deref()?;
    let known = [(Level::Node, pool.max_nodes()), (Level::NodePool, pool.node_pools.len() as i64)];
    let (level, count) = known.into_iter().find(|(level, _)| level.label(labels) == key)?;
    Some(Domains { count, pods: room_of_level(pool, level, gang.request)? })
}

pub(super) fn shortage(plan: &Plan, found: Option<Shortage>) -> Option<records::Shortage> {
    let Shortage { pool, asked, has, rival } = found?;
    let pool = plan.model.get(pool)?.path.clone();
    Some(records::Shortage { pool, asked, has, rival: rival.map(Ref::to) })
}

/// The words of a command, with one blank between them.
pub(super) fn spoken(words: &[Word]) -> String {
    let text = |word: &Word| match word.0.as_slice() {
        [Piece::Text(text)] => text.clone(),
        _ => "?".to_owned(),
    };
    words.iter().map(text).collect::<Vec<_>>().join(" ")
}
