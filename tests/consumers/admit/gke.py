# SPDX-License-Identifier: Apache-2.0
"""What GKE makes of a node pool: Node objects with its labels, its taints, and what it leaves allocatable.

Slipform's catalog has no say here: a label that a rendered selector names wrongly must not appear. Machines are those of machines.tsv;
labels and taints those of Google's pages "Autoscale GPUs", "TPUs in GKE", "Spot VMs", "Run GPU and TPU workloads with flex-start",
"Place GKE Pods by compact placement" and of the pools that xpk and Cluster Toolkit make; reservations those of "Plan node sizes".
"""
import csv
import math
from dataclasses import dataclass
from pathlib import Path

import slices
from roots import Pool, block

HERE = Path(__file__).resolve().parent
VERSION = "1.34.4"  # of the control plane
EFFECTS = {"NO_SCHEDULE": "NoSchedule", "PREFER_NO_SCHEDULE": "PreferNoSchedule", "NO_EXECUTE": "NoExecute"}
# Families whose nodes GKE labels with where they stand, once they are put close together or reserved as a block.
WITH_TOPOLOGY = ("a3-megagpu", "a3-ultragpu", "a4-highgpu", "a4x-", "a3-highgpu-8g")
DENSE = ("a3-ultragpu", "a4-highgpu", "a4x-")  # always, whatever the pool asks for
NODES_PER_SUBBLOCK, NODES_PER_BLOCK = 18, 72
# Chips of a node that is a slice by itself -> its topology, by how many axes the generation has.
FLAT, DEEP = {1: "1x1", 4: "2x2", 8: "2x4"}, {1: "1x1x1", 4: "2x2x1"}
THREE_AXES = ("tpu-v4-podslice", "tpu-v5p-slice", "tpu7x")


@dataclass
class Machine:
    cpus: float
    memory: float  # GiB
    arch: str
    gpus: int
    tpus: int
    label: str  # of its accelerator
    disks: tuple  # (how many come with it, GiB of each local disk)


def rows(name: str) -> list:
    with (HERE / name).open() as file:
        return [row for row in csv.reader(file, delimiter="\t") if row and not row[0].startswith("#")]


class Machines:
    """Machine types by name."""

    def __init__(self):
        self.types = {}
        for name, cpus, memory, arch, count, label, disks in rows("machines.tsv"):
            with_tpus = label.startswith("tpu")
            bundled, _, each = disks.partition("x")
            self.types[name] = Machine(
                float(cpus), float(memory), arch, 0 if with_tpus else int(count), int(count) if with_tpus else 0, label,
                (0, 375) if disks == "-" else (int(bundled), int(each)))
        # (GKE's name of the GPU, MIG profile) -> instances of it on one GPU
        self.parts = {(label, profile): int(count) for label, profile, count in rows("partitions.tsv")}

    def shape(self, pool: Pool) -> Machine:
        name = pool.config.get("machine_type", "e2-medium")
        if name not in self.types:
            raise KeyError(f"node pool {pool.name}: machines.tsv has no machine type {name}")
        return self.types[name]


def nodes(pool: Pool, machines: Machines, count: int | None = None, first: int = 0, labels=None) -> list:
    """The Node objects of a pool: all of them, or `count` from number `first` on, with further labels."""
    machine = machines.shape(pool)
    return [
        node(pool, machine, machines, number, labels or {})
        for number in range(first, first + (pool.nodes if count is None else count))
    ]


def node(pool: Pool, machine: Machine, machines: Machines, number: int, further: dict) -> dict:
    name = f"gke-{pool.cluster[:16]}-{pool.name[:24]}-{number:04}"
    resources = allocatable(pool, machine, machines)
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {**labels(pool, machine, name, number), **further}},
        "spec": {"taints": taints(pool, machine), "providerID": f"gce://project/{zone(pool, number)}/{name}"},
        "status": {
            "capacity": resources, "allocatable": resources,
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
            }],
            "nodeInfo": {
                "architecture": machine.arch, "operatingSystem": "linux", "kubeletVersion": f"v{VERSION}-gke.1000000",
                "containerRuntimeVersion": "containerd://2.0", "osImage": "Container-Optimized OS from Google", "kernelVersion": "6.6",
                "kubeProxyVersion": "", "machineID": name, "systemUUID": name, "bootID": name,
            },
        },
    }


