"""`./bakeoff doctor`: its exit status, and colours."""

import io
import sys
from collections.abc import Sequence
from contextlib import nullcontext

import pytest
import typer

from bakeoff.cli import doctor as command
from bakeoff.doctor import examination
from bakeoff.doctor.diagnosis import Diagnosis, State


@pytest.mark.parametrize(
    ("states", "status"), [([State.OK, State.UNKNOWN, State.COSTLY], 0), ([State.OK, State.WRONG], 1)]
)
def test_only_what_makes_results_wrong_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], states: Sequence[State], status: int
) -> None:
    found = [Diagnosis(f"check {number}", state, "found", "cost", "repair") for number, state in enumerate(states)]
    monkeypatch.setattr(examination, "examine", lambda _project: iter(found))
    with pytest.raises(typer.Exit) if status else nullcontext():
        command.doctor()
    said = capsys.readouterr()
    assert all(each.subject in said.out for each in found)
    assert f"1 {states[-1]}" in said.err


class Terminal(io.StringIO):
    """An output that takes colours."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(examination, "examine", lambda _project: iter([Diagnosis("cores", State.OK, "2")]))
    command.doctor()
    assert ("\x1b" in terminal.getvalue()) == coloured
    assert "cores" in terminal.getvalue()


def test_a_terminal_breaks_it_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "a long sentence about the machine, which says what it does to figures " * 3
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(
        examination, "examine", lambda _project: iter([Diagnosis("check", State.COSTLY, sentence, sentence, sentence)])
    )
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    command.doctor()
    lines = terminal.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(" ") for line in lines)
    assert "".join(terminal.getvalue().split()).count("".join(sentence.split())) == 3
