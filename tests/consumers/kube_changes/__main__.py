# SPDX-License-Identifier: Apache-2.0
"""Applies changes to a real Kubernetes API server, and holds its answers against what `slipform plan` says beforehand.

usage: kube_changes --slipform PROGRAM [--only TEXT] CHANGES

CHANGES is a table of changes (changes.toml): two builds each, the second into the folder of the first. The first is applied as its README
says; then every object that the second build has otherwise is offered to the API server alone, without effect, its README is followed,
and so are the commands that `slipform plan` gives. Exit status: 0 all as it was said, 1 not.

Environment: ADMIT_KUBE, the control plane; ADMIT_DEFINITIONS, a folder of custom resource definitions; ADMIT_JOBSET and ADMIT_KUEUE,
binaries of the managers, whose webhooks then answer too.
"""
import argparse
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[1] / "admit")]

import change
from plane import Plane


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slipform", type=Path, required=True, metavar="PROGRAM")
    parser.add_argument("--only", metavar="TEXT", help="changes whose name has this in it")
    parser.add_argument("changes", type=Path, metavar="CHANGES")
    args = parser.parse_args()
    rows = [row for row in change.read(args.changes) if not args.only or args.only in row.name]
    plane, bad, seen, apart = Plane(), 0, 0, 0
    try:
        for row in rows:
            if not plane.clear():
                plane.stop()
                plane = Plane()
            with tempfile.TemporaryDirectory(prefix="kube-changes-") as folder:
                tried = change.Trial(plane, args.slipform.resolve(), Path(folder), row)
                faults = tried.run()
            bad += bool(faults)
            seen += len(tried.answers)
            apart += len(tried.apart)
            print("\n".join([f"REFUSED  {row.name}: {fault}" for fault in faults] or [f"ok       {row.name}: {tried.summary()}"]), flush=True)
    finally:
        plane.stop()
    print(f"kube changes: {len(rows)} changes, {seen} objects, {apart} answered by a manager's webhook that does not run here, {bad} not as they should be")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
