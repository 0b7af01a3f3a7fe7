# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for what is no part of a control plane: each looks at the cluster and does the next thing, when asked."""
import json
import re
import time
from collections import Counter
from pathlib import Path

import gke
import queues
import readme
import slices
from cluster import Cluster, Refused

SECRET = re.compile(r"kubectl create secret generic (\S+) --namespace=(\S+)")
SEEN = 2.0  # seconds after which every controller has seen that something is gone
PROVISIONING = "autoscaling.gke.io/provisioning-request"
OWNER = "jobset.sigs.k8s.io/jobset-name"
AT_ONCE = 12  # pods that the controller of Jobs makes before those of another gang come between them: it makes them in growing batches
ASKED_FOR = "/apis/autoscaling.x-k8s.io/v1"


class Storage:
    """A provisioner: whoever claims of a StorageClass gets a volume."""

    def __init__(self, cluster: Cluster):
        self.cluster, self.made = cluster, []

    def step(self):
        for claim in self.cluster.items("/api/v1/persistentvolumeclaims"):
            spec, meta = claim["spec"], claim["metadata"]
            if claim.get("status", {}).get("phase") != "Pending" or spec.get("volumeName") or not spec.get("storageClassName"):
                continue
            name = f"made-{meta['namespace']}-{meta['name']}"
            if self.cluster.create("/api/v1/persistentvolumes", {
                "metadata": {"name": name},
                "spec": {
                    "capacity": spec["resources"]["requests"], "accessModes": spec["accessModes"],
                    "storageClassName": spec["storageClassName"], "persistentVolumeReclaimPolicy": "Delete",
                    "volumeMode": spec.get("volumeMode", "Filesystem"),
                    "csi": {"driver": "stand-in.example", "volumeHandle": name},
                    "claimRef": {"namespace": meta["namespace"], "name": meta["name"], "uid": meta["uid"]},
                },
            }):
                self.made.append(f"PersistentVolume for {meta['namespace']}/{meta['name']}")


class Capacity:
    """Queued provisioning: a ProvisioningRequest that a queued node pool can serve gets its nodes as soon as there is room, one that
    none can ever serve fails. The nodes go with the request, or when its workload ends or is put out."""

    def __init__(self, cluster: Cluster, pools: list, machines: gke.Machines):
        self.cluster, self.machines, self.made = cluster, machines, []
        self.pools = [pool for pool in pools if pool.queued]
        self.served = {}  # uid of a request, since Kueue uses names again -> [(pool, names of nodes)]
        self.numbers = 0

    def step(self):
        requests = {request["metadata"]["uid"]: request for request in self.cluster.items(f"{ASKED_FOR}/provisioningrequests")}
        over = {load["metadata"]["uid"] for load in self.cluster.items("/apis/kueue.x-k8s.io/v1beta2/workloads") if not holds_quota(load)}
        for uid in list(self.served):
            owners = requests.get(uid, {}).get("metadata", {}).get("ownerReferences", [])
            if uid not in requests or any(owner["uid"] in over for owner in owners):
                self.release(uid)
        for request in requests.values():
            if not request.get("status", {}).get("conditions"):
                self.answer(request)

    def release(self, uid: str):
        """Takes away the nodes that were made for a request."""
        for _, names in self.served.pop(uid):
            for name in names:
                self.cluster.call("DELETE", f"/api/v1/nodes/{name}")

    def answer(self, request: dict):
        meta, given = request["metadata"], []
        try:
            for podset in request["spec"]["podSets"]:
                pool = self.pool_for(request, podset)
                if podset["count"] > self.room(pool) - sum(count for other, count in given if other is pool):
                    return  # waits
                given.append((pool, podset["count"]))
            names = ", ".join(f"{count} nodes of {pool.name}" for pool, count in given)
            said = {"type": "Provisioned", "reason": "Provisioned", "message": names}
        except LookupError as why:
            said = {"type": "Failed", "reason": "OutOfResources", "message": str(why)}
        except Refused as refused:
            if refused.status == 404:
                return  # Kueue makes the pod template a moment after the request
            raise
        self.served[meta["uid"]] = [(pool, self.add(pool, count, meta["name"])) for pool, count in given]
        self.made.append(f"ProvisioningRequest {meta['name']} ({request['spec']['provisioningClassName']}): {said['type']}, {said['message']}")
        since = {"status": "True", "lastTransitionTime": meta["creationTimestamp"]}
        self.cluster.merge(f"{ASKED_FOR}/namespaces/{meta['namespace']}/provisioningrequests/{meta['name']}/status", {"status": {
            "conditions": [{"type": "Accepted", "reason": "Accepted", "message": "", **since}, {**said, **since}],
            "provisioningClassDetails": {"ResizeRequestName": meta["name"]},
        }})

    def pool_for(self, request: dict, podset: dict):
        space = request["metadata"]["namespace"]
        template = self.cluster.call("GET", f"/api/v1/namespaces/{space}/podtemplates/{podset['podTemplateRef']['name']}")
        reasons = []
        for pool in self.pools:
            misfit = mismatch(template["template"]["spec"], gke.nodes(pool, self.machines, 1)[0])
            if not misfit and podset["count"] <= pool.nodes:
                return pool
            reasons.append(f"{pool.name}: {misfit or '{} nodes wanted, it has {}'.format(podset['count'], pool.nodes)}")
        raise LookupError("; ".join(reasons) or "no node pool has queued provisioning")

    def room(self, pool) -> int:
        return pool.nodes - sum(len(names) for parts in self.served.values() for other, names in parts if other is pool)

    def add(self, pool, count: int, request: str) -> list:
        nodes = gke.nodes(pool, self.machines, count, self.numbers, {PROVISIONING: request})
        self.numbers += count
        for node in nodes:
            self.cluster.create("/api/v1/nodes", node)
        return [node["metadata"]["name"] for node in nodes]


