"""A judgement for the terminal: the table of contenders and the lines below it."""

from collections.abc import Sequence

from bakeoff.judging.ceilings import CeilingShares, agents_of, limits_in_words
from bakeoff.judging.estimates import interval_name
from bakeoff.judging.judgement import ALL_PHASES, Estimate, JudgedContender, Judgement
from bakeoff.judging.verdict import factor_lines
from bakeoff.reporting.figures import median_of
from bakeoff.reporting.missing import WITHOUT_UPKEEP
from bakeoff.reporting.missing_percentiles import explained
from bakeoff.reporting.numbers import NOTHING, number, ranks, rate, two_places
from bakeoff.text.table import Strong, Table


def judgement_table(judgement: Judgement) -> Table:
    """One row for each contender in rank order, at its peak. Ranks start again in each group."""
    groups = dict.fromkeys(contender.division for contender in judgement.contenders)
    rows: list[Sequence[str]] = []
    width = max([2, *(len(_rank(each)) for each in judgement.contenders)])
    for group in groups:
        rows += [(group,)] if len(groups) > 1 else []
        own = (each for each in judgement.contenders if each.division == group)
        rows += [(f"{_rank(contender):>{width}} {contender.label}", *_figures(contender)) for contender in own]
    interval = interval_name(each.rounds for each in judgement.contenders)
    note = (
        f"{_classes(judgement)}each contender at its best load: median of the rounds, "
        f"{f'± half of the {interval}, ' if interval else ''}1–3: ties · "
        "at: users or arrivals · latency in ms · CPU: µs of the target per operation · MB: its peak memory"
    )
    note = " · ".join([note, *([WITHOUT_UPKEEP] if judgement.lacks_upkeep else [])])
    headings = ("contender", "at", "ops/s", "±", "min", "mean", "p50", "p99", "failed", "CPU", "MB")
    return explained(Table("", headings, rows, note=note, least=("min", "mean", "MB", "at", "CPU", "p50")))


def _classes(judgement: Judgement) -> str:
    """`standard class · `, where one is all there is: groups of several classes have headings."""
    classes = {contender.target_class for contender in judgement.contenders}
    return f"{classes.pop()} class · " if len(classes) == 1 else ""


def verdict_lines(judgement: Judgement) -> list[str]:
    """The verdict, what each factor did, and what each contender's figure is of the machine's limits."""
    return [
        Strong(judgement.verdict),
        *factor_lines(judgement),
        *(line for contender in judgement.contenders if (line := _limits(contender)) is not None),
    ]


def plus_minus(estimate: Estimate) -> str:
    """Half of the interval as a share of the median: 1.2%."""
    if estimate.low is None or estimate.high is None or estimate.median <= 0:
        return NOTHING
    return f"{(estimate.high - estimate.low) / 2 / estimate.median:.1%}"


def _rank(contender: JudgedContender) -> str:
    if contender.rank is None:
        return "~" if contender.indicative else NOTHING
    return ranks(contender.rank, contender.tied_with)


def _figures(contender: JudgedContender) -> list[str]:
    level = contender.level_at_peak
    if level is None:
        return [NOTHING, "void" if contender.void_rounds else NOTHING, *[NOTHING] * 8]
    of_target = (level.of_target("cpu_us_each"), level.of_target("memory_peak_mb"))
    return [
        NOTHING if level.name == ALL_PHASES else level.load.removesuffix(" users").removesuffix(" user"),
        rate(level.throughput_per_s.median),
        plus_minus(level.throughput_per_s),
        *(median_of(level.latency_ms.get(name), two_places) for name in ("min", "mean", "p50", "p99")),
        f"{level.failed:,}",
        *(number(None if each is None else each.median, 1) for each in of_target),
    ]


def _limits(contender: JudgedContender) -> str | None:
    shares = CeilingShares(
        contender.ceiling_share,
        contender.reference_shares,
        agents_of(contender.settings),
        contender.operations_per_commit,
    )
    words = limits_in_words(shares)
    return f"{contender.label}: {words}" if words else None
