import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.distributions import student_quantile
from bakeoff.judging.effects import matches_of
from bakeoff.judging.family import decisions_of
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Effect
from bakeoff.judging.moderation import NONE, Prior
from bakeoff.judging.pairings import ContenderRates, key_of, pairing, pairing_of, ratio_test
from made_up import comparison_of, rounds_of

HERE = Division("events", "standard", "declared", 0, "default")


def effects_of(contenders: Sequence[ContenderRates], prior: Prior = NONE) -> list[Effect]:
    """Decided by themselves, without the other pairs of a report."""
    named = [replace(each, key=each.key or f"contender {place}") for place, each in enumerate(contenders)]
    matches = matches_of(named, prior)
    pairs = {key_of(pair): pair for match in matches for pair in match.pairs}
    tests = {key: ratio_test(pair, prior) for key, pair in pairs.items()}
    tests |= {match.key: match.test for match in matches if match.key not in tests}
    decisions = decisions_of(tests)
    find = pairing_of([pairing(one.key, other.key, tests[key], decisions[key]) for key, (one, other) in pairs.items()])
    return [match.effect(decisions[match.key], find) for match in matches]


def contender(language: str, protocol: str, *rates: float, **factors: str) -> ContenderRates:
    levels = {"language": language, "protocol": protocol, "payload": "default", **factors}
    return ContenderRates("", HERE, levels, dict(enumerate(rates, start=1)))


def reported(*contenders: ContenderRates) -> dict[str, tuple[float, int]]:
    """The report of each effect: the ratio in round figures, and its number of pairs."""
    return {
        f"{effect.factor}: {effect.one}/{effect.other}": (round(effect.ratio.median, 6), len(effect.pairs))
        for effect in effects_of(contenders)
    }


def test_nothing_differs() -> None:
    assert reported() == {}
    assert reported(contender("rust", "rest", 10)) == {}


def test_matched_contenders_are_alike_in_all_else() -> None:
    found = reported(
        contender("rust", "rest", 40),
        contender("rust", "grpc", 20),
        contender("go", "rest", 10),
        contender("go", "grpc", 5),
    )
    assert found == {"language: rust/go": (4, 2), "protocol: rest/grpc": (2, 2)}


@pytest.mark.parametrize("names", list(itertools.permutations(["php-rest", "go-rest", "ruby-rest"])))
def test_an_effect_of_one_pair_points_the_way_of_its_medians_in_whatever_order_they_ran(names: Sequence[str]) -> None:
    rates = {"go-rest": [4483, 4500, 4400], "php-rest": [358, 360, 350], "ruby-rest": [388, 390, 380]}
    judgement = judge(
        comparison_of(
            *(
                run
                for name in names
                for run in rounds_of(name, rates[name], language=name.replace("php", "PHP").partition("-")[0])
            )
        )
    )
    found = {(each.one, each.other): each.ratio.median for each in judgement.effects}
    assert found.keys() == {("go", "PHP"), ("go", "ruby"), ("ruby", "PHP")}
    assert min(found.values()) > 1


def test_what_differs_in_two_ways_says_nothing_of_either() -> None:
    assert reported(contender("rust", "rest", 40), contender("go", "grpc", 5)) == {}


def test_the_faster_level_is_told_of() -> None:
    found = reported(
        contender("go", "rest", 5, write_mode="group-commit"), contender("go", "rest", 40, write_mode="per-request")
    )
    assert found == {"write_mode: per-request/group-commit": (8, 1)}


def test_a_payload_sweep() -> None:
    found = reported(
        *(contender("go", "rest", rate, payload=size) for size, rate in (("default", 40), ("8k", 20), ("64k", 5)))
    )
    assert found == {"payload: default/8k": (2, 1), "payload: default/64k": (8, 1), "payload: 8k/64k": (4, 1)}


def stack(language: str, rate: float, target: str = "", pool: str = "", **parts: str) -> ContenderRates:
    """A contender that is made of something."""
    factors = {"pool": pool} if pool else {}
    return replace(contender(language, "rest", rate, **factors), target=target or f"{language} {parts}", parts=parts)


def test_languages_are_compared_at_the_same_kind_of_access() -> None:
    found = reported(
        stack("go", 40, framework="net/http", access="SQL"),
        stack("go", 20, framework="Fiber", access="ORM"),
        stack("rust", 80, framework="axum", access="SQL"),
        stack("php", 5, framework="Symfony", access="ORM"),
        stack("c", 90, framework="own", access="query builder"),
    )
    assert found == {"language: rust/go": (2, 1), "language: go/php": (4, 1)}


def test_what_several_languages_have_is_the_same_in_both() -> None:
    found = reported(
        stack("kotlin", 40, server="Netty", cache="A"),
        stack("java", 20, server="Netty", cache="B"),
        stack("java", 10, server="Tomcat", cache="C"),
    )
    assert found == {"language: kotlin/java": (2, 1)}


def test_a_setting_is_compared_within_a_target() -> None:
    found = reported(
        *(stack("go", rate, "one", pool) for rate, pool in ((10, "8"), (20, "16"))),
        *(stack("go", rate, "two", pool) for rate, pool in ((50, "8"), (100, "16"))),
    )
    assert found == {"pool: 16/8": (2, 2)}


