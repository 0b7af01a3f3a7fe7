# SPDX-License-Identifier: Apache-2.0
"""Writes every whole blueprint of the README and the book into a project of its own: what people copy is given to the consumers too.

usage: book.py DIR      DIR/PAGE-LINE/train.bp for each ```bp block without a further word, and the slipform.toml that the
                        page shows after it in the same section; prints the folders
                        DIR/PAGE-LINE-made beside it, where GKE clusters are `existing`: the same with them as its own
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(.*)$")
EXISTING = re.compile(r"^(\s*)existing (cluster \w+ on gke\b)", re.MULTILINE)
MADE = "-made"  # how admit finds the output that makes the clusters of another


def main() -> int:
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        shown = list(blocks(page.read_text()))
        for (line, section, info, text), after in zip(shown, [*shown[1:], (0, 0, "", "")]):
            if info == "bp":
                name, settings = f"{page.stem.lower()}-{line}", after[3] if after[1:3] == (section, "toml") else ""
                write(Path(sys.argv[1]) / name, text, settings)
                if EXISTING.search(text):
                    write(Path(sys.argv[1]) / (name + MADE), EXISTING.sub(r"\1\2", text), settings)
    return 0


def write(folder: Path, program: str, settings: str):
    folder.mkdir(parents=True)
    (folder / "train.bp").write_text(program)
    if settings:
        (folder / "slipform.toml").write_text(settings)
    print(folder)


def blocks(text: str):
    """(line, section, what is said after the fence, content) of each block; a program that is a fragment or wrong says so there."""
    info, start, section, kept = None, 0, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and info is None:
            info, start, kept = fence[1].strip(), number, []
        elif fence:
            yield start, section, info, "\n".join(kept) + "\n"
            info = None
        elif info is not None:
            kept.append(line)
        elif line.startswith("#"):
            section += 1


if __name__ == "__main__":
    sys.exit(main())
