# SPDX-License-Identifier: Apache-2.0
"""A shell that follows the commands of a rendered README, with the real kubectl and without a cloud.

The scripts that the commands call run as they are; `kubectl` passes through to the control plane, except for what comes
from the network. `terraform output` answers with a plausible value; `helm`, `gcloud` and `curl` do nothing. All of what was left
out is noted.
"""
import os
import shlex
import shutil
import signal
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

NOTES = "skipped"
PATIENCE = 300.0  # seconds that a command of the README may take

# Each stand-in notes what it left out; `$REAL` is the program itself.
STAND_INS = {
    "kubectl": r"""
case "$*" in
  *https://*) echo "kubectl $*" >> "$NOTES"; exit 0 ;;
  *" -k "*) if grep -qs https:// "${!#}/kustomization.yaml"; then echo "kubectl $*" >> "$NOTES"; exit 0; fi ;;
  "wait deployment"* | "rollout status"*) exit 0 ;;
esac
exec "$REAL" "$@"
""",
    "terraform": r"""
for name; do :; done
case "$name" in
  *address*) printf 10.0.0.2 ;;
  *) printf 'projects/my-project/%s' "$name" ;;
esac
echo "terraform output $name (a made-up value)" >> "$NOTES"
""",
    "helm": 'echo "helm $*" >> "$NOTES"\n',
    "gcloud": 'echo "gcloud $*" >> "$NOTES"\n',
    "curl": 'echo "curl $*" >> "$NOTES"\n',
}


@dataclass
class Step:
    """One command of the README and what came of it."""

    command: str
    status: int
    output: str
    warnings: list
    errors: list


class Terminal:
    """A shell in the rendered folder whose kubectl points at the control plane."""

    def __init__(self, out: Path, cluster):
        self.out, self.tools = out, cluster.folder / "tools"
        self.tools.mkdir(exist_ok=True)
        self.notes = cluster.folder / NOTES
        self.notes.write_text("")
        real = shutil.which("kubectl")
        for name, script in STAND_INS.items():
            path = self.tools / name
            path.write_text(f'#!/usr/bin/env bash\nREAL={shlex.quote(real)}\nNOTES={shlex.quote(str(self.notes))}\n{script}')
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        self.environment = {
            **os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "KUBECONFIG": str(cluster.kubeconfig), "STATE": "state",
        }

    def run(self, command: str) -> Step:
        shell = subprocess.Popen(
            ["bash", "-c", command], cwd=self.out, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            output, complaints = shell.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            # what the shell started holds its pipes open, too
            os.killpg(shell.pid, signal.SIGKILL)
            output, complaints = shell.communicate()
            return Step(command, shell.returncode, output, [], [*complaints.splitlines(), f"still running after {PATIENCE} s"])
        lines = complaints.splitlines()
        warnings = [line for line in lines if line.startswith("Warning:")]
        errors = [line for line in lines if line not in warnings and line.strip()]
        return Step(command, shell.returncode, output, warnings, errors if shell.returncode else [])

    def skipped(self) -> list:
        return list(dict.fromkeys(self.notes.read_text().splitlines()))
