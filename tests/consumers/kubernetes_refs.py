"""What a set of Kubernetes objects says about itself: references that lead somewhere, names that are legal, pods that fit together.

Schemas cannot see any of this, and a cluster tells only when pods stay Pending.
"""
import json
import re
from collections import defaultdict

import yaml

BUILT_IN_NAMESPACES = {"default", "kube-system", "kube-public", "kube-node-lease", "gmp-system", "gke-managed-system"}
BUILT_IN_PRIORITIES = {"system-node-critical", "system-cluster-critical"}
BUILT_IN_CLASSES = {"", "standard", "standard-rwo", "premium-rwo", "standard-rwx", "premium-rwx", "enterprise-rwx",
                    "enterprise-multishare-rwx", "zonal-rwx", "parallelstore-rwx"}
CLUSTER_SCOPED = {"Namespace", "ClusterQueue", "ResourceFlavor", "AdmissionCheck", "ProvisioningRequestConfig", "Topology",
                  "WorkloadPriorityClass", "PriorityClass", "Cohort", "Network", "GKENetworkParamSet", "PersistentVolume",
                  "StorageClass", "ClusterRole", "ClusterRoleBinding", "MultiKueueConfig", "MultiKueueCluster",
                  "ComputeClass"}
EXTENDED = ("nvidia.com/gpu", "google.com/tpu")
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
RENDEZVOUS = re.compile(r"[A-Z0-9_]*(MASTER_ADDR|COORDINATOR_ADDRESS|RDZV_ENDPOINT)")


def check(objects: list[dict], elsewhere: set = frozenset(), namespaces: set = frozenset()) -> list[str]:
    """One line for each thing that is wrong; the objects are everything that one build applies to a cluster, `elsewhere` the kinds
    that whoever made the cluster has declared, `namespaces` those that have to be there before anything is applied."""
    declared = Declared(objects, elsewhere, namespaces)
    problems = []
    for thing in objects:
        name = f"{thing['kind']}/{thing.get('metadata', {}).get('name')}"
        problems += [f"{name}: {problem}" for problem in metadata(thing) + references(thing, declared)]
        for where, template in pod_templates(thing):
            problems += [f"{name}: {where}: {problem}" for problem in pod(template, namespace(thing), declared)]
        if thing["kind"] == "JobSet":
            problems += [f"{name}: {problem}" for problem in rendezvous(thing)]
    return problems


class Declared:
    """The names that exist once everything is applied."""

    def __init__(self, objects, elsewhere=frozenset(), namespaces=frozenset()):
        self.elsewhere = elsewhere
        self.names = defaultdict(set, Namespace={("", name) for name in namespaces})
        for thing in objects:
            name = thing.get("metadata", {}).get("name")
            scope = "" if thing["kind"] in CLUSTER_SCOPED else namespace(thing)
            self.names[thing["kind"]].add((scope, name))
            if thing["kind"] == "ComputeDomain":
                template = thing.get("spec", {}).get("channel", {}).get("resourceClaimTemplate", {}).get("name")
                self.names["ResourceClaimTemplate"].add((scope, template))

    def missing(self, kind, name, scope="") -> list[str]:
        if name is None or kind in self.elsewhere or (scope, name) in self.names[kind]:
            return []
        return [f"{kind} {scope + '/' if scope else ''}{name} is declared nowhere"]


def namespace(thing) -> str:
    return thing.get("metadata", {}).get("namespace", "default")


def metadata(thing) -> list[str]:
    meta, problems = thing.get("metadata", {}), []
    name = meta.get("name", "")
    limit, form = (63, DNS_LABEL) if thing["kind"] in ("Namespace", "Service", "JobSet", "Job", "LocalQueue") else (253, DNS_NAME)
    if "generateName" not in meta and (len(name) > limit or not form.fullmatch(name)):
        problems.append(f"the name {name!r} is not a DNS name of at most {limit} characters")
    if thing["kind"] in CLUSTER_SCOPED and "namespace" in meta:
        problems.append(f"a cluster-scoped object with namespace {meta['namespace']}")
    for where, labels in label_maps(thing):
        problems += [f"{where}: label {key}={value!r} is not a legal value" for key, value in labels.items()
                     if not isinstance(value, str) or len(value) > 63 or not LABEL_VALUE.fullmatch(value)]
    return problems


def label_maps(thing, where="metadata"):
    yield where, thing.get("metadata", {}).get("labels") or {}
    for path, template in pod_templates(thing):
        yield path, template.get("metadata", {}).get("labels") or {}


