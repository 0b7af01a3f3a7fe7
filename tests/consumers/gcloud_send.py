# SPDX-License-Identifier: Apache-2.0
"""Lets the real gcloud send the jobs of the rendered outputs to an API on this machine, which keeps what it is asked.

usage: gcloud_send.py RENDERED...

What `submit.sh --gcloud` makes gcloud send has to say the same as what `submit.sh --print` prints, which is what curl sends: the
same job, whichever of both somebody uses. Jobs of one content are sent once.
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Api(BaseHTTPRequestHandler):
    """Creates whatever it is asked to."""

    asked = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Api.asked.append((self.path.partition("?")[0], body))
        answer = json.dumps({**body, "name": f"{self.path.partition('?')[0].removeprefix('/v1/')}/1"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def main() -> int:
    scripts = [script for root in map(Path, sys.argv[1:]) for script in sorted(root.rglob("submit.sh")) if "--gcloud)" in script.read_text()]
    server = HTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    refused, sent = 0, set()
    with tempfile.TemporaryDirectory() as folder:
        environment = stage(Path(folder), server.server_port)
        for script in scripts:
            printed = run(script, "--print", environment)
            if printed.stdout in sent:
                continue
            sent.add(printed.stdout)
            why = send(script, printed, environment)
            refused += bool(why)
            print(f"REFUSED  {script}: {why}" if why else f"ok       {script}: gcloud sends what is printed")
    print(f"gcloud: {len(sent)} jobs sent, {refused} refused")
    return 1 if refused or not sent else 0


def stage(folder: Path, port: int) -> dict:
    """gcloud with a configuration of its own, and a stand-in for Terraform."""
    terraform, token = folder / "terraform", folder / "token"
    terraform.write_text("#!/bin/sh\nprintf value\n")
    terraform.chmod(0o755)
    token.write_text("token\n")
    # what is printed and what is sent are of one run, where each has a folder of its own
    return {**os.environ, "RUN_FOLDER": "first", "PATH": f"{folder}:{os.environ['PATH']}", "CLOUDSDK_CONFIG": f"{folder}/config", "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
            "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(token), "CLOUDSDK_API_ENDPOINT_OVERRIDES_AIPLATFORM": f"http://127.0.0.1:{port}/"}


def run(script: Path, option: str, environment: dict):
    return subprocess.run(["bash", str(script), option], env=environment, capture_output=True, text=True, check=False)


def send(script: Path, printed, environment: dict) -> str:
    """Why what gcloud sends is not what is printed."""
    if printed.returncode != 0:
        return printed.stderr.strip()
    Api.asked.clear()
    done = run(script, "--gcloud", environment)
    if done.returncode != 0 or len(Api.asked) != 1:
        return done.stderr.strip() or f"{len(Api.asked)} requests"
    path, body = Api.asked[0]
    wanted = f"/{script.read_text().rpartition('/locations/$region/')[2].partition(chr(34))[0]}"
    if not path.endswith(wanted):
        return f"it asks {path}, and curl {wanted}"
    return next(differences(plain(json.loads(printed.stdout)), plain(body), ""), "")


def plain(it):
    """Without what is left out in one of both, and numbers as numbers: gcloud writes long ones as text."""
    if isinstance(it, dict):
        return {key: plain(value) for key, value in it.items() if value not in ({}, [], None, False)}
    if isinstance(it, list):
        return [plain(value) for value in it]
    return int(it) if isinstance(it, str) and it.isdigit() else it


def differences(printed, sent, where: str):
    if isinstance(printed, dict) and isinstance(sent, dict):
        for key in sorted({*printed, *sent}):
            yield from differences(printed.get(key), sent.get(key), f"{where}/{key}")
    elif isinstance(printed, list) and isinstance(sent, list) and len(printed) == len(sent):
        for index, pair in enumerate(zip(printed, sent)):
            yield from differences(*pair, f"{where}/{index}")
    elif printed != sent:
        yield f"{where} is {json.dumps(sent)}, and {json.dumps(printed)} is printed"


if __name__ == "__main__":
    sys.exit(main())
