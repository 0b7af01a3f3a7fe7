# SPDX-License-Identifier: Apache-2.0
"""What the Go module proxy gives: the control plane and the managers of jobs, built once of their modules, and publishers'
definitions of their kinds.

usage: modules.py program          prints where the control plane is, after it was built where it was not yet
       modules.py manager NAME     likewise for the manager of `jobset` or `kueue`, of the version that modules.tsv names
       modules.py definitions DIR  writes the definitions that publishers give of their kinds into DIR (see definitions.py)

The programs are kept in ${XDG_CACHE_HOME:-~/.cache}/slipform, the control plane under a digest of what it is built of, a manager
under its version. Exit status: 0 done, 3 no Go toolchain or no module proxy (the reason is on standard error), 1 anything else.
"""
import csv
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "slipform"
CATALOG = HERE.parents[2] / "stdlib" / "catalog" / "platforms" / "kubernetes.toml"
STAMP = "k8s.io/component-base/version"
MANAGERS = {"jobset": "", "kueue": "/cmd/kueue"}  # where in its module the program of a manager stands
UNANSWERED = ("dial tcp", "no such host", "403 Forbidden", "404 Not Found", "module lookup disabled", "i/o timeout")


class Unreachable(Exception):
    """There is no toolchain, or nobody answers who has the module."""


def modules(table: Path = HERE / "modules.tsv", last: str = "catalog") -> dict:
    """A table of modules, by name; `last` is what its last column says."""
    with table.open() as file:
        lines = [row for row in csv.reader(file, delimiter="\t") if row and not row[0].startswith("#")]
    return {row[0]: dict(zip(("name", "module", "version", "sum", last), row)) for row in lines}


def agree_with_catalog() -> None:
    """What is tried must be what blueprints install: a version that only one of the two knows would prove nothing."""
    versions = {part["name"]: part["version"] for part in tomllib.loads(CATALOG.read_text())["component"]}
    for entry in modules().values():
        meant = versions.get(entry["catalog"])
        if entry["catalog"] != "-" and f"v{meant}" != entry["version"]:
            raise SystemExit(f"modules.tsv has {entry['module']} {entry['version']}, and the catalog installs {entry['catalog']} {meant}: write the same in both")


def go(*words: str, **options) -> subprocess.CompletedProcess:
    if not shutil.which("go"):
        raise Unreachable("there is no Go toolchain on PATH: 1.24 or newer is needed")
    return subprocess.run(["go", *words], capture_output=True, text=True, check=False, **options)


def fetch(entry: dict, *words: str, **options) -> subprocess.CompletedProcess:
    """What asks the module proxy for a module of the table."""
    return go(*words, env={**os.environ, "GOFLAGS": "-mod=mod", "GONOSUMDB": entry["module"]}, **options)


def download(entry: dict) -> Path:
    """The sources of a module, as published: a folder of Go's own cache, which must not be written."""
    with tempfile.TemporaryDirectory() as empty:
        # The checksum that counts is the table's: not every database of checksums knows every version.
        done = fetch(entry, "mod", "download", "-json", f"{entry['module']}@{entry['version']}", cwd=empty)
    told = json.loads(done.stdout or "{}")
    if "Dir" not in told:
        raise Unreachable(f"{entry['module']} {entry['version']}: {told.get('Error') or done.stderr.strip()}")
    if told["Sum"] != entry["sum"]:
        raise SystemExit(f"{entry['module']} {entry['version']} has the checksum {told['Sum']}, not {entry['sum']}")
    return Path(told["Dir"])


def program() -> Path:
    """The control plane, built on first use."""
    sources = sorted([*HERE.glob("*.go"), HERE / "go.mod", HERE / "go.sum"])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]
    return once(CACHE / f"kube-{digest}", "the control plane", lambda part: build(part, ".", HERE, "-trimpath", f"-ldflags={kubernetes_flags()}"))


def manager(name: str) -> Path:
    """The manager of a kind of jobs, built on first use."""
    entry = modules()[name]

    def make(part: Path) -> None:
        download(entry)  # holds what is published to the table's checksum
        with tempfile.TemporaryDirectory() as empty:
            (Path(empty) / "go.mod").write_text("module manager\n")
            package = entry["module"] + MANAGERS[name]
            held(fetch(entry, "get", f"{package}@{entry['version']}", cwd=empty), part)
            build(part, package, empty, "-ldflags=-s -w")

    return once(CACHE / f"{name}-manager-{entry['version']}", f"the manager of {name} {entry['version']}", make)


def once(binary: Path, what: str, make) -> Path:
    """The program, made where it is not there yet; one maker at a time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "kube.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            print(f"building {what}, once; this takes minutes", file=sys.stderr, flush=True)
            part = binary.with_name(binary.name + ".part")
            make(part)
            part.rename(binary)
    return binary


def build(part: Path, package: str, folder, *flags: str) -> None:
    held(go("build", *flags, "-o", str(part), package, cwd=folder, env={**os.environ, "CGO_ENABLED": "0"}), part)


def held(done: subprocess.CompletedProcess, part: Path) -> None:
    """Raises what Go says where it did not do what was asked."""
    if done.returncode:
        fetching = any(word in done.stderr for word in UNANSWERED)
        raise Unreachable(done.stderr[-600:]) if fetching else SystemExit(f"{part.stem} does not build:\n{done.stderr[-3000:]}")


def kubernetes_flags() -> str:
    """The version that the API server tells its clients: that of k8s.io/kubernetes in go.mod."""
    words = next(line.split() for line in (HERE / "go.mod").read_text().splitlines() if line.strip().startswith("k8s.io/kubernetes "))
    version = words[1]
    major, minor, _ = version.removeprefix("v").split(".")
    return f"-s -w -X {STAMP}.gitVersion={version} -X {STAMP}.gitMajor={major} -X {STAMP}.gitMinor={minor}"


def main() -> int:
    agree_with_catalog()
    try:
        match sys.argv[1:]:
            case ["program"]:
                print(program())
            case ["manager", name] if name in MANAGERS:
                print(manager(name))
            case ["definitions", folder]:
                import definitions
                definitions.write(Path(folder), {name: download(entry) for name, entry in modules().items()})
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except Unreachable as why:
        print(why, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
