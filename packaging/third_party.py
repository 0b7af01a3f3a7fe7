# SPDX-License-Identifier: Apache-2.0
"""The licences of all libraries that are in the program, with their texts: what goes beside it wherever it is given away.

usage: third_party.py

The libraries are what `cargo metadata` says that the program is linked of, on any system. Each text is written once, with those that it
is of. A library without a text of its own is given the one of packaging/licences/ for its licence, with its authors. The whole goes to
standard output. Exit status: 0, or 1 where a library has no licence whose text there is.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STANDARD = Path(__file__).with_name("licences")
TEXTS = re.compile(r"(licen[cs]e|copying|unlicense|notice|copyright)([-._ ].*)?$", re.IGNORECASE)


def linked(metadata: dict) -> list:
    """The packages of others that end in the program: whom it needs, and whom those need, but not to be built or tested."""
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    seen, wanted = set(), [package["id"] for package in metadata["packages"] if package["name"] == "slipform"]
    while wanted:
        package = wanted.pop()
        if package not in seen:
            seen.add(package)
            wanted += [need["pkg"] for need in needs[package] if any(kind["kind"] is None for kind in need["dep_kinds"])]
    others = [packages[package] for package in seen if packages[package]["source"]]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(package: dict) -> list:
    """Those of a library, and of what of others' it carries in folders of its own."""
    folder = Path(package["manifest_path"]).parent
    found = [path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file() and TEXTS.match(path.name)]
    return found or [standard(package)]


def standard(package: dict) -> str:
    choices = [STANDARD / f"{name}.txt" for name in re.split(r" OR |/", package["license"])]
    text = next((choice for choice in choices if choice.is_file()), None)
    if not text:
        wanted = " or ".join(str(choice.relative_to(ROOT)) for choice in choices)
        raise SystemExit(f"{package['name']} {package['version']} ({package['license']}) comes without the text of its licence: add it as {wanted}")
    authors = ", ".join(re.sub(r" *<.*>", "", author) for author in package["authors"]) or f"the authors of {package['name']}"
    return text.read_text().replace("@AUTHORS@", authors)


def document(packages: list) -> str:
    """The libraries, then each text with those that it is of."""
    of_text = {}
    for package in packages:
        for text in texts(package):
            key = " ".join(text.split())
            of_text.setdefault(key, (text, []))[1].append(f"{package['name']} {package['version']}")
    lines = ["Slipform is under the Apache License 2.0. It is linked of these libraries, under these licences:", ""]
    lines += [f"  {package['name']} {package['version']}: {package['license'].replace('/', ' OR ')}" for package in packages]
    for text, names in of_text.values():
        lines += ["", "-" * 100, ", ".join(names), "", text.strip("\n")]
    return "\n".join(line.rstrip() for part in lines for line in part.split("\n")) + "\n"


def main() -> int:
    if len(sys.argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    done = subprocess.run(["cargo", "metadata", "--locked", "--format-version", "1"], cwd=ROOT, capture_output=True, check=True)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print(document(linked(json.loads(done.stdout))), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
