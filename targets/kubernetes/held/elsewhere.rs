//! What has to be in the cluster for patched pods to start, and nothing here makes.

use super::{Look, PATCH_ELSEWHERE, items, says, text};
use crate::document::Node;

impl Look<'_> {
    /// What has to be in the cluster for the pod to start.
    pub(super) fn elsewhere(&mut self, pod: &Node) {
        self.kubelet(pod);
        let of_others = self.grounds.iter().any(|ground| ground.of_others);
        if let Some(class) = text(pod, "priorityClassName") {
            self.priority(class);
            if !class.starts_with("system-") && !of_others {
                let help = "`priority` names one of its queue's";
                self.asks("priorityClassName", class, "PriorityClass", help);
            }
        }
        let class = text(pod, "runtimeClassName").filter(|it| *it != "gvisor" && !of_others);
        if let Some(class) = class {
            let help = "leave it out: GKE mounts what GPUs need without one";
            self.asks("runtimeClassName", class, "RuntimeClass", help);
        }
        let name = text(pod, "schedulerName").filter(|it| *it != "default-scheduler" && !of_others);
        if let Some(name) = name {
            let help = "leave it out: queues and `topology` place pods with the cluster's own";
            self.asks("schedulerName", name, "scheduler", help);
        }
        for name in items(pod, "imagePullSecrets").filter_map(|it| text(it, "name")) {
            let help = "`pull_secrets` of the workload names one";
            self.asks("imagePullSecrets.name", name, "secret", help);
        }
        for list in ["initContainers", "containers"] {
            items(pod, list).for_each(|it| self.within(list, |look| look.variables(it)));
        }
        if let Some(account) = text(pod, "serviceAccountName").filter(|it| *it != "default") {
            let help = "`identity` makes one, and `account` takes one that is there";
            self.asks("serviceAccountName", account, "service account", help);
        }
        let kinds = [
            (
                "persistentVolumeClaim",
                "claimName",
                "claim",
                "`claim(\"...\")` in `mounts` takes one that is there",
            ),
            (
                "configMap",
                "name",
                "ConfigMap",
                "`config_map(\"...\")` in `mounts` takes one that is there",
            ),
            (
                "secret",
                "secretName",
                "secret",
                "`secret_files(\"...\")` in `mounts` takes one that is there",
            ),
        ];
        for volume in items(pod, "volumes") {
            for (source, key, what, help) in kinds {
                let Some(from) = volume.get(source).filter(|it| !optional(it)) else { continue };
                if let Some(name) = text(from, key) {
                    self.asks(&format!("volumes.{source}.{key}"), name, what, help);
                }
            }
        }
    }

    /// What variables of a container are read from.
    fn variables(&mut self, container: &Node) {
        const WHOLE: [(&str, &str); 2] = [("secretRef", "secret"), ("configMapRef", "ConfigMap")];
        const ONE: [(&str, &str); 2] =
            [("secretKeyRef", "secret"), ("configMapKeyRef", "ConfigMap")];
        let help = "`secret(\"NAME\")` in `env` takes a secret that is there";
        for source in items(container, "envFrom") {
            for (from, what) in WHOLE {
                let found = source.get(from).filter(|it| !optional(it));
                if let Some(name) = found.and_then(|it| text(it, "name")) {
                    self.asks(&format!("envFrom.{from}.name"), name, what, help);
                }
            }
        }
        for source in items(container, "env").filter_map(|it| it.get("valueFrom")) {
            for (from, what) in ONE {
                let found = source.get(from).filter(|it| !optional(it));
                if let Some(name) = found.and_then(|it| text(it, "name")) {
                    self.asks(&format!("env.valueFrom.{from}.name"), name, what, help);
                }
            }
        }
    }

    /// Something outside of the document: the unpatched one has it where the blueprint makes or declares it.
    fn asks(&mut self, key: &str, name: &str, what: &str, help: &str) {
        let leaf = key.rsplit('.').next().unwrap_or(key);
        if says(self.before, leaf, name) {
            return;
        }
        let message = format!(
            "nothing here makes or declares a {what} `{name}`, and the pod does not start without it"
        );
        self.tell(PATCH_ELSEWHERE, key, name, message, help);
    }
}

/// Whether pods start without what is named.
fn optional(node: &Node) -> bool {
    node.get("optional") == Some(&Node::Bool(true))
}
