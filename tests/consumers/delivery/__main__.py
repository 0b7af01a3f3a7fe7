# SPDX-License-Identifier: Apache-2.0
"""What docs/how-to/continuous-delivery.md gives Atlantis, Argo CD and Flux, held against their definitions and against an output.

usage: delivery schemas DIR            writes the JSON schemas of Argo CD's and Flux' kinds into DIR (3: no Go or no module proxy)
       delivery judge DIR OUTPUT       judges the page: OUTPUT is the rendered blueprint that it speaks of

Exit status of `judge`: 0 all fields are known, each folder is there, each root and each run is named, in the order of the README; 1 not so.
"""
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "kube"))
import definitions  # noqa: E402
import modules  # noqa: E402

PAGE = HERE.parents[2] / "docs" / "how-to" / "continuous-delivery.md"
BUILT = "out/dev/"
INIT = re.compile(r"terraform -chdir=(\S+) init .*'prefix=([^']*)'")
# What Atlantis knows of a project and of a server: its parser refuses any other field.
PROJECT = {"name", "branch", "dir", "workspace", "workflow", "execution_order_group", "depends_on", "autoplan", "terraform_version", "apply_requirements"}
REPO = {"id", "branch", "workflow", "allowed_overrides", "apply_requirements", "plan_requirements", "allowed_workflows", "allow_custom_workflows"}


def schemas(folder: Path) -> None:
    fresh = folder.with_suffix(".part")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for entry in modules.modules(HERE / "modules.tsv", "definitions").values():
        for path in sorted((modules.download(entry) / entry["definitions"]).glob("*.yaml")):
            for thing in definitions.read(path):
                if thing["kind"] == "CustomResourceDefinition":
                    for stem, schema in definitions.json_schemas(thing):
                        (fresh / f"{stem}.json").write_text(json.dumps(schema))
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def blocks(text: str) -> list:
    """The documents of all blocks of YAML."""
    return [thing for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) for thing in yaml.safe_load_all(block)]


def of_schema(folder: Path, thing: dict) -> list:
    """What the publisher of a kind does not accept of an object."""
    group, version = thing["apiVersion"].split("/")
    path = folder / f"{group}.{version}.{thing['kind']}.json"
    if not path.is_file():
        return [f"nobody defines {thing['apiVersion']} {thing['kind']}"]
    found = jsonschema.Draft202012Validator(json.loads(path.read_text())).iter_errors(thing)
    return [f"{thing['kind']} {thing['metadata']['name']}: {fault.json_path}: {fault.message}" for fault in found]


def atlantis(things: list, output: Path) -> list:
    """Its roots are those of the README, in the same order, and each is initialised as there."""
    server = next(thing for thing in things if "repos" in thing)
    repository = next(thing for thing in things if "projects" in thing)
    faults = [f"Atlantis knows no field {field}" for entry in server["repos"] for field in entry.keys() - REPO]
    faults += [f"Atlantis knows no field {field}" for entry in repository["projects"] for field in entry.keys() - PROJECT]
    prefixes = dict(INIT.findall((output / "README.md").read_text()))
    ordered = sorted(repository["projects"], key=lambda project: project["execution_order_group"])
    named = [project["dir"].removeprefix(BUILT) for project in ordered]
    if named != list(prefixes):
        faults.append(f"Atlantis applies {named}, and the README {list(prefixes)}")
    steps = server["workflows"][ordered[0]["workflow"]]["plan"]["steps"]
    command = next(step["env"]["command"] for step in steps if isinstance(step, dict) and "env" in step)
    known = set()
    for project in ordered:
        told = subprocess.run(["sh", "-c", command], env={"PATH": os.environ["PATH"], "STATE": "state", "REPO_REL_DIR": project["dir"]},
                              capture_output=True, text=True, check=True).stdout.split()
        wanted = ["-backend-config=bucket=state", f"-backend-config=prefix={prefixes.get(project['dir'].removeprefix(BUILT))}"]
        faults += [f"Atlantis initialises {project['dir']} with {told}, and the README with {wanted}"] if told != wanted else []
        faults += [f"{project['name']} depends on {other}, which does not come before it" for other in project.get("depends_on", []) if other not in known]
        known.add(project["name"])
    return faults


