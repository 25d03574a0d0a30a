"""Planted cheats: each is a real process with a real PostgreSQL that does one thing wrong, and `conform` catches it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.preparation import conform
from bakeoff.conformance.case import Profile
from bakeoff.conformance.runner import ConformanceResult
from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload
from checkouts import new_project

pytestmark = pytest.mark.end_to_end

NOTES = Path(__file__).with_name("notes")

MANIFEST = """
version = 1
name = "notes"
workload = "notes"
title = "A target that may cheat"
language = "python"
protocol = "rest"
class = "standard"
[toolchain]
commands = ["python3"]
install = ""
[build]
directory = "."
command = ["true"]
inputs = ["service.py"]
artifact = "service.py"
[run]
command = ["{python}", "{{artifact}}"]
port_variable = "SERVER_PORT"
default_port = 8099
environment = {{ CHEAT = "{cheat}" }}
"""

# Each cheat, and all that may catch it. What is not named here must pass: a check that fails whatever a target does
# would catch nothing.
CAUGHT = {
    "acknowledges-before-commit": {"reply-waits-for-the-commit"},
    "caches-replies": {"same-request-stores-again"},
    "drops-every-thousandth": {"burst-is-stored"},
    "skips-validation": {"id-absent", "attributes-absent"},
    "health-without-database": {"health-asks-the-database"},
    "recognises-the-generator": {"all-clients-are-equal"},
    "unlogged-table": {"tables-are-durable"},
}
# What may fail with it: an acknowledged write that comes late is missed where it is looked up, and an invalid message
# that is accepted is accepted from every client.
ALSO = {
    "acknowledges-before-commit": {
        "note-stored",
        "same-request-stores-again",
        "burst-is-stored",
        "all-clients-are-equal",
        "health-asks-the-database",
    },
    "skips-validation": {"all-clients-are-equal"},
}


PROMISE = "asks_database = true\n"


def notes_checkout(folder: Path) -> Project:
    """A checkout with the workload and the target of this test alone."""
    root = new_project(folder / "a checkout").root
    shutil.copytree(NOTES, root / "contract" / "notes")
    (root / "targets" / "notes").mkdir(parents=True)
    for file in NOTES.iterdir():
        if file.suffix in (".sql", ".py"):
            shutil.copy(file, root / "targets" / "notes")
    return Project(root)


@pytest.fixture
def checkout(server: Server, tmp_path: Path) -> Iterator[Project]:
    yield notes_checkout(tmp_path)
    # Others use this server too, and an unlogged table would count against their durability.
    server.execute_script((NOTES / "reset.sql").read_text("utf-8"))


def checked(checkout: Project, server: Server, cheat: str, overlay: str | None = None) -> ConformanceResult:
    """The outcome of a target that cheats so."""
    (checkout.root / "targets" / "notes" / "target.toml").write_text(
        MANIFEST.format(python=sys.executable, cheat=cheat)
    )
    (target,) = find_targets(checkout)
    testbed = Testbed(checkout, server, PlainProgress(Console(quiet=True)))
    result = conform(testbed, target, load_workload(checkout, "notes"), Variant(overlay=overlay))
    assert len(result.results) == 3 + 6
    assert result.not_applicable == 0
    return result


def failed(checkout: Project, server: Server, cheat: str) -> dict[str, tuple[str, ...]]:
    """The cases and checks that it does not pass, with what differed."""
    result = checked(checkout, server, cheat)
    assert result.conforms(Profile.CORE) is not bool(result.failures)
    return {failure.case: failure.differences for failure in result.failures}


def test_an_honest_target_passes_every_check(checkout: Project, server: Server) -> None:
    assert failed(checkout, server, "") == {}


@pytest.mark.parametrize("cheat", CAUGHT)
def test_a_cheat_is_caught(checkout: Project, server: Server, cheat: str) -> None:
    found = failed(checkout, server, cheat)
    assert found.keys() >= CAUGHT[cheat], found
    assert found.keys() <= CAUGHT[cheat] | ALSO.get(cheat, set()), found


def test_health_is_that_of_the_api_alone_where_the_contract_promises_no_more(checkout: Project, server: Server) -> None:
    workload = checkout.root / "contract" / "notes" / "workload.toml"
    text = workload.read_text("utf-8")
    assert PROMISE in text
    workload.write_text(text.replace(PROMISE, ""), "utf-8")
    result = checked(checkout, server, "health-without-database")
    assert result.proved is Profile.CORE
    assert [failure.case for failure in result.failures] == ["health-asks-the-database"]


def test_an_honest_target_passes_every_check_with_partitions(checkout: Project, server: Server) -> None:
    assert checked(checkout, server, "", "partitioned").failures == ()


def test_an_unlogged_partition_is_caught(checkout: Project, server: Server) -> None:
    (failure,) = checked(checkout, server, "unlogged-partition", "partitioned").failures
    assert failure.case == "tables-are-durable"
    assert "public.notes_odd is unlogged" in " ".join(failure.differences)


def test_a_target_that_lays_out_its_own_table_has_no_overlay(checkout: Project, server: Server) -> None:
    with pytest.raises(BakeoffError, match=r"has dropped public\.notes, public\.notes_even, public\.notes_odd"):
        checked(checkout, server, "own-layout", "partitioned")


def test_an_overlay_that_fails_is_named_with_its_line(checkout: Project, server: Server) -> None:
    overlay = checkout.root / "contract" / "notes" / "overlays" / "partitioned.sql"
    overlay.write_text(
        overlay.read_text("utf-8").replace("notes_odd PARTITION OF notes", "notes_odd PARTITION OF note")
    )
    with pytest.raises(BakeoffError, match=r'partitioned\.sql, \w+ 3: relation "note" does not exist\. Correct it'):
        checked(checkout, server, "", "partitioned")
