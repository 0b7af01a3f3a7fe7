//! What a patched pod asks of the nodes' own software: their runtime, settings of the kernel, and what admission works out by itself.

use super::{Look, PATCH_ELSEWHERE, PATCH_REFUSED, int, items, text};
use crate::document::Node;

impl Look<'_> {
    /// All of it.
    pub(super) fn kubelet(&mut self, pod: &Node) {
        self.preempting(pod);
        self.sandboxed(pod);
        let Some(security) = pod.get("securityContext") else { return };
        if !self.grounds.iter().any(|ground| ground.sysctls) {
            let safe = self.catalog.names("gke.safe_sysctls");
            let unsafe_one = |it: &&str| !safe.iter().any(|known| known == it);
            let mut names = items(security, "sysctls").filter_map(|it| text(it, "name"));
            if let Some(name) = names.find(unsafe_one) {
                let message = format!("no kubelet of the pool lets a pod set `{name}`");
                let help = "nodes have it by `kubelet_config = { allowed_unsafe_sysctls = [...] }` of `patch node_pool`, or by `sysctls` of its kernel";
                self.tell(PATCH_REFUSED, "securityContext.sysctls.name", name, message, help);
            }
        }
        if let Some(profile) = security.get("seccompProfile")
            && text(profile, "type") == Some("Localhost")
            && !self.grounds.iter().any(|ground| ground.of_others)
            && let Some(name) = text(profile, "localhostProfile")
        {
            let message = format!(
                "nothing here puts the profile `{name}` on nodes, and no container starts without it"
            );
            let key = "securityContext.seccompProfile.localhostProfile";
            let help = "take `RuntimeDefault`, which nodes have";
            self.tell(PATCH_ELSEWHERE, key, name, message, help);
        }
    }

    /// Pods of GKE Sandbox are placed on nodes that have it.
    fn sandboxed(&mut self, pod: &Node) {
        let name = text(pod, "runtimeClassName").filter(|it| *it == "gvisor");
        let Some(name) = name.filter(|_| !self.grounds.iter().any(|ground| ground.sandbox)) else {
            return;
        };
        let message =
            "nothing here says that nodes of the pool have GKE Sandbox, and other ones take no such pod"
                .to_owned();
        let help = "say it by `node_config = { sandbox_config = { ... } }` of `patch node_pool`, or leave it out";
        self.tell(PATCH_ELSEWHERE, "runtimeClassName", name, message, help);
    }

    /// Admission works both out of the class, and refuses pods that say otherwise.
    fn preempting(&mut self, pod: &Node) {
        if text(pod, "priorityClassName").is_some() {
            return;
        }
        if let Some(said) = int(pod, "priority").filter(|it| *it != 0) {
            let message = format!(
                "pods without a class of priority have the priority 0, and the cluster makes none that says {said}"
            );
            let help = "leave it out; `priority` of the workload names a class of its queue";
            self.tell(PATCH_REFUSED, "priority", &said.to_string(), message, help);
        }
        if let Some(said) = text(pod, "preemptionPolicy").filter(|it| *it != "PreemptLowerPriority")
        {
            let message = format!(
                "pods without a class of priority have `PreemptLowerPriority`, and the cluster makes none that says `{said}`"
            );
            let help = "name a class that says so: `priorityClassName`";
            self.tell(PATCH_REFUSED, "preemptionPolicy", said, message, help);
        }
    }
}
