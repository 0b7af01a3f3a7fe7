"""Reads every rendered Vertex AI payload with Google's own client library, strictly.

usage: vertex.py RENDERED...

A payload is a *.json file outside Terraform roots and kustomizations that is not the build's manifest. It must be strict
JSON (no duplicate keys), parse into the client library's message without a single unknown field, name enum values that are
neither unspecified nor deprecated, and be in the canonical form of the API: printing the message gives the payload back. Machines, pools and
scheduling have to agree as Google's pages say it.
What `submit.sh --print` makes of it, with a stand-in for Terraform, is held to the same, and has no place left unfilled. The
file that `submit.sh --config` gives gcloud says what runs in the very same words.
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from google.cloud import aiplatform_v1
from google.protobuf import json_format

MANIFEST = "slipform.manifest.json"
NOT_FROM_CLIENTS = {"name", "state", "createTime", "startTime", "endTime", "updateTime", "error", "webAccessUris",
                    "satisfiesPzs", "satisfiesPzi", "trials"}
MARKER = r"@launch[-a-z]*\.sh"  # what stands in a request for a launcher beside it
DEPRECATED = {"ON_DEMAND", "LOW_COST"}  # of Scheduling.Strategy: the client library has dropped the proto's own mark


class Refused(Exception):
    """What the client library, or the API's documented contract, says against a payload."""


def main() -> int:
    roots = [Path(arg) for arg in sys.argv[1:]]
    if not roots:
        print(__doc__, file=sys.stderr)
        return 2
    failures, good = 0, []
    for path in (path for root in roots for path in payloads(root)):
        try:
            kind = check(path.read_text())
            check_sent(path)
            good.append(path)
            print(f"ok       {path}: {kind}")
        except Refused as refusal:
            failures += 1
            print(f"REFUSED  {path}: {refusal}")
    failures += sum(accepts_broken(path) for path in good[:1])
    print(f"vertex: {len(good)} payloads accepted, {failures} refused")
    return 1 if failures or not good else 0


def check_sent(path: Path):
    """The request as it is sent: with its launcher, and with what Terraform knows."""
    script = path.parent / "submit.sh"
    with tempfile.TemporaryDirectory() as folder:
        terraform = Path(folder) / "terraform"
        terraform.write_text("#!/bin/sh\nprintf value\n")
        terraform.chmod(0o755)
        # both are of one run, where each has a folder of its own
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "RUN_FOLDER": "first"}
        sent = asked(script, "--print", environment)
        kind = check(sent)
        # gcloud has no command that creates a training pipeline
        if kind != "TrainingPipeline":
            config = json.loads(asked(script, "--config", environment))
            if config != json.loads(sent).get("jobSpec", json.loads(sent)):
                raise Refused(f"{script.name} --config says something else than --print")
    left = re.findall(rf'"{MARKER}"|\$\{{[a-z0-9_]+\}}', json.dumps([place_texts(pool) for pool in pools_of(sent)]))
    if left:
        raise Refused(f"{script.name} --print leaves places unfilled")
    named = set()
    for before, after in zip(pools_of(path.read_text()), pools_of(sent), strict=True):
        for word, arrives in zip(command_of(before), command_of(after), strict=True):
            if re.fullmatch(MARKER, word):
                named.add(word[1:])
                word = (path.parent / word[1:]).read_text()
            if arrives != word:
                raise Refused(f"{script.name} --print sends {arrives!r} for {word!r}")
    beside = {launcher.name for launcher in path.parent.glob("launch*.sh")}
    if named != beside:
        raise Refused(f"the request names the launchers {sorted(named)}, and beside it are {sorted(beside)}")


