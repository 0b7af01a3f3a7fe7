//! Kueue and the scheduler, as far as they decide who starts where: quotas of flavors, borrowing in cohorts, selectors, and
//! room on nodes. Time goes in turns: what has all of its pods on nodes ends, and makes room.

use crate::observed::{Case, ObservedPool, quantity};
use serde::Deserialize;
use serde_yaml::Value;
use slipform_model::NounId;
use slipform_model::plan::Plan;
use slipform_targets::Output;
use std::collections::{BTreeMap, BTreeSet};

type Labels = BTreeMap<String, String>;
type Amounts = BTreeMap<String, i64>;

/// Labels by which GKE tells kinds of devices apart.
const KINDS: [&str; 5] = [
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-gpu-partition-size",
    "cloud.google.com/gke-gpu-sharing-strategy",
    "cloud.google.com/gke-tpu-accelerator",
    "cloud.google.com/gke-tpu-topology",
];
const NODE_POOL: &str = "cloud.google.com/gke-nodepool";

/// Which keys of a pod's selector Kueue holds against a flavor: those of all flavors of the group, or, in newer releases,
/// of the flavor alone.
#[derive(Clone, Copy)]
pub(crate) enum Keys {
    OfGroup,
    OfFlavor,
}

struct Flavor {
    name: String,
    quota: Amounts,
}

struct Queue {
    cohort: Option<String>,
    flavors: Vec<Flavor>,
}

/// Equal pods of a workload.
struct PodSet {
    name: String,
    main: bool,
    /// Jobs of it, and pods of each.
    jobs: usize,
    pods: usize,
    /// Each job has a node pool to itself.
    exclusive: bool,
    selector: Labels,
    barred: Vec<(String, Vec<String>)>,
    requests: Amounts,
    fabric: bool,
}

struct Workload {
    name: String,
    queue: Option<String>,
    sets: Vec<PodSet>,
    meant: NounId,
}

#[derive(Clone)]
struct Node {
    pool: usize,
    free: Amounts,
}

/// Runs all workloads of a rendering; gives those that never start, not where they should, or hold a quota without nodes.
pub(crate) fn run(case: &Case, plan: &Plan, output: &Output, keys: Keys) -> Vec<String> {
    let mut stuck = Vec::new();
    for (id, cluster) in plan.clusters() {
        let Some(pools) = case.pools.get(&cluster.name) else { continue };
        let documents = documents(output, plan.model.get(id).map_or("", |noun| &noun.outside.name));
        let plane = Plane::new(plan, pools, &documents, keys);
        let workloads = workloads(plan, id, output);
        stuck.extend(plane.run(workloads));
    }
    stuck
}

/// Whether a node pool is of a pool of the blueprint: how many of them are numbered may differ from then.
fn is_of(plan: &Plan, id: NounId, observed: &ObservedPool) -> bool {
    let Some(noun) = plan.model.get(id) else { return false };
    let Some(rest) = observed.name.strip_prefix(&noun.outside.name) else { return false };
    let number = rest.strip_prefix('-');
    rest.is_empty() || number.is_some_and(|it| it.chars().all(|digit| digit.is_ascii_digit()))
}

fn read(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents.map(|document| Value::deserialize(document).unwrap()).collect()
}

/// Kueue's objects of a cluster.
fn documents(output: &Output, cluster: &str) -> Vec<Value> {
    let own = output.artifacts.iter().filter(|artifact| {
        artifact.path.file_name() == Some("queues.yaml")
            && artifact.path.as_str().contains(&format!("{cluster}-"))
    });
    own.flat_map(|artifact| read(&artifact.content)).collect()
}

