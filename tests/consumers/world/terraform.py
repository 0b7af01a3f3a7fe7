# SPDX-License-Identifier: Apache-2.0
"""The real `terraform` at work in one world: rendered roots, copied, planned, applied over what is there, and destroyed."""
from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import kinds
from provider import Schema, serve
from roots import Root
from world import NOBODY, World, at

VERBS = {
    ("create",): "create", ("update",): "update", ("delete",): "destroy", ("delete", "create"): "replace", ("create", "delete"): "replace",
    ("forget",): "release",
}
PROTECTION = re.compile(r"\b(deletion_protection|deletion_protection_enabled|prevent_destroy)(\s*=\s*)true\b")
# What goes with all it holds, and nobody has it elsewhere: images can be built again, and a bucket goes only when it is empty.
HOLDS_DATA = {"google_" + kind for kind in ("filestore_instance", "lustre_instance", "parallelstore_instance", "compute_disk", "secret_manager_secret")}
LOCAL_STATE = 'terraform {\n  backend "local" {}\n}\n'


@dataclass
class Change:
    """What a plan does to one resource."""

    verb: str
    address: str
    kind: str
    why: str


@dataclass
class Plan:
    changes: list[Change]
    errors: list[str]  # why there is no plan; a plan is empty then

    @property
    def clean(self) -> bool:
        return not self.changes and not self.errors

    def told(self) -> str:
        """Every change, those of one block with one reason on one line."""
        groups: dict[tuple, list[str]] = {}
        for change in self.changes:
            groups.setdefault((change.verb, change.address.split("[")[0], change.why), []).append(change.address)
        lines = [f"{verb} {addresses[0] if len(addresses) == 1 else f'{base}[{len(addresses)}]'}" + (f" ({why})" if why else "")
                 for (verb, base, why), addresses in groups.items()]
        return "; ".join(self.errors + lines) or "no changes"


@dataclass
class Output:
    """A copy of one rendered output, with the states of its roots."""

    source: Path
    work: Path
    roots: list[str] = field(default_factory=list)  # in the order in which the README applies them
    reverse: list[str] = field(default_factory=list)  # and destroys them


def order(out: Path) -> tuple[list[str], list[str]]:
    """The roots in the order of the README; one that it forgets is an error of the README."""
    readme = out / "README.md"
    text = readme.read_text() if readme.exists() else ""
    there = sorted({path.parent.name for path in out.glob("*/*.tf")})

    def said(verb: str) -> list[str]:
        return list(dict.fromkeys(name for name in re.findall(rf"terraform -chdir=(\S+) {verb}\b", text) if name in there))
    return said("apply"), said("destroy")


def errors(text: str) -> list[str]:
    found = re.findall(r"Error: (.*?)(?=\n\s*│?\s*\n\s*│?\s*\n|\n╵|\Z)", text.replace("│ ", ""), re.DOTALL)
    return list(dict.fromkeys(re.sub(r" with \S+, on \S+ line .*", "", " ".join(entry.split()))[:500] for entry in found)) or [text.strip()[-300:]]


def secrets_read(root: Path) -> set[str]:
    """The secrets that somebody is let read, which no root looks up."""
    block = re.compile(rf'resource "{kinds.SECRET}_iam_member".*?toset\(\[(.*?)\]\)', re.DOTALL)
    return {name for file in root.glob("*.tf") for names in block.findall(file.read_text()) for name in re.findall(r'"([^"]+)"', names)}


