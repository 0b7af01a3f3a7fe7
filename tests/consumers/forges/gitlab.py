# SPDX-License-Identifier: Apache-2.0
"""The component, with a stand-in of GitLab's interface that keeps the notes of one merge request."""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from junitparser import JUnitXml

from repository import BLUEPRINT, CHANGED, FOLDER, TEST, WRONG, Ended, Repository, expect, sound

HEADER, JOBS = yaml.safe_load_all((Path(__file__).resolve().parents[3] / "templates" / "slipform.yml").read_text())
INPUTS = HEADER["spec"]["inputs"]
OURS, THEIRS = 1, 2


def interpolated(node, inputs: dict):
    """What GitLab makes of the component: values in the place of `$[[ inputs.x ]]`, in the tree and never in the text."""
    if isinstance(node, dict):
        return {interpolated(key, inputs): interpolated(value, inputs) for key, value in node.items()}
    if isinstance(node, list):
        return [interpolated(entry, inputs) for entry in node]
    return re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: inputs[found[1]], node) if isinstance(node, str) else node


class Pipeline:
    """Pipelines of one merge request, one after the other."""

    def __init__(self, slipform: Path, work: Path, token: str = "token"):
        self.repository = Repository(slipform, work)
        self.notes, self.token = [], token
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def job(self, name: str, **inputs: str) -> Ended:
        values = {key: str(told.get("default", "")).lower() if told.get("type") == "boolean" else told.get("default", "") for key, told in INPUTS.items()}
        values |= {"path": FOLDER, "slipform": ""} | {key.replace("_", "-"): value for key, value in inputs.items()}
        jobs = interpolated(JOBS, values)
        base, job = jobs[f".{values['job']}"], jobs[f"{values['job']}-{name}"]
        known = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": self.repository.git("rev-parse", "main"), "CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7",
                 "CI_COMMIT_SHORT_SHA": "0a1b2c", "CI_JOB_URL": "https://example.com/them/theirs/-/jobs/42",
                 "CI_API_V4_URL": f"http://127.0.0.1:{self.server.server_address[1]}/api/v4", "no_proxy": "127.0.0.1"}
        known |= {"SLIPFORM_NOTE_TOKEN": self.token} if self.token else {}
        return self.repository.run("\n".join([*base["before_script"], *job["script"]]), {**known, **base["variables"], **job.get("variables", {})})


def handler(pipeline: Pipeline) -> type:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            path, _, query = self.path.partition("?")
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length))["body"] if length else ""
            of_one = re.fullmatch(r"/api/v4/projects/5/merge_requests/7/notes(?:/(\d+))?", path)
            found = None
            if self.headers["PRIVATE-TOKEN"] == "token" and path == "/api/v4/user":
                found = {"id": OURS}
            elif self.headers["PRIVATE-TOKEN"] == "token" and of_one:
                found = self.of_notes(of_one[1], query, body)
            self.send_response(200 if found is not None else 403)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        def of_notes(self, number: str | None, query: str, body: str):
            if self.command == "GET":
                page = int(re.search(r"\bpage=(\d+)", query)[1])
                return pipeline.notes[(page - 1) * 100: page * 100]
            if self.command == "POST":
                pipeline.notes.append({"id": len(pipeline.notes), "author": {"id": OURS}, "body": body})
                return pipeline.notes[-1]
            pipeline.notes[int(number)]["body"] = body
            return pipeline.notes[int(number)]

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *_words) -> None:
            """Nothing: the case tells what went wrong."""

    return Handler


def scripts(_slipform, work):
    """no script has an input in it, and ShellCheck finds nothing"""
    for name, job in JOBS.items():
        script = "\n".join([*job.get("before_script", []), *job.get("script", [])])
        expect("$[[" not in script, f"an input stands in the script of {name}:\n{script}")
        sound(name, script, work)