def holds_quota(load: dict) -> bool:
    said = {condition["type"]: condition["status"] for condition in load.get("status", {}).get("conditions", [])}
    return said.get("QuotaReserved") == "True" and said.get("Finished") != "True"


def mismatch(spec: dict, node: dict) -> str | None:
    """Why pods of this spec cannot go to such a node, looking at labels and taints alone."""
    labels = node["metadata"]["labels"]
    for key, value in (spec.get("nodeSelector") or {}).items():
        if key != PROVISIONING and labels.get(key) != value:
            return f"its nodes have {key}={labels.get(key)}, pods select {value}"
    for taint in node["spec"]["taints"]:
        if taint["effect"] != "PreferNoSchedule" and not any(queues.tolerates(t, taint) for t in spec.get("tolerations") or []):
            return f"pods do not tolerate {taint['key']}={taint['value']}:{taint['effect']}"
    return None


class Devices:
    """Dynamic resources: drivers publish devices on the nodes that have them, and a ComputeDomain gets its claim template."""

    RESOURCES = "/apis/resource.k8s.io/v1"
    CHANNELS = "compute-domain-default-channel.nvidia.com"

    def __init__(self, cluster: Cluster, pools: list):
        self.cluster, self.made, self.published = cluster, [], set()
        self.kinds = {"mrdma.google.com": "dra.networking.gke.io", self.CHANNELS: "compute-domain.nvidia.com"}
        self.pools = {
            pool.name: [name for name, yes in (
                ("mrdma.google.com", "accelerator_network_profile" in str(pool.body)),
                (self.CHANNELS, pool.config.get("machine_type", "").startswith("a4x")),
            ) if yes] for pool in pools
        }
        for name, driver in self.kinds.items():
            if any(name in offered for offered in self.pools.values()):
                cluster.create(f"{self.RESOURCES}/deviceclasses", {"metadata": {"name": name}, "spec": {"selectors": [
                    {"cel": {"expression": f'device.driver == "{driver}"'}}]}})

    def step(self):
        if any(self.pools.values()):
            for node in self.cluster.items("/api/v1/nodes"):
                self.publish(node["metadata"])
        for domain in self.cluster.items("/apis/resource.nvidia.com/v1beta1/computedomains"):
            space, name = domain["metadata"]["namespace"], domain["spec"]["channel"]["resourceClaimTemplate"]["name"]
            if self.cluster.create(f"{self.RESOURCES}/namespaces/{space}/resourceclaimtemplates", {
                "metadata": {"name": name},
                "spec": {"spec": {"devices": {"requests": [{"name": "channel", "exactly": {"deviceClassName": self.CHANNELS}}]}}},
            }):
                self.made.append(f"ResourceClaimTemplate {space}/{name} of a ComputeDomain")

    def publish(self, node: dict):
        for name in self.pools.get(node["labels"].get("cloud.google.com/gke-nodepool"), []):
            if (node["name"], name) not in self.published:
                self.published.add((node["name"], name))
                self.cluster.create(f"{self.RESOURCES}/resourceslices", {
                    "metadata": {"generateName": "slice-"},
                    "spec": {
                        "driver": self.kinds[name], "nodeName": node["name"],
                        "pool": {"name": f"{node['name']}-{name}", "generation": 1, "resourceSliceCount": 1},
                        "devices": [{"name": f"device-{n}"} for n in range(8 if name.startswith("mrdma") else 1)],
                    },
                })


