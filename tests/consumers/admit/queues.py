# SPDX-License-Identifier: Apache-2.0
"""In the place of Kueue's manager: a workload of a queue gets the flavors that Kueue would give it, and their labels and tolerations
get into its pods. Nothing waits here and nothing is taken back; whom no flavor of its queue can serve is told, and never starts."""
import re
from collections import Counter

from cluster import Cluster

KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
QUEUE = "kueue.x-k8s.io/queue-name"
PRIORITY = "kueue.x-k8s.io/priority-class"
UNITS = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}


class NoFlavor(Exception):
    """No flavor of the queue can serve a part of the workload."""


def amount(quantity) -> float:
    """A Kubernetes quantity as a number."""
    number, unit = re.fullmatch(r"([\d.]+(?:e\d+)?)([A-Za-z]*)", str(quantity)).groups()
    return float(number) * UNITS[unit]


def needs_kueue(things: list) -> list:
    """What of these objects only Kueue's own manager does; nothing where an answer of this module is the whole of it."""
    spec = {kind: {thing["metadata"]["name"]: thing["spec"] for thing in things if thing["kind"] == kind} for kind in ("ClusterQueue", "ResourceFlavor")}
    queues, found = spec["ClusterQueue"], []
    if placed := sorted(name for name, flavor in spec["ResourceFlavor"].items() if flavor.get("topologyName")):
        found.append(f"pods are placed by the topology of {', '.join(placed)}")
    cohorts = Counter(queue["cohortName"] for queue in queues.values() if queue.get("cohortName"))
    if shared := sorted(cohort for cohort, count in cohorts.items() if count > 1):
        found.append(f"queues of {', '.join(shared)} borrow from each other, and take back what they lent")
    ranks = {}
    for thing in things:
        labels = thing["metadata"].get("labels", {})
        if thing["kind"] == "JobSet" and QUEUE in labels:
            ranks.setdefault((thing["metadata"].get("namespace"), labels[QUEUE]), set()).add(labels.get(PRIORITY))
    if contested := sorted(name for (_, name), all_of_it in ranks.items() if len(all_of_it) > 1):
        found.append(f"runs of {', '.join(dict.fromkeys(contested))} give way to those of higher priority")
    return found


def admit(cluster: Cluster, jobset: dict) -> dict:
    """For each part of a JobSet the node labels and tolerations of its flavors; nothing for one that is in no queue."""
    meta = jobset["metadata"]
    name = meta.get("labels", {}).get(QUEUE)
    if not name:
        return {}
    local = named(cluster, f"{KUEUE}/namespaces/{meta['namespace']}/localqueues", name)
    queue = named(cluster, f"{KUEUE}/clusterqueues", local["spec"]["clusterQueue"]) if local else None
    if not queue:
        raise NoFlavor(f"there is no queue {name} in the namespace {meta['namespace']}")
    flavors = {flavor["metadata"]["name"]: flavor["spec"] for flavor in cluster.items(f"{KUEUE}/resourceflavors")}
    lent = lent_to(cluster, queue)
    used, given = Counter(), {}
    for part in jobset["spec"]["replicatedJobs"]:
        job = part["template"]["spec"]
        count = part.get("replicas", 1) * (job.get("parallelism") or 1)
        given[part["name"]] = serve(queue, flavors, job["template"]["spec"], count, used, lent)
    return given


def lent_to(cluster: Cluster, queue: dict) -> Counter:
    """What the cohorts of a queue lend it while all others are idle, by flavor and resource."""
    above = {cohort["metadata"]["name"]: cohort["spec"].get("parentName") for cohort in cluster.items(f"{KUEUE}/cohorts")}

    def top(name: str | None) -> str | None:
        seen = set()
        while above.get(name) and name not in seen:
            seen.add(name)
            name = above[name]
        return name

    own, lent = top(queue["spec"].get("cohortName")), Counter()
    holders = [(cohort, cohort["metadata"]["name"]) for cohort in cluster.items(f"{KUEUE}/cohorts")]
    holders += [(other, other["spec"].get("cohortName")) for other in cluster.items(f"{KUEUE}/clusterqueues")]
    for holder, cohort in holders if own else []:
        if top(cohort) == own and holder["metadata"]["uid"] != queue["metadata"]["uid"]:
            for entry, resource in quotas(holder):
                limits = (resource.get(limit) for limit in ("nominalQuota", "lendingLimit"))
                lent[entry["name"], resource["name"]] += min(amount(limit) for limit in limits if limit is not None)
    return lent


