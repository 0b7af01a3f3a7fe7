# SPDX-License-Identifier: Apache-2.0
"""A control plane with its managers that serves one trial after another."""
import time

import definitions
import managers
from cluster import Cluster, Refused

# What a controller makes of something else and takes away with it, and what nobody cares for.
LEFT_ALONE = {"events", "leases", "endpoints", "endpointslices", "componentstatuses", "bindings", "controllerrevisions", "csinodes"}
# What makes others goes before them.
STAGES = ("jobsets", "workloads", "provisioningrequests", "jobs", "daemonsets"), ("pods",)


class Plane:
    def __init__(self):
        self.cluster, self.managers = Cluster(), []
        try:
            definitions.install(self.cluster)
            self.managers = managers.start(self.cluster)
            self.all = self.kinds()
            self.own = set(self.contents(self.all))
        except BaseException:
            self.stop()
            raise

    def stop(self):
        for manager in self.managers:
            manager.stop()
        self.cluster.stop()

    def kinds(self) -> list:
        """(path of the group, name) of every kind of object that can be listed and deleted."""
        groups = [f"/apis/{group['preferredVersion']['groupVersion']}" for group in self.cluster.call("GET", "/apis")["groups"]]
        return [
            (path, kind["name"]) for path in ["/api/v1", *groups] for kind in self.cluster.call("GET", path)["resources"]
            if {"list", "delete"} <= set(kind["verbs"]) and kind["name"] not in LEFT_ALONE]

    def contents(self, kinds: list) -> dict:
        """Every object of these kinds: (path of the group, kind, namespace, name) -> it has been deleted and is not gone yet."""
        return {
            (path, kind, thing["metadata"].get("namespace", ""), thing["metadata"]["name"]): "deletionTimestamp" in thing["metadata"]
            for path, kind in kinds for thing in self.cluster.items(f"{path}/{kind}")}

    def clear(self) -> bool:
        """Deletes what the last trial left; false where something of it stays."""
        deadline, kinds = time.monotonic() + 40, self.all
        while time.monotonic() < deadline:
            left = {key: going for key, going in self.contents(kinds).items() if key not in self.own}
            if not left and kinds is self.all:
                return True
            # until these are gone nothing else is looked at, and in the end everything once more
            kinds = [kind for kind in self.all if any(key[:2] == kind for key in left)] or self.all
            early = next((found for stage in STAGES if (found := [key for key in left if key[1] in stage])), None)
            for key in early or left:
                if not left[key]:
                    self.delete(*key)
            for path, kind, _, name in [] if early else left:
                if (path, kind) == ("/api/v1", "namespaces") and not any(space == name for _, _, space, _ in left):
                    self.finalize(name)
            if left:
                time.sleep(0.2)
        return False

    def delete(self, path: str, kind: str, space: str, name: str):
        place = f"{path}/namespaces/{space}/{kind}/{name}" if space else f"{path}/{kind}/{name}"
        try:
            self.cluster.call("DELETE", place, {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    def finalize(self, name: str):
        """An empty namespace goes at once: its controller would let it wait for seconds."""
        try:
            space = self.cluster.call("GET", f"/api/v1/namespaces/{name}")
            if "deletionTimestamp" in space["metadata"]:
                space["spec"]["finalizers"] = []
                self.cluster.call("PUT", f"/api/v1/namespaces/{name}/finalize", space)
        except Refused as refused:
            if refused.status not in (404, 409):
                raise
