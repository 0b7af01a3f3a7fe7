"""Kustomizations over the release of somebody else, which lies in the network: built over what such a release has here.

What is patched has to be there by its name: an object that a release does not have fails the build, here as there.
"""
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import yaml

KUSTOMIZATION = "kustomization.yaml"

# Kueue's config/default, as far as somebody may want it otherwise.
KUEUE = """
apiVersion: v1
kind: Namespace
metadata: {name: kueue-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: kueue-manager-config, namespace: kueue-system}
data: {controller_manager_config.yaml: ""}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: kueue-controller-manager, namespace: kueue-system}
spec:
  replicas: 1
  selector: {matchLabels: {control-plane: controller-manager}}
  template:
    metadata:
      annotations: {kubectl.kubernetes.io/default-container: manager}
      labels: {control-plane: controller-manager}
    spec:
      containers: [{name: manager, image: "registry.k8s.io/kueue/kueue:v0.17.1", args: ["--config=/controller_manager_config.yaml"]}]
"""
RELEASES = {"https://github.com/kubernetes-sigs/kueue/releases/download/": KUEUE}

# How much of a device a claim takes, as its driver tells.
PART = {"name": str, "driver": str, "deviceSelector": {"cel": {"expression": str}}}
# config.kueue.x-k8s.io/v1beta2, as its configuration_types.go has it: what is written of it. The manager refuses any other field.
CONFIGURATION = {
    "apiVersion": str, "kind": str, "health": {"healthProbeBindAddress": str}, "metrics": {"bindAddress": str}, "webhook": {"port": int},
    "leaderElection": {"leaderElect": bool, "resourceName": str}, "controller": {"groupKindConcurrency": {"*": int}},
    "clientConnection": {"qps": int, "burst": int}, "manageJobsWithoutQueueName": bool,
    "managedJobsNamespaceSelector": {"matchExpressions": [{"key": str, "operator": str, "values": [str]}]},
    "waitForPodsReady": {
        "timeout": "duration", "recoveryTimeout": "duration", "blockAdmission": bool,
        "requeuingStrategy": {"timestamp": str, "backoffLimitCount": int, "backoffBaseSeconds": int, "backoffMaxSeconds": int},
    },
    "integrations": {"frameworks": [str]}, "fairSharing": {"preemptionStrategies": [str]},
    "admissionFairSharing": {"usageHalfLifeTime": "duration", "usageSamplingInterval": "duration", "resourceWeights": {"*": int}},
    "objectRetentionPolicies": {"workloads": {"afterFinished": "duration"}},
    "resources": {
        "deviceClassMappings": [{"name": str, "deviceClassNames": [str], "sources": [{"counter": PART, "capacity": PART}]}],
        "transformations": [{"input": str, "strategy": str, "multiplyBy": str, "outputs": {"*": "quantity"}}],
    },
    "featureGates": {"*": bool},
}


@contextmanager
def at_hand(folder: Path):
    """The folder, or a copy of it whose resources from the network are here."""
    content = yaml.safe_load((folder / KUSTOMIZATION).read_text()) or {}
    far = [entry for entry in content.get("resources") or [] if entry.startswith("https://")]
    if not far:
        yield folder
        return
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy)
        for number, entry in enumerate(far):
            release = next((text for start, text in RELEASES.items() if entry.startswith(start)), "")
            (copy / f"release-{number}.yaml").write_text(release)
        content["resources"] = [entry for entry in content["resources"] if entry not in far] + [f"release-{number}.yaml" for number in range(len(far))]
        (copy / KUSTOMIZATION).write_text(yaml.safe_dump(content))
        yield copy


def patches(folder: Path) -> set[Path]:
    """Files of a kustomization that say what is to be otherwise: they are no objects."""
    content = yaml.safe_load((folder / KUSTOMIZATION).read_text()) or {}
    return {folder / entry["path"] for entry in content.get("patches") or [] if "path" in entry}


def configured(thing: dict) -> list[str]:
    """What the manager would refuse of its configuration; nothing for any other object."""
    if (thing["kind"], thing["metadata"]["name"]) != ("ConfigMap", "kueue-manager-config"):
        return []
    text = thing["data"]["controller_manager_config.yaml"]
    found = yaml.safe_load(text)
    if not found:
        return ["the manager has no configuration"]
    return [*differences("", found, CONFIGURATION), *refusals(text)]


def refusals(text: str) -> list[str]:
    """What the manager itself says, where its program is here: it reads its configuration before it asks for a cluster."""
    program = os.environ.get("ADMIT_KUEUE")
    if not program:
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([program, f"--config={file.name}"], env=os.environ | {"KUBECONFIG": os.devnull}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    lines = done.stdout.splitlines()
    return [] if any("Successfully loaded configuration" in line for line in lines) else [f"the manager refuses it: {lines[:1]}"]


def differences(path: str, found, wanted):
    if isinstance(wanted, dict):
        for key, value in found.items():
            if "*" not in wanted and key not in wanted:
                yield f"{path}.{key}: no such field"
            else:
                yield from differences(f"{path}.{key}", value, wanted.get(key, wanted.get("*")))
    elif isinstance(wanted, list):
        for number, value in enumerate(found):
            yield from differences(f"{path}[{number}]", value, wanted[0])
    elif wanted == "duration":
        if not isinstance(found, str) or found[-1] not in "hms" or not found[:-1].isdigit():
            yield f"{path}: `{found}` is no duration"
    elif wanted == "quantity":
        if isinstance(found, bool) or not re.fullmatch(r"[0-9]+([KMGTPE]i)?", str(found)):
            yield f"{path}: `{found}` is no quantity"
    elif type(found) is not wanted:
        yield f"{path}: `{found}` is no {wanted.__name__}"
