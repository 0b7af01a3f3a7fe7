//! What Vertex AI tells the processes of a job in their environment, as far as it is known beforehand.

use super::nodes::run_of;
use crate::NounId;
use crate::nouns::GroupPart;
use crate::plan::{Plan, Site, VertexSite};

/// More replicas of a pool than this are shown by their first and their last.
const SHOWN: i64 = 3;

/// `CLUSTER_SPEC` of the first of the nodes.
pub(super) fn cluster_spec(plan: &Plan, id: NounId) -> Option<Option<String>> {
    let Some((pools, own, trial)) = pools(plan, id)? else { return Some(None) };
    let port = plan.model.catalog.vertex().cluster_port;
    let cluster =
        pools.iter().map(|(at, nodes)| entry(port, &format!("workerpool{at}"), *at, *nodes));
    let cluster: Vec<String> = cluster.collect();
    let task = task(&format!("workerpool{own}"), trial);
    Some(Some(format!(
        "{{\"cluster\":{{{}}},\"environment\":\"cloud\",{task},\"job\":{{...}}}}",
        cluster.join(",")
    )))
}

/// `TF_CONFIG` of the first of the nodes; nothing of a job with one replica, which is told none.
pub(super) fn tf_config(plan: &Plan, id: NounId) -> Option<Option<String>> {
    let Some((pools, own, trial)) = pools(plan, id)? else { return Some(None) };
    if pools.iter().map(|(_, nodes)| nodes).sum::<i64>() < 2 {
        return Some(None);
    }
    let port = plan.model.catalog.vertex().cluster_port;
    // evaluators are no part of the cluster that trains (Vertex AI: "Distributed training", TF_CONFIG)
    let training = pools.iter().filter(|(at, _)| *at != EVALUATORS);
    let cluster = training.map(|(at, nodes)| entry(port, task_name(*at), *at, *nodes));
    let cluster: Vec<String> = cluster.collect();
    let task = task(task_name(own), trial);
    Some(Some(format!(
        "{{\"cluster\":{{{}}},\"environment\":\"cloud\",\"job\":{{...}},{task}}}",
        cluster.join(",")
    )))
}

/// The worker pools of a job with the replicas of each, the pool of these nodes, and whether it runs in trials; nothing elsewhere.
#[expect(clippy::type_complexity, reason = "read by its two callers alone")]
fn pools(plan: &Plan, id: NounId) -> Option<Option<(Vec<(usize, i64)>, usize, bool)>> {
    let workload = plan.workload(id).map_or_else(|| plan.model.get(id)?.parent, |_| Some(id))?;
    let run = run_of(plan, id)?;
    let site = match &run.site {
        Site::Vertex(site) => site,
        Site::Gke(_) | Site::Slurm(_) => return Some(None),
    };
    let lead = run.lead();
    let slice = plan.vertex(site.cluster).is_some_and(|it| it.machine.tpu.is_some());
    let own = if slice { 1 } else { lead.nodes.max(1) };
    let mut pools = vec![(0, 1)];
    pools.extend((own > 1).then_some((1, own - 1)));
    let groups = run.groups().iter();
    pools.extend(groups.filter_map(|it| Some((place(site, it.program.noun)?, it.nodes.max(1)))));
    pools.extend(site.reducers.as_ref().map(|it| (GroupPart::Servers as usize + 1, it.nodes)));
    pools.sort_unstable();
    let at = if workload == id { Some(0) } else { place(site, id) };
    let tuned = plan.model.get(workload).is_some_and(|noun| noun.fields.contains_key("tuning"));
    Some(at.map(|at| (pools, at, tuned)))
}

fn place(site: &VertexSite, group: NounId) -> Option<usize> {
    site.parts.get(&group).map(|part| *part as usize + 1)
}

/// The place of what TensorFlow calls so.
const EVALUATORS: usize = 3;

/// What TensorFlow calls the replicas of a pool.
fn task_name(pool: usize) -> &'static str {
    ["chief", "worker", "ps", "evaluator"].get(pool).copied().unwrap_or_default()
}

fn task(of: &str, trial: bool) -> String {
    let trial = if trial { ",\"trial\":\"1\"" } else { "" };
    format!("\"task\":{{\"type\":\"{of}\",\"index\":0{trial}}}")
}

fn entry(port: u16, name: &str, pool: usize, nodes: i64) -> String {
    let host = |at: i64| format!("\"cmle-training-workerpool{pool}-ID-{at}:{port}\"");
    let hosts: Vec<String> = match nodes {
        ..=SHOWN => (0..nodes).map(host).collect(),
        _ => vec![host(0), "...".to_owned(), host(nodes - 1)],
    };
    format!("\"{name}\":[{}]", hosts.join(","))
}
