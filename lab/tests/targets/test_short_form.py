"""Commands as texts: the shell of a service makes way for it, and values of placeholders are single words."""

import subprocess

import pytest

from bakeoff.targets.short_form import filled_command, shell_command


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("node x", "exec node x"),
        ("A=1 node x", "A=1 exec node x"),
        ("A=1 exec node x", "A=1 exec node x"),
        (" exec node x", " exec node x"),
        (" A=1 node x", " A=1 exec node x"),
        ("execute x", "exec execute x"),
        (r"A=a\ b node x", r"A=a\ b exec node x"),
        ('A=\'a b\'c B="d \\" e" node x', 'A=\'a b\'c B="d \\" e" exec node x'),
        ("cd app && node x", "cd app && node x"),
    ],
)
def test_the_shell_makes_way_for_a_single_command(text: str, run: str) -> None:
    assert shell_command(text, is_service=True) == ["/bin/sh", "-ec", run]
    assert shell_command(text) == ["/bin/sh", "-ec", text]


VALUE = "/my project/it's $HOME `\"\\"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{state}/notes.db", [f"{VALUE}/notes.db"]),
        ('"{state}/notes.db" x', [f"{VALUE}/notes.db", "x"]),
        ("'{state}/notes.db' x", [f"{VALUE}/notes.db", "x"]),
        ("""'\\' {state} "it's {state}" x""", ["\\", VALUE, f"it's {VALUE}", "x"]),
        (r"\"{state}\"", [f'"{VALUE}"']),
        ('"$(echo a; printf %s "{state}")" x', ["a", VALUE, "x"]),
        ("\"$(printf %s {state}; printf %s '{state}')\" x", [VALUE + VALUE, "x"]),
        ("{unknown} '{unknown}'", ["{unknown}", "{unknown}"]),
    ],
)
def test_a_shell_reads_a_value_as_it_is(text: str, words: list[str]) -> None:
    command = filled_command(shell_command(f"printf '%s\\n' {text}"), fill)
    assert subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.splitlines() == words


def test_an_argument_of_a_program_has_the_value_as_it_is() -> None:
    assert filled_command(["serve", "{state}/x"], fill) == ["serve", f"{VALUE}/x"]


def fill(text: str) -> str:
    return text.replace("{state}", VALUE)
