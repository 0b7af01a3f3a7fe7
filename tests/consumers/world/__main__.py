# SPDX-License-Identifier: Apache-2.0
"""Applies rendered Terraform in a world that refuses what the real APIs refuse, changes it, and destroys it.

usage: world --schemas DIR [--slipform PROGRAM --changes FILE] OUT...

OUT is the folder of one `slipform build`. Each has a world of its own: its roots are applied in the README's order, planned again
(which must change nothing), and destroyed in the README's reverse order: protection has to stop that at the plan, before anything is
gone, and no root that still stands may notice. Roots that are alike but for names and numbers are tried once. FILE is a table
of changes (changes.toml): two builds each, the second over the states of the first, and what has to come of it.
DIR holds the providers' schemas in a compact form: `*-schema.json`. Exit status: 0 all as it should be, 1 not.
"""
import argparse
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import changes
from provider import Schema
from terraform import HOLDS_DATA, Output, Terraform, by_kind, order

BLOCK = re.compile(r'(?ms)^((?:resource|data|removed|import)(?: "\w+")?)[^\n]*\{\n(.*?)^\}')
ARGUMENT = re.compile(r"(?m)^\s+(\w+)(?:\s*=|\s*\{)")
AT_ONCE = 2  # Terraform and its provider are a process each


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemas", type=Path, required=True, metavar="DIR")
    parser.add_argument("--slipform", type=Path, metavar="PROGRAM")
    parser.add_argument("--changes", type=Path, metavar="FILE")
    parser.add_argument("--only", metavar="TEXT", help="changes whose name has this in it")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="work in DIR and keep it: roots, states, logs, worlds")
    parser.add_argument("outputs", nargs="*", type=Path, metavar="OUT")
    args = parser.parse_args()
    folder = args.keep or Path(tempfile.mkdtemp(prefix="world-"))
    try:
        schemas = [Schema.read(path) for path in sorted(args.schemas.glob("*-schema.json"))]
        work, alike = distinct(args.outputs)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            trials = [pool.submit(Trial(folder.resolve() / "outputs" / out.name, schemas, out).run) for out in work]
            table = [row for row in changes.read(args.changes) if not args.only or args.only in row.name] if args.changes else []
            trials += [pool.submit(trial.run) for trial in changes.Trials(folder.resolve() / "changes", schemas, args.slipform, table).all()]
            bad = 0
            for trial in trials:
                faults, lines = trial.result()
                bad += bool(faults)
                print("\n".join([*lines, *(f"REFUSED  {fault}" for fault in faults)]), flush=True)
        if work and not (refused := taken(folder.resolve() / "taken", schemas, work[0])):
            bad += 1
        if work:
            print(f"{'ok      ' if refused else 'WRONG   '} {work[0].name}: applied once more, with other states, it is {'' if refused else 'not '}refused")
        for out, other in alike:
            print(f"ok       {out}: roots like those of {other}")
        print(f"world: {len(work)} outputs of {len(args.outputs)}, {len(trials) - len(work)} changes, {bad} not as they should be")
        return 1 if bad or not trials else 0
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)


def distinct(outputs: list) -> tuple:
    """Outputs with a root of a shape that none before them has, and (output, those with its shapes) for the others."""
    seen, work, alike = {}, [], []
    for out in outputs:
        shapes = [shape_of(root) for root in sorted({path.parent for path in out.glob("*/*.tf")})]
        if shapes and all(shape in seen for shape in shapes):
            alike.append((out, ", ".join(dict.fromkeys(seen[shape] for shape in shapes))))
        elif shapes:
            work.append(out)
            seen.update({shape: out.name for shape in shapes if shape not in seen})
    return work, alike


def shape_of(root: Path) -> frozenset:
    """What a root makes and looks up, and with which arguments, whatever their names and values."""
    text = "".join(path.read_text() for path in sorted(root.glob("*.tf")))
    return frozenset((head, frozenset(ARGUMENT.findall(body))) for head, body in BLOCK.findall(text))


