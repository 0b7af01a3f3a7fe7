"""The parser of tree-sitter, compiled from `editors/tree-sitter-slipform`, and what its trees say."""
import ctypes
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Language, Node, Parser, Query, QueryCursor, QueryError, Tree

NUMBERS = {"integer", "float", "size", "duration", "topology", "address", "cidr", "quantity"}
KINDS = NUMBERS | {"comment", "doc_comment", "boolean", "auto"}
NAMES = {"identifier", "rule_code"}


@dataclass
class Leaf:
    """A token: `word` for one of the language, `name`, `sign`, `string`, `escape`, or its kind. Places count bytes."""
    kind: str
    start: int
    end: int
    text: str


class Grammar:
    def __init__(self, folder: Path, work: Path):
        library = work / "slipform.so"
        work.mkdir(parents=True, exist_ok=True)
        sources = [folder / "src/parser.c", folder / "src/scanner.c"]
        compiler = os.environ.get("CC", "cc")
        flags = ["-std=c11", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", f"-I{folder / 'src'}"]
        subprocess.run([compiler, *flags, *sources, "-o", library], check=True)
        make = ctypes.CDLL(str(library)).tree_sitter_slipform
        make.restype = ctypes.c_void_p
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.language = Language(capsule(make(), b"tree_sitter.Language", None))
        self.parser = Parser(self.language)

    def parse(self, text: str) -> Tree:
        return self.parser.parse(text.encode())

    def sexp(self, text: str) -> str:
        return str(self.parse(text).root_node)

    def kinds(self, text: str) -> list[str]:
        return [leaf.kind for leaf in self.leaves(self.parse(text))]

    def query_problems(self, text: str) -> list[str]:
        try:
            Query(self.language, text)
        except QueryError as error:
            return [str(error)]
        return []

    def colours(self, text: str, highlights: str) -> list[str]:
        """Each token with its colour: of several captures that of the last pattern, on the smallest node."""
        tree, query = self.parse(text), Query(self.language, highlights)
        winners = {}
        for pattern, found in QueryCursor(query).matches(tree.root_node):
            for capture, nodes in found.items():
                if capture == "spell":
                    continue
                for node in nodes:
                    place = node.start_byte, node.end_byte
                    winners[place] = max(winners.get(place, (-1, "")), (pattern, capture))
        shown = []
        for leaf in self.leaves(tree):
            spans = [(place, capture) for place, (_, capture) in winners.items() if place[0] <= leaf.start and leaf.end <= place[1]]
            around = [(end - start, capture) for (start, end), capture in spans]
            shown.append(f"{leaf.text!r} {min(around, default=(0, '-'))[1]}")
        return shown

    def injections(self, text: str, injections: str) -> list[str]:
        """What is of another language: its name, and the text without what is put in."""
        query, shown = Query(self.language, injections), []
        for pattern, found in QueryCursor(query).matches(self.parse(text).root_node):
            language = query.pattern_settings(pattern)["injection.language"]
            for node in found["injection.content"]:
                without = [f" without {it.text.decode()!r}" for it in node.named_children]
                shown.append(f"{language} {node.text.decode()!r}{''.join(without)}")
        return shown

    def first_error(self, tree: Tree) -> str:
        node = tree.root_node
        while not (node.is_error or node.is_missing):
            node = next(child for child in node.children if child.has_error or child.is_missing)
        return f"line {node.start_point.row + 1}, column {node.start_point.column + 1}: {node.text.decode()[:40]!r}"

    def leaves(self, tree: Tree) -> list[Leaf]:
        found = []
        gather(tree.root_node, found)
        return found


def gather(node: Node, found: list[Leaf]):
    def leaf(kind: str, start=node.start_byte, end=node.end_byte):
        if start < end:
            text = node.text[start - node.start_byte:end - node.start_byte].decode()
            found.append(Leaf(kind, start, end, text))

    if node.type in KINDS:
        leaf(node.type)
    elif node.type in NAMES:
        leaf("name")
    elif node.type == "escape_sequence":
        leaf("escape")
    elif node.type == "string_content":
        at = node.start_byte
        for child in node.named_children:  # texts between them have no node
            leaf("string", at, child.start_byte)
            gather(child, found)
            at = child.end_byte
        leaf("string", at)
    elif node.child_count:
        for child in node.children:
            gather(child, found)
    elif node.parent and node.parent.type in ("string", "block_string"):
        leaf("string")
    elif not node.is_named:
        leaf("word" if re.fullmatch("[a-z]+", node.type) else "sign")
