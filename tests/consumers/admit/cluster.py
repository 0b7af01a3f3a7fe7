# SPDX-License-Identifier: Apache-2.0
"""The control plane that $ADMIT_KUBE names, and a small client for its API."""
import base64
import http.client
import json
import os
import shutil
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

import yaml


class Refused(Exception):
    """The API server's answer where it is not a success."""

    def __init__(self, status: int, answer: dict):
        self.status, self.answer = status, answer
        super().__init__(f"{answer.get('reason', status)}: {answer.get('message', answer)}")


class Cluster:
    """etcd, API server, controllers and scheduler; ended by `stop`, or with this process."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="admit-"))
        self.kubeconfig = self.folder / "kubeconfig"
        self.process = subprocess.Popen(
            [os.environ["ADMIT_KUBE"], "--dir", self.folder / "kube", "--kubeconfig", self.kubeconfig, "--until-stdin-closes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.ready = self.process.stdout.readline().strip()
        if not self.ready.startswith("ready"):
            raise RuntimeError(f"no control plane: {self.ready}{self.process.stderr.read()}")
        self.connect()

    def connect(self):
        config = yaml.safe_load(self.kubeconfig.read_text())
        server, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        certificate = self.folder / "client.pem"
        certificate.write_bytes(b"".join(base64.b64decode(user[key]) for key in ("client-certificate-data", "client-key-data")))
        context = ssl.create_default_context(cadata=base64.b64decode(server["certificate-authority-data"]).decode())
        context.load_cert_chain(certificate)
        address = server["server"].removeprefix("https://")
        self.connection = http.client.HTTPSConnection(address, context=context, timeout=60)

    def stop(self):
        self.connection.close()
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        if not os.environ.get("ADMIT_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method: str, path: str, body=None, kind: str = "application/json") -> dict:
        """One request; raises Refused for anything but a success."""
        for _ in range(60):
            status, answer = self.request(method, path, None if body is None else json.dumps(body), kind)
            if status != 429:  # a definition that was just made is not served yet
                break
            time.sleep(0.3)
        if status >= 300:
            raise Refused(status, answer)
        return answer

    def request(self, method: str, path: str, text: str | None, kind: str) -> tuple:
        """Status and answer; once more on a connection that the server has closed meanwhile."""
        for attempt in (0, 1):
            try:
                self.connection.request(method, path, text, {"Content-Type": kind, "Accept": "application/json"})
                response = self.connection.getresponse()
                return response.status, json.loads(response.read() or b"{}")
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                if attempt:
                    raise
        raise AssertionError("unreachable")

    def items(self, path: str) -> list:
        """All objects of a collection; none where the server does not know it."""
        try:
            return self.call("GET", path).get("items", [])
        except Refused as refused:
            if refused.status == 404:
                return []
            raise

    def create(self, path: str, thing: dict) -> dict | None:
        """A new object, or None where one of that name is there."""
        try:
            return self.call("POST", path, thing)
        except Refused as refused:
            if refused.answer.get("reason") == "AlreadyExists":
                return None
            raise

    def merge(self, path: str, part: dict) -> dict:
        return self.call("PATCH", path, part, "application/merge-patch+json")

    def kubectl(self, *words, **kwargs):
        return subprocess.run(
            ["kubectl", *words], env={**os.environ, "KUBECONFIG": str(self.kubeconfig)},
            capture_output=True, text=True, check=False, **kwargs,
        )
