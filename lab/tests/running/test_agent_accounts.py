from dataclasses import replace
from typing import Any

import pytest

from bakeoff.results.audit import Audit, Violations
from bakeoff.results.finding_kinds import COUNTS_DISAGREE, VOIDING
from bakeoff.running.agent_accounts import AgentAccounts

NAMES = ["agent 1 of 2", "agent 2 of 2 (ssh://b)"]
ACCOUNTS = AgentAccounts(
    names=NAMES,
    agents=[40, 60],
    merged=100,
    with_effect=100,
    at_most=False,
    begun_apart_ns=1_500_000,
    clocks=["+0.01 ms ± 0.05", "+1200000.00 ms ± 0.40"],
    deletes=False,
    is_one_here=False,
)
AUDIT = Audit(acknowledged_operations=100, entities=70, rows=70)


def problems(accounts: AgentAccounts, audit: Audit | None, preloaded: int = 0) -> list[str]:
    found = accounts.findings(audit, preloaded)
    assert {finding.kind for finding in found} <= {COUNTS_DISAGREE.name}
    return [finding.message for finding in found]


def test_counts_that_agree() -> None:
    assert COUNTS_DISAGREE.name in VOIDING
    assert problems(ACCOUNTS, AUDIT) == []
    assert problems(ACCOUNTS, None) == []


@pytest.mark.parametrize(
    ("changes", "audit", "words"),
    [
        ({"merged": 99}, {}, "the agents acknowledged 100 operations, the merged stream 99"),
        ({}, {"acknowledged_operations": 99}, "100 acknowledged operations changed something, and the ledgers hold 99"),
        ({"at_most": True}, {"acknowledged_operations": 101}, "and the ledgers hold 101"),
        ({}, {"rows": 71}, "the ledgers hold 70 distinct keys, and the table 71 rows"),
    ],
)
def test_counts_that_disagree(changes: dict[str, Any], audit: dict[str, Any], words: str) -> None:
    (found,) = problems(replace(ACCOUNTS, **changes), replace(AUDIT, **audit))
    assert words in found


@pytest.mark.parametrize(
    ("changes", "audit", "preloaded"),
    [
        ({"at_most": True}, {"acknowledged_operations": 99}, 0),
        ({"with_effect": None}, {"acknowledged_operations": 3}, 0),
        ({"deletes": True}, {"rows": 60}, 0),
        ({}, {"rows": 170}, 100),
        ({}, {"rows": 71, "unacknowledged_operations": 1}, 0),
        ({}, {"rows": 71, "unexplained_rows": Violations(1)}, 0),
        ({}, {"rows": 0, "through": "read"}, 0),
        ({}, {"rows": 69, "clean": False}, 0),
        ({}, {"acknowledged_operations": 9, "ledger_complete": False}, 0),
    ],
)
def test_counts_that_may_differ(changes: dict[str, Any], audit: dict[str, Any], preloaded: int) -> None:
    assert problems(replace(ACCOUNTS, **changes), replace(AUDIT, **audit), preloaded) == []


def test_what_is_recorded_and_shown() -> None:
    assert ACCOUNTS.facts() == {
        "agents_acknowledged": "agent 1 of 2: 40, agent 2 of 2 (ssh://b): 60",
        "agents_clock_offset": "agent 1 of 2: +0.01 ms ± 0.05, agent 2 of 2 (ssh://b): +1200000.00 ms ± 0.40",
        "agents_start_spread": "1.500 ms",
    }
    assert ACCOUNTS.line(AUDIT) == (
        "acknowledged by 2 agents 100, merged 100, in the ledgers 100; distinct keys 70, rows 70; "
        "starts 1.50 ms apart, clocks +0.01 ms ± 0.05, +1200000.00 ms ± 0.40"
    )
    assert "no ledgers" in ACCOUNTS.line(None)
    pod = replace(ACCOUNTS, names=["agent 1 of 1 (pod)"], agents=[100])
    assert pod.line(AUDIT).startswith("acknowledged by 1 agent 100, merged 100")
    assert replace(ACCOUNTS, is_one_here=True).facts() == {}
