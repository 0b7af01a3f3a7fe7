# SPDX-License-Identifier: Apache-2.0
"""The kinds of publishers, as their own releases define them.

`write` makes of the sources of modules.tsv a folder that consumers read: `crds/NAME.yaml` are custom resource definitions and
`crds/NAME-webhooks.yaml` what a manager asks the API server to be called for; `group.version.Kind.json` is the same schema as JSON
schema, with unknown fields forbidden, for those who judge without a server.
"""
import copy
import json
import shutil
import subprocess
from pathlib import Path

import yaml

OWN = [Path(__file__).resolve().parent / name for name in ("checkpoint-configuration.yaml", "compute-class.yaml", "compute-domain.yaml")]
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
STRINGS = {"type": "object", "additionalProperties": {"type": "string"}}
METADATA = {
    "type": "object", "additionalProperties": False,
    "properties": {
        "name": {"type": "string"}, "generateName": {"type": "string"}, "namespace": {"type": "string"}, "labels": STRINGS,
        "annotations": STRINGS, "finalizers": {"type": "array", "items": {"type": "string"}},
    },
}


def write(folder: Path, sources: dict) -> None:
    """`sources`: where the files of each module of modules.tsv lie."""
    fresh = folder.with_suffix(".part")
    shutil.rmtree(fresh, ignore_errors=True)
    (fresh / "crds").mkdir(parents=True)
    for own in OWN:
        shutil.copy(own, fresh / "crds")
    for name, source in sources.items():
        things = [terse(thing) for thing in published(source)]
        store(fresh / "crds" / f"{name}.yaml", [thing for thing in things if thing["kind"] == "CustomResourceDefinition"])
        store(fresh / "crds" / f"{name}-webhooks.yaml", [thing for thing in things if thing["kind"] in WEBHOOKS])
    for path in sorted((fresh / "crds").glob("*.yaml")):
        for thing in read(path):
            if thing["kind"] == "CustomResourceDefinition":
                for stem, schema in json_schemas(thing):
                    (fresh / f"{stem}.json").write_text(json.dumps(schema, sort_keys=True))
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def published(source: Path) -> list:
    """What a release installs: built as its publisher builds it, or its definitions as they are."""
    whole = source / "config" / "default"
    if whole.exists():
        done = subprocess.run(["kubectl", "kustomize", str(whole)], capture_output=True, text=True, check=True)
        return [thing for thing in yaml.load_all(done.stdout, LOADER) if thing]
    return [thing for folder in ("crd", "crds") for path in sorted((source / "config" / folder).glob("*.yaml")) for thing in read(path)]


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path: Path) -> list:
    return [thing for thing in yaml.load_all(path.read_text(), LOADER) if thing]


def store(path: Path, things: list) -> None:
    if things:
        path.write_text(yaml.dump_all(things, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))


def terse(node):
    """Without prose: half of a definition is told to people, and a server holds all of it."""
    if isinstance(node, dict):
        return {key: terse(value) for key, value in node.items() if key != "description" or not isinstance(value, str)}
    return [terse(entry) for entry in node] if isinstance(node, list) else node


def json_schemas(definition: dict):
    """(`group.version.Kind`, JSON schema) of each version that is served."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version.get("served"):
            schema = strict(copy.deepcopy(version["schema"]["openAPIV3Schema"]))
            schema["properties"] |= {
                "apiVersion": {"const": f"{spec['group']}/{version['name']}"}, "kind": {"const": spec["names"]["kind"]}, "metadata": METADATA}
            yield f"{spec['group']}.{version['name']}.{spec['names']['kind']}", schema


def strict(node):
    """A structural schema as JSON schema: what it does not name is refused, as strict validation of the server refuses it."""
    if isinstance(node, list):
        return [strict(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    open_ended = node.pop("x-kubernetes-preserve-unknown-fields", False)
    if node.pop("x-kubernetes-int-or-string", False):
        node.pop("type", None)
        node["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if node.pop("nullable", False) and isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
    properties = node.get("properties")
    found = {key: value if key in ("default", "enum", "example") else strict(value) for key, value in node.items() if key != "properties"}
    if isinstance(properties, dict):
        found["properties"] = {name: strict(value) for name, value in properties.items()}
        if not open_ended:
            found.setdefault("additionalProperties", False)
    return found
