# SPDX-License-Identifier: Apache-2.0
"""Changes of a blueprint over what stands: the table in changes.toml, and how one is tried.

A row has `before` and `after`, each a blueprint beside the table or in the project and options of `slipform build`; both are built into
one folder, as a person does it. What has to come of it:
  keeps     roots whose plan is to be empty, or addresses (their beginnings) that are neither replaced nor destroyed
  replaces, updates, releases   addresses (their beginnings) to which the plan does this
  stops     words of the refusal: the build, a plan or an apply has to refuse it, and nothing may be gone
  stays     roots that the second output no longer has: their folders must stay and be destroyed from there
  beside    true: `after` is another environment, in states of its own, and both have to stand
  destroyed true: `after` is never applied; the commands of its README's "Tear down" have to take away all that stands
Unless it stops, everything is applied, a second plan is clean, and nothing else is destroyed.
"""
import re
import shlex
import shutil
import subprocess
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from terraform import Output, Terraform

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]
VERBS = {"replaces": "replace", "updates": "update", "releases": "release"}


@dataclass
class Row:
    name: str
    before: str
    after: str = ""
    keeps: list = field(default_factory=list)
    replaces: list = field(default_factory=list)
    updates: list = field(default_factory=list)
    releases: list = field(default_factory=list)
    destroys: list = field(default_factory=list)
    stops: str = ""
    stays: list = field(default_factory=list)
    beside: bool = False
    destroyed: bool = False


def read(path: Path) -> list:
    return [Row(**row) for row in tomllib.loads(path.read_text())["change"]]


class Wrong(Exception):
    """The change did not end as the row says."""


class Trial:
    def __init__(self, folder: Path, schemas: list, slipform: Path, row: Row):
        self.folder, self.schemas, self.slipform, self.row = folder, schemas, slipform, row

    def run(self) -> tuple:
        began = time.monotonic()
        self.terraform = Terraform(self.folder, self.schemas)
        try:
            self.tried()
        except Wrong as why:
            return [f"{self.row.name}: {why}"], []
        finally:
            self.terraform.close()
        return [], [f"ok       {self.row.name}, {time.monotonic() - began:.0f} s"]

    def tried(self):
        rendered = self.folder / "rendered"
        first = self.built(self.row.before, rendered)
        if first:
            raise Wrong(f"`before` does not build: {first}")
        out = self.stand(rendered, "stands")
        if self.row.beside:
            other = self.folder / "rendered-beside"
            if refused := self.built(self.row.after, other):
                raise Wrong(f"`after` does not build: {refused}")
            self.stand(other, "beside")
            for root in out.roots:
                self.expect_clean(out, root)
            return
        roots = list(out.roots)
        if refused := self.built(self.row.after, rendered):
            if not self.row.stops or self.row.stops not in refused:
                raise Wrong(f"`after` does not build: {refused}")
            return
        if self.row.destroyed:
            self.tear_down(self.terraform.copy(rendered, "stands"))
            return
        self.check_stays(rendered)
        self.change(self.terraform.copy(rendered, "stands"), roots)

    def built(self, line: str, out: Path) -> str:
        """Builds one side of a row; what `slipform` says where it refuses."""
        path, *options = shlex.split(line)
        source = HERE / path if (HERE / path).exists() else PROJECT / path
        done = subprocess.run([self.slipform, "build", source, *options, "--out", out], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else " ".join((done.stderr + done.stdout).split())

    def stand(self, rendered: Path, name: str) -> Output:
        """Applies every root of an output."""
        out = self.terraform.copy(rendered, name)
        if not out.roots:
            raise Wrong(f"`{name}` has no root that its README applies")
        self.terraform.provide([rendered])
        for root in out.roots:
            refused, _ = self.terraform.make(out.work / root)
            if refused:
                raise Wrong(f"{root} of `{name}` cannot be applied: {'; '.join(refused)}")
        return out

    def expect_clean(self, out: Output, root: str):
        plan = self.terraform.plan(out.work / root)
        if not plan.clean:
            raise Wrong(f"{root}: a plan is not clean: {plan.told()}")

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

    def change(self, out: Output, roots: list):
        """Applies `after` over what stands, root by root."""
        row, found, seen = self.row, [], len(self.terraform.events())
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
            found += plan.changes
            refused = self.terraform.apply(out.work / root) if plan.changes else []
            if refused and row.stops:
                return self.check_stop(refused, seen)
            if refused:
                raise Wrong(f"{root} cannot be applied: {'; '.join(refused)}" + (f"; {self.gone(seen)} was gone by then" if self.gone(seen) else ""))
            self.expect_clean(out, root)
        if row.stops:
            raise Wrong(f"nothing refuses it: {'; '.join(f'{change.verb} {change.address}' for change in found) or 'no changes'}")
        for word, verb in VERBS.items():
            for address in getattr(row, word):
                if not any(change.verb == verb and change.address.startswith(address) for change in found):
                    raise Wrong(f"{address} was meant to be {verb}d: {'; '.join(f'{change.verb} {change.address}' for change in found)}")

    def check(self, changes: list):
        """Whatever runs is neither replaced nor destroyed unless the row says so."""
        for change in changes:
            meant = self.row.replaces if change.verb == "replace" else self.row.destroys
            if change.verb in ("replace", "destroy") and not any(change.address.startswith(address) for address in meant):
                raise Wrong(f"it would {change.verb} {change.address}" + (f" ({change.why})" if change.why else ""))

    def check_stop(self, errors: list, seen: int):
        if not any(self.row.stops in error for error in errors):
            raise Wrong(f"it is refused with other words: {'; '.join(errors)}")
        if self.gone(seen):
            raise Wrong(f"it is refused, and {self.gone(seen)} is gone")

    def gone(self, seen: int) -> str:
        return ", ".join(event["address"] for event in self.terraform.events()[seen:] if event["action"] in ("delete", "replace"))
