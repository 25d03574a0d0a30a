"""A crash of PostgreSQL under load shows whether what a target acknowledged was durable."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import durability_proof
from bakeoff.comparing.durability_proof import can_be_proven, prove_durability
from bakeoff.engines.manifest import find_engine
from bakeoff.postgres import embedded
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.run import Durability
from bakeoff.running.contender import Contender
from bakeoff.running.durability_label import durability_facts, judged
from bakeoff.running.service import Service, at_work
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import load_workload
from build_once import build_once

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-go-rest"


@pytest.fixture
def contender(project: Project) -> Contender:
    (target,) = choose_targets(find_targets(project), [TARGET])
    engine = find_engine("native")
    for build in (target.build, engine.build):
        build_once(build)
    return Contender(target, load_workload(project, target.workload), engine)


@pytest.fixture
def testbed(project: Project, server: Server) -> Testbed:
    return Testbed(project, server, PlainProgress(Console(quiet=True)))


def test_what_was_acknowledged_before_the_crash_is_there_after_it(testbed: Testbed, contender: Contender) -> None:
    proof = prove_durability(testbed, contender)
    assert proof.holds, proof


def test_rows_from_before_the_run_are_not_missed(testbed: Testbed, contender: Contender) -> None:
    proof = prove_durability(testbed, replace(contender, variant=replace(contender.variant, preload=1_000)))
    assert proof.holds, proof


def test_commits_that_do_not_wait_for_the_log_are_lost(
    testbed: Testbed, contender: Contender, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The WAL writer must not run before the crash: flush_after = 0 would wake it at every commit.
    never = "wal_writer_flush_after=2147483647"
    careless = ("synchronous_commit=off", "wal_writer_delay=10s", never, "wal_buffers=128MB")
    kind = embedded.InstanceKind("durability", "application", ("shared_buffers=256MB", *careless))
    monkeypatch.setattr(durability_proof, "CRASHED", kind)
    monkeypatch.setattr(durability_proof, "at_work", _with_the_schema_on_disk)
    proof = prove_durability(testbed, contender)
    assert not proof.holds
    assert proof.lost > 0
    assert testbed.server is not None
    label, (finding,) = judged(durability_facts(testbed.server), [], proof)
    assert label is Durability.NOT_DURABLE
    assert f"{proof.lost:,} of {proof.acknowledged:,} acknowledged operations were lost" in finding.message


@contextmanager
def _with_the_schema_on_disk(testbed: Testbed, *rest: Any) -> Iterator[Service]:
    """Nothing is forced to disk in that test: without this the tables would be lost as well."""
    with at_work(testbed, *rest) as service:
        assert testbed.server is not None
        testbed.server.checkpoint()
        yield service


def test_a_database_that_is_not_the_labs_own_is_not_crashed(testbed: Testbed, contender: Contender) -> None:
    assert can_be_proven(testbed, contender)
    assert testbed.server is not None
    assert not can_be_proven(replace(testbed, server=replace(testbed.server, embedded=False)), contender)
    assert not can_be_proven(replace(testbed, attached={TARGET: Access("127.0.0.1", 1)}), contender)
