"""What both grammars say of the language, against the compiler's own sources: words, operators, units, functions."""
import itertools
import re
from pathlib import Path

SYNTAX = "compiler/syntax/src"
NEWLINE = "\n"
MARK = re.compile(r"={3,}\n(.+?)\n={3,}\n(.*?)\n---+\n(.*?)(?=\n={3,}\n|\Z)", re.DOTALL)


def words(root: Path) -> set[str]:
    """The words of the language: of more than one letter, since single ones in the grammar are units, as what `time_word` spells out is."""
    rules = read(root, "grammar.pest").splitlines()
    grammar = "\n".join(line for line in rules if not line.startswith(("//", "time_word ")))
    values = re.search(r"match word \{(.*?)_ =>", read(root, "parse/lower/exprs.rs"), re.DOTALL)[1]
    return set(re.findall(r'"([a-z]{2,})"', grammar)) | set(re.findall(r'"([a-z]+)" =>', values))


def read(root: Path, path: str) -> str:
    return (root / SYNTAX / path).read_text()


def operators(root: Path) -> list[tuple[str, int]]:
    """Each operator between two operands with its power as a number."""
    text = read(root, "operators.rs")
    powers = re.findall(r"^    (\w+),$", re.search(r"pub enum Power \{(.*?)\n\}", text, re.DOTALL)[1], re.MULTILINE)
    table = re.search(r"pub const BINARY.*?\n\];", text, re.DOTALL)[0]
    return [(spelling, powers.index(power)) for spelling, power in re.findall(r'operator\(BinaryOp::\w+, "([^"]+)", Power::(\w+)\)', table)]


def units(root: Path) -> tuple[list[str], list[str]]:
    text = (root / "compiler/model/src/units.rs").read_text()
    table = lambda name: re.findall(r'\("(\w+)",', re.search(rf"const {name}: .*?\];", text, re.DOTALL)[0])
    return [*table("SIZES"), "B"], table("TIMES")


def functions(root: Path) -> list[str]:
    return re.findall(r"^\| `(\w+)\(", (root / "docs/reference/functions.md").read_text(), re.MULTILINE)


def everything(root: Path) -> str:
    """A blueprint with every unit, operator and function, whether or not another has it."""
    literals = [f"1.5{unit}" for unit in itertools.chain(*units(root))]
    values = literals + [f"a {spelling} b" for spelling, _ in operators(root)] + [f"{name}(a)" for name in functions(root)]
    return "".join(f"let x{at} = {value}\n" for at, value in enumerate(values))


def strings(rule) -> list[str]:
    """The words and signs that a rule of grammar.json spells out."""
    if isinstance(rule, dict):
        own = [rule["value"]] if rule.get("type") == "STRING" else []
        return own + [it for value in rule.values() for it in strings(value)]
    return [it for value in rule for it in strings(value)] if isinstance(rule, list) else []


def visible(made: dict) -> list[str]:
    """The kinds of nodes that a grammar.json gives names to."""
    hidden = {*made["supertypes"], *made["inline"]}
    wholes = [rule for rule in made["rules"].values()]
    aliases = {it["value"] for it in nested(wholes) if it.get("type") == "ALIAS" and it["named"]}
    replaced = {it["content"]["name"] for it in nested(wholes) if it.get("type") == "ALIAS" and it["content"]["type"] == "SYMBOL"}
    named = [name for name in made["rules"] if not name.startswith("_") and name not in hidden | replaced]
    return [*named, *aliases]


def nested(value):
    if isinstance(value, dict):
        yield value
    for it in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nested(it)


def compare(root: Path, made: dict, grammar, textmate: Path, highlights: list[Path]):
    """What differs, as pairs of a sort and a list."""
    spelled = {it for it in strings(list(made["rules"].values())) if re.fullmatch("[a-z]{2,}", it)}
    yield "a word of one grammar only", sorted(words(root) ^ spelled)

    rows = [it["content"] for it in made["rules"]["binary_expression"]["members"]]
    powers = [it["value"] for it in made["rules"]["binary_expression"]["members"]]
    own = [(strings(row)[0], power) for row, power in zip(rows, powers)]
    theirs = operators(root)
    yield "an operator of one grammar only", sorted({it for it, _ in own} ^ {it for it, _ in theirs})
    power_of, pairs = dict(own), itertools.combinations(theirs, 2)
    sign = lambda a, b: (a > b) - (a < b)
    yield "binds otherwise", [f"{a} and {b}" for (a, p), (b, q) in pairs if sign(power_of.get(a, 0), power_of.get(b, 0)) != sign(p, q)]

    sizes, times = units(root)
    asked = [("size", f"16{it}") for it in sizes] + [("duration", f"16{it}") for it in times]
    asked += [("size", f"1.5{sizes[0]}"), ("duration", "".join(f"2{it}" for it in times))]
    yield "is no literal", [text for kind, text in asked if grammar.kinds(f"let x = {text}\n")[3:] != [kind]]

    known = set(functions(root))
    lists = {textmate.name: textmate.read_text(), **{str(path): path.read_text() for path in highlights}}
    for name, text in lists.items():
        lines = re.findall(r'[\w|"\s]{100,}', text)
        listed = [set(re.findall(r'(?<=["|])([a-z_]+)(?=["|])', f"|{it}|")) for it in lines]
        found = max(listed, key=lambda it: len(it & known), default=set())
        yield f"functions in {name}", sorted(found ^ known)


def filled(text: str, tree_of) -> str:
    """The same tests with the trees that there are now."""
    parts = [f"{'=' * 18}\n{name}\n{'=' * 18}\n\n{blueprint.strip(NEWLINE)}\n\n---\n\n{indented(tree_of(blueprint))}\n" for name, blueprint, _ in corpus(text)]
    return "\n".join(parts)


def indented(tree: str) -> str:
    deep = 0
    shown = ""
    for piece in re.findall(r"\)|(?: ?\w+: )?\(\w+| ?\(\w+", tree):
        if piece == ")":
            deep -= 1
            shown += piece
        else:
            shown += "\n" * bool(shown) + "  " * deep + piece.strip()
            deep += 1
    return shown


def corpus(text: str):
    """(name, blueprint, tree) of each test in the form of tree-sitter, the tree on one line."""
    for name, blueprint, tree in MARK.findall(text):
        flat = re.sub(r"\s+", " ", tree).strip()
        yield name.strip(), blueprint.removeprefix("\n") + "\n", re.sub(r"\s*\)", ")", flat)
