# SPDX-License-Identifier: Apache-2.0
"""The composite action, with a stand-in of `gh` that keeps the comments of one pull request."""
import json
import re
import tarfile
from pathlib import Path

import yaml

from repository import BLUEPRINT, CHANGED, FOLDER, WRONG, Ended, Refused, Repository, expect, sound

HERE = Path(__file__).resolve().parent
ACTION = yaml.safe_load((HERE.parents[2] / "action.yml").read_text())
OPEN = {"path": FOLDER, "against": "main", "comment": "true"}


class Run:
    """Runs of the action in one pull request, one after the other."""

    def __init__(self, slipform: Path, work: Path, comments: list = ()):
        self.repository = Repository(slipform, work)
        self.temp, self.state = work / "temp", work / "pull-request.json"
        self.temp.mkdir()
        (work / "bin" / "gh").symlink_to(HERE / "gh")
        self.state.write_text(json.dumps({"comments": list(comments), "may_write": True, "asset": None, "attested": True}))
        self.context, self.files = {}, {}

    def of(self, **inputs: str) -> Ended:
        """One run with these inputs: it ends as the first step that fails, unless a later one runs nevertheless."""
        unknown = inputs.keys() - ACTION["inputs"].keys()
        expect(not unknown, f"the action has no {unknown}")
        self.context = {f"inputs.{name}": told.get("default", "") for name, told in ACTION["inputs"].items()}
        self.context |= {f"inputs.{name}": value for name, value in inputs.items()} | {
            "github.event.pull_request.number": "7", "github.event.pull_request.head.sha": "0a1b2c", "github.server_url": "https://example.com", "github.repository": "them/theirs",
            "github.run_id": "42", "github.token": "token", "github.action_repository": "us/slipform"}
        self.files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
        for file in self.files.values():
            file.write_text("")
        status, said = 0, ""
        for step in ACTION["runs"]["steps"]:
            if self.holds(str(step.get("if", "true")), status):
                ended = self.step(step)
                status, said = status or ended.status, said + ended.said
        return Ended(status, said)

    def step(self, step: dict) -> Ended:
        surroundings = {name: str(file) for name, file in self.files.items()} | {
            "RUNNER_TEMP": str(self.temp), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "STATE": str(self.state)}
        told = {name: self.filled(value) for name, value in step.get("env", {}).items()}
        ended = self.repository.run(step["run"], surroundings | told)
        for line in self.files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.context[f"steps.{step['id']}.outputs.{name}"] = value
        self.files["GITHUB_OUTPUT"].write_text("")
        return ended

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.filled(self.context.get(found[1], "")), str(text))

    def holds(self, condition: str, status: int) -> bool:
        """The few forms of conditions that the action has. Without one of its own about it, a step runs where none failed."""
        parts = re.sub(r"^\$\{\{ (.*) \}\}$", r"\1", condition).split(" && ")
        if "!cancelled()" not in parts and status:
            return False
        return all(self.part(part) for part in parts if part not in ("true", "!cancelled()"))

    def part(self, part: str) -> bool:
        match = re.fullmatch(r"([\w.-]+) (==|!=) '(.*)'", part)
        if not match:
            raise Refused(f"nobody can tell what `{part}` is")
        return (self.context.get(match[1], "") == match[3]) == (match[2] == "==")

    def comments(self) -> list:
        return json.loads(self.state.read_text())["comments"]

    def set(self, **state) -> None:
        self.state.write_text(json.dumps(json.loads(self.state.read_text()) | state))


def scripts(_slipform, work):
    """no script has an expression in it, and ShellCheck finds nothing"""
    for number, step in enumerate(ACTION["runs"]["steps"]):
        expect("${{" not in step["run"], f"an expression stands in a script:\n{step['run']}")
        sound(f"step {number}", step["run"], work)


def checked(slipform, work):
    """a blueprint is checked, and what is wrong is an annotation"""
    run = Run(slipform, work)
    run.of(path=FOLDER).expect(0)
    run.repository.write(WRONG)
    run.of(path=FOLDER).expect(1, "::error file=", "types/mismatch")


def planned(slipform, work):
    """the plan is one comment, which is written anew, and that of somebody else stays"""
    run = Run(slipform, work)
    theirs = {"id": 1, "own": False, "body": "<!-- slipform plan of"}
    run.of(**OPEN).expect(0)
    expect(run.comments() == [], "nothing changes, and there is a comment")
    run.repository.write(CHANGED)
    run.of(**OPEN).expect(0, "::error file=", "destroys data")
    body = run.comments()[0]["body"]
    expect("| **destroys data** | bucket data" in body, body)
    expect("destroys data" in run.files["GITHUB_STEP_SUMMARY"].read_text(), "the summary has no plan")
    run.set(comments=[theirs | {"body": body}, *run.comments()])
    run.repository.write(BLUEPRINT)
    run.of(**OPEN).expect(0)
    first, second = run.comments()
    expect(first["body"] == body and "Nothing changes." in second["body"], str(run.comments()))


