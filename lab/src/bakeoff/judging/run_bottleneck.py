"""What limited one stored run at its own peak: the rules of a contender, held against a single round."""

from dataclasses import asdict

from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.entries import counts
from bakeoff.judging.judgement import Bottleneck
from bakeoff.judging.levels_held import levels_held
from bakeoff.judging.usage import usage_at
from bakeoff.results.run import RunResult


def bottleneck_of_run(run: RunResult) -> Bottleneck | None:
    """The bottleneck in the run's fastest phase; None for a run that does not count: void, cut short or unanswered."""
    if not counts(run):
        return None
    return bottleneck_of(usage_at(levels_held({run.round: run}), [run], run))


def described_bottleneck(run: RunResult) -> dict[str, str] | None:
    """The same as JSON holds it."""
    bottleneck = bottleneck_of_run(run)
    return None if bottleneck is None else asdict(bottleneck)
