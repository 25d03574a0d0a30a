"""`gate --for`: a second look only where there is time for it."""

import pytest

from bakeoff.cli.gate.judge_stored import rules_in_time, time_of_first_look
from bakeoff.gating.decision import Rules
from bakeoff.gating.regressions import Limits

RULES = Rules(Limits(0.2, 0.15, 0.01))


@pytest.mark.parametrize(
    ("first_look_s", "again"),
    [(90.0, True), (118.0, True), (123.0, False), (180.0, False), (600.0, False)],
)
def test_what_is_left_of_the_time_decides_whether_it_is_measured_again(first_look_s: float, *, again: bool) -> None:
    given = {"for": time_of_first_look("3m", rerun=True)}
    assert rules_in_time(RULES, given, first_look_s).rerun is again


def test_rounds_that_were_asked_for_are_repeated_however_long_they_took() -> None:
    assert rules_in_time(RULES, {"rounds": "5"}, 3600.0) == RULES


def test_one_look_stays_one() -> None:
    alone = Rules(Limits(0.2, 0.15, 0.01), rerun=False)
    assert rules_in_time(alone, {"for": time_of_first_look("3m", rerun=False)}, 10.0) == alone
