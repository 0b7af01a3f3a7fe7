# SPDX-License-Identifier: Apache-2.0
"""The world that all roots share: names, ranges, references, APIs that are on, grants, and a log of what happened.

Every call holds its lock, reads, judges and writes, so that ten resources in parallel and several runs of Terraform in turn see each
other. What the judge knows stands in the tables of kinds.py.
$WORLD_SERVICES: APIs that are on when the world is made (`all`, or names with commas), instead of those of a new project.
"""
from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from kinds import (
    ACCOUNT, ADDRESS, BATCH_WINDOW_S, CASCADE, CLUSTER, COMPUTE, CRM, EMPTIED_BY, GKE, IAM, KEY, KINDS, NEVER_SENT, ON_AT_START, POOL, PROTECTED_BY, REFUSE,
    SOMETIMES_NEW, STORAGE, SUBNET, USAGE, Ref,
)
from states import MADE_UP

Values = dict[str, Any]


class Refusal(Exception):
    """What the API (or the provider in its place) answers instead of doing it."""

    def __init__(self, code: int, message: str, reason: str, keep_state: bool = False):
        super().__init__(f"googleapi: Error {code}: {message}, {reason}" if code else message)
        self.reason, self.keep_state = reason, keep_state


# ------------------------------------------------------------------ small helpers
def known(value: Any) -> bool:
    return isinstance(value, (str, int, float, bool))


def at(value: Any, path: str) -> Iterator[Any]:
    """Every value at `a[].b`; nothing where a step is absent or unknown."""
    head, _, rest = path.partition(".")
    name, many = head.removesuffix("[]"), head.endswith("[]")
    value = value.get(name) if isinstance(value, dict) else None
    for item in (value if isinstance(value, list) else []) if many else [value]:
        if rest:
            yield from at(item, rest)
        elif item not in (None, "") and known(item):
            yield item


