"""The rate of an equal load: what the slowest contender holds with room to spare. Pure functions."""

from collections.abc import Mapping

from bakeoff.judging.slo import broken, figures_of_phase, ranking_slo
from bakeoff.results.run import RunResult

# Of the slowest contender's throughput: near the whole of it latency shows how near it is, and little else.
SHARE = 0.7

NO_RATE = f"no rate can be found for it: its probe did not keep {ranking_slo()}."


def kept_throughput(run: RunResult) -> float | None:
    """Throughput of a probe; None where it broke the limits that a rank needs."""
    if not run.phases:
        return None
    measured = run.phases[-1].measured
    if measured.throughput_per_s <= 0 or broken(ranking_slo(), figures_of_phase(measured)):
        return None
    return measured.throughput_per_s


def common_rate(throughputs: Mapping[str, float]) -> tuple[float, str]:
    """The rate for all contenders, from what each did in its probe, and a line that says how it came about."""
    slowest = min(throughputs, key=throughputs.__getitem__)
    # Two digits: a probe of a few seconds knows no more.
    rate = float(f"{throughputs[slowest] * SHARE:.2g}")
    return rate, (
        f"equal load: {rate:,.10g}/s for every contender, and half of it. That is about {SHARE:.0%} of what {slowest}, "
        f"the slowest, did in its probe ({throughputs[slowest]:,.0f}/s)."
    )
