# SPDX-License-Identifier: Apache-2.0
"""Reads every page of the built site, and says what is wrong with it.

usage: check.py --slipform PROGRAM HTML

A link leads to a page and to an anchor in it. Nothing is loaded from another host. What the program knows (codes, machines, GPUs, TPUs) and
each kind of the reference has a page. A blueprint is coloured by the grammar: its words are spans. Beside each whole blueprint of the book
stands every file that it renders to.
"""
import argparse
import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from book import ROOT, blocks, write  # noqa: E402

# What a browser fetches by itself; a link (`a`) is followed by a person alone.
LOADED = {"src", "srcset", "poster", "data", "action", "background"}
ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"@import|url\(\s*['\"]?(?:[a-z]+:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """What of a page is looked at."""

    def __init__(self, text: str):
        super().__init__()
        self.ids, self.links, self.loads, self.titles = [], [], [], 0
        self.blueprints, self.files, self.panels = [], 0, 0
        self._in = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        classes = (said.get("class") or "").split()
        self.ids += [said["id"]] if said.get("id") else []
        self.links += [said["href"]] if tag == "a" and "href" in said else []
        self.loads += [value or "" for name, value in attrs if name in LOADED or (name == "href" and tag != "a")]
        self.titles += tag == "h1"
        self.panels += "renders" in classes
        self.files += tag == "details" and "file" in classes
        if tag == "pre" and {"code", "bp"} <= set(classes):
            self.blueprints.append(0)
            self._in = tag
        elif tag == "span" and self._in:
            self.blueprints[-1] += 1

    def handle_endtag(self, tag):
        if tag == self._in:
            self._in = None


def main() -> int:
    asked = argparse.ArgumentParser(usage=__doc__)
    asked.add_argument("--slipform", required=True)
    asked.add_argument("html", type=Path)
    args = asked.parse_args()
    files = [path for path in sorted(args.html.rglob("*.html")) if path.relative_to(args.html).parts[0] != "search"]
    pages = {path: Page(path.read_text()) for path in files}
    wrong = [
        *(f"{path.relative_to(args.html)}: {what}" for path, page in pages.items() for what in of_page(args.html, path, page, pages)),
        *hosts(args.html),
        *missing(args.slipform, args.html),
        *beside(args.slipform, args.html, pages),
    ]
    for what in wrong:
        print(f"WRONG    {what}")
    links = sum(len(page.links) for page in pages.values())
    coloured = sum(len(page.blueprints) for page in pages.values())
    files = sum(page.files for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {coloured} blueprints in colour, {files} rendered files")
    return 1 if wrong or len(pages) < 500 or coloured < 400 else 0


def of_page(html: Path, path: Path, page: Page, pages: dict):
    yield from (f"{len(page.ids) - len(set(page.ids))} ids stand there twice" for _ in [0] if len(page.ids) != len(set(page.ids)))
    if page.titles != 1:
        yield f"{page.titles} titles"
    for link in page.links + page.loads:
        if urlsplit(link).scheme or link.startswith("//"):
            continue
        why = leads_nowhere(html, path, link, pages)
        if why:
            yield f"{link} leads {why}"
    yield from (f"loads {link}" for link in page.loads if ELSEWHERE.match(link))
    yield from (f"blueprint {at} has no colours" for at, spans in enumerate(page.blueprints, 1) if not spans)


def leads_nowhere(html: Path, path: Path, link: str, pages: dict) -> str:
    address = urlsplit(urljoin(f"/{path.relative_to(html)}", link))
    file = html / unquote(address.path).lstrip("/")
    if address.path.endswith("/"):
        file /= "index.html"
    if not file.is_file():
        return "to nothing"
    known = file not in pages or not address.fragment or unquote(address.fragment) in pages[file].ids
    return "" if known else "to no part of that page"


def hosts(html: Path):
    """Styles and scripts of the theme: those of the search are watched in the browser."""
    for path in sorted((html / "theme").iterdir()):
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        if "://" in text or IN_STYLE.search(text):
            yield f"{path.relative_to(html)} names another host"


def missing(slipform: str, html: Path):
    asked = {
        "reference/rules/{}": (["explain"], "code"),
        "reference/catalog/machines/{}": (["catalog", "machines"], "name"),
        "reference/catalog/gpus/{}": (["catalog", "gpus"], "name"),
        "reference/catalog/tpus/{}": (["catalog", "tpus"], "generation"),
    }
    for form, (words, key) in asked.items():
        said = subprocess.run([slipform, *words, "--message-format", "json"], capture_output=True, text=True, check=True).stdout
        names = [json.loads(line)[key] for line in said.splitlines()]
        if not names:
            yield f"`slipform {' '.join(words)}` says nothing"
        yield from (f"{form.format(name)} is no page" for name in names if not (html / form.format(name) / "index.html").is_file())
    kinds = [path.stem for path in (ROOT / "docs/reference/kinds").glob("*.md") if path.stem != "README"]
    yield from (f"reference/kinds/{kind} is no page" for kind in kinds if not (html / "reference/kinds" / kind / "index.html").is_file())


def beside(slipform: str, html: Path, pages: dict):
    """The panels of a page, and the files in them, are those of its whole blueprints. Values alone render to a page that says so."""
    for source in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        shown = list(blocks(source.read_text()))
        made = [
            count
            for (_, section, info, text), after in zip(shown, [*shown[1:], (0, 0, "", "")])
            if info == "bp" and (count := rendered(slipform, text, after[3] if after[1:3] == (section, "toml") else "")) > 1
        ]
        place = source.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/").removesuffix("README").strip("/")
        page = pages.get(html / place / "index.html")
        if page is None:
            yield f"{source.relative_to(ROOT)} is no page"
        elif made and (page.panels, page.files) != (len(made), sum(made)):
            yield f"{place}: {page.panels} panels with {page.files} files beside {len(made)} blueprints that render to {sum(made)}"


def rendered(slipform: str, text: str, settings: str) -> int:
    """How many files, but for the manifest."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        with contextlib.redirect_stdout(io.StringIO()):
            write(project, text, settings)
        subprocess.run([slipform, "build", project, "--out", project / "out"], capture_output=True, check=True)
        return sum(path.is_file() for path in (project / "out").rglob("*")) - 1


if __name__ == "__main__":
    sys.exit(main())
