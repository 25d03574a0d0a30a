"""Whether builds of images are sent the lab's own files."""

from pathlib import Path

import pytest

from bakeoff.containers.build_context import advice_on_context
from bakeoff.project import Project
from made_up_manifests import image_build


@pytest.mark.parametrize(
    ("ignored", "is_sent"),
    [
        (None, True),
        ("node_modules\n# .bakeoff\n", True),
        (".bakeoff", False),
        ("dist\n**/.bakeoff/\n", False),
        ("/.bakeoff\n", False),
        ("*\n!src\n", False),
        (".*\n", False),
    ],
)
def test_results_are_left_out_by_the_ignore_file(tmp_path: Path, ignored: str | None, is_sent: bool) -> None:
    if ignored is not None:
        (tmp_path / ".dockerignore").write_text(ignored)
    advice = advice_on_context(Project(tmp_path), [image_build(tmp_path)])
    assert (advice is not None) == is_sent
    assert advice is None or "add **/.bakeoff to .dockerignore" in advice


def test_without_images_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert advice_on_context(Project(tmp_path), []) is None