def last(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def region_of(location: str) -> str:
    return location.rsplit("-", 1)[0] if location.count("-") == 2 else location


def as_path(link: str) -> str:
    """`https://www.googleapis.com/compute/v1/projects/p/...` and `//host/projects/p/...` are `projects/p/...`."""
    return re.sub(r"^(https?:)?//[^/]+/((compute|container|storage|file)/)?((v\d\w*|beta)/)?", "", link)


def cidr(text: Any) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_network(text, strict=False) if isinstance(text, str) and "/" in text else None
    return None


def overlap(a: str, b: str) -> bool:
    x, y = cidr(a), cidr(b)
    return x is not None and y is not None and x.overlaps(y)


def check_reserved_alone(v: Values) -> None:
    """GKE lets nobody of the internet come to a control plane that has a private address alone."""
    if any(at(v, "private_cluster_config[].enable_private_endpoint")):
        for block in at(v, "master_authorized_networks_config[].cidr_blocks[].cidr_block"):
            if (found := cidr(block)) and found.is_global:
                raise Refusal(400, f'Invalid master authorized networks: network "{block}" is not a reserved network, which is required for private endpoints.', "badRequest")


def noun(kind: str) -> str:
    return re.sub(r"^google_(compute_|container_)?", "", kind)


# ------------------------------------------------------------------ the world
NOBODY = "-"  # the root of what no root makes


def new_project() -> Values:
    on = os.environ.get("WORLD_SERVICES", "")
    named = [service if "." in service else f"{service}.googleapis.com" for service in on.split(",") if service]
    return {"start": on if on == "all" else named or list(ON_AT_START), "services": {}, "objects": {}, "not_empty": [], "pending": {}, "events": [], "counter": 0}


class World:
    def __init__(self):
        self.lock, self.state = threading.Lock(), new_project()
        self.defaults: Values = {}              # project, region, zone of the provider block
        self.labels: dict[str, str] = {}        # its default_labels, and the attribution label
        self.enter(os.getcwd())

    def enter(self, directory: str) -> None:
        """The root that Terraform works in from now on: a provider is never told."""
        self.directory, self.root = directory, os.path.basename(directory)
        self._plan: list[Values] | None = None

    @contextlib.contextmanager
    def locked(self) -> Iterator[Values]:
        with self.lock:
            yield self.state

    def add(self, kind: str, values: Values) -> None:
        """Something that exists and that no root makes, such as a company's network. Its API is on from then."""
        with self.locked() as w:
            key = self.key(kind, values, w)
            values = {**self.computed(kind, values, key), "name": last(key), **values}
            if kind == ACCOUNT:
                email = last(values["id"])
                values.update(email=email, member="serviceAccount:" + email, name=values["id"])
            self.put(w, kind, key, values)
            w["objects"][key]["root"] = NOBODY
            w["services"].setdefault(self.scope(values)["project"] or key.split("/")[2], []).append(KINDS[kind].service)

    def event(self, w: Values, action: str, kind: str, values: Values, reason: str = "", create: bool = False) -> None:
        change = self.planned_change(kind, values, create)
        actions = change.get("change", {}).get("actions", [])
        if action == "delete" and "create" in actions:
            action, reason = "replace", self.why(change) or reason
        w["events"].append({"n": len(w["events"]) + 1, "time": time.strftime("%H:%M:%S"), "root": self.root, "directory": self.directory,
                            "action": action, "type": kind, "id": str(values.get("id") or ""), "address": change.get("address") or self.block(kind, values), "reason": reason})

    @staticmethod
    def label(values: Values) -> str:
        names = [values.get(f) for f in ("name", "account_id", "repository_id", "instance_id", "secret_id", "service", "display_name") if known(values.get(f))]
        return str(names[0]) if names else f"{values['role']} {values.get('member')}" if known(values.get("role")) else str(values.get("id") if known(values.get("id")) else "?")

    # -------- addresses: a provider never hears its resource's address; a plan written as JSON beside it tells
    def planned_change(self, kind: str, values: Values, create: bool) -> Values:
        if self._plan is None:
            try:
                with open(os.path.join(self.directory, "plan.json")) as f:
                    self._plan = [c for c in json.load(f).get("resource_changes", []) if c.get("mode") == "managed"]
            except (OSError, ValueError):
                self._plan = []
        for c in (c for c in self._plan if c["type"] == kind):
            before, after = c["change"].get("before") or {}, c["change"].get("after") or {}
            if before.get("id") == values.get("id") and before.get("id") and not create:
                return c
            if create and after and all(values.get(k) == v for k, v in after.items() if isinstance(v, str)):
                return c
        return {}

    def block(self, kind: str, values: Values) -> str:
        """Without a plan beside it: the root's one block of that type (with that name), else type and name."""
        label, found = self.label(values), []
        for file in (f for f in os.listdir(self.directory) if f.endswith(".tf")):
            with open(os.path.join(self.directory, file)) as f:
                found += re.findall(rf'^resource "{kind}" "([\w-]+)" \{{(.*?)^\}}', f.read(), re.DOTALL | re.MULTILINE)
        fitting = found if len(found) == 1 else [b for b in found if f'"{label}"' in b[1]]
        if len(fitting) != 1:
            return f"{kind} {label}"
        return f"{kind}.{fitting[0][0]}" + (f" ({label})" if "for_each" in fitting[0][1] or "count " in fitting[0][1] else "")

    @staticmethod
    def why(change: Values) -> str:
        paths = [".".join(str(s) for s in p) for p in change.get("change", {}).get("replace_paths", [])]
        return ", ".join(paths) or {"replace_by_triggers": "replace_triggered_by", "replace_because_tainted": "tainted"}.get(change.get("action_reason", ""), "")

    # -------- names
    def scope(self, v: Values) -> Values:
        """project, region, zone, location as the provider fills them in."""
        s = {f: v[f] if known(v.get(f)) else self.defaults.get(f) for f in ("project", "region", "zone")}
        place = v.get("location") if known(v.get("location")) else None
        if place:
            s["region"] = v["region"] if known(v.get("region")) else region_of(place)
        elif known(v.get("zone")) and not known(v.get("region")):
            s["region"] = region_of(last(v["zone"]))
        s["location"] = place or (v.get("zone") if known(v.get("zone")) else None) or s["region"] or s["zone"]
        return {f: last(x) if f != "project" and isinstance(x, str) else x for f, x in s.items()}

    def target(self, kind: str, name: str, v: Values) -> str:
        """Key of what a reference (a link, a path, or a bare name) names, seen from an object with the values `v`."""
        path = as_path(name).removeprefix("namespaces/")
        if kind == ACCOUNT:
            email = last(path)
            m = re.fullmatch(r"([^@]+)@([^.]+)\.iam\.gserviceaccount\.com", email)
            account, project = (m[1], m[2]) if m else (email, self.scope(v)["project"])
            return f"{IAM}/projects/{project}/serviceAccounts/{account}"
        if path.startswith(("projects/", "b/")):
            return f"{KINDS[kind].service}/{path}"
        template = KINDS[kind].key
        head, own = template.rsplit("{", 1)[0], template.rsplit("{", 1)[1].rstrip("}")
        return self.key(kind, {**self.scope(v), own: last(path)}) if head else f"{KINDS[kind].service}/{path}"

    def key(self, kind: str, v: Values, w: Values | None = None) -> str:
        """The key of an object: its API and its path. Unknown parts stay empty."""
        row, scope = KINDS[kind], self.scope(v)
        if "{#}" in row.key and known(v.get("id")):
            return f"{row.service}/{v['id']}"

        def fill(m: re.Match[str]) -> str:
            mark, field = m[1], m[2]
            if mark == "#":
                if w is not None:
                    w["counter"] += 1
                return str(7000000000000000000 + (w["counter"] if w is not None else 0))
            value = scope.get(field) if field in scope else v.get(field)
            if mark == "?":                      # a condition is a part of the grant: with another it is another
                return "".join(f" {title}" for title in at(v, f"{field}[].title"))
            if not known(value):
                return ""
            if mark == "@":
                return self.target(next(r.kind for r in row.refs if r.path == field), str(value), v).split("/", 1)[1]
            return str(value)
        return f"{row.service}/" + re.sub(r"\{([@#?]?)(\w*)\}", fill, row.key)

    def computed(self, kind: str, v: Values, key: str) -> Values:
        """What the API gives an object by its path, in the form that the provider keeps."""
        path = key.split("/", 1)[1]
        out: Values = {"id": path.replace(" ", "/"), "deletion_policy": "DELETE", "project": self.scope(v)["project"]}
        if kind == ACCOUNT:
            out["id"] = f"projects/{out['project']}/serviceAccounts/{v['account_id']}@{out['project']}.iam.gserviceaccount.com"
        if kind == "google_storage_bucket":
            out["id"] = v["name"]
        if kind == "google_project_service":
            out["id"] = f"{out['project']}/{v['service']}"
        host = {COMPUTE: "www.googleapis.com/compute/v1", GKE: "container.googleapis.com/v1", STORAGE: "www.googleapis.com/storage/v1"}.get(KINDS[kind].service)
        if host:
            out["self_link"] = f"https://{host}/{path}"
        out["name"] = last(out["id"]) if kind == "google_artifact_registry_repository" else out["id"]
        return out

    # -------- judging
    def need(self, w: Values, service: str, project: str | None) -> None:
        on = w["services"].get(project, [])
        if project and self.defaults.get("project") not in (None, project):
            return  # whoever keeps another project has on there what is in it
        if w["start"] != "all" and service not in w["start"] and service not in on:
            raise Refusal(403, f"{service} has not been used in project {project} before or it is disabled. Enable it, wait a few minutes, and retry.", "accessNotConfigured")

    def exists(self, w: Values, key: str) -> bool:
        return key in w["objects"]

    def refs_of(self, kind: str, v: Values) -> Iterator[tuple[Ref, str, str]]:
        for ref in KINDS[kind].refs:
            made_up = MADE_UP + ref.path.rsplit(".", 1)[-1].removesuffix("[]")  # a computed field that nobody set
            for name in at(v, ref.path):
                if isinstance(name, str) and name != made_up and not (ref.kind == ACCOUNT and (name == "default" or "@" in name and not name.endswith(".iam.gserviceaccount.com"))):
                    yield ref, name, self.target(ref.kind, name, v)

    def check_refs(self, w: Values, kind: str, v: Values) -> None:
        for ref, name, target in self.refs_of(kind, v):
            if ref.kind == KEY:
                target = re.sub(r"/cryptoKeyVersions/.*", "", target)
            if self.exists(w, target):
                continue
            if ref.kind == ACCOUNT:
                raise Refusal(400, f'Service account "{name}" does not exist.', "badRequest")
            raise Refusal(404, f"The resource '{target.split('/', 1)[1]}' was not found", "notFound")
        for member in at(v, "member") if KINDS[kind].grant else ():
            self.check_member(w, member)

    def check_member(self, w: Values, member: str) -> None:
        if pool := re.fullmatch(r"serviceAccount:(.+)\.svc\.id\.goog\[.*\]", member):
            if self.defaults.get("project") not in (None, pool[1]):
                return  # the pool came with the cluster that is there
            if not any(o["type"] == CLUSTER and any(True for _ in at(o["values"], "workload_identity_config[].workload_pool")) and f"/projects/{pool[1]}/" in k for k, o in w["objects"].items()):
                raise Refusal(400, f"Identity Pool does not exist ({pool[1]}.svc.id.goog). Please check that you specified a valid resource name as returned in the `name` attribute.", "badRequest")
        elif re.fullmatch(r"serviceAccount:[^@]+@(?!gcp-sa)[^.]+\.iam\.gserviceaccount\.com", member):
            email = member.split(":", 1)[1]
            if not self.exists(w, self.target(ACCOUNT, email, {})):
                raise Refusal(400, f"Service account {email} does not exist.", "badRequest")

    def ranges(self, kind: str, v: Values) -> tuple[str | None, list[str]]:
        """The network of an object and the ranges it takes there."""
        network = next((t for r, _, t in self.refs_of(kind, v) if r.kind == "google_compute_network"), None)
        if kind == ADDRESS:
            length = v.get("prefix_length")
            found = [f"{v['address']}/{int(length)}"] if known(v.get("address")) and known(length) and length and v.get("purpose") == "VPC_PEERING" else []
        else:
            found = [x for p in KINDS[kind].ranges for x in at(v, p)]
        return network, [x for x in found if cidr(x)]

    def check_ranges(self, w: Values, kind: str, v: Values, own: str) -> None:
        network, mine = self.ranges(kind, v)
        taken = [(c, k) for k, o in w["objects"].items() if k != own and o.get("network") == network for c in o.get("ranges", [])]
        for i, c in enumerate(mine):
            for other, k in taken + [(x, own) for x in mine[:i]]:
                if network and overlap(c, other):
                    what = "The given master CIDR" if kind == CLUSTER else "Invalid IPCidrRange:"
                    raise Refusal(400, f"{what} {c} conflicts with {other} of '{k.split('/', 1)[1]}' on network '{last(network)}'", "invalid")

    def check_special(self, w: Values, kind: str, v: Values, own: str) -> None:
        """Rules of single APIs that no table says."""
        if kind == CLUSTER and (subnet := next((o for r, _, t in self.refs_of(kind, v) if r.kind == SUBNET for o in [w["objects"].get(t)] if o), None)):
            have = list(at(subnet["values"], "secondary_ip_range[].range_name"))
            for name in (n for f in ("cluster", "services") for n in at(v, f"ip_allocation_policy[].{f}_secondary_range_name")):
                if name not in have:
                    raise Refusal(400, f'Pod or service secondary range "{name}" does not exist in subnetwork "{subnet["values"].get("name")}" (it has {have})', "badRequest")
        if kind == POOL:
            self.check_apart(w, v, own)
        if kind == CLUSTER:
            check_reserved_alone(v)
        if kind == "google_lustre_instance":
            net, _ = self.ranges(kind, v)
            if not any(o["type"] == "google_service_networking_connection" and o["network"] == net for o in w["objects"].values()):
                raise Refusal(400, f"network '{last(net or '')}' has no private service access connection (servicenetworking.googleapis.com)", "failedPrecondition")

    def check_apart(self, w: Values, v: Values, own: str) -> None:
        """GKE: "Any Pod-networks in a single GKE cluster can't have overlapping CIDR ranges", whichever VPCs they are in."""
        def subnets(values: Values) -> set[str]:
            return {t for r, _, t in self.refs_of(POOL, values) if r.kind == SUBNET}
        cluster = own.rsplit("/nodePools/", 1)[0]
        mine, all_of = subnets(v), subnets(v)
        for k, o in w["objects"].items():
            if k != own and o["type"] == POOL and k.rsplit("/nodePools/", 1)[0] == cluster:
                all_of |= subnets(o["values"])
        for one in sorted(mine):
            for other in sorted(all_of - {one}):
                a, b = (next(at(w["objects"].get(s, {"values": {}})["values"], "ip_cidr_range"), None) for s in (one, other))
                if cidr(a) and cidr(b) and overlap(a, b):
                    raise Refusal(400, f"The range {a} of '{one.split('/', 1)[1]}' overlaps {b} of '{other.split('/', 1)[1]}', which is a network of the same cluster.", "badRequest")

    def of_reservation(self, w: Values, o: Values) -> Iterator[tuple[str, str, int]]:
        """The reservations that an object takes machines of, by their paths, with the machine type and how many: node pools and groups of machines."""
        v, kind = o["values"], o["type"]
        if kind == POOL:
            places = list(at(v, "node_locations[]"))
            cluster = next((w["objects"].get(t) for r, _, t in self.refs_of(kind, v) if r.kind == CLUSTER), None)
            zone = places[0] if places else (cluster or {"values": {}})["values"].get("location")
            names, machines = at(v, "node_config[].reservation_affinity[].values[]"), list(at(v, "node_config[].machine_type"))
            nodes = v.get("node_count") if known(v.get("node_count")) else next(at(v, "autoscaling[].total_min_node_count"), 0)
        elif kind == "google_compute_instance_group_manager":
            template = next((w["objects"].get(t) for r, _, t in self.refs_of(kind, v) if r.kind == "google_compute_instance_template"), None)
            if not template:
                return
            zone, nodes, t = v.get("zone"), v.get("target_size"), template["values"]
            names, machines = at(t, "reservation_affinity[].specific_reservation[].values[]"), list(at(t, "machine_type"))
        else:
            return
        for name in names:
            # its name, or its path, with a block of it behind: `made/reservationBlocks/first`
            whole = as_path(name) if str(name).startswith(("http", "projects/")) else f"reservations/{name}"
            project = whole.split("/")[1] if whole.startswith("projects/") else self.scope(v)["project"]
            of = whole.split("reservations/", 1)[-1].split("/")[0]
            yield f"{COMPUTE}/projects/{project}/zones/{zone}/reservations/{of}", (machines or [""])[0], int(nodes or 0)

    def check_reserved(self, w: Values, own: str, o: Values) -> None:
        """Whether reservations that are here have the machines that an object takes, and enough of them. Those of others are not known."""
        if o["type"] == "google_compute_reservation":
            taken = sum(n for other in w["objects"].values() for p, _, n in self.of_reservation(w, other) if p == own)
            count = int(next(at(o["values"], "specific_reservation[].count"), 0))
            if taken > count:
                raise Refusal(400, f"The count of '{last(own)}' cannot be {count}: {taken} of its machines are in use.", "invalid")
        for path, machine, nodes in self.of_reservation(w, o):
            held = w["objects"].get(path)
            if not held:
                continue
            kept = next(at(held["values"], "specific_reservation[].instance_properties[].machine_type"), "")
            if machine != kept:
                raise Refusal(400, f"The instance of type {machine} does not have any matching reservation: '{last(path)}' holds {kept}.", "invalid")
            count = int(next(at(held["values"], "specific_reservation[].count"), 0))
            others = sum(n for k, other in w["objects"].items() if k != own for p, _, n in self.of_reservation(w, other) if p == path)
            if others + nodes > count:
                raise Refusal(400, f"No available resources in specified reservations: '{last(path)}' has {count} machines, {others} are taken, and {nodes} are asked for.", "resourceExhausted")

    def check_unused(self, w: Values, kind: str, key: str) -> None:
        for k, o in w["objects"].items():
            if any(t == key and policy == REFUSE for t, policy in o["refs"]):
                raise Refusal(400, f"The {noun(kind)} resource '{key.split('/', 1)[1]}' is already being used by '{k.split('/', 1)[1]}'", "resourceInUseByAnotherResource")
            if kind == "google_service_networking_connection" and o["type"] == "google_lustre_instance" and o["network"] == w["objects"][key]["network"]:
                raise Refusal(400, "Failed to delete connection; Producer services (e.g. CloudSQL, Cloud Memstore, etc.) are still using this connection.", "failedPrecondition")

    # -------- doing
    @contextlib.contextmanager
    def judged(self, verb: str, kind: str, v: Values) -> Iterator[Values]:
        with self.locked() as w:
            try:
                yield w
            except Refusal as e:
                self.event(w, "refused", kind, v, f"{verb}: {e}", create=verb == "creating")
                raise

    def put(self, w: Values, kind: str, key: str, v: Values) -> None:
        network, ranges = self.ranges(kind, v)
        refs = [[t, r.on_delete] for r, _, t in self.refs_of(kind, v)]
        if KINDS[kind].grant:                    # a grant goes when the account it is for goes
            refs += [[self.target(ACCOUNT, m.split(":", 1)[1], {}), CASCADE] for m in at(v, "member") if re.fullmatch(r"serviceAccount:[^\[]+\.iam\.gserviceaccount\.com", m)]
        w["objects"][key] = {"type": kind, "root": self.root, "network": network, "ranges": ranges, "refs": refs, "values": v}

    def create(self, kind: str, v: Values, finish: Callable[[Values], Values]) -> Values:
        """Makes an object and returns its state; `finish` fills in what only the schema knows."""
        if kind not in KINDS:
            state = finish(v)
            with self.locked() as w:
                self.event(w, "create", kind, state, create=True)
            return state
        row, project = KINDS[kind], self.scope(v)["project"]
        with self.judged("creating", kind, v) as w:
            self.need(w, row.service, project)
            if v.get("name_prefix") and not known(v.get("name")):   # the provider puts the time and a number behind it
                w["counter"] += 1
                v = {**v, "name": f"{v['name_prefix']}20261128{w['counter']:018}"}
            key = self.key(kind, v, w)
            if key in w["objects"] and not row.grant and kind != "google_project_service":
                raise self.taken(kind, key, v)
            if row.grant and (giver := w["objects"].get(key, {}).get("root")):   # APIs take it, and whichever of the two goes takes it from the other
                raise Refusal(409, f"The grant '{key.split('/', 1)[1]}' has been given by {giver} already.", "alreadyExists")
            self.check_refs(w, kind, v)
            if kind == ADDRESS and not known(v.get("address")):
                v = {**v, **self.free_address(w, v)}
            self.check_ranges(w, kind, v, key)
            self.check_special(w, kind, v, key)
            self.check_reserved(w, key, {"type": kind, "values": v})
            state = finish({**v, **{k: x for k, x in self.computed(kind, v, key).items() if k in v and not known(v[k])}})
            self.put(w, kind, key, state)
            if kind == "google_project_service":
                w["services"].setdefault(project, []).append(v["service"])
            else:
                self.event(w, "create", kind, state, create=True)
        if kind == "google_project_service":     # the provider enables in a batch, then reads the project for each
            time.sleep(BATCH_WINDOW_S)
            with self.judged("creating", kind, state) as w:
                try:
                    self.need(w, CRM, project)
                except Refusal as e:
                    e.keep_state = True          # its id is set by then: Terraform keeps it, tainted
                    raise Refusal(0, f"Error when reading or editing Project Service {project}/{v['service']}: {e}", e.reason, keep_state=True) from e
                self.event(w, "create", kind, state, create=True)
        return state

    def taken(self, kind: str, key: str, v: Values) -> Refusal:
        if kind == "google_storage_bucket":
            return Refusal(409, "The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.", "conflict")
        if kind == ACCOUNT:
            return Refusal(409, f"Service account {v['account_id']} already exists within project projects/{self.scope(v)['project']}.", "alreadyExists")
        return Refusal(409, f"The resource '{key.split('/', 1)[1]}' already exists", "alreadyExists")

    def free_address(self, w: Values, v: Values) -> Values:
        """An address of the API's choice: a free block of the network, or one from the documentation's range."""
        w["counter"] += 1
        length = int(v["prefix_length"]) if known(v.get("prefix_length")) and v["prefix_length"] else None
        if v.get("purpose") != "VPC_PEERING" or not length:
            return {"address": f"203.0.113.{w['counter'] % 254 + 1}"}
        network, _ = self.ranges(ADDRESS, v)
        taken = [c for o in w["objects"].values() if o.get("network") == network for c in o.get("ranges", [])]
        block = next(b for b in ipaddress.ip_network("10.192.0.0/10").subnets(new_prefix=max(length, 12)) if not any(overlap(str(b), t) for t in taken))
        return {"address": str(block.network_address)}

    def update(self, kind: str, prior: Values, v: Values) -> Values:
        if kind not in KINDS:
            with self.locked() as w:
                self.event(w, "update", kind, v, changed(prior, v))
            return v
        with self.judged("updating", kind, v) as w:
            key, why = self.key(kind, prior), changed(prior, v)
            self.need(w, KINDS[kind].service, self.scope(v)["project"])
            if key not in w["objects"]:
                raise Refusal(404, f"The resource '{key.split('/', 1)[1]}' was not found", "notFound")
            self.check_refs(w, kind, v)
            self.check_ranges(w, kind, v, key)
            if kind == CLUSTER:
                check_reserved_alone(v)
            if kind == SUBNET:
                self.check_secondary(w, key, prior, v)
            self.check_reserved(w, key, {"type": kind, "values": v})
            for path in NEVER_SENT.get(kind, ()):
                block, field = path.split("[].")
                for i, (old, new) in enumerate(zip(prior.get(block) or [], v.get(block) or [])):
                    if old.get(field) != new.get(field):
                        why += f" ({block}.{i}.{field} was never sent: it stays {old.get(field)!r})"
                        v = {**v, block: [{**x, field: y.get(field)} for x, y in zip(v[block], prior[block])]}
            self.put(w, kind, key, v)
            self.event(w, "update", kind, v, why)
        return v

    def check_secondary(self, w: Values, key: str, prior: Values, v: Values) -> None:
        """A secondary range that a cluster lives in can neither change nor go."""
        now = {r.get("range_name"): r.get("ip_cidr_range") for r in v.get("secondary_ip_range") or []}
        for old in prior.get("secondary_ip_range") or []:
            name = old.get("range_name")
            for k, o in w["objects"].items():
                used = [n for f in ("cluster", "services") for n in at(o["values"], f"ip_allocation_policy[].{f}_secondary_range_name")]
                if o["type"] == CLUSTER and name in used and [key, REFUSE] in o["refs"] and now.get(name) != old.get("ip_cidr_range"):
                    raise Refusal(400, f"Secondary range '{name}' of '{key.split('/', 1)[1]}' is already being used by '{k.split('/', 1)[1]}'", "resourceInUseByAnotherResource")

    def delete(self, kind: str, prior: Values) -> None:
        with self.judged("deleting", kind, prior) as w:
            self.check_protection(kind, prior)
            if kind not in KINDS:
                self.event(w, "delete", kind, prior, self.pending(w, str(prior.get("id"))))
                return
            row, key, project = KINDS[kind], self.key(kind, prior), self.scope(prior)["project"]
            if prior.get("deletion_policy") == "ABANDON" or kind == "google_kms_key_ring":
                return self.event(w, "abandon", kind, prior, "stays in the world, leaves the state")
            if kind == "google_project_service":
                if prior.get("disable_on_destroy"):
                    self.need(w, USAGE, project)
                    w["services"][project] = [s for s in w["services"].get(project, []) if s != prior["service"]]
                    w["objects"].pop(key, None)
                return self.event(w, "delete" if prior.get("disable_on_destroy") else "abandon", kind, prior, "" if prior.get("disable_on_destroy") else "the API stays on")
            self.need(w, row.service, project)
            if key not in w["objects"]:
                return self.event(w, "delete", kind, prior, "was gone already")
            if kind == "google_storage_bucket" and prior["name"] in w["not_empty"] and not prior.get("force_destroy"):
                raise Refusal(0, f"Error trying to delete bucket {prior['name']} containing objects without `force_destroy` set to true", "conflict")
            self.check_unused(w, kind, key)
            self.event(w, "delete", kind, prior, self.pending(w, key))
            self.remove(w, key)

    def remove(self, w: Values, key: str) -> None:
        del w["objects"][key]
        for k in [k for k, o in w["objects"].items() if [key, CASCADE] in o["refs"]]:
            if k in w["objects"]:
                gone = w["objects"][k]
                self.event(w, "delete", gone["type"], gone["values"], f"went with '{key.split('/', 1)[1]}'")
                self.remove(w, k)

    def check_protection(self, kind: str, prior: Values) -> None:
        if prior.get("deletion_policy") == "PREVENT":
            raise Refusal(0, f"cannot destroy {kind} without setting deletion_policy=\"DELETE\" and running `terraform apply`", "protected")
        for field, who in PROTECTED_BY.items():
            if prior.get(field) is True:
                if who == "api":
                    raise Refusal(400, f"the instance has deletion protection enabled ({field})", "failedPrecondition")
                name = "cluster" if kind == CLUSTER else kind
                raise Refusal(0, f"Cannot destroy {name} because {field} is set to true. Set it to false to proceed with {name} deletion.", "protected")

    def read(self, kind: str, state: Values) -> Values | None:
        """The state after a refresh: as it was, or None where the object is gone."""
        if kind not in KINDS:
            return state
        with self.judged("reading", kind, state) as w:
            key, project = self.key(kind, state), self.scope(state)["project"]
            w["pending"].pop(key, None)
            self.need(w, KINDS[kind].service, project)
            if kind == "google_project_service":
                self.need(w, CRM, project)
                return state if state["service"] in w["services"].get(project, []) or w["start"] == "all" or state["service"] in w["start"] else None
            return state if key in w["objects"] else None

    def data_source(self, kind: str, cfg: Values) -> Values | None:
        """Values of the object that a data source names; None where the world has no say."""
        if kind == "google_project":
            with self.locked() as w:
                self.need(w, CRM, cfg.get("project_id") or self.defaults.get("project"))
            return None
        if kind not in KINDS:
            return None
        link = next((cfg[f] for f in ("self_link", "id") if known(cfg.get(f)) and "/" in str(cfg[f])), None)
        own = "account_id" if kind == ACCOUNT else KINDS[kind].key.rsplit("{", 1)[1].rstrip("}")
        key = self.target(kind, str(link or cfg.get(own) or ""), cfg) if link or kind == ACCOUNT else self.key(kind, cfg)
        with self.locked() as w:
            self.need(w, KINDS[kind].service, self.scope(cfg)["project"])
            if key not in w["objects"]:
                raise Refusal(404, f"The resource '{key.split('/', 1)[1]}' was not found", "notFound")
            found: Values = w["objects"][key]["values"]
            return found

    # -------- planning: what the provider knows before any API does
    def complete(self, block: Values, planned: Values, cfg: Values) -> None:
        """Fills in project, region, zone and the labels, as the provider's CustomizeDiff does."""
        attrs = block.get("attrs", {})
        for f in ("project", "region", "zone"):
            if f in attrs and not known(planned.get(f)) and cfg.get(f) is None and self.defaults.get(f):
                planned[f] = self.defaults[f]
        for name, switch in EMPTIED_BY.items():
            if cfg.get(switch) is True and not cfg.get(name):
                planned[name] = []
        if "terraform_labels" in attrs:
            own = cfg.get("resource_labels" if "resource_labels" in attrs else "labels") or {}
            if isinstance(own, dict) and all(known(x) for x in own.values()):
                planned["terraform_labels"] = planned["effective_labels"] = {**self.labels, **own}

    def replaced_by(self, kind: str, block: Values, prior: Values, planned: Values) -> list[list[str | int]]:
        """Paths that force a replacement, as SDKv2 finds them: ForceNew of a block counts its elements, not its fields."""
        paths = list(forced(block, prior, planned, []))
        for (k, field), test in SOMETIMES_NEW.items():
            if k == kind and known(prior.get(field)) and known(planned.get(field)) and prior[field] != planned[field] and test(prior[field], planned[field]):
                paths.append([field])
        if kind in KINDS and "{#}" not in KINDS[kind].key and not paths:
            # another name, place or project is another thing, whatever the schema says of the field
            named = [field for field in re.findall(r"\{[@#]?(\w+)\}", KINDS[kind].key) if known(prior.get(field)) and known(planned.get(field))]
            paths += [[field] for field in named if last(str(prior[field])) != last(str(planned[field]))]
        with self.locked() as w:
            key = self.key(kind, prior) if kind in KINDS else str(prior.get("id"))
            if paths:
                w["pending"][key] = ", ".join(".".join(map(str, p)) for p in paths)
            else:
                w["pending"].pop(key, None)
        return paths

    @staticmethod
    def pending(w: Values, key: str) -> str:
        why = w["pending"].pop(key, "")
        return f"replaced: {why}" if why else ""


def changed(prior: Values, v: Values) -> str:
    return ", ".join(k for k in v if prior.get(k) != v.get(k) and k not in ("terraform_labels", "effective_labels"))


def forced(block: Values, prior: Values, planned: Values, path: list[str | int]) -> Iterator[list[str | int]]:
    for name, a in block.get("attrs", {}).items():
        new = planned.get(name)
        if a.get("new") and prior.get(name) != new:  # one that is not known yet counts as another
            yield path + [name]
    for name, n in block.get("blocks", {}).items():
        old, new = prior.get(name) or [], planned.get(name)
        if not isinstance(new, list) or not isinstance(old, list) or old == new:
            continue
        if n["n"] == "list" and len(old) == len(new):
            for i, (x, y) in enumerate(zip(old, new)):
                if isinstance(x, dict) and isinstance(y, dict):
                    yield from forced(n["block"], x, y, path + [name, i])
        elif n.get("new") or n["n"] == "set" and any(a.get("new") for a in n["block"].get("attrs", {}).values()):
            yield path + [name]