def asked(script: Path, option: str, environment: dict) -> str:
    done = subprocess.run(["bash", str(script), option], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{script.name} {option}: {done.stderr.strip()}")
    return done.stdout


def task_of(pool: dict) -> dict:
    return pool.get("containerSpec") or pool["pythonPackageSpec"]


def command_of(pool: dict) -> list[str]:
    return task_of(pool).get("command", [])


def pools_of(text: str) -> list[dict]:
    job = json.loads(text)
    return [pool for pool in spec_of(job).get("workerPoolSpecs", []) if pool]


def spec_of(job: dict) -> dict:
    """What runs."""
    return job.get("jobSpec") or job.get("trialJobSpec") or job.get("trainingTaskInputs") or {}


def place_texts(pool: dict) -> list:
    """What may hold a place: all but the launcher, whose own variables look like one."""
    container = task_of(pool)
    command = [word for word in container.get("command", []) if "\n" not in word]
    return [command, container.get("args", []), [entry["value"] for entry in container.get("env", [])], pool.get("nfsMounts", [])]


def payloads(root: Path) -> list[Path]:
    def elsewhere(path: Path) -> bool:
        folder = path.parent
        return any(folder.glob("*.tf")) or any(folder.glob("*.pkr.hcl")) or (folder / "kustomization.yaml").exists()

    return [path for path in sorted(root.rglob("*.json")) if path.name != MANIFEST and not elsewhere(path)]


def check(text: str) -> str:
    try:
        payload = json.loads(text, object_pairs_hook=no_duplicates)
    except ValueError as error:
        raise Refused(f"not strict JSON: {error}") from error
    kind, message = message_for(payload)
    try:
        json_format.ParseDict(payload, message, ignore_unknown_fields=False)
    except json_format.ParseError as error:
        raise Refused(f"{kind}: {error}") from error
    differences(payload, json_format.MessageToDict(message), kind)
    for field in sorted(NOT_FROM_CLIENTS & payload.keys()):
        raise Refused(f"{kind}.{field} is set by the service")
    enums(message, kind)
    if kind == "TrainingPipeline":
        pipeline(payload)
    worker_pools(spec_of(payload), kind)
    contract(payload, kind)
    return kind


def pipeline(payload: dict):
    """What a training pipeline runs is free in its message, and the spec of a custom job by its definition."""
    if not payload["trainingTaskDefinition"].endswith("/custom_task_1.0.0.yaml"):
        raise Refused(f"TrainingPipeline.trainingTaskDefinition is {payload['trainingTaskDefinition']}")
    inputs, spec = payload["trainingTaskInputs"], aiplatform_v1.CustomJobSpec
    message = spec.pb(spec())
    try:
        json_format.ParseDict(inputs, message, ignore_unknown_fields=False)
    except json_format.ParseError as error:
        raise Refused(f"TrainingPipeline.trainingTaskInputs: {error}") from error
    differences(inputs, json_format.MessageToDict(message), "TrainingPipeline.trainingTaskInputs")
    enums(message, "TrainingPipeline.trainingTaskInputs")
    if not inputs.get("baseOutputDirectory"):
        raise Refused("TrainingPipeline.modelToUpload is of the output directory, and the job has none")


def no_duplicates(pairs):
    seen = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"duplicate key {key!r}")
        seen[key] = value
    return seen


def message_for(payload):
    if not isinstance(payload, dict):
        raise Refused("the payload is not an object")
    for key, kind in (("trialJobSpec", "HyperparameterTuningJob"), ("trainingTaskDefinition", "TrainingPipeline"),
                      ("resourcePools", "PersistentResource"), ("jobSpec", "CustomJob")):
        if key in payload:
            wrapper = getattr(aiplatform_v1, kind)
            return kind, wrapper.pb(wrapper())
    raise Refused(f"none of the job kinds has these fields: {', '.join(payload)}")


def differences(given, printed, where):
    """Refuses what the parser forgave: snake_case names, numbers in strings, empty values that vanish."""
    if isinstance(given, dict) and isinstance(printed, dict):
        for key in given:
            if key not in printed:
                if not given[key] and "_" not in key:  # a default spelt out: the printer leaves it away
                    continue
                raise Refused(f"{where}.{key} = {json.dumps(given[key])} is not what the API prints back")
            differences(given[key], printed[key], f"{where}.{key}")
    elif isinstance(given, list) and isinstance(printed, list):
        for index, (left, right) in enumerate(zip(given, printed, strict=True)):
            differences(left, right, f"{where}[{index}]")
    elif given != printed and not (isinstance(given, int) and isinstance(printed, str) and str(given) == printed):
        raise Refused(f"{where} is {json.dumps(given)}, in the API's own form {json.dumps(printed)}")


def enums(message, where):
    for field, value in message.ListFields():
        for index, item in enumerate([value] if not is_list(field) else value):
            here = f"{where}.{field.json_name}" + (f"[{index}]" if is_list(field) else "")
            if field.enum_type is not None:
                choice = field.enum_type.values_by_number.get(item)
                if choice is None or choice.name.endswith("_UNSPECIFIED") or choice.name in DEPRECATED:
                    raise Refused(f"{here} is {choice.name if choice else item}")
            elif field.message_type is not None and not field.message_type.GetOptions().map_entry \
                    and hasattr(item, "ListFields") and not field.message_type.full_name.startswith("google.protobuf."):
                enums(item, here)


