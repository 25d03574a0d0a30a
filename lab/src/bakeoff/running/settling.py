"""From a run's stream to the record of how each of its levels settled. Pure functions."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.results.warm_up_record import ColdStart, Settled, WarmUp
from bakeoff.running import summary, warm_up
from bakeoff.running.phase_plan import Step


def settled_in(records: Sequence[Record], steps: Sequence[Step]) -> WarmUp | None:
    """The record of a run's settling, or None where there was none or the first did not come to its end."""
    ended = {record.phase: record for record in records if isinstance(record, PhaseEnd)}
    cold: ColdStart | None = None
    levels: list[Settled] = []
    for index, step in enumerate(steps):
        if step.measures or index not in ended:
            continue
        operations = summary.operations_per_second(records, index)
        if step.phase.name == warm_up.COLD_START:
            cold = warm_up.cold_start(ended[index], operations)
        else:
            assert step.phase.duration_s is not None
            levels.append(warm_up.settled(step.level + 1, step.phase.duration_s, ended[index], operations))
    if not levels:
        return None
    first, *later = levels
    if cold is not None and first.steady:
        # Counted from the first request of the process; it may have been steady before the cold start was over.
        whole = warm_up.steady_after([*cold.operations_per_s, *first.operations_per_s])
        first = replace(first, steady_after_s=whole)
    return WarmUp(**vars(first), rule=warm_up.RULE, later=later, cold_start=cold)
