"""Holds the grammars of `compiler/lsp/editors/` against the compiler's: what it reads they read, and both see the same words in it.

usage: editors.py --slipform PROGRAM --modules FOLDER [--work FOLDER] [--update]

--slipform  the compiler, which says of each blueprint whether its syntax is right
--modules   what npm made of editors/package.json beside this file: node reads the TextMate grammar as VS Code does
--work      where the parser is compiled
--update    writes the trees of the corpus and the snapshots of scopes anew, to be read before they are kept

Tried are all blueprints of the repository and all of the book. Where the compiler finds a mistake of syntax the tree of tree-sitter has
one too, and nowhere else. In all others each word, number, string, comment and name is the same to both grammars. Words, operators,
units and functions are compared with those in the compiler's own sources.
"""
import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import editors.claims as claims
import editors.emacs as emacs
import editors.extension as extension
import editors.sublime as sublime
from editors.trees import Grammar
from editors.scopes import MEANING, Scopes, differences, painted, snapshot
from book import ROOT, blocks

EDITORS = ROOT / "compiler/lsp/editors"
TREE_SITTER = EDITORS / "tree-sitter-slipform"
# As Neovim and the command line have them, and as Helix does.
QUERIES = {"neovim": TREE_SITTER / "queries", "helix": EDITORS / "helix/queries/slipform"}
TEXTMATE = EDITORS / "vscode/syntaxes/slipform.tmLanguage.json"
# Of docs/src/extensions/languages.md of Zed.
ZED = set("""
    attribute boolean comment comment.doc constant constructor embedded emphasis emphasis.strong enum function hint keyword label link_text
    link_uri number operator predictive preproc primary property punctuation punctuation.bracket punctuation.delimiter
    punctuation.list_marker punctuation.special string string.escape string.regex string.special string.special.symbol tag text.literal
    title type variable variable.special variant
""".split())
HERE = Path(__file__).resolve().parent / "editors"
SHOWN = 20  # mistakes of one sort


def main() -> int:
    asked = argparse.ArgumentParser(usage=__doc__)
    for option in ("--slipform", "--modules"):
        asked.add_argument(option, required=True, type=Path)
    asked.add_argument("--work", type=Path)
    asked.add_argument("--update", action="store_true")
    args = asked.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = Run(args, Path(args.work or scratch))
        run.generated()
        run.claims()
        run.corpus()
        run.queries()
        run.zed()
        run.extensions()
        run.blueprints()
        run.snapshots()
        return run.ended()


def patterns(query):
    """What a query matches, in whichever words its editor names it."""
    query = re.sub(r"^\s*;.*$", "", query, flags=re.M)
    query = re.sub(r"(#set! )\"?[a-z.-]+\"?", r"\1", query)
    query = re.sub(r"""@[a-z_][\w.-]*""", "@", query)
    return re.sub(r"@(\s*@)+", "@", " ".join(query.split()))


