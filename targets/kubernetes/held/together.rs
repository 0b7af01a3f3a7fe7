//! Pods of a patched JobSet that are to be near others, or apart from them.

use super::pods::asking;
use super::valid::reach;
use super::{Look, PATCH_ELSEWHERE, PATCH_NODES, int, items, record, says, text};
use crate::document::Node;
use std::collections::BTreeSet;

const NEAR: &str = "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution";
const APART: &str = "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution";
const HOST: &str = "kubernetes.io/hostname";

impl Look<'_> {
    /// All of it.
    pub(super) fn near_and_apart(&mut self, pod: &Node, template: &Node) {
        for term in at(pod, APART) {
            self.apart(term, template);
        }
        for term in at(pod, NEAR) {
            self.near(term, pod, template);
        }
        for term in items(pod, "topologySpreadConstraints") {
            self.spread(term, template);
        }
    }

    /// Pods that each want a domain to themselves, of which there are fewer.
    fn apart(&mut self, term: &Node, template: &Node) {
        let Some(topology) = text(term, "topologyKey") else { return };
        let key = format!("{APART}.topologyKey");
        if !self.is_level(topology) {
            let message = format!(
                "pods are to be kept apart by `{topology}`, and nodes of the pool are not known to have such a label: without one nothing keeps them apart"
            );
            let help = "tell pods apart by `kubernetes.io/hostname`";
            return self.tell(PATCH_ELSEWHERE, &key, topology, message, help);
        }
        let Some((domains, pods)) = self.domains(topology) else { return };
        if !self.takes_own(term, template) || pods <= domains {
            return;
        }
        let message = format!(
            "each of the {pods} pods wants a `{topology}` to itself, and the nodes are in {domains}: the others stay Pending"
        );
        let help = "tell pods apart by `kubernetes.io/hostname`";
        self.tell(PATCH_NODES, &key, topology, message, help);
    }

    /// Pods that want to be where others are: where none is, or where there is no room for them.
    fn near(&mut self, term: &Node, pod: &Node, template: &Node) {
        let Some(topology) = text(term, "topologyKey") else { return };
        let key = format!("{NEAR}.topologyKey");
        if !self.is_level(topology) {
            let message = format!(
                "pods are to be together by `{topology}`, and nodes of the pool are not known to have such a label: they stay Pending without one"
            );
            let help = "`topology` of the workload brings pods together: `required(\"block\")`";
            return self.tell(PATCH_ELSEWHERE, &key, topology, message, help);
        }
        if self.takes_own(term, template) {
            let Some(ground) = self.ground().filter(|_| topology == HOST) else { return };
            let of_node = |(name, room): &(String, f64)| {
                let asked: f64 = asking(pod, name).map(|it| it.2).sum();
                (asked > 0.0).then(|| (room / asked).floor() as i64)
            };
            let Some(fitting) = ground.room.iter().filter_map(of_node).min() else { return };
            if ground.pods > fitting {
                let message = format!(
                    "all {} pods want to be on one node, and a node has room for {fitting}: the others stay Pending",
                    ground.pods
                );
                let help = "`topology` of the workload brings pods together: `required(\"block\")`";
                self.tell(PATCH_NODES, &key, topology, message, help);
            }
        } else if let Some((name, value)) = self.nobodys(term) {
            let message = format!(
                "pods are to be where pods with `{name}` = `{value}` are, and nothing here has that label: they stay Pending without such a pod"
            );
            let key = format!("{NEAR}.labelSelector.matchLabels.{name}");
            let help = "take a label that pods have, or leave it out";
            self.tell(PATCH_ELSEWHERE, &key, &value, message, help);
        }
    }

    /// Pods that are to be spread over more domains than there are: each of these takes as many as may differ, and no more.
    fn spread(&mut self, term: &Node, template: &Node) {
        let (Some(topology), Some(least)) = (text(term, "topologyKey"), int(term, "minDomains"))
        else {
            return;
        };
        let Some((domains, pods)) = self.domains(topology) else { return };
        let skew = int(term, "maxSkew").unwrap_or(1);
        let waits = text(term, "whenUnsatisfiable") == Some("DoNotSchedule");
        let room = domains.saturating_mul(skew);
        if !waits || domains >= least || pods <= room || !self.takes_own(term, template) {
            return;
        }
        let message = format!(
            "pods are to be spread over {least} of `{topology}` at least, and the nodes are in {domains}: {room} of the {pods} pods are placed, and the others stay Pending"
        );
        let key = "topologySpreadConstraints.minDomains";
        self.tell(PATCH_NODES, key, &least.to_string(), message, "leave `minDomains` out");
    }

    /// In how many places of a level nodes are at most, and how many pods there are for them.
    fn domains(&self, topology: &str) -> Option<(i64, i64)> {
        let ground = self.ground()?;
        let domains = match topology {
            HOST => ground.nodes,
            _ => i64::try_from(ground.labels.get(topology).map(BTreeSet::len)?).ok()?,
        };
        Some((domains, ground.pods))
    }

    /// Whether a selector is known to take the pods that it stands in.
    fn takes_own(&self, term: &Node, template: &Node) -> bool {
        let own = template.get("metadata").and_then(|it| record(it, "labels"));
        let selector = term.get("labelSelector");
        // JobSet gives all pods of a run its name, and all of a role that
        let run = self.before.get("metadata").and_then(|it| text(it, "name"));
        let given = |key: &str| match key {
            "jobset.sigs.k8s.io/jobset-name" => run,
            "jobset.sigs.k8s.io/replicatedjob-name" => Some(self.role.as_str()),
            _ => None,
        };
        let alike = selector.and_then(|it| record(it, "matchLabels")).is_some_and(|wanted| {
            wanted.iter().all(|(key, it)| {
                let by_jobset = it.value.as_str().is_some_and(|it| given(key) == Some(it));
                by_jobset || own.and_then(|own| own.get(key)) == Some(&it.value)
            })
        });
        alike && selector.is_some_and(|it| it.get("matchExpressions").is_none())
    }

    /// A label of a selector that no pod of the blueprint has: neither one of the run, nor one of another.
    fn nobodys(&self, term: &Node) -> Option<(String, String)> {
        let anywhere = ["namespaces", "namespaceSelector"].iter().any(|it| term.get(it).is_some());
        let labels = term.get("labelSelector").and_then(|it| record(it, "matchLabels"));
        let labels = labels.filter(|_| !anywhere)?;
        let (name, value) = labels.iter().find_map(|(key, it)| Some((key, it.value.as_str()?)))?;
        let of_others = self.grounds.iter().any(|it| it.of_others || it.is_of_another(name, value));
        // JobSet and the kubelet give pods labels of their own
        let given = name.contains("k8s.io/") || name.contains("kubernetes.io/");
        (!given && !of_others && !says(self.before, name, value))
            .then(|| (name.to_owned(), value.to_owned()))
    }
}

/// All that stands at a path of a pod.
fn at<'n>(pod: &'n Node, path: &str) -> Vec<&'n Node> {
    let mut found = Vec::new();
    reach(pod, &path.split('.').collect::<Vec<_>>(), &mut found);
    let lists = found.into_iter().flat_map(|it| match it {
        Node::Seq(items) => items.iter().map(|item| &item.value).collect(),
        other => vec![other],
    });
    lists.collect()
}