def failed(slipform, work):
    """where there is no plan, a comment says so instead of what it said of an earlier commit, and none is new"""
    run = Run(slipform, work)
    run.repository.write(WRONG)
    run.of(**OPEN).expect(1, "types/mismatch")
    expect(run.comments() == [], "there is nothing to tell, and there is a comment")
    run.repository.write(CHANGED)
    run.of(**OPEN).expect(0)
    run.repository.write(WRONG)
    run.of(**OPEN).expect(1, "types/mismatch")
    [comment] = run.comments()
    told = "There is no plan of `0a1b2c`: [the run](https://example.com/them/theirs/actions/runs/42) tells why."
    expect(told in comment["body"] and "destroys" not in comment["body"], comment["body"])


def gated(slipform, work):
    """the gate fails the run after the comment is written, and the drift is told all the same"""
    run = Run(slipform, work)
    run.repository.write(CHANGED)
    run.of(**OPEN, **{"fail-on": "destroy", "build-check": "true"}).expect(3, "`fail-on` stops it", "is not what would be built")
    expect(len(run.comments()) == 1, "there is no comment")
    run.repository.build()
    run.of(**{"path": FOLDER, "build-check": "true"}).expect(0)
    run.of(path=FOLDER, against="main", **{"fail-on": "nonsense"}).expect(2, "invalid value 'nonsense'")


def tested(slipform, work):
    """tests are run where they are asked for, and one that fails is an annotation"""
    run = Run(slipform, work)
    run.repository.test(BLUEPRINT)
    run.of(path=FOLDER, test="true").expect(0, "1 passed; 0 failed")
    run.repository.test(WRONG)
    run.of(path=FOLDER).expect(0)
    run.of(path=FOLDER, test="true").expect(1, "::error file=", "types/mismatch", "0 passed; 1 failed")


def hostile(slipform, work):
    """what the plan is told against is never run, nor an option of git's"""
    run = Run(slipform, work)
    for against in ("$(touch pwned)", "'; touch pwned; '", "--upload-pack=touch pwned", run.repository.git("branch", "--show-current") + "~9"):
        run.of(**OPEN | {"against": against}).expect(2, "is neither a folder nor a revision")
    run.repository.write(CHANGED)
    run.repository.commit()
    branch = run.repository.git("branch", "--show-current")
    run.repository.write(BLUEPRINT)
    run.of(**OPEN | {"against": branch}).expect(0, "destroys data")


def denied(slipform, work):
    """where no comment can be written, as from a fork, the run says so and goes on"""
    run = Run(slipform, work)
    run.repository.write(CHANGED)
    run.set(may_write=False)
    run.of(**OPEN).expect(0, "::warning::the plan cannot be written as a comment")


def long(slipform, work):
    """a plan that is longer than a comment may be ends with where the rest is"""
    run = Run(slipform, work)
    run.of(path=FOLDER)
    told = run.temp / "plan.md"
    told.write_text("| adds | größer than any plan that a person reads |\n" * 2000)
    run.context |= {"steps.plan.outputs.file": str(told), "steps.plan.outputs.changed": "true"}
    run.step(next(step for step in ACTION["runs"]["steps"] if "gh pr" in step["run"])).expect(0)
    body = run.comments()[0]["body"]
    expect(50000 < len(body) < 65536 and body.endswith("[the summary](https://example.com/them/theirs/actions/runs/42).\n"), body[-300:])


def installed(slipform, work):
    """a release is installed where its provenance is right, and not where it is another's"""
    run = Run(slipform, work)
    name = "slipform-0.1.0-x86_64-unknown-linux-musl"
    (work / "released").write_text(f"#!/bin/sh\nexec '{slipform}' \"$@\"\n")
    with tarfile.open(work / f"{name}.tar.gz", "w:gz") as tar:
        tar.add(work / "released", f"{name}/slipform")
    run.set(asset=str(work / f"{name}.tar.gz"))
    run.of(path=FOLDER, version="0.1.0").expect(0)
    folder = Path(run.files["GITHUB_PATH"].read_text().strip())
    expect((folder / "slipform").is_file(), f"no program lies in {folder}")
    run.set(attested=False)
    run.of(path=FOLDER, version="0.1.0").expect(1, "no attestation")
    expect(run.files["GITHUB_PATH"].read_text() == "", "what nobody vouches for is on PATH")


CASES = (scripts, checked, planned, failed, gated, tested, hostile, denied, long, installed)
