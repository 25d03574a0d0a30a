"""Kinds of a workload's own, beside those that the tool ships."""

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.hostile.kinds import kinds_of
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload, workload_names
from made_up_manifests import declared

OWN = """
version = 1

[holds]
answered_ms = 900

[[http1]]
name = "a form without end"
path = "/forms"
stalls = "body"
send = [{ text = "POST {path} HTTP/1.1\\r\\n{headers}\\r\\n" }, { repeat = [{ text = "a=1&" }] }]
holds = { memory_mb = 32 }
"""


def workload(folder: Path, text: str) -> Workload:
    (folder / "hostile.toml").write_text(text, "utf-8")
    operations = [{"name": "Create", "http": {"method": "POST", "path": "/things", "expect": 200}, "message": "{}"}]
    return Workload("things", folder, declared(operations=operations, hostile="hostile.toml"))


def test_a_workload_adds_kinds_and_figures(tmp_path: Path) -> None:
    shipped = kinds_of("http1")
    kinds = kinds_of("http1", workload(tmp_path, OWN))
    assert [kind.name for kind in kinds] == [*(kind.name for kind in shipped), "a form without end"]
    assert {kind.must_hold().answered_ms for kind in shipped} == {250}
    assert {kind.must_hold().answered_ms for kind in kinds} == {900}
    assert [kind.must_hold().memory_mb for kind in kinds[-2:]] == [256, 32]
    assert len(kinds_of("http2", workload(tmp_path, OWN))) == len(kinds_of("http2"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("version = 1", "version = 2", r"hostile\.toml, line 2: version 2 is newer"),
        ('path = "/forms"', "connection = 5", r"line 9: there is no key connection\. Did you mean .*connections"),
        ('path = "/forms"', "connections = 5001", r"line 9: http1\.0\.connections: 5001 is greater than"),
        ("answered_ms = 900", "ended_s = 600", r"line 5: holds\.ended_s: 600 is greater than"),
        ("a form without end", "idle connections", r'line 8: another kind is named "idle connections"'),
        ("{headers}", "{host}", r"line 11: a form without end: text: there is no \{host\}\. It may have \{method\}"),
        ("{headers}", "{", r"line 11: .*A brace is written \{\{ or \}\}"),
        ("repeat =", "pause_s = 1, repeat =", r"line 11: .*this one has repeat and pause_s"),
        ("repeat = [", "repeat = [{ less = 1 }, ", r"line 11: .*this one has none"),
        ('text = "a=1&"', 'body = "large", less = 1', r"line 11: .*needs largest_bytes in \[batch\]"),
        ("repeat = [", "ping = true, repeat = [", r"there is no key ping"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert OWN.count(old) == 1
    with pytest.raises(UsageError, match=words):
        kinds_of("http1", workload(tmp_path, OWN.replace(old, new)))


@pytest.mark.gallery
def test_the_kinds_of_the_gallerys_workloads_can_be_read(gallery: Project) -> None:
    own = {}
    for name in workload_names(gallery):
        found = load_workload(gallery, name)
        own[name] = sum(len(kinds_of(wire, found)) - len(kinds_of(wire)) for wire in ("http1", "http2"))
    assert own["events"] == own["orders"] == 2
