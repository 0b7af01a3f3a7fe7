//! Whether pods of a patched JobSet find nodes, fit on them, and end.

use super::keys::amount;
use super::nodes::Ground;
use super::{
    Look, PATCH_AMOUNT, PATCH_ELSEWHERE, PATCH_ENDLESS, PATCH_REFUSED, PATCH_UNTOLERATED, items,
    record, shown, text,
};
use crate::document::{Map, Node};

const GIB: f64 = 1_073_741_824.0;

impl<'a> Look<'a> {
    /// The nodes of the replicated job that is looked at; none of one that a patch adds.
    pub(super) fn ground(&self) -> Option<&'a Ground<'a>> {
        self.grounds.iter().find(|ground| ground.role == self.role)
    }

    /// What all containers of a pod ask for together.
    pub(super) fn sums(&mut self, pod: &Node) {
        let Some(ground) = self.ground() else { return };
        let before = pod_of(self.before, &self.role);
        for (name, room) in &ground.room {
            let asked: f64 = asking(pod, name).map(|(_, _, amount)| amount).sum();
            let then = before.map_or(0.0, |pod| asking(pod, name).map(|it| it.2).sum());
            // what was too much before is told of fields
            if asked <= *room || then > *room {
                continue;
            }
            let known = |it: &(&Node, &str, f64)| {
                before.is_some_and(|pod| {
                    asking(pod, name).any(|(known, _, amount)| {
                        text(known, "name") == text(it.0, "name") && amount == it.2
                    })
                })
            };
            let Some((container, side, _)) = asking(pod, name).filter(|it| !known(it)).last()
            else {
                continue;
            };
            let said = container.get("resources").and_then(|it| it.get(side)?.get(name));
            let message = format!(
                "the containers of a pod ask for {} of `{name}` together, and a node of the pool has {}: they stay Pending",
                told(name, asked),
                told(name, *room)
            );
            let key = format!("containers.resources.{side}");
            let help =
                "ask for less, or let the run ask for less: `cpus`, `memory`, `accelerators`";
            self.tell(PATCH_AMOUNT, &key, &said.map(shown).unwrap_or_default(), message, help);
        }
    }

    /// Tolerations that a patch took the place of: the taints are there all the same.
    pub(super) fn tolerations(&mut self, pod: &Node) {
        let before = pod_of(self.before, &self.role);
        let lost = before.into_iter().flat_map(|pod| items(pod, "tolerations"));
        let lost: Vec<&str> = lost
            .filter_map(|it| text(it, "key"))
            // clusters of GKE add those of the devices that a pod asks for
            .filter(|key| {
                self.ground().is_none_or(|it| it.room.iter().all(|(name, _)| name != key))
            })
            .filter(|key| {
                let keeps = |it: &Node| text(it, "key").is_none_or(|known| known == *key);
                !items(pod, "tolerations").any(keeps)
            })
            .collect();
        for key in lost {
            let message = format!(
                "a patch takes the place of all tolerations, and pods do not tolerate `{key}` of their nodes any more"
            );
            let help = format!("write it too: `{{ key = \"{key}\", operator = \"Exists\" }}`");
            self.tell(PATCH_UNTOLERATED, "tolerations", key, message, help);
        }
    }

    /// Containers beside the run's own that never end: a pod is over when all are.
    pub(super) fn ends(&mut self, pod: &Node) {
        if !self.decides {
            return;
        }
        for container in items(pod, "containers") {
            let words = ["command", "args"].into_iter().flat_map(|key| items(container, key));
            let words: Vec<&str> = words.filter_map(Node::as_str).collect();
            let Some(endless) = endless(&words.join(" ")) else { continue };
            let name = text(container, "name").unwrap_or_default();
            let message = format!(
                "the container `{name}` never ends (`{endless}`), and the run is over when all of its containers are"
            );
            let help = "write it into `initContainers` with `restartPolicy = \"Always\"`: such a one ends with the others";
            self.tell(PATCH_ENDLESS, "containers.name", name, message, help);
        }
    }

