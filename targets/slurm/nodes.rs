//! The lines of nodes: what they have, and what finds their GPUs.

use super::cluster::Member;
use super::settings::Setting;
use crate::Output;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::catalog::{Catalog, Machine};
use slipform_model::nouns::Detection;
use slipform_model::plan::Planned;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

slipform_source::codes! {
    pub(crate) CODES;
    SLURM_ADDRESSES = "slurm/addresses":
        "the addresses of a partition's nodes cannot be counted up",
        "choose a `first_address` with room behind it";
    SLURM_NODE_FACTS = "slurm/node-facts":
        "the catalog does not know how many sockets, cores or how much memory the machine has",
        "add the machine to `catalog.local.toml`";
}

/// Identical nodes.
#[derive(Serialize)]
pub(super) struct Nodes {
    note: String,
    hosts: String,
    addresses: Option<String>,
    processors: Vec<(&'static str, u32)>,
    memory_mib: u64,
    pub(super) gpu_type: Option<String>,
    /// In all.
    pub(super) gres: Option<String>,
    devices: Vec<Devices>,
    /// What finds them instead.
    pub(super) detect: Option<&'static str>,
    feature: String,
    /// What its patches say besides.
    pub(super) more: Vec<Setting>,
}

/// GPUs of a node that are next to the same processors.
#[derive(Debug, PartialEq, Serialize)]
struct Devices {
    files: String,
    /// By Slurm's own numbers; `None` where the catalog does not know the sockets.
    cores: Option<String>,
}

/// The processors of a node.
#[derive(Clone, Copy)]
struct Sockets {
    count: u32,
    cores: u32,
    threads: u32,
}

impl Sockets {
    fn of(catalog: &Catalog, machine: &Machine) -> Option<Self> {
        if let Some(facts) = catalog.slurm_machine(&machine.name) {
            let (count, cores) = (facts.sockets, facts.cores_per_socket);
            return Some(Self { count, cores, threads: facts.threads_per_core });
        }
        let cores = machine.cores_per_socket()?;
        Some(Self { count: machine.sockets, cores, threads: machine.threads_per_core })
    }
}

/// What the line of a partition's nodes says; nothing where that is not known, which is told.
pub(super) fn nodes(catalog: &Catalog, member: Member<'_>, out: &mut Output) -> Option<Nodes> {
    let Planned { noun, body: partition, plan, .. } = member;
    let machine = &plan.machine;
    let memory_mib = catalog.slurm().real_memory_mib(machine.memory_gib);
    let sockets = Sockets::of(catalog, machine);
    let processors = match sockets {
        Some(sockets) => vec![
            ("Sockets", sockets.count),
            ("CoresPerSocket", sockets.cores),
            ("ThreadsPerCore", sockets.threads),
        ],
        None => vec![("CPUs", machine.vcpus)],
    };
    if memory_mib == 0 || processors.iter().any(|(_, count)| *count == 0) {
        let message = format!(
            "the catalog does not know how many processors and how much memory `{}` has",
            machine.name
        );
        let help = format!(
            "say it in `catalog.local.toml`: a machine with `like = \"{}\"`, `vcpus` and `memory_gib`",
            machine.name
        );
        out.diagnostics
            .push(Diagnostic::error(SLURM_NODE_FACTS, message, partition.machine.span).help(help));
        return None;
    }
    let hosts = plan.host_names.len();
    let addresses = partition.first_address.as_ref().map(|first| addresses(first.value, hosts));
    if addresses == Some(None) {
        let message =
            format!("{hosts} nodes from the first address on go beyond the last address there is");
        let at = partition.first_address.as_ref().map_or(noun.span, |first| first.span);
        out.diagnostics.push(Diagnostic::error(SLURM_ADDRESSES, message, at));
        return None;
    }
    let detect = partition.detect.as_ref().map(|it| match it.value {
        Detection::Nvml => "nvml",
        Detection::Nvidia => "nvidia",
    });
    let typed = plan.gpu_type.as_ref().map(|gpu| format!("{gpu}:")).unwrap_or_default();
    Some(Nodes {
        note: format!("{}: {hosts} of {}", noun.origin, machine.name),
        hosts: plan.hosts.clone(),
        addresses: addresses.flatten(),
        processors,
        memory_mib,
        gpu_type: plan.gpu_type.clone(),
        gres: (plan.gpus > 0).then(|| format!("gpu:{typed}{}", plan.gpus)),
        devices: if detect.is_some() { Vec::new() } else { devices(plan.gpus, sockets) },
        detect,
        feature: machine.name.clone(),
        more: Vec::new(),
    })
}

/// The GPUs of a node, dealt to its sockets in order, as boards are wired.
fn devices(gpus: i64, sockets: Option<Sockets>) -> Vec<Devices> {
    let count = sockets.map_or(1, |sockets| i64::from(sockets.count));
    let each = if gpus % count == 0 { gpus / count } else { gpus };
    if each == 0 {
        return Vec::new();
    }
    let whole = each == gpus && count > 1;
    (0..gpus / each)
        .map(|socket| Devices {
            files: format!("/dev/nvidia{}", numbers(socket * each, each)),
            cores: sockets.filter(|_| !whole).map(|sockets| {
                let cores = i64::from(sockets.cores);
                format!("{}-{}", socket * cores, (socket + 1) * cores - 1)
            }),
        })
        .collect()
}

/// So many numbers from a first one on, as a host list has them.
fn numbers(first: i64, count: i64) -> String {
    if count == 1 { first.to_string() } else { format!("[{first}-{}]", first + count - 1) }
}

/// Addresses that follow each other as a host list, as many as there are nodes; `None` beyond the last address.
fn addresses(first: IpAddr, count: usize) -> Option<String> {
    match first {
        IpAddr::V4(first) => v4(first, u32::try_from(count).ok()?),
        IpAddr::V6(first) => v6(first, count),
    }
}

fn v4(first: Ipv4Addr, count: u32) -> Option<String> {
    let from = u32::from(first);
    let last = from.checked_add(count.checked_sub(1)?)?;
    let mut groups = Vec::new();
    let mut at = from;
    loop {
        let end = last.min(at | 0xff);
        let [a, b, c, low] = Ipv4Addr::from(at).octets();
        let high = end & 0xff;
        groups.push(if at == end {
            format!("{a}.{b}.{c}.{low}")
        } else {
            format!("{a}.{b}.{c}.[{low}-{high}]")
        });
        if end == last {
            return Some(groups.join(","));
        }
        at = end + 1;
    }
}

fn v6(first: Ipv6Addr, count: usize) -> Option<String> {
    let from = u128::from(first);
    let addresses =
        (0..count).map(|step| Some(Ipv6Addr::from(from.checked_add(step as u128)?).to_string()));
    addresses.collect::<Option<Vec<_>>>().map(|addresses| addresses.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_dealt_to_the_sockets() {
        let sockets = |count| Some(Sockets { count, cores: 56, threads: 2 });
        let shown = |gpus, sockets| -> Vec<(String, Option<String>)> {
            devices(gpus, sockets).into_iter().map(|it| (it.files, it.cores)).collect()
        };
        let line = |files: &str, cores: Option<&str>| (files.to_owned(), cores.map(str::to_owned));
        assert_eq!(
            shown(8, sockets(2)),
            [line("/dev/nvidia[0-3]", Some("0-55")), line("/dev/nvidia[4-7]", Some("56-111"))]
        );
        assert_eq!(shown(1, sockets(1)), [line("/dev/nvidia0", Some("0-55"))]);
        // three GPUs of two sockets hang where nobody has said
        assert_eq!(shown(3, sockets(2)), [line("/dev/nvidia[0-2]", None)]);
        assert_eq!(shown(8, None), [line("/dev/nvidia[0-7]", None)]);
        assert_eq!(shown(0, sockets(2)), []);
    }

    #[test]
    fn addresses_follow_each_other_over_the_ends_of_ranges() {
        let listed = |first: &str, count| addresses(first.parse().unwrap(), count);
        assert_eq!(listed("10.0.1.1", 8).as_deref(), Some("10.0.1.[1-8]"));
        assert_eq!(listed("10.0.1.1", 1).as_deref(), Some("10.0.1.1"));
        assert_eq!(listed("10.0.1.254", 4).as_deref(), Some("10.0.1.[254-255],10.0.2.[0-1]"));
        assert_eq!(listed("10.0.1.255", 2).as_deref(), Some("10.0.1.255,10.0.2.0"));
        assert_eq!(listed("fd00::ff", 2).as_deref(), Some("fd00::ff,fd00::100"));
        assert_eq!(listed("255.255.255.255", 2), None);
    }
}
