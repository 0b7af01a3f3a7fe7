# SPDX-License-Identifier: Apache-2.0
"""Whether a release can be made of this checkout, and what it says of itself.

usage: meant.py [TAG REPOSITORY]   prints the version; with a tag it has to be the version's, and REPOSITORY what the program names
       meant.py --notes            prints what the changelog says of the version

Exit status: 0, or 1 with what has to be mended first.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(package: dict, tag: str, repository: str) -> list:
    """What is to be mended before a release of this tag."""
    found = []
    if tag != f"v{package['version']}":
        found.append(f"the tag is `{tag}`, and Cargo.toml has the version {package['version']}: tag `v{package['version']}`, or change the version")
    if package["repository"] != repository:
        found.append(
            f"compiler/cli/Cargo.toml names {package['repository'] or 'no repository'}, and the release is at {repository}: "
            f"write `repository = \"{repository}\"` there, where `cargo binstall` looks for archives")
    if not notes(package["version"]):
        found.append(f"CHANGELOG.md says nothing below `## {package['version']}`")
    return found


def notes(version: str) -> str:
    """The section of a version."""
    section = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE | re.DOTALL)
    return section[1].strip() if section else ""


def program() -> dict:
    """What Cargo knows of the program."""
    done = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT, capture_output=True, check=True)
    return next(package for package in json.loads(done.stdout)["packages"] if package["name"] == "slipform")


def main() -> int:
    package = program()
    match sys.argv[1:]:
        case []:
            print(package["version"])
        case ["--notes"]:
            print(notes(package["version"]))
        case [tag, repository]:
            if found := faults(package, tag, repository):
                print("\n".join(found), file=sys.stderr)
                return 1
            print(package["version"])
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
