"""The documented variables, on top of a plan, for k6 that is started by hand."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("documented_variables_node.mjs")
PLAN: dict[str, Any] = {
    "transport": {"protocol": "grpc", "host": "127.0.0.1", "port": 1},
    "proto": {"file": "/a/b.proto", "import_path": "/a"},
    "phases": [{"name": "one", "virtual_users": 1, "duration_ms": 1000}],
    "operations": [{"name": "a", "http": None, "grpc": {"method": "x.Y/Z", "expect": "OK"}}],
}


def changed(**env: str) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node: install Node.js 20 or newer")
    done = subprocess.run(
        [node, str(SCRIPT), json.dumps(PLAN), json.dumps(env)], capture_output=True, text=True, check=True, timeout=60
    )
    plan: dict[str, Any] = json.loads(done.stdout)
    return plan


def test_without_them_the_plan_is_the_plan() -> None:
    assert changed() == PLAN


def test_each_takes_the_place_of_what_the_plan_says() -> None:
    plan = changed(
        HOST="api", PORT="9090", PROTO_FILE="/c/d/e.proto", SERVICE="p.Q", METHOD="R", TEST_MODE="saturation"
    )

    assert (plan["transport"]["host"], plan["transport"]["port"]) == ("api", 9090)
    assert plan["proto"] == {"file": "/c/d/e.proto", "import_path": "/c/d"}
    assert plan["operations"][0]["grpc"]["method"] == "p.Q/R"
    assert [phase["virtual_users"] for phase in plan["phases"]] == [10, 50, 100, 200, 500, 1000, 2000]
    assert {phase["duration_ms"] for phase in plan["phases"]} == {120_000}


def test_a_mode_that_is_not_documented_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        changed(TEST_MODE="fast")