class Run:
    def __init__(self, args, work: Path):
        self.args = args
        self.work = work
        self.said = []
        self.grammar = Grammar(TREE_SITTER, work)
        self.scopes = Scopes(HERE / "tokens.mjs", args.modules, TEXTMATE)
        self.counts = {}

    def wrong(self, sort: str, found: list[str]):
        self.said += [f"WRONG  {sort}: {it}" for it in found[:SHOWN]]
        if len(found) > SHOWN:
            self.said.append(f"WRONG  {sort}: and {len(found) - SHOWN} more")

    def generated(self):
        """src/ is what tree-sitter makes of grammar.js."""
        said = subprocess.run(["node", HERE / "grammar.mjs", TREE_SITTER / "grammar.js"], check=True, capture_output=True, text=True)
        told, made = json.loads(said.stdout), json.loads((TREE_SITTER / "src/grammar.json").read_text())
        stale = [part for part in told if part != "rules" and told[part] != made[part]]
        rules = {**told["rules"], **made["rules"]}
        stale += [name for name in rules if told["rules"].get(name) != made["rules"].get(name)]
        self.wrong("generate the parser anew, by `tree-sitter generate --abi 14`", stale)
        shown = set(claims.visible(made))
        known = {self.grammar.language.node_kind_for_id(at) for at in range(self.grammar.language.node_kind_count)}
        self.wrong("parser.c is of another grammar.json", sorted(shown - known))

    def claims(self):
        made = json.loads((TREE_SITTER / "src/grammar.json").read_text())
        for sort, found in claims.compare(ROOT, made, self.grammar, TEXTMATE, [folder / "highlights.scm" for folder in [*QUERIES.values(), EDITORS / "zed/languages/slipform"]]):
            self.wrong(sort, found)

    def corpus(self):
        tried = 0
        for path in sorted((TREE_SITTER / "test/corpus").glob("*.txt")):
            if self.args.update:
                path.write_text(claims.filled(path.read_text(), self.grammar.sexp))
            for name, text, expected in claims.corpus(path.read_text()):
                tried += 1
                tree = self.grammar.sexp(text)
                if tree != expected:
                    self.wrong(f"{path.name}, {name}", [f"\n  expected {expected}\n  found    {tree}"])
        self.counts["trees of the corpus"] = tried
        if not tried:
            self.wrong("corpus", ["there is none"])

    def queries(self):
        for folder in QUERIES.values():
            for path in sorted(folder.glob("*.scm")):
                self.wrong(str(path.relative_to(ROOT)), self.grammar.query_problems(path.read_text()))
                self.counts["queries"] = self.counts.get("queries", 0) + 1
        for name in ("highlights.scm", "injections.scm"):
            here = patterns((QUERIES["neovim"] / name).read_text())
            others = (QUERIES["helix"] / name, EDITORS / "zed/languages/slipform" / name)
            unlike = [str(path.relative_to(ROOT)) for path in others if patterns(path.read_text()) != here]
            self.wrong(f"does not match what tree-sitter-slipform/queries/{name} does", unlike)

    def zed(self):
        """The manifests name each other, and colours are those that themes of Zed know."""
        folder = EDITORS / "zed"
        manifest, cargo = (tomllib.loads((folder / name).read_text()) for name in ("extension.toml", "Cargo.toml"))
        version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
        self.wrong(f"zed is not of version {version}", [it for it in (manifest["version"], cargo["package"]["version"]) if it != version])
        language = tomllib.loads((folder / "languages/slipform/config.toml").read_text())
        named = [language["grammar"] in manifest["grammars"], language["name"] in manifest["language_servers"]["slipform"]["languages"]]
        named.append((ROOT / manifest["grammars"]["slipform"]["path"] / "grammar.js").exists())
        self.wrong("zed names what there is not", [str(named)] if not all(named) else [])
        queries = {path.stem: path.read_text() for path in (folder / "languages/slipform").glob("*.scm")}
        for name, text in queries.items():
            self.wrong(f"zed's {name}.scm", self.grammar.query_problems(text))
            self.counts["queries"] += 1
        captures = set(re.findall(r"(?<![\w\"])@([a-z][a-z._]*)", queries["highlights"]))
        self.wrong("no theme of Zed has the name", sorted(captures - ZED))

    def extensions(self):
        """The extension is whole, and each command that the server gives to lenses is known to both clients."""
        folder = EDITORS / "vscode"
        self.wrong("the extension's scripts", extension.syntax(folder))
        self.wrong("package.json names no file", extension.files(folder))
        self.wrong("package.json has a title for a command that there is not", extension.commands(folder))
        self.wrong("snippets", list(extension.snippets(folder, self.args.slipform.resolve(), self.work)))
        self.wrong("problem matchers", list(extension.matchers(folder, self.args.slipform.resolve(), self.work)))
        json.loads((folder / "language-configuration.json").read_text())
        version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
        versions = {path: json.loads(path.read_text()) for path in (folder / "package.json", TREE_SITTER / "tree-sitter.json")}
        old = [str(path.relative_to(ROOT)) for path, it in versions.items() if it.get("version", it.get("metadata", {}).get("version")) != version]
        self.wrong(f"is not of version {version}", old)
        server = "".join(path.read_text() for path in (ROOT / "compiler/lsp/src").rglob("*.rs"))
        commands = set(re.findall(r'"(slipform\.[a-z]+[A-Z]\w+)"', server))
        clients = {"vscode": extension.scripts(folder), "neovim": [EDITORS / "neovim/lua/slipform/init.lua"]}
        for client, paths in clients.items():
            text = "".join(path.read_text() for path in paths)
            self.wrong(f"a command of lenses that {client} does not know", [it for it in sorted(commands) if f'"{it}"' not in text])

    def blueprints(self):
        texts = {str(path.relative_to(ROOT)): path.read_text() for path in blueprints()}
        self.counts["files"] = len(texts)
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for line, _, info, text in blocks(page.read_text()):
                if info.split()[:1] == ["bp"]:
                    texts[f"{page.relative_to(ROOT)}:{line}"] = text
        self.counts["pieces of the book"] = len(texts) - self.counts["files"]
        texts["every unit, operator and function"] = claims.everything(ROOT)
        broken, laid_out = self.broken(texts)
        self.counts["of all with mistakes of syntax"] = len(broken)
        trees = {name: self.grammar.parse(text) for name, text in texts.items()}
        mistaken = {name for name, tree in trees.items() if tree.root_node.has_error}
        errors = [f"{name}: {self.grammar.first_error(trees[name])}" for name in sorted(mistaken - broken)]
        self.wrong("the compiler reads it, tree-sitter does not", errors)
        self.wrong("tree-sitter reads it, the compiler does not", sorted(broken - mistaken))
        sound = [name for name in texts if name not in broken | mistaken]
        scopes = dict(zip(texts, self.scopes.of(list(texts.values()))))
        compared, found, seen = 0, [], set()
        for name in sound:
            leaves = self.grammar.leaves(trees[name])
            seen.update(leaf.text for leaf in leaves if leaf.kind in ("word", "boolean", "auto"))
            compared += len(leaves)
            found += [f"{name}:{it}" for it in differences(texts[name], leaves, painted(texts[name], scopes[name]))]
        self.counts["tokens compared"] = compared
        self.wrong("the grammars disagree", found)
        self.html({name: texts[name] for name in sound})
        self.emacs({name: (texts[name], self.grammar.leaves(trees[name]), name in laid_out) for name in sound})
        self.bat({name: (texts[name], self.grammar.leaves(trees[name])) for name in sound})
        self.wrong("no blueprint has the word", sorted(claims.words(ROOT) - seen))

    def bat(self, of: dict):
        """The same of the syntax for Sublime Text, by what reads such in bat."""
        path = EDITORS / "sublime/Slipform.sublime-syntax"
        made = sublime.converted(sublime.read(TEXTMATE))
        if self.args.update:
            path.write_text(made)
        self.wrong("is made anew by --update", [path.name] if path.read_text() != made else [])
        program = shutil.which("bat") or shutil.which("batcat")
        if not program:
            self.counts["texts by bat, which is not on PATH"] = 0
            return
        bat = sublime.Bat(program, path, MEANING, self.work)
        lines = bat.of([text for text, _ in of.values()])
        found = [f"{name}:{it}" for (name, (text, leaves)), seen in zip(of.items(), lines) for it in differences(text, leaves, seen)]
        self.wrong("bat disagrees", found)
        self.counts["texts by " + sublime.version(program)] = len(of)

    def html(self, texts: dict[str, str]):
        """Shiki leaves every text as it is, and gives the words of a blueprint the colours of VS Code's theme."""
        node = subprocess.run(["node", "-p", "process.versions.node"], check=True, capture_output=True, text=True).stdout
        if int(node.split(".")[0]) < 20:
            self.counts["texts as HTML, for which Shiki wants node 20"] = 0
            return
        command = ["node", HERE / "html.mjs", self.args.modules, TEXTMATE]
        said = json.loads(subprocess.run(command, input=json.dumps(list(texts.values())), check=True, stdout=subprocess.PIPE, text=True).stdout)
        self.wrong("Shiki changes the text", [name for name, it in zip(texts, said) if it["text"].rstrip("\n") != texts[name].rstrip("\n")])
        pieces = {tuple(piece) for it in said for piece in it["pieces"]}
        expected = {"network": "#4EC9B0", "fabric": "#4EC9B0", "param": "#569CD6", "on": "#569CD6", "if": "#C586C0", "torchrun": "#DCDCAA"}
        self.wrong("Shiki has another colour", [f"{word}, not {colour}" for word, colour in expected.items() if (word, colour) not in pieces])
        self.counts["texts as HTML"] = len(said)

    def emacs(self, of: dict):
        listed = re.search(r"slipform--functions\s+'\((.*?)\)", (EDITORS / "emacs/slipform-mode.el").read_text(), re.DOTALL)[1]
        self.wrong("a function that Emacs alone has, or lacks", sorted({*re.findall(r'"(\w+)"', listed)} ^ {*claims.functions(ROOT)}))
        if not shutil.which("emacs"):
            self.counts["texts by Emacs, which is not on PATH"] = 0
            return
        for sort, found in itertools.groupby(emacs.compare(HERE / "emacs.el", EDITORS / "emacs/slipform-mode.el", of, self.work / "emacs"), lambda it: it[0]):
            self.wrong(sort, [it for _, it in found])
        self.counts["texts by Emacs"] = len(of)

    def broken(self, texts: dict[str, str]) -> tuple[set[str], set[str]]:
        """Those in which the compiler finds mistakes of syntax, and those that it would not lay out otherwise."""
        folder = self.work / "texts"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        paths = {}
        for number, (name, text) in enumerate(texts.items()):
            path = folder / f"{number}.bp"
            path.write_text(text)
            paths[path.name] = name
        command = [self.args.slipform.resolve(), "fmt", "--check", "--message-format", "json", "."]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        told = [json.loads(line) for line in (said.stdout + said.stderr).splitlines() if line.startswith("{")]
        changed = {paths[Path(line).name] for line in said.stdout.splitlines() if line.endswith(".bp")}
        return {paths[Path(it["file"]).name] for it in told if it["code"].startswith("syntax/")}, texts.keys() - changed

    def snapshots(self):
        shown = sorted((HERE / "snapshots").glob("*.bp"))
        texts = [path.read_text() for path in shown]
        for path, text, lines in zip(shown, texts, self.scopes.of(texts)):
            self.kept(path.with_suffix(".scopes"), snapshot(text, lines))
            for editor, folder in QUERIES.items():
                queries = {it.stem: it.read_text() for it in folder.glob("*.scm")}
                found = [*self.grammar.colours(text, queries["highlights"]), *self.grammar.injections(text, queries["injections"])]
                self.kept(path.with_suffix(f".{editor}"), "\n".join(found) + "\n")

    def kept(self, path: Path, now: str):
        self.counts["snapshots"] = self.counts.get("snapshots", 0) + 1
        if self.args.update:
            path.write_text(now)
        was = path.read_text() if path.exists() else ""
        if was != now:
            pairs = itertools.zip_longest(was.splitlines(), now.splitlines())
            at, (_, line) = next((at, pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1])
            self.wrong(f"{path.name}:{at}", [f"is {line!r} now; --update writes it anew"])

    def ended(self) -> int:
        print(*self.said, sep="\n", end="\n" if self.said else "")
        print("editors: " + ", ".join(f"{number} {what}" for what, number in self.counts.items()))
        return 1 if self.said else 0


def blueprints():
    """Every blueprint that git knows, or would."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.bp"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for path in (ROOT / line for line in sorted(set(listed.stdout.splitlines()))) if path.exists()]


if __name__ == "__main__":
    sys.exit(main())
