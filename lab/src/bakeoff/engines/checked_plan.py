"""Whether an engine can execute a plan, before anything is sent."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Fault:
    """Why a plan cannot be executed; `operation` None: the plan as a whole."""

    operation: str | None
    message: str


@dataclass(frozen=True)
class Sample:
    """A request as the engine would send it, with 1 in place of captured values.

    `method` is the HTTP method, or the gRPC method; `message` is the JSON before it is encoded.
    """

    operation: str
    method: str
    path: str
    headers: str
    message: str
    bytes: int


@dataclass(frozen=True)
class CheckedPlan:
    """The faults of a plan, or a sample of each operation."""

    faults: Sequence[Fault]
    samples: Sequence[Sample]


def check_plan(engine: Engine, plan: bytes) -> CheckedPlan:
    """Lets the engine check a plan, as JSON, in the way in which it would execute it."""
    done = subprocess.run(engine.check_command(), input=plan, capture_output=True, timeout=_TIMEOUT_S, check=False)
    try:
        found = json.loads(done.stdout)
    except ValueError as error:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise BakeoffError(f"The engine {engine.name} cannot check the plan: {words}") from error
    faults = [Fault(each["operation"], each["message"]) for each in found["faults"]]
    return CheckedPlan(faults, [Sample(**each) for each in found["samples"]])
