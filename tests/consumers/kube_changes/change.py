# SPDX-License-Identifier: Apache-2.0
"""One change of a blueprint over objects that a control plane has, beside what `slipform plan` says of it.

A row of changes.toml has `before` and `after`, each a blueprint beside the table and options of `slipform build`. What has to come of it:
  refuses   objects (`Kind namespace/name`) that the API server refuses to change; without its line it refuses none
  leaves    objects that the second build has no more, which stay where they are until somebody deletes them
  makes     objects that were not there
  changes   objects that are changed in place
A name may end in `*`. Whatever a row does not name must be as it was. For every object, what the API server answers must be what
`slipform plan` said: refused is `by-hand`, accepted anything milder, and what a build has no more is `by-hand` too. What mounts a claim
that its commands delete has to be named: the API server keeps a claim as long as pods have it. Then those runs are ended, and the commands
followed, in the output folder: they have to bring what was refused, and take away what stays. Last come those that start the runs again.
"""
import fnmatch
import json
import re
import shlex
import shutil
import subprocess
import threading
import time
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml

import readme
import standins
import terminal

HERE = Path(__file__).resolve().parent
VERSION = "app.kubernetes.io/version"  # of the files: another one with every change
# Objects that their definitions let be changed, and only a webhook or a controller does not: whose, and what it stands on. Where that
# runs here it answers; elsewhere these are listed apart, and `slipform plan` may say that they cannot be changed.
BY_WEBHOOK = {
    "JobSet": ("jobset", "its definition fixes policies and the network; that replicated jobs stay as they are is said by JobSet's webhook"),
    "GKENetworkParamSet": ("gke", "GKE's controller of networks refuses other networks while nodes are on them; no registry gives it"),
    "Network": ("gke", "GKE's webhook of networks; no registry gives it"),
    "CheckpointConfiguration": ("gke", "its definition is the add-on's own, and what changes with it is its controller's; no registry gives them"),
}
BEGINS = 8.0  # seconds that Kueue may take to let runs begin
MILD = ("restart", "in-place", "next-start", "add", "nothing")  # effects of `slipform plan` that the API server lets happen
CLAIM = re.compile(r"kubectl delete persistentvolumeclaim (\S+) --namespace=(\S+)")
NAMED = ("refuses", "leaves", "makes", "changes")


@dataclass
class Row:
    name: str
    before: str
    after: str
    refuses: list = field(default_factory=list)
    leaves: list = field(default_factory=list)
    makes: list = field(default_factory=list)
    changes: list = field(default_factory=list)


def read(path: Path) -> list:
    return [Row(**row) for row in tomllib.loads(path.read_text())["change"]]


class Wrong(Exception):
    """The change cannot be tried."""


@dataclass
class Rendered:
    """An object as its kustomization gives it."""

    root: str
    command: str  # of the README, that applies it
    value: dict

    @property
    def name(self) -> str:
        meta = self.value["metadata"]
        return f"{self.value['kind']} " + "/".join(filter(None, (meta.get("namespace"), meta["name"])))

    @property
    def said(self) -> dict:
        """What it says, but for the version of its files."""
        value = json.loads(json.dumps(self.value))
        value["metadata"].get("labels", {}).pop(VERSION, None)
        return value

    @property
    def words(self) -> list:
        """How kubectl is asked for it."""
        meta = self.value["metadata"]
        group = self.value["apiVersion"].rpartition("/")[0]
        kind = self.value["kind"] + (f".{self.value['apiVersion'].rpartition('/')[2]}.{group}" if group else "")
        return [kind, meta["name"], *(["--namespace", meta["namespace"]] if "namespace" in meta else [])]


def claims(value: dict | list) -> set:
    """The claims that the pods of an object mount."""
    if isinstance(value, list):
        return set().union(*map(claims, value))
    if not isinstance(value, dict):
        return set()
    own = value.get("persistentVolumeClaim")
    found = {own["claimName"]} if isinstance(own, dict) and "claimName" in own else set()
    return found.union(*map(claims, value.values()))


