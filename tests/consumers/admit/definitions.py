# SPDX-License-Identifier: Apache-2.0
"""The kinds that a cluster has before anything rendered is applied: the definitions in the folder that $ADMIT_DEFINITIONS names."""
import os
import time
from pathlib import Path

import yaml

from cluster import Cluster

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAMES = ("jobset", "kueue", "gke-networking", "provisioning-request", "compute-class", "compute-domain", "checkpoint-configuration")
OWN = Path(__file__).resolve().parents[1] / "kube"
READY = 60.0  # seconds until all are served


def folder() -> Path:
    return Path(os.environ["ADMIT_DEFINITIONS"])


def of(name: str) -> Path:
    """The folder's own, or that of this project where the publisher gives none."""
    given = folder() / f"{name}.yaml"
    return given if given.exists() else OWN / f"{name}.yaml"


def install(cluster: Cluster) -> None:
    for name in NAMES:
        for definition in yaml.load_all(of(name).read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            definition["spec"].pop("conversion", None)  # a manager that converts says so itself
            definition.pop("status", None)
            cluster.create(CRDS, definition)
    deadline = time.monotonic() + READY
    while time.monotonic() < deadline:
        if all(established(definition) for definition in cluster.items(CRDS)):
            return
        time.sleep(0.1)
    raise RuntimeError("the definitions of custom resources are not established")


def established(definition: dict) -> bool:
    conditions = definition.get("status", {}).get("conditions") or []
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)
