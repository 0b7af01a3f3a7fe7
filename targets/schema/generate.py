#!/usr/bin/env python3
"""Derives what the consumers accept (names, types, enumerations, what is required) from their schemas.

    generate.py SCHEMAS [SBATCH_OPTIONS]

SCHEMAS is a folder with `kubernetes/<group>.<version>.<Kind>.json` and `vertex/{customjob,hptjob}.schema.json` (JSON Schema),
`terraform/google-schema.json` (the provider's blocks and attributes), and `cluster-toolkit/modules.json` (the inputs of its modules). SBATCH_OPTIONS is a table of the options of sbatch:
name, character or constant, argument (no, required, optional), first release, last release. The same input
gives the same files, which lie beside this program. Their format:

    # ...                      where the file comes from
    > KEY KIND TYPE            a document: how it is looked up, what it is called, its type
    NAME FIELD:TYPE~DEFAULT .. a record; `!` behind a field: required; `-`: set by the provider alone; `^` in front of that: another value
                               makes another resource; `+`: where nothing is said any more, what there is stays; `~`: what the consumer
                               takes where the field is left out, if its schema says so

    s b i n                    string, boolean, integer, number
    q x *                      quantity (string or number), integer or string, anything
    (A|B)                      one of these strings
    [TYPE] [KEY,KEY|TYPE]      list; with keys, its items are told apart by those fields
    [#|TYPE]                   list whose items are told apart by their places
    [=TYPE]                    list whose order means nothing
    {TYPE}                     mapping from string to TYPE
    <MIN,MAX|NAME>             Terraform blocks; no MAX: any number
    NAME                       record
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

KUBERNETES = [
    "jobset.x-k8s.io.v1alpha2.JobSet",
    "kueue.x-k8s.io.v1beta2.ClusterQueue",
    "kueue.x-k8s.io.v1beta2.LocalQueue",
    "kueue.x-k8s.io.v1beta2.ResourceFlavor",
    "kueue.x-k8s.io.v1beta2.AdmissionCheck",
    "kueue.x-k8s.io.v1beta2.ProvisioningRequestConfig",
    "kueue.x-k8s.io.v1beta2.Topology",
    "kueue.x-k8s.io.v1beta2.WorkloadPriorityClass",
    "kueue.x-k8s.io.v1beta2.Cohort",
    "batch.v1.Job",
    "v1.Pod",
    "v1.Namespace",
    "v1.ServiceAccount",
    "v1.Service",
    "v1.ConfigMap",
    "v1.PersistentVolume",
    "v1.PersistentVolumeClaim",
    "apps.v1.DaemonSet",
    "apps.v1.Deployment",
    "networking.gke.io.v1.Network",
    "networking.gke.io.v1.GKENetworkParamSet",
    "networking.k8s.io.v1.NetworkPolicy",
    "rbac.authorization.k8s.io.v1.ClusterRole",
    "rbac.authorization.k8s.io.v1.ClusterRoleBinding",
    "rbac.authorization.k8s.io.v1.Role",
    "rbac.authorization.k8s.io.v1.RoleBinding",
    "resource.k8s.io.v1.ResourceClaimTemplate",
    "resource.nvidia.com.v1beta1.ComputeDomain",
    "scheduling.k8s.io.v1.PriorityClass",
    "storage.k8s.io.v1.StorageClass",
]

TERRAFORM = [
    "google_artifact_registry_repository",
    "google_artifact_registry_repository_iam_member",
    "google_compute_address",
    "google_compute_disk",
    "google_compute_firewall",
    "google_compute_global_address",
    "google_compute_instance_group_manager",
    "google_compute_instance_template",
    "google_compute_network",
    "google_compute_reservation",
    "google_compute_resource_policy",
    "google_compute_router",
    "google_compute_router_nat",
    "google_compute_subnetwork",
    "google_container_cluster",
    "google_container_node_pool",
    "google_filestore_instance",
    "google_iam_workload_identity_pool",
    "google_iam_workload_identity_pool_provider",
    "google_lustre_instance",
    "google_parallelstore_instance",
    "google_project_iam_member",
    "google_project_service",
    "google_secret_manager_secret",
    "google_secret_manager_secret_iam_member",
    "google_service_account",
    "google_service_account_iam_member",
    "google_service_networking_connection",
    "google_storage_anywhere_cache",
    "google_storage_bucket",
    "google_storage_bucket_iam_member",
    "google_vertex_ai_tensorboard",
]

# What the API server alone writes.
SERVER_SET = {
    "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
    "resourceVersion", "selfLink", "uid",
}

# JobSet v0.10 is the floor: what came with v0.11 and v0.12 is refused by the clusters that have it.
TOO_NEW_FIELDS = {("JobSet", "volumeClaimPolicies")}
TOO_NEW_VALUES = {"JobSet": {"InPlaceRestart", "RestartJob", "RestartJobAndIgnoreMaxRestarts"}}

# Lists whose items are told apart by their places: the first worker pool is the primary, the second its workers.
PLACED = {"WorkerPoolSpec"}


class Library:
    """Records with equal content share one name."""

    def __init__(self):
        self.names = {}
        self.records = {}
        self.roots = []

    def record(self, hint, fields):
        content = " ".join(sorted(fields, key=lambda field: field.split(":")[0].rstrip("!-^")))
        if content not in self.names:
            base = "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", hint))
            name, count = base, 1
            while name in self.records:
                count += 1
                name = f"{base}_{count}"
            self.names[content] = name
            self.records[name] = content
        return self.names[content]

    def text(self, source):
        lines = [f"# {source}"]
        lines += [f"> {key} {kind} {shape}" for key, kind, shape in sorted(self.roots)]
        lines += [f"{name} {content}".rstrip() for name, content in sorted(self.records.items())]
        return "\n".join(lines) + "\n"


def one_of(values):
    for value in values:
        if not re.fullmatch(r"[A-Za-z0-9_.:/+-]*", value):
            raise SystemExit(f"a value that the format cannot hold: {value!r}")
    return "(" + "|".join(values) + ")"


def default(value):
    """What the consumer takes where a field is left out. An empty text, and what the format cannot hold, is not told."""
    if value is None or isinstance(value, (dict, list)):
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"~{text}" if re.fullmatch(r"[A-Za-z0-9_.:/+-]+", text) else ""


class JsonSchema:
    """One JSON Schema document into a library."""

    def __init__(self, library, document, kind):
        self.library = library
        self.defs = document.get("$defs", {})
        self.kind = kind
        self.open = []

    def shape(self, schema, hint):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            tail = name.rsplit(".", 1)[-1]
            if tail == "Quantity":
                return "q"
            if name in self.open:  # a record that holds itself
                return tail
            self.open.append(name)
            shape = self.shape(self.defs[name], tail)
            self.open.remove(name)
            return shape
        if schema.get("x-kubernetes-int-or-string"):
            return "q" if "pattern" in schema else "x"
        if "const" in schema:
            return one_of([schema["const"]])
        # a message that may also be empty
        if "else" in schema:
            schema = {**schema, **schema["else"]}
        elif "oneOf" in schema or "anyOf" in schema:
            kinds = schema.get("anyOf", schema.get("oneOf", []))
            return "q" if '"number"' in json.dumps(kinds) else "x"
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else [kind for kind in types if kind != "null"]
        kind = types[0] if len(types) == 1 else None
        if kind == "string" or "enum" in schema:
            return self.string(schema)
        if kind in ("boolean", "integer", "number"):
            return kind[0]
        if len(types) > 1 and "string" in types:
            return "x" if "integer" in types else "q"
        if kind == "array":
            return self.array(schema, hint)
        if kind == "object":
            return self.object(schema, hint)
        return "*"

    def string(self, schema):
        too_new = TOO_NEW_VALUES.get(self.kind, set())
        values = [v for v in schema.get("enum", []) if isinstance(v, str) and v not in too_new]
        return one_of(values) if values else "s"

    def array(self, schema, hint):
        items = schema.get("items", {})
        inner = self.shape(items, hint)
        keys = schema.get("x-kubernetes-list-map-keys") or []
        if not keys and "x-kubernetes-patch-merge-key" in schema and schema.get("x-kubernetes-list-type") != "atomic":
            keys = [schema["x-kubernetes-patch-merge-key"]]
        resolved = self.defs[items["$ref"].rsplit("/", 1)[1]] if "$ref" in items else items
        if not keys and "name" in resolved.get("required", []) and schema.get("x-kubernetes-list-type") != "atomic":
            keys = ["name"]
        if inner in PLACED:
            keys = ["#"]
        return f"[{','.join(keys)}|{inner}]" if keys else f"[{inner}]"

    def object(self, schema, hint):
        properties = schema.get("properties")
        extra = schema.get("additionalProperties")
        if properties:
            return self.record(schema, hint)
        if isinstance(extra, dict) and extra:
            return "{" + self.shape(extra, hint) + "}"
        return "{*}" if extra is not False else self.library.record(hint, [])

    def record(self, schema, hint):
        required = set(schema.get("required", []))
        fields = []
        for name, inner in schema["properties"].items():
            if name == "status" and hint == self.kind or (self.kind, name) in TOO_NEW_FIELDS:
                continue
            if hint in ("ObjectMeta", "metadata") and name in SERVER_SET:
                continue
            mark = "!" if name in required else ""
            fields.append(f"{name}{mark}:{self.shape(inner, name)}{default(inner.get('default'))}")
        return self.library.record(hint, fields)


def kubernetes(folder):
    library = Library()
    for name in KUBERNETES:
        document = json.loads((folder / f"{name}.json").read_text())
        kind = name.rsplit(".", 1)[1]
        shape = JsonSchema(library, document, kind).shape(document, kind)
        library.roots.append((kind.lower(), kind, shape))
    return library.text("Kubernetes kinds, JobSet as of v0.10")


# What a training pipeline runs is free in its schema, and the spec of a custom job in fact. The rest is of the discovery document.
PIPELINE = {
    "Port": "containerPort:i",
    "ModelContainerSpec": "args:[s] command:[s] deploymentTimeout:s env:[name|EnvVar] grpcPorts:[Port] healthProbe:* healthRoute:s imageUri!:s "
    "invokeRoutePrefix:s livenessProbe:* ports:[Port] predictRoute:s sharedMemorySizeMb:x startupProbe:*",
    "Model": "containerSpec:ModelContainerSpec description:s displayName!:s encryptionSpec:EncryptionSpec labels:{s} metadata:* "
    "metadataSchemaUri:s versionAliases:[s] versionDescription:s",
    "TrainingPipeline": "displayName!:s encryptionSpec:EncryptionSpec labels:{s} modelId:s modelToUpload:Model parentModel:s "
    "trainingTaskDefinition!:s trainingTaskInputs!:CustomJobSpec",
}


def vertex(folder):
    library = Library()
    for file, kind in [("customjob", "CustomJob"), ("hptjob", "HyperparameterTuningJob")]:
        document = json.loads((folder / f"{file}.schema.json").read_text())
        shape = JsonSchema(library, document, kind).shape({"$ref": document["$ref"]}, kind)
        library.roots.append((kind.lower(), kind, shape))
    for name, fields in PIPELINE.items():
        library.record(name, fields.split(" "))
    library.roots.append(("trainingpipeline", "TrainingPipeline", "TrainingPipeline"))
    return library.text("Jobs of aiplatform v1, " + document["$comment"].rsplit(", ", 1)[1])


def attribute(library, kind, hint, values=()):
    if isinstance(kind, str):
        return one_of(values) if values and kind == "string" else {"string": "s", "bool": "b", "number": "n"}.get(kind, "*")
    if kind[0] in ("list", "set"):
        return f"[{'=' if kind[0] == 'set' else ''}{attribute(library, kind[1], hint)}]"
    if kind[0] == "map":
        return "{" + attribute(library, kind[1], hint) + "}"
    fields = [f"{name}:{attribute(library, inner, name)}" for name, inner in kind[1].items()]
    return library.record(hint, fields)


def block(library, schema, hint, more=()):
    fields = list(more)
    for name, inner in schema.get("attrs", {}).items():
        settable = inner.get("opt") or inner.get("req")
        mark = "!" if inner.get("req") else "" if settable else "-"
        values = list(inner.get("enum", []))
        if values and (inner.get("enum_empty") or inner.get("or_empty")) and "" not in values:
            values.append("")
        if not all(isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.:/+-]*", value) for value in values):
            values = []
        new = "^" if inner.get("new") else ""
        kept = "+" if settable and inner.get("comp") else ""
        fields.append(f"{name}{new}{kept}{mark}:{attribute(library, inner.get('type'), name, values)}{default(inner.get('default'))}")
    for name, inner in schema.get("blocks", {}).items():
        least, most = inner.get("min") or 0, inner.get("max") or ""
        if inner["n"] == "single":
            most = 1
        computed = inner.get("comp") and not any(
            field.get("opt") or field.get("req") for field in inner["block"].get("attrs", {}).values()
        ) and not inner["block"].get("blocks")
        mark = "-" if computed else "!" if least else ""
        new = "^" if inner.get("new") else ""
        kept = "+" if inner.get("comp") and not computed else ""
        fields.append(f"{name}{new}{kept}{mark}:<{least},{most}|{block(library, inner['block'], name)}>")
    return library.record(hint, fields)


def terraform(folder):
    """Resources with what Terraform adds to each of them."""
    library = Library()
    provider = json.loads((folder / "google-schema.json").read_text())
    resources = provider["resources"]
    condition = library.record("condition", ["condition!:*", "error_message!:s"])
    lifecycle = library.record("lifecycle", [
        "create_before_destroy:b", "ignore_changes:*", "prevent_destroy:b", "replace_triggered_by:[*]",
        f"precondition:<0,|{condition}>", f"postcondition:<0,|{condition}>",
    ])
    every = ["count:*", "depends_on:[*]", "for_each:*", "provider:*", f"lifecycle:<0,1|{lifecycle}>"]
    for name in TERRAFORM:
        library.roots.append((name, name, block(library, resources[name]["block"], name, every)))
    return library.text("/".join(provider["source"].split("/")[1:]) + " " + provider["version"])


# What a blueprint may patch of a Slurm cluster on Google Cloud.
TOOLKIT = {
    "nodeset": "community/modules/compute/schedmd-slurm-gcp-v6-nodeset",
    "tpunodeset": "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-tpu",
    "slurmpartition": "community/modules/compute/schedmd-slurm-gcp-v6-partition",
    "controller": "community/modules/scheduler/schedmd-slurm-gcp-v6-controller",
    "login": "community/modules/scheduler/schedmd-slurm-gcp-v6-login",
}

# What gcluster and the modules' `use` fill.
FILLED = {"machine_configs", "nodeset", "nodeset_dyn", "nodeset_tpu", "partitions", "login_nodes", "deployment_name"}


class TerraformType:
    """A type of a Terraform variable, as text, into a library."""

    def __init__(self, library, text):
        self.library = library
        self.words = re.findall(r'"[^"]*"|[A-Za-z_][\w-]*|[-\d.]+|\S', text)
        self.at = 0

    def next(self):
        self.at += 1
        return self.words[self.at - 1]

    def shape(self, hint):
        """The shape of a type, and what is taken where it is left out: nothing where it may not be."""
        word = self.next()
        if word in ("string", "number", "bool", "any"):
            return {"string": "s", "number": "n", "bool": "b", "any": "*"}[word], None
        self.next()  # (
        if word == "object":
            shape = self.object(hint)
        elif word == "optional":
            shape, _ = self.shape(hint)
            return shape, default(self.default())
        elif word in ("list", "set", "map"):
            inner, _ = self.shape(hint)
            shape = {"list": f"[{inner}]", "set": f"[={inner}]", "map": "{" + inner + "}"}[word]
        else:
            raise SystemExit(f"a type that is not known: {word}")
        self.next()  # )
        return shape, None

    def object(self, hint):
        fields = []
        self.next()  # {
        while self.words[self.at] != "}":
            name = self.next()
            self.next()  # =
            shape, left_out = self.shape(name)
            fields.append(f"{name}{'!' if left_out is None else ''}:{shape}{left_out or ''}")
            if self.words[self.at] == ",":
                self.next()
        self.next()  # }
        return self.library.record(hint, fields)

    def default(self):
        """Passes over a default value and the parenthesis behind it: the value, where it is a single word."""
        depth, start = 1, self.at
        while depth:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.next(), 0)
        words = self.words[start:self.at - 1]
        return words[1].strip('"') if len(words) == 2 and words[1] != "null" else None


def toolkit(folder):
    """The inputs of modules, with the words that `gcluster create` lets stand in them."""
    library = Library()
    known = json.loads((folder / "modules.json").read_text())
    for name, source in TOOLKIT.items():
        module = known["modules"][source]
        words = {
            check["vars"][0]: check["allowed"]
            for check in module.get("create_checks", [])
            if check["rule"] == "allowed_enum" and len(check["vars"]) == 1
        }
        fields = []
        for field, told in sorted(module["inputs"].items()):
            if field in FILLED:
                fields.append(f"{field}-:*")
                continue
            shape, _ = TerraformType(library, told["type"]).shape(field)
            kind = one_of(words[field]) if field in words and shape == "s" else shape
            fields.append(f"{field}:{kind}{default(told.get('default'))}")
        title = source.rsplit("/", 1)[1]
        library.roots.append((name, title, library.record(name, fields)))
    return library.text(f"GoogleCloudPlatform/cluster-toolkit {known['version']}")


def sbatch(table):
    rows = [line.split("\t") for line in table.read_text().splitlines() if line.count("\t") == 4]
    newest = max(last for *_, last in rows)
    # srun has a `--wait` of another meaning, among whose options the table has it
    rows.append(["wait", "'W'", "none", "20-11", newest])
    out = []
    for name, short, argument, first, last in sorted(rows):
        letter = short.strip("'") if short.startswith("'") else ""
        out.append("\t".join([name, letter, argument, first, "" if last == newest else last]))
    return "\n".join(out) + "\n"


def write(name, text):
    (HERE / name).write_text(text)
    print(f"{name}: {len(text)} bytes")


def main():
    schemas = Path(sys.argv[1])
    write("kubernetes.shapes", kubernetes(schemas / "kubernetes"))
    write("vertex.shapes", vertex(schemas / "vertex"))
    write("terraform.shapes", terraform(schemas / "terraform"))
    write("toolkit.shapes", toolkit(schemas / "cluster-toolkit"))
    if len(sys.argv) > 2:
        write("sbatch.tsv", sbatch(Path(sys.argv[2])))


if __name__ == "__main__":
    main()