def is_list(field) -> bool:
    map_entry = field.message_type is not None and field.message_type.GetOptions().map_entry
    repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    return repeated and not map_entry


def worker_pools(job_spec, kind):
    """What the API documents about worker pools and messages cannot say."""
    pools = job_spec.get("workerPoolSpecs")
    if pools is None:
        if kind in ("CustomJob", "HyperparameterTuningJob"):
            raise Refused("workerPoolSpecs is required")
        return
    if not 1 <= len(pools) <= 4:
        raise Refused(f"{len(pools)} worker pools: there are four positions")
    for index, pool in enumerate(pools):
        where = f"workerPoolSpecs[{index}]"
        if pool == {} and 0 < index < len(pools) - 1:
            continue
        replicas = int(pool.get("replicaCount", 0))
        if replicas < 1 or (index == 0 and replicas != 1):
            raise Refused(f"{where}.replicaCount is {replicas}: 1 in the primary pool, at least 1 in the others")
        if ("containerSpec" in pool) == ("pythonPackageSpec" in pool):
            raise Refused(f"{where} needs exactly one of containerSpec and pythonPackageSpec")
        task = pool.get("containerSpec") or pool.get("pythonPackageSpec")
        if not task.get("imageUri") and not task.get("executorImageUri"):
            raise Refused(f"{where} names no image")
        machine = pool.get("machineSpec", {})
        if not machine.get("machineType"):
            raise Refused(f"{where}.machineSpec.machineType is required")
        if bool(machine.get("acceleratorType")) != bool(machine.get("acceleratorCount")):
            raise Refused(f"{where}.machineSpec has only one of acceleratorType and acceleratorCount")
        names = [entry.get("name", "") for entry in task.get("env", [])]
        for name in names:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or names.count(name) > 1:
                raise Refused(f"{where}: environment variable {name!r} is malformed or set twice")


GPUS = {"a4x-highgpu-4g": ("NVIDIA_GB200", 4), "a4-highgpu-8g": ("NVIDIA_B200", 8), "a3-ultragpu-8g": ("NVIDIA_H200_141GB", 8),
        "a3-megagpu-8g": ("NVIDIA_H100_MEGA_80GB", 8), "a2-megagpu-16g": ("NVIDIA_TESLA_A100", 16),
        **{f"a3-highgpu-{n}g": ("NVIDIA_H100_80GB", n) for n in (1, 2, 4, 8)},
        **{f"a2-ultragpu-{n}g": ("NVIDIA_A100_80GB", n) for n in (1, 2, 4, 8)},
        **{f"a2-highgpu-{n}g": ("NVIDIA_TESLA_A100", n) for n in (1, 2, 4, 8)}}
