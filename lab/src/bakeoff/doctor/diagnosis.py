"""The result of a check."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How much it matters: `ok`, `unknown` (not known here), `costly` (results are less good), `wrong`."""

    OK = "ok"
    UNKNOWN = "unknown"
    COSTLY = "costly"
    WRONG = "wrong"


@dataclass(frozen=True)
class Diagnosis:
    """One check: what was found, what it costs the results, and the command or action that fixes it."""

    subject: str
    state: State
    found: str
    cost: str = ""
    remedy: str = ""
