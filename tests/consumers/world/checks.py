# SPDX-License-Identifier: Apache-2.0
"""What the provider checks before any API does: enumerations, ranges, patterns, arguments that exclude or need each other.

A finding is (severity, summary, detail, path), as the protocol's diagnostics have it.
"""
import contextlib
import ipaddress
import json
import re

from wire import UNK

ERROR, WARNING = 1, 2
NAME = r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?"
DURATION = r"[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+|0"
MEMBER = r"(.+:.+|projectOwners|projectReaders|projectWriters|allUsers|allAuthenticatedUsers)"


def network(text: str) -> str | None:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        return f"{text!r} is not a valid IP CIDR range: {error}"
    return None if "/" in text else f"{text!r} is not a valid IP CIDR range: no prefix length"


def member(text: str) -> str | None:
    if text.startswith("deleted"):
        return "Terraform does not support IAM members for deleted principals"
    return None if re.search(MEMBER, text) else f"IAM member {text!r} has no type prefix (user:, serviceAccount:, principalSet://...)"


def document(text: str) -> str | None:
    with contextlib.suppress(ValueError):
        json.loads(text)
        return None
    return "contains an invalid JSON"


def matching(pattern: str, what: str):
    return lambda text: None if re.fullmatch(pattern, text) else f"{text!r} {what}"


# The provider's own functions, by the names that schemas give them: text -> what is wrong with it.
CHECKS = {
    **dict.fromkeys(("validation.IsCIDR", "verify.ValidateIpCidrRange"), network),
    "tpgiamresource.validateIAMMember": member,
    "resourcemanager.validateProjectServiceService": matching(r".*\..*", "is no domain like serviceusage.googleapis.com"),
    **dict.fromkeys(("verify.ValidateGCEName", "verify.ValidateGCPName"), matching(NAME, "must match RFC1035, at most 63 characters")),
    **dict.fromkeys(("verify.ValidateDuration", "verify.ValidateNonNegativeDuration", "container.validateDuration"), matching(DURATION, "is not a duration such as 600s")),
    "validation.StringIsJSON": document,
    **dict.fromkeys(("validation.StringIsNotEmpty", "validation.NoZeroValues"), matching(r"(?s).+", "must not be empty")),
}


