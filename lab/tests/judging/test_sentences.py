"""No sentence contradicts a row: each is checked against the table of medians, pairs and labels."""

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import JudgedContender, Judgement, Verdict
from bakeoff.judging.pairings import pairing_of
from bakeoff.judging.verdict import factor_lines, fastest_of, standing_of, times
from bakeoff.reporting import numbers
from bakeoff.reporting.choices import by_latency, by_protocol, recommendations
from bakeoff.reporting.highlights import highlights_of
from bakeoff.results.run import Durability, RunResult, Status
from made_up import comparison_of, measured, phase, rounds_of, run_of, seconds_of

MOST_WORDS = 25
TARGETS = ("rust-rest", "rust-grpc", "go-rest", "go-grpc", "java-rest")
FLAT = seconds_of([1000] * 11)
_STATUSES = {"void": Status.VOID, "failed": Status.FAILED}
RISING = seconds_of([1000 + 60 * second for second in range(11)])


@st.composite
def _runs(draw: st.DrawFn) -> list[RunResult]:
    """Up to five contenders with near or far rates; some unsteady, failing, void, missing, or of another durability.

    The machine is faster in some rounds than in others, and all may be a thousand times as slow.
    """
    targets = draw(st.lists(st.sampled_from(TARGETS), min_size=1, max_size=5, unique=True))
    rounds, runs = draw(st.integers(1, 6)), []
    unit = draw(st.sampled_from([1.0, 0.001]))
    machine = draw(st.lists(st.sampled_from([1.0, 1.0, 1.5]), min_size=rounds, max_size=rounds))
    for target in targets:
        level = draw(st.sampled_from([1000.0, 1010.0, 1100.0, 1500.0]))
        troubles = draw(st.sampled_from(["", "", "unsteady", "failing", "failed", "void", "not durable", "missing"]))
        for number in range(1, rounds + 1):
            troubled = draw(st.booleans()) and troubles
            if troubled == "missing":
                continue
            rate = level * draw(st.sampled_from([0.97, 1.0, 1.0, 1.03])) * machine[number - 1] * unit
            failed = 100 if troubles == "failing" else 0
            runs.append(
                run_of(
                    target,
                    number=number,
                    phases=[phase(1, 10, measured(rate, failed=failed))],
                    timeline=RISING if troubled == "unsteady" else FLAT,
                    status=_STATUSES.get(str(troubled), Status.COMPLETED),
                    durability=Durability.NOT_DURABLE if troubled == "not durable" else Durability.PROVEN,
                )
            )
    return runs


class Table:
    """The rows of a judgement that sentences must agree with."""

    def __init__(self, judgement: Judgement) -> None:
        self.judgement = judgement
        self._pairing = pairing_of(judgement.pairings)
        self.lost = [each for each in judgement.contenders if any(run.status == Status.VOID for run in each.runs)]

    def peers(self, one: JudgedContender, scope: Sequence[JudgedContender]) -> list[JudgedContender]:
        """The others with a figure, of one division, that lost nothing."""
        return [
            each
            for each in scope
            if each.division == one.division
            and each.key != one.key
            and each not in self.lost
            and each.peak_throughput_per_s is not None
        ]

    def verdict(self, one: JudgedContender, other: JudgedContender) -> Verdict:
        pairing = self._pairing(one.key, other.key)
        return "unknown" if pairing is None else pairing.verdict

    def may_be_best(self, one: JudgedContender, scope: Sequence[JudgedContender]) -> bool:
        """Ranked, and no contender without a rank did more where the pair is not decided."""
        open_peers = [each for each in self.peers(one, scope) if each.rank is None]
        return one.rank is not None and not any(
            median(each) > median(one) and self.verdict(one, each) != "faster" for each in open_peers
        )

    def is_best(self, one: JudgedContender, scope: Sequence[JudgedContender]) -> bool:
        """Every pair shows that it is faster than the other."""
        return self.may_be_best(one, scope) and all(
            self.verdict(one, each) == "faster" for each in self.peers(one, scope)
        )


