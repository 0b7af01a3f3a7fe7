# SPDX-License-Identifier: Apache-2.0
"""Lets gcloud parse every gcloud command of the rendered READMEs and scripts, without running one: `gcloud meta lint-gcloud-commands`.

usage: gcloud_lint.py RENDERED...
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# up to what ends it for a shell, which in quotes ends nothing
COMMAND = re.compile(r"""^[ \t]*(gcloud (?:'[^'\n]*'|"[^"\n]*"|[^|&;#<>`'"\n])*)""", re.MULTILINE)
NOT_A_FLAG = "gcloud container clusters get-credentials x --no-such-flag=1"
NUMBER = re.compile(r"\$\(\([^)]*\)\)")
VARIABLE = re.compile(r"\$\([^)]*\)|\$\{[^}]*\}|\$\w+")


def main() -> int:
    found = {}
    for root in map(Path, sys.argv[1:]):
        for path in sorted([*root.rglob("README.md"), *root.rglob("*.sh")]):
            for command in COMMAND.findall(VARIABLE.sub("value", NUMBER.sub("1", path.read_text().replace("\\\n", " ")))):
                found.setdefault(" ".join(command.split()), path)
    *answers, caught = parsed([*found, NOT_A_FLAG])
    refused = 0
    for (command, path), answer in zip(found.items(), answers):
        why = "" if answer.get("success") else answer.get("error_message") or "refused"
        refused += bool(why)
        print(f"REFUSED  {path}: `{command}`: {why}" if why else f"ok       {command}")
    if caught.get("success"):
        refused += 1
        print("WRONG    a flag that gcloud does not have is accepted")
    print(f"gcloud: {len(found)} commands parsed, {refused} refused")
    return 1 if refused or not found else 0


def parsed(commands: list) -> list:
    """What gcloud says of each command, in order."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([{"command_string": command} for command in commands], file)
        file.flush()
        done = subprocess.run(["gcloud", "meta", "lint-gcloud-commands", f"--commands-file={file.name}"], capture_output=True, text=True, check=False)
    try:
        answers = json.loads(done.stdout)
    except ValueError:
        answers = []
    if len(answers) != len(commands):
        raise SystemExit(f"gcloud does not parse the commands: {done.stderr.strip()}")
    return answers


if __name__ == "__main__":
    sys.exit(main())
