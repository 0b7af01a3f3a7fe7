//! Partitions: host lists spelled out and folded again, and the switches between hosts.

use super::pool::slice;
use super::{blocks, nodeset};
use crate::catalog::{Catalog, Machine, SlurmMachine};
use crate::nouns::{Choice, Partition, Ref};
use crate::plan::{Amounts, DataNetwork, NodeSet, PartitionPlan, Plan, SlurmPlan};
use crate::{Noun, NounId, Size};
use std::collections::BTreeMap;

/// The most hosts that are spelled out: as many as a partition may have, and one to show that there are more.
const MOST_HOSTS: usize = 100_001;

/// Every Slurm cluster, and every partition; those on Google Cloud with their data networks.
pub(crate) fn clusters(
    plan: &Plan,
) -> (BTreeMap<NounId, SlurmPlan>, BTreeMap<NounId, PartitionPlan>) {
    let (clusters, mut networks) = nodeset::clusters(plan);
    let mut found = BTreeMap::new();
    for (noun, partition) in plan.model.partitions() {
        let networks = networks.remove(&noun.id);
        let topology = noun.parent.and_then(|cluster| Some(clusters.get(&cluster)?.topology));
        let planned = partition_plan(plan, noun, partition, networks);
        found.extend(planned.map(|it| {
            let blocked = blocks::of(plan, noun, partition, topology, &it.host_names);
            let blocks::Blocked { lists: blocks, segments, longest_segment } = blocked;
            (noun.id, PartitionPlan { blocks, segments, longest_segment, ..it })
        }));
    }
    (clusters, found)
}

fn partition_plan(
    plan: &Plan,
    noun: &Noun,
    partition: &Partition,
    networks: Option<Vec<DataNetwork>>,
) -> Option<PartitionPlan> {
    let cluster = noun.parent?;
    let catalog = &*plan.model.catalog;
    let machine = catalog.machine(&partition.machine)?;
    let name = plan.name(noun.id)?;
    let set: Option<NodeSet> =
        networks.map(|networks| nodeset::node_set(plan, partition, name, machine, networks));
    let most = partition.nodes.value.bounds().1;
    let hosts = match (&set, &partition.hosts) {
        (Some(set), _) => nodeset::hosts(plan.name(cluster)?, &set.name, most),
        (None, Choice::Set(hosts)) => hosts.value.clone(),
        (None, Choice::Auto) => default_hosts(plan.name(cluster)?, name, most),
    };
    let host_names = expand(&hosts);
    let gpus = machine.accelerator.as_ref();
    Some(PartitionPlan {
        cluster: Ref::to(cluster),
        stack: machine.stack.as_deref().and_then(|name| catalog.stack(name)).cloned(),
        switches: switches(name, partition, &host_names),
        blocks: Vec::new(),
        segments: None,
        longest_segment: None,
        gpus: gpus.map_or(0, |gpus| i64::from(gpus.count)),
        slice: slice(catalog, partition.topology.as_ref().map(|it| &it.value), machine),
        node: node(catalog, partition, machine),
        gpu_type: gpus.map(|gpus| gpu_type(&gpus.gpu)),
        machine: machine.clone(),
        hosts,
        host_names,
        set,
    })
}

/// What a node has for jobs: what Slurm is told of it.
fn node(catalog: &Catalog, partition: &Partition, machine: &Machine) -> Option<Amounts> {
    let sockets = catalog.slurm_machine(&machine.name).map(SlurmMachine::cpus);
    let slurm = catalog.slurm();
    let of_tpus = machine.tpu.as_ref().and_then(|tpu| slurm.tpu_nodes.get(&tpu.generation));
    let (cpus, memory) = match of_tpus {
        Some(node) => (node.cpus, node.memory_mib),
        None => (sockets.unwrap_or(machine.vcpus), slurm.real_memory_mib(machine.memory_gib)),
    };
    let threads = i64::from(machine.threads());
    let used = partition.threads_per_core.set().map_or(threads, |it| it.value.min(threads));
    let cpus = i64::from(cpus) * used / threads;
    let devices = machine.accelerator.as_ref().map_or(0, |it| i64::from(it.count));
    (cpus > 0 && memory > 0).then(|| Amounts {
        devices,
        millicpus: cpus * 1000,
        memory: Size(memory << 20),
        disk: Size(0),
    })
}

fn default_hosts(cluster: &str, partition: &str, nodes: i64) -> String {
    match nodes {
        ..=1 => format!("{cluster}-{partition}-0"),
        nodes => format!("{cluster}-{partition}-[0-{}]", nodes - 1),
    }
}