def median(contender: JudgedContender) -> float:
    assert contender.peak_throughput_per_s is not None
    return contender.peak_throughput_per_s.median


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.)])\s+(?=[A-Z])", text)


@given(_runs())
def test_the_headline_agrees_with_every_row(runs: list[RunResult]) -> None:
    judgement = judge(comparison_of(*runs))
    table, fastest = Table(judgement), []
    for division in judgement.divisions:
        own = judgement.of_division(division)
        named = {each.name: each for each in own}
        everyone = [each for each in own if each not in table.lost and each.peak_throughput_per_s is not None]
        words = [each for each in sentences(judgement.verdict) if _is_of(each, division, judgement)]
        for sentence in words:
            assert len(sentence.split()) <= MOST_WORDS, sentence
            fastest += (best := _named(r"(.*) is fastest", sentence, named))
            assert all(table.is_best(each, own) for each in best), sentence
            if "fastest with" in sentence:
                assert all(median(best[0]) > median(each) for each in table.peers(best[0], own)), sentence
            tied = _named(r"(.*?) tie at", sentence, named) or (
                everyone if re.search(r"[Aa]ll \d tie", sentence) else []
            )
            for one, other in ((one, other) for one in tied for other in tied if one is not other):
                assert table.verdict(one, other) == "tie", sentence
            for one in tied:
                assert table.may_be_best(one, own), sentence
            if tied and "round by round ahead" not in sentence:
                highest = max(map(median, tied))
                assert all(highest >= median(each) for each in table.peers(tied[0], own)), sentence
            if leaders := _named(r"(.*) lead;", sentence, named):
                others = [each for each in table.peers(leaders[0], own) if each not in leaders]
                assert all(max(map(median, leaders)) >= median(each) for each in others), sentence
                assert all(table.verdict(leaders[0], each) != "slower" for each in others), sentence
            for one in _named(r".*Highest: (.*?)(?:,| with) ", sentence, named):
                others = table.peers(one, own)
                assert all(median(one) > median(each) for each in others), sentence
                assert all(table.verdict(one, each) not in ("tie", "slower") for each in others), sentence
            if ahead := re.search(r", ([^,]*) with [\d.,]+×.* the throughput of ([^,]*)\.$", sentence):
                assert table.verdict(named[ahead[1]], named[ahead[2]]) == "faster", sentence
            written = {numbers.rate(median(each)) for each in everyone}
            assert {figure[1] for figure in re.finditer(r"([\d.,]+) operations/s", sentence)} <= written, sentence
            if leader := _named(r".*Highest: (.*?)(?:,| with) ", sentence, named):
                shown = [numbers.rate(median(each)) for each in (*leader, *table.peers(leader[0], own))]
                assert shown[0] not in shown[1:], sentence
            for one in _named(r"Failed runs: (.*)", sentence, named):
                assert one.failed_in and not one.lost_in, sentence
            if "nothing to compare" in sentence:
                assert all(not table.peers(each, own) for each in own if each.rank is not None), sentence
    single = fastest_of(judgement)
    assert single is None or single.key in [each.key for each in fastest]


@given(_runs())
def test_ranks_and_recommendations_agree_with_every_row(runs: list[RunResult]) -> None:
    judgement = judge(comparison_of(*runs))
    table = Table(judgement)
    assert all(table.may_be_best(each, judgement.contenders) for each in judgement.contenders if each.rank == 1)
    for division in judgement.divisions:
        own = judgement.of_division(division)
        for row, names, scope in _recommended(judgement, own):
            assert names, row
            for each in names:
                assert table.may_be_best(each, scope), row
            if len(names) == 1:
                assert all(
                    table.verdict(names[0], each) not in ("tie", "slower") for each in table.peers(names[0], scope)
                )
        for protocol, place, name, _ in by_protocol(judgement, own).rows:
            scope = [each for each in own if each.protocol == protocol.lower()]
            assert place != "1" or all(table.may_be_best(each, scope) for each in scope if each.name == name)
        for highlight in highlights_of(judgement, own):
            best = [each for each in own if each.name in highlight.names]
            assert all(each.rank is not None for each in best)
            assert max(map(median, best)) >= max(map(median, table.peers(best[0], own)), default=0), highlight


