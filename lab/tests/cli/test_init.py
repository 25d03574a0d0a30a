"""`./bakeoff init --full`: what it prints, and how it refuses."""

from pathlib import Path

import pytest
from bakeoff_process import bakeoff

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.errors import UsageError
from bakeoff.project import PROJECT_FILE, PROJECT_VARIABLE, Project


def test_the_command_explains_every_file_and_what_to_do_next(
    empty_checkout: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PROJECT_VARIABLE, str(empty_checkout.root))
    monkeypatch.chdir(empty_checkout.root)

    make_project(InitOptions(["users", "https://api.example:9090"], full=True, protocol="grpc", database="postgresql"))

    printed = capsys.readouterr().out
    lines = printed.splitlines()
    for path in [
        *(empty_checkout.root / "contract" / "users").rglob("*.*"),
        *(empty_checkout.root / "targets").rglob("*.toml"),
    ]:
        (line,) = [line for line in lines if line.startswith(empty_checkout.relative(Path(path)))]
        assert len(line.split("  ")[-1]) > 5
    assert "DATABASE_URL=postgresql://… ./bakeoff run smoke --attach users-grpc=https://api.example:9090" in printed
    assert "./bakeoff run smoke --target users-grpc" in printed


@pytest.mark.parametrize("is_named", [False, True])
def test_folders_are_named_by_a_new_file_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_named: bool
) -> None:
    monkeypatch.delenv(PROJECT_VARIABLE)
    monkeypatch.chdir(tmp_path)
    if is_named:
        monkeypatch.setenv(PROJECT_VARIABLE, ".")

    with pytest.raises(UsageError, match="not a workload name"):
        make_project(InitOptions(["My Users"], full=True))
    assert not (tmp_path / "bakeoff.toml").exists()
    make_project(InitOptions(["users"], full=True, database="none"))

    assert (tmp_path / "bakeoff.toml").read_text("utf-8").startswith("[folders]\n")
    assert "contract/users/workload.toml" in capsys.readouterr().out
    assert (tmp_path / "targets" / "users" / "rest" / "target.toml").is_file()


def test_the_name_is_that_of_the_folder_by_whichever_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop" / "inner").mkdir(parents=True)
    monkeypatch.setenv(PROJECT_VARIABLE, str(tmp_path / "shop" / "inner" / ".."))
    make_project(InitOptions([]))
    assert "[targets.shop]" in (tmp_path / "shop" / PROJECT_FILE).read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["init", "--full", "My Users"], '"My Users" is not a workload name: use lower-case letters, digits'),
        (["init", "--full", "events"], "contract/events already exists and was not changed"),
        (["init", "--full", "users", "--protocol", "soap"], '--protocol is "soap": use rest or grpc'),
        (["init", "--full", "users", "http://"], '"http://" is not an address of a target'),
        (["init", "users"], "bakeoff.toml exists and was not changed"),
    ],
)
def test_mistakes_are_named_and_write_nothing(
    project: Project, tmp_path: Path, arguments: list[str], words: str
) -> None:
    before = sorted((project.root / "contract").iterdir())

    done = bakeoff(project, *arguments, results=tmp_path / "results")

    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert sorted((project.root / "contract").iterdir()) == before
