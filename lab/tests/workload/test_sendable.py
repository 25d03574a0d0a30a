"""Paths that no request line can carry are refused when the workload is loaded."""

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.sendable import unsendable

WORKLOAD = """\
[[workloads.w.operations]]
name = "a"
http.method = "GET"
http.expect = 200
http.path = "{path}"

[workloads.w.health.http]
method = "GET"
path = "{health}"
expect = 200
"""


def load(root: Path, path: str = "/ok", health: str = "/ok") -> None:
    (root / "bakeoff.toml").write_text(WORKLOAD.format(path=path, health=health), "utf-8")
    load_workload(Project(root), "w")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/with space", "holds ' ', which no request line can carry: write %20"),
        ("/größe", "holds 'ö', which no request line can carry: write %C3%B6"),
        ("/a#b", "holds #, which ends what is sent: write %23"),
        ("/a?q=${choice x|y z}", "holds ' '"),
        ("ok", "does not begin with /"),
    ],
)
def test_paths_that_cannot_be_sent_are_refused_with_their_line(tmp_path: Path, path: str, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        load(tmp_path, path=path)
    assert f'bakeoff.toml, line 5: the path "{path}" {reason}' in refused.value.message
    with pytest.raises(UsageError, match=r"bakeoff\.toml, line 9: the path"):
        load(tmp_path, health=path)


def test_other_paths_are_sent_as_they_are(tmp_path: Path) -> None:
    load(tmp_path, path="/a%20b/${choice x|y}/${alphanumeric 4}?q=~!$&'()*+,;=:@-._%C3%B6")
    assert unsendable("*") is None
