# SPDX-License-Identifier: Apache-2.0
"""What no scheduler checks about where pods came to be, and yet has to be right: (workload, what cannot work)."""
import json

import gke
import slices
from roots import block

NETWORKING = "/apis/networking.gke.io/v1"


def check(trial) -> list:
    """The nodes that pods came to have their networks; a TPU slice of several hosts is used whole; nobody shares several GPUs."""
    pools = {pool.name: pool for pool in trial.pools}
    vpcs, found = declared_networks(trial.cluster), []
    for load in trial.workloads.values():
        for pool in (pools[name] for name in load.placed if name in pools):
            pods = [pod for pod in load.pods if trial.pool_of(pod) == pool.name]
            cut = any(slices.SHAPE in pod["metadata"].get("annotations", {}) for pod in pods)
            whole = () if cut else part_of_slice(load.placed[pool.name], pool)
            found += [(load, text) for text in (*whole, *shares(pods, pool), *interfaces(pods, pool, vpcs))]
        if trial.has("kueue"):  # which puts slices together
            found += [(load, text) for text in slices.wrong(load.pods, trial.labels)]
    return found


def part_of_slice(count: int, pool):
    topology = block(pool.body, "placement_policy").get("tpu_topology")
    if topology and count != pool.nodes:
        yield f"{count} pods on {pool.name}, a {topology} slice of {pool.nodes} hosts: its chips never find each other"


def shares(pods: list, pool):
    """Containers take turns on a GPU, but none on two: GKE's device plugin refuses it."""
    asked = max((sum(int(c.get("resources", {}).get("limits", {}).get("nvidia.com/gpu", 0)) for c in pod["spec"]["containers"]) for pod in pods), default=0)
    if asked > 1 and block(gke.gpu(pool), "gpu_sharing_config"):
        yield f"its pods on {pool.name} ask for {asked} GPUs, where at most 1 of a shared GPU can be requested"


def interfaces(pods: list, pool, vpcs: dict):
    """`vpcs`: (VPC, subnet) by the name of the Network."""
    if not any("nvidia.com/gpu" in json.dumps(pod["spec"]) for pod in pods):
        return
    texts = {pod["metadata"].get("annotations", {}).get("networking.gke.io/interfaces", "[]") for pod in pods}
    names = {entry["network"] for text in texts for entry in json.loads(text)} - {"default"}
    if missing := sorted(names - vpcs.keys()):
        yield f"no Network {', '.join(missing)}: its pods stay in ContainerCreating"
    if absent := sorted(name for name in names & vpcs.keys() if vpcs[name] not in pool.networks):
        yield f"its pods on {pool.name} want interfaces in {', '.join(absent)}, which nodes of {pool.name} do not have"


def declared_networks(cluster) -> dict:
    parameters = {thing["metadata"]["name"]: thing["spec"] for thing in cluster.items(f"{NETWORKING}/gkenetworkparamsets")}
    found = {}
    for network in cluster.items(f"{NETWORKING}/networks"):
        spec = parameters.get(network["spec"].get("parametersRef", {}).get("name"))
        if spec:
            found[network["metadata"]["name"]] = spec.get("vpc"), spec.get("vpcSubnet")
    return found
