"""Help of commands with many options: the usual ones fit a screen, and --help-all shows every one."""

import re

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app, command_line

COMMANDS = [
    [name, *inner]
    for name, command in command_line().commands.items()
    for inner in [[], *([each] for each in getattr(command, "commands", ()))]
]


@pytest.mark.parametrize("command", ["run", "plan", "gate"])
def test_the_usual_options_fit_a_screen(command: str) -> None:
    lines = CliRunner().invoke(app, [command, "--help"], terminal_width=80).stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("  -") for line in lines) == 12, "ten options, --help-all and --help"


@pytest.mark.parametrize("command", ["run", "plan", "gate"])
def test_every_option_is_shown_on_request(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help-all"], terminal_width=200).stdout
    names = [name for each in command_line().commands[command].params for name in each.opts if name.startswith("--")]
    assert [name for name in names if f"{name} " not in shown and f"{name}," not in shown] == []


def test_options_without_a_group_come_last() -> None:
    lines = CliRunner().invoke(app, ["run", "--help-all"]).stdout.splitlines()
    assert [line.rstrip(":") for line in lines if line[:1].isalpha()][1:] == [
        *("Arguments", "Targets", "Load", "Messages", "Connections", "Database", "Placement", "Results", "Options"),
    ]


@pytest.mark.parametrize("words", [[], ["runs"]])
def test_the_list_of_commands_fits_a_screen_without_a_cut_sentence(words: list[str]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], terminal_width=80).stdout
    assert re.search(r"[\w,]\.\.\.", shown) is None
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_values_and_ranges_are_in_words(words: list[str]) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], terminal_width=80).stdout
    assert re.findall(r"<[^ >]*(?: range)?>|[<>]=|x<|x>", shown) == []
    assert max(map(len, shown.splitlines())) <= 80