def taken(folder: Path, schemas: list, source: Path) -> bool:
    """The world itself must be able to refuse: what is there already cannot be made again."""
    terraform = Terraform(folder, schemas)
    try:
        terraform.provide([source])
        refused = []
        for name in ("first", "second"):
            out = terraform.copy(source, name)
            root = out.work / out.roots[0]
            refused, _ = terraform.make(root)
            if name == "first" and refused:
                return False
        return any("already exists" in error for error in refused)
    finally:
        terraform.close()


class Trial:
    """One output in a world of its own."""

    def __init__(self, folder: Path, schemas: list, source: Path):
        self.folder, self.schemas, self.source = folder, schemas, source
        self.faults, self.lines = [], []

    def run(self) -> tuple:
        self.terraform = Terraform(self.folder, self.schemas)
        try:
            self.tried()
        finally:
            self.terraform.close()
        return self.faults, self.lines

    def tried(self):
        began = time.monotonic()
        out = self.terraform.copy(self.source, "out")
        self.check_readme()
        given = self.terraform.provide([self.source])
        resources = 0
        for root in out.roots if not self.faults else []:
            resources += self.apply(out, root)
            if self.faults:
                break
        gone = self.destroy(out) if not self.faults else ""
        if not self.faults:
            self.lines.append(f"ok       {self.source.name}: {len(out.roots)} roots, {resources} resources{'; there before: ' + ', '.join(given) if given else ''}; "
                              f"{gone}, {time.monotonic() - began:.0f} s")

    def fault(self, text: str):
        self.faults.append(f"{self.source.name}: {text}")

    def check_readme(self):
        there = sorted({path.parent.name for path in self.source.glob("*/*.tf")})
        for verb, said in zip(("applies", "destroys"), order(self.source)):
            for root in there:
                if root not in said:
                    self.fault(f"its README nowhere {verb} {root}")

    def apply(self, out: Output, name: str) -> int:
        """Applies one root and plans it again; how many resources it has."""
        root = out.work / name
        refused, made = self.terraform.make(root)
        if refused:
            self.fault(f"{name} cannot be applied: {'; '.join(refused)}")
            return 0
        again = self.terraform.plan(root)
        if not again.clean:
            self.fault(f"{name}: a second plan is not clean: {again.told()}")
        return made

    def destroy(self, out: Output) -> str:
        standing, stopped = list(out.roots), []
        for name in out.reverse:
            root = out.work / name
            refused, gone = self.terraform.destroy(root)
            if not refused and (data := [kind for kind in gone if kind in HOLDS_DATA]):
                self.fault(f"{name}: nothing stops a destroy, and data goes: {by_kind(data)}")
            if refused:
                stopped.append(name)
                if gone:
                    self.fault(f"{name}: protection stops its destroy half way, {by_kind(gone)} gone: {'; '.join(refused)}")
                refused = self.after_lifting(root)
            if refused:
                self.fault(f"{name} cannot be destroyed: {'; '.join(refused)}")
                return ""
            standing.remove(name)
            for other in standing:
                if not (plan := self.terraform.plan(out.work / other)).clean:
                    self.fault(f"destroying {name} broke {other}: {plan.told()}")
        if left := self.terraform.left():
            self.fault(f"destroyed, and still there: {', '.join(left)}")
        return f"destroyed{', after protection stopped it at ' + ', '.join(stopped) if stopped else ''}"

    def after_lifting(self, root: Path) -> list:
        """Does what the README says: protection off, applied, destroyed."""
        if not self.terraform.lift(root):
            return ["nothing in it could be lifted"]
        planned = self.terraform.plan(root)
        if bad := [change for change in planned.changes if change.verb != "update"]:
            return [f"lifting protection does more than that: {', '.join(f'{change.verb} {change.address}' for change in bad)}"]
        return planned.errors or (self.terraform.apply(root) if planned.changes else []) or self.terraform.destroy(root)[0]


if __name__ == "__main__":
    sys.exit(main())
