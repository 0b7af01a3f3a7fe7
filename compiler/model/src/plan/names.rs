//! Names: how they follow from the blueprint, how long they may be, and how long they are.
//!
//! A name that the blueprint gives is never changed; one that is derived is made valid and, where it would be too
//! long, cut and marked with four characters that follow from the whole, so that it stays unique and the same.

use super::Plan;
use crate::catalog::Catalog;
use crate::nouns::{Body, Kind, Workload};
use crate::{Model, Noun, NounId};

/// What a name is a name of: decides how long it may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// Networks, subnets, disks and most else of Compute Engine.
    Resource,
    /// GKE clusters.
    GkeCluster,
    /// GKE node pools.
    NodePool,
    /// Managed groups of machines: those of the machines are longer.
    InstanceGroup,
    /// Placement and workload policies.
    ResourcePolicy,
    /// Service accounts: the part before `@`.
    ServiceAccount,
    /// Buckets.
    Bucket,
    /// Pods of a JobSet: JobSet, replicated job, the highest indices, and what Kubernetes adds.
    Pod,
    /// Kubernetes names that become host names: services, containers, volumes.
    DnsLabel,
    /// Kubernetes namespaces.
    Namespace,
    /// Objects of Kueue.
    Kueue,
    /// Queues of Kueue: workloads name theirs in a label.
    Queue,
    /// Values of Kubernetes labels.
    LabelValue,
    /// Slurm clusters.
    SlurmCluster,
    /// Slurm partitions.
    SlurmPartition,
    /// Display names of Vertex AI.
    VertexDisplay,
}

impl Limit {
    /// What it limits, in words: `a node pool's name`.
    pub fn what(self) -> &'static str {
        match self {
            Self::Resource => "a resource's name",
            Self::GkeCluster => "a GKE cluster's name",
            Self::NodePool => "a node pool's name",
            Self::InstanceGroup => "the name of a group of machines",
            Self::ResourcePolicy => "a resource policy's name",
            Self::ServiceAccount => "a service account's name",
            Self::Bucket => "a bucket's name",
            Self::Pod => "the longest pod's name",
            Self::DnsLabel => "a Kubernetes name",
            Self::Namespace => "a namespace",
            Self::Kueue => "the name of an object of Kueue",
            Self::Queue => "a queue's name",
            Self::LabelValue => "a label's value",
            Self::SlurmCluster => "a Slurm cluster's name",
            Self::SlurmPartition => "a partition's name",
            Self::VertexDisplay => "a display name",
        }
    }

    /// The fewest and the most characters.
    pub fn bounds(self, catalog: &Catalog) -> (usize, usize) {
        let limits = catalog.limits();
        let names = &limits.names;
        let rule = match self {
            Self::Resource => &names.gce_resource,
            Self::GkeCluster => &names.gke_cluster,
            Self::NodePool => &names.gke_node_pool,
            Self::InstanceGroup => &names.instance_group,
            Self::ResourcePolicy => &names.resource_policy,
            Self::ServiceAccount => &names.service_account,
            Self::Bucket => &names.bucket,
            Self::DnsLabel | Self::Namespace => &names.dns1123_label,
            Self::LabelValue | Self::Queue => &names.label_value,
            Self::SlurmCluster => &names.slurm_cluster,
            Self::SlurmPartition => &names.slurm_partition,
            Self::VertexDisplay => &names.vertex_display,
            Self::Pod => return (1, limits.jobset.name_max as usize),
            Self::Kueue => return (1, limits.kueue.name_max as usize),
        };
        (rule.min as usize, rule.max as usize)
    }
}

/// How many characters a name takes of those that it may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameBudget {
    /// What is limited.
    pub limit: Limit,
    /// The whole name that is counted; for pods the longest one, `pretrain-node-0-15-xxxxx`.
    pub name: String,
    /// Its characters.
    pub used: i64,
    /// The fewest allowed.
    pub least: i64,
    /// The most allowed.
    pub most: i64,
}

impl NameBudget {
    /// The budget of a name.
    pub fn new(catalog: &Catalog, limit: Limit, name: impl Into<String>) -> Self {
        let name = name.into();
        let (least, most) = limit.bounds(catalog);
        Self {
            limit,
            used: count(name.chars().count()),
            least: count(least),
            most: count(most),
            name,
        }
    }

    /// Whether the name is long enough and short enough.
    pub fn fits(&self) -> bool {
        (self.least..=self.most).contains(&self.used)
    }

    /// Characters to spare; below zero, so many too many.
    pub fn left(&self) -> i64 {
        self.most.saturating_sub(self.used)
    }
}

fn count(characters: usize) -> i64 {
    i64::try_from(characters).unwrap_or(i64::MAX)
}

