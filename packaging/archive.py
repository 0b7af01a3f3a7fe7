# SPDX-License-Identifier: Apache-2.0
"""The archive of a release for one system, of the wheel that was built for it: the same program goes into both.

usage: archive.py WHEEL TARGET FOLDER

Writes FOLDER/slipform-VERSION-TARGET.tar.gz with the program, its manual page, completions and licences, and beside it
slipform-VERSION-TARGET.cdx.json, the CycloneDX bill of materials that the wheel carries. The program is run for its page and its
completions, so this happens on a system of TARGET. The same wheel gives the same bytes.
"""
import gzip
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPLETIONS = {"bash": "slipform.bash", "zsh": "_slipform", "fish": "slipform.fish", "powershell": "_slipform.ps1"}


def parts(wheel: zipfile.ZipFile) -> dict:
    """What of a wheel goes on: the program under its own name, the licences, the bill of materials."""
    wanted = {
        r"[^/]+\.data/scripts/(slipform(?:\.exe)?)": r"\1",
        r"[^/]+\.dist-info/licenses/(LICENSE|THIRD-PARTY\.txt)": r"\1",
        r"[^/]+\.dist-info/sboms/slipform\.cyclonedx\.json": "sbom",
    }
    found = {}
    for name in wheel.namelist():
        for pattern, stem in wanted.items():
            if match := re.fullmatch(pattern, name):
                found[match.expand(stem)] = wheel.read(name)
    missing = {"LICENSE", "THIRD-PARTY.txt", "sbom"} - found.keys()
    if missing or len(found) != 4:
        raise SystemExit(f"{wheel.filename} is to hold a program, its licences and a bill of materials, and holds {', '.join(sorted(found)) or 'none of them'}")
    return found


def said(program: bytes, name: str) -> dict:
    """What the program writes about itself: the page and the completions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(program)
        path.chmod(0o755)

        def run(*words: str) -> bytes:
            return subprocess.run([str(path), *words], capture_output=True, check=True).stdout

        completions = {f"completions/{file}": run("completions", shell) for shell, file in COMPLETIONS.items()}
        return completions | {"slipform.1": run("man")}


def packed(folder: str, files: dict) -> bytes:
    """A tar of the files, in their order, without a trace of when and by whom."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size = len(content)
            entry.mode = 0o755 if name.startswith("slipform") and "." not in name.removesuffix(".exe") else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(inner.getvalue(), compresslevel=6, mtime=0)


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    wheel, target, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    version = wheel.name.split("-")[1]
    with zipfile.ZipFile(wheel) as file:
        files = parts(file)
    name = f"slipform-{version}-{target}"
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.cdx.json").write_bytes(files.pop("sbom"))
    program = next(file for file in files if file.startswith("slipform"))
    files |= said(files[program], program) | {"README.md": (ROOT / "README.md").read_bytes()}
    (out / f"{name}.tar.gz").write_bytes(packed(name, files))
    print(out / f"{name}.tar.gz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
