"""Builds every rendered kustomization with kubectl and checks strictly what comes out.

usage: kubernetes_check.py [--schemas DIR]... --kustomize COMMAND RENDERED...

Exit status: 0 all accepted, 1 something is refused, 3 nothing refused but kinds without a schema.
"""
import argparse
import copy
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

import kubernetes_refs
import readme
import releases
from kubernetes_schema import Schemas, documents, kind_of

KUSTOMIZATION = "kustomization.yaml"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemas", type=Path, action="append", default=[], help="a folder of `group.version.Kind.json`; the first that has a kind counts")
    parser.add_argument("--kustomize", required=True, help="the command that builds a folder: 'kubectl kustomize' or 'kustomize build'")
    parser.add_argument("rendered", nargs="+", type=Path)
    args = parser.parse_args()
    run = Run(Schemas(args.schemas), shlex.split(args.kustomize))
    for root in args.rendered:
        run.build(root)
    run.refuses_broken_copies()
    print(f"kubernetes: {run.checked} outputs, {run.objects} objects, {run.refused} refused; schemas: {run.schemas.source}")
    for kind in sorted(run.schemas.missing):
        print(f"ABSENT   schema of {kind}")
    return 1 if run.refused or not run.objects else 3 if run.schemas.missing else 0


class Run:
    """Counts what was seen, and keeps one workload to break on purpose."""

    def __init__(self, schemas, kustomize):
        self.schemas, self.kustomize = schemas, kustomize
        self.checked = self.objects = self.refused = 0
        self.specimen = None

    def build(self, root: Path):
        """Everything that one build wrote: kustomizations, plain files, and the references across them."""
        applied = {}  # folder or file -> the objects that it applies
        self.fill(root)
        folders = sorted(path.parent for path in root.rglob(KUSTOMIZATION))
        for folder in folders:
            with releases.at_hand(folder) as here:
                done = subprocess.run([*self.kustomize, str(here)], capture_output=True, text=True, check=False)
            if done.returncode != 0 or done.stderr.strip():
                self.report(folder, [line for line in (done.stderr or "exit status 1").splitlines() if line.strip()])
                continue
            things = self.stream(folder, done.stdout)
            if folder not in bases(folders):
                applied[folder] = things
        for path in plain_files(root):
            things = self.stream(path, path.read_text())
            if not any(folder in path.parents for folder in folders):
                applied[path] = things
        for cluster, things, made in by_cluster(root, applied):
            problems = kubernetes_refs.check(things, set() if made else {"Network"}, set(readme.namespaces(root))) + conflicts(things)
            self.report(root, problems, f"references, names and pods{' of cluster ' + cluster if cluster else ''}")

    def fill(self, root: Path):
        """Runs each script that fetches deferred values, with a Terraform that answers; before it, its folder must not build."""
        with tempfile.TemporaryDirectory() as tools:
            terraform = Path(tools) / "terraform"
            terraform.write_text("#!/bin/sh\nprintf 10.0.0.2\n")
            terraform.chmod(0o755)
            for script in sorted(root.rglob("fill-deferred.sh")):
                (script.parent / "deferred.env").unlink(missing_ok=True)
                unfilled = subprocess.run([*self.kustomize, str(script.parent)], capture_output=True, check=False)
                problems = [] if unfilled.returncode else ["builds although its deferred values are not filled in"]
                done = subprocess.run([str(script.resolve())], env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
                                      capture_output=True, text=True, check=False)
                self.report(script, problems + ([done.stderr] if done.returncode else []), "refused before, filled now")

    def stream(self, where: Path, text: str) -> list[dict]:
        try:
            things = documents(text)
        except yaml.YAMLError as error:
            self.report(where, [" ".join(str(error).split())])
            return []
        things = [thing for thing in things if isinstance(thing, dict) and "kind" in thing and "apiVersion" in thing]
        if not things:
            return []
        problems = [f"{thing['kind']}/{thing.get('metadata', {}).get('name')}: {error}"
                    for thing in things for error in [*self.against_schema(thing), *releases.configured(thing)]]
        self.objects += len(things)
        self.report(where, problems, f"{len(things)} objects")
        if not problems and self.specimen is None:
            self.specimen = next((thing for thing in things if list(kubernetes_refs.pod_templates(thing))), None)
        return things

    def against_schema(self, thing) -> list[str]:
        """The schema of the kind; where it has none, the pods inside it have one at least."""
        problems = self.schemas.errors(thing)
        if self.schemas.validator(thing):
            return problems
        return [f"{path}: {error}" for path, template in kubernetes_refs.pod_templates(thing)
                for error in self.schemas.errors(template | {"apiVersion": "v1", "kind": "Pod"})]

    def report(self, where, problems, what=""):
        self.checked += 1
        self.refused += bool(problems)
        if not problems:
            print(f"ok       {where}: {what}")
        for problem in problems:
            print(f"REFUSED  {where}: {problem}")

    def refuses_broken_copies(self):
        """The check itself must be able to fail: broken copies of a good workload have to be refused."""
        if self.specimen is None:
            return
        misspelt, not_a_string, dangling = (copy.deepcopy(self.specimen) for _ in range(3))
        next(kubernetes_refs.pod_templates(misspelt))[1]["spec"]["nodeSelectors"] = {}
        first(not_a_string).setdefault("env", []).append({"name": "STEPS", "value": 10})
        next(kubernetes_refs.pod_templates(dangling))[1]["spec"]["serviceAccountName"] = "nobody-declares-this"
        caught = [bool(self.against_schema(misspelt)), bool(self.against_schema(not_a_string)),
                  any("nobody-declares-this" in problem for problem in kubernetes_refs.check([dangling]))]
        try:
            documents("a: 1\na: 2\n")
            caught.append(False)
        except yaml.YAMLError:
            caught.append(True)
        self.refused += not all(caught)
        print(f"{'ok      ' if all(caught) else 'WRONG   '} {kind_of(self.specimen)}: broken copies are refused ({sum(caught)} of {len(caught)})")