class Trial:
    def __init__(self, plane, slipform: Path, folder: Path, row: Row):
        self.plane, self.cluster, self.slipform, self.folder, self.row = plane, plane.cluster, slipform, folder, row
        self.answers, self.apart, self.faults, self.followed, self.idle, self.drained = {}, [], [], 0, set(), set()

    def run(self) -> list:
        """What is wrong, a line each."""
        try:
            self.tried()
        except Wrong as why:
            self.faults.append(str(why))
        return self.faults

    def summary(self) -> str:
        counts = {answer: list(self.answers.values()).count(answer) for answer in ("refused", "stays", "changed", "made")}
        told = ", ".join(f"{count} {answer}" for answer, count in counts.items() if count) or "nothing changes"
        return told + (f", {self.followed} commands followed" if self.followed else "") + (f"; a webhook's word: {', '.join(self.apart)}" if self.apart else "")

    def fault(self, text: str):
        self.faults.append(" ".join(text.split()))

    def tried(self):
        out = self.folder / "out"
        self.build(self.row.before, out)
        self.terminal = terminal.Terminal(out, self.cluster)
        for step in self.follow(out, self.commands(out)):
            if step.status:
                raise Wrong(f"`before` is refused: `{step.command}`: {' | '.join(step.errors[-3:])}")
        old = self.objects(out)
        before = self.folder / "before"
        shutil.copytree(out, before)
        told = self.foretold(before)
        self.build(self.row.after, out)
        self.settle()
        self.idle = self.waiting()
        self.fill(out)
        new = self.objects(out)
        refused = self.ask(old, new)
        touched = {new[key].command for key in self.answers if key in new}
        steps = self.follow(out, [line for line in self.commands(out) if line in touched])
        fails = any(step.status for step in steps)
        begins = fails and self.idle  # what waited alone may begin with what the README applies first, and is refused then
        if bool(refused) != fails and not begins:
            errors = " | ".join(error for step in steps for error in step.errors[-2:])
            self.fault(f"asked alone the API server refuses {sorted(refused) or 'nothing'}, and the README {'fails: ' + errors if errors else 'runs through'}")
        self.check_row()
        self.check_told(told, old, new, refused)
        self.drain(told, old)
        self.follow_commands(told, old, new)

    def build(self, line: str, out: Path):
        path, *options = shlex.split(line)
        done = subprocess.run([self.slipform, "build", HERE / path, *options, "--out", out], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Wrong(f"`{line}` does not build: {done.stderr}")

    def foretold(self, before: Path) -> dict:
        """(root, thing) -> what `slipform plan` says of it."""
        path, *options = shlex.split(self.row.after)
        command = [self.slipform, "plan", HERE / path, *options, "--against", before, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 3):
            raise Wrong(f"`slipform plan` ends with {done.returncode}: {done.stderr}")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return {(line["root"], line["thing"]): line for line in lines}

    def commands(self, out: Path) -> list:
        return [line for said in readme.commands(out / "README.md").values() for line in said.forth]

    def fill(self, out: Path):
        """What Terraform knows, put where the second build asks for it: its kustomizations cannot be read before."""
        for script in out.glob("*/fill-deferred.sh"):
            self.terminal.run(str(script.relative_to(out)))

    def follow(self, out: Path, commands: list) -> list:
        """Commands of the README. What differs nowhere is not applied again: of a run that began, the API refuses its very own file, since
        Kueue has put into it where its pods go."""
        standins.secrets(self.cluster, out, commands)
        return [self.terminal.run(line) for line in commands]

    def settle(self):
        """Runs that Kueue lets begin have begun: then more of them is fixed."""
        deadline = time.monotonic() + BEGINS
        while self.has("kueue") and self.has("jobset") and time.monotonic() < deadline:
            if not self.waiting():
                break
            time.sleep(0.3)

    def waiting(self) -> set:
        """Runs that Kueue has not let begin, for want of nodes above all: most of them may still be changed."""
        runs = self.cluster.items("/apis/jobset.x-k8s.io/v1alpha2/jobsets")
        return {f"JobSet {run['metadata']['namespace']}/{run['metadata']['name']}" for run in runs if run["spec"].get("suspend")}

    def runs(self) -> dict:
        """Each run by its name, with what tells it from one that was made anew."""
        runs = self.cluster.items("/apis/jobset.x-k8s.io/v1alpha2/jobsets")
        return {f"JobSet {run['metadata']['namespace']}/{run['metadata']['name']}": run["metadata"]["uid"] for run in runs}

    @contextmanager
    def kubelet(self):
        """Ends pods that are to end, as the kubelets would that no node here has."""
        over = threading.Event()

        def end():
            while not over.wait(0.5):
                for pod in self.cluster.items("/api/v1/pods"):
                    if pod["metadata"].get("deletionTimestamp"):
                        place = (pod["metadata"]["name"], "--namespace", pod["metadata"]["namespace"])
                        self.cluster.kubectl("delete", "pod", *place, "--force", "--grace-period=0", "--wait=false")

        thread = threading.Thread(target=end)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def has(self, manager: str) -> bool:
        return any(running.name == manager for running in self.plane.managers)

    def objects(self, out: Path) -> dict:
        """(root, name) -> each object that the README applies."""
        found = {}
        for line in self.commands(out):
            for folder in readme.applied_folders(out, line):
                built = self.cluster.kubectl("kustomize", str(folder))
                if built.returncode:
                    raise Wrong(f"`kubectl kustomize {folder.relative_to(out)}`: {built.stderr}")
                place = folder.relative_to(out).parts
                root = "/".join(place[:2] if place[0].endswith("workloads") else place[:1])
                for value in filter(None, yaml.safe_load_all(built.stdout)):
                    rendered = Rendered(root, line, value)
                    found[root, rendered.name] = rendered
        return found

    def ask(self, old: dict, new: dict) -> dict:
        """Objects that the API server refuses, and why: each is offered alone, and nothing comes of it yet."""
        refused = {}
        for key, thing in new.items():
            if key in old and old[key].said == thing.said:
                continue
            self.answers[key] = "changed" if key in old else "made"
            if key not in old and not self.exists("Namespace", thing.value["metadata"].get("namespace")):
                continue  # its namespace is made together with it
            answer = self.offer(thing)
            if answer.returncode and key in old:
                self.answers[key], refused[key] = "refused", answer.stderr
            elif answer.returncode:
                self.fault(f"{thing.name} cannot be made: {answer.stderr}")
        for key, thing in old.items():
            if key not in new:
                self.answers[key] = "stays"
        return refused

    def offer(self, thing: Rendered):
        """As the command of its README applies it."""
        server_side = [] if thing.command.startswith("kubectl apply -k") else ["--server-side"]
        return self.cluster.kubectl("apply", *server_side, "--dry-run=server", "-f", "-", input=json.dumps(thing.value))

    def exists(self, kind: str, name: str | None) -> bool:
        return not name or not self.cluster.kubectl("get", kind, name).returncode

    def check_row(self):
        """What the table says, and nothing else."""
        apart = {name for _, name in self.unanswered()}
        for word, answer in dict(zip(NAMED, ("refused", "stays", "made", "changed"))).items():
            named, found = getattr(self.row, word), {name for (_, name), said in self.answers.items() if said == answer}
            if answer == "refused":
                named = [name for name in named if name not in apart]
            if answer == "changed":
                found -= apart & set(self.row.refuses)
            if missing := [name for name in named if not fnmatch.filter(found, name)]:
                self.fault(f"not {answer}: {', '.join(missing)}")
            if more := sorted(name for name in found if not any(fnmatch.fnmatch(name, pattern) for pattern in named)):
                self.fault(f"{answer}, and the row does not say so: {', '.join(more)}")

    def unanswered(self) -> list:
        """Changed objects of which only a webhook that does not run here knows more, and runs that it lets be changed until they begin."""
        kinds = [kind for kind, (manager, _) in BY_WEBHOOK.items() if not self.has(manager)]
        return [key for key, answer in self.answers.items()
                if answer == "changed" and (key[1].split()[0] in kinds or key[1] in self.idle)]

    def check_told(self, told: dict, old: dict, new: dict, refused: dict):
        apart = self.unanswered()
        for key, answer in self.answers.items():
            effect = self.effect(told, key, answer)
            if key in apart:
                self.apart.append(key[1])
                answer = "refused" if key[1] in self.row.refuses else answer
            if effect is None:
                self.fault(f"{key[1]} is {answer}, and `slipform plan` does not name it")
            elif answer in ("refused", "stays") and effect != "by-hand":
                self.fault(f"{key[1]} {'is refused' if answer == 'refused' else 'stays'}, and `slipform plan` says {effect}: {refused.get(key, '')}")
            elif answer in ("changed", "made") and effect not in MILD:
                self.fault(f"{key[1]} is {answer}, and `slipform plan` says {effect}: {told.get(key, {}).get('why')}")
            if answer == "stays" and self.cluster.kubectl("get", *old[key].words).returncode:
                self.fault(f"{key[1]} is gone")
        for line in told.values():
            if line["effect"] == "may-replace":
                self.fault(f"`slipform plan` does not know what {', '.join(it['path'] for it in line['details'][:2])} of {line['thing']} does")
        for key, line in told.items():
            if key in old and key in new and key not in self.answers and line["effect"] not in ("nothing",):
                self.fault(f"{key[1]} is as it was, and `slipform plan` says {line['effect']}")

    def effect(self, told: dict, key: tuple, answer: str) -> str | None:
        """What was said of an object: by its own name, of the kustomization that gives it, or of its folder as a whole."""
        root, name = key
        if key in told:
            return told[key]["effect"]
        around = [line["effect"] for (place, _), line in told.items() if place == root and line["file"].endswith("kustomization.yaml")]
        whole = [line["effect"] for line in told.values() if line["file"] == f"{root}/"]
        return next(iter(whole if answer == "stays" else around), None)

    def drain(self, told: dict, old: dict):
        """Runs that mount a claim which commands delete are named beside them, and end before."""
        runs = [thing for (_, name), thing in old.items() if name.startswith("JobSet ")]
        for line in told.values():
            for claim, namespace in [found.groups() for command in line["commands"] if (found := CLAIM.match(command))]:
                for run in runs:
                    if run.value["metadata"]["namespace"] != namespace or claim not in claims(run.value):
                        continue
                    if run.value["metadata"]["name"] not in line["ends"] + line["users"]:
                        self.fault(f"{run.name} mounts {claim}, whose claim is deleted, and `slipform plan` does not say that it ends before")
                    with self.kubelet():
                        self.cluster.kubectl("delete", *run.words, "--ignore-not-found", "--timeout=30s")
                    self.drained.add(run.name)

    def start_again(self, told: dict):
        """What was ended comes back by the commands that are given for it, which a change of its own may have."""
        for command in dict.fromkeys(command for line in told.values() for command in line["start_again"]):
            with self.kubelet():
                done = self.terminal.run(f"timeout 40 bash -c {shlex.quote(command)}")
            self.followed += 1
            if done.status:
                self.fault(f"`{command}` ends with {done.status}: {' | '.join(done.errors[-2:])}")
        if missing := sorted(self.drained - set(self.runs())):
            self.fault(f"{', '.join(missing)} ended for a claim, and no command of `slipform plan` starts it again")

    def follow_commands(self, told: dict, old: dict, new: dict):
        """The commands of `slipform plan` bring what the API server refused, and take away what is no longer asked for."""
        commands = list(dict.fromkeys(command for line in told.values() for command in line["commands"] if "kubectl" in command or command.endswith("/install.sh")))
        began = self.runs()
        for command in commands:
            with self.kubelet():
                done = self.terminal.run(f"timeout 40 bash -c {shlex.quote(command)}")
            self.followed += 1
            if done.status:
                self.fault(f"`{command}` ends with {done.status}: {' | '.join(done.errors[-2:])}")
        self.start_again(told)
        if not commands:
            return
        for key, thing in new.items():
            if key not in self.answers:
                continue
            answer = self.offer(thing)
            if answer.returncode and began.get(thing.name) not in (None, self.runs().get(thing.name)):
                continue  # it has been made anew, and has begun: then its very own file is refused
            if answer.returncode:
                self.fault(f"{thing.name} is refused still, after the commands of `slipform plan`: {answer.stderr}")
            elif self.answers.get(key) == "refused" and self.cluster.kubectl("get", *thing.words).returncode:
                self.fault(f"{thing.name} is gone, after the commands of `slipform plan`")
        for key, thing in old.items():
            # what others have in a namespace is theirs, so no command deletes it
            if key not in new and thing.value["kind"] != "Namespace" and not self.cluster.kubectl("get", *thing.words).returncode:
                self.fault(f"{thing.name} is there still, after the commands of `slipform plan`")