impl Plan {
    /// Every name of a noun whose length is limited, the one with the least to spare first.
    pub fn name_budgets(&self, id: NounId) -> Vec<NameBudget> {
        let Some(noun) = self.model.get(id) else { return Vec::new() };
        let catalog = &*self.model.catalog;
        let own = |limit| self.name(id).map(|name| NameBudget::new(catalog, limit, name));
        let mut budgets: Vec<NameBudget> = match &noun.body {
            Body::Network(_)
            | Body::Registry(_)
            | Body::Filesystem(_)
            | Body::Reservation(_)
            | Body::MachineImage(_) => own(Limit::Resource).into_iter().collect(),
            Body::Bucket(_) => own(Limit::Bucket).into_iter().collect(),
            Body::Identity(_) => own(Limit::ServiceAccount).into_iter().collect(),
            Body::GkeCluster(_) => self.cluster_budgets(id),
            Body::SlurmCluster(_) => own(Limit::SlurmCluster).into_iter().collect(),
            Body::Partition(_) => own(Limit::SlurmPartition).into_iter().collect(),
            Body::Machines(_) => own(Limit::InstanceGroup).into_iter().collect(),
            Body::Queue(_) => own(Limit::Queue).into_iter().collect(),
            Body::Dashboard(_) => own(Limit::VertexDisplay).into_iter().collect(),
            Body::Pool(_) => self.pool_budgets(id),
            Body::Workload(_) => self.workload_budgets(noun),
            Body::Group(_) => {
                noun.parent.map(|parent| self.group_budget(parent, id)).unwrap_or_default()
            }
            Body::Image(_) | Body::VertexCluster(_) | Body::Broken { .. } => Vec::new(),
        };
        budgets.sort_by_key(NameBudget::left);
        budgets
    }

    fn cluster_budgets(&self, id: NounId) -> Vec<NameBudget> {
        let catalog = &*self.model.catalog;
        let Some(cluster) = self.cluster(id) else { return Vec::new() };
        let mut budgets = vec![NameBudget::new(catalog, Limit::GkeCluster, cluster.name.as_str())];
        let networks = cluster.data_networks.iter();
        budgets.extend(
            networks.map(|it| NameBudget::new(catalog, Limit::Resource, it.subnet.as_str())),
        );
        budgets
    }

    fn pool_budgets(&self, id: NounId) -> Vec<NameBudget> {
        let catalog = &*self.model.catalog;
        let pools = self.pool(id).into_iter().flat_map(|pool| &pool.node_pools);
        pools.map(|it| NameBudget::new(catalog, Limit::NodePool, it.name.as_str())).collect()
    }

    fn workload_budgets(&self, noun: &Noun) -> Vec<NameBudget> {
        let catalog = &*self.model.catalog;
        let Some(plan) = self.workload(noun.id) else { return Vec::new() };
        match plan.site {
            super::Site::Gke(_) => {
                let pod = longest_pod(
                    &plan.name,
                    &plan.lead().role,
                    plan.lead().slices,
                    plan.lead().nodes_per_slice,
                    catalog,
                );
                let label = plan.coordinator.iter().map(|role| {
                    NameBudget::new(catalog, Limit::LabelValue, coordinator(&plan.name, role))
                });
                std::iter::once(NameBudget::new(catalog, Limit::Pod, pod)).chain(label).collect()
            }
            super::Site::Vertex(_) => {
                let title = Workload::of(&noun.body).and_then(|body| body.title.set());
                let shown = title.map_or(&plan.name, |title| &title.value);
                vec![NameBudget::new(catalog, Limit::VertexDisplay, shown.as_str())]
            }
            super::Site::Slurm(_) => Vec::new(),
        }
    }

    fn group_budget(&self, parent: NounId, id: NounId) -> Vec<NameBudget> {
        let catalog = &*self.model.catalog;
        let (Some(workload), Some(job)) = (self.workload(parent), self.group(id)) else {
            return Vec::new();
        };
        let pod = longest_pod(&workload.name, &job.role, job.slices, job.nodes_per_slice, catalog);
        vec![NameBudget::new(catalog, Limit::Pod, pod)]
    }
}

/// The name of the last pod of a replicated job, with as many characters as Kubernetes adds:
/// `<jobset>-<replicated job>-<replicas - 1>-<completions - 1>-xxxxx`.
pub(crate) fn longest_pod(
    jobset: &str,
    job: &str,
    replicas: i64,
    pods: i64,
    catalog: &Catalog,
) -> String {
    let added = (catalog.limits().jobset.pod_suffix as usize).saturating_sub(1);
    format!("{jobset}-{job}-{}-{}-{}", (replicas - 1).max(0), (pods - 1).max(0), "x".repeat(added))
}

/// The value of the label by which JobSet tells pods who coordinates them: `<jobset>-<replicated job>-0-0.<jobset>`.
fn coordinator(jobset: &str, job: &str) -> String {
    format!("{jobset}-{job}-0-0.{jobset}")
}

/// The most characters of a JobSet's name whose nodes this replicated job coordinates.
pub(crate) fn coordinated_room(job: &str, catalog: &Catalog) -> usize {
    let (_, most) = Limit::LabelValue.bounds(catalog);
    most.saturating_sub(coordinator("", job).len()) / 2
}

