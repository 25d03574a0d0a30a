"""`--payload` with several sizes, and `all`."""

import pytest

from bakeoff.cli.run.request import RunOptions, request_of
from bakeoff.project import Project


@pytest.mark.parametrize(
    ("payload", "levels"),
    [
        ("8k", ["8k"]),
        ("4k, 8k,4k", ["4k", "8k"]),
        ("all", ["4k", "8k", "32k", "64k"]),
        ("default,all", ["default", "4k", "8k", "32k", "64k"]),
    ],
)
def test_several_sizes_are_levels_of_one_factor(project: Project, payload: str, levels: list[str]) -> None:
    request = request_of(
        project, RunOptions("quick", "./bakeoff run quick", {"payload": payload, "target": ["intake-rest"]})
    )

    assert list(request.levels["payload"]) == levels
    assert [variant.payload for variant in request.variants()] == levels
