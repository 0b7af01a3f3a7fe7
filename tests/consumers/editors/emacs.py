"""What Emacs makes of blueprints, against the trees and against the formatter."""
import shutil
import subprocess
from pathlib import Path

# Of a kind of leaf the letters of emacs.el that it may have: a name has the colour of no word, and what is put into texts, `i`, has that
# of a name, or of the text, where it has quotes of its own.
# Regular expressions cannot read all, so one token in so many may be another.
FEW = 5000
LETTERS = {"word": "kis", "string": "s-i", "escape": "s", "comment": "c", "doc_comment": "d", "name": "-is"}


def compare(script: Path, mode: Path, of: dict, work: Path):
    """Pairs of a sort and what is wrong; `of` has of each name its text, its leaves and whether it is laid out as the formatter would."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for at, (text, _, _) in enumerate(of.values()):
        (work / f"{at}.bp").write_text(text)
    said = subprocess.run(["emacs", "--batch", "-Q", "-l", script, mode, work], capture_output=True, text=True)
    if said.returncode:
        yield "Emacs", said.stderr[-2000:]
        return
    found, tokens = [], 0
    for at, (name, (text, leaves, canonical)) in enumerate(of.items()):
        tokens += len(leaves)
        found += [f"{name}:{it}" for it in colours(text, leaves, (work / f"{at}.faces").read_text())]
        lines = zip(text.split("\n"), (work / f"{at}.indented").read_text().split("\n"))
        if canonical:
            yield from (("Emacs indents otherwise", f"{name}:{line}: {now!r}") for line, (was, now) in enumerate(lines, 1) if was != now)
    if len(found) * FEW > tokens:
        yield from (("Emacs colours otherwise", it) for it in found)


def colours(text: str, leaves: list, letters: str):
    encoded, at = [], 0
    for letter, shown in zip(text, letters, strict=True):
        encoded += [shown] * len(letter.encode())
    for leaf in leaves:
        allowed = LETTERS.get(leaf.kind)
        seen = set(encoded[leaf.start:leaf.end]) - {"\n"}
        if allowed and seen - set(allowed):
            yield f"{text.encode()[:leaf.start].count(10) + 1}: `{leaf.text[:40]}` is {leaf.kind}, and has {''.join(sorted(seen))}"
