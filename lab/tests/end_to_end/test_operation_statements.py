"""What each operation of a target sends to PostgreSQL is counted one request at a time, and kept beside it."""

import re

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.project import Project, prepare_state
from bakeoff.targets.manifest import Target
from bakeoff.targets.statements_file import stated
from shelf import add_shelf, postgresql

pytestmark = pytest.mark.end_to_end

READ = '        rows = self.store.run("SELECT id, title FROM books WHERE id = ?", number)\n'
TWICE = READ + READ


@pytest.fixture
def target(measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> Target:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("BAKEOFF_PROJECT", str(measuring_checkout.root))
    prepare_state(measuring_checkout)
    return add_shelf(measuring_checkout, postgresql())


def conform(use: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["conform", "shelf-rest", "--statements", use])
    return done.exit_code, done.output


def test_an_operation_that_sends_more_than_is_kept_fails(target: Target) -> None:
    status, output = conform("write")
    assert status == 0, output
    assert {name: (each.statements, each.rows) for name, each in stated(target).items()} == {
        "Create": (1, 1),
        "Read": (1, 1),
    }
    status, output = conform("check")
    assert status == 0, output
    api = target.directory / "shelf_api.py"
    text = api.read_text("utf-8")
    assert READ in text
    api.write_text(text.replace(READ, TWICE), "utf-8")
    status, output = conform("check")
    assert status == 1
    assert "Read: 2 statements in" in output
    # A busy machine may add a round trip to all requests of one count, and to none of the next.
    assert re.findall(r"Create: (\d+) statement", output) in ([], ["1"])