    /// Probes that kill a container of training, which listens nowhere.
    pub(super) fn alive(&mut self, pod: &Node) {
        for container in items(pod, "containers") {
            let asked = |kind: &'static str| {
                let port = container.get("livenessProbe")?.get(kind)?.get("port")?;
                Some((kind, shown(port)))
            };
            let Some((kind, port)) = asked("httpGet").or_else(|| asked("tcpSocket")) else {
                continue;
            };
            let mut words = ["command", "args"].into_iter().flat_map(|key| items(container, key));
            let trains = words.any(|it| it.as_str().is_some_and(|it| it.contains("torchrun")));
            let mut ports = items(container, "ports").filter_map(|it| it.get("containerPort"));
            if !trains || ports.any(|it| shown(it) == port) {
                continue;
            }
            let message = format!(
                "nothing in the container is known to listen at {port}: it is killed again and again"
            );
            let help =
                "leave it out; a run that hangs is ended by `max_run`, or by the watchdog of NCCL";
            let key = format!("containers.livenessProbe.{kind}.port");
            self.tell(PATCH_ELSEWHERE, &key, &port, message, help);
        }
    }

    /// Priorities that are the system's own.
    pub(super) fn priority(&mut self, class: &str) {
        let namespace = self.before.get("metadata").and_then(|it| text(it, "namespace"));
        if !class.starts_with("system-") || namespace == Some("kube-system") {
            return;
        }
        let message =
            format!("GKE lets no pods outside of `kube-system` have the priority `{class}`");
        self.tell(
            PATCH_REFUSED,
            "priorityClassName",
            class,
            message,
            "`priority` names one of its queue's",
        );
    }

    /// Who must not be root and is: the kubelet starts no such container.
    pub(super) fn root(&mut self, pod: &Node) {
        let said =
            |of: &Node, key: &str| of.get("securityContext").and_then(|it| it.get(key)).cloned();
        let all = ["initContainers", "containers"];
        for list in all {
            for container in items(pod, list) {
                let effective = |key: &str| said(container, key).or_else(|| said(pod, key));
                let is_bound = effective("runAsNonRoot") == Some(Node::Bool(true));
                if !is_bound || effective("runAsUser") != Some(Node::Int(0)) {
                    continue;
                }
                let own = said(container, "runAsUser").is_some();
                let key = "securityContext.runAsUser";
                let key = if own { format!("{list}.{key}") } else { key.to_owned() };
                let message = "the container is to run as user 0, and `runAsNonRoot` forbids that: it never starts".to_owned();
                self.tell(
                    PATCH_REFUSED,
                    &key,
                    "0",
                    message,
                    "take another user, or leave `runAsNonRoot` out",
                );
                return;
            }
        }
    }

    /// Devices are given as they are asked for: the API refuses what says two numbers.
    pub(super) fn devices(&mut self, resources: &Node) {
        let limits = record(resources, "limits");
        for (name, entry) in record(resources, "requests").into_iter().flat_map(Map::iter) {
            let (asked, most) =
                (shown(&entry.value), limits.and_then(|it| it.get(name)).map(shown));
            let Some(most) =
                most.filter(|most| name.contains('/') && amount(most) > amount(&asked))
            else {
                continue;
            };
            let message = format!(
                "the container asks for {asked} of `{name}`, and may have {most}: devices are given as they are asked for"
            );
            self.tell(
                PATCH_REFUSED,
                "resources.limits",
                &most,
                message,
                "say the same number in both",
            );
        }
    }
}

/// The pods of a replicated job.
fn pod_of<'n>(jobset: &'n Node, role: &str) -> Option<&'n Node> {
    let mut jobs = items(jobset.get("spec")?, "replicatedJobs");
    let job = jobs.find(|job| text(job, "name") == Some(role))?;
    job.get("template")?.get("spec")?.get("template")?.get("spec")
}

/// The containers that run at the same time and ask for something, where they say so, and how much.
pub(super) fn asking<'n>(
    pod: &'n Node,
    name: &str,
) -> impl Iterator<Item = (&'n Node, &'static str, f64)> {
    let stays = |it: &&Node| text(it, "restartPolicy") == Some("Always");
    let all = items(pod, "containers").chain(items(pod, "initContainers").filter(stays));
    all.filter_map(move |container| {
        let resources = container.get("resources")?;
        // a limit alone is asked for as well
        let sides = ["requests", "limits"].into_iter();
        let (side, value) =
            sides.filter_map(|side| Some((side, resources.get(side)?.get(name)?))).next()?;
        Some((container, side, amount(&shown(value))?))
    })
}

/// An amount with its unit.
fn told(name: &str, amount: f64) -> String {
    let (number, unit) = match name {
        "memory" | "ephemeral-storage" => (amount / GIB, " GiB"),
        _ => (amount, ""),
    };
    format!("{}{unit}", (number * 100.0).round() / 100.0)
}

/// What of a command line never ends.
pub(super) fn endless(line: &str) -> Option<&'static str> {
    const ENDLESS: [&str; 5] = [
        "sleep infinity",
        "sleep inf",
        "tail -f /dev/null",
        "tail -F /dev/null",
        "sleep 2147483647",
    ];
    ENDLESS.into_iter().find(|words| line.contains(words))
}
