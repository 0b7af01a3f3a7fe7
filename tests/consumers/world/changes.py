# SPDX-License-Identifier: Apache-2.0
"""Changes of a blueprint over what stands: the table in changes.toml, and how one is tried.

A row has `before` and `after`, each a blueprint beside the table or in the project and options of `slipform build`; both are built into
one folder, as a person does it. `after` may be a list: steps that are taken one after the other. What has to come of it:
  keeps     roots whose plan is to be empty
  replaces, updates, releases, destroys   addresses (their beginnings) to which a plan does this; without its line nothing is replaced or destroyed
  stops     words of the refusal: the build, a plan or an apply has to refuse it, and nothing may be gone
  untold    true: what stops it is the API's to say at the apply, and no plan knows of it
  stays     roots that the second output no longer has: their folders must stay and be destroyed from there
  goes      roots that are destroyed in the end, in this order, by that command alone; `before` has to refuse it, with nothing gone
  leaves    a place, such as `projects/NAME`, in which nothing is left of what was made
  beside    true: `after` is another environment, in states of its own, and both have to stand
  one_bucket true: the states stay in one bucket though the project is another, against the README; `slipform plan` has to say what then happens
  followed  true: the commands of `slipform plan` are given as they stand, in their order, and then every root is clean
  destroyed true: `after` is never applied; the commands of its README's "Tear down" have to take away all that stands
Unless it stops, everything is applied and a second plan is clean. Rows with the same `before` begin with copies of one world.

What `slipform plan` says beforehand is held against what Terraform then does: the same instances are replaced or destroyed, no more and no
fewer, and where something stops it that was said too.
"""
import copy
import json
import re
import shlex
import shutil
import subprocess
import threading
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from terraform import Output, Terraform, by_kind

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
ENDS = ("destroy", "replace")  # effects of `slipform plan`
VERBS = {"replaces": "replace", "updates": "update", "releases": "release", "destroys": "destroy"}


@dataclass
class Row:
    name: str
    before: str
    after: str | list
    keeps: list = field(default_factory=list)
    replaces: list = field(default_factory=list)
    updates: list = field(default_factory=list)
    releases: list = field(default_factory=list)
    destroys: list = field(default_factory=list)
    stops: str = ""
    untold: bool = False
    stays: list = field(default_factory=list)
    goes: list = field(default_factory=list)
    leaves: str = ""
    beside: bool = False
    followed: bool = False
    destroyed: bool = False
    one_bucket: bool = False

    @property
    def steps(self) -> list:
        return [self.after] if isinstance(self.after, str) else self.after


def read(path: Path) -> list:
    return [Row(**row) for row in tomllib.loads(path.read_text())["change"]]


class Wrong(Exception):
    """The change did not end as the row says."""


