"""Each function that makes a finding gives exactly the values that the texts of its kind name."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import bakeoff
from bakeoff.results import finding_kinds
from bakeoff.results.finding_kinds import KINDS, VOIDING
from bakeoff.results.findings import FindingKind

ENTRIES = {name: entry for name, entry in vars(finding_kinds).items() if isinstance(entry, FindingKind)}
# Chosen by what was measured, and then made.
CHOSEN = {"MANY_ERRORS", "ERRORS", "CONTENDER_DRIFT", "ATTACHED_DRIFT"}
BOTTLENECKS = {"CPU_BOUND", "DATABASE_BOUND", "POOL_BOUND", "MACHINE_BOUND", "LOAD_BOUND"}


def values_of(entry: FindingKind) -> set[str]:
    """The measured values that its texts name."""
    parts = [part for text in (entry.message, entry.advice) for part in Formatter().parse(text)]
    return {field for _, field, _, _ in parts if field and not field.isdecimal()}


def calls() -> Iterator[tuple[str, ast.Call]]:
    """The calls in the lab that are a function's name and its arguments, the name in dots."""
    for path in sorted(Path(bakeoff.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func), node


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_texts_and_limits_fit(entry: FindingKind) -> None:
    made = entry(**dict.fromkeys(values_of(entry), 1))
    assert (made.kind, made.severity) == (entry.name, entry.severity)
    assert bool(entry.limits.words) == bool(entry.limits)
    assert "{" not in made.message + made.advice + entry.limits.words.format(*entry.limits)


def test_every_entry_is_made_with_the_values_that_its_texts_name() -> None:
    made = CHOSEN | BOTTLENECKS
    for called, call in calls():
        name = called.removeprefix("kinds.").removesuffix(".judged")
        if called.startswith("kinds.") and name in ENTRIES:
            given = {keyword.arg for keyword in call.keywords}
            needed = values_of(ENTRIES[name])
            assert given - {None} <= needed if None in given else given == needed, name
            made.add(name)
    assert made == ENTRIES.keys()


def test_only_a_kind_makes_a_finding() -> None:
    """A function that groups the findings of several runs keeps their kind."""
    assert sum(called in ("Finding", "JudgedFinding") for called, _ in calls()) == 3


def test_kinds_that_void_a_run() -> None:
    assert set(VOIDING) == {"audit-failed", "wrong-reads", "counts-disagree"}
    assert set(VOIDING) < KINDS.keys()
