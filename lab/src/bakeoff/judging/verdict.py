"""The comparison in one sentence, with its uncertainty. Pure functions."""

from collections.abc import Callable, Mapping, Sequence

from bakeoff.judging.judgement import Estimate, JudgedContender, Judgement, Pairing
from bakeoff.judging.pairings import pairing_of
from bakeoff.text.prose import capitalised, listed

FindPairing = Callable[[str, str], Pairing | None]


def verdict_of(
    fields: Mapping[str, Sequence[JudgedContender]], pairings: Sequence[Pairing], smallest_claim: float | None
) -> str:
    """One sentence; of several fields one clause each. A tie says how small a difference would have been seen.

    `fields` are contenders that are ranked against each other, in rank order, by the name of what they share.
    """
    find_pairing = pairing_of(pairings)
    valid = {name: _ranked(contenders) for name, contenders in fields.items()}
    clauses = {name: _clause(contenders, find_pairing) for name, contenders in valid.items() if contenders}
    if not clauses:
        return _without_ranks([each for contenders in fields.values() for each in contenders])
    named = [f"{name}: {clause}" for name, clause in clauses.items()]
    words = next(iter(clauses.values())) if len(clauses) == 1 else capitalised("; ".join(named))
    ties = any(_tied(contenders) for contenders in valid.values())
    if not ties or smallest_claim is None:
        return f"{words}."
    return f"{words} (smallest detectable difference {smallest_claim:.1%})."


def fastest_of(judgement: Judgement) -> JudgedContender | None:
    """The contender that the verdict names fastest; None where it names none, or one for each of several divisions."""
    fields = [_ranked(judgement.of_division(name)) for name in judgement.divisions]
    ranked = [contenders for contenders in fields if contenders]
    return _fastest(ranked[0]) if len(ranked) == 1 else None


def _ranked(contenders: Sequence[JudgedContender]) -> list[JudgedContender]:
    return [each for each in contenders if each.rank is not None]


def _without_ranks(contenders: Sequence[JudgedContender]) -> str:
    """The verdict where no contender has a rank."""
    indicative = [each for each in contenders if each.indicative]
    if not indicative:
        return "Nothing valid was measured, so there is no verdict."
    best = max(indicative, key=lambda each: _peak(each).median)
    clause = f"{best.label} reached {rate(_peak(best))}" + (", the most" if len(indicative) > 1 else "")
    return f"Indicative only, without ranks: {clause} ({best.indicative[0]})."


def _clause(contenders: Sequence[JudgedContender], find_pairing: FindPairing) -> str:
    if (best := _fastest(contenders)) is not None:
        return _winner(best, contenders[1], find_pairing)
    if len(contenders) > 1:
        return _tie(contenders, find_pairing)
    return f"{contenders[0].label} reaches {rate(_peak(contenders[0]))}; there is nothing to compare it with"


def _fastest(contenders: Sequence[JudgedContender]) -> JudgedContender | None:
    """The first in rank order; None where it ties, or is alone."""
    return None if len(contenders) < 2 or _tied(contenders) else contenders[0]


def _tied(contenders: Sequence[JudgedContender]) -> list[JudgedContender]:
    """Those of the first rank, where several tie."""
    first = [each for each in contenders if each.rank == 1]
    return first if any(each.key in first[0].tied_with for each in first[1:]) else []


def _winner(best: JudgedContender, second: JudgedContender, find_pairing: FindPairing) -> str:
    pairing = find_pairing(best.key, second.key)
    if pairing is None or pairing.verdict != "faster":
        slower, rounds = _peak(second).median, min(best.rounds, second.rounds)
        factor = f"{_peak(best).median / slower:.2f}×" if slower > 0 else "∞×"
        return (
            f"{best.label} was fastest with {rate(_peak(best))}, {factor} the throughput of {second.label}, but "
            f"{'one round' if rounds == 1 else f'{rounds} rounds'} cannot separate a difference from chance"
        )
    return f"{best.label} is fastest with {rate(_peak(best))}, {times(pairing.ratio)} the throughput of {second.label}"


def _tie(contenders: Sequence[JudgedContender], find_pairing: FindPairing) -> str:
    first = _tied(contenders)
    names = f"All {len(first)}" if 2 < len(first) == len(contenders) else listed([each.label for each in first])
    clause = f"{names} tie at {_span([_peak(each).median for each in first])} operations/s{_latencies(first)}"
    behind = next((each for each in contenders if each.rank != 1), None)
    pairing = None if behind is None else find_pairing(first[0].key, behind.key)
    if behind is None or pairing is None:
        return clause
    return f"{clause}, {first[0].label} with {times(pairing.ratio)} the throughput of {behind.label}"


def _latencies(tied: Sequence[JudgedContender]) -> str:
    """In the open model all who keep up do the same: how long they take for it is the difference."""
    levels = [(each.label, each.level_at_peak) for each in tied]
    p99_ms = {label: at.latency_ms["p99"].median for label, at in levels if at is not None and at.arrival_rate_per_s}
    if len(p99_ms) < 2:
        return ""
    quickest, slowest = min(p99_ms, key=p99_ms.__getitem__), max(p99_ms, key=p99_ms.__getitem__)
    return f", p99 from {p99_ms[quickest]:.3g} ms ({quickest}) to {p99_ms[slowest]:.3g} ms ({slowest})"


def _span(figures: Sequence[float]) -> str:
    lowest, highest = f"{min(figures):,.0f}", f"{max(figures):,.0f}"
    return lowest if lowest == highest else f"{lowest} to {highest}"


def rate(throughput: Estimate) -> str:
    """1,234 operations/s (1,200 to 1,260)."""
    if throughput.low is None or throughput.high is None:
        return f"{throughput.median:,.0f} operations/s"
    return f"{throughput.median:,.0f} operations/s ({throughput.low:,.0f} to {throughput.high:,.0f})"


def times(ratio: Estimate) -> str:
    """1.25× (1.21 to 1.30)."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.median:.2f}×"
    return f"{ratio.median:.2f}× ({ratio.interval_name} {ratio.low:.2f} to {ratio.high:.2f})"


def _peak(contender: JudgedContender) -> Estimate:
    assert contender.peak_throughput_per_s is not None
    return contender.peak_throughput_per_s
