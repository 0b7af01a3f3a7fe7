# SPDX-License-Identifier: Apache-2.0
"""The commands of a rendered README, in order, and who follows which."""
import re
import shlex
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"```sh\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"([A-Z]+)=([\w./-]+)(?=\s|$)")
CREDENTIALS = re.compile(r"gcloud container clusters get-credentials (\S+)")
TEAR_DOWN = "## Tear down"
OF_EXISTING = re.compile(r"^- the namespaces (.*)\. They stay at tear-down", re.MULTILINE)
THEIRS = re.compile(r"^Someone else makes these namespaces, which have to be there first: (.*)\.$", re.MULTILINE)
LABEL = re.compile(r"`([^`=]+)=([^`]*)`")

# Who follows a command, by how it begins; the first that fits. Where nobody can, `because` says why. A command that fits none fails the
# run: whoever renders a new one says here who tries it.
PLANE, WORLD, SLURM, NOBODY = "control plane", "terraform world", "slurm", "nobody"


@dataclass(frozen=True)
class Handling:
    start: str
    who: str
    because: str = ""


HANDLING = (
    Handling(r"kubectl (apply|create|delete|get|events|label|annotate|patch|describe)\b", PLANE),
    Handling(r"\[\[ ! -x \S+/fill-deferred\.sh \]\] \|\|", PLANE),
    Handling(r"\S+/(install|fill-deferred)\.sh\b", PLANE),
    Handling(r"terraform -chdir=\S+ (init|apply|destroy)\b", WORLD),
    Handling(r"(sbatch|\S+/(submit|chain)\.sh)\b", SLURM),
    Handling(r"kubectl (logs|exec|port-forward|attach)\b", NOBODY, "no container runs behind a pod of the control plane"),
    Handling(r"kubectl (wait|rollout)\b", NOBODY, "the control plane's trial waits itself, and ends the pods"),
    Handling(r"while (state=|\[\[)", NOBODY, "the control plane's trial waits itself, and ends the pods"),
    Handling(r"\[\[ \"\$state\"", NOBODY, "the control plane's trial says itself how a run ended"),
    Handling(r"\[\[ -n \"\$(PIPELINE|JOB)\"", NOBODY, "it says what the line before it has found"),
    Handling(r"terraform -chdir=\S+ \w+", NOBODY, "it changes nothing"),
    Handling(r"(gcloud|gsutil|bq)\b", NOBODY, "no API of the cloud is here; where gcloud is on PATH it parses the command"),
    Handling(r"\S+/(create|delete|request)\.sh\b", NOBODY, "no API of the cloud is here; where gcloud is on PATH it parses the commands in it"),
    Handling(r"packer (init|validate|build)\b", NOBODY, "no API of the cloud is here; packer.py reads the template, and packer validates it where it is on PATH"),
    Handling(r"gcluster (create|deploy|destroy)\b", NOBODY, "what it makes is in a cloud; its blueprint is judged by toolkit.py"),
    Handling(r"for pipeline in\b", NOBODY, "what it reaches is on the network; pipelines.py follows it with a stand-in"),
    Handling(r"for slice in\b", NOBODY, "no API of the cloud is here; where gcloud is on PATH it parses the command"),
    Handling(r"done$", NOBODY, "it ends what a loop repeats"),
    Handling(r"(for partition in|until jobs=)", NOBODY, "it is for a cluster that is made in a cloud"),
    Handling(r"(docker|helm|curl|git|pip|python3?|(api|ask|pipelines|running)(\(\))?)\b", NOBODY, "what it reaches is on the network"),
    Handling(r"(ssh|scp|rsync|sudo|squeue|sinfo|scontrol|scancel|sattach|sacct|srun)\b", NOBODY, "it is for machines of one's own"),
    Handling(r"(export )?[A-Za-z_]+=", NOBODY, "a name that a person chooses"),
    Handling(r"\(?(rm|cd|mkdir|install|umask|read|printf|echo|ls|cat|tail)\b", NOBODY, "the shell's own"),
)


@dataclass
class Commands:
    """What the README says of one cluster, in order."""

    forth: list = field(default_factory=list)
    back: list = field(default_factory=list)  # of "Tear down"


def lines(text: str):
    """Every command of every script, whole, without what is said about it, with the names that were given last."""
    names = {}
    for script in FENCE.findall(text):
        for line in script.replace("\\\n", " ").splitlines():
            line = re.sub(r"(^|\s)#.*", "", line).strip()
            if line and not NAMED.sub("", line).strip():
                names |= NAMED.findall(line)
            for name, word in names.items():
                line = re.sub(rf"\$({name}\b|{{{name}}})", word, line)
            if line:
                yield line


def text_of(readme: Path) -> str:
    """Empty where nothing was rendered that anyone could follow."""
    return readme.read_text() if readme.exists() else ""


def handling(line: str) -> Handling | None:
    return next((row for row in HANDLING if re.match(row.start, line)), None)


def followed(line: str) -> bool:
    row = handling(line)
    return row is not None and row.who == PLANE


def tally(readmes: list) -> list:
    """(who, why nobody, how many commands) over all of these pages."""
    found = Counter((row.who, row.because) for readme in readmes for line in lines(text_of(readme)) if (row := handling(line)))
    return [(who, because, count) for (who, because), count in sorted(found.items())]


def unknown(readme: Path) -> list:
    """Commands that nobody here knows what to do with."""
    return [line for line in lines(text_of(readme)) if handling(line) is None]


def commands(readme: Path) -> dict:
    """The commands that reach a cluster, under the name of the cluster. Those of other platforms are left out."""
    found, cluster = {}, None
    forth, _, back = text_of(readme).partition(TEAR_DOWN)
    for line in lines(forth):
        named = CREDENTIALS.match(line)
        if named:
            cluster = named[1]
            found.setdefault(cluster, Commands())
        elif cluster and followed(line):
            found[cluster].forth.append(line)
    applied = {folder: name for name, said in found.items() for line in said.forth for folder in folders(line)}
    for line in lines(back):
        named = CREDENTIALS.match(line)
        cluster = named[1] if named else next((applied[folder] for folder in folders(line) if folder in applied), cluster)
        if cluster in found and followed(line):
            found[cluster].back.append(line)
    return found


def namespaces(out: Path) -> dict:
    """Those that an output asks somebody else for: labels by name."""
    page = text_of(out / "README.md")
    told = [part for line in THEIRS.findall(page) for part in line.split("; ")] + OF_EXISTING.findall(page)
    return {name: dict(LABEL.findall(part)) for part in told for name in re.findall(r"`([^`=]+)`", part)}


def folders(line: str) -> list:
    """The kustomizations that a command is about."""
    words = shlex.split(line)
    if words[0] == "kubectl" and "-k" in words:
        return [words[words.index("-k") + 1]]
    return [words[0].rpartition("/")[0]] if words[0].endswith("install.sh") else []


def applied_folders(out: Path, line: str) -> list:
    """The kustomizations that a command applies."""
    applies = line.startswith(("kubectl apply", "kubectl create")) or not line.startswith("kubectl")
    return [out / folder for folder in folders(line) if applies and (out / folder / "kustomization.yaml").exists()]
