"""`./bakeoff init`: what it prints, and how it refuses."""

from pathlib import Path

import pytest
from bakeoff_process import bakeoff

from bakeoff.cli import init
from bakeoff.project import Project


def test_the_command_explains_every_file_and_what_to_do_next(
    empty_checkout: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(init, "find_project", lambda: empty_checkout)

    init.make_workload(init.InitOptions("users", "grpc", "postgresql", "https://api.example:9090"))

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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["init"], "Missing argument"),
        (["init", "My Users"], '"My Users" is not a workload name: use lower-case letters, digits and hyphens'),
        (["init", "events"], "contract/events already exists and was not changed"),
        (["init", "users", "--protocol", "soap"], '--protocol is "soap": use rest or grpc'),
        (["init", "users", "--url", "8080"], '"8080" is not an API address'),
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
