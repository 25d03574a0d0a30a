"""The [hostile] table of a target.toml."""

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import find_targets
from checkouts import new_project

TARGET = """
name = "shop"
workload = "orders"
run = "serve"
storage = "none"
settings = { read = { variable = "R", default = "30s" }, pool = { variable = "P", default = "many" }, bare = "BARE" }

[hostile]
head_timeout = "10s"
body_timeout = "read"
keeps_memory = "The heap does not shrink."
"""


def written(root: Path, text: str) -> Project:
    project = new_project(root)
    (root / "targets" / "target.toml").write_text(text, "utf-8")
    return project


def test_a_time_is_a_duration_or_a_settings_default(tmp_path: Path) -> None:
    (shop,) = find_targets(written(tmp_path, TARGET))
    assert [shop.stalled_ends_s("head"), shop.stalled_ends_s("body"), shop.stalled_ends_s("handshake")] == [
        10,
        30,
        None,
    ]
    assert shop.manifest.hostile.keeps_memory == "The heap does not shrink."


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("soon", r'line 10: body_timeout: neither a setting nor a time: "soon" is not a duration'),
        ("pool", r'line 10: body_timeout: neither a setting nor a time: "many" is not a duration'),
        ("bare", r"line 10: body_timeout: the setting bare states no default: add one, such as 60s"),
        ("", r"line 10: hostile.body_timeout: '' should be non-empty"),
    ],
)
def test_what_is_no_time_is_named_with_its_line(tmp_path: Path, time: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_targets(written(tmp_path, TARGET.replace('"read"', f'"{time}"')))