def quotas(holder: dict):
    return ((entry, resource) for group in holder["spec"].get("resourceGroups", []) for entry in group["flavors"] for resource in entry["resources"])


def named(cluster: Cluster, path: str, name: str) -> dict | None:
    return next((thing for thing in cluster.items(path) if thing["metadata"]["name"] == name), None)


def serve(queue: dict, flavors: dict, pod: dict, count: int, used: Counter, lent: Counter) -> dict:
    """The flavors of one part, one of each group of resources that covers something it asks for."""
    asked, labels, tolerations = requests(pod), {}, []
    covered = {resource for group in queue["spec"].get("resourceGroups", []) for resource in group["coveredResources"]}
    if missing := sorted(set(asked) - covered):
        raise NoFlavor(f"the queue covers no {', '.join(missing)}")
    for group in queue["spec"].get("resourceGroups", []):
        own = {resource: total * count for resource, total in asked.items() if resource in group["coveredResources"]}
        if not own:
            continue
        keys = {key for entry in group["flavors"] for key in flavors.get(entry["name"], {}).get("nodeLabels", {})}
        reasons = []
        for entry in group["flavors"]:
            flavor = flavors.get(entry["name"], {})
            if why := misfit(entry, flavor, keys, pod, own, used, lent):
                reasons.append(f"{entry['name']}: {why}")
                continue
            used.update({(entry["name"], resource): total for resource, total in own.items()})
            labels |= flavor.get("nodeLabels", {})
            tolerations += flavor.get("tolerations", [])
            break
        else:
            raise NoFlavor("; ".join(reasons))
    return {"labels": labels, "tolerations": tolerations}


def misfit(entry: dict, flavor: dict, keys: set, pod: dict, own: dict, used: Counter, lent: Counter) -> str:
    """Why a part cannot have a flavor, as Kueue's flavor assigner says it; empty where it can."""
    have = flavor.get("nodeLabels", {})
    for key, value in (pod.get("nodeSelector") or {}).items():
        if key in keys and have.get(key) != value:
            return f"its nodes have {key}={have.get(key)}, pods select {value}"
    terms = pod.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    if terms and not any(all(fits(e, have) for e in term.get("matchExpressions", []) if e["key"] in keys) for term in terms):
        return "its labels do not meet the pods' affinity"
    tolerations = (pod.get("tolerations") or []) + flavor.get("tolerations", [])
    for taint in flavor.get("nodeTaints", []):
        if taint["effect"] != "PreferNoSchedule" and not any(tolerates(toleration, taint) for toleration in tolerations):
            return f"pods do not tolerate {taint['key']}"
    for resource in entry["resources"]:
        wanted = own.get(resource["name"], 0) + used[entry["name"], resource["name"]]
        borrowed = lent[entry["name"], resource["name"]]
        if "borrowingLimit" in resource:
            borrowed = min(borrowed, amount(resource["borrowingLimit"]))
        if own.get(resource["name"]) and wanted > amount(resource["nominalQuota"]) + borrowed:
            return f"{resource['name']}: {wanted:g} wanted, its quota is {resource['nominalQuota']}, and it may borrow {borrowed:g}"
    return ""


def fits(expression: dict, labels: dict) -> bool:
    key, values = expression["key"], expression.get("values", [])
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return True


def tolerates(toleration: dict, taint: dict) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]) or toleration.get("key") not in (None, "", taint["key"]):
        return False
    return toleration.get("operator", "Equal") == "Exists" or toleration.get("value", "") == taint.get("value", "")


def requests(pod: dict) -> Counter:
    """What one pod counts for: its containers together or its largest init container, sidecars with the containers."""
    found = Counter()
    for container in [*pod["containers"], *(c for c in pod.get("initContainers", []) if c.get("restartPolicy") == "Always")]:
        found.update(of_container(container))
    for container in pod.get("initContainers", []):
        if container.get("restartPolicy") != "Always":
            for resource, wanted in of_container(container).items():
                found[resource] = max(found[resource], wanted)
    return found


def of_container(container: dict) -> dict:
    resources = container.get("resources", {})
    return {name: amount(value) for name, value in {**resources.get("limits", {}), **resources.get("requests", {})}.items()}