def zone(pool: Pool, number: int) -> str:
    return pool.zones[number % len(pool.zones)]


def labels(pool: Pool, machine: Machine, name: str, number: int) -> dict:
    config = pool.config
    found = dict(config.get("labels") or {})
    found |= standing(pool, machine, name, number)
    found |= accelerated(pool, machine)
    if config.get("spot"):
        found["cloud.google.com/gke-spot"] = "true"
    if config.get("flex_start"):
        found["cloud.google.com/gke-flex-start"] = "true"
    if block(config, "ephemeral_storage_local_ssd_config"):
        found["cloud.google.com/gke-ephemeral-storage-local-ssd"] = "true"
    if block(pool.body, "network_config").get("accelerator_network_profile"):
        found["cloud.google.com/gke-networking-dra-driver"] = "true"
    return found | placed(pool, name, number) | slices.labels(pool, machine.label, number, machine.tpus)


def standing(pool: Pool, machine: Machine, name: str, number: int) -> dict:
    """What every node says of itself."""
    machine_type = pool.config.get("machine_type", "e2-medium")
    return {
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": machine.arch,
        "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": machine.arch,
        "node.kubernetes.io/instance-type": machine_type, "beta.kubernetes.io/instance-type": machine_type,
        "topology.kubernetes.io/region": pool.region, "topology.kubernetes.io/zone": zone(pool, number),
        "topology.gke.io/zone": zone(pool, number),
        "cloud.google.com/gke-nodepool": pool.name, "cloud.google.com/gce-machine-type": machine_type,
        "cloud.google.com/machine-family": machine_type.split("-")[0], "cloud.google.com/gke-os-distribution": "cos",
        "cloud.google.com/gke-container-runtime": "containerd",
        "cloud.google.com/gke-max-pods-per-node": str(pool.body.get("max_pods_per_node", 110)),
        "iam.gke.io/gke-metadata-server-enabled": "true",
    }


def accelerated(pool: Pool, machine: Machine) -> dict:
    """What a node says of its GPUs or TPUs."""
    found, accelerator = {}, gpu(pool)
    if accelerator:
        found["cloud.google.com/gke-accelerator"] = accelerator["type"]
        found["cloud.google.com/gke-accelerator-count"] = str(accelerator.get("count", 1))
        driver = block(accelerator, "gpu_driver_installation_config").get("gpu_driver_version", "DEFAULT")
        found["cloud.google.com/gke-gpu-driver-version"] = {"INSTALLATION_DISABLED": "disabled"}.get(driver, driver.lower())
        if accelerator.get("gpu_partition_size"):
            found["cloud.google.com/gke-gpu-partition-size"] = accelerator["gpu_partition_size"]
        sharing = block(accelerator, "gpu_sharing_config")
        if sharing:
            found["cloud.google.com/gke-gpu-sharing-strategy"] = sharing["gpu_sharing_strategy"].lower().replace("_", "-")
            found["cloud.google.com/gke-max-shared-clients-per-gpu"] = str(sharing["max_shared_clients_per_gpu"])
    if machine.tpus:
        found["cloud.google.com/gke-tpu-accelerator"] = machine.label
        found["cloud.google.com/gke-tpu-topology"] = block(pool.body, "placement_policy").get("tpu_topology") or of_one_host(machine)
    return found


def of_one_host(machine: Machine) -> str:
    return (DEEP if machine.label in THREE_AXES else FLAT)[machine.tpus]