@given(_runs())
def test_a_contender_that_lost_writes_is_in_no_comparison(runs: list[RunResult]) -> None:
    judgement = judge(comparison_of(*runs))
    for each in Table(judgement).lost:
        first, _, rest = judgement.verdict.partition(".")
        assert each.name in first and "lost or wrong data" in first
        assert each.rank is None and not each.tied_with
        assert each.name not in rest
        pairs = [*judgement.pairings, *(pair for effect in judgement.effects for pair in effect.pairs)]
        assert all(each.key not in (pair.one, pair.other) for pair in pairs)
        assert all(each.name not in row for row in by_latency(judgement, judgement.contenders).rows)


@given(_runs())
def test_lines_about_factors_and_leaders_agree_with_every_row(runs: list[RunResult]) -> None:
    judgement = judge(comparison_of(*runs))
    for line, effect in zip(factor_lines(judgement), judgement.effects, strict=True):
        assert len(line.split()) <= MOST_WORDS, line
        assert ("chance" in line) == (effect.verdict == "tie"), line
        keys = {key for pair in effect.pairs for key in (pair.one, pair.other)}
        unranked = {each.key for each in judgement.contenders if each.rank is None}
        assert (", indicative" in line) == bool(keys & unranked), line
        assert ("undecided by so few rounds" in line) == (effect.verdict == "unknown"), line
        written = times(effect.ratio).partition(" ")[0]
        one, other = (level_name(each, effect.factor) for each in (effect.one, effect.other))
        assert f"{one} reaches {written} the throughput of {other}" in line
    for each in judgement.contenders:
        words = standing_of(judgement, each)
        assert words != "leader" or Table(judgement).may_be_best(each, judgement.contenders)
        assert isinstance(words, str) or each.rank is not None


@given(_runs())
def test_the_worst_durability_of_any_round_counts(runs: list[RunResult]) -> None:
    for each in judge(comparison_of(*runs)).contenders:
        labels = {run.durability for run in runs if run.target == each.target}
        assert each.durability == ("not durable" if Durability.NOT_DURABLE in labels else "proven")


def test_the_loser_of_a_pair_is_not_fastest_because_the_winner_has_no_rank() -> None:
    fast = rounds_of("rust-rest", [19_400, 19_500, 19_300, 19_450, 19_422])
    fast = [*fast[1:3], *(_unsteady(run) for run in (fast[0], *fast[3:]))]
    slow = [rounds_of(name, [rate + at for at in range(5)]) for name, rate in (("rust-grpc", 16_900), ("go-rest", 9e3))]
    judgement = judge(comparison_of(*fast, *slow[0], *slow[1]))
    assert judgement.verdict == (
        "Rust REST and Rust gRPC lead; which of them is open: Rust REST was not steady in rounds 1, 4 and 5."
    )
    assert [(each.label, each.rank) for each in judgement.contenders] == [
        ("Rust gRPC", 2),
        ("Go REST", 3),
        ("Rust REST", None),
    ]
    assert fastest_of(judgement) is None
    assert [row[:3] for row in by_protocol(judgement, judgement.contenders).rows] == [
        ("gRPC", "1", "Rust gRPC"),
        ("REST", "2", "Go REST"),
    ]
    needs = {row[0]: row[1] for row in recommendations(judgement, judgement.contenders).rows}
    assert "highest throughput" not in needs and "existing Rust ecosystem" not in needs


def _until_the_machine_is_faster(target: str, per_s: float, rounds: int) -> list[RunResult]:
    """Rounds of which the machine makes those from the sixth on half as fast again."""
    return rounds_of(target, [per_s * (1.5 if at >= 5 else 1.0) + at for at in range(rounds)])