def checked(slipform, work):
    """what is wrong is in the report of code quality and in the log, and fails the job"""
    pipeline = Pipeline(slipform, work)
    report = pipeline.repository.root / "gl-code-quality-report.json"
    pipeline.job("check").expect(0)
    expect(json.loads(report.read_text()) == [], report.read_text())
    pipeline.repository.write(WRONG)
    pipeline.job("check").expect(1, "types/mismatch")
    entry = json.loads(report.read_text())[0]
    expect(entry["location"]["path"] == f"{FOLDER}/train.bp" and entry["fingerprint"], str(entry))


def planned(slipform, work):
    """the plan is one note, which is written anew however many there are, and that of somebody else stays"""
    pipeline = Pipeline(slipform, work)
    pipeline.job("plan", note="true").expect(0, "nothing changes")
    expect(pipeline.notes == [], "nothing changes, and there is a note")
    pipeline.repository.write(CHANGED)
    pipeline.job("plan", note="true").expect(0, "destroys data")
    body = pipeline.notes[0]["body"]
    expect("| **destroys data** | bucket data" in body, body)
    pipeline.notes = [{"id": number, "author": {"id": THEIRS}, "body": body} for number in range(120)] + [pipeline.notes[0] | {"id": 120}]
    pipeline.repository.write(BLUEPRINT)
    pipeline.job("plan", note="true").expect(0)
    expect("Nothing changes." in pipeline.notes.pop()["body"], "the note is as it was")
    expect(all(note["body"] == body for note in pipeline.notes), "the note of somebody else is another")


def failed(slipform, work):
    """where there is no plan, a note says so instead of what it said of an earlier commit, and none is new"""
    pipeline = Pipeline(slipform, work)
    pipeline.repository.write(WRONG)
    pipeline.job("plan", note="true").expect(1, "types/mismatch")
    expect(pipeline.notes == [], "there is nothing to tell, and there is a note")
    pipeline.repository.write(CHANGED)
    pipeline.job("plan", note="true").expect(0)
    pipeline.repository.write(WRONG)
    pipeline.job("plan", note="true").expect(1, "types/mismatch")
    [note] = pipeline.notes
    told = "There is no plan of `0a1b2c`: [the job](https://example.com/them/theirs/-/jobs/42) tells why."
    expect(told in note["body"] and "destroys" not in note["body"], note["body"])


def gated(slipform, work):
    """the gate fails the job after the note is written, and drift is a job of its own"""
    pipeline = Pipeline(slipform, work)
    pipeline.repository.write(CHANGED)
    pipeline.job("plan", note="true", fail_on="destroy").expect(3)
    expect(len(pipeline.notes) == 1, "there is no note")
    pipeline.job("drift").expect(3, "is not what would be built")
    pipeline.repository.build()
    pipeline.job("drift").expect(0)


def tested(slipform, work):
    """a test that fails is in the report and in the log, and fails the job"""
    pipeline = Pipeline(slipform, work)
    for text, status in ((BLUEPRINT, 0), (WRONG, 1)):
        pipeline.repository.test(text)
        pipeline.job("test", test="true").expect(status, *["types/mismatch"][:status])
        told = JUnitXml.fromfile(str(pipeline.repository.root / "slipform-tests.xml"))
        cases = [case for suite in told for case in suite]
        expect([(case.name, case.classname) for case in cases] == [(TEST, f"tests/{TEST}")], str(cases))
        expect((told.tests, told.failures, told.errors, len(cases[0].result)) == (1, status, 0, status), told.tostring().decode())


def denied(slipform, work):
    """without a token, or with one that may not, the job says so and goes on"""
    for number, (token, why) in enumerate({"": "SLIPFORM_NOTE_TOKEN is not set", "another": "403"}.items()):
        pipeline = Pipeline(slipform, work / str(number), token)
        pipeline.repository.write(CHANGED)
        pipeline.job("plan", note="true").expect(0, "the plan cannot be written as a note", why)
        expect(pipeline.notes == [], "there is a note")


CASES = (scripts, checked, planned, failed, gated, tested, denied)
