"""The extension of VS Code: what it names is there, its snippets are right blueprints, its matchers read what the compiler reports."""
import json
import re
import subprocess
from pathlib import Path

# Snippets that make a blueprint together, each as it is before anyone types into it.
SETS = {
    "GPUs on GKE": "network_gke bucket_checkpoints registry_images image_pytorch identity_training cluster_gke_gpu workload_torchrun",
    "TPUs on GKE": "network_gke bucket_checkpoints registry_images image_jax identity_training cluster_gke_tpu workload_jax",
    "Slurm": "filesystem_home cluster_slurm workload_slurm",
    "Vertex AI": "bucket_checkpoints registry_images image_pytorch identity_training cluster_vertex workload_vertex",
}
# What a set needs to be whole: regions are one, and a bucket has another name.
CHANGED = {
    "TPUs on GKE": {"us-east4": "us-west4"},
    "Vertex AI": {"bucket checkpoints": "bucket staging", "us-east4": "us-central1"},
}
MANIFEST = '[project]\nname = "snippets"\nedition = "2026"\n[params]\nproject = "my-project"\n'
BROKEN = 'zz = 4\ncluster x {\n  zone = 3\nlet unused = 4\n'


def expanded(body: list[str]) -> str:
    """A snippet whose stops are left as they are: placeholders keep their texts, of choices the first is taken."""
    text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\|\}", r"\1", "\n".join(body))
    text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)
    return re.sub(r" *\$0\n?", "", text).rstrip("\n") + "\n"


def files(folder: Path) -> list[str]:
    """What package.json names and is not there."""
    manifest = json.loads((folder / "package.json").read_text())
    has = manifest["contributes"]
    named = [manifest["main"], *(it["configuration"] for it in has["languages"]), *(it["path"] for it in has["grammars"] + has["snippets"])]
    return [it for it in named if not (folder / it).exists()]


def scripts(folder: Path) -> list[Path]:
    return [folder / "extension.js", *sorted((folder / "lib").glob("*.js"))]


def syntax(folder: Path) -> list[str]:
    said = [subprocess.run(["node", "--check", path], capture_output=True, text=True) for path in scripts(folder)]
    return [it.stderr for it in said if it.returncode]


def commands(folder: Path) -> list[str]:
    """Commands with a title that nothing carries out."""
    text = "".join(path.read_text() for path in scripts(folder))
    registered = set(re.findall(r'registerCommand\(\s*["`](slipform\.\w+)', text))
    tasks = re.search(r"COMMANDS = \[(.*?)\]", text)[1]
    registered |= {f"slipform.{it}" for it in re.findall(r'"(\w+)"', tasks)}
    titled = json.loads((folder / "package.json").read_text())["contributes"]["commands"]
    return [it["command"] for it in titled if it["command"] not in registered]


def snippets(folder: Path, slipform: Path, work: Path):
    """What is wrong with them, as the compiler says it."""
    of = {it["prefix"]: it for it in json.loads((folder / "snippets/slipform.json").read_text()).values()}
    yield from (f"{it} is in no set of the test" for it in of if it not in " ".join(SETS.values()).split())
    for name, prefixes in SETS.items():
        text = "\n".join(expanded(of[prefix]["body"]) for prefix in prefixes.split())
        for old, new in CHANGED.get(name, {}).items():
            text = text.replace(old, new)
        where = work / "snippets" / re.sub(r"\W", "-", name)
        where.mkdir(parents=True, exist_ok=True)
        parameter = "" if name == "Slurm" else "param project: ProjectId\n\n"
        (where / "slipform.toml").write_text(MANIFEST if parameter else MANIFEST.split("[params]")[0])
        (where / "main.bp").write_text(parameter + text)
        (where / "train.py").write_text("")
        for command in ["check", "--message-format", "short", "."], ["fmt", "--check", "."]:
            said = subprocess.run([slipform, *command], cwd=where, capture_output=True, text=True)
            if said.returncode or re.search(r"\b(error|warning|advice)\[", said.stderr):
                yield f"{name}: {(said.stdout + said.stderr).strip()}"


def problems(matcher: list[dict], text: str):
    """What a matcher of package.json finds in what a program printed: as (file, line, column, severity, code, message)."""
    lines = text.splitlines()
    for at in range(len(lines)):
        found = {}
        for pattern, line in zip(matcher, lines[at:at + len(matcher)]):
            hit = re.search(pattern["regexp"], line)
            if not hit:
                break
            found |= {part: hit[group] for part, group in pattern.items() if part != "regexp"}
        else:
            if len(lines) - at >= len(matcher):
                yield tuple(found.get(it) for it in ("file", "line", "column", "severity", "code", "message"))


def matchers(folder: Path, slipform: Path, work: Path):
    """Where the matchers find something else than what the compiler reports as JSON."""
    where = work / "matchers"
    where.mkdir(parents=True, exist_ok=True)
    (where / "broken.bp").write_text(BROKEN)
    run = lambda form: subprocess.run([slipform, "check", "broken.bp", "--message-format", form], cwd=where, capture_output=True, text=True)
    told = [json.loads(line) for line in (run("json").stdout + run("json").stderr).splitlines() if line.startswith("{")]
    expected = [
        (it["file"], str(it["range"]["start"]["line"]), str(it["range"]["start"]["column"]), it["severity"], it["code"], it["message"])
        for it in told if "severity" in it
    ]
    if len(expected) < 3:
        yield f"the compiler reports too little to compare: {expected}"
    patterns = {it["name"]: it.get("patterns", [it]) for it in json.loads((folder / "package.json").read_text())["contributes"]["problemPatterns"]}
    for name, form in ("slipform", "short"), ("slipform-human", "human"):
        plain = [{key: it for key, it in pattern.items() if key != "name"} for pattern in patterns[name]]
        found = list(problems(plain, run(form).stderr))
        if found != expected:
            yield f"${name} finds {found} where there is {expected}"
