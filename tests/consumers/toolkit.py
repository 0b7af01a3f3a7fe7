#!/usr/bin/env python3
"""toolkit.py FOLDER OUTPUT...: every rendered blueprint of Cluster Toolkit, judged as `gcluster create` judges it.

FOLDER has `check.py` and `modules.json`: what the modules of a release take and give, and the rules of `gcluster`. A deployment is told the variables
that the command of the rendered README gives. That something is found at all is tried with mistakes of our own.
"""
import importlib.util
import re
import sys
from pathlib import Path

import yaml


def checker(folder: Path):
    spec = importlib.util.spec_from_file_location("check", folder / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check


def deployment(output: Path, folder: Path) -> dict:
    """What the deployment is made with: its file, and the variables of the command."""
    told = yaml.safe_load((folder / "deployment.yaml").read_text())
    relative = folder.relative_to(output)
    line = next(line for line in (output / "README.md").read_text().splitlines() if line.startswith(f"gcluster create {relative}/"))
    for name in re.findall(r"--vars=(\w+)=", line):
        told["vars"][name] = "10.0.0.2"
    return told


def mistakes(check, path: Path, told: dict) -> list[str]:
    """Changes that have to be refused, and are not."""
    text = path.read_text()
    wrong = {
        "a setting that is not there": text.replace("machine_type:", "machine_tpye:", 1),
        "a module that is not there": text.replace("nodeset", "nodest", 1),
        "a module that nobody declares": re.sub(r"use:\n(\s*- )\S+", r"use:\n\1nobody", text, count=1),
    }
    other = path.with_name("wrong.yaml")
    missed = []
    for what, changed in wrong.items():
        other.write_text(changed)
        if changed == text or not check(str(other), told):
            missed.append(f"{path}: {what} is not found")
    other.unlink()
    return missed


def main() -> int:
    check = checker(Path(sys.argv[1]))
    problems, count, modules = [], 0, 0
    for output in map(Path, sys.argv[2:]):
        for path in sorted(output.glob("30-*/cluster.yaml")):
            count += 1
            told = deployment(output, path.parent)
            modules += sum(len(group["modules"]) for group in yaml.safe_load(path.read_text())["deployment_groups"])
            found = [f"{path}: {error}" for error in check(str(path), told)]
            problems += found or mistakes(check, path, told)
    print(*problems, sep="\n")
    print(f"{count} blueprints of Cluster Toolkit with {modules} modules, {len(problems)} problems")
    if not count:
        print("no blueprint of Cluster Toolkit is among the outputs")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
