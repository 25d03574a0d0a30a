"""An experiment with scenarios on the command line."""

from pathlib import Path

import pytest

from bakeoff.cli.run.request import RunOptions, request_of, requests_of
from bakeoff.errors import UsageError
from bakeoff.project import Project

FILE = """\
version = 1
name = "pair"
question = "Which of two?"
mode = "count"
requests = 100

[[scenarios]]
name = "few"
users = [5]

[[scenarios]]
name = "many"
users = [50]
"""


@pytest.fixture
def options(tmp_path: Path) -> RunOptions:
    path = tmp_path / "pair.toml"
    path.write_text(FILE)
    return RunOptions(str(path), "./bakeoff run pair.toml", {"requests": 20})


def test_flags_hold_for_every_scenario(project: Project, options: RunOptions) -> None:
    found = requests_of(project, options)
    assert {name: [phase.name for phase in each.phases] for name, each in found.items()} == {
        "few": ["20 requests, 5 users"],
        "many": ["20 requests, 50 users"],
    }
    assert {each.command for each in found.values()} == {"./bakeoff run pair.toml"}


def test_what_takes_one_comparison_refuses_several(project: Project, options: RunOptions) -> None:
    with pytest.raises(UsageError, match=r"pair\.toml has 2 scenarios, and this takes one comparison"):
        request_of(project, options)


def test_a_mode_is_one_comparison_without_a_name(project: Project) -> None:
    assert list(requests_of(project, RunOptions("smoke", "./bakeoff run smoke"))) == [""]
