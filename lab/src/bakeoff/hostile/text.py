"""Trials as a table."""

from collections.abc import Sequence

from bakeoff.hostile.trial import Trial
from bakeoff.targets.hostile_record import holds_under
from bakeoff.text.table import Table


def trial_table(target: str, trials: Sequence[Trial]) -> Table:
    """One row a kind; memory in MB above that of the idle target."""
    rows = [
        (
            each.kind,
            "; ".join(each.faults) or "holds",
            f"{each.connections:,}",
            f"{each.sent_bytes / 1e6:,.0f}",
            f"{each.most_bytes / 1e6:,.0f}",
            f"{each.kept_bytes / 1e6:,.0f}",
            f"{each.slowest_s * 1000:,.0f}",
        )
        for each in trials
    ]
    held = sum(not each.faults for each in trials)
    most = max((each.most_bytes for each in trials), default=0)
    note = f"It {holds_under(held, len(trials), most)}."
    headings = ("kind", "outcome", "connections", "sent MB", "most MB", "kept MB", "slowest ms")
    return Table(target, headings, rows, left=2, note=note, least=("sent MB", "connections"))
