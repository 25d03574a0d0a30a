"""Overlays in workload.toml: what is refused when it is loaded, with file and line, and what they leave as it was."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload
from checkouts import new_project

NOTES = Path(__file__).parents[1] / "end_to_end" / "notes"
OVERLAY = '[overlays.partitioned]\nsql = "overlays/partitioned.sql"\nwhen = "before-schema"\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Project:
    """A checkout with the tests' own workload, which has an overlay."""
    checkout = new_project(tmp_path)
    shutil.copytree(NOTES, tmp_path / "contract" / "notes")
    return checkout


def refusal(checkout: Project, before: str, after: str) -> str:
    """Why workload.toml is refused with a text of it replaced."""
    file = checkout.root / "contract" / "notes" / "workload.toml"
    text = file.read_text("utf-8")
    assert before in text
    file.write_text(text.replace(before, after), "utf-8")
    with pytest.raises(UsageError) as refused:
        load_workload(checkout, "notes")
    return refused.value.message


def test_an_overlay_has_a_file_a_time_and_extensions(project: Project) -> None:
    overlays = load_workload(project, "events").overlays
    assert list(overlays) == ["partitioned", "distributed"]
    assert all(each.file.is_file() for each in overlays.values())
    assert [(each.before_schema, list(each.extensions)) for each in overlays.values()] == [
        (True, []),
        (False, ["citus"]),
    ]
    assert [len(each.files) for each in overlays.values()] == [1, 2]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("overlays/partitioned.sql", "partitoned.sql", r'line \d+: sql = "partitoned\.sql", but there is no such file'),
        (
            'when = "before-schema"',
            'when = "before-schema"\ndurability = "nodes.sql"',
            r'line \d+: durability = "nodes\.sql", but there is no such file',
        ),
        ('when = "before-schema"', 'when = "instead"', r"line \d+: .*instead.* is not one of"),
        (
            'database = "postgresql"',
            'database = "none"',
            r'line \d+: an overlay lays out tables, and database = "none"',
        ),
        ('reset = "reset.sql"\n', "", r"line \d+: an overlay needs reset"),
        (
            'schema = "schema.sql"',
            "",
            r'line \d+: there is no schema that it could follow: write when = "before-schema"',
        ),
        ("[overlays.partitioned]", "[overlays.Partitioned]", "does not match"),
        ('when = "before-schema"', 'wen = "before-schema"', "no key wen. Did you mean when"),
    ],
)
def test_what_could_not_be_applied_is_refused(checkout: Project, before: str, after: str, words: str) -> None:
    if "follow" in words:
        file = checkout.root / "contract" / "notes" / "workload.toml"
        file.write_text(file.read_text("utf-8").replace("before-schema", "after-schema"), "utf-8")
    message = refusal(checkout, before, after)
    assert re.search(words, message), message
    assert "workload.toml" in message


def test_the_line_is_that_of_the_overlay(checkout: Project) -> None:
    text = (checkout.root / "contract" / "notes" / "workload.toml").read_text("utf-8")
    line = text[: text.index("[overlays.partitioned]")].count("\n") + 2
    assert f"line {line}: sql" in refusal(checkout, "overlays/partitioned.sql", "elsewhere.sql")


def test_a_new_overlay_changes_nothing_that_is_measured_without_it(project: Project) -> None:
    events = load_workload(project, "events")
    without = Workload("events", events.directory, msgspec.structs.replace(events.declared, overlays={}))
    assert events.digest == without.digest
    assert replace(without).overlays == {}