fn workloads(plan: &Plan, cluster: NounId, output: &Output) -> Vec<Workload> {
    let mut found = Vec::new();
    for (_, workload) in plan.workloads() {
        let Some(pool) = plan.pool(workload.site.place().id()) else { continue };
        if pool.cluster != cluster {
            continue;
        }
        let path = format!("{}/base/jobset.yaml", workload.name);
        let artifact = output.artifacts.iter().find(|it| it.path.as_str().ends_with(&path));
        let documents = read(&artifact.unwrap_or_else(|| panic!("no {path}")).content);
        let jobset = documents.iter().find(|document| document["kind"] == "JobSet").unwrap();
        let jobs = jobset["spec"]["replicatedJobs"].as_sequence().unwrap();
        found.push(Workload {
            name: workload.name.clone(),
            queue: jobset["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
                .as_str()
                .map(str::to_owned),
            sets: jobs.iter().enumerate().map(|(at, job)| pod_set(at, job)).collect(),
            meant: workload.site.place().id(),
        });
    }
    found
}

fn pod_set(at: usize, job: &Value) -> PodSet {
    let count = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let template = &job["template"]["spec"]["template"];
    let pod = &template["spec"];
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let terms = &pod["affinity"]["nodeAffinity"][required]["nodeSelectorTerms"];
    let conditions = terms[0]["matchExpressions"].as_sequence().into_iter().flatten();
    let barred = conditions.map(|condition| {
        assert_eq!(condition["operator"], "NotIn");
        let values = condition["values"].as_sequence().unwrap().iter();
        let values = values.map(|value| value.as_str().unwrap().to_owned()).collect();
        (condition["key"].as_str().unwrap().to_owned(), values)
    });
    let annotations = &job["template"]["metadata"]["annotations"];
    let exclusive = &annotations["alpha.jobset.sigs.k8s.io/exclusive-topology"];
    PodSet {
        name: job["name"].as_str().unwrap().to_owned(),
        main: at == 0,
        jobs: count(&job["replicas"]),
        pods: count(&job["template"]["spec"]["parallelism"]),
        exclusive: !exclusive.is_null(),
        selector: labels(&pod["nodeSelector"]),
        barred: barred.collect(),
        requests: amounts(&pod["containers"][0]["resources"]["requests"]),
        fabric: !template["metadata"]["annotations"]["networking.gke.io/interfaces"].is_null(),
    }
}

fn labels(value: &Value) -> Labels {
    let pairs = value.as_mapping().into_iter().flatten();
    pairs.map(|(key, value)| (word(key), word(value))).collect()
}

fn word(value: &Value) -> String {
    value.as_str().map(str::to_owned).or(value.as_i64().map(|it| it.to_string())).unwrap()
}

fn amounts(value: &Value) -> Amounts {
    let pairs = value.as_mapping().into_iter().flatten();
    pairs.map(|(key, value)| (word(key), quantity(&word(value)))).collect()
}

impl PodSet {
    /// What Kueue counts.
    fn total(&self) -> Amounts {
        let pods = i64::try_from(self.jobs * self.pods).unwrap();
        self.requests.iter().map(|(name, amount)| (name.clone(), amount * pods)).collect()
    }

    /// Whether nodes with such labels are looked at, as far as these keys matter.
    fn selects(&self, labels: &Labels, keys: Option<&BTreeSet<&String>>) -> bool {
        let matters = |key: &String| keys.is_none_or(|keys| keys.contains(key));
        self.selector.iter().all(|(key, value)| !matters(key) || labels.get(key) == Some(value))
            && self
                .barred
                .iter()
                .all(|(key, values)| labels.get(key).is_none_or(|value| !values.contains(value)))
    }
}

struct Plane<'a> {
    plan: &'a Plan,
    pools: &'a [ObservedPool],
    /// What a node of each has: as observed, but for local disks, whose number may differ now.
    nodes: Vec<Amounts>,
    /// Labels of the nodes of each pool, those that Terraform writes among them.
    labels: Vec<Labels>,
    flavors: BTreeMap<String, Labels>,
    queues: BTreeMap<String, Queue>,
    keys: Keys,
}

/// What is used of a queue's flavor: (queue, flavor, resource).
type Usage = BTreeMap<(String, String, String), i64>;
/// The flavor of each set of pods.
type Assignment = Vec<String>;

impl<'a> Plane<'a> {
    fn new(plan: &'a Plan, pools: &'a [ObservedPool], documents: &[Value], keys: Keys) -> Self {
        let written = |pool: &ObservedPool| {
            let mut labels = pool.labels.clone();
            if let Some((_, plan)) = plan.pools().find(|(id, _)| is_of(plan, *id, pool)) {
                labels.extend(plan.node_labels.clone());
            }
            if pool.queued {
                labels.insert("cloud.google.com/gke-queued".into(), "true".into());
                labels.insert("cloud.google.com/gke-flex-start".into(), "true".into());
            }
            labels
        };
        let own = |pool: &ObservedPool| {
            let mut node = pool.allocatable.clone();
            if let Some((_, plan)) = plan.pools().find(|(id, _)| is_of(plan, *id, pool)) {
                let disk = i64::try_from(plan.allocatable.disk.0).unwrap() * 1000;
                node.insert("ephemeral-storage".into(), disk);
            }
            node
        };
        let of_kind =
            |kind: &'static str| documents.iter().filter(move |document| document["kind"] == kind);
        let name = |document: &Value| document["metadata"]["name"].as_str().unwrap().to_owned();
        let flavors = of_kind("ResourceFlavor")
            .map(|flavor| (name(flavor), labels(&flavor["spec"]["nodeLabels"])));
        let queues = of_kind("ClusterQueue").map(|queue| (name(queue), self::queue(queue)));
        Self {
            plan,
            pools,
            nodes: pools.iter().map(own).collect(),
            labels: pools.iter().map(written).collect(),
            flavors: flavors.collect(),
            queues: queues.collect(),
            keys,
        }
    }

