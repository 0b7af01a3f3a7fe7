# SPDX-License-Identifier: Apache-2.0
"""action.yml and templates/slipform.yml as GitHub and GitLab run them: their own scripts, in a repository with names that a careless
script would run, against stand-ins of what they speak to.

usage: forges --slipform PROGRAM --work FOLDER

Exit status: 0 each case ends and says what it should, 1 one does not.
"""
import argparse
import shutil
import sys
from pathlib import Path

import github
import gitlab
from repository import Refused


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slipform", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args()
    # a copy: whoever builds beside this puts another one in its place
    options.work.mkdir(parents=True, exist_ok=True)
    program = Path(shutil.copy(options.slipform, options.work / "slipform")).resolve()
    refused, tried = 0, 0
    for forge in (github, gitlab):
        for case in forge.CASES:
            tried += 1
            name = f"{forge.__name__}: {case.__doc__}"
            try:
                case(program, options.work.resolve() / f"{forge.__name__}-{case.__name__}")
                print(f"ok       {name}")
            except (Refused, LookupError) as why:
                refused += 1
                print(f"REFUSED  {name}\n{why!s}")
    print(f"forges: {tried} cases, {refused} refused")
    return 1 if refused or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
