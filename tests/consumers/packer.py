#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rendered template of Packer: HCL that says what the plugin of Compute Engine takes, with each of its scripts beside it.

usage: packer.py RENDERED...

Where packer is on PATH it reads the syntax of each besides. Words and their meaning are those of hashicorp/packer-plugin-googlecompute, its documents.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from roots import block, parsed

NEEDED = {"project_id", "zone", "image_family", "image_name", "machine_type", "disk_size", "subnetwork"}
KNOWN = NEEDED | {
    "disable_default_service_account", "disk_type", "image_description", "image_labels", "labels", "metadata", "network", "network_project_id",
    "omit_external_ip", "on_host_maintenance", "scopes", "service_account_email", "source_image", "source_image_family", "source_image_project_id",
    "ssh_username", "state_timeout", "use_iap", "use_internal_ip", "use_os_login",
}
SCRIPT = re.compile(r"\$\{path\.root\}/(\S+)")
LABEL = re.compile(r"[a-z0-9_-]{0,63}")
LONGEST = 63


def problems(path: Path) -> list:
    """What is wrong with a template."""
    tree = parsed(path)
    source = tree["source"][0]["googlecompute"]["image"]
    source = source[0] if isinstance(source, list) else source
    said = {key for key in source if not key.startswith("__")}
    found = [f"`{key}` is missing" for key in sorted(NEEDED - said)]
    found += [f"the plugin has no `{key}`" for key in sorted(said - KNOWN)]
    if len(said & {"source_image", "source_image_family"}) != 1:
        found.append("one of `source_image` and `source_image_family` says what it starts from")
    if ("service_account_email" in said) == ("disable_default_service_account" in said):
        found.append("the machine has one account, or none")
    stamp = len("YYYYMMDDhhmmss")
    name = re.sub(r"\$\{formatdate\([^}]*\)\}", "0" * stamp, str(source["image_name"]))
    if not re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name) or len(name) > LONGEST:
        found.append(f"`{name}` is no name of an image")
    labels = block({"it": source.get("image_labels", {})}, "it")
    found += [f"`{value}` is no value of a label" for value in labels.values() if not LABEL.fullmatch(str(value))]
    for build in tree["build"]:
        for provisioner in build.get("provisioner", []):
            for script in provisioner["shell"].get("scripts", []):
                file = SCRIPT.fullmatch(script)
                if not file or not os.access(path.parent / file[1], os.X_OK):
                    found.append(f"`{script}` is no program beside it")
    return found


def refused(packer: str, path: Path) -> list:
    """What packer itself finds in the syntax."""
    run = subprocess.run([packer, "validate", "-syntax-only", path.parent], capture_output=True, text=True)
    return [] if run.returncode == 0 else [run.stdout + run.stderr]


def main() -> int:
    packer, wrong, count = shutil.which("packer"), [], 0
    for root in map(Path, sys.argv[1:]):
        for path in sorted(root.glob("25-machine-images/*/image.pkr.hcl")):
            count += 1
            wrong += [f"{path}: {it}" for it in problems(path) + (refused(packer, path) if packer else [])]
    print(*wrong, sep="\n")
    print(f"{count} templates of Packer, {len(wrong)} problems; syntax read by {packer or 'hcl2 alone'}")
    if not count:
        print("no template of Packer is among the outputs")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
