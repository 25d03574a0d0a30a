"""Trials as a table."""

from collections.abc import Sequence

import msgspec

from bakeoff.documents.checked import Json
from bakeoff.hostile.trial import Trial
from bakeoff.targets.hostile_record import holds_under
from bakeoff.text.table import Table

_NOT_ASKED = "–"
_NEVER = "not"


def trial_table(target: str, trials: Sequence[Trial]) -> Table:
    """One row a kind; memory in MB above that of the idle target.

    `back s` is how long memory took to return, `ended s` after how long a stalled request ended.
    """
    rows = [
        (
            each.kind,
            "; ".join(each.faults) or "holds",
            f"{each.connections:,}",
            f"{each.sent_bytes / 1e6:,.0f}",
            f"{each.most_bytes / 1e6:,.0f}",
            f"{each.kept_bytes / 1e6:,.0f}",
            _NEVER if each.returned_s is None else f"{each.returned_s:.1f}",
            f"{each.slowest_s * 1000:,.0f}",
            _stall_words(each),
        )
        for each in trials
    ]
    held = sum(not each.faults for each in trials)
    most = max((each.most_bytes for each in trials), default=0)
    keeps = next((each.keeps_memory for each in trials if each.returned_s is None and each.keeps_memory), "")
    note = f"It {holds_under(held, len(trials), most)}." + (f" It keeps memory: {keeps}" if keeps else "")
    headings = ("kind", "outcome", "connections", "sent MB", "most MB", "kept MB", "back s", "slowest ms", "ended s")
    return Table(target, headings, rows, left=2, note=note, least=("sent MB", "connections"))


def described(trial: Trial) -> dict[str, Json]:
    """A trial for the output as JSON: its figures, those that must hold, and its faults."""
    return {**msgspec.to_builtins(trial), "faults": trial.faults}


def _stall_words(trial: Trial) -> str:
    if trial.stall is None:
        return _NOT_ASKED
    return _NEVER if trial.stall.ended_s is None else f"{trial.stall.ended_s:.1f}"
