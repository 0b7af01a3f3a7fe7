# SPDX-License-Identifier: Apache-2.0
"""Slices that are joined and cut as workloads are admitted: labels of nodes, the controller that makes them, and what it refuses.

Labels and words are those of Google's page "Schedule dynamic slices with Kueue and TAS" and of xpk's sub-slicing."""
from math import prod

from roots import block

SHAPE = "cloud.google.com/gke-tpu-slice-topology"
JOB = "batch.kubernetes.io/job-name"
BLOCK = "cloud.google.com/gce-topology-block"
HOSTNAME = "kubernetes.io/hostname"
WHOLE = "4x4x4"
PARTS = {"tpu7x": ("4x4x4", "2x4x4", "2x2x4", "2x2x2", "2x2x1"), "tpu-v6e-slice": ("16x16", "8x16", "8x8", "4x8", "4x4", "2x4")}
CONTROLLER = "accelerator.gke.io/slice"
QUEUES = "/apis/kueue.x-k8s.io/v1beta2"


def chips(shape: str) -> int:
    return prod(map(int, shape.split("x")))


def unjoined(pool, label: str) -> bool:
    """A node pool of TPU 7x whose chips nobody has joined: it has a policy, and no topology."""
    placement = block(pool.body, "placement_policy")
    return label == "tpu7x" and bool(placement.get("policy_name")) and not placement.get("tpu_topology")


def labels(pool, label: str, number: int, each: int) -> dict:
    """Of a node with `each` chips, of the parts that it lies in."""
    if unjoined(pool, label):
        found = {"cloud.google.com/gke-tpu-topology": WHOLE, BLOCK: f"{pool.cluster}-block"}
        for shape in PARTS[label]:
            part = f"cloud.google.com/gke-tpu-partition-{shape}"
            found |= {f"{part}-id": f"{pool.name}-{number * each // chips(shape)}", f"{part}-state": "HEALTHY"}
        return found
    topology = block(pool.body, "placement_policy").get("tpu_topology")
    if label != "tpu-v6e-slice" or not topology:
        return {}
    within = [shape for shape in PARTS[label] if chips(shape) <= chips(topology)]
    return {f"cloud.google.com/gke-tpu-slice-{shape}-id": f"{pool.name}-{number * each // chips(shape)}" for shape in within}


class Controllers:
    """Whoever performs checks that are not Kueue's: they are ready at once, but for slices, which are made of whole parts alone."""

    def __init__(self, cluster):
        self.cluster, self.made, self.done = cluster, [], set()

    def step(self):
        checks = {}
        for check in self.cluster.items(f"{QUEUES}/admissionchecks"):
            name, controller = check["metadata"]["name"], check["spec"]["controllerName"]
            if controller.startswith("kueue.x-k8s.io/"):
                continue
            checks[name] = controller
            if not check.get("status", {}).get("conditions"):
                self.cluster.merge(f"{QUEUES}/admissionchecks/{name}/status", {"status": {"conditions": [{
                    "type": "Active", "status": "True", "reason": "Active", "message": "stand-in",
                    "lastTransitionTime": check["metadata"]["creationTimestamp"]}]}})
        for load in self.cluster.items(f"{QUEUES}/workloads") if checks else []:
            self.pass_on(load, checks)

    def pass_on(self, load: dict, checks: dict):
        meta, states = load["metadata"], load.get("status", {}).get("admissionChecks", [])
        if not load.get("status", {}).get("admission") or not any(it["name"] in checks and it["state"] == "Pending" for it in states):
            return
        for state in states:
            if state["name"] in checks and state["state"] == "Pending":
                state |= {"state": "Ready", "message": checks[state["name"]]}
                self.made.append(f"{state['name']} of {meta['namespace']}/{meta['name']}")
        self.cluster.merge(f"{QUEUES}/namespaces/{meta['namespace']}/workloads/{meta['name']}/status", {"status": {"admissionChecks": states}})


def asked(jobset: dict) -> bool:
    """Whether pods of it say the shape of the slice that is to be put together for them."""
    return any(SHAPE in part["template"]["spec"]["template"].get("metadata", {}).get("annotations", {}) for part in jobset["spec"]["replicatedJobs"])


def wrong(pods: list, nodes: dict):
    """`nodes`: labels by name. Each Job is a slice: its nodes are parts of its shape, whole and with nobody else on them."""
    jobs = {}
    for pod in pods:
        if shape := pod["metadata"].get("annotations", {}).get(SHAPE):
            jobs.setdefault((pod["metadata"]["labels"].get(JOB), shape), []).append(nodes.get(pod["spec"].get("nodeName"), {}))
    for (job, shape), there in jobs.items():
        generation = there[0].get("cloud.google.com/gke-tpu-accelerator")
        prefix = "partition" if generation == "tpu7x" else "slice"
        part = WHOLE if prefix == "partition" and chips(shape) >= chips(WHOLE) else shape
        key = f"cloud.google.com/gke-tpu-{prefix}-{part}-id" if len(there) > 1 else HOSTNAME
        found = [labels.get(key) for labels in there]
        wanted = max(1, chips(shape) // chips(part))
        if None in found or len(set(found)) != wanted:
            yield f"{job} is to be a slice of {shape}, and its {len(there)} pods are on {len(set(found))} parts of {part} where {wanted} make it"
        if wanted > 1 and len({labels.get(BLOCK) for labels in there}) > 1:
            yield f"{job} is to be a slice of {shape}, and its parts are in several blocks"
