# SPDX-License-Identifier: Apache-2.0
"""A repository of somebody's with a blueprint in it, at names that a careless script would run, and how its scripts are run."""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = """it's a "blue print" $(touch pwned)"""
BRANCH = """feat/$(touch${IFS}pwned);'"`touch${IFS}pwned`"""
BLUEPRINT = 'param project: ProjectId = "my-project"\n\nbucket data {\n  location = "us-east4"\n}\n'
CHANGED = BLUEPRINT.replace("us-east4", "us-east5")
TEST = "test `it's <b>` & \"$(touch pwned)\".bp"
WRONG = BLUEPRINT.replace('"us-east4"', "5")


class Refused(Exception):
    """Something ended or said other than it should."""


def expect(truth: bool, what: str) -> None:
    if not truth:
        raise Refused(what)


@dataclass
class Ended:
    """How a script ended, and all that it said."""

    status: int
    said: str

    def expect(self, status: int, *words: str) -> "Ended":
        missing = [word for word in words if word not in self.said]
        expect(self.status == status and not missing, f"ended with {self.status} and not {status}, without {missing}, and said:\n{self.said}")
        return self


class Repository:
    """`main` has the blueprint and what it builds; the branch that is checked out is for changes of it."""

    def __init__(self, slipform: Path, work: Path):
        shutil.rmtree(work, ignore_errors=True)
        self.work, self.root = work, work / "their repository"
        (work / "bin").mkdir(parents=True)
        (work / "bin" / "slipform").symlink_to(slipform)
        (work / "bin" / "python3").symlink_to(sys.executable)
        (self.root / FOLDER).mkdir(parents=True)
        self.write(BLUEPRINT)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.build()
        self.commit()
        self.git("checkout", "--quiet", "-b", BRANCH)

    def write(self, text: str) -> None:
        (self.root / FOLDER / "train.bp").write_text(text)

    def test(self, text: str) -> None:
        """A program of its own among the tests, at a name that a careless reader would run or take for markup."""
        (self.root / FOLDER / "tests").mkdir(exist_ok=True)
        (self.root / FOLDER / "tests" / TEST).write_text(text)

    def build(self) -> None:
        subprocess.run([self.work / "bin" / "slipform", "build", "--", FOLDER], cwd=self.root, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "a blueprint")

    def git(self, *words: str) -> str:
        names = {f"GIT_{who}_{what}": "forges@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        done = subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True, env={**os.environ, **names})
        return done.stdout.strip()

    def run(self, script: str, environment: dict) -> Ended:
        """A script as a runner starts it, with nothing of what surrounds the tests but PATH."""
        path = self.work / "script"
        path.write_text(script)
        surroundings = {"PATH": f"{self.work / 'bin'}:{os.environ['PATH']}", "HOME": str(self.work), "LANG": "C.UTF-8"}
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", str(path)], cwd=self.root, env=surroundings | environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        expect(not list(self.work.rglob("pwned*")), f"a name was run as a command by:\n{script}")
        return Ended(done.returncode, done.stdout)


def sound(name: str, script: str, work: Path) -> None:
    """What ShellCheck has to say of a script that lies in YAML."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / "script"
    path.write_text(f"set -eo pipefail\n{script}")
    done = subprocess.run(["shellcheck", "--shell=bash", "--format=gcc", str(path)], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{name}:\n{done.stdout}{done.stderr}")
