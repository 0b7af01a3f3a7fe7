# SPDX-License-Identifier: Apache-2.0
"""Terraform's plugin protocol 5 on the wire: messages by their field numbers (tfplugin5.proto), values in msgpack.

Messages are few and small, so they are coded by hand: no compiler of protocols, no generated code.
"""
import json

import msgpack

def uv(n):
    out = bytearray()
    if n < 0:
        n += 1 << 64
    while True:
        b = n & 0x7F
        n >>= 7
        if n:
            out.append(b | 0x80)
        else:
            out.append(b)
            return bytes(out)


def fb(num, data):                      # length-delimited
    if isinstance(data, str):
        data = data.encode()
    return uv(num << 3 | 2) + uv(len(data)) + data


def fi(num, n):                         # varint; proto3 omits zero
    return uv(num << 3) + uv(int(n)) if n else b""


def parse(buf):
    out, i = {}, 0
    while i < len(buf):
        k = s = 0
        while True:
            b = buf[i]; i += 1
            k |= (b & 0x7F) << s; s += 7
            if not b & 0x80:
                break
        num, wt = k >> 3, k & 7
        if wt == 0:
            v = s = 0
            while True:
                b = buf[i]; i += 1
                v |= (b & 0x7F) << s; s += 7
                if not b & 0x80:
                    break
        elif wt == 2:
            n = s = 0
            while True:
                b = buf[i]; i += 1
                n |= (b & 0x7F) << s; s += 7
                if not b & 0x80:
                    break
            v = buf[i:i + n]; i += n
        elif wt == 1:
            v = buf[i:i + 8]; i += 8
        elif wt == 5:
            v = buf[i:i + 4]; i += 4
        else:
            raise ValueError(f"wire type {wt}")
        out.setdefault(num, []).append(v)
    return out


def one(m, n, d=b""):
    return m[n][-1] if n in m else d


NEST = {"single": 1, "list": 2, "set": 3, "map": 4, "group": 5}


def pb_block(b):
    o = b""
    for name, a in b.get("attrs", {}).items():
        req = bool(a.get("req"))
        opt = bool(a.get("opt")) and not req
        comp = bool(a.get("comp")) and not req
        if not (req or opt or comp):
            opt = True
        x = fb(1, name) + fb(2, json.dumps(a["type"])) + fi(4, req) + fi(5, opt) + fi(6, comp) + fi(7, bool(a.get("sens"))) + fi(9, bool(a.get("depr"))) + fi(10, bool(a.get("wo")))
        o += fb(2, x)
    for name, n in b.get("blocks", {}).items():
        o += fb(3, fb(1, name) + fb(2, pb_block(n["block"])) + fi(3, NEST[n["n"]]) + fi(4, n.get("min", 0)) + fi(5, n.get("max", 0)))
    return o


def pb_schema(r):
    return fi(1, r.get("v", 0)) + fb(2, pb_block(r["block"]) + fi(6, bool(r.get("depr"))))


def pb_all(S):
    o = fb(1, fb(2, pb_block(S["provider"])))
    for k, r in S["resources"].items():
        o += fb(2, fb(1, k) + fb(2, pb_schema(r)))
    for k, r in S["data"].items():
        o += fb(3, fb(1, k) + fb(2, pb_schema(r)))
    if S["source"].split("/")[-1] in ("google", "google-beta"):              # provider_meta "google" { module_name = ... }
        o += fb(5, fb(2, pb_block({"attrs": {"module_name": {"type": "string", "opt": 1}}})))
    return o


def diagnostic(sev, summary, detail="", path=None):
    d = fi(1, sev) + fb(2, summary) + fb(3, detail)
    if path:
        steps = b""
        for p in path:
            steps += fb(1, fb(1, p) if isinstance(p, str) else uv(3 << 3) + uv(p))
        d += fb(4, steps)
    return d


class Unknown:
    def __repr__(self):
        return "(unknown)"


UNK = Unknown()


def unpack(b):
    return msgpack.unpackb(b, ext_hook=lambda c, d: UNK, strict_map_key=False, raw=False) if b else None


def pack(v):
    def default(o):
        if isinstance(o, Unknown):
            return msgpack.ExtType(0, b"\0")
        raise TypeError(o)
    return msgpack.packb(v, default=default, use_bin_type=True)


def dyn(v):
    return fb(1, pack(v))
