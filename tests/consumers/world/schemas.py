# SPDX-License-Identifier: Apache-2.0
"""A provider's schema in the compact form that provider.py serves, from what `terraform providers schema -json` says of the real one.

usage: schemas.py VERSION DIR <schema.json      writes DIR/NAME-schema.json for each provider

Shapes, and what is required or computed, are whole. What a provider keeps to itself is not in it: enumerations, defaults, and which
changes force a replacement. The world replaces where a change would give a thing another name or place.
"""
import json
import sys
from pathlib import Path

OWN = ("google",)  # types that begin like this: other providers' are served by themselves


def main() -> int:
    version, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for source, schema in json.load(sys.stdin)["provider_schemas"].items():
        if source.rsplit("/", 1)[1].startswith(OWN):
            found = {
                "source": source, "version": version, "provider": block(schema["provider"]["block"]),
                "resources": {name: row(entry) for name, entry in schema["resource_schemas"].items()},
                "data": {name: row(entry) for name, entry in schema["data_source_schemas"].items()},
            }
            (folder / f"{source.rsplit('/', 1)[1]}-schema.json").write_text(json.dumps(found))
    return 0


def row(entry: dict) -> dict:
    return {"v": entry.get("version", 0), "block": block(entry["block"])}


def block(entry: dict) -> dict:
    return {
        "attrs": {name: attribute(value) for name, value in entry.get("attributes", {}).items() if "type" in value},
        "blocks": {name: {"n": value["nesting_mode"], "min": value.get("min_items", 0), "max": value.get("max_items", 0), "block": block(value["block"])}
                   for name, value in entry.get("block_types", {}).items()},
    }


def attribute(value: dict) -> dict:
    words = {"required": "req", "optional": "opt", "computed": "comp", "sensitive": "sens", "write_only": "wo"}
    return {"type": value["type"], **{short: 1 for word, short in words.items() if value.get(word)}}


if __name__ == "__main__":
    sys.exit(main())
