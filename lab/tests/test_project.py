"""Which project a command is about, and what a person reads where there is none or another one."""

import os
from pathlib import Path

import pytest

from bakeoff.cli import doctor as doctor_command
from bakeoff.cli import main
from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.project import (
    EDITOR_SCHEMA,
    FALLBACK_VARIABLE,
    IGNORE_FILE,
    PROJECT_FILE,
    PROJECT_VARIABLE,
    Project,
    find_project,
    hidden_project,
    tool,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in no project."""
    monkeypatch.delenv(PROJECT_VARIABLE)
    monkeypatch.delenv(FALLBACK_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "outer" / "inner"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_without_a_project_the_message_names_init(folder: Path) -> None:
    with pytest.raises(NotFoundError, match=rf"no bakeoff.toml in {folder} or a folder above it. Type .*bakeoff init"):
        find_project()


def test_doctor_needs_no_project(folder: Path) -> None:
    assert doctor_command._project() == tool()
    (folder / PROJECT_FILE).touch()
    assert doctor_command._project().root == folder


@pytest.mark.parametrize(
    ("named", "words"),
    [("missing", "missing, which is no folder"), (".", "inner is no project: it has no bakeoff.toml. Type .* init")],
)
def test_a_named_folder_without_a_project_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, named: str, words: str
) -> None:
    (folder.parent / PROJECT_FILE).touch()
    monkeypatch.setenv(PROJECT_VARIABLE, str(folder / named))
    with pytest.raises(BakeoffError, match=words):
        find_project()


def test_of_two_projects_the_nearest_is_meant_and_a_mistake_names_both(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / PROJECT_FILE).touch()
    assert find_project().root == folder.parent
    assert hidden_project() is None
    (folder / PROJECT_FILE).touch()
    assert find_project().root == folder
    monkeypatch.setattr("sys.argv", ["bakeoff", "targets", "nowhere"])
    with pytest.raises(SystemExit):
        main.main()
    assert capsys.readouterr().err.endswith(
        f'"nowhere". Targets: none.\nThe project is {folder / PROJECT_FILE}. Another one lies above it: --project '
        f"{folder.parent}.\n"
    )
    monkeypatch.setenv(PROJECT_VARIABLE, str(folder))
    assert hidden_project() is None


@pytest.mark.parametrize("named", ["inner/../inner", "link", f"link/{PROJECT_FILE}"])
def test_a_project_is_the_same_by_whichever_path(folder: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    (folder / PROJECT_FILE).touch()
    (folder.parent / "link").symlink_to(folder)
    path = folder.parent / named
    monkeypatch.setenv(PROJECT_VARIABLE, str(path))
    assert find_project() == Project(folder)
    monkeypatch.delenv(PROJECT_VARIABLE)
    monkeypatch.chdir(folder.parent / "link")
    assert find_project() == Project(folder)


def test_the_schema_for_editors_follows_the_lab(folder: Path) -> None:
    (folder / PROJECT_FILE).touch()
    schema = find_project().state / EDITOR_SCHEMA
    current = schema.read_text("utf-8")
    (schema.parent.parent / IGNORE_FILE).write_text("!kept\n")
    schema.write_text("of an earlier version")
    assert (find_project().state / EDITOR_SCHEMA).read_text("utf-8") == current
    assert (schema.parent.parent / IGNORE_FILE).read_text() == "!kept\n", "a file of the user's own"


def test_a_read_only_checkout_is_one_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / PROJECT_FILE).touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    # Root may write into any folder.
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(BakeoffError, match=r"\.bakeoff cannot be written: Permission denied\. .* make the folder"):
        find_project()
