import pytest

from bakeoff.errors import UsageError
from bakeoff.judging.slo import (
    Figures,
    Objective,
    broken,
    documented_slo,
    figures_of_phase,
    figures_over,
    parse_slo,
)
from made_up import histogram_of, measured

DEFAULT_ERRORS = Objective("errors", 0.05, "errors<5%")


@pytest.mark.parametrize(
    ("text", "objectives"),
    [
        ("p99<50ms,errors<0.1%", (Objective("p99", 50, "p99<50ms"), Objective("errors", 0.001, "errors<0.1%"))),
        (" p99.9 < 1.5s ", (Objective("p99.9", 1500, "p99.9<1.5s"), DEFAULT_ERRORS)),
        ("max<=800us", (Objective("max", 0.8, "max<=800us", at_most=True), DEFAULT_ERRORS)),
        ("errors<1%", (Objective("errors", 0.01, "errors<1%"),)),
        ("errors<=0%", (Objective("errors", 0, "errors<=0%", at_most=True),)),
    ],
)
def test_objectives_are_read(text: str, objectives: tuple[Objective, ...]) -> None:
    parsed = parse_slo(text)
    assert tuple(objective.metric for objective in parsed.objectives) == tuple(each.metric for each in objectives)
    assert [each.limit for each in parsed.objectives] == pytest.approx([each.limit for each in objectives])
    assert [(each.words, each.at_most) for each in parsed.objectives] == [
        (each.words, each.at_most) for each in objectives
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", '"" is not an objective'),
        ("fast", '"fast" is not an objective'),
        ("p99>50ms", '"p99>50ms" is not an objective'),
        ("p99<50ms,", '"" is not an objective'),
        ("p98<50ms", 'unknown metric "p98"'),
        ("p99<50", "p99 needs a unit: us, ms or s, such as p99<50ms"),
        ("p99<50%", "p99 needs a unit"),
        ("errors<0.1", "in per cent, such as errors<0.1%"),
        ("errors<1ms", "in per cent"),
        ("p99<0ms", "must be above zero"),
        ("p99<=0ms", "must be above zero"),
        ("errors<0%", "must be above zero"),
        ("p99<50ms,p99<60ms", "limits p99 twice"),
    ],
)
def test_what_is_wrong_is_said(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_slo(text)
    assert raised.value.message.startswith(f'--slo is "{text}": ')
    assert complaint in raised.value.message


def test_objectives_are_shown_as_they_were_written() -> None:
    assert str(parse_slo("p99 < 50ms, errors<0.1%")) == "p99<50ms,errors<0.1%"


def test_the_documented_thresholds() -> None:
    assert str(documented_slo()) == "p95<2s,p99<5s,errors<5%"


@pytest.mark.parametrize(
    ("p99_ms", "error_share", "metrics"),
    [
        (49.9, 0.0009, []),
        (50.0, 0.0, ["p99"]),
        (10.0, 0.001, ["errors"]),
        (90.0, 0.5, ["p99", "errors"]),
    ],
)
def test_below_means_that_the_limit_itself_is_too_much(p99_ms: float, error_share: float, metrics: list[str]) -> None:
    found = broken(parse_slo("p99<50ms,errors<0.1%"), Figures({"p99": p99_ms}, error_share))
    assert [objective.metric for objective in found] == metrics


@pytest.mark.parametrize(
    ("p99_ms", "error_share", "metrics"),
    [(50.0, 0.0, []), (50.1, 0.0, ["p99"]), (10.0, 1e-9, ["errors"])],
)
def test_at_most_means_that_the_limit_itself_holds(p99_ms: float, error_share: float, metrics: list[str]) -> None:
    found = broken(parse_slo("p99<=50ms,errors<=0%"), Figures({"p99": p99_ms}, error_share))
    assert [objective.metric for objective in found] == metrics


@pytest.mark.parametrize(
    ("requests", "failed", "unsent", "share"), [(90, 0, 10, 0.1), (100, 5, 0, 0.05), (80, 10, 20, 0.3), (0, 0, 0, 1.0)]
)
def test_a_request_never_sent_is_an_error(requests: int, failed: int, unsent: int, share: float) -> None:
    part = measured(0, requests=requests, failed=failed, unsent=unsent)
    assert figures_over([part, part]).error_share == pytest.approx(share)


def test_a_phase_and_several_rounds_have_the_same_latencies() -> None:
    part = measured(100, histogram=histogram_of(*range(1, 1001)))
    assert figures_of_phase(part) == figures_over([part, part, part])
    assert figures_of_phase(part).latency_ms["p99"] == pytest.approx(990, rel=0.002)
    assert figures_of_phase(part).latency_ms["max"] == pytest.approx(1000, rel=0.002)