    fn run(&self, mut waiting: Vec<Workload>) -> Vec<String> {
        let mut stuck = self.overcommitted();
        // Without a queue everything starts by itself; what was observed of that does not depend on the rendering.
        waiting.retain(|workload| {
            if workload.queue.is_none() {
                stuck.extend(self.place(&mut self.nodes(), workload, None));
            }
            workload.queue.is_some()
        });
        while !waiting.is_empty() {
            let (mut usage, mut nodes) = (Usage::new(), self.nodes());
            let before = waiting.len();
            waiting.retain(|workload| match self.assignment(workload, &usage) {
                None => true,
                Some(assignment) => {
                    self.count(workload, &assignment, &mut usage);
                    stuck.extend(self.place(&mut nodes, workload, Some(&assignment)));
                    false
                }
            });
            if waiting.len() == before {
                stuck.extend(waiting.iter().map(|it| format!("`{}` is never admitted", it.name)));
                break;
            }
        }
        stuck
    }

    /// Flavors of which all queues together hold more than their nodes have.
    fn overcommitted(&self) -> Vec<String> {
        let mut stuck = Vec::new();
        for (flavor, labels) in &self.flavors {
            let mut has = Amounts::new();
            for ((pool, own), node) in self.pools.iter().zip(&self.labels).zip(&self.nodes) {
                if labels.iter().all(|(key, value)| own.get(key) == Some(value)) {
                    for (name, amount) in node {
                        *has.entry(name.clone()).or_default() +=
                            amount * i64::try_from(pool.nodes).unwrap();
                    }
                }
            }
            let mut promised = Amounts::new();
            for own in self.queues.values().flat_map(|queue| &queue.flavors) {
                if own.name == *flavor {
                    for (name, amount) in &own.quota {
                        *promised.entry(name.clone()).or_default() += amount;
                    }
                }
            }
            for (name, amount) in promised {
                let has = has.get(&name).copied().unwrap_or(0);
                // Memory is rounded to MiB on both sides.
                if amount > has + has / 1000 {
                    stuck.push(format!("`{flavor}` has {has} of {name}, {amount} are promised"));
                }
            }
        }
        stuck
    }

    fn nodes(&self) -> Vec<Node> {
        let pools = self.pools.iter().enumerate();
        let nodes = pools.flat_map(|(at, pool)| {
            (0..pool.nodes).map(move |_| Node { pool: at, free: self.nodes[at].clone() })
        });
        nodes.collect()
    }

    fn matches(&self, set: &PodSet, queue: &Queue, flavor: &str) -> bool {
        let labels = &self.flavors[flavor];
        let keys: BTreeSet<&String> = match self.keys {
            Keys::OfFlavor => labels.keys().collect(),
            Keys::OfGroup => {
                queue.flavors.iter().flat_map(|flavor| self.flavors[&flavor.name].keys()).collect()
            }
        };
        set.selects(labels, Some(&keys))
    }

    /// The first flavor with room for each set of pods.
    fn assignment(&self, workload: &Workload, usage: &Usage) -> Option<Assignment> {
        let name = workload.queue.as_ref()?;
        let queue = &self.queues[name];
        let mut usage = usage.clone();
        let mut assignment = Assignment::new();
        for set in &workload.sets {
            let total = set.total();
            let flavor = queue.flavors.iter().find(|flavor| {
                self.matches(set, queue, &flavor.name)
                    && total.iter().all(|(resource, amount)| {
                        flavor.quota.contains_key(resource)
                            && *amount <= self.available(name, &flavor.name, resource, &usage)
                    })
            })?;
            for (resource, amount) in total {
                *usage.entry((name.clone(), flavor.name.clone(), resource)).or_default() += amount;
            }
            assignment.push(flavor.name.clone());
        }
        Some(assignment)
    }

