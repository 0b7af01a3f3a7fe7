# SPDX-License-Identifier: Apache-2.0
"""A Terraform provider that has the schema and the checks of hashicorp/google, and a world (world.py) in the place of its APIs.

It is served within the process that drives `terraform`, which finds it through TF_REATTACH_PROVIDERS (plugin protocol 5, plain text on
a Unix socket): a command of Terraform starts its providers several times over, and most of its time would go there.
"""
import json
import os
import traceback
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path

import grpc

import wire
from checks import validate
from states import coerce, empty, plan_block, realistic, resolve
from wire import UNK, bytes_field, dynamic, number_field, one, parse, value_of
from world import Refusal, World

ERROR, WARNING = 1, 2


@dataclass(frozen=True)
class Schema:
    """What one provider can make, as data and as the protocol has it."""

    source: str
    tree: dict
    encoded: bytes

    @staticmethod
    def read(path: Path) -> "Schema":
        tree = json.loads(path.read_text())
        return Schema(tree["source"], tree, wire.provider(tree))


class Provider:
    """The calls of the protocol, under their own names; each takes and gives an encoded message."""

    def __init__(self, schema: Schema, world: World):
        self.schema, self.encoded, self.world = schema.tree, schema.encoded, world

    # -------- before any API
    def GetSchema(self, message):
        return self.encoded

    def PrepareProviderConfig(self, message):
        found = []
        validate(self.schema["provider"], value_of(message, 1), None, found, [])
        # What is missing may come from the environment, as it does for the real provider.
        found = [entry for entry in found if entry[0] == ERROR and not entry[1].startswith("Missing")]
        return bytes_field(1, one(message, 1)) + self.diagnostics(2, found)

    def ValidateResourceTypeConfig(self, message):
        return self.validated(self.schema["resources"], message)

    def ValidateDataSourceConfig(self, message):
        return self.validated(self.schema["data"], message)

    def validated(self, table: dict, message) -> bytes:
        row, config, found = table[one(message, 1).decode()], value_of(message, 2), []
        if row.get("depr"):
            found.append((WARNING, "Deprecated Resource", row["depr"], None))
        validate(row["block"], config, config, found, [])
        return self.diagnostics(1, found)

    def Configure(self, message):
        config = value_of(message, 2) or {}

        def text(name: str, variable: str):
            return next((x for x in (config.get(name), os.environ.get(variable)) if isinstance(x, str) and x), None)
        self.world.defaults = {"project": text("project", "GOOGLE_PROJECT"), "region": text("region", "GOOGLE_REGION"), "zone": text("zone", "GOOGLE_ZONE")}
        labels = config.get("default_labels") if isinstance(config.get("default_labels"), dict) else {}
        attributed = {} if config.get("add_terraform_attribution_label") is False else {"goog-terraform-provisioned": "true"}
        self.world.labels = {**attributed, **labels}
        return b""

    def diagnostics(self, number: int, found: list) -> bytes:
        return b"".join(bytes_field(number, wire.diagnostic(*entry)) for entry in found)

    def refused(self, number: int, doing: str, kind: str, values: dict, why: Refusal) -> bytes:
        whole = str(why).startswith(("Error", "Cannot", "cannot"))
        said = str(why) if whole else f"Error {doing} {kind} {self.world.label(values)}: {why}"
        return self.diagnostics(number, [(ERROR, said, "", None)])

    # -------- state
    def UpgradeResourceState(self, message):
        raw = json.loads(one(parse(one(message, 3)), 1) or b"null")
        return bytes_field(1, dynamic(self.conform(self.schema["resources"][one(message, 1).decode()]["block"], raw)))

    def conform(self, block: dict, value):
        """A state of whatever age in the shape of the schema."""
        if not isinstance(value, dict):
            return value
        found = {name: value.get(name) for name in block.get("attrs", {})}
        for name, nested in block.get("blocks", {}).items():
            inner = value.get(name)
            if isinstance(inner, list):
                found[name] = [self.conform(nested["block"], entry) for entry in inner]
            else:
                found[name] = empty(nested) if inner is None else self.conform(nested["block"], inner)
        return found

    def ReadResource(self, message):
        state = value_of(message, 2)
        if state is not None:
            kind = one(message, 1).decode()
            try:
                if self.world.read(kind, state) is None:
                    return bytes_field(1, dynamic(None))
            except Refusal as why:
                return bytes_field(1, one(message, 2)) + self.refused(2, "when reading or editing", kind, state, why)
        return bytes_field(1, one(message, 2)) + bytes_field(3, one(message, 3))

    def ImportResourceState(self, message):
        kind, name = one(message, 1).decode(), one(message, 2).decode()
        return bytes_field(1, bytes_field(1, kind) + bytes_field(2, dynamic(self.conform(self.schema["resources"][kind]["block"], {"id": name}))))

    # -------- plan and apply
    def PlanResourceChange(self, message):
        kind = one(message, 1).decode()
        block = self.schema["resources"][kind]["block"]
        prior, proposed, config = (value_of(message, number) for number in (2, 3, 4))
        if proposed is None:
            return bytes_field(1, dynamic(None))
        planned = plan_block(block, proposed, prior)
        self.world.complete(block, planned, config)
        answer = bytes_field(1, dynamic(planned))
        if isinstance(prior, dict):
            answer += b"".join(bytes_field(2, wire.path(path)) for path in self.world.replaced_by(kind, block, prior, planned))
        return answer + number_field(5, 1)  # legacy_type_system, as every provider of this SDK says

    def ApplyResourceChange(self, message):
        kind = one(message, 1).decode()
        prior, planned = (value_of(message, number) for number in (2, 3))
        doing = "deleting" if planned is None else "updating" if prior else "creating"
        made = [planned]

        def finish(values):
            found = {name: value for name, value in realistic(kind, values).items() if name in values and values[name] in (UNK, None)}
            block = self.schema["resources"][kind]["block"]
            made[0] = resolve(block, {**values, **found}, f"projects/made-up/{kind}/{values.get('name')}")
            return made[0]
        try:
            if planned is None:
                self.world.delete(kind, prior)
                return bytes_field(1, dynamic(None))
            new = self.world.update(kind, prior, finish(planned)) if prior else self.world.create(kind, planned, finish)
            return bytes_field(1, dynamic(new)) + number_field(4, 1)
        except Refusal as why:
            kept = one(message, 2) if prior is not None else dynamic(made[0] if why.keep_state else None)
            return bytes_field(1, kept) + self.refused(3, doing, kind, planned or prior, why) + number_field(4, 1)

    def ReadDataSource(self, message):
        kind = one(message, 1).decode()
        block, config = self.schema["data"][kind]["block"], value_of(message, 2)
        try:
            found = self.world.data_source(kind, config)
        except Refusal as why:
            return self.refused(2, "when reading or editing data source", kind, config, why)
        scope = self.world.scope(config)
        config = {**config, **{name: x for name, x in scope.items() if name in config and config[name] is None and name != "location"}}
        state = resolve(block, plan_block(block, config, None), f"projects/made-up/{kind}")
        for name, value in {**realistic(kind, config), **realistic("data." + kind, config)}.items():
            if config.get(name) is None and name in state:
                state[name] = value
        state.update({name: coerce(a["type"], found[name]) for name, a in block.get("attrs", {}).items()
                      if found and found.get(name) is not None and config.get(name) is None})
        return bytes_field(1, dynamic(state))

    def Stop(self, message):
        return b""


