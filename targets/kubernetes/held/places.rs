//! What patched pods ask of labels of nodes.

use super::{Look, PATCH_ELSEWHERE, PATCH_NODES, has_key, items, record, shown, text};
use crate::document::{Map, Node};
use crate::kubernetes::words;

/// Labels that nodes have without being given them, by what stands in front.
const GIVEN: [&str; 8] = [
    "cloud.google.com/",
    "kubernetes.io/",
    "node.kubernetes.io/",
    "topology.kubernetes.io/",
    "topology.gke.io/",
    "beta.kubernetes.io/",
    "feature.node.kubernetes.io/",
    "nvidia.com/",
];

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

impl Look<'_> {
    /// Whether nodes of the replicated job are said to have a label; of one that a patch adds, any of the run's.
    fn is_said(&self, key: &str) -> bool {
        match self.ground() {
            Some(ground) => ground.said.contains(key),
            None => self.grounds.iter().any(|ground| ground.said.contains(key)),
        }
    }

    /// Whether nodes may have a label.
    fn may_have(&self, key: &str) -> bool {
        self.is_said(key) || GIVEN.iter().any(|owner| key.starts_with(owner))
    }

    /// Whether nodes may be told apart by a label.
    pub(super) fn is_level(&self, key: &str) -> bool {
        match key.strip_prefix("topology.kubernetes.io/") {
            Some(level) => level == "zone" || level == "region",
            None => self.may_have(key),
        }
    }

    /// Labels of nodes that none has as far as is known here.
    pub(super) fn nodes(&mut self, pod: &Node) {
        for (key, entry) in record(pod, "nodeSelector").into_iter().flat_map(Map::iter) {
            let value = shown(&entry.value);
            if let Some(message) = self.other(key, &[&value]) {
                let help = "leave it out; `place` of the workload says which nodes";
                self.within("nodeSelector", |look| {
                    look.tell(PATCH_NODES, key, &value, message, help);
                });
                continue;
            }
            if self.may_have(key) || has_key(self.before, key) {
                continue;
            }
            let (message, help) = unknown(key);
            self.within("nodeSelector", |look| {
                look.tell(PATCH_ELSEWHERE, key, &value, message, help);
            });
        }
        for one in items(pod, "topologySpreadConstraints") {
            let waits = text(one, "whenUnsatisfiable") != Some("ScheduleAnyway");
            let Some(key) = text(one, "topologyKey").filter(|_| waits) else { continue };
            if self.is_level(key) {
                continue;
            }
            let message = format!(
                "pods are to be spread over `{key}`, and nodes of the pool are not known to have such a label: they stay Pending without one"
            );
            let help = "spread them over `kubernetes.io/hostname`, or leave it out";
            let at = "topologySpreadConstraints.topologyKey";
            self.tell(PATCH_ELSEWHERE, at, key, message, help);
        }
    }

    /// Affinities to nodes that none of them satisfies.
    pub(super) fn affinity(&mut self, pod: &Node) {
        let terms = pod.get("affinity").and_then(|it| it.get("nodeAffinity")?.get(REQUIRED));
        let terms: Vec<&Node> =
            terms.into_iter().flat_map(|it| items(it, "nodeSelectorTerms")).collect();
        let path = format!("affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms.matchExpressions");
        // one of the terms is enough
        let refused: Vec<Option<(&str, String, String)>> =
            terms.iter().map(|term| self.unmet(term)).collect();
        if let (true, Some(Some((key, value, message)))) =
            (refused.iter().all(Option::is_some), refused.first())
        {
            let help = "leave it out; `place` of the workload says which nodes";
            self.tell(PATCH_NODES, &format!("{path}.{key}"), value, message.clone(), help);
            return;
        }
        let strange: Vec<Option<&str>> = terms.iter().map(|term| self.strange(term)).collect();
        if let (true, Some(Some(key))) = (strange.iter().all(Option::is_some), strange.first()) {
            let (message, help) = unknown(key);
            self.tell(PATCH_ELSEWHERE, &format!("{path}.key"), key, message, help);
        }
    }

    /// What a term of an affinity asks for in vain, and under which key of it.
    fn unmet(&self, term: &Node) -> Option<(&'static str, String, String)> {
        items(term, "matchExpressions").find_map(|it| {
            let key = text(it, "key")?;
            let wanted: Vec<&str> = items(it, "values").filter_map(Node::as_str).collect();
            let operator = text(it, "operator")?;
            match operator {
                "In" => {
                    let message = self.other(key, &wanted)?;
                    Some(("values", (*wanted.first()?).to_owned(), message))
                }
                "NotIn" | "DoesNotExist" => {
                    let has = self.of_all(key)?;
                    let is_out = |value: &str| operator != "NotIn" || wanted.contains(&value);
                    if has.is_empty() || !has.iter().all(|it| is_out(it)) {
                        return None;
                    }
                    let message = format!(
                        "pods ask for nodes without `{key}` = `{}`, which all nodes of the pool have: they stay Pending",
                        has.join("` or `")
                    );
                    Some(("operator", operator.to_owned(), message))
                }
                _ => None,
            }
        })
    }

    /// A label that a term asks for and that no node is known to have.
    fn strange<'n>(&self, term: &'n Node) -> Option<&'n str> {
        items(term, "matchExpressions").find_map(|it| {
            let asks = ["In", "Exists", "Gt", "Lt"].contains(&text(it, "operator")?);
            let key = text(it, "key")?;
            (asks && !self.may_have(key) && !has_key(self.before, key)).then_some(key)
        })
    }

    /// The values of a label that every node has one of.
    fn of_all(&self, key: &str) -> Option<Vec<&str>> {
        let all = key == words::NODE_POOL || key.starts_with("topology.kubernetes.io/");
        let values = self.ground()?.labels.get(key).filter(|_| all)?;
        Some(values.iter().map(String::as_str).collect())
    }

    /// Whether a label that is asked for is another one of every node.
    fn other(&self, key: &str, wanted: &[&str]) -> Option<String> {
        let values = self.ground()?.labels.get(key)?;
        let found = wanted.iter().any(|value| values.contains(*value));
        (!found).then(|| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let wanted = wanted.join("` or `");
            format!("pods ask for `{key}` = `{wanted}`, and nodes of the pool have `{}`: they stay Pending", values.join("` or `"))
        })
    }
}

/// What is told of a label that no node is known to have.
fn unknown(key: &str) -> (String, &'static str) {
    let message = format!(
        "nodes of the pool are not known to have a label `{key}`, and the pod stays Pending without one"
    );
    (message, "`labels` of the pool gives its nodes labels")
}