def folders(output: Path, pattern: str) -> list:
    """The folders of an output that kustomize builds, as the page calls them."""
    found = sorted(path.parent.relative_to(output).as_posix() for path in output.rglob("kustomization.yaml"))
    return [f"{BUILT}{folder}" for folder in found if fnmatch.fnmatchcase(folder, pattern)]


def argo(things: list, output: Path) -> list:
    """The queues are one Application, the runs are all of the ApplicationSet's and named after themselves, and none starts by itself."""
    runs = folders(output, "50-workloads/*/overlays/*")
    faults, covered = [], []
    for thing in things:
        if thing.get("kind") == "Application":
            covered.append(thing["spec"]["source"]["path"])
        elif thing.get("kind") == "ApplicationSet":
            template = thing["spec"]["template"]
            patterns = [entry["path"] for generator in thing["spec"]["generators"] for entry in generator["git"]["directories"]]
            found = [folder for folder in runs if any(fnmatch.fnmatchcase(folder, pattern) for pattern in patterns)]
            segment = int(re.search(r"index \.path\.segments (\d+)", template["metadata"]["name"])[1])
            faults += [f"the run in {run} is called {run.split('/')[segment]}" for run in found if f"50-workloads/{run.split('/')[segment]}/" not in run]
            faults += ["a run is synced by itself"] if "automated" in template["spec"].get("syncPolicy", {}) else []
            covered += found
    wanted = folders(output, "40-*-queues") + runs
    return faults + ([f"Argo CD applies {sorted(covered)}, and there are {wanted}"] if sorted(covered) != wanted else [])


def flux(things: list, output: Path) -> list:
    """Each folder has its Kustomization, which waits for one that there is, and each run is suspended."""
    all_of_it = [thing for thing in things if thing.get("apiVersion", "").startswith("kustomize.toolkit.fluxcd.io/")]
    names = [thing["metadata"]["name"] for thing in all_of_it]
    paths = sorted(thing["spec"]["path"].removeprefix("./") for thing in all_of_it)
    wanted = folders(output, "40-*-queues") + folders(output, "50-workloads/*/overlays/*")
    faults = [f"Flux applies {paths}, and there are {wanted}"] if paths != wanted else []
    for thing in all_of_it:
        spec, name = thing["spec"], thing["metadata"]["name"]
        faults += [f"{name} depends on {other['name']}, which there is none of" for other in spec.get("dependsOn", []) if other["name"] not in names]
        faults += [f"{name} is a run that starts by itself" for _ in [0] if "50-workloads" in spec["path"] and not spec.get("suspend")]
        faults += [f"{name} prunes" for _ in [0] if spec["prune"]]
    return faults


def judge(folder: Path, output: Path) -> int:
    things = blocks(PAGE.read_text())
    objects = [thing for thing in things if "apiVersion" in thing]
    faults = [fault for thing in objects for fault in of_schema(folder, thing)]
    faults += atlantis(things, output) + argo(objects, output) + flux(objects, output)
    # They must be able to refuse.
    wrong = json.loads(json.dumps(objects[0]).replace('"syncPolicy"', '"syncPolciy"'))
    if not of_schema(folder, wrong):
        faults.append("a field that nobody knows is accepted")
    for fault in faults:
        print(f"REFUSED  {fault}")
    print(f"delivery: {len(objects)} objects and {len(things) - len(objects)} files of the page, {len(faults)} refused")
    return 1 if faults or not objects else 0


def main() -> int:
    match sys.argv[1:]:
        case ["schemas", folder]:
            try:
                schemas(Path(folder))
            except modules.Unreachable as why:
                print(why, file=sys.stderr)
                return 3
            return 0
        case ["judge", folder, output]:
            return judge(Path(folder), Path(output))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
