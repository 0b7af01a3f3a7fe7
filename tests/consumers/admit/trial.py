# SPDX-License-Identifier: Apache-2.0
"""One rendered cluster, tried: applied as its README says, then run until every workload had its turn."""
import json
import os
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import yaml

import gke
import places
import queues
import readme
import slices
import standins
import terminal
from cluster import Refused
from plane import Plane

JOBSETS = "/apis/jobset.x-k8s.io/v1alpha2"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
MAY_STAY = (
    (JOBSETS, "JobSet"), (KUEUE, "Workload"), ("/apis/batch/v1", "Job"), ("/api/v1", "Pod"), ("/apis/resource.k8s.io/v1", "ResourceClaim"))
QUIET = float(os.environ.get("ADMIT_QUIET", 6))  # seconds without a change that count as settled
SLOW = 10  # looks in a row without a change, where the control plane answers so slowly that these take longer
LONGEST = 40 * QUIET  # of one turn


@dataclass
class Thing:
    """One rendered object and the API server's answer."""

    kind: str
    name: str
    folder: str
    answer: str = "accepted"

    @property
    def refused(self) -> bool:
        return self.answer != "accepted"


@dataclass
class Workload:
    """What became of a JobSet."""

    name: str
    namespace: str
    wanted: int
    queue: str
    placed: Counter = field(default_factory=Counter)  # pods on each pool, when all were placed
    parts: dict = field(default_factory=dict)  # name of a replicated job -> [pods wanted, pods on each pool]
    main: set = field(default_factory=set)  # the replicated jobs that it is about: with their success it is complete
    turn: int = 0
    main_turn: int = 0  # where these were placed, others for ever not
    first: set = field(default_factory=set)  # the replicated jobs whose end others wait for
    gone: set = field(default_factory=set)  # those of them that have ended
    ended: str = ""
    notes: list = field(default_factory=list)  # in the order in which they were first seen

    def note(self, text: str):
        text = " ".join(text.split())
        if text and text not in self.notes:
            self.notes.append(text)