def test_the_only_part_in_which_two_stacks_differ_is_a_factor() -> None:
    found = reported(
        stack("go", 40, framework="Gin", driver="pgx", access="SQL"),
        stack("go", 20, framework="Gin", driver="pq", access="SQL"),
        stack("go", 10, framework="Gin", driver="pq", access="ORM", orm="Rows"),
        stack("go", 5, framework="Echo", driver="own", access="SQL"),
    )
    assert found == {"driver: pgx/pq": (2, 1)}


def test_pairs_of_a_round_are_one_observation() -> None:
    (language,) = (
        effect
        for effect in effects_of(
            [
                contender("rust", "rest", 20, 22, 18),
                contender("go", "rest", 10, 11, 9),
                contender("rust", "grpc", 80, 88, 72),
                contender("go", "grpc", 10, 11, 9),
            ]
        )
        if effect.factor == "language"
    )
    # 2× and 8× make 4× in each of three rounds, without any spread.
    assert list(language.ratio.values) == pytest.approx([4, 4, 4])
    assert language.ratio.low == pytest.approx(4)
    assert language.ratio.high == pytest.approx(4)


def test_each_pair_has_its_own_ratio_and_verdict() -> None:
    """Rust is twice as fast as Go over REST and half as fast over gRPC, which together is hardly a difference."""

    def named(language: str, protocol: str, *rates: float) -> ContenderRates:
        return replace(contender(language, protocol, *rates), key=f"{language}-{protocol}")

    (language,) = (
        effect
        for effect in effects_of(
            [
                named("go", "rest", 10, 10.1, 9.9, 10.1, 9.9),
                named("rust", "rest", 20, 20.1, 19.9, 19.9, 20.1),
                named("go", "grpc", 40, 40.1, 39.9, 40.1, 39.9),
                named("rust", "grpc", 19, 19.1, 18.9, 18.9, 19.1),
            ]
        )
        if effect.factor == "language"
    )
    assert (language.one, language.other) == ("go", "rust")
    assert language.ratio.median == pytest.approx(1.03, abs=0.01)
    pairs = {(pair.one, pair.other): pair for pair in language.pairs}
    assert list(pairs) == [("go-rest", "rust-rest"), ("go-grpc", "rust-grpc")]
    rest, grpc = pairs.values()
    assert [rest.ratio.median, grpc.ratio.median] == pytest.approx([0.5, 2.1], abs=0.01)
    assert (rest.verdict, grpc.verdict) == ("slower", "faster")
    assert rest.p_adjusted is not None and rest.p_value is not None and rest.p_adjusted >= rest.p_value


def alike(language: str, protocol: str, rates: dict[int, float]) -> ContenderRates:
    return ContenderRates("", HERE, {"language": language, "protocol": protocol}, rates)


def test_only_rounds_that_all_pairs_have_count() -> None:
    assert effects_of([alike("go", "rest", {1: 10.0}), alike("rust", "rest", {2: 10.0})]) == []
    contenders = [
        alike("go", "rest", {1: 10.0, 2: 10.0}),
        alike("rust", "rest", {1: 20.0, 2: 30.0}),
        alike("go", "grpc", {2: 10.0, 3: 10.0}),
        alike("rust", "grpc", {2: 30.0, 3: 50.0}),
    ]
    (language,) = (effect for effect in effects_of(contenders) if effect.factor == "language")
    assert list(language.ratio.values) == pytest.approx([3])
    assert len(language.pairs) == 2


@pytest.mark.parametrize(
    ("pairs", "narrower"),
    [
        ([("go", "rest"), ("rust", "rest")], 1.0),
        ([("go", "rest"), ("rust", "rest"), ("go", "grpc"), ("rust", "grpc")], math.sqrt(2)),
        # An A/A pair makes two pairs with the same other: no more is known of it.
        ([("go", "rest"), ("go", "rest"), ("rust", "rest")], 1.0),
    ],
)
def test_pairs_that_share_no_contender_make_the_interval_narrower(
    pairs: list[tuple[str, str]], narrower: float
) -> None:
    # Worth so much that only it counts.
    prior = Prior(0.005, 1e9)
    speeds = {"go": 10.0, "rust": 20.0}
    contenders = [alike(language, protocol, dict.fromkeys(range(5), speeds[language])) for language, protocol in pairs]
    (language,) = (effect for effect in effects_of(contenders, prior) if effect.factor == "language")
    assert language.ratio.confidence is not None
    half = student_quantile(language.ratio.confidence, 1e9) * 0.1 / math.sqrt(5) / narrower
    assert language.ratio.high == pytest.approx(2 * math.exp(half))


def test_of_many_effects_some_are_off_by_chance() -> None:
    """One effect of p = 0.03 is a difference where it is the only one, and none beside four others (Holm)."""
    rates = [(100.0, 103.5), (100.0, 101.5), (100.0, 104.5), (100.0, 100.2), (100.0, 103.0)]
    one = {number: rate for number, (rate, _) in enumerate(rates)}
    other = {number: rate for number, (_, rate) in enumerate(rates)}
    calm = {number: 100.0 * (1 + 0.001 * (-1) ** number) for number in range(5)}
    pair = [alike("go", "rest", other), alike("rust", "rest", one)]
    (alone,) = effects_of(pair)
    assert (alone.verdict, alone.p_adjusted) == ("faster", alone.p_value)
    others = [alike("go", protocol, calm) for protocol in ("a", "b", "c")]
    effects = effects_of([*pair, *others])
    found = next(effect for effect in effects if effect.factor == "language")
    assert found.p_value == pytest.approx(alone.p_value)
    assert (found.p_adjusted or 0) > 2 * (found.p_value or 1)
    assert found.verdict == "tie"
