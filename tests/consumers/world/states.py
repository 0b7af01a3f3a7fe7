# SPDX-License-Identifier: Apache-2.0
"""Plans and states by the schema: what is unknown until apply, what is filled in then, and values of the right shape."""
import re

from wire import UNK

MADE_UP = "made-up-"  # how a computed value begins that nobody has a say in
PROJECT = "made-up"


def empty(nested: dict):
    """A block that is not written, by its nesting."""
    return {"single": None, "map": {}}.get(nested["n"], [])


def plan_block(block: dict, proposed, prior):
    """What is proposed, with every computed value that the configuration leaves open kept as it was, or unknown."""
    if not isinstance(proposed, dict):
        return proposed
    known = prior if isinstance(prior, dict) else {}
    found = dict(proposed)
    for name, attribute in block.get("attrs", {}).items():
        if attribute.get("wo"):
            found[name] = None
        elif found.get(name) is None:
            found[name] = left_open(attribute, known.get(name))
    for name, nested in block.get("blocks", {}).items():
        value, before = found.get(name), known.get(name)
        if isinstance(value, list):
            if not value and nested.get("comp"):
                found[name] = before if before else UNK
            else:
                earlier = before if isinstance(before, list) else []
                found[name] = [plan_block(nested["block"], entry, earlier[at] if at < len(earlier) else None) for at, entry in enumerate(value)]
        elif isinstance(value, dict) and nested["n"] == "single":
            found[name] = plan_block(nested["block"], value, before)
        elif isinstance(value, dict):
            found[name] = {key: plan_block(nested["block"], entry, (before or {}).get(key)) for key, entry in value.items()}
    return found


def left_open(attribute: dict, before):
    """The planned value of an attribute that is not written."""
    if attribute.get("comp") and before is not None:
        return before
    if "default" in attribute and attribute.get("opt"):
        return attribute["default"]
    return UNK if attribute.get("comp") else None


def made_up(kind, name: str, path: str, depth: int = 0):
    """A value of a type (as cty writes it in JSON) for something computed."""
    match kind:
        case "string":
            return {"id": path, "self_link": f"https://www.googleapis.com/compute/v1/{path}", "project": PROJECT}.get(name, f"{MADE_UP}{name}")
        case "number":
            return 0
        case "bool":
            return False
        case ["list" | "set", inner]:
            return [made_up(inner, name, path, depth + 1)] if depth <= 3 else []
        case ["map", _]:
            return {}
        case ["object", fields]:
            return {key: made_up(inner, key, path, depth + 1) for key, inner in fields.items()}
    return None


def resolve(block: dict, value, path: str):
    """A plan as a state: whatever is unknown in it is made up."""
    if not isinstance(value, dict):
        return value
    found = dict(value)
    for name, attribute in block.get("attrs", {}).items():
        if found.get(name) is UNK:
            found[name] = made_up(attribute["type"], name, path)
        elif isinstance(found.get(name), (list, dict)):
            found[name] = known_all(found[name])
    for name, nested in block.get("blocks", {}).items():
        inner = found.get(name)
        if inner is UNK:
            whole = {key: UNK if attribute.get("comp") else None for key, attribute in nested["block"].get("attrs", {}).items()}
            whole |= {key: UNK if deeper.get("comp") else empty(deeper) for key, deeper in nested["block"].get("blocks", {}).items()}
            found[name] = [resolve(nested["block"], whole, path)]
        elif isinstance(inner, list):
            found[name] = [resolve(nested["block"], entry, path) for entry in inner]
        elif isinstance(inner, dict) and nested["n"] == "single":
            found[name] = resolve(nested["block"], inner, path)
    return found


def known_all(value):
    if value is UNK:
        return MADE_UP
    if isinstance(value, list):
        return [known_all(entry) for entry in value]
    return {key: known_all(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def realistic(kind: str, values: dict) -> dict:
    """Computed values that must look like the API's, since validators further down the graph read them."""
    project = values.get("project") if isinstance(values.get("project"), str) else PROJECT
    region = values.get("region") if isinstance(values.get("region"), str) else "us-central1"
    match kind:
        case "google_service_account":
            account = str(values.get("account_id") or PROJECT)
            email = account if "@" in account else f"{account}@{project}.iam.gserviceaccount.com"
            path = f"projects/{project}/serviceAccounts/{email}"
            return {"email": email, "member": f"serviceAccount:{email}", "name": path, "id": path, "unique_id": "100000000000000000001"}
        case "google_container_cluster":
            return {"endpoint": "203.0.113.10"}
        case "google_project" | "data.google_project":
            return {"number": "123456789012", "project_id": values.get("project_id") or project, "name": project}
        case "data.google_compute_zones":
            return {"names": [f"{region}-{letter}" for letter in "abc"]}
        case "data.google_client_config":
            return {"project": project, "region": region, "zone": f"{region}-a", "access_token": PROJECT}
        case "google_storage_bucket":
            return {"url": f"gs://{values.get('name')}", "id": values.get("name")}
    return {}


def coerce(kind, value):
    """A resource's value in the shape that a data source's attribute has."""
    if value is None:
        return None
    match kind:
        case "number" if not isinstance(value, (int, float)):
            return float(value) if isinstance(value, str) and re.fullmatch(r"-?[\d.]+", value) else 0
        case "string" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        case str():
            return value
        case ["map", inner]:
            return {key: coerce(inner, entry) for key, entry in value.items()}
        case ["object", fields]:
            return {key: coerce(inner, value.get(key)) for key, inner in fields.items()}
        case [_, inner]:
            return [coerce(inner, entry) for entry in value] if isinstance(value, list) else value
    return value