def by_cluster(root: Path, applied: dict) -> list:
    """(cluster, objects, whether this output makes the cluster), as the README applies them; what it names nowhere is a group too."""
    text = "".join(path.read_text() for path in root.glob("*/*.tf"))
    groups, rest = [], dict(applied)
    for cluster, commands in readme.commands(root / "README.md").items():
        folders = [root / folder for line in commands.forth for folder in readme.folders(line)]
        own = [path for path in rest if any(folder == path or folder in path.parents for folder in folders)]
        things = [thing for path in own for thing in rest.pop(path)]
        groups.append((cluster, things, f'"{cluster}"' in text))
    groups.append(("", [thing for things in rest.values() for thing in things], True))
    return [group for group in groups if group[1]]


def first(thing) -> dict:
    return next(kubernetes_refs.pod_templates(thing))[1]["spec"]["containers"][0]


def bases(folders) -> set[Path]:
    """The kustomizations that another one includes: they are not applied by themselves."""
    included = set()
    for folder in folders:
        content = yaml.safe_load((folder / KUSTOMIZATION).read_text()) or {}
        included |= {(folder / entry).resolve() for key in ("resources", "components", "bases") for entry in content.get(key) or []}
    return {folder for folder in folders if folder.resolve() in included}


def plain_files(root: Path) -> list[Path]:
    """YAML artifacts that kustomize does not read by itself, and those it does: each must also stand alone."""
    parts = {part for path in root.rglob(KUSTOMIZATION) for part in releases.patches(path.parent)}
    return [path for path in sorted([*root.rglob("*.yaml"), *root.rglob("*.yml")]) if path.name != KUSTOMIZATION and path not in parts]


def conflicts(applied) -> list[str]:
    seen, problems = {}, []
    for thing in applied:
        meta = thing.get("metadata", {})
        key = (kind_of(thing), meta.get("namespace", ""), meta.get("name"))
        if seen.setdefault(key, thing) != thing:
            problems.append(f"{thing['kind']}/{meta.get('name')}: rendered twice with different content")
    return problems


if __name__ == "__main__":
    sys.exit(main())
