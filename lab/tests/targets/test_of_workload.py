"""Which targets a command is about that names none."""

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import find_targets, of_workload

WORKLOAD = """\
version = 1
name = "NAME"
title = "A workload"
database = "none"
DEFAULT
[[operations]]
name = "read"
weight = 1
http = { method = "GET", path = "/", expect = 200 }
"""
TARGET = """\
version = 1
name = "NAME-rest"
workload = "NAME"
title = "A target"
language = "go"
protocol = "rest"
class = "standard"
[toolchain]
commands = ["go"]
install = "Install Go."
[build]
directory = "."
command = ["true"]
inputs = ["."]
artifact = "server"
[run]
command = ["{artifact}"]
port_variable = "PORT"
default_port = 8080
"""


@pytest.fixture
def project(empty_checkout: Project) -> Project:
    for name, default in (("notes", ""), ("users", "default = false"), ("empty", "")):
        folder = empty_checkout.root / "contract" / name
        folder.mkdir(parents=True)
        (folder / "workload.toml").write_text(WORKLOAD.replace("NAME", name).replace("DEFAULT", default), "utf-8")
        if name != "empty":
            (empty_checkout.root / "targets" / name).mkdir(parents=True)
            (empty_checkout.root / "targets" / name / "target.toml").write_text(TARGET.replace("NAME", name), "utf-8")
    return empty_checkout


def _names(project: Project, workload: str | None) -> list[str]:
    return [target.name for target in of_workload(project, find_targets(project), workload)]


def test_targets_of_a_workload_that_is_no_default_need_its_name(project: Project) -> None:
    assert _names(project, None) == ["notes-rest"]
    assert _names(project, "users") == ["users-rest"]


def test_a_workload_that_does_not_exist_or_has_no_targets_is_refused(project: Project) -> None:
    with pytest.raises(UsageError, match='no workload "user"'):
        _names(project, "user")
    with pytest.raises(UsageError, match="empty has no targets"):
        _names(project, "empty")
