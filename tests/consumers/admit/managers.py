# SPDX-License-Identifier: Apache-2.0
"""The real JobSet and Kueue managers against the control plane, where $ADMIT_JOBSET and $ADMIT_KUEUE name their binaries.

Their webhooks keep the service that the upstream manifests give them. Here that service is an alias of localhost, so the
API server reaches a manager at 127.0.0.1 and checks its certificate under the service's name, as in a cluster.
"""
import base64
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import yaml

import definitions
from cluster import Cluster

READY = 60.0  # seconds that a manager may take


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Manager:
    """One manager: its namespace, its webhooks, its process."""

    name = ""
    group = ""

    def __init__(self, cluster: Cluster, binary: str):
        self.cluster, self.binary = cluster, binary
        self.port, self.health = free_port(), free_port()
        self.namespace, self.service = f"{self.name}-system", f"{self.name}-webhook-service"
        self.folder = cluster.folder / self.name
        self.certificates = self.folder / "certificates"
        self.certificates.mkdir(parents=True)

    def start(self):
        self.cluster.create("/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self.cluster.create(f"/api/v1/namespaces/{self.namespace}/services", {
            "metadata": {"name": self.service}, "spec": {"type": "ExternalName", "externalName": "localhost"},
        })
        self.prepare()
        for webhooks in yaml.safe_load_all((definitions.folder() / f"{self.name}-webhooks.yaml").read_text()):
            for webhook in webhooks["webhooks"]:
                self.point(webhook["clientConfig"])
            kind = webhooks["kind"].lower() + "s"
            self.cluster.create(f"/apis/admissionregistration.k8s.io/v1/{kind}", webhooks)
        self.run()

    def run(self):
        config = self.folder / "config.yaml"
        config.write_text(yaml.safe_dump(self.configuration()))
        self.log = self.folder / "log"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [self.binary, f"--config={config}"],
                env={**os.environ, "KUBECONFIG": str(self.cluster.kubeconfig)}, stdout=log, stderr=log,
            )
        self.wait()

    def point(self, client_config: dict):
        client_config["service"]["port"] = self.port

    def wait(self):
        deadline = time.monotonic() + READY
        while not (self.healthy() and self.trusted()):
            self.while_waiting()
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the {self.name} manager is not ready; the end of its log:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.2)

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def trusted(self) -> bool:
        """Every webhook has an authority, and the port is open."""
        found = self.cluster.call(
            "GET", f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{self.name}-validating-webhook-configuration")
        with socket.socket() as probe:
            return all(w["clientConfig"].get("caBundle") for w in found["webhooks"]) and probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def obey(self, installations: list):
        """Goes on with what rendered installations, folders of a kustomization, say of its configuration."""

    def prepare(self):
        pass

    def while_waiting(self):
        pass

    def configuration(self) -> dict:
        raise NotImplementedError


class JobSetManager(Manager):
    """JobSet, with a certificate made here: it looks for its own in a folder that is the same for every run."""

    name = "jobset"

    def prepare(self):
        host = f"{self.service}.{self.namespace}.svc"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             f"/CN={self.name}", "-addext", f"subjectAltName=DNS:{host}", "-keyout", self.certificates / "tls.key",
             "-out", self.certificates / "tls.crt"], check=True, capture_output=True)

    def point(self, client_config: dict):
        super().point(client_config)
        client_config["caBundle"] = base64.b64encode((self.certificates / "tls.crt").read_bytes()).decode()

    def configuration(self) -> dict:
        return {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration",
            "leaderElection": {"leaderElect": False}, "internalCertManagement": {"enable": False},
            "webhook": {"host": "127.0.0.1", "port": self.port, "certDir": str(self.certificates)},
            "metrics": {"bindAddress": "0", "certDir": str(self.certificates)},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
        }


class KueueManager(Manager):
    """Kueue with its own certificates: it writes them into a Secret, which a kubelet would mount; here they are copied."""

    name = "kueue"
    given = {}  # the rendered configuration that it runs with

    def obey(self, installations: list):
        """With the configuration that a cluster gives it, or its own again where it gives none. Nothing of a trial may be there yet."""
        patches = [yaml.safe_load(path.read_text()) for folder in installations if (path := folder / "kueue" / "configuration.yaml").exists()]
        given = yaml.safe_load(patches[0]["data"]["controller_manager_config.yaml"]) if patches else {}
        if given != self.given:
            self.stop()
            self.given = given
            self.run()

    def prepare(self):
        self.secret = f"/api/v1/namespaces/{self.namespace}/secrets/kueue-webhook-server-cert"
        self.cluster.create(f"/api/v1/namespaces/{self.namespace}/secrets", {"metadata": {"name": "kueue-webhook-server-cert"}})
        for definition in self.cluster.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"):
            conversion = definition["spec"].get("conversion", {})
            if definition["spec"]["group"] == "kueue.x-k8s.io" and definition["metadata"]["name"] in CONVERTED:
                conversion = {"strategy": "Webhook", "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {"service": {
                        "name": self.service, "namespace": self.namespace, "path": "/convert", "port": self.port,
                    }},
                }}
                self.cluster.merge(
                    f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{definition['metadata']['name']}",
                    {"spec": {"conversion": conversion}})

    def while_waiting(self):
        for name, text in (self.cluster.call("GET", self.secret).get("data") or {}).items():
            path = self.certificates / name
            if not path.exists():
                path.write_bytes(base64.b64decode(text))

    def configuration(self) -> dict:
        """What is rendered, or else the frameworks of the released manifest that exist here; and where it listens on this machine."""
        ours = self.given or {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
            "integrations": {"frameworks": ["batch/job", "jobset.x-k8s.io/jobset", "pod", "deployment", "statefulset"]},
        }
        return {
            **ours, "featureGates": {**ours.get("featureGates", {}), **GATES}, "namespace": self.namespace, "leaderElection": {"leaderElect": False},
            "internalCertManagement": {
                "enable": True, "webhookServiceName": self.service, "webhookSecretName": "kueue-webhook-server-cert",
            },
            "webhook": {"host": "127.0.0.1", "port": self.port, "certDir": str(self.certificates)},
            "metrics": {"bindAddress": "0"}, "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health}"},
            "clientConnection": {"qps": 200, "burst": 400},
        }


# What this machine has no room for: its server listens on a port that is the same for every run. Kueue refuses gates on its
# command line beside those of its configuration.
GATES = {"VisibilityOnDemand": False}
CONVERTED = {f"{kind}.kueue.x-k8s.io" for kind in ("localqueues", "clusterqueues", "workloads", "cohorts", "multikueueclusters")}


def start(cluster: Cluster) -> list:
    """The managers that the environment names, ready."""
    running = []
    try:
        for kind, variable in ((JobSetManager, "ADMIT_JOBSET"), (KueueManager, "ADMIT_KUEUE")):
            if os.environ.get(variable):
                manager = kind(cluster, str(Path(os.environ[variable]).resolve()))
                running.append(manager)
                manager.start()
    except Exception:
        for manager in running:
            if hasattr(manager, "process"):
                manager.stop()
        raise
    return running
