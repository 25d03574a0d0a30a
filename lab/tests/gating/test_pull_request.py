"""A gate as Markdown for a pull request, and as GitLab's code quality report."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.gating.circumstances import Circumstances
from bakeoff.gating.code_quality import code_quality_of
from bakeoff.gating.pull_request import Summary, markdown_of, short_markdown
from bakeoff.gating.sentence import change_of, sentence_of, verdict_of
from bakeoff.history.run_figures import figures_of
from made_up import run_result

WHOLE = figures_of(run_result("shop")).series
PLACE = Circumstances({"Base": "commit 0123456789ab", "Head": "commit abcdef", "Processor": "EPYC"})
SLOWER = Change(100.0, 121.0, "ms", 1.21, 1.18, 1.24, limit=1.15, confidence=0.99)
ABOUT = replace(SLOWER, limit=1.2)
FEWER = Change(1000.0, 890.0, "ops/s", 0.89, 0.87, 0.91, more_is_better=True, limit=0.95, confidence=0.99)
SAME = Change(1000.0, 1004.0, "ops/s", 1.004, 0.99, 1.02, more_is_better=True, limit=0.95, confidence=0.99)
FASTER = Change(100.0, 80.0, "ms", 0.8, 0.78, 0.82, limit=1.15, confidence=0.99)


def check(metric: str, change: Change | None, outcome: Outcome = Outcome.PASSED, operation: str = "") -> Check:
    return Check(replace(WHOLE, operation=operation), metric, outcome, f"words on {metric}", change=change)


def gate(*checks: Check, left_out: Sequence[str] = ()) -> Gate:
    return Gate(checks, left_out)


def text(made: Gate, reasons: Sequence[str] = (), most: int = 65_000) -> str:
    return markdown_of(Summary(made, PLACE, "Performance", reasons, "https://ci.example/1"), most)


MIXED = gate(
    check("throughput", SAME),
    check("mean", FASTER, operation="search"),
    check("mean", SLOWER, Outcome.FAILED, "GET /items"),
    check("p99", ABOUT, Outcome.UNCLEAR, "GET /items"),
    check("errors", None, Outcome.FAILED, "login"),
    left_out=["new: not in the baseline."],
)


def test_the_whole_text() -> None:
    assert text(MIXED, ["GET /items does 21 statements instead of 1"]) == (
        """### ❌ Performance

**login: words on errors, and 1 other check failed.**

- GET /items does 21 statements instead of 1

| operation | figure | base | head | change (interval) | verdict |
|---|---|---:|---:|---:|---|
| GET /items | mean, ms | 100 | 121 | +21.0% (+18.0% to +24.0%) | ❌ **worse** |
| GET /items | p99, ms | 100 | 121 | +21.0% (+18.0% to +24.0%) | ⚠️ unclear |
| all | throughput, ops/s | 1,000 | 1,004 | +0.4% (-1.0% to +2.0%) | no difference shown |
| search | mean, ms | 100 | 80.0 | -20.0% (-22.0% to -18.0%) | better |

- shop · quick · default · 10 users · login, errors: words on errors
- not compared: new: not in the baseline.

<details><summary>Method and machine</summary>

- Figures: base and head are medians over rounds; the change is their ratio, with the interval of its test
- Allowed: throughput -5%, mean +15%, p99 +20%
- Base: commit 0123456789ab
- Head: commit abcdef
- Processor: EPYC

</details>

[Report and results](https://ci.example/1)"""
    )


@pytest.mark.parametrize(
    ("made", "cells"),
    [
        (check("p99", ABOUT, Outcome.FAILED), "+21.0% (+18.0% to +24.0%) | ❌ unclear, which is not allowed |"),
        (
            replace(check("p99", SLOWER, Outcome.UNCLEAR), stale_baseline=True),
            "+21.0% (+18.0% to +24.0%) | ⚠️ unclear: the machine was slower |",
        ),
        (check("p99", SLOWER, Outcome.UNCLEAR), "(+18.0% to +24.0%) | ⚠️ unclear: not confirmed by a rerun |"),
        (
            check("p99", replace(ABOUT, low=None, high=None), Outcome.UNCLEAR),
            "(not bounded by so few rounds) | ⚠️ unclear |",
        ),
        (check("p99", replace(SLOWER, high=None), Outcome.FAILED), "(+18.0% or more) | ❌ **worse** |"),
        # No digit is rounded off that decides.
        (
            check("p99", replace(ABOUT, low=1.0002), Outcome.PASSED),
            "(+0.02% to +24.0%) | worse, not more than allowed |",
        ),
        (check("p99", replace(SLOWER, low=1.1503), Outcome.FAILED), "(+15.03% to +24.0%) | ❌ **worse** |"),
    ],
)
def test_a_verdict_agrees_with_its_interval(made: Check, cells: str) -> None:
    assert cells in text(gate(made))


