"""Paths as messages show them: as a person types them in the current folder."""

from pathlib import Path

import pytest

from bakeoff.project import Project, path_here


@pytest.mark.parametrize(
    ("current", "shown"),
    [
        (".", "gallery/.bakeoff/results"),
        ("gallery", ".bakeoff/results"),
        ("elsewhere", "{root}/gallery/.bakeoff/results"),
    ],
)
def test_results_are_shown_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, current: str, shown: str
) -> None:
    monkeypatch.delenv("BAKEOFF_RESULTS", raising=False)
    for folder in ("gallery", "elsewhere"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / current)
    assert path_here(Project(tmp_path / "gallery").results) == shown.format(root=tmp_path)