class Trial:
    scripts: set = set()  # that were run twice, by any trial

    def __init__(self, plane: Plane, out: Path, name: str, commands: readme.Commands, pools: list, machines: gke.Machines,
                 before: Path | None = None):
        """`before`: the output that makes the cluster, where `out` does not."""
        self.cluster, self.managers = plane.cluster, plane.managers
        self.out, self.name, self.commands, self.pools, self.machines = out, name, commands, pools, machines
        self.before = before
        self.things, self.steps, self.workloads = [], [], {}
        self.documents = []  # what was applied, as it is rendered
        self.labels = {}  # of every node that there was
        self.since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.findings = []  # (workload, what no API refuses and yet cannot work)

    def run(self):
        for manager in self.managers:
            manager.obey(self.installations())
        for pool in self.pools:
            # nobody but Kueue asks for the nodes of a queued pool
            for node in gke.nodes(pool, self.machines, 0 if pool.queued and self.has("kueue") else None):
                self.cluster.create("/api/v1/nodes", node)
        self.standins = [
            standins.Storage(self.cluster), standins.Capacity(self.cluster, self.pools, self.machines),
            standins.Devices(self.cluster, self.pools), slices.Controllers(self.cluster),
        ]
        if not self.has("jobset"):
            self.standins.append(standins.Jobs(self.cluster, not self.has("kueue")))
        if self.before:
            self.terminal = terminal.Terminal(self.before, self.cluster)
            for line in readme.commands(self.before / "README.md")[self.name].forth:
                if line.endswith("install.sh"):
                    self.follow(line)
        self.given = standins.namespaces(self.cluster, self.out) + standins.secrets(self.cluster, self.out, self.commands.forth)
        self.terminal = terminal.Terminal(self.out, self.cluster)
        self.apply()
        self.take_turns()
        self.findings += places.check(self)
        self.daemons = self.cluster.items("/apis/apps/v1/daemonsets")
        self.tear_down()

    def in_order(self) -> bool:
        return not self.faults()

    def faults(self) -> list:
        """Everything that is wrong, a line each."""
        found = [f"{thing.kind} {thing.name} of {thing.folder} is refused: {thing.answer}" for thing in self.things if thing.refused]
        found += [f"`{step.command}` ends with {step.status}: {' | '.join(step.errors[-4:])}" for step in self.steps if step.status]
        found += dict.fromkeys(warning for step in self.steps for warning in step.warnings)
        for load in self.workloads.values():
            if not load.turn:
                what = "its side jobs never get" if load.main_turn else "it never gets"
                found.append(f"workload {load.name}: {what} a place: {' | '.join(load.notes)}")
            elif load.ended not in ("Completed", "-"):
                found.append(f"workload {load.name}: all its processes ended well, and it is {load.ended or 'not over'}")
        found += [f"workload {load.name}: {text}" for load, text in self.findings]
        found += [line for standin in self.standins for line in standin.made if "REFUSED" in line or "Failed" in line]
        for daemons in self.daemons:
            wanted, there = (daemons["status"].get(f"{kind}NumberScheduled", 0) for kind in ("desired", "current"))
            if there < wanted:
                found.append(f"DaemonSet {daemons['metadata']['name']} is on {there} of {wanted} nodes")
        return found

    def labels_of(self, pool) -> dict:
        """What GKE says of its nodes, less what differs from node to node."""
        found = gke.labels(pool, self.machines.shape(pool), "", 0)
        return {name: value for name, value in found.items() if value and name.startswith("cloud.google.com/") and "gce-topology" not in name}

    def allocatable(self, pool) -> dict:
        return {name: amount for name, amount in gke.allocatable(pool, self.machines.shape(pool), self.machines).items() if amount != "0"}

    def has(self, manager: str) -> bool:
        return any(running.name == manager for running in self.managers)

    def untried(self) -> list:
        """What of the output nobody here did, since Kueue's own manager does not run."""
        return [] if self.has("kueue") else queues.needs_kueue(self.documents)

    # --- applying

    def installations(self) -> list:
        """The folders that install what the cluster has, those of the output that makes it first."""
        makers = [(self.before, readme.commands(self.before / "README.md")[self.name])] if self.before else []
        return [out / Path(line.split()[-1]).parent for out, commands in [*makers, (self.out, self.commands)]
                for line in commands.forth if line.endswith("install.sh")]

    def apply(self):
        for line in self.commands.forth:
            step = self.follow(line)
            if line.endswith("install.sh") and not step.status and self.fresh(self.out / line):
                self.follow(line)  # running it again changes nothing
            for folder in readme.applied_folders(self.out, line):
                self.things += self.answers(folder, step)
            for standin in self.standins:
                standin.step()

    def fresh(self, script: Path) -> bool:
        """Whether this is a script that no trial on this machine has run yet."""
        text = script.read_text()
        known = text in self.scripts
        self.scripts.add(text)
        return not known

    def follow(self, line: str) -> terminal.Step:
        step = self.terminal.run(line)
        self.steps.append(step)
        return step

    def tear_down(self):
        for line in self.commands.back:
            self.follow(line)
        self.skipped = self.terminal.skipped()

    def answers(self, folder: Path, step) -> list:
        """The objects of a kustomization; each is applied once more, alone, where the whole was not accepted."""
        built = self.cluster.kubectl("kustomize", str(folder))
        short = str(folder.relative_to(self.out))
        if built.returncode:
            return [Thing("Kustomization", short, short, built.stderr.strip())]
        found = []
        for document in yaml.safe_load_all(built.stdout):
            if document:
                self.documents.append(document)
                meta = document["metadata"]
                name = "/".join(filter(None, (meta.get("namespace"), meta.get("name") or meta.get("generateName"))))
                thing = Thing(document["kind"], name, short)
                if step.status:
                    alone = self.cluster.kubectl("apply", "--server-side", "-f", "-", input=json.dumps(document))
                    thing.answer = "accepted" if alone.returncode == 0 else " ".join(alone.stderr.split())
                found.append(thing)
        return found

    # --- running

    def take_turns(self):
        """Waits, then lets what was placed in full succeed, so that what waits for room gets it."""
        for turn in range(1, 9):
            self.settle()
            while self.go_on():
                self.settle()
            for load in self.workloads.values():
                self.check_admitted(load)
            waiting = [load for load in self.workloads.values() if not (load.turn or load.main_turn)]
            fresh = [load for load in waiting if sum(load.placed.values()) >= load.wanted]
            for load in fresh:
                load.turn = turn
            if not fresh:
                # side jobs hold nothing open: the processes that matter end without them
                fresh = [load for load in waiting if all(sum(load.parts[name][1].values()) >= load.parts[name][0] for name in load.main)]
                for load in fresh:
                    load.main_turn = turn
                    self.explain(load)
            if not fresh:
                break
            for load in fresh:
                self.finish(load)
        for load in self.workloads.values():
            if not (load.turn or load.main_turn):
                self.explain(load)

    def go_on(self) -> bool:
        """Lets the parts end whose end others wait for, once they have all their places. Where nothing makes others wait, nobody does."""
        moved = False
        for load in self.workloads.values():
            for name in sorted(load.first - load.gone if self.has("jobset") and not (load.turn or load.main_turn) else ()):
                wanted, placed = load.parts[name]
                if sum(placed.values()) >= wanted:
                    load.gone.add(name)
                    moved = True
                    for pod in load.pods:
                        if part_of(pod) == name:
                            self.succeed(pod)
        return moved

    def check_admitted(self, load: Workload):
        """A queue that lets a workload in says that there is room for it."""
        said = {c["type"]: c["status"] for c in (load.admission or {}).get("status", {}).get("conditions", [])}
        if load.turn or load.main_turn or said.get("Admitted") != "True" or sum(load.placed.values()) >= load.wanted:
            return
        flavors = {name for podset in load.admission["status"]["admission"]["podSetAssignments"] for name in podset.get("flavors", {}).values()}
        why = {message for pod in load.pods if (message := unschedulable(pod))}
        self.findings.append((
            load, f"Kueue admitted it to {', '.join(sorted(flavors))}, but {load.wanted - sum(load.placed.values())} of {load.wanted} pods "
            f"find no node: {' | '.join(sorted(why)) or 'they are not created'}"))

    def settle(self):
        started = changed = time.monotonic()
        last = None
        while time.monotonic() - started < LONGEST:
            for standin in self.standins:
                standin.step()
            before = time.monotonic()
            state = self.look()
            now = time.monotonic()
            quiet = max(QUIET, SLOW * (now - before))
            if state != last or any(getattr(standin, "waiting", False) for standin in self.standins):
                last, changed = state, now
            done = all(load.turn or load.main_turn or sum(load.placed.values()) >= load.wanted for load in self.workloads.values())
            if now - changed > (1.0 if done else quiet) and now - started > 2.0:
                return
            time.sleep(0.4)

    def look(self):
        """Takes in the state of every workload; what it returns changes with it."""
        pods, going = defaultdict(list), 0
        for pod in self.cluster.items("/api/v1/pods"):
            meta = pod["metadata"]
            owner = meta.get("labels", {}).get(standins.OWNER)
            if meta.get("deletionTimestamp"):
                going += 1
            elif owner:
                pods[meta["namespace"], owner].append(pod)
        admissions = {}
        for admission in self.cluster.items(f"{KUEUE}/workloads"):
            for owner in admission["metadata"].get("ownerReferences", []):
                admissions[owner["uid"]] = admission
        self.labels.update({node["metadata"]["name"]: node["metadata"]["labels"] for node in self.cluster.items("/api/v1/nodes")})
        state = []
        for jobset in self.cluster.items(f"{JOBSETS}/jobsets"):
            meta, spec = jobset["metadata"], jobset["spec"]
            key = meta["namespace"], meta["name"]
            if key not in self.workloads:
                parts = {part["name"]: [part.get("replicas", 1) * (part["template"]["spec"].get("parallelism") or 1), Counter()]
                         for part in spec["replicatedJobs"]}
                self.workloads[key] = Workload(
                    meta["name"], meta["namespace"], sum(wanted for wanted, _ in parts.values()),
                    meta.get("labels", {}).get("kueue.x-k8s.io/queue-name", ""), parts=parts,
                    main=set(spec.get("successPolicy", {}).get("targetReplicatedJobs") or parts),
                    first={after["name"] for part in spec["replicatedJobs"] for after in part.get("dependsOn", []) if after["status"] == "Complete"})
            load = self.workloads[key]
            bound = [pod for pod in pods[key] if pod["spec"].get("nodeName")]
            if not (load.turn or load.main_turn):
                load.placed = Counter(self.pool_of(pod) or "?" for pod in bound)
                for name, part in load.parts.items():
                    part[1] = Counter(self.pool_of(pod) or "?" for pod in bound if part_of(pod) == name)
                self.take_note(load, jobset, admissions.get(meta["uid"]), pods[key])
            state.append((key, sorted(pod["metadata"]["uid"] + pod["spec"].get("nodeName", "") for pod in pods[key]),
                          spec.get("suspend"), list(load.notes), jobset.get("status", {}).get("terminalState"),
                          json.dumps(admissions.get(meta["uid"], {}).get("status", {}))))
        return state, going, sum(len(standin.made) for standin in self.standins)

    def take_note(self, load: Workload, jobset: dict, admission: dict | None, pods: list):
        if admission:
            for condition in admission.get("status", {}).get("conditions", []):
                if condition["type"] in ("Evicted", "Preempted") and condition["status"] == "True":
                    load.note(f"Kueue: {condition['type']}: {condition['message']}")
        load.suspended = bool(jobset["spec"].get("suspend"))
        load.admission, load.pods, load.status = admission, pods, jobset.get("status", {})

    def explain(self, load: Workload):
        """What the parts of the control plane say about a workload that got no place."""
        if load.queue and load.admission is None and self.has("kueue"):
            load.note("Kueue made no Workload of it")
        for condition in (load.admission or {}).get("status", {}).get("conditions", []):
            if condition["type"] in ("QuotaReserved", "Admitted") and condition["status"] == "False":
                load.note(f"Kueue: {condition['type']}=False ({condition['reason']}): {condition['message']}")
        for check in (load.admission or {}).get("status", {}).get("admissionChecks", []):
            if check["state"] != "Ready":
                load.note(f"Kueue: admission check {check['name']} {check['state']}: {check.get('message', '')}")
        for condition in load.status.get("conditions", []):
            if condition["status"] == "True" and condition["type"] in ("Failed", "Suspended"):
                load.note(f"JobSet: {condition['type']}: {condition.get('message', '')}")
        for message in filter(None, map(unschedulable, load.pods)):
            load.note(f"kube-scheduler: {message}")
        for event in self.cluster.items(f"/api/v1/namespaces/{load.namespace}/events"):
            about = event["involvedObject"]
            if event["metadata"]["creationTimestamp"] < self.since:
                continue  # of an earlier trial
            if event["type"] == "Warning" and about["name"].startswith(load.name) and event["reason"] != "FailedScheduling":
                load.note(f"{about['kind']} {about['name']}: {event['reason']}: {event['message']}")
        for kind, thing in self.going(load.namespace):
            meta = thing["metadata"]
            load.note(f"{kind} {meta['name']} is to be deleted since {meta['deletionTimestamp']} and stays"
                      + (f", held by {', '.join(meta['finalizers'])}" if meta.get("finalizers") else ""))

    def going(self, space: str):
        """What is to be deleted in a namespace and is not gone: it may hold what somebody waits for, and nobody else says so."""
        for group, kind in MAY_STAY:
            for thing in self.cluster.items(f"{group}/namespaces/{space}/{kind.lower()}s"):
                if "deletionTimestamp" in thing["metadata"]:
                    yield kind, thing

    def finish(self, load: Workload):
        """Every process of a workload exits with 0; then the JobSet has to say that it is complete."""
        for pod in self.cluster.items(f"/api/v1/namespaces/{load.namespace}/pods"):
            meta = pod["metadata"]
            if meta.get("labels", {}).get(standins.OWNER) == load.name and pod["spec"].get("nodeName"):
                self.succeed(pod)
        path = f"{JOBSETS}/namespaces/{load.namespace}/jobsets/{load.name}"
        if not self.has("jobset"):
            self.cluster.call("DELETE", f"/apis/batch/v1/namespaces/{load.namespace}/jobs?labelSelector={standins.OWNER}={load.name}",
                              {"propagationPolicy": "Background"})
            load.ended = "-"
            return
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline and not load.ended:
            load.ended = self.cluster.call("GET", path).get("status", {}).get("terminalState", "")
            time.sleep(0.2)

    def succeed(self, pod: dict):
        def ended(containers):
            return [{
                "name": c["name"], "image": c["image"], "imageID": "", "ready": False, "restartCount": 0, "started": False,
                "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
            } for c in containers]
        meta, spec = pod["metadata"], pod["spec"]
        try:
            self.cluster.merge(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}/status", {"status": {
                "phase": "Succeeded", "containerStatuses": ended(spec["containers"]),
                "initContainerStatuses": ended(spec.get("initContainers", [])),
            }})
        except Refused as refused:
            if refused.status != 404:
                raise

    def pool_of(self, pod: dict):
        return self.labels.get(pod["spec"].get("nodeName"), {}).get("cloud.google.com/gke-nodepool")


def part_of(pod: dict) -> str:
    return pod["metadata"]["labels"].get("jobset.sigs.k8s.io/replicatedjob-name", "")


def unschedulable(pod: dict) -> str | None:
    """The scheduler's message about a pod without a node."""
    for condition in pod.get("status", {}).get("conditions", []):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return condition.get("message")
    return None
