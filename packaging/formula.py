# SPDX-License-Identifier: Apache-2.0
"""The Homebrew formula of a release.

usage: formula.py VERSION REPOSITORY SHA256SUMS

REPOSITORY is the address that the release is at, SHA256SUMS its file of checksums. The formula goes to standard output.
"""
import re
import sys
from pathlib import Path

TEMPLATE = Path(__file__).with_name("slipform.rb")


def formula(version: str, repository: str, sums: str) -> str:
    digests = dict(reversed(line.split(maxsplit=1)) for line in sums.splitlines() if line.strip())
    known = {"VERSION": version, "REPOSITORY": repository.rstrip("/")}

    def value(found: re.Match) -> str:
        name = found[1]
        archive = f"slipform-{version}-{name}.tar.gz"
        if name not in known and archive not in digests:
            raise SystemExit(f"the checksums have no `{archive}`, which the formula asks for")
        return known.get(name) or digests[archive]

    text = re.sub(r"@([\w-]+)@", value, TEMPLATE.read_text())
    return text.replace("# The formula of a tap, as packaging/formula.py fills it in for a release.\n", "")


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    version, repository, sums = sys.argv[1:]
    print(formula(version, repository, Path(sums).read_text()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