class Calls(grpc.GenericRpcHandler):
    """The provider's calls; those by which Terraform minds plugins of its own are answered, and do nothing."""

    def __init__(self, provider: Provider):
        self.provider = provider

    def service(self, details):
        service, name = details.method.lstrip("/").split("/")
        if service == "tfplugin5.Provider" and hasattr(self.provider, name):
            return self.unary(lambda request, context: self.call(name, request, context))
        if details.method == "/plugin.GRPCController/Shutdown":
            return self.unary(lambda *_: b"")
        if details.method == "/grpc.health.v1.Health/Check":
            return self.unary(lambda *_: number_field(1, 1))
        return None

    @staticmethod
    def unary(function):
        return grpc.unary_unary_rpc_method_handler(function, bytes, bytes)

    def call(self, name: str, request: bytes, context):
        try:
            return getattr(self.provider, name)(parse(request))
        except Exception as error:
            traceback.print_exc()
            return context.abort(grpc.StatusCode.INTERNAL, f"{name}: {error!r}")


def serve(schema: Schema, world: World, socket: Path) -> tuple[grpc.Server, dict]:
    """Serves a provider on a socket; the server, and how Terraform finds it."""
    size = 256 << 20
    server = grpc.server(futures.ThreadPoolExecutor(12), options=[("grpc.max_send_message_length", size), ("grpc.max_receive_message_length", size)])
    server.add_generic_rpc_handlers((Calls(Provider(schema, world)),))
    server.add_insecure_port(f"unix:{socket}")
    server.start()
    return server, {
        "Protocol": "grpc", "ProtocolVersion": 5, "Pid": os.getpid(), "Test": True, "Addr": {"Network": "unix", "String": str(socket)}}