@pytest.mark.parametrize("most", [3_000, 20_000, 65_000])
def test_rows_that_exceed_the_limit_are_left_out_with_their_number(most: int) -> None:
    rows = [check("mean", SLOWER, Outcome.FAILED, f"operation {number} 🐌") for number in range(3_000)]
    made = text(gate(*rows, *(replace(each, change=None) for each in rows), left_out=["x" * 5_000] * 900), most=most)
    assert len(made.encode("utf-16-le")) // 2 <= most
    shown = made.count("❌ **worse**")
    assert f"\n{3_000 - shown:,} rows more in the report." in made
    assert made.endswith("[Report and results](https://ci.example/1)")
    assert "and 3,880 more" in made
    assert shown > 0 or most == 3_000


def test_names_from_outside_are_neither_markup_nor_mentions() -> None:
    made = text(gate(check("mean", SLOWER, Outcome.FAILED, "a|b <img> @team `x`")))
    row = next(line for line in made.splitlines() if "worse" in line)
    assert row.startswith("| a\\|b \\<img\\> @\u200bteam \\`x\\` |")


def test_several_contenders_have_a_column() -> None:
    other = replace(check("throughput", SAME), series=replace(WHOLE, contender="cart"))
    made = text(gate(check("throughput", SAME), other))
    assert "| measured | operation |" in made and "| cart · default · 10 | all |" in made


@pytest.mark.parametrize(
    ("made", "sentence", "verdict"),
    [
        (gate(check("throughput", FEWER, Outcome.FAILED)), "shop serves 11.0% fewer requests per second.", "failed"),
        (gate(check("mean", SLOWER, Outcome.FAILED, "list")), "list takes 21.0% longer on average.", "failed"),
        (gate(check("p99", SLOWER, Outcome.FAILED, "list")), "p99 of list is 21.0% higher.", "failed"),
        (
            gate(check("p99", SLOWER, Outcome.UNCLEAR)),
            "Nothing is shown to be worse than allowed; 1 check of shop is unclear.",
            "unclear",
        ),
        (
            gate(check("throughput", SAME), check("p99", FASTER)),
            "Nothing was measured as worse than allowed: 2 figures compared.",
            "passed",
        ),
        (
            gate(check("mean", ABOUT, Outcome.UNCLEAR, "list")).with_unclear("fail"),
            "list: mean is unclear, which is not allowed.",
            "failed",
        ),
        (
            gate(replace(check("errors", None, Outcome.FAILED), words="30 of 100 requests failed (30%; allowed 1%)")),
            "shop: 30 of 100 requests failed.",
            "failed",
        ),
        (gate(), "Nothing could be compared.", "undecided"),
        (Gate([], ["why"], nothing_before=True), "Nothing could be compared: the base could not be measured.", "new"),
        (
            gate(replace(check("p99", SLOWER, Outcome.UNCLEAR), stale_baseline=True)),
            "The machine was slower than for the baseline, so this gate is undecided.",
            "undecided",
        ),
    ],
)
def test_the_decision_in_a_sentence(made: Gate, sentence: str, verdict: str) -> None:
    assert (sentence_of(made), verdict_of(made)) == (sentence, verdict)
    assert len(sentence.split()) <= 25


def test_the_change_is_that_of_the_contender_that_lost_the_most() -> None:
    assert (
        change_of(gate(check("throughput", SAME), check("throughput", FEWER), check("p99", SLOWER))) == FEWER.ratio - 1
    )
    assert change_of(gate(check("p99", SLOWER))) is None


def test_a_gate_without_figures_has_no_table() -> None:
    assert "|" not in text(gate(left_out=["nothing"]))
    assert short_markdown("A", "⚠️", "It was cancelled.", None) == "### ⚠️ A\n\nIt was cancelled."


def test_code_quality_has_what_is_not_simply_well() -> None:
    issues = json.loads(code_quality_of(MIXED, "shop/bakeoff.toml"))
    assert [(each["check_name"], each["severity"]) for each in issues] == [
        ("bakeoff mean", "major"),
        ("bakeoff p99", "info"),
        ("bakeoff errors", "major"),
    ]
    assert len({each["fingerprint"] for each in issues}) == 3
    assert issues[0]["location"] == {"path": "shop/bakeoff.toml", "lines": {"begin": 1}}
    assert json.loads(code_quality_of(MIXED, "shop/bakeoff.toml")) == issues
