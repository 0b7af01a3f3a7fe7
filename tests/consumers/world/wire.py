# SPDX-License-Identifier: Apache-2.0
"""Terraform's plugin protocol 5 on the wire: messages by their field numbers (tfplugin5.proto), values in msgpack.

Messages are few and small, so they are coded by hand: no compiler of protocols, no generated code.
"""
import json

import msgpack

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5  # what a field's tag says of its size
NESTINGS = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}


class Unknown:
    """A value that is not known before it is applied."""

    def __repr__(self):
        return "(unknown)"


UNK = Unknown()


# ------------------------------------------------------------------ fields
def varint(number: int) -> bytes:
    number, out = number % (1 << 64), bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def bytes_field(field: int, content: bytes | str) -> bytes:
    """A field with a text or a message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | LENGTH) + varint(len(content)) + content


def number_field(field: int, number: int) -> bytes:
    """A field with a number; 0 is what an absent one means."""
    return varint(field << 3 | VARINT) + varint(int(number)) if number else b""


def parse(message: bytes) -> dict:
    """Every value of each field."""
    found, at = {}, 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value
    while at < len(message):
        tag = number()
        if tag & 7 == VARINT:
            value = number()
        elif tag & 7 in (LENGTH, EIGHT_BYTES, FOUR_BYTES):
            length = number() if tag & 7 == LENGTH else 8 if tag & 7 == EIGHT_BYTES else 4
            value = message[at:at + length]
            at += length
        else:
            raise ValueError(f"wire type {tag & 7}")
        found.setdefault(tag >> 3, []).append(value)
    return found


def one(fields: dict, field: int) -> bytes:
    """The last value of a field; nothing where it is absent."""
    return fields[field][-1] if field in fields else b""


# ------------------------------------------------------------------ values
def dynamic(value) -> bytes:
    """A value as a message."""
    def unknown(thing):
        if thing is UNK:
            return msgpack.ExtType(0, b"\0")
        raise TypeError(thing)
    return bytes_field(1, msgpack.packb(value, default=unknown, use_bin_type=True))


def value_of(fields: dict, field: int):
    """The value in a field."""
    packed = one(parse(one(fields, field)), 1)
    return msgpack.unpackb(packed, ext_hook=lambda *_: UNK, strict_map_key=False, raw=False) if packed else None


# ------------------------------------------------------------------ what a provider says of itself
def path(steps: list) -> bytes:
    """A place in a value: names of attributes and positions in lists."""
    return b"".join(bytes_field(1, bytes_field(1, step) if isinstance(step, str) else varint(3 << 3) + varint(step)) for step in steps)


def diagnostic(severity: int, summary: str, detail: str = "", place: list | None = None) -> bytes:
    return number_field(1, severity) + bytes_field(2, summary) + bytes_field(3, detail) + (bytes_field(4, path(place)) if place else b"")


def attribute(name: str, rule: dict) -> bytes:
    required = bool(rule.get("req"))
    computed = bool(rule.get("comp")) and not required
    optional = not required and (bool(rule.get("opt")) or not computed)
    return (bytes_field(1, name) + bytes_field(2, json.dumps(rule["type"])) + number_field(4, required) + number_field(5, optional) + number_field(6, computed)
            + number_field(7, bool(rule.get("sens"))) + number_field(9, bool(rule.get("depr"))) + number_field(10, bool(rule.get("wo"))))


def block(tree: dict) -> bytes:
    nested = (bytes_field(1, name) + bytes_field(2, block(inner["block"])) + number_field(3, NESTINGS[inner["n"]]) + number_field(4, inner.get("min", 0)) + number_field(5, inner.get("max", 0))
              for name, inner in tree.get("blocks", {}).items())
    return b"".join([*(bytes_field(2, attribute(name, rule)) for name, rule in tree.get("attrs", {}).items()), *(bytes_field(3, entry) for entry in nested)])


def schema(row: dict) -> bytes:
    return number_field(1, row.get("v", 0)) + bytes_field(2, block(row["block"]) + number_field(6, bool(row.get("depr"))))


def provider(tree: dict) -> bytes:
    """The whole schema of a provider."""
    found = [bytes_field(1, bytes_field(2, block(tree["provider"])))]
    for field, table in ((2, tree["resources"]), (3, tree["data"])):
        found += [bytes_field(field, bytes_field(1, name) + bytes_field(2, schema(row))) for name, row in table.items()]
    if tree["source"].split("/")[-1] in ("google", "google-beta"):  # provider_meta "google" { module_name = ... }
        found.append(bytes_field(5, bytes_field(2, block({"attrs": {"module_name": {"type": "string", "opt": 1}}}))))
    return b"".join(found)