ATTACHED = ("NVIDIA_TESLA_P4", "NVIDIA_TESLA_P100", "NVIDIA_TESLA_T4", "NVIDIA_TESLA_V100")
TPU = re.compile(r"ct5lp-hightpu-[148]t|ct6e-standard-[148]t|tpu7x-standard-4t")
RESERVATION = re.compile(r"projects/[^/]+/zones/[^/]+/reservations/[^/]+(/reservationBlocks/.+)?")
SET_BY_SERVICE = {"CLUSTER_SPEC", "TF_CONFIG", "MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "CLOUD_ML_JOB_ID"}


def contract(payload: dict, kind: str):
    """What Google's pages say of machines, pools and scheduling together, and no message does."""
    spec = spec_of(payload)
    pools = spec.get("workerPoolSpecs", [])
    told = list(machines(pools)) + list(scheduled(spec, pools))
    if len(payload.get("displayName", "")) > 128:
        told.append("displayName is longer than 128 characters")
    if pools and pools[-1] == {}:
        told.append("the last worker pool is empty: leave it out")
    if spec.get("tensorboard") and not spec.get("serviceAccount"):
        told.append("a TensorBoard asks for a serviceAccount")
    if spec.get("network") and spec.get("pscInterfaceConfig"):
        told.append("network and pscInterfaceConfig exclude each other")
    if told:
        raise Refused(f"{kind}: {'; '.join(told)}")


def machines(pools: list):
    for index, pool in enumerate(pools):
        if not pool:
            continue
        where, spec, task = f"workerPoolSpecs[{index}]", pool["machineSpec"], task_of(pool)
        name, gpus = spec["machineType"], (spec.get("acceleratorType"), int(spec.get("acceleratorCount", 0)))
        if name in GPUS and gpus != GPUS[name]:
            yield f"{where}: {name} has {GPUS[name]}, and {gpus} are asked for"
        if name not in GPUS and gpus[0] and not (name.startswith("n1-") and gpus[0] in ATTACHED) and not name.startswith(("g2-", "g4-")):
            yield f"{where}: {name} takes no {gpus[0]}"
        if TPU.fullmatch(name) and (len(pools) > 1 or gpus[0] or not spec.get("tpuTopology")):
            yield f"{where}: a TPU job has one pool, which its topology alone describes"
        if "/reductionserver" in task.get("imageUri", "") and (index != 2 or gpus[0] or task.get("command") or task.get("args") or spec.get("reservationAffinity")):
            yield f"{where}: a Reduction Server is pool 2, without GPUs, a command or a reservation"
        affinity = spec.get("reservationAffinity", {})
        for value in affinity.get("values", []):
            if not RESERVATION.fullmatch(value):
                yield f"{where}: {value} is no reservation by its whole name"
        if name in ("a3-ultragpu-8g", "a4-highgpu-8g", "a4x-highgpu-4g") and pool["diskSpec"]["bootDiskType"] != "hyperdisk-balanced":
            yield f"{where}: {name} boots from hyperdisk-balanced"
        if not 100 <= int(pool["diskSpec"]["bootDiskSizeGb"]) <= 64000:
            yield f"{where}: a boot disk has 100 to 64000 GB"
        names = [entry["name"] for entry in task.get("env", [])]
        if SET_BY_SERVICE & set(names) or len(names) > 100:
            yield f"{where}: variables that the service sets, or more than 100"
    first, second = ([pool.get("machineSpec", {}) for pool in pools] + [{}, {}])[:2]
    if second and is_same_work(pools) and first != second:
        yield "the workers have other machines than the primary"


def is_same_work(pools: list) -> bool:
    return task_of(pools[0]) == task_of(pools[1])


def scheduled(spec: dict, pools: list):
    scheduling = spec.get("scheduling", {})
    strategy, machines_of = scheduling.get("strategy"), [json.dumps(pool["machineSpec"], sort_keys=True) for pool in pools if pool]
    if strategy == "FLEX_START":
        if float(scheduling.get("timeout", "604800s")[:-1]) > 604800:
            yield "FLEX_START lends for 7 days at most"
        if len(set(machines_of)) > 1:
            yield "FLEX_START takes one machine for all pools"
    elif "maxWaitDuration" in scheduling:
        yield "maxWaitDuration is of FLEX_START"
    if strategy in ("FLEX_START", "SPOT") and any("RESERVATION" in machine for machine in machines_of):
        yield f"{strategy} takes no reservation"
    if strategy == "SPOT" and any(pool and TPU.fullmatch(pool["machineSpec"]["machineType"]) for pool in pools):
        yield "SPOT has no TPUs"
    if scheduling.get("disableRetries") and scheduling.get("restartJobOnWorkerRestart"):
        yield "disableRetries overrules restartJobOnWorkerRestart"
    if spec.get("persistentResourceId") and strategy in ("FLEX_START", "SPOT"):
        yield f"a persistent resource has its machines, and {strategy} obtains others"


def accepts_broken(path: Path) -> int:
    """The check itself must be able to fail: broken copies of a good payload have to be refused."""
    payload = json.loads(path.read_text())
    wrong = []
    for break_it in (lambda pool, job: pool["machineSpec"].update(acceleratorKind="x"),
                     lambda pool, job: pool["machineSpec"].update(acceleratorType="NVIDIA_H1000"),
                     lambda pool, job: job.update(timeout="60s"),
                     lambda pool, job: job["scheduling"].update(strategy="STANDARD", maxWaitDuration="60s"),
                     lambda pool, job: job["workerPoolSpecs"].append({})):
        broken = copy.deepcopy(payload)
        job = spec_of(broken)
        break_it(job["workerPoolSpecs"][0], job)
        try:
            check(json.dumps(broken))
            wrong.append(broken)
        except Refused:
            pass
    print(f"{'ok      ' if not wrong else 'WRONG   '} {path}: broken copies are refused ({5 - len(wrong)} of 5)")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
