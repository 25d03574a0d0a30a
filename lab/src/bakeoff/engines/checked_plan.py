"""Whether an engine can execute a plan, before anything is sent."""

import subprocess
from dataclasses import dataclass

import msgspec

from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Fault:
    """Why a plan cannot be executed; `operation` None: the plan as a whole."""

    operation: str | None
    message: str


class _Checked(msgspec.Struct):
    faults: list[Fault]


def check_plan(engine: Engine, plan: bytes) -> list[Fault]:
    """Lets the engine check a plan, as JSON, in the way in which it would execute it."""
    done = subprocess.run(engine.check_command(), input=plan, capture_output=True, timeout=_TIMEOUT_S, check=False)
    try:
        return msgspec.json.decode(done.stdout, type=_Checked).faults
    except ValueError as error:
        words = done.stderr.decode("utf-8", "replace").strip()
        raise BakeoffError(f"The engine {engine.name} cannot check the plan: {words}") from error