def references(thing, declared) -> list[str]:
    kind, spec, meta, scope = thing["kind"], thing.get("spec", {}) or {}, thing.get("metadata", {}), namespace(thing)
    labels, problems = meta.get("labels") or {}, []
    if kind not in CLUSTER_SCOPED and scope not in BUILT_IN_NAMESPACES:
        problems += declared.missing("Namespace", scope)
    problems += declared.missing("LocalQueue", labels.get("kueue.x-k8s.io/queue-name"), scope)
    problems += declared.missing("WorkloadPriorityClass", labels.get("kueue.x-k8s.io/priority-class"))
    if kind == "LocalQueue":
        problems += declared.missing("ClusterQueue", spec.get("clusterQueue"))
    if kind == "ClusterQueue":
        problems += cluster_queue(spec, declared)
    if kind == "ResourceFlavor":
        problems += declared.missing("Topology", spec.get("topologyName"))
    if kind == "AdmissionCheck":
        parameters = spec.get("parameters") or {}
        problems += declared.missing(parameters.get("kind", "ProvisioningRequestConfig"), parameters.get("name"))
    if kind == "Network":
        problems += declared.missing("GKENetworkParamSet", (spec.get("parametersRef") or {}).get("name"))
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        role = thing.get("roleRef", {})
        if not role.get("name", "").startswith("system:") and role.get("name") not in ("view", "edit", "admin", "cluster-admin"):
            problems += declared.missing(role.get("kind"), role.get("name"), "" if role.get("kind") == "ClusterRole" else scope)
        for subject in thing.get("subjects") or []:
            if subject.get("kind") == "ServiceAccount":
                problems += declared.missing("ServiceAccount", subject.get("name"), subject.get("namespace", scope))
    if kind == "PersistentVolumeClaim":
        problems += declared.missing("PersistentVolume", spec.get("volumeName"))
        storage = spec.get("storageClassName")
        if storage is not None and storage not in BUILT_IN_CLASSES and "volumeName" not in spec:
            problems += declared.missing("StorageClass", storage)
    return problems


def cluster_queue(spec, declared) -> list[str]:
    problems = []
    for group in spec.get("resourceGroups") or []:
        covered = group.get("coveredResources") or []
        for flavor in group.get("flavors") or []:
            problems += declared.missing("ResourceFlavor", flavor.get("name"))
            quotas = [resource.get("name") for resource in flavor.get("resources") or []]
            if quotas != covered:
                problems.append(f"flavor {flavor.get('name')} has quotas for {quotas}, the group covers {covered}")
    strategy = spec.get("admissionChecksStrategy") or {}
    for check_ in strategy.get("admissionChecks") or []:
        problems += declared.missing("AdmissionCheck", check_.get("name"))
    for name in spec.get("admissionChecks") or []:
        problems += declared.missing("AdmissionCheck", name)
    return problems


def pod_templates(thing):
    """Every pod template in an object, with the path to it."""
    kind, spec = thing["kind"], thing.get("spec") or {}
    if kind == "Pod":
        yield "spec", thing
    elif kind == "CronJob":
        yield "spec.jobTemplate.spec.template", spec["jobTemplate"]["spec"]["template"]
    elif kind == "JobSet":
        for index, job in enumerate(spec.get("replicatedJobs") or []):
            yield f"replicatedJobs[{index}]", job["template"]["spec"]["template"]
    elif isinstance(spec.get("template"), dict) and "spec" in spec["template"] and kind in ("Job", "DaemonSet", "Deployment", "StatefulSet"):
        yield "spec.template", spec["template"]


def pod(template, scope, declared) -> list[str]:
    spec, annotations = template.get("spec", {}), template.get("metadata", {}).get("annotations") or {}
    problems = annotation_text(annotations) + networks(annotations, declared)
    if spec.get("serviceAccountName", "default") != "default":
        problems += declared.missing("ServiceAccount", spec["serviceAccountName"], scope)
    if spec.get("priorityClassName") and spec["priorityClassName"] not in BUILT_IN_PRIORITIES:
        problems += declared.missing("PriorityClass", spec["priorityClassName"])
    if spec.get("restartPolicy", "Always") not in ("Always", "OnFailure", "Never"):
        problems.append(f"restartPolicy {spec['restartPolicy']!r}")
    for volume in spec.get("volumes") or []:
        problems += declared.missing("PersistentVolumeClaim", (volume.get("persistentVolumeClaim") or {}).get("claimName"), scope)
        source = volume.get("configMap") or {}
        if not source.get("optional"):
            problems += declared.missing("ConfigMap", source.get("name"), scope)
    for claim in spec.get("resourceClaims") or []:
        problems += declared.missing("ResourceClaimTemplate", claim.get("resourceClaimTemplateName"), scope)
    containers = (spec.get("initContainers") or []) + (spec.get("containers") or [])
    problems += repeated("container", [container.get("name") for container in containers])
    problems += repeated("volume", [volume.get("name") for volume in spec.get("volumes") or []])
    volumes = {volume.get("name") for volume in spec.get("volumes") or []}
    claims = {claim.get("name") for claim in spec.get("resourceClaims") or []}
    for container in containers:
        found = container_problems(container, volumes, claims, scope, declared)
        problems += [f"container {container.get('name')}: {problem}" for problem in found]
    return problems


