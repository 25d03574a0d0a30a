"""Tables for people."""

import statistics
from collections.abc import Mapping, Sequence

from figures import PERCENTILES, Measured
from scenarios import Scenario
from tools import SATURATION, TOOLS

Runs = Mapping[str, Sequence[Measured]]

# The share that a busy machine may add to the engine's figure alone.
_TOLERANCE = 1.05


def table(scenario: Scenario, runs: Runs, seconds: float) -> list[str]:
    """Medians of each tool, lowest and highest beside them, and what they say of the engine."""
    titles = "".join(f"{f'p{number} ms':>25}" for number in PERCENTILES)
    lines = [scenario.title, f"  {'':15}{'requests/s':>26}{titles}{'CPU µs':>8}"]
    lines += [f"  {name:15}{_row(measured)}" for name, measured in runs.items()]
    known = scenario.known_ms(seconds)
    if known:
        times = "".join(f"{f'≥ {known[number]:.2f}':>25}" for number in PERCENTILES)
        lines.append(f"  {'known':15}{'':26}{times}")
    return [*lines, f"  {_verdict(scenario, runs, known)}", ""]


def _row(measured: Sequence[Measured]) -> str:
    rates = _spread([run.per_second for run in measured], "{:,.0f}")
    times = [_spread(_times(measured, number), "{:.2f}") for number in PERCENTILES]
    cpu = statistics.median(run.cpu_us_each for run in measured)
    return f"{rates:>26}{''.join(f'{text:>25}' for text in times)}{cpu:>8.1f}"


def _times(measured: Sequence[Measured], number: int) -> list[float]:
    return [run.figures.latency_ms[number] for run in measured if number in run.figures.latency_ms]


def _spread(values: Sequence[float], form: str) -> str:
    if not values:
        return "–"
    low, middle, high = (form.format(value) for value in (min(values), statistics.median(values), max(values)))
    return middle if low == high else f"{middle} [{low}–{high}]"


def _verdict(scenario: Scenario, runs: Runs, known: Mapping[int, float]) -> str:
    others = {name: measured for name, measured in runs.items() if name != "native"}
    if not others:
        return "nothing to compare with"
    if scenario.model == SATURATION:
        rates = {name: _rate(measured) for name, measured in others.items()}
        best = max(rates, key=lambda name: rates[name])
        return f"native ÷ the best of the others ({best}): {_rate(runs['native']) / rates[best]:.2f}"
    if scenario.stalls:
        corrects = {tool.name for tool in TOOLS if tool.corrects}
        others = {name: measured for name, measured in others.items() if name in corrects}
    return "native, against what is known and the others: " + ", ".join(
        f"p{number} {_standing(runs['native'], others, number, known[number])}" for number in PERCENTILES
    )


def _rate(measured: Sequence[Measured]) -> float:
    return statistics.median(run.per_second for run in measured)


def _standing(own: Sequence[Measured], others: Runs, number: int, known_ms: float) -> str:
    """No less than is known, and no more than the highest that another tool saw."""
    mine = statistics.median(_times(own, number))
    theirs = [time for measured in others.values() for time in _times(measured, number)]
    if mine < known_ms / _TOLERANCE:
        return "FLATTERS"
    return "agrees" if theirs and mine <= max(theirs) * _TOLERANCE else "ADDS TIME OF ITS OWN"
