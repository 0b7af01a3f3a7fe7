//! Teams: who works in a namespace, what it may hold, and who reaches its pods.

use super::context::text;
use super::kustomize::Stream;
use super::objects::{
    Ingress, Meta, NetworkPolicySpec, Object, ObjectQuota, Pairs, Party, Peer, PolicyRule, Role,
    RoleBinding,
};
use super::queue::of_namespaces;
use super::words;
use slipform_model::Noun;
use slipform_model::nouns::{GkeCluster, Team};
use std::collections::BTreeMap;

/// What the role, its binding, the quota and the policy of a team are called.
const TEAM: &str = "team";
const RBAC: &str = "rbac.authorization.k8s.io";
const RBAC_API: &str = "rbac.authorization.k8s.io/v1";
/// Where Managed Service for Prometheus reads metrics from.
const COLLECTORS: [&str; 2] = ["gke-gmp-system", "gmp-system"];

const OWN: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const READ: &[&str] = &["get", "list", "watch"];

/// What starts, watches and ends runs. Secrets, accounts and quotas are for whoever owns the cluster.
const RULES: [([&str; 1], &[&str], &[&str]); 8] = [
    (["jobset.x-k8s.io"], &["jobsets"], OWN),
    (["batch"], &["jobs"], OWN),
    (["resource.k8s.io"], &["resourceclaims", "resourceclaimtemplates"], OWN),
    ([""], &["configmaps", "persistentvolumeclaims", "services"], OWN),
    ([""], &["pods"], &["delete", "deletecollection", "get", "list", "watch"]),
    ([""], &["pods/attach", "pods/exec", "pods/portforward"], &["create", "get"]),
    ([""], &["events", "pods/log", "resourcequotas", "serviceaccounts"], READ),
    (["kueue.x-k8s.io"], &["localqueues", "workloads"], READ),
];

/// Access, quota and policy of each team, once its namespace is there.
pub(crate) fn render(noun: &Noun, cluster: &GkeCluster) -> Stream {
    let mut stream = Stream::default();
    for (namespace, team) in cluster.teams.iter().filter(|_| !noun.existing) {
        let meta = || Meta::of(TEAM, text(namespace));
        if !team.members().is_empty() {
            stream.add(&noun.origin, &role(meta()));
            stream.add(&noun.origin, &binding(meta(), team));
        }
        let hard = counted(team);
        if !hard.is_empty() {
            stream.object(
                &noun.origin,
                &Object::new("v1", "ResourceQuota", meta(), ObjectQuota { hard }),
            );
        }
        let Team::Team { isolated, .. } = team;
        if *isolated {
            let api = "networking.k8s.io/v1";
            stream.object(&noun.origin, &Object::new(api, "NetworkPolicy", meta(), alone()));
        }
    }
    stream
}

fn role(meta: Meta<'_>) -> Role<'_> {
    let rule = |(api_groups, resources, verbs)| PolicyRule { api_groups, resources, verbs };
    let visible = PolicyRule {
        api_groups: ["visibility.kueue.x-k8s.io"],
        resources: &["localqueues/pendingworkloads"],
        verbs: &["get"],
    };
    Role {
        object: bare("Role", meta),
        rules: RULES.map(rule).into_iter().chain([visible]).collect(),
    }
}

fn binding<'a>(meta: Meta<'a>, team: &'a Team) -> RoleBinding<'a> {
    let subject = |member: &'a String| {
        let (what, address) = member.split_once(':').unwrap_or(("user", member));
        let kind = if what == "group" { "Group" } else { "User" };
        Party { api_group: RBAC, kind, name: text(address) }
    };
    RoleBinding {
        object: bare("RoleBinding", meta),
        role_ref: Party { api_group: RBAC, kind: "Role", name: TEAM.into() },
        subjects: team.members().iter().map(subject).collect(),
    }
}

fn bare<'a>(kind: &'static str, meta: Meta<'a>) -> Object<'a, ()> {
    Object { spec: None, ..Object::new(RBAC_API, kind, meta, ()) }
}

/// What a namespace may hold, as Kubernetes counts it.
fn counted(team: &Team) -> BTreeMap<&'static str, i64> {
    let Team::Team { runs, pods, services, claims, .. } = team;
    let all = [
        ("count/jobsets.jobset.x-k8s.io", runs),
        ("pods", pods),
        ("services", services),
        ("persistentvolumeclaims", claims),
    ];
    all.into_iter().filter_map(|(name, most)| Some((name, (*most)?))).collect()
}

/// Pods of the namespace reach each other, and what reads metrics reaches them.
fn alone<'a>() -> NetworkPolicySpec<'a> {
    let own = Peer::PodSelector(Pairs::new());
    let collectors = Peer::NamespaceSelector(of_namespaces(COLLECTORS.into_iter()));
    NetworkPolicySpec {
        pod_selector: Pairs::new(),
        policy_types: ["Ingress"],
        ingress: vec![Ingress { from: vec![own, collectors] }],
    }
}

/// Kinds of these objects, which a later build may no longer ask for.
pub(crate) const KINDS: [&str; 5] = [
    "roles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "resourcequotas",
    "networkpolicies.networking.k8s.io",
    words::PRIORITY_CLASSES,
];
