# SPDX-License-Identifier: Apache-2.0
"""Sends the rendered training pipelines to a stand-in of Vertex AI, and follows what the README says of them there.

usage: pipelines.py RENDERED...

The stand-in is a file of pipelines and models, and a `curl` that answers from it as the API is documented: lists in pages of two, filters,
models by name. A run that would upload a second model of its id, or a version of none, is refused before it is sent. Runs
that are sent have a folder each. The commands of the README find the newest pipeline behind any number of pages, say so
where there is none, and those of "Tear down" cancel whatever has not ended.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ENDED = ("SUCCEEDED", "FAILED", "CANCELLED", "CANCELLING")
OPEN = ("QUEUED", "PENDING", "RUNNING", "PAUSED")

CURL = """#!/usr/bin/env python3
import argparse, json, re, sys, urllib.parse
options = argparse.ArgumentParser()
for flag in ("--get", "--silent", "--show-error", "--fail-with-body"):
    options.add_argument(flag, action="store_true")
for name in ("--request", "--data", "--data-binary", "--output", "--write-out"):
    options.add_argument(name)
for name in ("--header", "--data-urlencode"):
    options.add_argument(name, action="append", default=[])
options.add_argument("url")
said = options.parse_args()
world = json.load(open(WORLD))
path = urllib.parse.urlsplit(said.url).path.removeprefix("/v1/")
asked = dict(part.split("=", 1) for part in said.data_urlencode)
method = said.request or "GET"

def holds(it, term):
    name, differs, value = re.fullmatch(r'(display_name|state|labels\.[a-z_-]+)(!?)="(.*)"', term).groups()
    said = it.get("labels", {}).get(name[7:]) if name.startswith("labels.") else it[{"display_name": "displayName"}.get(name, name)]
    return (said == value) != bool(differs)

def answer():
    collection, _, rest = path.partition("/trainingPipelines")
    if method == "POST" and path.endswith(":cancel"):
        next(it for it in world["pipelines"] if it["name"] == path.removesuffix(":cancel"))["state"] = "PIPELINE_STATE_CANCELLING"
        return 200, {}
    if method == "POST":
        made = json.load(open(said.data_binary.removeprefix("@")))
        made |= {"name": f"{path}/{len(world['pipelines']) + 1}", "state": "PIPELINE_STATE_QUEUED", "createTime": "2026-11-24T00:00:00Z"}
        world["pipelines"].append(made)
        return 200, made
    if path.endswith("/trainingPipelines"):
        found = [it for it in world["pipelines"] if all(holds(it, term) for term in asked["filter"].split(" AND "))]
        at = int(asked.get("pageToken") or 0)
        page = {"trainingPipelines": found[at:at + 2]} if found else {}
        return 200, page | ({"nextPageToken": str(at + 2)} if at + 2 < len(found) else {})
    known = {it["name"]: it for it in world["pipelines"]} | {name: {"name": name} for name in world["models"]}
    return (200, known[path]) if path in known else (404, {"error": {"code": 404, "message": f"{path} is not there"}})

code, body = answer()
json.dump(world, open(WORLD, "w"))
if said.output != "/dev/null":
    print(json.dumps(body, indent=2))
if said.write_out:
    print(said.write_out.replace("%{http_code}", str(code)), end="")