def named(check: str, text: str) -> str | None:
    """What one of the provider's functions says; those with arguments are told by their name."""
    if check in CHECKS:
        return CHECKS[check](text)
    if found := re.fullmatch(r"validation.IsCIDRNetwork\((\d+), (\d+)\)", check):
        least, most = map(int, found.groups())
        try:
            length = ipaddress.ip_network(text, strict=True).prefixlen
        except ValueError as error:
            return f"{text!r}: {error}"
        return None if least <= length <= most else f"{text!r}: prefix length must be in {least}-{most}"
    if found := re.fullmatch(r"(?:\w+\.)?ValidateRFC1035Name\((\d+), (\d+)\)", check):
        least, most = map(int, found.groups())
        if not (least <= len(text) <= most and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", text)):
            return f"{text!r} is not an RFC1035 name of {least} to {most} characters"
    return None


def check_value(rule: dict, value, where: str, path: list, found: list) -> None:
    """One attribute, or one element of a list of them, against its own rule."""
    if value == "" and rule.get("or_empty"):
        return

    def bad(text: str) -> None:
        found.append((ERROR, f"expected {where} {text}", "", path))
    if "enum" in rule and not (value == "" and rule.get("enum_empty")):
        folded = str(value).lower() if rule.get("enum_ci") else value
        if folded not in [str(entry).lower() if rule.get("enum_ci") else entry for entry in rule["enum"]]:
            bad(f"to be one of {json.dumps(rule['enum'])}, got {value}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < rule.get("min", value) or value > rule.get("max", value):
            bad(f"to be in the range ({rule.get('min', '-inf')} - {rule.get('max', 'inf')}), got {value}")
    if isinstance(value, str):
        for pattern in rule.get("re", []):
            with contextlib.suppress(re.error):  # one that Python cannot read
                if not re.search(pattern.replace(r"\z", r"\Z").replace("[[:alpha:]]", "[A-Za-z]"), value):
                    bad(f'({json.dumps(value)}) to match regexp "{pattern}"')
        if "len" in rule and not rule["len"][0] <= len(value) <= rule["len"][1]:
            bad(f"to have length in {rule['len']}, got {len(value)}")
        for check in rule.get("check", []):
            if why := named(check, value):
                found.append((ERROR, f"invalid value for {where}: {why}", "", path))


def lookup(config, key: str) -> tuple:
    """(known, value) of what is written at `node_config.0.disk_size_gb`; an empty list or map is nothing."""
    at = config
    for part in key.split("."):
        if at is UNK:
            return False, None
        if isinstance(at, list):
            at = at[int(part)] if part.isdigit() and int(part) < len(at) else None
        else:
            at = at.get(part) if isinstance(at, dict) else None
        if at is None:
            return True, None
    if at is UNK:
        return False, None
    return True, None if isinstance(at, (list, dict)) and not at else at


def check_company(rule: dict, value, where: str, root, path: list, found: list) -> None:
    """Arguments of which one must be there, exclude each other, or need each other."""
    for kind in ("exactly_one", "at_least_one"):
        keys = sorted({*rule.get(kind, []), where}) if kind in rule else []
        seen = [lookup(root, key) for key in keys]
        if not keys or not all(known for known, _ in seen):
            continue
        count = sum(entry is not None for _, entry in seen)
        if count == 0:
            found.append((ERROR, "Missing required argument", f'"{where}": one of `{",".join(keys)}` must be specified', path))
        elif count > 1 and kind == "exactly_one":
            found.append((ERROR, "Invalid combination of arguments", f'"{where}": only one of `{",".join(keys)}` can be specified', path))
    if value in (None, [], {}):
        return
    for key in rule.get("conflicts", []):
        if key != where and value is not UNK and lookup(root, key)[1] is not None:
            found.append((ERROR, "Conflicting configuration arguments", f'"{where}": conflicts with {key}', path))
    if any(lookup(root, key) == (True, None) for key in rule.get("with", [])):
        found.append((ERROR, "Missing required argument", f'"{where}": all of `{",".join(rule["with"])}` must be specified', path))


def check_count(rule: dict, count: int, least: str, where: str, path: list, found: list) -> None:
    if count < rule.get(least, 0):
        found.append((ERROR, "Not enough list items", f"{where} requires {rule[least]} item minimum, but has only {count}", path))
    if count > rule.get("max_items", count):
        found.append((ERROR, "Too many list items", f"{where} supports {rule['max_items']} item maximum, but has {count}", path))


def validate(block: dict, config, root, found: list, path: list) -> None:
    """Every attribute and block of a configuration; `root` is the whole resource, whose other arguments count too."""
    if not isinstance(config, dict):
        return
    for name, rule in [*block.get("attrs", {}).items(), *block.get("blocks", {}).items()]:
        value, own, nested = config.get(name), [*path, name], rule.get("block")
        where = ".".join(map(str, own))
        check_company(rule, value, where, root, own, found)
        if value in (None, [], {}):
            continue
        if isinstance(rule.get("depr"), str) and (nested or rule.get("opt") or rule.get("req")):
            found.append((WARNING, "Argument is deprecated", rule["depr"], own))
        if value is UNK:
            continue
        entries = value if isinstance(value, list) else [value]
        if nested:
            check_count(rule, len(entries), "opt_min", where, own, found)
            for at, entry in enumerate(entries):
                validate(nested, entry, root, found, [*own, at] if isinstance(value, list) and rule["n"] == "list" else own)
            continue
        check_value(rule, value, where, own, found)
        if isinstance(value, list):
            check_count(rule, len(value), "min_items", where, own, found)
            for at, entry in enumerate(value):
                if entry is not None and entry is not UNK and "elem" in rule:
                    check_value(rule["elem"], entry, f"{where}.{at}", own, found)