    fn available(&self, name: &str, flavor: &str, resource: &str, usage: &Usage) -> i64 {
        let cohort = &self.queues[name].cohort;
        let lends =
            |other: &str, it: &Queue| other == name || (cohort.is_some() && it.cohort == *cohort);
        let queues = self.queues.iter().filter(|(other, it)| lends(other, it));
        let left = queues.map(|(other, queue)| {
            let of_queue = queue.flavors.iter().filter(|it| it.name == flavor);
            let quota: i64 = of_queue.filter_map(|it| it.quota.get(resource)).sum();
            let key = (other.clone(), flavor.to_owned(), resource.to_owned());
            quota - usage.get(&key).copied().unwrap_or(0)
        });
        left.sum()
    }

    fn count(&self, workload: &Workload, assignment: &Assignment, usage: &mut Usage) {
        let Some(queue) = &workload.queue else { return };
        for (set, flavor) in workload.sets.iter().zip(assignment) {
            for (resource, amount) in set.total() {
                *usage.entry((queue.clone(), flavor.clone(), resource)).or_default() += amount;
            }
        }
    }

    /// Puts all pods of a workload on nodes, or says which have none.
    fn place(
        &self,
        nodes: &mut [Node],
        workload: &Workload,
        assignment: Option<&Assignment>,
    ) -> Option<String> {
        for (at, set) in workload.sets.iter().enumerate() {
            let none = Labels::new();
            let chosen = assignment.map_or(&none, |flavors| &self.flavors[&flavors[at]]);
            let fits = |node: &Node| {
                let labels = &self.labels[node.pool];
                set.selects(labels, None)
                    && chosen.iter().all(|(key, value)| labels.get(key) == Some(value))
                    && set.requests.iter().all(|(name, amount)| node.free.get(name) >= Some(amount))
            };
            let mut taken: BTreeSet<usize> = BTreeSet::new();
            for _ in 0..set.jobs {
                let mut of_job: Option<usize> = None;
                for _ in 0..set.pods {
                    let free = nodes.iter_mut().find(|node| {
                        fits(node)
                            && (!set.exclusive
                                || of_job
                                    .map_or(!taken.contains(&node.pool), |own| own == node.pool))
                    });
                    let Some(node) = free else {
                        return Some(format!("`{}` has no node for `{}`", workload.name, set.name));
                    };
                    for (name, amount) in &set.requests {
                        *node.free.entry(name.clone()).or_default() -= amount;
                    }
                    of_job = Some(node.pool);
                    taken.insert(node.pool);
                    if let Some(wrong) = self.wrong(workload, set, node.pool) {
                        return Some(wrong);
                    }
                }
                let slice = of_job.filter(|_| set.exclusive).map(|pool| self.pools[pool].nodes);
                if slice.is_some_and(|nodes| nodes != set.pods) {
                    return Some(format!("`{}` has a part of a slice", workload.name));
                }
            }
        }
        None
    }

    /// Why a node is of another kind than the workload's own.
    fn wrong(&self, workload: &Workload, set: &PodSet, at: usize) -> Option<String> {
        let meant = self.pools.iter().position(|pool| is_of(self.plan, workload.meant, pool));
        let meant = meant.filter(|_| set.main)?;
        let kind = |pool: usize| KINDS.map(|key| self.labels[pool].get(key));
        let other = set.fabric && self.pools[meant].machine != self.pools[at].machine;
        let here = self.labels[at].get(NODE_POOL);
        (other || kind(meant) != kind(at)).then(|| format!("`{}` is on {here:?}", workload.name))
    }
}

fn queue(document: &Value) -> Queue {
    let spec = &document["spec"];
    let groups = spec["resourceGroups"].as_sequence().unwrap();
    assert_eq!(groups.len(), 1, "the model knows one group");
    let flavors = groups[0]["flavors"].as_sequence().unwrap().iter().map(|flavor| {
        let quotas = flavor["resources"].as_sequence().unwrap().iter();
        let quotas = quotas.map(|it| (word(&it["name"]), quantity(&word(&it["nominalQuota"]))));
        Flavor { name: word(&flavor["name"]), quota: quotas.collect() }
    });
    Queue { cohort: spec["cohortName"].as_str().map(str::to_owned), flavors: flavors.collect() }
}
