"""Strict reading and schema checks of Kubernetes YAML.

Reads as YAML 1.1 readers do (PyYAML), refuses duplicate keys, and validates each object against the JSON schema of its
kind with unknown fields forbidden. Schemas come from folders with one `group.version.Kind.json` a kind; core kinds that none of
them has come from PyPI's kubernetes-validate.
"""
import json
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator

KUBERNETES_VERSION = "v1.34.0"  # the minor of the control plane of kube


class Reader(yaml.SafeLoader):
    """A SafeLoader that refuses a key written twice and a key that is not a string."""


def mapping(reader, node):
    reader.flatten_mapping(node)
    seen = set()
    for key_node, _ in node.value:
        key = reader.construct_object(key_node)
        if not isinstance(key, str):
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is read as {type(key).__name__}", key_node.start_mark)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
        seen.add(key)
    return reader.construct_mapping(node, deep=True)


Reader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)


def documents(text: str) -> list:
    """All non-empty documents of a stream; raises yaml.YAMLError with line and column."""
    return [document for document in yaml.load_all(text, Reader) if document is not None]


class Schemas:
    """The schema of each kind, compiled once."""

    def __init__(self, folders: list[Path]):
        self.folders = folders
        self.core = core_schemas()
        self.compiled = {}
        self.missing = set()

    @property
    def source(self) -> str:
        return ", ".join([*map(str, self.folders), f"kubernetes-validate for core kinds of {KUBERNETES_VERSION}"])

    def errors(self, thing: dict) -> list[str]:
        """What the schema says against an object; a kind without a schema is remembered in `missing`."""
        gvk = kind_of(thing)
        validator = self.validator(thing)
        if validator is None:
            self.missing.add(gvk)
            return []
        found = sorted(validator.iter_errors(thing), key=lambda error: [str(part) for part in error.absolute_path])
        return [f"{'.'.join(map(str, error.absolute_path)) or '.'}: {error.message[:300]}" for error in found]

    def validator(self, thing: dict):
        gvk = kind_of(thing)
        if gvk not in self.compiled:
            schema = self.load(thing)
            self.compiled[gvk] = Draft202012Validator(schema) if schema else None
        return self.compiled[gvk]

    def load(self, thing: dict):
        for folder in self.folders:
            path = folder / f"{kind_of(thing)}.json"
            if path.exists():
                return python_patterns(json.loads(path.read_text()))
        group, _, version = thing["apiVersion"].rpartition("/")
        stem = "-".join(part for part in (thing["kind"].lower(), group.removesuffix(".k8s.io").split(".")[0], version) if part)
        path = self.core / f"{stem}.json"
        if not path.exists():
            return None
        definitions = json.loads((self.core / "_definitions.json").read_text())
        return inlined(json.loads(path.read_text()), definitions["$defs"])


def kind_of(thing: dict) -> str:
    return f"{thing.get('apiVersion', '').replace('/', '.')}.{thing.get('kind', '')}"


def core_schemas() -> Path:
    import kubernetes_validate
    return Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / f"{KUBERNETES_VERSION}-local-strict"


def inlined(schema: dict, definitions: dict) -> dict:
    """One schema that holds its definitions, instead of references to a neighbouring file."""
    def rewrite(node):
        if isinstance(node, dict):
            return {key: f"#/$defs/{value.rsplit('/', 1)[1]}" if key == "$ref" and isinstance(value, str) else rewrite(value)
                    for key, value in node.items()}
        return [rewrite(item) for item in node] if isinstance(node, list) else node

    return rewrite(schema) | {"$defs": rewrite(definitions)}


def python_patterns(node):
    """Go's regular expressions allow (?i) anywhere, Python's only in front."""
    if isinstance(node, dict):
        return {key: "(?i)" + value.replace("(?i)", "") if key == "pattern" and isinstance(value, str) and "(?i)" in value
                else python_patterns(value) for key, value in node.items()}
    return [python_patterns(item) for item in node] if isinstance(node, list) else node
