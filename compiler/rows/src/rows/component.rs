//! What is installed: the programs and controllers that output is written for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Confidence;

/// A component that output is written for, whatever a blueprint holds: no catalog is without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prerequisite {
    /// The cloud's command line.
    Gcloud,
    /// What installs charts.
    Helm,
    /// The API of runs.
    Jobset,
    /// The command line of clusters.
    Kubectl,
    /// The API of queues.
    Kueue,
    /// What applies roots.
    Terraform,
    /// The provider that roots are written for.
    TerraformGoogle,
}

impl Prerequisite {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Gcloud,
        Self::Helm,
        Self::Jobset,
        Self::Kubectl,
        Self::Kueue,
        Self::Terraform,
        Self::TerraformGoogle,
    ];

    /// The key of its row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gcloud => "gcloud",
            Self::Helm => "helm",
            Self::Jobset => "jobset",
            Self::Kubectl => "kubectl",
            Self::Kueue => "kueue",
            Self::Terraform => "terraform",
            Self::TerraformGoogle => "terraform-google",
        }
    }
}

/// Something that is installed into a cluster.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// `jobset`, `kueue`.
    pub name: String,
    /// The version that is installed unless a blueprint says otherwise, without `v`.
    pub version: String,
    /// API version of its objects at that version.
    pub api: String,
    /// Oldest version that the output fits.
    #[serde(default)]
    pub min: Option<String>,
    /// Newest version that was looked at.
    #[serde(default)]
    pub max: Option<String>,
    /// The first version that the output is not for: the next that may break what is written.
    #[serde(default)]
    pub below: Option<String>,
    /// Features that some output needs, with the first version that has each.
    #[serde(default)]
    pub since: BTreeMap<String, String>,
    /// API version below some version, `"0.15" = "kueue.x-k8s.io/v1beta1"`.
    #[serde(default)]
    pub api_below: BTreeMap<String, String>,
    /// Where its manifest is published; `{version}` stands for the version.
    #[serde(default)]
    pub manifest: Option<String>,
    /// Its Helm chart, where it is installed by one.
    #[serde(default)]
    pub chart: Option<Chart>,
    /// Namespace of its controller.
    #[serde(default)]
    pub namespace: Option<String>,
    /// The DaemonSet that it is, where it is no controller.
    #[serde(default)]
    pub daemon_set: Option<String>,
    /// Kinds of objects that workloads need of it, as the API server names their definitions.
    #[serde(default)]
    pub definitions: Vec<String>,
    /// Pods of system priority in its namespace, which GKE admits by quota alone.
    #[serde(default)]
    pub system_pods: Option<SystemPods>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl Component {
    /// The first version that has all of these features and fits the output at all.
    pub fn first_with<'a>(&'a self, features: impl IntoIterator<Item = &'a str>) -> &'a str {
        let needed = features.into_iter().filter_map(|name| self.since.get(name));
        let versions = self.min.iter().chain(needed).map(String::as_str);
        versions.max_by_key(|version| numbers(version)).unwrap_or(&self.version)
    }

    /// The same at another version.
    #[must_use]
    pub fn at(&self, version: &str) -> Self {
        let older = self.api_below.iter().filter(|(first, _)| numbers(version) < numbers(first));
        let api = older.min_by_key(|(first, _)| numbers(first)).map_or(&self.api, |(_, api)| api);
        Self { version: version.to_owned(), api: api.clone(), ..self.clone() }
    }

    /// The oldest version that output fits, where its own is older.
    pub fn oldest_of_older(&self) -> Option<&str> {
        self.min.as_deref().filter(|min| numbers(&self.version) < numbers(min))
    }

    /// The newest version that was looked at, where its own is newer.
    pub fn newest_of_newer(&self) -> Option<&str> {
        self.max.as_deref().filter(|max| numbers(&self.version) > numbers(max))
    }

    /// Whether it counts devices that pods claim, and admits nothing that claims some which it does not know.
    pub fn counts_devices(&self) -> bool {
        self.surely_has("device_classes")
    }

    /// Whether it counts parts of such devices.
    pub fn counts_parts(&self) -> bool {
        self.surely_has("device_parts")
    }

    /// Whether it places groups of nodes within groups, at least behind a gate.
    pub fn places_layers(&self) -> bool {
        self.surely_has("topology_layers")
    }

    /// Whether it does so without a gate that is to be opened.
    pub fn layers_by_itself(&self) -> bool {
        self.surely_has("topology_layers_open")
    }

    /// Whether it has a feature that a catalog of before knows nothing of.
    fn surely_has(&self, feature: &str) -> bool {
        let first = self.since.get(feature);
        first.is_some_and(|first| numbers(&self.version) >= numbers(first))
    }

    /// Whether the version that is installed has a feature.
    pub fn has(&self, feature: &str) -> bool {
        self.since.get(feature).is_none_or(|first| numbers(&self.version) >= numbers(first))
    }
}

/// The parts of a version, to compare by.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// What releases of Kueue are configured with by themselves, from one on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KueueRelease {
    /// The first release that has it, without `v`.
    pub since: String,
    /// API version of the configuration.
    pub api: String,
    /// Where the manager tells that it is well.
    pub health: String,
    /// Where it tells its metrics.
    pub metrics: String,
    /// Where the API server asks it.
    pub webhook_port: u16,
    /// The lease that its replicas elect a leader by.
    pub leader: String,
    /// Objects of a kind, `Kind.group`, that it works on at once.
    pub concurrency: BTreeMap<String, u32>,
    /// Requests a second to the API server.
    pub qps: u32,
    /// Requests to it in one go.
    pub burst: u32,
    /// Kinds of jobs that it looks at.
    pub integrations: Vec<String>,
    /// Kinds of jobs that it can look at besides.
    pub others: Vec<String>,
    /// Minutes that pods of a run have to be ready, where it waits for them by itself.
    #[serde(default)]
    pub ready_minutes: Option<u32>,
    /// Keys of the sources table.
    pub source: Vec<String>,
    /// Day of the fact.
    pub date: String,
    /// Trust.
    pub confidence: Confidence,
}

impl KueueRelease {
    /// Whether a version of Kueue is this release or a later one.
    pub fn reaches(&self, version: &str) -> bool {
        numbers(version) >= self.order()
    }

    /// What releases are sorted by, the oldest first.
    pub fn order(&self) -> Vec<u64> {
        numbers(&self.since)
    }
}

/// A Helm chart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Where charts are published.
    pub repository: String,
    /// Its name there.
    pub name: String,
}

/// How many pods of system priority there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemPods {
    /// For each of its nodes.
    pub each_node: u32,
    /// Besides those.
    pub besides: u32,
}