def pods_of(jobset: dict) -> int:
    return sum(part.get("replicas", 1) * (part["template"]["spec"].get("parallelism") or 1) for part in jobset["spec"]["replicatedJobs"])


class Jobs:
    """In the place of the JobSet manager: Jobs, each alone in its topology where that is asked for, and a headless Service.
    No webhooks, no restarts, no order. `queueing`: queues have no manager either, and give their flavors here."""

    EXCLUSIVE, KEY = "alpha.jobset.sigs.k8s.io/exclusive-topology", "jobset.sigs.k8s.io/job-key"

    def __init__(self, cluster: Cluster, queueing: bool):
        self.cluster, self.queueing, self.made, self.done = cluster, queueing, [], set()
        self.waiting = False  # for Jobs of a JobSet that was deleted
        self.former, self.since = {}, {}  # (namespace, name) of a JobSet -> uid of the last, and when it or a Job of it was seen last

    def step(self):
        waiting, sliced = False, self.queueing and self.slice_in_use()
        jobsets = self.cluster.items("/apis/jobset.x-k8s.io/v1alpha2/jobsets")
        gathering = self.queueing and self.gang_gathers(jobsets)
        for jobset in jobsets:
            large = self.queueing and pods_of(jobset) > AT_ONCE
            if jobset["metadata"]["uid"] in self.done or (sliced and slices.asked(jobset)) or (gathering and large):
                continue
            waiting |= not self.made_of(jobset)
            sliced = sliced or (self.queueing and slices.asked(jobset))
            gathering = gathering or large
        self.waiting = waiting

    def gang_gathers(self, jobsets: list) -> bool:
        """Whether a large gang is not on all of its nodes yet. Nobody but Kueue keeps two from sharing nodes that do for one: without it
        the next one comes when the one before it is whole."""
        jobs = {(job["metadata"]["namespace"], job["metadata"].get("labels", {}).get(OWNER)) for job in self.cluster.items("/apis/batch/v1/jobs")}
        placed = Counter((pod["metadata"]["namespace"], pod["metadata"].get("labels", {}).get(OWNER)) for pod in self.cluster.items("/api/v1/pods")
                         if pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"])
        for jobset in jobsets:
            key = jobset["metadata"]["namespace"], jobset["metadata"]["name"]
            if jobset["metadata"]["uid"] in self.done and key in jobs and AT_ONCE < pods_of(jobset) > placed[key]:
                return True
        return False

    def slice_in_use(self) -> bool:
        """Nobody but Kueue keeps slices that are joined and cut apart: without it one JobSet at a time has them."""
        return any(slices.SHAPE in job["spec"]["template"]["metadata"].get("annotations", {}) for job in self.cluster.items("/apis/batch/v1/jobs"))

    def made_of(self, jobset: dict) -> bool:
        """Makes what a JobSet still lacks; whether it is whole then."""
        meta = jobset["metadata"]
        if self.follows_another(meta):
            return False
        owner = [{"apiVersion": jobset["apiVersion"], "kind": "JobSet", "name": meta["name"], "uid": meta["uid"], "controller": True}]
        try:
            flavors = queues.admit(self.cluster, jobset) if self.queueing else {}
        except queues.NoFlavor as why:
            self.made.append(f"JobSet {meta['name']} REFUSED by its queue: {why}")
            self.done.add(meta["uid"])
            return True
        subdomain = jobset["spec"].get("network", {}).get("subdomain", meta["name"])
        self.cluster.create(f"/api/v1/namespaces/{meta['namespace']}/services", {
            "metadata": {"name": subdomain, "ownerReferences": owner}, "spec": {"clusterIP": "None", "selector": {OWNER: meta["name"]}},
        })
        made = [self.expand(part, index, meta, owner, subdomain, flavors.get(part["name"]))
                for part in jobset["spec"]["replicatedJobs"] for index in range(part.get("replicas", 1))]
        if all(made):
            self.done.add(meta["uid"])
        return all(made)

    def follows_another(self, meta: dict) -> bool:
        """Whether Jobs of a JobSet of the same name were here a moment ago. A controller that has not seen them go takes the new ones,
        which have their names, for them, and waits for minutes for pods that it thinks it has made."""
        key, now = (meta["namespace"], meta["name"]), time.monotonic()
        if self.former.setdefault(key, meta["uid"]) != meta["uid"]:
            jobs = self.cluster.items(f"/apis/batch/v1/namespaces/{meta['namespace']}/jobs?labelSelector={OWNER}={meta['name']}")
            if key not in self.since or any(job["metadata"]["ownerReferences"][0]["uid"] != meta["uid"] for job in jobs):
                self.since[key] = now
            if now - self.since[key] < SEEN:
                return True
            self.former[key] = meta["uid"]
            del self.since[key]
        return False

    def expand(self, part: dict, index: int, meta: dict, owner: list, subdomain: str, flavors: dict | None) -> bool:
        """Makes one Job; false while one of that name, of a JobSet that was deleted, is still there."""
        template = json.loads(json.dumps(part["template"]))
        pod = template["spec"]["template"]
        marks = {
            OWNER: meta["name"], "jobset.sigs.k8s.io/replicatedjob-name": part["name"],
            "jobset.sigs.k8s.io/job-index": str(index),
        }
        for thing in (template, pod):
            thing.setdefault("metadata", {}).setdefault("labels", {}).update(marks)
            thing["metadata"].setdefault("annotations", {}).update(marks)
        pod["spec"]["subdomain"] = subdomain
        if flavors:
            pod["spec"]["nodeSelector"] = {**pod["spec"].get("nodeSelector", {}), **flavors["labels"]}
            pod["spec"]["tolerations"] = pod["spec"].get("tolerations", []) + flavors["tolerations"]
        topology = template["metadata"]["annotations"].get(self.EXCLUSIVE) or meta.get("annotations", {}).get(self.EXCLUSIVE)
        if topology:
            self.keep_alone(pod, f"{meta['name']}-{part['name']}-{index}", topology)
        template["metadata"] |= {"name": f"{meta['name']}-{part['name']}-{index}", "ownerReferences": owner}
        template["spec"].setdefault("completionMode", "Indexed")
        path = f"/apis/batch/v1/namespaces/{meta['namespace']}/jobs"
        try:
            there = self.cluster.create(path, template) or self.cluster.call("GET", f"{path}/{template['metadata']['name']}")
        except Refused as refused:
            if refused.status != 404:  # gone between the two calls: the next step makes it
                self.made.append(f"Job {template['metadata']['name']} REFUSED: {refused}")
            return refused.status != 404
        return there["metadata"].get("ownerReferences", [{}])[0].get("uid") == meta["uid"]

    def keep_alone(self, pod: dict, key: str, topology: str):
        def near(*expressions):
            return {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": topology, "namespaceSelector": {}, "labelSelector": {"matchExpressions": list(expressions)}}]}
        own = {"key": self.KEY, "values": [key]}
        pod["metadata"]["labels"][self.KEY] = key
        pod["spec"].setdefault("affinity", {}).update(
            podAffinity=near({**own, "operator": "In"}),
            podAntiAffinity=near({"key": self.KEY, "operator": "Exists"}, {**own, "operator": "NotIn"}))


def namespaces(cluster: Cluster, out: Path) -> list:
    """Namespaces that the README asks somebody else for, with their labels."""
    found = readme.namespaces(out)
    for name, labels in found.items():
        cluster.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
    return [f"Namespace {name}" for name in found]


def secrets(cluster: Cluster, out: Path, followed: list) -> list:
    """Secrets that the rendered files tell a person to create, less those that a command of the README creates."""
    told = {match for path in out.rglob("*") if path.suffix in (".md", ".yaml", ".sh") for match in SECRET.findall(path.read_text())}
    found = sorted(told - {match for line in followed for match in SECRET.findall(line)})
    for name, namespace in found:
        cluster.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
        cluster.create(f"/api/v1/namespaces/{namespace}/secrets", {"metadata": {"name": name}})
    return [f"Secret {namespace}/{name}" for name, namespace in found]
