"""An engine's missing features are refused before anything is built, and name the operation that needs them."""

import sys
import tomllib

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.engines.manifest import engine_files
from bakeoff.errors import UsageError
from bakeoff.project import Project

WORKLOAD = """
version = 1
name = "shop"
title = "Shop"
database = "none"
[[operations]]
name = "list"
weight = 1
http = { method = "GET", path = "/items", expect = 200 }
[[operations]]
name = "create"
weight = 1
creates = "item"
http = { method = "POST", path = "/items", expect = 201, capture = { id = "/id" } }
[[operations]]
name = "get"
weight = 1
needs = "item"
http = { method = "GET", path = "/items/${captured.id}", expect = 200 }
"""
TARGET = """
version = 1
name = "shop-rest"
workload = "shop"
title = "A shop"
language = "python"
protocol = "rest"
class = "standard"
[toolchain]
commands = ["true"]
install = "Part of the tests."
[build]
directory = "."
command = ["{python}", "-c", "open('built', 'w')"]
inputs = ["target.toml"]
artifact = "built"
[run]
command = ["{artifact}"]
port_variable = "PORT"
default_port = 8080
"""
# A line of the operation `list`, and the feature that k6 lacks.
MORE = {
    "verified-reads": 'reads = { document = "", key = ["${user}"] }',
    "login": "login = true",
    "header-templates": "http.headers = { x-user = '${user}' }",
    "reply-templates": "http.reply = { '/user' = '${user}' }",
    "accepted-statuses": "http.expect = [200, 404]",
    "list-checks": "http.list = { items = '/items' }",
    "operation-think-time": "think_time = '200ms'",
    "operation-rates": "rate = 2.5",
    "encoded-bodies": "body = 'form'\nmessage = '{}'",
}


@pytest.fixture
def checkout(empty_checkout: Project) -> Project:
    """A checkout with the engines of the real one, of which nothing is built."""
    target = empty_checkout.root / "targets" / "shop" / "rest"
    target.mkdir(parents=True)
    (target / "target.toml").write_text(TARGET.replace("{python}", sys.executable), "utf-8")
    return empty_checkout


def refusal(checkout: Project, workload: str) -> str:
    """Why a comparison with k6 is refused; nothing was built for it."""
    folder = checkout.root / "contract" / "shop"
    folder.mkdir(exist_ok=True)
    (folder / "workload.toml").write_text(workload, "utf-8")
    with pytest.raises(UsageError) as refused:
        compare(
            checkout,
            ComparisonRequest("smoke", "a test", levels={"engine": ["k6"]}),
            PlainProgress(Console(quiet=True)),
        )
    assert not (checkout.root / "targets" / "shop" / "rest" / "built").exists(), "the target was not built"
    assert not checkout.state.joinpath("builds").exists()
    return refused.value.message


def test_captures_are_refused_before_anything_is_built(checkout: Project) -> None:
    words = refusal(checkout, WORKLOAD)
    assert words == ("The engine k6 has no captures, which the operation create of shop needs: use another --engine.")


@pytest.mark.parametrize(("feature", "line"), MORE.items())
def test_each_feature_that_k6_lacks_is_refused_by_name(checkout: Project, feature: str, line: str) -> None:
    call = "http.method = 'GET'\nhttp.path = '/items'\n"
    rest = "" if "http.expect" in line else "http.expect = 200\n"
    head = WORKLOAD[: WORKLOAD.index("http =")]
    assert f"The engine k6 has no {feature}, which the operation list of shop" in refusal(
        checkout, f"{head}{call}{rest}{line}\n"
    )


def test_sessions_are_refused_by_name(checkout: Project) -> None:
    alone = WORKLOAD[: WORKLOAD.index('[[operations]]\nname = "create"')]
    session = "[[sessions]]\nname = 'two'\nweight = 1\nsteps = ['list', 'list']\n"
    assert "has no sessions, which the operation list" in refusal(checkout, alone + session)


def test_the_native_engine_has_every_feature_that_a_workload_can_need() -> None:
    features = tomllib.loads(engine_files()["native"].read_text("utf-8"))["features"]
    assert {*MORE, "captures", "sessions", "cookies", "entity-picks", "list-captures", "optional-captures"} <= set(
        features
    )