class Terraform:
    """One world, and Terraform in it."""

    def __init__(self, folder: Path, schemas: list[Schema]):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.log, self.world = folder / "log", World()
        self.sockets = Path(tempfile.mkdtemp(prefix="world-"))  # a socket's path is short
        served = {schema.source: serve(schema, self.world, self.sockets / str(number)) for number, schema in enumerate(schemas)}
        self.servers = [server for server, _ in served.values()]
        (folder / "terraform.rc").write_text("disable_checkpoint = true\n")
        self.environment = {
            **os.environ, "TF_CLI_CONFIG_FILE": str(folder / "terraform.rc"),
            "TF_REATTACH_PROVIDERS": json.dumps({source: found for source, (_, found) in served.items()}),
            "TF_IN_AUTOMATION": "1"}

    def close(self) -> None:
        for server in self.servers:
            server.stop(0)
        shutil.rmtree(self.sockets, ignore_errors=True)
        (self.folder / "world.json").write_text(json.dumps(self.world.state, indent=1, default=str))

    def run(self, root: Path, *words: str) -> subprocess.CompletedProcess:
        self.world.enter(str(root))
        done = subprocess.run([os.environ.get("TERRAFORM", "terraform"), f"-chdir={root}", *words], env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        with self.log.open("a") as log:
            log.write(f"\n$ terraform -chdir={root} {' '.join(words)}   (exit {done.returncode})\n{'' if words[0] == 'show' else done.stdout}")
        return done

    def copy(self, source: Path, name: str) -> Output:
        """The roots of an output in a folder of their own, over the states of a former one where there are any."""
        out = Output(source, self.folder / name, *order(source))
        for root in sorted({path.parent.name for path in source.glob("*/*.tf")}):
            to = out.work / root
            to.mkdir(parents=True, exist_ok=True)
            for old in [*to.glob("*.tf"), *to.glob("*.tfvars")]:
                old.unlink()
            shutil.copytree(source / root, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*"))
            (to / "state_override.tf").write_text(LOCAL_STATE)
        return out

    def provide(self, outs: list[Path]) -> list[str]:
        """Puts into the world what the roots look up and none of them makes: it was there before them, as a company's network is."""
        folders = [folder for out in outs for folder in sorted({path.parent for path in out.glob("*/*.tf")})]
        roots = [Root(folder) for folder in folders]
        made = {(kind, name_of(values)) for root in roots for kind, values in root.made()}
        found = []
        for folder, root in zip(folders, roots):
            provider = {"project": root.variables.get("project_id"), "region": root.variables.get("region"), "zone": root.variables.get("zone")}
            network = next((values.get("name") for kind, values in root.read() if kind == "google_compute_network"), "owners")
            for kind, values in root.read():
                if kind in kinds.KINDS and (kind, name_of(values)) not in made:
                    values = {name: value for name, value in {**provider, **values}.items() if value is not None}
                    if kind == kinds.SUBNET:
                        values |= {**SUBNET, "network": network}
                    self.world.add(kind, values)
                    found.append(f"{kind.removeprefix('google_')} {name_of(values)}")
            # secrets are given to read by their names alone
            for name in sorted(secrets_read(folder) - {name for kind, name in made if kind == kinds.SECRET}):
                self.world.add(kinds.SECRET, {**provider, "secret_id": name})
                found.append(f"{kinds.SECRET.removeprefix('google_')} {name}")
                made.add((kinds.SECRET, name))
            # a pool names a policy of another, and no root looks it up
            for name in {name for kind, values in root.made() if kind == kinds.POOL for name in at(values, "placement_policy[].policy_name")}:
                if name and (kinds.POLICY, name) not in made:
                    self.world.add(kinds.POLICY, {**provider, "name": name})
                    found.append(f"{kinds.POLICY.removeprefix('google_')} {name}")
                    made.add((kinds.POLICY, name))
            # rights are given on repositories of other projects, which no root looks up
            for values in [values for kind, values in root.made() if kind == kinds.ON_REPOSITORY and values.get("project")]:
                of = {name: values.get(name) for name in ("project", "location")}
                if not any("${" in str(it) for it in (values["repository"], *of.values())) and (kinds.REPOSITORY, values["repository"]) not in made:
                    self.world.add(kinds.REPOSITORY, {**provider, **of, "repository_id": values["repository"], "format": "DOCKER"})
                    found.append(f"{kinds.REPOSITORY.removeprefix('google_')} {values['repository']}")
                    made.add((kinds.REPOSITORY, values["repository"]))
        return list(dict.fromkeys(found))

    # -------- steps
    def init(self, root: Path) -> list[str]:
        if (root / ".terraform").exists():
            return []
        done = self.run(root, "init", "-input=false", "-no-color")
        return errors(done.stdout) if done.returncode else []

    def plan(self, root: Path) -> Plan:
        """Plans, and leaves the plan beside the root for `apply` and for the world, which is told no addresses otherwise."""
        done = self.run(root, "plan", "-detailed-exitcode", "-no-color", "-input=false", "-out=p.tfplan")
        if done.returncode != 2:  # no changes, but perhaps errors
            return Plan([], errors(done.stdout) if done.returncode else [])
        shown = self.run(root, "show", "-json", "p.tfplan").stdout
        (root / "plan.json").write_text(shown)
        found = []
        for entry in json.loads(shown).get("resource_changes", []):
            verb = VERBS.get(tuple(entry["change"]["actions"]))
            if entry["mode"] == "managed" and verb:
                found.append(Change(verb, entry["address"], entry["type"], reason(entry, verb)))
        return Plan(found, [])

    def make(self, root: Path) -> tuple[list[str], int]:
        """Applies a root for the first time, in one command: what refused it, and how many resources were made."""
        if refused := self.init(root):
            return refused, 0
        (root / "plan.json").unlink(missing_ok=True)
        done = self.run(root, "apply", "-auto-approve", "-no-color", "-input=false")
        added = re.search(r"Resources: (\d+) added", done.stdout)
        return errors(done.stdout) if done.returncode else [], int(added[1]) if added else 0

    def apply(self, root: Path) -> list[str]:
        """Applies the last plan; what refused it."""
        done = self.run(root, "apply", "-no-color", "-input=false", "p.tfplan")
        return errors(done.stdout) if done.returncode else []

    def destroy(self, root: Path, *options: str) -> tuple[list[str], list[str]]:
        """Destroys a root: what refused it, and the kinds of what was gone all the same."""
        seen = len(self.events())
        done = self.run(root, "destroy", "-auto-approve", "-no-color", "-input=false", *options)
        refused = errors(done.stdout) if done.returncode else []
        return refused, [event["type"] for event in self.events()[seen:] if event["action"] in ("delete", "replace")]

    @staticmethod
    def lift(root: Path) -> bool:
        """Takes protection out of a root's copy; false where it has none."""
        found = False
        for path in [*root.glob("*.tf"), *root.glob("*.tfvars")]:
            text = path.read_text()
            lifted = PROTECTION.sub(r"\1\2false", text)
            if lifted != text:
                path.write_text(lifted)
                found = True
        return found

    # -------- the world
    def events(self) -> list[dict]:
        return list(self.world.state["events"])

    def left(self) -> list[str]:
        """What exists and some root has made; that an API stays on is meant."""
        objects = self.world.state["objects"]
        return [f"{thing['type']} {key}" for key, thing in sorted(objects.items()) if thing["root"] != NOBODY and thing["type"] != "google_project_service"]


# What the owner of a subnet has given it, beyond its name.
SUBNET = {
    "ip_cidr_range": "172.31.0.0/20",
    "secondary_ip_range": [{"range_name": name, "ip_cidr_range": block} for name, block in (("pods", "100.64.0.0/14"), ("services", "100.72.0.0/20"))],
}


def name_of(values: dict) -> str:
    for name in ("name", "account_id", "repository_id", "instance_id", "secret_id", "key_ring"):
        if isinstance(values.get(name), str):
            return values[name].split("@")[0]
    return ""


def by_kind(found: list[str]) -> str:
    return ", ".join(f"{count} {kind.removeprefix('google_')}" for kind, count in Counter(found).items())


def reason(entry: dict, verb: str) -> str:
    paths = [".".join(map(str, path)) for path in entry["change"].get("replace_paths", [])]
    if verb == "update":
        before, after = entry["change"]["before"], entry["change"]["after"]
        return ", ".join(name for name in after if after[name] != before.get(name) and name not in ("terraform_labels", "effective_labels"))
    named = {"replace_by_triggers": "replace_triggered_by", "replace_because_tainted": "tainted", "delete_because_no_resource_config": "not in the configuration"}
    return ", ".join(paths) or named.get(entry.get("action_reason", ""), "")