/// The most characters of a JobSet's name with these replicated jobs: (name, replicas, pods of each).
pub(crate) fn jobset_room<'a>(
    jobs: impl Iterator<Item = (&'a str, i64, i64)>,
    catalog: &Catalog,
) -> usize {
    let (_, most) = Limit::Pod.bounds(catalog);
    let rest =
        jobs.map(|(job, replicas, pods)| longest_pod("", job, replicas, pods, catalog).len()).max();
    most.saturating_sub(rest.unwrap_or(0))
}

/// A name from parts, joined by dashes: lower case, letters, digits and dashes, a letter first.
pub(crate) fn valid(parts: &[&str]) -> String {
    let mut name = String::new();
    for part in parts {
        if !name.is_empty() {
            name.push('-');
        }
        name.extend(part.chars().map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => c,
            _ => '-',
        }));
    }
    let name = name.trim_matches('-');
    match name.chars().next() {
        Some('a'..='z') => name.to_owned(),
        _ => format!("n{name}"),
    }
}

/// A derived name within its limit.
pub(crate) fn derived(catalog: &Catalog, limit: Limit, parts: &[&str]) -> String {
    fitted(valid(parts), limit.bounds(catalog).1)
}

/// The name itself, or its beginning with a mark of four characters where it is longer than `most`.
pub fn fitted(name: String, most: usize) -> String {
    const MARK: usize = 4;
    // Valid names are ASCII, so bytes are characters.
    if name.len() <= most {
        return name;
    }
    let kept: String = name.chars().take(most.saturating_sub(MARK + 1)).collect();
    let mark = mark(&name);
    match kept.trim_end_matches('-') {
        "" => mark.chars().take(most).collect(),
        kept => format!("{kept}-{mark}"),
    }
}

/// Four letters and digits that follow from a text, a letter first: FNV-1a in base 32.
pub fn mark(text: &str) -> String {
    const DIGITS: [char; 32] = [
        'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'm', 'n', 'p', 'q', 'r', 's', 't',
        'u', 'v', 'w', 'x', 'y', 'z', '2', '3', '4', '5', '6', '7', '8', '9',
    ];
    let hash = text
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let digit = |value: u32, of: u32| DIGITS.get((value % of) as usize).copied().unwrap_or('a');
    [digit(hash, 24), digit(hash >> 7, 32), digit(hash >> 14, 32), digit(hash >> 21, 32)]
        .iter()
        .collect()
}

/// The name of a workload where it runs: letters, digits and dashes, short enough for every pod of its JobSet.
pub(crate) fn of_workload<'a>(
    model: &Model,
    noun: &Noun,
    jobs: impl Iterator<Item = (&'a str, i64, i64)>,
    coordinator: Option<&str>,
) -> String {
    let room = jobset_room(jobs, &model.catalog);
    let coordinated = coordinator.map(|job| coordinated_room(job, &model.catalog));
    fitted(valid(&[&noun.outside.name]), coordinated.map_or(room, |most| most.min(room)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_valid() {
        for (parts, name) in [
            (&["a3m", "gpus"][..], "a3m-gpus"),
            (&["My_Cluster"], "my-cluster"),
            (&["_1"], "n1"),
            (&["é"], "n"),
            (&["a_", "b"], "a--b"),
        ] {
            assert_eq!(valid(parts), name);
        }
    }

    #[test]
    fn a_long_name_is_cut_and_stays_unique() {
        let long = |end: &str| fitted(format!("{}{end}", "a".repeat(40)), 40);
        assert_eq!(fitted("short".into(), 40), "short");
        assert_eq!(long("").len(), 40);
        for name in [long("-x"), long("-y")] {
            assert_eq!(name.len(), 40);
            assert!(name.starts_with(&format!("{}-", "a".repeat(35))), "{name}");
        }
        assert_ne!(long("-x"), long("-y"));
        assert_eq!(long("-x"), long("-x"));
    }

    #[test]
    fn the_longest_pod_decides_about_a_jobset() {
        let catalog = Catalog::builtin();
        assert_eq!(longest_pod("run", "slice", 12, 64, catalog), "run-slice-11-63-xxxxx");
        // 63 characters less `-slice-11-63-xxxxx`.
        assert_eq!(jobset_room([("slice", 12, 64)].into_iter(), catalog), 45);
        let name = "r".repeat(46);
        let budget =
            NameBudget::new(catalog, Limit::Pod, longest_pod(&name, "slice", 12, 64, catalog));
        assert_eq!((budget.used, budget.most, budget.left(), budget.fits()), (64, 63, -1, false));
    }

    #[test]
    fn limits_come_from_the_catalog() {
        let catalog = Catalog::builtin();
        for (limit, bounds) in [
            (Limit::Resource, (1, 63)),
            (Limit::GkeCluster, (2, 40)),
            (Limit::NodePool, (1, 40)),
            (Limit::ServiceAccount, (6, 30)),
            (Limit::Bucket, (3, 63)),
            (Limit::Namespace, (1, 63)),
            (Limit::Kueue, (1, 253)),
            (Limit::Queue, (0, 63)),
            (Limit::SlurmCluster, (1, 20)),
            (Limit::VertexDisplay, (1, 128)),
        ] {
            assert_eq!(limit.bounds(catalog), bounds, "{limit:?}");
        }
    }
}
