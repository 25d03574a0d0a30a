"""Loads a new workload as a run does, before it is called done."""

import json
from collections.abc import Iterator

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.proto_codec import ProtoMismatchError
from bakeoff.engines.checked_plan import check_plan
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError
from bakeoff.workload.declaration import carried_on
from bakeoff.workload.expressible import first_rendered
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedPhase

_ENGINE = "native"
_ONE_REQUEST = PlannedPhase(name="first", virtual_users=1, iterations=1)


def faults_of(workload: Workload, protocol: str) -> Iterator[tuple[str, str]]:
    """The operations that cannot be sent over `http` or `grpc`, each with the reason.

    The engine checks the plan too, where it is built. Raises BakeoffError where no plan can be made.
    """
    plan = compile_plan(workload, Load(workload.name, protocol, "127.0.0.1", 1, "smoke", phases=[_ONE_REQUEST]))
    found = dict(_refused_by_engine(plan))
    if protocol == "grpc":
        found |= dict(_unreadable_messages(workload))
    yield from found.items()


def check_first_load(workload: Workload, protocol: str) -> None:
    """Raises BakeoffError for the first operation that cannot be sent."""
    for name, reason in faults_of(workload, protocol):
        raise BakeoffError(f"{workload.name}: {name} cannot be sent: {reason}. Leave it out of the description.")


def _refused_by_engine(plan: Plan) -> Iterator[tuple[str, str]]:
    engine = find_engine(_ENGINE)
    if engine.manifest.check is None or engine.build.is_stale():
        return
    for fault in check_plan(engine, plan.encoded()):
        if fault.operation is None:
            raise BakeoffError(f"The engine refuses the plan of {plan.workload}: {fault.message}")
        yield fault.operation, f"the engine refuses it: {fault.message}"


def _unreadable_messages(workload: Workload) -> Iterator[tuple[str, str]]:
    """The gRPC operations with a message that its type cannot hold, each with the reason."""
    codec = codec_of(workload)
    for operation in workload.declared.operations:
        method = None if operation.grpc is None else codec.method(operation.grpc.method)
        if method is None or operation.has_text:
            continue
        try:
            empty = [] if operation.grpc is None else carried_on(operation.grpc.capture)
            message = first_rendered(operation.message_over("grpc") or "{}", empty)
            codec.encode(method.request, json.loads(message))
        except (ProtoMismatchError, ValueError) as error:
            yield operation.name, f"its message {error}"