def test_the_fastest_has_no_figure_that_other_rounds_of_a_slower_one_exceed() -> None:
    half = _until_the_machine_is_faster("rust-rest", 1000, 5)
    judgement = judge(comparison_of(*half, *_until_the_machine_is_faster("go-rest", 900, 10)))
    assert median(judgement.contenders[0]) < median(judgement.contenders[1])
    assert judgement.verdict.startswith("Rust REST is fastest: round by round 1.11× (95% interval ")
    assert judgement.verdict.endswith(") the throughput of Go REST.")
    assert "highest throughput" not in [row[0] for row in recommendations(judgement, judgement.contenders).rows]


def test_those_that_tie_are_ahead_of_a_slower_one_that_other_rounds_flatter() -> None:
    noise, runs = [1.0, 1.02, 0.98, 1.01, 0.99], []
    for target, shift in (("rust-rest", 0), ("java-rest", 2)):
        runs += rounds_of(target, [1000 * noise[(at + shift) % 5] for at in range(5)])
    verdict = judge(comparison_of(*runs, *_until_the_machine_is_faster("go-rest", 800, 10))).verdict
    assert verdict.startswith(
        "Java REST and Rust REST tie at 1,000 operations/s, Java REST round by round ahead of Go "
    )


def test_ten_rounds_without_a_rank_make_no_sentence_too_long() -> None:
    unsteady = [_unsteady(run) for run in rounds_of("go-rest", [900] * 10)]
    tuned = rounds_of("java-grpc", [1100 + at for at in range(10)], target_class="tuned")
    judgement = judge(comparison_of(*tuned, *unsteady, *rounds_of("rust-rest", [1000 + at for at in range(10)])))
    assert all(len(sentence.split()) <= MOST_WORDS for sentence in sentences(judgement.verdict)), judgement.verdict
    assert "; Go REST was not steady in rounds 1–10." in judgement.verdict


@pytest.mark.parametrize(("per_s", "is_open"), [(985, True), (800, False)])
def test_a_lead_over_one_without_common_rounds_needs_intervals_that_are_apart(per_s: int, *, is_open: bool) -> None:
    rust = rounds_of("rust-rest", [1000, 1040, 960, 1010, 990])
    go = [_unsteady(run) for run in rounds_of("go-rest", [per_s, per_s + 40, per_s - 40, per_s + 10, per_s - 10])]
    java = rounds_of("java-rest", [600, 610, 590, 605, 595])
    judgement = judge(comparison_of(*rust, *go, *java))
    assert ("lead; which of them is open" in judgement.verdict) is is_open, judgement.verdict
    needs = [row[0] for row in recommendations(judgement, judgement.contenders).rows]
    assert ("highest throughput" in needs) is not is_open


def test_the_rounds_that_a_leader_failed_in_are_named() -> None:
    rust = rounds_of("rust-rest", [1500 + at for at in range(6)])
    go = rounds_of("go-rest", [900 + at for at in range(6)])
    failed = [run_of("rust-rest", [1500], at, status=Status.FAILED) for at in (2, 4)]
    verdict = judge(comparison_of(rust[0], failed[0], rust[2], failed[1], *rust[4:], *go)).verdict
    assert verdict.startswith("Rust REST is fastest with 1,50")
    assert verdict.endswith(" Failed runs: Rust REST (rounds 2 and 4).")
    made_again = judge(comparison_of(failed[0], *rust, *go)).verdict
    assert made_again.startswith("Rust REST is fastest with 1,50") and "Failed" not in made_again