def container_problems(container, volumes, claims, scope, declared) -> list[str]:
    problems = repeated("environment variable", [entry.get("name") for entry in container.get("env") or []])
    problems += repeated("mount path", [mount.get("mountPath") for mount in container.get("volumeMounts") or []])
    for mount in container.get("volumeMounts") or []:
        if mount.get("name") not in volumes:
            problems.append(f"mounts the volume {mount.get('name')}, which the pod does not have")
    for source in container.get("envFrom") or []:
        problems += declared.missing("ConfigMap", (source.get("configMapRef") or {}).get("name"), scope)
    for entry in container.get("env") or []:
        key = (entry.get("valueFrom") or {}).get("configMapKeyRef") or {}
        problems += declared.missing("ConfigMap", key.get("name"), scope)
    resources = container.get("resources") or {}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name in EXTENDED:
        if name in requests and str(requests[name]) != str(limits.get(name)):
            problems.append(f"requests {requests[name]} {name}, limits {limits.get(name)}: they must be equal")
    for claim in resources.get("claims") or []:
        if claim.get("name") not in claims:
            problems.append(f"uses the resource claim {claim.get('name')}, which the pod does not have")
    return problems


def repeated(what, names) -> list[str]:
    return [f"{what} {name} twice" for name in sorted({name for name in names if names.count(name) > 1}, key=str)]


def annotation_text(annotations) -> list[str]:
    """Annotations that hold JSON or YAML must parse: the API server never looks inside."""
    problems = []
    for key, text in annotations.items():
        if key.startswith("networking.gke.io/interfaces"):
            try:
                json.loads(text)
            except ValueError as error:
                problems.append(f"annotation {key} is not JSON: {error}")
        elif key.startswith("devices.gke.io/"):
            devices = yaml.safe_load(text)
            if not isinstance(devices, list) or any(set(device) != {"path"} for device in devices):
                problems.append(f"annotation {key} is not a list of device paths")
    return problems


def networks(annotations, declared) -> list[str]:
    text = annotations.get("networking.gke.io/interfaces")
    try:
        interfaces = json.loads(text) if text else []
    except ValueError:
        return []
    problems = repeated("interface", [interface.get("interfaceName") for interface in interfaces])
    problems += repeated("network", [interface.get("network") for interface in interfaces])
    for interface in interfaces:
        if interface.get("network") != "default":
            problems += declared.missing("Network", interface.get("network"))
    default = annotations.get("networking.gke.io/default-interface")
    if default and interfaces and default not in [interface.get("interfaceName") for interface in interfaces]:
        problems.append(f"the default interface {default} is not among the interfaces")
    return problems


def rendezvous(jobset) -> list[str]:
    """Pods meet at the host name that JobSet gives to one of its pods, or not at all."""
    name, spec, problems = jobset["metadata"]["name"], jobset.get("spec", {}), []
    subdomain = (spec.get("network") or {}).get("subdomain", name)
    hosts = set()
    for job in spec.get("replicatedJobs") or []:
        pods = job["template"].get("spec", {}).get("parallelism", 1)
        hosts |= {f"{name}-{job['name']}-{replica}-{pod_}" for replica in range(job.get("replicas", 1)) for pod_ in range(pods)}
    too_long = [host for host in hosts if len(host) > 63 - 6]
    if too_long:
        problems.append(f"pod names are too long: {max(too_long, key=len)}-xxxxx")
    for _, template in pod_templates(jobset):
        for container in template.get("spec", {}).get("containers") or []:
            for entry in container.get("env") or []:
                value = entry.get("value", "")
                if not RENDEZVOUS.fullmatch(entry.get("name", "")) or not value or "$(" in value:
                    continue
                host, _, domain = value.split(":")[0].partition(".")
                if host not in hosts or domain.split(".")[0] != subdomain:
                    problems.append(f"{entry['name']} is {value}, which is no pod of this JobSet")
    return problems
