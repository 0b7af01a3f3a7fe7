"""The TextMate grammar as Sublime Text, bat and whatever else has syntect read it, and what bat makes of it."""
import json
import os
import re
import subprocess
from pathlib import Path

HEAD = """%YAML 1.2
---
# Made of ../vscode/syntaxes/slipform.tmLanguage.json by `tests/consumers/editors.py --update`: edit that one.
name: Slipform
file_extensions: [bp]
scope: source.slipform
version: 2

contexts:
"""


def converted(grammar: dict) -> str:
    """A rule with a beginning and an end becomes a context that is pushed and popped; all else stays as it is."""
    contexts = {"main": [{"include": it["include"].removeprefix("#")} for it in grammar["patterns"]]}
    for name, rule in grammar["repository"].items():
        contexts[name] = list(rules(name, rule if "patterns" in rule and "begin" not in rule else {"patterns": [rule]}, contexts))
    return HEAD + "\n".join(f"  {name}:\n" + "".join(written(rule) for rule in found) for name, found in contexts.items())


def rules(name: str, rule: dict, contexts: dict):
    for at, it in enumerate(rule["patterns"]):
        if "include" in it:
            yield {"include": it["include"].removeprefix("#")}
        elif "match" in it:
            yield {"match": it["match"], **scopes(it.get("name"), it.get("captures", {}))}
        else:
            inner = f"{name}-{at}"
            yield {"match": it["begin"], **scopes(None, it.get("beginCaptures", {})), "push": inner}
            around = [{"meta_scope": it["name"]}] if "name" in it else []
            end = {"match": it["end"], **scopes(None, it.get("endCaptures", {})), "pop": True}
            contexts[inner] = [*around, end]
            contexts[inner] += rules(inner, it, contexts)


def scopes(whole: str | None, captures: dict) -> dict:
    named = {int(group): it["name"] for group, it in captures.items()}
    whole = named.pop(0, whole)
    return {**({"scope": whole} if whole else {}), **({"captures": named} if named else {})}


def written(rule: dict) -> str:
    lines = []
    for key, value in rule.items():
        if isinstance(value, dict):
            lines += [f"{key}:", *(f"  {group}: {scope}" for group, scope in value.items())]
        elif key == "match":
            quoted = value.replace("'", "''")
            lines.append(f"match: '{quoted}'")
        else:
            lines.append(f"{key}: {'true' if value is True else value}")
    return "".join(f"    {'- ' if at == 0 else '  '}{line}\n" for at, line in enumerate(lines))


class Bat:
    """bat with the syntax, and a theme that has a colour for each thing that a scope may mean."""

    def __init__(self, program: str, syntax: Path, meanings: list, work: Path):
        self.program = program
        folder = self.folder = work / "bat"
        for part in "syntaxes", "themes":
            (folder / "config" / part).mkdir(parents=True, exist_ok=True)
        (folder / "config/syntaxes/Slipform.sublime-syntax").write_text(syntax.read_text())
        self.kinds = {f"#{at:02x}0000": kind for at, (_, kind) in enumerate(meanings, 1)}
        (folder / "config/themes/Meanings.tmTheme").write_text(theme([(head, f"#{at:02x}0000") for at, (head, _) in enumerate(meanings, 1)]))
        self.environment = {**os.environ, "BAT_CONFIG_DIR": str(folder / "config"), "BAT_CACHE_PATH": str(folder / "cache"), "BAT_CONFIG_PATH": os.devnull, "COLORTERM": "truecolor"}
        made = ["cache", "--build", "--source", str(folder / "config"), "--target", str(folder / "cache")]
        # Not where something is called `cache`, which it would print.
        subprocess.run([program, *made], cwd=folder / "config", env=self.environment, check=True, capture_output=True)

    def of(self, texts: list[str]):
        """Of each text its lines, of each line the meaning of its letters."""
        options = ["--language=Slipform", "--theme=Meanings", "--color=always", "--style=plain", "--paging=never", "--wrap=never", "--tabs=0"]
        for text in texts:
            (self.folder / "text.bp").write_text(text)
            command = [self.program, *options, self.folder / "text.bp"]
            said = subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True)
            yield [self.line(it) for it in said.stdout.split("\n")]

    def line(self, coloured: str) -> list:
        found, kind = [], "nothing"
        for code, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", coloured):
            if text:
                found += [kind] * len(text)
            else:
                told = re.search(r"38;2;(\d+);(\d+);(\d+)", code)
                kind = self.kinds.get("#{:02x}{:02x}{:02x}".format(*map(int, told.groups())), "nothing") if told else "nothing"
        return found


def theme(colours: list[tuple[str, str]]) -> str:
    rule = "<dict>{scope}<key>settings</key><dict><key>foreground</key><string>{colour}</string></dict></dict>"
    rules = [rule.format(scope="", colour="#ffffff")]
    rules += [rule.format(scope=f"<key>scope</key><string>{head.rstrip('.')}</string>", colour=colour) for head, colour in colours]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>name</key><string>Meanings</string><key>settings</key>'
    return f"{head}<array>{''.join(rules)}</array></dict></plist>\n"


def version(program: str) -> str:
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()


def read(path: Path) -> dict:
    return json.loads(path.read_text())