def test_a_round_with_a_trend_is_left_out_and_the_others_decide() -> None:
    fast = rounds_of("rust-rest", [19_400, 19_500, 19_300, 19_450, 12_000])
    slow = rounds_of("rust-grpc", [16_900, 16_920, 16_910, 16_930, 16_940])
    judgement = judge(comparison_of(*fast[:4], _unsteady(fast[4]), *slow))
    assert judgement.verdict.startswith("Rust REST is fastest with 19,400 ")
    assert [len(pairing.ratio.values) for pairing in judgement.pairings] == [4]


def test_the_slowest_of_four_has_something_to_compare_it_with() -> None:
    fast = [_unsteady(run) for name in TARGETS[:3] for run in rounds_of(name, [9000, 9010, 9020])]
    verdict = judge(comparison_of(*fast, *rounds_of("java-rest", [6564, 6560, 6570]))).verdict
    assert verdict.startswith("Go REST, Rust gRPC and 2 others lead; which of them is open: ")


def test_those_that_tie_are_ahead_only_of_what_is_shown_to_be_slower() -> None:
    """Two rounds of the third cannot show it."""
    alike = [rounds_of(name, [1000, 1010, 990, 1005]) for name in ("rust-rest", "go-rest")]
    verdict = judge(comparison_of(*alike[0], *alike[1], *rounds_of("java-rest", [500, 505]))).verdict
    assert verdict.startswith("Go REST and Rust REST tie at ") and "Java" not in verdict


@pytest.mark.parametrize("lost", [1, 3])
def test_one_round_with_lost_writes_takes_a_contender_out(lost: int) -> None:
    rust = rounds_of("rust-rest", [1500, 1510, 1520])
    rust[lost - 1] = run_of("rust-rest", [1500], lost, status=Status.VOID)
    judgement = judge(
        comparison_of(*rust, *rounds_of("go-rest", [1000, 1010, 1005]), *rounds_of("java-rest", [800, 810, 805]))
    )
    assert judgement.verdict.startswith(
        f"Rust REST (round {lost}) had lost or wrong data and is not compared. Of the others, Go REST is fastest "
    )
    assert [(each.label, each.rank) for each in judgement.contenders][-1] == ("Rust REST", None)


def test_four_rounds_that_were_not_durable_count_more_than_the_last_that_was() -> None:
    labels = [*[Durability.NOT_DURABLE] * 4, Durability.PROVEN]
    runs = [run_of("rust-rest", [2000], at, durability=label) for at, label in enumerate(labels, start=1)]
    proven = rounds_of("go-rest", [1000] * 5, durability=Durability.PROVEN)
    judgement = judge(comparison_of(*runs, *proven))
    assert {each.label: each.durability for each in judgement.contenders} == {
        "Rust REST": "not durable",
        "Go REST": "proven",
    }
    assert judgement.pairings == [] and len(judgement.divisions) == 2


def _unsteady(run: RunResult) -> RunResult:
    return run_of(run.target, number=run.round, phases=run.phases, timeline=RISING)


def _is_of(sentence: str, division: str, judgement: Judgement) -> bool:
    """Sentences name their division where several have a figure."""
    known = {each.division for each in judgement.contenders if each.peak_throughput_per_s and not each.lost_in}
    return division in known if len(known) == 1 else not known or sentence.lower().startswith(division)


def _named(pattern: str, sentence: str, named: dict[str, JudgedContender]) -> list[JudgedContender]:
    found = re.match(pattern, sentence)
    return [] if found is None else [each for name, each in named.items() if name in found[1]]


def _recommended(
    judgement: Judgement, own: Sequence[JudgedContender]
) -> Iterator[tuple[Sequence[str], list[JudgedContender], Sequence[JudgedContender]]]:
    """Rows that recommend by throughput, with the contenders they name and those they choose from."""
    for row in recommendations(judgement, own).rows:
        language = re.match("existing (.*) ecosystem", row[0])
        scope = [each for each in own if language is None or each.language == language[1].lower()]
        everyone = [each for each in scope if each.rank is not None] if "All" in row[1] else []
        if language or row[0] in ("highest throughput", "small team"):
            yield row, everyone or [each for each in own if each.name in row[1]], scope
