"""The scopes of the TextMate grammar, and where they disagree with a tree."""
import itertools
import json
import subprocess
from pathlib import Path

from .trees import NUMBERS, Leaf

# A scope and what it makes of a token, the first that fits; scopes are asked from the innermost.
MEANING = [
    ("comment.line.number-sign.documentation", "doc_comment"),
    ("comment.", "comment"),
    ("constant.character.escape", "escape"),
    *[(f"constant.numeric.{kind}", kind) for kind in NUMBERS],
    ("constant.language.boolean", "boolean"),
    ("constant.language.auto", "auto"),
    ("keyword.operator.expression", "word"),
    ("keyword.operator.", "sign"),
    ("keyword.other.unit", None),
    ("keyword.", "word"),
    ("storage.", "word"),
    ("punctuation.definition.string", "string"),
    ("punctuation.", "sign"),
    ("string.", "string"),
    ("variable.", "name"),
    ("entity.", "name"),
    ("support.", "name"),
    ("meta.embedded", "nothing"),
]


class Scopes:
    def __init__(self, script: Path, modules: Path, grammar: Path):
        self.command = ["node", script, modules, grammar]

    def of(self, texts: list[str]) -> list:
        said = subprocess.run(self.command, input=json.dumps(texts), check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(said.stdout)


def meaning(scopes: list[str]) -> str:
    for scope in reversed(scopes):
        for head, kind in MEANING:
            if scope.startswith(head):
                if kind:
                    return kind
                break
    return "nothing"


def painted(text: str, lines: list) -> list:
    """Of each line the meaning of its letters, from tokens that are counted in UTF-16 units."""
    found = []
    for line, tokens in zip(text.split("\n"), lines):
        units = [meaning(scopes) for start, end, scopes in tokens for _ in range(start, end)]
        places = itertools.accumulate((2 if ord(letter) > 0xFFFF else 1 for letter in line), initial=0)
        found.append([units[at] for _, at in zip(line, places)])
    return found


def differences(text: str, leaves: list[Leaf], lines: list):
    """`line:column: ...` of each token of the tree whose letters have another meaning; `lines` are as `painted` gives them."""
    seen_at = []
    for line, kinds in zip(text.split("\n"), lines):
        for letter, kind in zip(line, kinds, strict=True):
            seen_at += [kind] * len(letter.encode())
        seen_at.append(None)
    whole = text.encode()
    for leaf in leaves:
        seen = {seen_at[at] for at in range(leaf.start, leaf.end)} - {None}
        if seen - {leaf.kind}:
            line = whole[:leaf.start].count(b"\n") + 1
            column = leaf.start - (whole.rfind(b"\n", 0, leaf.start) + 1) + 1
            yield f"{line}:{column}: `{leaf.text[:40]}` is {leaf.kind} in the tree, and {', '.join(sorted(seen))} in the scopes"


def snapshot(text: str, lines: list) -> str:
    """Each line, and below it the scopes of its tokens; spaces between them are left out."""
    shown = []
    for line, tokens in zip(text.removesuffix("\n").split("\n"), lines):
        shown.append(f">{line}")
        for start, end, scopes in tokens:
            if line[start:end].strip() or "string" in str(scopes):
                shown.append(f"#{' ' * start}{'^' * (end - start)} {' '.join(scopes)}".rstrip())
    return "\n".join(shown) + "\n"
