"""The benchmark of numbered merges leaves out the numbers and nothing else."""

import importlib

import pytest

from bakeoff.project import Project
from bakeoff.workload.loader import load_workload


def test_each_operation_that_numbers_merges_has_one_without(
    clone: Project, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(clone.root / "lab" / "benchmarks")
    side_by_side_of = importlib.import_module("merge_audit").side_by_side_of
    operations = load_workload(project, "events").declared.operations
    numbered = {each.name: each for each in operations if "${merge}" in (each.message or "")}
    declared = side_by_side_of("ingest-rest", "events", operations)
    assert set(declared.sides[0].send) == set(numbered)
    assert set(declared.sides[1].send) == {each.name for each in declared.operations}
    for plain in declared.operations:
        original = numbered[plain.name.removesuffix("WithoutNumbers")]
        assert original.message is not None
        assert plain.message == original.message.replace('"m${merge}":${merge_value},\n', "\n")
        assert plain.effect == original.effect
    assert len({server.database for server in declared.servers}) == 2
