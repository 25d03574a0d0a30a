"""The badge of a report: a word and the two gravest reasons."""

from dataclasses import replace

import pytest

from bakeoff.judging.judgement import Judgement
from bakeoff.reporting.trust import trust_of
from bakeoff.results.finding_kinds import TOO_FEW_ROUNDS
from bakeoff.results.findings import JudgedFinding, KindName, Severity
from judgements import comparison


def judged(*severities: Severity, rounds: int = 5) -> Judgement:
    """A judgement with a finding of each severity."""
    judgement, _ = comparison()
    findings = [
        JudgedFinding(KindName(f"kind-{number}"), severity, "Something.", "Look.")
        for number, severity in enumerate(severities, start=1)
    ]
    bare = [replace(each, findings=[]) for each in judgement.contenders]
    return replace(judgement, findings=findings, contenders=bare, rounds=rounds)


@pytest.mark.parametrize(
    ("judgement", "level", "reasons"),
    [
        (judged(), "high", []),
        (judged("info"), "high", []),
        (judged("warning"), "limited", ["kind 1"]),
        (judged("warning", "error", "warning"), "low", ["kind 2", "kind 1"]),
        (judged("warning", rounds=2), "low", ["only 2 rounds", "kind 1"]),
    ],
    ids=["none", "info", "warning", "error", "few rounds"],
)
def test_the_gravest_reasons_decide(judgement: Judgement, level: str, reasons: list[str]) -> None:
    trust = trust_of(judgement)
    assert (trust.level, trust.reasons) == (level, reasons)


def test_too_few_rounds_are_one_reason() -> None:
    few = JudgedFinding(KindName(TOO_FEW_ROUNDS.name), "warning", "1 round cannot.", "Take 5.")
    assert trust_of(replace(judged(rounds=1), findings=[few])).reasons == ["only 1 round"]
