# SPDX-License-Identifier: Apache-2.0
"""Tries what Slipform rendered against a real Kubernetes control plane.

usage: admit [--json FILE] [--all] [--planes N] OUT...

OUT is the folder of one `slipform build`. For each of its GKE clusters: a control plane on this machine gets the nodes that GKE
would make of the rendered node pools, and the commands of OUT/README.md are followed to the end of "Tear down". A cluster that OUT
says exists is that of OUT-made, where there is such a folder: it has its nodes, and what its README applies before any workload.
Outputs share N control planes (1), on each one after the other, with everything deleted in between. FILE gets what came of it as JSON.
An output whose queues do what only Kueue's own manager does is told as UNTRIED where that does not run, and listed at the end.
An output that is not in order is tried once more when all others are done, by itself: what it does then counts.
Exit status: 0 all was accepted, placed and taken down, 1 something was not, 2 none of the outputs holds a cluster.

Environment: ADMIT_KUBE, the control plane; ADMIT_DEFINITIONS, a folder of custom resource definitions; ADMIT_JOBSET and
ADMIT_KUEUE, binaries of the managers, which run too where these are there; ADMIT_QUIET, seconds without a change that count as
settled (6); ADMIT_KEEP=1 keeps the folder with all logs.
"""
import argparse
import json
import queue
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import gke
import readme
import report
import roots
from plane import Plane
from trial import Trial

MADE = "-made"  # as book.py writes it


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--all", action="store_true", help="tell everything of what is in order too")
    parser.add_argument("--planes", type=int, default=1, metavar="N", help="control planes at work at the same time")
    parser.add_argument("outputs", nargs="+", type=Path, metavar="OUT")
    args = parser.parse_args()
    waiting = queue.SimpleQueue()
    for out in args.outputs:
        waiting.put(out)
    runs = [Run(args, waiting) for _ in range(max(1, min(args.planes, len(args.outputs))))]
    with ThreadPoolExecutor(len(runs)) as floor:
        for done in [floor.submit(run.take_turns) for run in runs]:
            done.result()
    runs[0].take_alone([out for run in runs for out in run.again])
    report.table("Commands of the READMEs", ("followed by", "commands", "because"), [
        (who, count, because) for who, because, count in readme.tally([out / "README.md" for out in args.outputs])])
    results = {out: found for run in runs for out, found in run.results.items()}
    if args.json:
        args.json.write_text(json.dumps([{"out": str(out), "clusters": results.get(out, [])} for out in args.outputs], indent=1) + "\n")
    report.untried({of: what for run in runs for of, what in run.untried.items()})
    seen = {what: sum(getattr(run, what) for run in runs) for what in ("outputs", "clusters", "objects", "workloads", "bad")}
    print(f"admit: {', '.join(f'{count} {what}' for what, count in seen.items() if what != 'bad')}, {seen['bad']} not in order")
    return 1 if seen["bad"] else 0 if seen["clusters"] else 2


