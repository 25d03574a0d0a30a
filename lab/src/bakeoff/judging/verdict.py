"""Every sentence about which contender is faster, made from the judgement. Pure functions.

A contender without a rank keeps others from a superlative: where it did more, or where its pair is a tie, the leader is
open. A contender that lost writes is in no comparison, and the first sentence names it.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judgement import Effect, Estimate, JudgedContender, Judgement, Pairing, Verdict
from bakeoff.judging.pairings import Field, pairing_of
from bakeoff.text import digits, ratios
from bakeoff.text.prose import capitalised, listed, rounds_in_words

MOST_WORDS = 25
_MOST_NAMES = 3
# A difference beyond a doubling is no bound that helps anyone.
_FOUND = 1.0
# Each pair of the class is the price of one framework; of other factors the report has the pairs.
_FACTORS_BY_PAIR = ("class",)
# Of every factor there would be a line for each operation: the report has them all.
_NAMED_FACTORS = ("protocol",)


@dataclass(frozen=True)
class Lead:
    """The head of a field. `best` is ranked, and no other ranked contender is faster; None where there is no such one.

    `undecided` are those that `best` is not faster than, with or without a rank; `tied` are `best` and those that tie
    with it and with each other, empty where none does.
    """

    field: Field
    compared: Sequence[JudgedContender]
    best: JudgedContender | None
    undecided: Sequence[JudgedContender]
    tied: Sequence[JudgedContender]

    @property
    def open(self) -> list[JudgedContender]:
        """Contenders without a rank that may be the fastest."""
        return [each for each in self.undecided if each.rank is None]

    @property
    def first(self) -> Sequence[JudgedContender]:
        """Those that may be recommended: one, or several that tie; none where that is open."""
        if self.best is None or self.open:
            return []
        return self.tied or ([] if self.undecided else [self.best])

    @property
    def highest(self) -> JudgedContender | None:
        """The one contender that is compared with another and did more than all others, by chance or not."""
        return self.best if self.paired and not self.undecided and not self.above else None

    @property
    def fastest(self) -> JudgedContender | None:
        """The one contender that is compared with another, where every pair is decided."""
        return self.best if self.paired and not self.undecided and not self.unknown else None

    @property
    def above(self) -> list[JudgedContender]:
        """Those with a higher median that are slower round by round: they have other rounds, or more of them."""
        ahead = max((_peak(each).median for each in (*self.tied, *filter(None, [self.best]))), default=0.0)
        return [each for each in self.compared if each not in self.undecided and _peak(each).median > ahead]

    @property
    def unknown(self) -> list[JudgedContender]:
        """The others that share too few rounds with the best for a verdict on the pair, or none."""
        best = self.best
        others = [] if best is None else [each for each in self.compared if each is not best]
        return [each for each in others if best and self.field.verdict(best.key, each.key) == "unknown"]

    @property
    def paired(self) -> list[JudgedContender]:
        """The others that share a round with the best."""
        best = self.best
        return [] if best is None else [each for each in self.compared if self.pairing(best, each) is not None]

    def pairing(self, one: JudgedContender, other: JudgedContender) -> Pairing | None:
        return self.field.find_pairing(one.key, other.key)


def lead_of(contenders: Iterable[JudgedContender], pairings: Sequence[Pairing]) -> Lead:
    """The head of contenders of one division, or of a part of them."""
    compared = {each.key: each for each in contenders if each.peak_throughput_per_s is not None and not each.lost_in}
    medians = {key: _peak(each).median for key, each in compared.items()}
    field = Field(medians, pairing_of(pairings), {key for key, each in compared.items() if each.rank is not None})
    by_speed = field.by_speed()
    places = sorted((key for key in by_speed if key in field.ranked), key=lambda key: field.place(key).rank)
    best = next((key for key in places if not any(field.is_ahead(other, key) for other in places if other != key)), "")
    undecided = [
        key
        for key in by_speed
        if best and key != best and not (field.is_ahead(best, key) and _is_apart(field, compared[best], compared[key]))
    ]
    unranked = [key for key in by_speed if key not in field.ranked]
    tied = [best]
    for key in undecided:
        mutual = key in field.ranked and all(field.verdict(key, one) == "tie" for one in tied)
        if mutual and not any(field.is_ahead(other, key) for other in unranked):
            tied.append(key)
    return Lead(
        field,
        [compared[key] for key in by_speed],
        compared.get(best),
        [compared[key] for key in undecided],
        [compared[key] for key in tied if len(tied) > 1],
    )


def _is_apart(field: Field, best: JudgedContender, other: JudgedContender) -> bool:
    """Whether the intervals of medians are apart, where one without a rank shares too few rounds for a verdict."""
    if other.key in field.ranked or field.verdict(best.key, other.key) != "unknown":
        return True
    low, high = _peak(best).low, _peak(other).high
    return low is None or high is None or low > high


def verdict_of(fields: Mapping[str, Sequence[JudgedContender]], pairings: Sequence[Pairing]) -> str:
    """The headline: lost writes, then a sentence for each field, each of 25 words at most.

    `fields` are contenders that are ranked against each other, in rank order, by the name of what they share.
    """
    leads = {name: lead_of(contenders, pairings) for name, contenders in fields.items()}
    known = {name: lead for name, lead in leads.items() if lead.compared}
    lost = {name: [each for each in contenders if each.lost_in] for name, contenders in fields.items()}
    sentences = [_lost(each) for each in lost.values() if each]
    for name, lead in known.items():
        scope = (f"{name}: " if len(known) > 1 else "") + ("of the others, " if lost[name] else "")
        sentences.append(_fitting(scope, _claims(lead)))
        sentences += [_how_close(lead)] if lead.first and lead.tied else []
        sentences.append(_failed(lead))
    if not known:
        sentences.append("Nothing valid was measured, so there is no verdict.")
    return " ".join(sentence for sentence in sentences if sentence)


def fastest_of(judgement: Judgement) -> JudgedContender | None:
    """The contender that the verdict names fastest; None where it names none, or one for each of several divisions."""
    leads = [lead_of(judgement.of_division(name), judgement.pairings) for name in judgement.divisions]
    known = [lead for lead in leads if lead.compared]
    return known[0].fastest if len(known) == 1 else None


def why_unranked(contender: JudgedContender) -> str:
    """The reason as the rest of a sentence about a contender without a rank."""
    if contender.lost_in:
        return f"had lost or wrong data in {rounds_in_words(contender.lost_in)}"
    if contender.peak_throughput_per_s is None:
        return "has no valid run"
    return "; ".join(contender.indicative) or "kept no level within the limits of a rank"


def standing_of(judgement: Judgement, contender: JudgedContender) -> Pairing | str:
    """The contender against the first that has a rank, or in words: the leader, or why it has no rank."""
    if contender.rank is None:
        return "not compared" if contender.lost_in else "indicative" if contender.indicative else "not ranked"
    pairing = judgement.against_leader(contender)
    return pairing or ("leader" if contender.rank == 1 else "first ranked")


def factor_lines(judgement: Judgement) -> list[str]:
    """The effect of each factor, a line each, and of each pair of a factor that is judged pair by pair."""
    labels = {contender.key: contender.label for contender in judgement.contenders}
    return [
        *(line for effect in judgement.effects for line in _effect(judgement, effect, labels)),
        *(_operation_effect(effect) for effect in judgement.operation_effects if effect.factor in _NAMED_FACTORS),
    ]


def verdict_words(judgement: Judgement, each: Pairing | Effect) -> str:
    """The verdict on a pair or an effect in a table: faster, slower, tie, `equivalent within 3.1%, indicative`."""
    if each.verdict == "unknown":
        return "too few rounds"
    within, pairs = (None, each.pairs) if isinstance(each, Effect) else (each.equivalent_within, [each])
    words = each.verdict if within is None else f"equivalent within {at_most(within)}"
    return f"{words}{_indicative(judgement, pairs)}"


def _indicative(judgement: Judgement, pairs: Sequence[Pairing]) -> str:
    """What is said of a contender without a rank is no more than an indication."""
    unranked = {each.key for each in judgement.contenders if each.rank is None}
    return ", indicative" if any(not unranked.isdisjoint((each.one, each.other)) for each in pairs) else ""


def _lost(contenders: Sequence[JudgedContender]) -> str:
    words = f"had lost or wrong data and {'is' if len(contenders) == 1 else 'are'} not compared"
    in_rounds = [f"{each.label} ({rounds_in_words(each.lost_in)})" for each in contenders]
    return _fitting("", [f"{_some(names)} {words}" for names in (in_rounds, [each.label for each in contenders])])


def _failed(lead: Lead) -> str:
    """The rounds that the leaders did not come to the end of: their figures are of the others."""
    failed = [each for each in lead.compared if (each is lead.best or each in lead.undecided) and each.failed_in]
    in_rounds = listed([f"{each.label} ({rounds_in_words(each.failed_in)})" for each in failed])
    names = _some([each.label for each in failed])
    return _fitting("", [f"Failed runs: {words}" for words in (in_rounds, names)]) if failed else ""


def _fitting(scope: str, claims: Iterable[str]) -> str:
    """The first claim that is short enough as a sentence, or the last: claims go from much to little."""
    sentence = ""
    for claim in claims:
        goes_on = claim.replace("All ", "all ", 1) if scope and claim.startswith("All ") else claim
        sentence = f"{capitalised(scope)}{goes_on}."
        if len(sentence.split()) <= MOST_WORDS:
            break
    return sentence


def _claims(lead: Lead) -> list[str]:
    best = lead.best
    if best is None:
        return _without_ranks(lead)
    if lead.open:
        return _open(lead, best)
    if lead.fastest is not None:
        return _fastest(lead, best)
    if lead.highest is not None:
        return _highest(lead, best)
    if lead.tied:
        return _tie(lead)
    if lead.unknown and not lead.undecided and lead.above:
        return [f"{_some([each.label for each in (best, *lead.unknown)])} share too few rounds to compare them"]
    reached, briefly = (f"{best.label} reaches {write(_peak(best))}; " for write in (rate, _rate))
    if lead.undecided:
        alike = _some([each.label for each in lead.undecided])
        return [f"{start}{alike} cannot be distinguished from it" for start in (reached, briefly)]
    for other in (each for each in lead.compared if each is not best):
        why = f"{other.label} {why_unranked(other)}"
        return [reached + why, briefly + why, f"{briefly}{other.label} has no rank"]
    return [f"{reached}there is nothing to compare it with"]


def _without_ranks(lead: Lead) -> list[str]:
    """No contender has a rank, or each that has one is slower than another."""
    if lead.field.ranked:
        return ["Which contender is fastest is open: each is slower than another"]
    best, *others = lead.compared
    most = bool(others) and all(
        lead.field.verdict(best.key, each.key) in ("faster", "unknown") and _rate(_peak(each)) != _rate(_peak(best))
        for each in others
    )
    reached = f"Highest: {best.label}," if most else f"{best.label} reached"
    reached += f" {_rate(_peak(best))}"
    return [f"No ranking: {best.label} {why_unranked(best)}. {reached}", f"No ranking. {reached}"]


def _open(lead: Lead, best: JudgedContender) -> list[str]:
    leaders = [each for each in lead.compared if each is best or each in lead.undecided]
    clause = f"{_some([each.label for each in leaders])} lead; which of them is open: {lead.open[0].label}"
    return [f"{clause} {why_unranked(lead.open[0])}", f"{clause} has no rank"]


def _fastest(lead: Lead, best: JudgedContender) -> list[str]:
    second = lead.paired[0]
    pairing, reached = lead.pairing(best, second), _rate(_peak(best))
    assert pairing is not None
    if lead.above:
        # The figures of other rounds would contradict this one.
        by_round = f"{best.label} is fastest: round by round"
        return [f"{by_round} {write(pairing.ratio)} the throughput of {second.label}" for write in (times, _times)]
    return [
        f"{best.label} is fastest with {rate(_peak(best))}, {times(pairing.ratio)} the throughput of {second.label}",
        f"{best.label} is fastest with {reached}, {times(pairing.ratio)} the throughput of {second.label}",
        f"{best.label} is fastest with {reached}, {_times(pairing.ratio)} the throughput of {second.label}",
    ]


def _highest(lead: Lead, best: JudgedContender) -> list[str]:
    second = lead.unknown[0]
    pairing, slower = lead.pairing(best, second), _peak(second).median
    rounds = 0 if pairing is None else len(pairing.ratio.values)
    factor = ratios.times(_peak(best).median / slower) if slower > 0 else "∞×"
    common = " common" * (rounds < min(best.rounds, second.rounds))
    counted = f"{'one' if rounds == 1 else rounds or 'no'}{common} round{'s' * (rounds != 1)}"
    chance = f"but {counted} cannot separate a difference from chance"
    start = f"Highest: {best.label} with {_rate(_peak(best))}"
    return [f"{start}, {factor} the throughput of {second.label}, {chance}", f"{start}, {chance}"]


def _tie(lead: Lead) -> list[str]:
    tied = lead.tied
    names = f"All {len(tied)}" if 2 < len(tied) == len(lead.compared) else _some([each.label for each in tied])
    clause = f"{names} tie at {_span([_peak(each).median for each in tied])} operations/s"
    if lead.above:
        above = _some([each.label for each in lead.above])
        return [f"{clause}, {tied[0].label} round by round ahead of {above}", clause]
    behind = next((each for each in lead.paired if lead.field.verdict(tied[0].key, each.key) == "faster"), None)
    pairing = None if behind is None else lead.pairing(tied[0], behind)
    with_latencies = f"{clause}{_latencies(tied)}"
    if behind is None or pairing is None:
        return [with_latencies, clause]
    ahead = f", {tied[0].label} with {times(pairing.ratio)} the throughput of {behind.label}"
    return [with_latencies + ahead, clause + ahead, with_latencies, clause]


def _how_close(lead: Lead) -> str:
    """How far those that tie may be apart, or how far they would have to be for a difference to be found."""
    pairings = [lead.pairing(one, other) for one, other in itertools.combinations(lead.tied, 2)]
    pairs = [each for each in pairings if each is not None]
    within = [each.equivalent_within for each in pairs if each.equivalent_within is not None]
    if len(within) == len(pairs):
        return f"They are equivalent within {at_most(max(within))}."
    detectable = [each.detectable for each in pairs if each.detectable is not None]
    if not detectable:
        return ""
    if max(detectable) > _FOUND:
        return "These rounds scatter too much to find even a doubling: take more or longer rounds."
    return f"A difference of {at_most(max(detectable))} between them would be found in four of five such comparisons."


def detectable_words(share: float) -> str:
    """A difference that would be found; one beyond a doubling says no more than that."""
    return at_most(share) if share <= _FOUND else f"over {_FOUND:.0%}"


def at_most(share: float) -> str:
    """Rounded up, to a tenth of a per cent where it is small: 3.1%, 82%."""
    tenths = math.ceil(round(1000 * share, 6))
    return f"{tenths / 10:.1f}%" if tenths < 100 else f"{math.ceil(round(100 * share, 6))}%"


def _latencies(tied: Sequence[JudgedContender]) -> str:
    """In the open model all contenders that keep up do the same work; their latency is the difference."""
    levels = [(each.label, each.level_at_peak) for each in tied]
    p99_ms = {
        label: at.latency_ms["p99"].median
        for label, at in levels
        if at is not None and at.arrival_rate_per_s and "p99" in at.latency_ms
    }
    if len(p99_ms) < 2:
        return ""
    quickest, slowest = min(p99_ms, key=p99_ms.__getitem__), max(p99_ms, key=p99_ms.__getitem__)
    return f", p99 from {p99_ms[quickest]:.3g} ms ({quickest}) to {p99_ms[slowest]:.3g} ms ({slowest})"


def _effect(judgement: Judgement, effect: Effect, labels: Mapping[str, str]) -> list[str]:
    matched = "" if len(effect.pairs) == 1 else f", over {len(effect.pairs)} matched pairs"
    matched += _indicative(judgement, effect.pairs)
    factor, (one, other) = effect.factor.replace("_", " "), _levels(effect)
    lines = [f"{factor}: {one} {_reached(other, effect.ratio, effect.verdict, matched)}"]
    if effect.factor in _FACTORS_BY_PAIR and len(effect.pairs) > 1:
        lines += [
            f"{labels[each.one]} {_reached(labels[each.other], each.ratio, each.verdict, mark)}"
            for each in effect.pairs
            for mark in [_indicative(judgement, [each])]
        ]
    return lines


def _levels(effect: Effect) -> tuple[str, str]:
    return level_name(effect.one, effect.factor), level_name(effect.other, effect.factor)


def _reached(other: str, ratio: Estimate, verdict: Verdict, matched: str = "") -> str:
    return f"reaches {_times(ratio)} the throughput of {other}{_interval(ratio)}{matched}{_by_chance(verdict)}"


def _operation_effect(effect: Effect) -> str:
    one, other = _levels(effect)
    return (
        f"{effect.operation}: {one} answers {_times(effect.ratio)} as fast as {other}"
        f"{_interval(effect.ratio)}, by mean latency at {effect.load}{_by_chance(effect.verdict)}"
    )


def _by_chance(verdict: Verdict) -> str:
    return {"tie": ", which chance explains too", "unknown": ", undecided by so few rounds"}.get(verdict, "")


def _some(names: Sequence[str]) -> str:
    """Two or three names; of more the first two stand for all."""
    return listed(names if len(names) <= _MOST_NAMES else [*names[:2], f"{len(names) - 2} others"])


def _span(figures: Sequence[float]) -> str:
    lowest, highest = digits.rate(min(figures)), digits.rate(max(figures))
    return lowest if lowest == highest else f"{lowest} to {highest}"


def rate(throughput: Estimate) -> str:
    """1,234 operations/s (1,200 to 1,260)."""
    if throughput.low is None or throughput.high is None:
        return _rate(throughput)
    return f"{_rate(throughput)} ({digits.rate(throughput.low)} to {digits.rate(throughput.high)})"


def _rate(throughput: Estimate) -> str:
    return f"{digits.rate(throughput.median)} operations/s"


def times(ratio: Estimate) -> str:
    """1.25× (99% interval 1.21 to 1.30)."""
    return f"{_times(ratio)}{_interval(ratio)}"


def _times(ratio: Estimate) -> str:
    return ratios.times(ratio.median, differs=ratio.excludes_one)


def _interval(ratio: Estimate) -> str:
    if ratio.confidence is None:
        return ""
    words = ratios.bounds(ratio.low, ratio.high, len(ratio.values), " to ")
    return f" ({words})" if ratio.low is None and ratio.high is None else f" ({ratio.interval_name} {words})"


def _peak(contender: JudgedContender) -> Estimate:
    assert contender.peak_throughput_per_s is not None
    return contender.peak_throughput_per_s