def placed(pool: Pool, name: str, number: int) -> dict:
    """What a node says of where it stands, and of its reservation."""
    found, placement = {}, block(pool.body, "placement_policy")
    machine_type = pool.config.get("machine_type", "e2-medium")
    reservation = block(pool.config, "reservation_affinity")
    reserved = reservation.get("consume_reservation_type") == "SPECIFIC_RESERVATION"
    if reserved:
        path = reservation["values"][0]
        parts = path.split("/")
        found["cloud.google.com/reservation-name"] = parts[parts.index("reservations") + 1] if "reservations" in parts else parts[0]
    close = placement.get("type") == "COMPACT" or placement.get("policy_name") or reserved
    if machine_type.startswith(DENSE) or (close and machine_type.startswith(WITH_TOPOLOGY)):
        found["cloud.google.com/gce-topology-block"] = f"{pool.name}-{number // NODES_PER_BLOCK}"
        found["cloud.google.com/gce-topology-subblock"] = f"{pool.name}-{number // NODES_PER_SUBBLOCK}"
        found["cloud.google.com/gce-topology-host"] = name
    if placement.get("type") == "COMPACT":
        found["cloud.google.com/gke-placement-group"] = f"{pool.name}-placement"
    return found


def taints(pool: Pool, machine: Machine) -> list:
    found = {}
    if gpu(pool):
        found["nvidia.com/gpu", "NoSchedule"] = "present"
    if machine.tpus:
        found["google.com/tpu", "NoSchedule"] = "present"
    if machine.arch == "arm64":
        found["kubernetes.io/arch", "NoSchedule"] = "arm64"
    if pool.queued:
        found["cloud.google.com/gke-queued", "NoSchedule"] = "true"
    for taint in pool.config.get("taint") or []:
        found[taint["key"], EFFECTS[taint["effect"]]] = taint.get("value", "")
    return [{"key": key, "value": value, "effect": effect} for (key, effect), value in found.items()]


def gpu(pool: Pool) -> dict:
    accelerator = block(pool.config, "guest_accelerator")
    return accelerator if accelerator.get("count") else {}


def allocatable(pool: Pool, machine: Machine, machines: Machines) -> dict:
    found = {
        "cpu": f"{round(1000 * machine.cpus - reserved_cpu(machine.cpus))}m",
        "memory": f"{math.floor((machine.memory - reserved_memory(machine.memory)) * 1024)}Mi",
        "ephemeral-storage": f"{math.floor(ephemeral(pool, machine))}Gi",
        "pods": str(pool.body.get("max_pods_per_node", 110)),
        "hugepages-1Gi": "0", "hugepages-2Mi": "0",
    }
    pages = block(block(pool.config, "linux_node_config"), "hugepages_config")
    if pages.get("hugepage_size_2m"):
        found["hugepages-2Mi"] = f"{2 * int(pages['hugepage_size_2m'])}Mi"
    accelerator = gpu(pool)
    if accelerator:
        shares = int(accelerator["count"])
        if accelerator.get("gpu_partition_size"):
            shares *= machines.parts.get((accelerator["type"], accelerator["gpu_partition_size"]), 0)
        shares *= int(block(accelerator, "gpu_sharing_config").get("max_shared_clients_per_gpu", 1))
        found["nvidia.com/gpu"] = str(shares)
    if machine.tpus:
        found["google.com/tpu"] = str(machine.tpus)
    return found


def reserved_cpu(cpus: float) -> float:
    """Millicores: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the others."""
    return sum(1000 * share * max(0, min(cpus, to) - since) for since, to, share in (
        (0, 1, 0.06), (1, 2, 0.01), (2, 4, 0.005), (4, math.inf, 0.0025)))


def reserved_memory(memory: float) -> float:
    """GiB: a share that falls with size, and 100 MiB below which pods are evicted."""
    return 0.1 + sum(share * max(0, min(memory, to) - since) for since, to, share in (
        (0, 4, 0.25), (4, 8, 0.2), (8, 16, 0.1), (16, 128, 0.06), (128, math.inf, 0.02)))


def ephemeral(pool: Pool, machine: Machine) -> float:
    """GiB for pods' scratch space: on local disks where the pool gives them to it, else on the boot disk."""
    scratch = block(pool.config, "ephemeral_storage_local_ssd_config")
    count, each = int(scratch.get("local_ssd_count", 0) or 0), machine.disks[1]
    if scratch and not count:
        count = machine.disks[0]
    if count:
        return 0.9 * count * each - {1: 50, 2: 75}.get(count, 100)
    disk = float(pool.config.get("disk_size_gb", 100))
    return 0.9 * disk - min(0.5 * disk, 6 + 0.35 * disk, 100)
