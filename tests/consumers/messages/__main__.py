# SPDX-License-Identifier: Apache-2.0
"""Each form of messages, read by who reads it in production: SARIF by Microsoft's validator and by reviewdog, reviewdog's own form by
reviewdog, JUnit by a parser of it, annotations as the runner of GitHub's actions takes them apart, reports of quality by what GitLab
documents, and the comment of a review by GitHub's own Markdown.

usage: messages --slipform PROGRAM --reviewdog PROGRAM --multitool PROGRAM --work FOLDER

Exit status: 0 each of them takes out of it what `--message-format json` has, 1 one does not.
"""
import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cmarkgfm
from junitparser import JUnitXml

from project import BLUEPRINT, HOSTILE, NAMED, Project, Refused, expect

# of `tool.driver`: an address that is known once there is a repository
WITHOUT_ADDRESS = "SARIF2005"


class Readers:
    """The programs that read."""

    def __init__(self, options: argparse.Namespace):
        self.reviewdog, self.multitool, self.work = options.reviewdog, options.multitool, options.work

    def through_reviewdog(self, form: str, text: str) -> list:
        """The diagnostics that reviewdog finds in a text."""
        words = [self.reviewdog, f"-f={form}", "-reporter=rdjsonl", "-filter-mode=nofilter"]
        done = subprocess.run(words, input=text, cwd=self.work, capture_output=True, text=True)
        expect(done.returncode == 0, f"reviewdog does not read it: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def faults(self, text: str) -> set:
        """The rules of SARIF's validator that a text breaks."""
        log, report = self.work / "log.sarif", self.work / "report.sarif"
        log.write_text(text)
        report.unlink(missing_ok=True)
        words = [self.multitool, "validate", log, "--rule-kind", "Sarif;Ghas", "--output", report]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
        expect(report.is_file(), f"the validator does not end as it should: {done.stdout}{done.stderr}")
        results = json.loads(report.read_text())["runs"][0]["results"]
        return {it["ruleId"] for it in results if it.get("level", "warning") in ("warning", "error")}


def sarif(project: Project, readers: Readers) -> None:
    """SARIF 2.1.0: the validator has nothing to say, and reviewdog finds each problem at its place"""
    text = project.checked("sarif")
    faults = readers.faults(text) - {WITHOUT_ADDRESS}
    expect(not faults, f"it breaks {faults}")
    told = {(it["code"]["value"], it["location"]["range"]["start"]["line"]) for it in readers.through_reviewdog("sarif", text)}
    expect(told == {(code, line) for code, line, _ in project.problems()}, f"reviewdog finds {told}")
    sound = project.checked("sarif", BLUEPRINT)
    expect(readers.faults(sound) <= {WITHOUT_ADDRESS} and readers.through_reviewdog("sarif", sound) == [], "nothing is wrong, and it says something")
    broken = re.sub(r'"startLine": \d+', '"startLine": 0', text)
    expect("JSON1008" in readers.faults(broken), "the validator takes a line 0")


def rdjson(project: Project, readers: Readers) -> None:
    """reviewdog's form: each problem at its place, with its severity and its mend"""
    told = readers.through_reviewdog("rdjson", project.checked("rdjson"))
    severities = {"error": "ERROR", "warning": "WARNING", "advice": "INFO"}
    wanted = {(code, line, severities[severity]) for code, line, severity in project.problems()}
    found = {(it["code"]["value"], it["location"]["range"]["start"]["line"], it["severity"]) for it in told}
    expect(found == wanted, f"reviewdog finds {found}, and not {wanted}")
    expect({it["location"]["path"] for it in told} == {NAMED}, "it is in another file")
    mends = [mend["text"] for it in told for mend in it.get("suggestions", [])]
    expect("region" in mends, f"the mends are {mends}")
    expect(readers.through_reviewdog("rdjson", project.checked("rdjson", BLUEPRINT)) == [], "nothing is wrong, and it says something")


def junit(project: Project, readers: Readers) -> None:
    """JUnit: a case for each problem, and one where there is none"""
    file = readers.work / "junit.xml"
    file.write_text(project.checked("junit"))
    suites = JUnitXml.fromfile(str(file))
    failed = [case for suite in suites for case in suite if case.result]
    expect({case.result[0].type for case in failed} == {code for code, *_ in project.problems()}, "its failures are others")
    expect((suites.tests, suites.failures) == (len(failed), len(failed)), "it counts other than it tells")
    expect(any("<img src=x> | `x`" in case.result[0].text for case in failed), "the words of the blueprint are others")
    file.write_text(project.checked("junit", BLUEPRINT))
    suites = JUnitXml.fromfile(str(file))
    expect((suites.tests, suites.failures) == (1, 0), "nothing is wrong, and it fails")


def gitlab(project: Project, _readers: Readers) -> None:
    """a report of quality: all that GitLab documents as needed, and no mark twice"""
    report = json.loads(project.checked("gitlab"))
    found = {(it["check_name"], it["location"]["lines"]["begin"]) for it in report}
    expect(found == {(code, line) for code, line, _ in project.problems()}, f"it has {found}")
    for it in report:
        expect(it["severity"] in ("info", "minor", "major", "critical", "blocker"), f"{it['severity']} is no severity")
        expect(isinstance(it["description"], str) and it["description"] != "", "a problem has no description")
        expect(it["location"]["path"] == NAMED, "a path does not lead from the root of the repository")
    marks = [it["fingerprint"] for it in report]
    expect(len(set(marks)) == len(marks), "two problems have one mark")
    expect(json.loads(project.checked("gitlab", BLUEPRINT)) == [], "nothing is wrong, and it says something")


def command(line: str) -> tuple:
    """A command of a workflow as the runner takes it apart: its name, properties and message."""
    match = re.fullmatch(r"::([a-z-]+)(?: ([^:]*(?:%3A[^:]*)*))?::(.*)", line)
    expect(match is not None, f"a line is no command: {line}")
    name, properties, said = match.groups()
    pairs = [pair.split("=", 1) for pair in (properties or "").split(",") if pair]

    def plain(text: str, of_property: bool) -> str:
        for mark, meant in [("%0D", "\r"), ("%0A", "\n")] + ([("%3A", ":"), ("%2C", ",")] if of_property else []):
            text = text.replace(mark, meant)
        return text.replace("%25", "%")

    return name, {key: plain(value, True) for key, value in pairs}, plain(said, False)


def github(project: Project, _readers: Readers) -> None:
    """annotations: the runner finds each at its line, and no word of a blueprint is a command"""
    commands = [command(line) for line in project.checked("github").splitlines()]
    found = {(told["title"], int(told["line"]), name) for name, told, _ in commands}
    levels = {"error": "error", "warning": "warning", "advice": "notice"}
    wanted = {(code, line, levels[severity]) for code, line, severity in project.problems()}
    expect(found == wanted, f"the runner finds {found}, and not {wanted}")
    expect({told["file"] for _, told, _ in commands} == {NAMED}, "it is in another file")
    expect(project.checked("github", BLUEPRINT) == "", "nothing is wrong, and it says something")
    for line in planned(project, "github").splitlines():
        name, told, _ = command(line)
        expect(name in ("error", "warning", "notice") and told["file"] == NAMED, f"a change is told elsewhere: {line}")


def planned(project: Project, form: str) -> str:
    """What a change comes to that puts a hostile value into a run."""
    project.write(BLUEPRINT.replace('"one"', f'"{HOSTILE}"'))
    return project.said("plan", "--against", "HEAD", "--message-format", form, status=3)


class Page(html.parser.HTMLParser):
    """What a page has: its elements, its cells, and the text outside of code."""

    def __init__(self, text: str):
        super().__init__()
        self.elements, self.outside, self.rows, self.inside = set(), "", [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        if tag not in ("br", "img", "hr"):
            self.inside.append(tag)
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data):
        if "code" not in self.inside:
            self.outside += data


def markdown(project: Project, _readers: Readers) -> None:
    """the comment of a review: GitHub's Markdown has a row for each noun, and no value is markup, a link or a mention"""
    text = planned(project, "markdown")
    page = Page(cmarkgfm.github_flavored_markdown_to_html(text))
    known = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "blockquote", "details", "summary"}
    expect(page.elements <= known, f"the page has {page.elements - known}:\n{text}")
    nouns = {json.loads(line)["noun"] for line in planned(project, "json").splitlines()}
    expect(len(page.rows) == 1 + len(nouns) and set(page.rows) == {3}, f"the table has rows of {page.rows} cells for {nouns}:\n{text}")
    expect(not re.search(r"@octocat|#12|e\.com|<img|::error", page.outside), f"a value is no code:\n{page.outside}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("slipform", "reviewdog", "multitool", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    # a copy: whoever builds beside this puts another one in its place
    program = Path(shutil.copy(options.slipform, options.work / "slipform")).resolve()
    refused, cases = 0, (sarif, rdjson, junit, gitlab, github, markdown)
    for case in cases:
        try:
            case(Project(program, options.work / case.__name__), Readers(options))
            print(f"ok       {case.__doc__}")
        except (Refused, LookupError, ValueError) as why:
            refused += 1
            print(f"REFUSED  {case.__doc__}\n{why!s}")
    print(f"messages: {len(cases)} forms, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
