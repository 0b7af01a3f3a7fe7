# SPDX-License-Identifier: Apache-2.0
"""Rendered Terraform roots, read without Terraform: node pools, and what a root takes for there.

Slipform's roots are plain: values come from terraform.tfvars, locals, `each` and attributes of other resources. That is
what is evaluated here; an expression of any other form stays as its text.
"""
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

import hcl2

READING = threading.Lock()
REFERENCE = re.compile(r"\$\{([^{}]*)\}")
ATTRIBUTE = re.compile(r'(?P<kind>\w+)\.(?P<label>[\w-]+)(?:\[(?P<key>"[^"]*"|each\.\w+)\])?\.(?P<name>\w+)')


@dataclass
class Pool:
    """One node pool, as it is asked for."""

    name: str
    cluster: str
    region: str
    zones: list
    nodes: int  # at most, over all zones
    elastic: bool
    queued: bool
    body: dict  # the resource's attributes and blocks, values filled in
    networks: list = field(default_factory=list)  # (VPC, subnet) of each further interface

    @property
    def config(self) -> dict:
        return block(self.body, "node_config")


def parsed(path: Path) -> dict:
    """A file of HCL as a tree. The parser of hcl2 keeps its state between threads, so that one reads at a time."""
    with READING, path.open() as file:
        return plain(hcl2.load(file))


def block(body: dict, name: str) -> dict:
    """The first block of this name, empty where there is none."""
    found = body.get(name) or [{}]
    return found[0] if isinstance(found, list) else found


class Root:
    """All *.tf files of a folder, and its terraform.tfvars."""

    def __init__(self, folder: Path):
        self.resources, self.data, self.locals, self.variables = {}, {}, {}, {}
        for path in sorted(folder.glob("*.tf")):
            tree = parsed(path)
            for section, into in (("resource", self.resources), ("data", self.data)):
                for group in tree.get(section, []):
                    for kind, labelled in group.items():
                        for label, body in labelled.items():
                            into[kind, label] = body
            for group in tree.get("locals", []):
                self.locals.update(group)
            for group in tree.get("variable", []):
                for name, body in group.items():
                    if "default" in body:
                        self.variables[name] = body["default"]
        values = folder / "terraform.tfvars"
        if values.exists():
            self.variables.update(parsed(values))

    def value(self, raw, each=None):
        """`raw` with every reference replaced that can be."""
        if isinstance(raw, dict):
            return {key: self.value(entry, each) for key, entry in raw.items()}
        if isinstance(raw, list):
            return [self.value(entry, each) for entry in raw]
        if not isinstance(raw, str):
            return raw
        whole = REFERENCE.fullmatch(raw)
        if whole:
            return self.reference(whole[1].strip(), each)
        return REFERENCE.sub(lambda match: str(self.reference(match[1].strip(), each)), raw)

    def reference(self, text: str, each):
        scope, _, name = text.partition(".")
        if scope == "var" and name in self.variables:
            return self.variables[name]
        if scope == "local" and name in self.locals:
            return self.value(self.locals[name])
        if scope == "each" and each:
            part, _, entry = name.partition(".")
            found = each[part == "value"]
            return found[entry] if entry and isinstance(found, dict) and entry in found else found
        match = ATTRIBUTE.fullmatch(text)
        body = match and self.resources.get((match["kind"], match["label"]))
        if body is not None and match["name"] in body:
            key = match["key"] and match["key"].strip('"')
            for instance in self.instances(body):
                if instance is None or str(instance[0]) == key:
                    return self.value(body[match["name"]], instance)
        return text

    def instances(self, body: dict):
        """(key, value) of each instance; one None where the resource is not repeated."""
        if "for_each" not in body:
            return [None]
        over = self.value(body["for_each"])
        if isinstance(over, str):  # toset([...]) and its like
            over = {name: name for name in re.findall(r'"([^"]+)"', over)}
        return list(over.items()) if isinstance(over, dict) else [(name, name) for name in over]

    def read(self):
        """(kind, values) of everything that this root looks up."""
        for (kind, _), body in self.data.items():
            for each in self.instances(body):
                yield kind, self.value(body, each)

    def made(self):
        """(kind, values) of everything that this root makes."""
        for (kind, _), body in self.resources.items():
            for each in self.instances(body):
                yield kind, self.value(body, each)

    def pools(self):
        """Every node pool that this root makes, and the name of its cluster."""
        clusters = {label: self.value(body) for (kind, label), body in self.resources.items() if kind == "google_container_cluster"}
        for (kind, _), raw in self.resources.items():
            if kind != "google_container_node_pool":
                continue
            owner = re.search(r"google_container_cluster\.([\w-]+)\.", str(raw.get("cluster", "")))
            cluster = clusters.get(owner[1], {}).get("name", "") if owner else str(self.value(raw.get("cluster", "")))
            for each in self.instances(raw):
                yield self.pool(self.value(raw, each), cluster)

    def pool(self, body: dict, cluster: str) -> Pool:
        location = str(body.get("location", ""))
        region = location if location.count("-") == 1 else location.rpartition("-")[0]
        zones = body.get("node_locations") or ([f"{region}-{letter}" for letter in "abc"] if location == region else [location])
        scaling = block(body, "autoscaling")
        if scaling:
            nodes = scaling.get("total_max_node_count") or scaling.get("max_node_count", 0) * len(zones)
        else:
            nodes = body.get("node_count", body.get("initial_node_count", 1)) * len(zones)
        interfaces = block(body, "network_config").get("additional_node_network_configs") or []
        return Pool(
            name=str(body["name"]), cluster=str(cluster), region=region, zones=zones, nodes=int(nodes), elastic=bool(scaling),
            queued=bool(block(body, "queued_provisioning").get("enabled")), body=body,
            networks=[(entry.get("network"), entry.get("subnetwork")) for entry in interfaces],
        )


def plain(tree):
    """python-hcl2 leaves the quotes of strings and marks blocks; neither is of use here."""
    if isinstance(tree, dict):
        return {unquoted(key): plain(value) for key, value in tree.items() if key != "__is_block__"}
    if isinstance(tree, list):
        return [plain(entry) for entry in tree]
    return unquoted(tree)


def unquoted(text):
    if isinstance(text, str) and len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    return text