sys.exit(22 if code >= 400 and said.fail_with_body else 0)
"""


class Refused(Exception):
    """What a script does otherwise than it says."""


class Api:
    """The stand-in, in a folder of its own."""

    def __init__(self, folder: Path):
        self.state = folder / "world.json"
        self.write(folder / "curl", CURL.replace("WORLD", repr(str(self.state))))
        self.write(folder / "gcloud", "#!/bin/sh\ncase $* in *project*) echo my-project ;; *) echo token ;; esac\n")
        self.write(folder / "terraform", "#!/bin/sh\nprintf value\n")
        self.environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        self.environment.pop("RUN_FOLDER", None)
        self.world = {"pipelines": [], "models": []}

    @staticmethod
    def write(path: Path, text: str):
        path.write_text(text)
        path.chmod(0o755)

    @property
    def world(self) -> dict:
        return json.loads(self.state.read_text())

    @world.setter
    def world(self, world: dict):
        self.state.write_text(json.dumps(world))

    def run(self, *command: str, **said: str):
        return subprocess.run(["bash", *command], env=self.environment | said, capture_output=True, text=True, check=False)


PROJECT = re.compile(r"^project=([^\s\"$]+)$", re.M)


def main() -> int:
    requests = [path for root in map(Path, sys.argv[1:]) for path in sorted(root.rglob("50-workloads/*/*.json"))
                if "trainingTaskInputs" in json.loads(path.read_text())]
    # a script that asks gcloud for the project is otherwise the same
    for request in [request for request in requests if not PROJECT.search((request.parent / "submit.sh").read_text())]:
        requests.remove(request)
        print(f"         {request}: not sent, since only gcloud knows its project")
    refused = 0
    for request in requests:
        with tempfile.TemporaryDirectory() as folder:
            api = Api(Path(folder))
            try:
                send(api, request)
                follow(api, request)
                print(f"ok       {request}: sent once, found, cancelled")
            except Refused as why:
                refused += 1
                print(f"REFUSED  {request}: {why}")
    print(f"pipelines: {len(requests)} sent, {refused} refused")
    return 1 if refused or not requests else 0


def send(api: Api, request: Path):
    """A run is sent where its model can be uploaded, into a folder of its own."""
    script, said = request.parent / "submit.sh", json.loads(request.read_text())
    project, region = PROJECT.search(script.read_text())[1], re.search(r"^region=(\S+)$", script.read_text(), re.M)[1]
    parent, own = said.get("parentModel"), said.get("modelId")
    model = parent or f"projects/{project}/locations/{region}/models/{own}"
    for there in (False, True):
        api.world = {"pipelines": [], "models": [model] if there else []}
        may = not own and not parent or there == bool(parent)
        done = api.run(str(script))
        if may != (done.returncode == 0) or may != bool(api.world["pipelines"]):
            raise Refused(f"with{'' if there else 'out'} {model} submit.sh ends with {done.returncode}: {done.stderr.strip()}")
        if not may and model not in done.stderr:
            raise Refused(f"submit.sh does not say why it sends nothing: {done.stderr.strip()}")
        if may:
            sent_folders(api, script, said)
            api.world = api.world | {"pipelines": []}


def sent_folders(api: Api, script: Path, said: dict):
    base = said["trainingTaskInputs"].get("baseOutputDirectory", {}).get("outputUriPrefix")
    if base is None:
        return
    api.run(str(script), RUN_FOLDER="again")
    first, again = (it["trainingTaskInputs"]["baseOutputDirectory"]["outputUriPrefix"] for it in api.world["pipelines"])
    if not re.fullmatch(re.escape(base.rstrip("/")) + r"/\d{8}-\d{6}-[0-9a-f]{4}", first) or again != f"{base.rstrip('/')}/again":
        raise Refused(f"runs write to {first} and {again}, and not to folders of their own below {base}")


def follow(api: Api, request: Path):
    """The commands of the page."""
    said, page = json.loads(request.read_text()), (request.parents[2] / "README.md").read_text()
    forth, _, back = page.partition("## Tear down")
    parent = re.search(r"projects/[^/\s]+/locations/[^/\s]+(?= )", back)[0]
    find = next(text for text in re.findall(r"```sh\n(.*?)```", forth, re.DOTALL) if "PIPELINE=" in text)
    # the line of this run
    names = [line for line in find.splitlines() if line.startswith("RUN=")]
    own = [line for line in names if line.split()[0] == f"RUN={request.parent.name}"]
    find = "\n".join(own + [line for line in find.splitlines() if line not in names])
    api.world = {"pipelines": [], "models": []}
    none = api.run("-c", f'{find}\necho "<$PIPELINE><$JOB>"')
    if none.stdout.strip() != "<><>" or "no pipeline" not in none.stderr or "Traceback" in none.stderr:
        raise Refused(f"where there is none, the page finds {none.stdout.strip()}: {none.stderr.strip()}")
    states = ENDED + OPEN
    # one of another name, and one that another environment of the project has sent
    kinds = [(said["displayName"], said["labels"]), ("another", said["labels"]), (said["displayName"], said["labels"] | {"environment": "elsewhere"})]
    api.world = {"models": [], "pipelines": [
        {"name": f"{parent}/trainingPipelines/{number}", "displayName": title, "labels": labels, "state": f"PIPELINE_STATE_{state}",
         "createTime": f"2026-11-{(number * 7) % 29 + 1:02}T00:00:00Z", "trainingTaskMetadata": {"backingCustomJob": f"job-{number}"}}
        for number, (title, labels, state) in enumerate((*kind, state) for state in states for kind in kinds)]}
    newest = max((it for it in api.world["pipelines"] if (it["displayName"], it["labels"]) == kinds[0]), key=lambda it: it["createTime"])
    found = api.run("-c", f'{find}\necho "$PIPELINE $JOB"').stdout.strip()
    if found != f"{newest['name']} {newest['trainingTaskMetadata']['backingCustomJob']}":
        raise Refused(f"the page finds {found}, and the newest is {newest['name']}")
    away = "\n".join(line for line in back.splitlines() if re.match(r"(ask|running)\(\)|URL=|for pipeline in", line))
    before = api.world["pipelines"]
    done = api.run("-c", away)
    titles = {json.loads(path.read_text()).get("displayName") for path in request.parents[1].glob("*/*.json")}
    for was, became in zip(before, api.world["pipelines"], strict=True):
        ends = was["displayName"] in titles and was["labels"] == said["labels"] and was["state"].removeprefix("PIPELINE_STATE_") in OPEN
        if became["state"] != ("PIPELINE_STATE_CANCELLING" if ends else was["state"]):
            raise Refused(f"a pipeline {was['displayName']} that was {was['state']} is {became['state']} then: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main())
