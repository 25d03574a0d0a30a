"""Sentences on what a report cannot show."""

from collections.abc import Iterator, Sequence

from bakeoff.judging.judgement import Judgement
from bakeoff.project import COMMAND
from bakeoff.reporting.numbers import plural
from bakeoff.results.run import Status
from bakeoff.storage.stored_runs import StoredComparison
from bakeoff.text.prose import listed

_NAMED = 4
WITHOUT_UPKEEP = (
    "no checkpoint and no autovacuum in any window: a fresh database, not PostgreSQL's steady state (mode sustained)"
)


def missing_of(judgement: Judgement, stored: StoredComparison) -> list[str]:
    """Sentences, the gravest first."""
    return [*_whole(judgement, stored), *_contenders(judgement), *_runs(judgement, stored)]


def _whole(judgement: Judgement, stored: StoredComparison) -> Iterator[str]:
    # Of a single run no comparison is expected.
    if not judgement.contenders:
        yield "Nothing was measured, so there is nothing to compare."
    elif len(judgement.contenders) == 1 and len(stored.runs) > 1:
        yield "Only one contender was measured: there is nothing to compare it with."
    if judgement.status != "completed":
        yield f"The comparison is {judgement.status}: some planned runs are missing."
    if len(stored.runs) > 1 and 0 < judgement.rounds < 3:
        yield f"Only {plural(judgement.rounds, 'round')}: intervals and ties need three or more (--rounds 3)."
    if stored.runs and not any(run.result.timeline for run in stored.runs):
        yield "These runs have no per-second figures, so there are no charts over time."
    if judgement.contenders and all(line.payload is not None for line in judgement.reference_lines):
        yield (
            f"This machine is not calibrated: {COMMAND} calibrate measures PostgreSQL alone and the capacity "
            "of the engine."
        )


def _contenders(judgement: Judgement) -> Iterator[str]:
    void = [each for each in judgement.contenders if each.void_rounds]
    if void:
        counts = [f"{each.name} ({each.void_rounds} of {each.rounds + each.void_rounds})" for each in void]
        yield f"Void rounds, which are not used: {_some(counts)}."
    idle = [each for each in judgement.contenders if each.total is None or not each.total.requests]
    if idle:
        yield f"No valid run of {_some([each.name for each in idle])}."
    phases = [(each.name, {level.name for level in each.levels}) for each in judgement.contenders if each.levels]
    known = sorted(set().union(*(own for _, own in phases)))
    lines = [
        f"{name} lacks {_some([each for each in known if each not in own])}"
        for name, own in phases
        if len(own) < len(known)
    ]
    if lines:
        yield f"Missing phases: {'; '.join(lines[:_NAMED])}{'; …' if len(lines) > _NAMED else ''}."


def _runs(judgement: Judgement, stored: StoredComparison) -> Iterator[str]:
    for status in (Status.FAILED, Status.INTERRUPTED):
        ended = [each.name for each in judgement.contenders for run in each.runs if run.status == status]
        if ended:
            yield f"{plural(len(ended), 'run')} {status}: {_some(sorted(set(ended)))}."
    timed = {run.id for run in stored.runs if run.result.timeline}
    without = {each.name for each in judgement.contenders for run in each.runs if run.id not in timed}
    if without and timed:
        yield f"Per-second figures are missing for some runs of {_some(sorted(without))}."


def _some(names: Sequence[str]) -> str:
    """Names for a sentence, as many as a reader takes in."""
    shown = list(dict.fromkeys(names))
    return listed(shown if len(shown) <= _NAMED else [*shown[: _NAMED - 1], f"{len(shown) - _NAMED + 1} more"])