fn switches(name: &str, partition: &Partition, hosts: &[String]) -> Vec<(String, Vec<String>)> {
    let said = partition.switch_nodes.set().map(|it| usize::try_from(it.value).unwrap_or(1));
    let leaves = hosts.chunks(said.unwrap_or(hosts.len()).max(1)).enumerate();
    leaves.map(|(at, hosts)| (format!("{name}-leaf{}", at + 1), hosts.to_vec())).collect()
}

/// `h100` of `h100-mega-80gb`: the model without its variants; whole where the model is more than one word.
fn gpu_type(gpu: &str) -> String {
    let first = gpu.split('-').next().unwrap_or(gpu);
    let model = if first.contains(|c: char| c.is_ascii_digit()) { first } else { gpu };
    model.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The hosts of a list such as `dgx[001-003,7]`, in order.
pub(crate) fn expand(list: &str) -> Vec<String> {
    let Some((prefix, rest)) = list.split_once('[') else { return vec![list.to_owned()] };
    let ranges = rest.trim_end_matches(']').split(',');
    ranges.flat_map(numbers).map(|number| format!("{prefix}{number}")).take(MOST_HOSTS).collect()
}

/// `001-003` as `001`, `002`, `003`: numbers keep the width of the first.
fn numbers(range: &str) -> Box<dyn Iterator<Item = String> + '_> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let (Ok(from), Ok(to)) = (first.parse::<u64>(), last.parse::<u64>()) else {
        return Box::new(std::iter::empty());
    };
    let width = first.len();
    Box::new((from..=to).map(move |number| format!("{number:0width$}")))
}

/// The shortest list of these hosts that keeps their order: runs of following numbers under one prefix become ranges.
pub fn host_list(hosts: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for host in hosts {
        let (prefix, number) = split_number(host);
        let group = groups.last_mut().filter(|(known, _)| *known == prefix && !number.is_empty());
        let Some((_, runs)) = group else {
            groups.push((prefix, vec![(number, number)]));
            continue;
        };
        match runs.last_mut() {
            Some((_, last)) if follows(last, number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    groups.into_iter().map(|(prefix, runs)| written(prefix, &runs)).collect::<Vec<_>>().join(",")
}

fn split_number(host: &str) -> (&str, &str) {
    let prefix = host.trim_end_matches(|c: char| c.is_ascii_digit());
    host.split_at(prefix.len())
}

/// Numbers follow each other if the range between them would be spelled out with exactly them.
fn follows(last: &str, next: &str) -> bool {
    let (Ok(number), width) = (last.parse::<u64>(), last.len()) else { return false };
    number
        .checked_add(1)
        .is_some_and(|number| format!("{number:0width$}") == next && next.len() == width)
        || (!last.starts_with('0')
            && number.checked_add(1).is_some_and(|number| number.to_string() == next))
}

fn written(prefix: &str, runs: &[(&str, &str)]) -> String {
    match runs {
        [(first, last)] if first == last => format!("{prefix}{first}"),
        runs => {
            let range = |(first, last): &(&str, &str)| {
                if first == last { (*first).to_owned() } else { format!("{first}-{last}") }
            };
            format!("{prefix}[{}]", runs.iter().map(range).collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_lists_are_spelled_out_and_folded_again() {
        for (list, hosts) in [
            ("head1", &["head1"][..]),
            ("dgx[001-003]", &["dgx001", "dgx002", "dgx003"]),
            ("n[8-10,12]", &["n8", "n9", "n10", "n12"]),
            ("n[09-11]", &["n09", "n10", "n11"]),
            ("login", &["login"]),
        ] {
            let spelled = expand(list);
            assert_eq!(spelled, hosts);
            assert_eq!(host_list(&spelled), list);
        }
        assert_eq!(host_list(&expand("n[0,1,2]")), "n[0-2]");
        assert_eq!(host_list(&[]), "");
    }

    #[test]
    fn a_list_without_end_is_cut() {
        assert_eq!(expand("n[0-99999999999]").len(), MOST_HOSTS);
        assert!(expand("n[x-y]").is_empty());
    }

    #[test]
    fn a_gpu_goes_by_its_model() {
        for (gpu, model) in [
            ("h100-mega-80gb", "h100"),
            ("a100-40gb", "a100"),
            ("rtx-pro-6000", "rtxpro6000"),
            ("t4", "t4"),
        ] {
            assert_eq!(gpu_type(gpu), model);
        }
    }
}
