//! Names of nodes that texts hold, against those that nodes have.

use super::nodes::run_of;
use super::records::Misspelt;
use crate::plan::{Place, Plan, Run};
use crate::{NounId, Value};
use slipform_source::nearest;

/// The most nodes that a patch of its partition lets one job have: in the line of a partition of one's own, or in the settings of a module.
pub(super) fn nodes_of_job(plan: &Plan, id: NounId) -> Option<Option<i64>> {
    let Place::Partition(partition) = plan.program(id)?.place.value else { return Some(None) };
    let patches = &plan.model.get(partition)?.patches;
    let of = |value: &Value, name: &str| match value {
        Value::Record(record) => record.get(name).map(|it| it.value.clone()),
        _ => None,
    };
    let said = patches.iter().rev().find_map(|patch| match &*patch.target {
        "partition_line" => of(&patch.value, "MaxNodes"),
        "slurm_partition" => of(&of(&patch.value, "partition_conf")?, "MaxNodes"),
        _ => None,
    });
    Some(match said {
        None => None,
        Some(Value::Int(most)) => Some(most),
        Some(Value::Str(most)) => most.parse().ok(),
        Some(_) => None,
    })
}

/// Names of nodes of its run that no node has: of another role, of a number that is not there, or without the name of the run behind them.
pub(super) fn unknown_hosts(plan: &Plan, id: NounId) -> Option<Vec<Misspelt>> {
    let (run, program) = (run_of(plan, id)?, plan.program(id)?);
    let mut found: Vec<Misspelt> = Vec::new();
    if run.gke().is_none() {
        return Some(found);
    }
    let begin = format!("{}-", run.name);
    for text in program.texts().filter(|text| text.contains(&begin)) {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        for name in text.split(|c| !is_of_name(c)).filter(|it| it.starts_with(&begin)) {
            let told = found.iter().any(|it| it.written == name);
            let known = meant(run, name, leads_to_port(text, name)).filter(|_| !told);
            found.extend(known.map(|known| Misspelt { written: name.to_owned(), known }));
        }
    }
    Some(found)
}

/// The node that a name is meant for, where it is the name of none.
fn meant(run: &Run, name: &str, is_host: bool) -> Option<String> {
    let (host, domain) = name.split_once('.').map_or((name, None), |(a, b)| (a, Some(b)));
    let (head, node) = host.rsplit_once('-')?;
    let (role, slice) = head.strip_prefix(&run.name)?.strip_prefix('-')?.rsplit_once('-')?;
    let (slice, node): (i64, i64) = (slice.parse().ok()?, node.parse().ok()?);
    let in_domain = domain.is_some_and(|it| it.split('.').next() == Some(&run.name));
    let gang = run.gangs().find(|gang| gang.role == role);
    // another text that looks like one is no name of a node
    if !in_domain && (gang.is_none() || !is_host && domain.is_none()) {
        return None;
    }
    let is_there = |gang: &crate::plan::Gang| slice < gang.slices && node < gang.nodes_per_slice;
    if in_domain && gang.is_some_and(is_there) {
        return None;
    }
    let roles = run.gangs().map(|gang| gang.role.as_str());
    let role = gang.map(|gang| gang.role.as_str()).or_else(|| nearest(role, roles))?;
    let gang = run.gangs().find(|gang| gang.role == role)?;
    let (slice, node) = if is_there(gang) { (slice, node) } else { (0, 0) };
    Some(format!("{0}-{role}-{slice}-{node}.{0}", run.name))
}

/// Whether a port stands behind a name in a text.
fn leads_to_port(text: &str, name: &str) -> bool {
    let behind = text.split_once(name).map(|(_, behind)| behind);
    let port = behind.and_then(|it| it.strip_prefix(':'));
    port.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
}