def built(slipform: Path, line: str, out: Path) -> str:
    """Builds one side of a row; what `slipform` says where it refuses."""
    path, *options = shlex.split(line)
    source = HERE / path if (HERE / path).exists() else PROJECT / path
    done = subprocess.run([slipform, "build", source, *options, "--out", out], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else " ".join((done.stderr + done.stdout).split())


def foretold(slipform: Path, line: str, before: Path) -> list:
    """What `slipform plan` says of one side of a row, over what was built before."""
    path, *options = shlex.split(line)
    source = HERE / path if (HERE / path).exists() else PROJECT / path
    command = [slipform, "plan", source, *options, "--against", before, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise Wrong(f"`slipform plan` ends with {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def stand(terraform: Terraform, rendered: Path, name: str) -> Output:
    """Applies every root of an output."""
    out = terraform.copy(rendered, name)
    if not out.roots:
        raise Wrong(f"`{name}` has no root that its README applies")
    terraform.provide([rendered])
    for root in out.roots:
        refused, _ = terraform.make(out.work / root)
        if refused:
            raise Wrong(f"{root} of `{name}` cannot be applied: {'; '.join(refused)}")
    return out


class Ground:
    """What stands before a change, built and applied once."""

    def __init__(self, folder: Path):
        self.folder, self.lock, self.state, self.why = folder, threading.Lock(), None, ""

    def lay(self, schemas: list, slipform: Path, line: str):
        """Does it where nobody has; raises what came of it otherwise."""
        with self.lock:
            if self.state is None:
                terraform = Terraform(self.folder, schemas)
                self.state = terraform.world.state
                try:
                    self.why = built(slipform, line, self.folder / "rendered")
                    if not self.why:
                        stand(terraform, self.folder / "rendered", "stands")
                except Wrong as why:
                    self.why = str(why)
                finally:
                    terraform.close()
        if self.why:
            raise Wrong(f"`before` does not stand: {self.why}")


class Trials:
    """The rows of a table."""

    def __init__(self, folder: Path, schemas: list, slipform: Path, rows: list):
        self.folder, self.schemas, self.slipform, self.rows = folder, schemas, slipform, rows
        self.grounds = {line: Ground(folder / f"before-{number:02}") for number, line in enumerate(dict.fromkeys(row.before for row in rows))}

    def all(self) -> list:
        return [Trial(self, self.folder / f"{number:02}", row) for number, row in enumerate(self.rows)]

    def begin(self, folder: Path, line: str) -> Terraform:
        """A copy of what stands before, and Terraform in it."""
        ground = self.grounds[line]
        ground.lay(self.schemas, self.slipform, line)
        shutil.copytree(ground.folder, folder, dirs_exist_ok=True)
        terraform = Terraform(folder, self.schemas)
        terraform.world.state = copy.deepcopy(ground.state)
        return terraform


class Trial:
    def __init__(self, trials: Trials, folder: Path, row: Row):
        self.trials, self.folder, self.row, self.terraform, self.found = trials, folder, row, None, []

    def run(self) -> tuple:
        began = time.monotonic()
        try:
            self.terraform = self.trials.begin(self.folder, self.row.before)
            self.tried()
        except Wrong as why:
            return [f"{self.row.name}: {why}"], []
        finally:
            if self.terraform:
                self.terraform.close()
        return [], [f"ok       {self.row.name}, {time.monotonic() - began:.0f} s"]

    def tried(self):
        rendered = self.folder / "rendered"
        out = self.terraform.copy(rendered, "stands")
        if self.row.beside:
            return self.stand_beside(out)
        for root in self.row.goes:
            self.check_protected(out.work / root)
        for line in self.row.steps:
            roots = out.roots
            before = self.folder / "rendered-before"
            shutil.copytree(rendered, before, dirs_exist_ok=True)
            told = foretold(self.trials.slipform, line, before)
            shutil.rmtree(before)
            done = len(self.found)
            if refused := built(self.trials.slipform, line, rendered):
                if not self.row.stops or self.row.stops not in refused:
                    raise Wrong(f"`after` does not build: {refused}")
                return
            if self.row.destroyed:
                self.tear_down(self.terraform.copy(rendered, "stands"))
                return
            if self.row.followed:
                self.follow(told, self.terraform.copy(rendered, "stands"))
                return
            self.check_stays(rendered)
            out = self.terraform.copy(rendered, "stands")
            if self.change(out, roots):
                return None if self.row.untold else self.check_states_were_told(told) if self.row.one_bucket else self.check_stop_was_told(told)
            if self.row.one_bucket:
                self.check_states_were_told(told)
            else:
                self.check_told(told, self.found[done:])
        self.check_found()
        for root in self.row.goes:
            if refused := self.terraform.destroy(out.work / root)[0]:
                raise Wrong(f"{root} cannot be destroyed: {'; '.join(refused)}")
        if self.row.leaves and (left := [thing for thing in self.terraform.left() if self.row.leaves in thing]):
            raise Wrong(f"still in {self.row.leaves}: {', '.join(left)}")

    def stand_beside(self, out: Output):
        other = self.folder / "rendered-beside"
        if refused := built(self.trials.slipform, self.row.after, other):
            raise Wrong(f"`after` does not build: {refused}")
        stand(self.terraform, other, "beside")
        for root in out.roots:
            self.expect_clean(out, root)

    def check_protected(self, root: Path):
        refused, gone = self.terraform.destroy(root)
        if not refused or gone:
            raise Wrong(f"`before` does not stop a destroy of {root.name}" + (f", {by_kind(gone)} gone" if gone else ""))

    def expect_clean(self, out: Output, root: str):
        plan = self.terraform.plan(out.work / root)
        if not plan.clean:
            raise Wrong(f"{root}: a plan is not clean: {plan.told()}")

    def follow(self, told: list, out: Output):
        """Gives the commands of `slipform plan` over what stands."""
        given = dict.fromkeys(command for change in told for command in change["commands"] if command.startswith("terraform "))
        if not given:
            raise Wrong("`slipform plan` gives no command")
        for command in given:
            root, verb, *options = re.match(r"terraform -chdir=(\S+) (.+)", command).expand(r"\1 \2").split()
            self.terraform.init(out.work / root)
            if verb == "destroy":
                refused, _ = self.terraform.destroy(out.work / root, *options)
            else:
                plan = self.terraform.plan(out.work / root)
                refused = plan.errors or (self.terraform.apply(out.work / root) if plan.changes else [])
            if refused:
                raise Wrong(f"`{command}` is refused: {'; '.join(refused)}")
        for root in out.roots:
            self.expect_clean(out, root)

    def tear_down(self, out: Output):
        """Follows the README of a build over what another one made."""
        _, _, back = (out.source / "README.md").read_text().partition("## Tear down")
        for name, verb in re.findall(r"(?m)^terraform -chdir=(\S+) (apply|destroy)\b", back):
            root, seen = out.work / name, len(self.terraform.events())
            self.terraform.init(root)
            if verb == "destroy":
                refused, _ = self.terraform.destroy(root)
            else:
                plan = self.terraform.plan(root)
                refused = plan.errors or (self.terraform.apply(root) if plan.changes else [])
                if gone := self.gone(seen):
                    raise Wrong(f"{verb} of {name} takes away {gone}")
            if refused:
                raise Wrong(f"{verb} of {name} is refused: {'; '.join(refused)}" + (f"; {self.gone(seen)} was gone by then" if self.gone(seen) else ""))
        if left := self.terraform.left():
            raise Wrong(f"destroyed, and still there: {', '.join(left)}")

    def check_stays(self, rendered: Path):
        for root in self.row.stays:
            if not any((rendered / root).glob("*.tf")):
                raise Wrong(f"{root} is gone from the output, and its resources run on")
            refused, _ = self.terraform.destroy(self.folder / "stands" / root)
            if refused and self.terraform.lift(self.folder / "stands" / root):
                self.terraform.plan(self.folder / "stands" / root)
                refused = self.terraform.apply(self.folder / "stands" / root) or self.terraform.destroy(self.folder / "stands" / root)[0]
            if refused:
                raise Wrong(f"{root} cannot be destroyed any more: {'; '.join(refused)}")
            shutil.rmtree(rendered / root)

    def change(self, out: Output, roots: list) -> bool:
        """Applies a step over what stands, root by root; whether it was stopped, as it should be."""
        row, seen = self.row, len(self.terraform.events())
        for root in out.roots:
            self.terraform.init(out.work / root)
            plan = self.terraform.plan(out.work / root)
            if plan.errors and row.stops:
                return self.check_stop(plan.errors, seen)
            if plan.errors:
                raise Wrong(f"{root} cannot be planned: {'; '.join(plan.errors)}")
            if root in row.keeps and plan.changes:
                raise Wrong(f"{root} must not change: {plan.told()}")
            self.check([] if row.stops else plan.changes if root in roots else [])
            self.found += plan.changes
            refused = self.terraform.apply(out.work / root) if plan.changes else []
            if refused and row.stops:
                return self.check_stop(refused, seen)
            if refused:
                raise Wrong(f"{root} cannot be applied: {'; '.join(refused)}" + (f"; {self.gone(seen)} was gone by then" if self.gone(seen) else ""))
            self.expect_clean(out, root)
        return False

    def check_told(self, told: list, found: list):
        """The same instances end as was said."""
        # a service stays on that Terraform no longer looks after: `disable_on_destroy` is false
        # and nothing runs in a template: machines that were made of it stay
        apart = ("google_project_service.", "google_compute_instance_template.")
        counts = lambda address: address.startswith(("google_", "terraform_data.")) and not address.startswith(apart)
        # a grant that ends, for nothing or for a larger one, ends nothing that runs: it is told with its own words
        of_grants = ("a grant is taken away", "another grant takes its place")
        ends = lambda change: change["effect"] in ENDS or change["why"].startswith(of_grants)
        said = {change["thing"] for change in told if ends(change) and counts(change["thing"])}
        ended = {change.address for change in found if change.verb in ("replace", "destroy") and counts(change.address)}
        if missed := sorted(ended - said):
            raise Wrong(f"`slipform plan` does not say that these end: {', '.join(missed)}")
        if feared := sorted(said - ended):
            raise Wrong(f"`slipform plan` says that these end, and they do not: {', '.join(feared)}")

    def check_states_were_told(self, told: list):
        """By the README an apply finds no state of the former project; here it does, and that this may be so is said."""
        if not any(change["thing"] == "state" and change["effect"] == "replace" for change in told):
            raise Wrong("`slipform plan` does not say that the states are those of another project")

    def check_stop_was_told(self, told: list):
        if not any(change["stopped_by"] for change in told):
            raise Wrong("`slipform plan` does not say that anything stops it")

    def check_found(self):
        told = "; ".join(f"{change.verb} {change.address}" for change in self.found) or "no changes"
        if self.row.stops:
            raise Wrong(f"nothing refuses it: {told}")
        for word, verb in VERBS.items():
            for address in getattr(self.row, word):
                if not any(change.verb == verb and change.address.startswith(address) for change in self.found):
                    raise Wrong(f"no plan is to {verb} {address}: {told}")

    def check(self, changes: list):
        """Whatever runs is neither replaced nor destroyed unless the row says so."""
        for change in changes:
            meant = self.row.replaces if change.verb == "replace" else self.row.destroys
            if change.verb in ("replace", "destroy") and not any(change.address.startswith(address) for address in meant):
                raise Wrong(f"it would {change.verb} {change.address}" + (f" ({change.why})" if change.why else ""))

    def check_stop(self, errors: list, seen: int) -> bool:
        if not any(self.row.stops in error for error in errors):
            raise Wrong(f"it is refused with other words: {'; '.join(errors)}")
        if self.gone(seen):
            raise Wrong(f"it is refused, and {self.gone(seen)} is gone")
        return True

    def gone(self, seen: int) -> str:
        return ", ".join(event["address"] for event in self.terraform.events()[seen:] if event["action"] in ("delete", "replace"))
