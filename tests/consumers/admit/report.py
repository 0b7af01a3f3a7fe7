# SPDX-License-Identifier: Apache-2.0
"""What came of a trial: a line where all is in order, tables where not, and the same in JSON."""


def table(title: str, head: tuple, rows: list) -> None:
    print(f"\n{title}")
    if not rows:
        print("  none")
        return
    cells = [tuple(str(cell) for cell in row) for row in [head, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head) - 1)]
    for number, row in enumerate(cells):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths))
        print(f"  {line}  {row[-1]}".rstrip())
        if number == 0:
            print("  " + "-" * min(118, sum(widths) + 2 * len(widths) + len(head[-1])))


def listing(title: str, lines: list) -> None:
    if lines:
        print(f"\n{title}")
        for line in lines:
            print(f"  {line}")


def untried(of: dict) -> None:
    """Says so that nobody overlooks it what stand-ins were taken at their word for."""
    if of:
        print(f"\n{'!' * 78}\nUNTRIED: Kueue's own manager does not run, and {len(of)} of the clusters need it.")
        print("A stand-in gave their runs flavors: nothing waited, nothing was borrowed or taken back, no pod was placed by topology.")
        for where, what in of.items():
            print(f"  {where}: {'; '.join(what)}")
        print(f"Let ADMIT_KUEUE name the manager's binary (tests/run builds it with SLIPFORM_MANAGERS=1).\n{'!' * 78}")


def as_json(trial) -> dict:
    """What came of a trial, for programs."""
    return {
        "cluster": trial.name, "managers": [manager.name for manager in trial.managers],
        "pools": [{
            "name": pool.name, "machine": pool.config.get("machine_type"), "nodes": pool.nodes, "zones": pool.zones,
            "elastic": pool.elastic, "queued": pool.queued, "allocatable": trial.allocatable(pool),
            "labels": trial.labels_of(pool),
        } for pool in trial.pools],
        "workloads": [{
            "namespace": load.namespace, "name": load.name, "queue": load.queue or None,
            "pods": load.wanted, "placed": sum(load.placed.values()),
            "turn": load.turn or None, "main_turn": load.main_turn or load.turn or None, "ended": load.ended or None,
            "on": dict(load.placed), "suspended": load.suspended,
            "parts": {name: {"pods": wanted, "placed": sum(on.values()), "on": dict(on)} for name, (wanted, on) in load.parts.items()},
            "messages": load.notes, "judgement": [text for about, text in trial.findings if about is load],
        } for load in trial.workloads.values()],
        "refused": [{"folder": t.folder, "kind": t.kind, "name": t.name, "answer": t.answer} for t in trial.things if t.refused],
        "failed": [{"command": step.command, "status": step.status, "errors": step.errors} for step in trial.steps if step.status],
        "warnings": list(dict.fromkeys(warning for step in trial.steps for warning in step.warnings)),
        "untried": trial.untried(),
        "stand_ins": [line for standin in trial.standins for line in standin.made],
    }


def summary(trial) -> str:
    places = [f"{load.name} on {', '.join(f'{count} {pool}' for pool, count in load.placed.items())}" for load in trial.workloads.values()]
    ground = f"as {trial.before.name} makes it; " if trial.before else ""
    return f"{ground}{len(trial.things)} objects; {'; '.join(places) or 'no workloads'}"


def tell(trial) -> None:
    """Everything that was seen."""
    print(f"\n===== cluster {trial.name}: {', '.join(m.name for m in trial.managers) or 'no managers: JobSets are expanded by a stand-in'}")
    table("Node pools", ("pool", "nodes", "machine", "zones"), [
        (pool.name, f"{pool.nodes}{' on request' if pool.queued else ''}", pool.config.get("machine_type"), ",".join(pool.zones))
        for pool in trial.pools])
    kinds = {}
    for thing in trial.things:
        if not thing.refused:
            kinds.setdefault((thing.folder, thing.kind), []).append(thing.name)
    table("Accepted by the API server", ("folder", "kind", "count", "names"), [
        (folder, kind, len(names), ", ".join(names)) for (folder, kind), names in kinds.items()])
    table("Refused", ("folder", "kind", "name", "answer"), [(t.folder, t.kind, t.name, t.answer) for t in trial.things if t.refused])
    table("Workloads", ("workload", "queue", "pods", "placed", "turn", "ended", "on"), [
        (f"{load.namespace}/{load.name}", load.queue or "-", load.wanted, sum(load.placed.values()), turn(load), load.ended or "-",
         ", ".join(f"{pool}: {count}" for pool, count in load.placed.items()) or ("suspended" if load.suspended else "-"))
        for load in trial.workloads.values()])
    for load in trial.workloads.values():
        listing(f"About {load.name}", load.notes)
    table("DaemonSets", ("name", "wanted", "placed"), [
        (d["metadata"]["name"], d["status"].get("desiredNumberScheduled", 0), d["status"].get("currentNumberScheduled", 0))
        for d in trial.daemons])
    listing("Done by stand-ins", trial.given + [line for standin in trial.standins for line in standin.made])
    listing("Not followed", trial.skipped)
    print(flush=True)


def turn(load) -> str:
    return str(load.turn) if load.turn else f"{load.main_turn}, side jobs NEVER" if load.main_turn else "NEVER"
