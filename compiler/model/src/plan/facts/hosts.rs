//! Names of nodes that texts hold, against those that nodes have.

use super::nodes::run_of;
use super::records::{Barred, Misspelt};
use crate::plan::{Place, Plan, Run};
use crate::{NounId, Value};
use slipform_source::nearest;

/// The most nodes that a patch of its partition lets one job have: in the line of a partition of one's own, or in the settings of a module.
pub(super) fn nodes_of_job(plan: &Plan, id: NounId) -> Option<Option<i64>> {
    let Place::Partition(partition) = plan.program(id)?.place.value else { return Some(None) };
    Some(match patched(plan, partition.id(), "MaxNodes") {
        None => None,
        Some(Value::Int(most)) => Some(most),
        Some(Value::Str(most)) => most.parse().ok(),
        Some(_) => None,
    })
}

/// What patches of a partition say of it: in its line, or in the settings of a module.
fn patched(plan: &Plan, partition: NounId, name: &str) -> Option<Value> {
    let of = |value: &Value, name: &str| match value {
        Value::Record(record) => record.get(name).map(|it| it.value.clone()),
        _ => None,
    };
    let patches = &plan.model.get(partition)?.patches;
    patches.iter().rev().find_map(|patch| match &*patch.target {
        "partition_line" => of(&patch.value, name),
        "slurm_partition" => of(&of(&patch.value, "partition_conf")?, name),
        _ => None,
    })
}

/// Settings of its partition, which patches say, that keep its job from ever starting.
pub(super) fn barred(plan: &Plan, id: NounId) -> Option<Vec<Barred>> {
    let Place::Partition(partition) = plan.program(id)?.place.value else {
        return Some(Vec::new());
    };
    let partition = partition.id();
    if plan.model.get(partition)?.patches.is_empty() {
        return Some(Vec::new());
    }
    let noun = plan.model.get(id)?;
    let workload =
        noun.parent.and_then(|it| plan.model.get(it)).filter(|it| it.body.kind() == "workload");
    let batch = workload.unwrap_or(noun).fields.get("batch").map(|it| &it.value);
    let of_job = |name: &str| match batch {
        Some(Value::Record(record) | Value::Variant(_, record)) => {
            record.get(name).map(|it| it.value.to_string().trim_matches('"').to_owned())
        }
        _ => None,
    };
    let text = |name: &str| match patched(plan, partition, name)? {
        Value::Str(text) => Some(text.to_string()),
        Value::Bool(is) => Some(if is { "YES" } else { "NO" }.to_owned()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    };
    let mut found = Vec::new();
    for (allow, deny, word) in
        [("AllowAccounts", "DenyAccounts", "account"), ("AllowQos", "DenyQos", "qos")]
    {
        found.extend(kept_out((allow, text(allow)), (deny, text(deny)), word, of_job(word)));
    }
    let mut put = |setting: &str, says: String, why: &str| {
        found.push(Barred { setting: setting.to_owned(), says, why: why.to_owned() });
    };
    if let Some(state) = text("State").filter(|it| !it.eq_ignore_ascii_case("up")) {
        put("State", state, "no job starts there");
    }
    if let Some(only) = text("RootOnly").filter(|it| it.eq_ignore_ascii_case("yes")) {
        put("RootOnly", only, "people submit jobs");
    }
    let nodes = plan.gang(id).map(|it| it.slices.saturating_mul(it.nodes_per_slice));
    if let (Some(least), Some(nodes)) =
        (text("MinNodes").and_then(|it| it.parse::<i64>().ok()), nodes)
        && least > nodes
        && noun.body.kind() == "workload"
    {
        put("MinNodes", least.to_string(), &format!("the job asks for {nodes}"));
    }
    Some(found)
}

/// Whom lists of a partition keep out, by a word of the job. One that says none has what its submitter has by default, which nobody knows here.
fn kept_out(
    (allow, allowed): (&str, Option<String>),
    (deny, denied): (&str, Option<String>),
    word: &str,
    own: Option<String>,
) -> Vec<Barred> {
    let Some(own) = own else { return Vec::new() };
    let lists = |list: &str| list.split(',').any(|it| it.trim().eq_ignore_ascii_case(&own));
    let told = |setting: &str, says: String| Barred {
        setting: setting.to_owned(),
        says,
        why: format!("the job's `{word}` is {own}"),
    };
    let allowed = allowed.filter(|it| !it.eq_ignore_ascii_case("all") && !lists(it));
    let denied = denied.filter(|it| lists(it));
    let both = [allowed.map(|it| told(allow, it)), denied.map(|it| told(deny, it))];
    both.into_iter().flatten().collect()
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
