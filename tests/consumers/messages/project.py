# SPDX-License-Identifier: Apache-2.0
"""A project in which something is wrong, at names and with words that a careless writer would hand on as markup or as a command."""
import json
import shutil
import subprocess
from pathlib import Path

NAMED = "it's <b> & \"ü\" 100%,a:b.bp"
BLUEPRINT = """param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 2
  launch = torchrun("train.py")
  env    = { SAID = "one" }
}
"""
HOSTILE = "<img src=x> | `x` ``y`` @octocat #12 [l](https://e.com) **b** \\\\| $m$ ]]> ::error::c\\n::error file=x::d"
# a misspelt word with its mend, a node too many, and a constraint that says what somebody wrote
WRONG = BLUEPRINT.replace("region ", "regoin ").replace("nodes  = 2", "nodes  = 5") + f'\nassert 1 == 2, "{HOSTILE}"\n'


class Refused(Exception):
    """A reader does not take what is written, or takes something else out of it."""


def expect(truth: bool, what: str) -> None:
    if not truth:
        raise Refused(what)


class Project:
    """A folder with one blueprint under version control."""

    def __init__(self, slipform: Path, folder: Path):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.slipform, self.folder = slipform, folder
        (folder / NAMED).write_text(BLUEPRINT)
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "a blueprint"]):
            who = ["-c", "user.name=messages", "-c", "user.email=messages@example.com"]
            subprocess.run(["git", "-C", folder, *who, *words], check=True, capture_output=True)

    def write(self, text: str) -> None:
        (self.folder / NAMED).write_text(text)

    def said(self, *words: str, status: int) -> str:
        """What a command prints, which ends with this status."""
        done = subprocess.run([self.slipform, *words, NAMED], cwd=self.folder, capture_output=True, text=True)
        expect(done.returncode == status, f"`{' '.join(words)}` ended with {done.returncode}, and said:\n{done.stdout}{done.stderr}")
        return done.stdout

    def checked(self, form: str, text: str = WRONG) -> str:
        self.write(text)
        return self.said("check", "--message-format", form, status=0 if text == BLUEPRINT else 1)

    def problems(self) -> set:
        """What is wrong, as programs read it: code, line and severity."""
        self.write(WRONG)
        done = subprocess.run([self.slipform, "check", "--message-format", "json", NAMED], cwd=self.folder, capture_output=True, text=True)
        lines = [json.loads(line) for line in done.stderr.splitlines() + done.stdout.splitlines() if line.startswith("{")]
        found = {(it["code"], it["range"]["start"]["line"], it["severity"]) for it in lines}
        expect(len(found) >= 3, f"{len(found)} problems are too few to try anything with:\n{done.stderr}")
        return found
