"""`bakeoff test` in a project with two checks of its own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bakeoff.cli import test as command
from bakeoff.cli.app import app
from bakeoff.project import Project

CHECKS = """
toolchains = {}
[[checks]]
name = "long"
directory = "."
command = ["sh", "-c", "seq 20; echo FAILED some_test; echo 1 failed; exit 1"]
inputs = ["."]
[[checks]]
name = "short"
directory = "."
command = ["echo", "well"]
inputs = ["."]
"""


def test_the_last_lines_name_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "checks.toml").write_text(CHECKS, "utf-8")
    monkeypatch.setattr(command, "own_checkout", lambda: Project(tmp_path))
    done = CliRunner().invoke(app, ["test"])
    assert done.exit_code == 1
    before, _, after = done.output.partition("checks: 1 passed, 1 failed, 0 skipped\n")
    assert "--- short\nwell\n" in before
    assert after == "--- long\n17\n18\n19\n20\nFAILED some_test\n1 failed\n"
