"""How errors of every kind leave the command line: in words, with a status, and never as a traceback."""

import errno
import io
from pathlib import Path
from typing import Any

import pytest

from bakeoff import project as project_module
from bakeoff.cli import main, targets
from bakeoff.cli.output import say
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project


def leave_with(error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(targets, "find_project", fail)
    monkeypatch.setattr("sys.argv", ["bakeoff", "targets"])
    with pytest.raises(SystemExit) as left:
        main.main()
    return left.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (BakeoffError("it broke. Repair it."), 1, "bakeoff: it broke. Repair it.\n"),
        (UsageError("no such thing."), 2, "bakeoff: no such thing.\n"),
        (KeyboardInterrupt(), 130, "bakeoff: interrupted; completed runs are stored.\n"),
        (OSError(errno.ENOSPC, "No space left on device"), 1, "bakeoff: the disk is full. Free some space"),
        (PermissionError(errno.EACCES, "denied", "/a/file"), 1, "bakeoff: /a/file: permission denied. Make it"),
        (OSError(errno.EROFS, "read-only", "/a/file"), 1, "bakeoff: /a/file: the file system is read-only. Work in"),
    ],
)
def test_known_errors(
    error: BaseException,
    status: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, said = leave_with(error, monkeypatch, capsys)
    assert code == status
    assert said.startswith(words)
    assert "Traceback" not in said


def test_an_unexpected_error_is_kept_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(project_module, "find_project", lambda: Project(tmp_path))
    code, said = leave_with(ZeroDivisionError("division by zero"), monkeypatch, capsys)
    log = tmp_path / ".bakeoff" / "logs" / "unexpected-error.log"
    assert code == 1
    assert (
        f"unexpected ZeroDivisionError: division by zero. This is a fault of bakeoff's own: please report it with {log}"
        in said
    )
    assert "Traceback" in log.read_text()


def test_not_even_a_log_that_cannot_be_written_shows_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / ".bakeoff").write_text("a file where a folder should be")
    monkeypatch.setattr(project_module, "find_project", lambda: Project(tmp_path))
    code, said = leave_with(ZeroDivisionError("division by zero"), monkeypatch, capsys)
    assert (code, said) == (1, "bakeoff: unexpected ZeroDivisionError: division by zero.\n")


def test_a_message_is_broken_between_words_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr", terminal)
    say("Another bakeoff is running in this project. Wait until it ends.")
    assert terminal.getvalue() == "Another bakeoff is running in this\nproject. Wait until it ends.\n"