class Run:
    """One control plane after another, and what was seen on them."""

    telling = threading.Lock()  # what is said of one output stays together

    def __init__(self, args, waiting: queue.SimpleQueue):
        self.args, self.waiting, self.machines, self.plane = args, waiting, gke.Machines(), None
        self.outputs = self.clusters = self.objects = self.workloads = self.bad = 0
        self.results, self.untried, self.specimen = {}, {}, None
        self.again, self.alone = [], False

    def take_turns(self):
        """Tries outputs until none is waiting."""
        try:
            while True:
                try:
                    out = self.waiting.get_nowait()
                except queue.Empty:
                    break
                self.twice(out, self.output)
            if self.specimen:
                self.twice(self.specimen, self.refuses_what_is_broken)
        finally:
            self.stop()

    def take_alone(self, outputs: list):
        """Tries once more, with nothing beside it, what was not in order: on a machine with too much to do, what a cluster does in time is late."""
        self.alone = True
        try:
            for out in outputs:
                self.twice(out, self.output)
        finally:
            self.stop()

    def twice(self, out: Path, attempt):
        """Once more on another control plane where one broke down, which is not the output's fault: what an API server refuses is an answer, and raises nothing."""
        try:
            attempt(out)
        except Exception as broken:
            print(f"note: {out}: the control plane broke down, tried once more: {type(broken).__name__}: {broken}", flush=True)
            self.stop()
            try:
                attempt(out)
            except Exception as again:
                print(f"REFUSED  {out}: no control plane lives through it: {type(again).__name__}: {again}", flush=True)
                self.bad += 1

    def next_plane(self) -> Plane:
        """The control plane that is there, emptied, or a new one."""
        if self.plane and not self.plane.clear():
            print("note: the control plane could not be emptied, a new one starts", flush=True)
            self.stop()
        self.plane = self.plane or Plane()
        return self.plane

    def stop(self):
        plane, self.plane = self.plane, None
        if plane:
            plane.stop()

    def output(self, source: Path):
        """Follows the README of one output, on a copy."""
        commands, trials = readme.commands(source / "README.md"), []
        with tempfile.TemporaryDirectory(prefix="admit-out-") as copy:
            out = Path(shutil.copytree(source, Path(copy) / "out"))
            for name, said in commands.items():
                pools, before = pools_of(out).get(name, []), None
                if not pools and (maker := source.with_name(source.name + MADE)).exists():
                    pools, before = pools_of(maker).get(name, []), Path(shutil.copytree(maker, Path(copy) / maker.name, dirs_exist_ok=True))
                if pools:
                    trials.append(self.trial(Trial(self.next_plane(), out, name, said, pools, self.machines, before), source))
                else:
                    print(f"ok       {source}: cluster {name} is made by another output, and none {source.name}{MADE} is here: not tried", flush=True)
            if trials and trials[0].in_order() and not self.specimen and trials[0].workloads:
                self.specimen = source
        if not self.alone and not all(trial.in_order() for trial in trials):
            self.again.append(source)
            return
        self.outputs += 1
        self.clusters += len(trials)
        self.objects += sum(len(trial.things) for trial in trials)
        self.workloads += sum(len(trial.workloads) for trial in trials)
        self.results[source] = [report.as_json(trial) for trial in trials]
        self.bad += sum(not trial.in_order() for trial in trials)
        for line in (unknown := readme.unknown(source / "README.md")):
            print(f"REFUSED  {source}: nobody says who follows `{line}` of its README (HANDLING of readme.py)")
        for name in (silent := [name for name in pools_of(source) if name not in commands]):
            print(f"REFUSED  {source}: cluster {name} has node pools, and the README no command for it")
        self.bad += bool(unknown) + len(silent)

    def trial(self, trial: Trial, source: Path) -> Trial:
        began = time.monotonic()
        try:
            trial.run()
        except BaseException:
            self.stop()
            raise
        took = f"{time.monotonic() - began:.0f} s"
        with self.telling:
            if self.args.all or not trial.in_order():
                report.tell(trial)
            for line in trial.faults():
                print(f"{'REFUSED ' if self.alone else 'again   '} {source}: cluster {trial.name}: {line}")
            if untried := trial.untried():
                self.untried[f"{source}: cluster {trial.name}"] = untried
            if trial.in_order():
                print(f"{'UNTRIED ' if untried else 'ok      '} {source}: cluster {trial.name}: {report.summary(trial)}, {took}", flush=True)
        return trial

    def refuses_what_is_broken(self, specimen: Path):
        """The trial itself must be able to fail: a field that no kind has is refused, and without its nodes a workload never runs."""
        with tempfile.TemporaryDirectory(prefix="admit-out-") as copy:
            out = Path(shutil.copytree(specimen, Path(copy) / "out"))
            jobset = next(path for path in sorted(out.glob("**/*.yaml")) if "\nkind: JobSet\n" in "\n" + path.read_text())
            jobset.write_text(jobset.read_text().replace("\nspec:\n", "\nspec:\n  noSuchField: 1\n", 1))
            name, said = next(iter(readme.commands(out / "README.md").items()))
            misspelt = Trial(self.next_plane(), out, name, said, [], self.machines)
            misspelt.run()
            whole = Path(shutil.copytree(specimen, Path(copy) / "whole"))
            homeless = Trial(self.next_plane(), whole, name, said, [], self.machines)
            homeless.run()
        caught = [any("noSuchField" in thing.answer for thing in misspelt.things), not any(load.turn for load in homeless.workloads.values())]
        self.bad += not all(caught)
        print(f"{'ok      ' if all(caught) else 'WRONG   '} {specimen}: broken copies are refused ({sum(caught)} of {len(caught)})")


def pools_of(out: Path) -> dict:
    """The node pools that the Terraform of an output makes, under the name of their cluster."""
    found = {}
    for folder in sorted(out.glob("[0-9]*")):
        if any(folder.glob("*.tf")):
            for pool in roots.Root(folder).pools():
                found.setdefault(pool.cluster, []).append(pool)
    return found


if __name__ == "__main__":
    sys.exit(main())
