"""event = f(seed, user, sequence): the reference, the vectors and the k6 engine's JavaScript say the same."""

import copy
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import reference_rendering
from k6_harness import DEADLINE_SECONDS, k6_path

from bakeoff.project import FORMATS

HERE = Path(__file__).parent
VECTORS = FORMATS / "vectors" / "rendering.json"


def test_the_vectors_are_what_the_reference_says() -> None:
    assert VECTORS.read_text(encoding="utf-8") == reference_rendering.text(), (
        "write the file again with: python reference_rendering.py"
    )


def test_the_vectors_reach_every_slot_and_both_ends_of_reuse() -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    slots = {segment["slot"] for case in cases for segment in _segments(case["plan"]) if isinstance(segment, dict)}
    plan_schema = json.loads((FORMATS / "plan.schema.json").read_text())
    # Captured values and logins come from replies, and a vector holds none.
    assert slots == set(plan_schema["$defs"]["slot"]["properties"]["slot"]["enum"]) - {"captured", "login"}
    keys = [event for case in cases for event in case["events"] if event["key"] is not None]
    assert any(event["key"]["sequence"] == event["sequence"] for event in keys)
    assert any(event["key"]["sequence"] != event["sequence"] for event in keys)


def test_padded_messages_have_the_size_asked_for() -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
    sized = [case for case in cases if case["plan"]["size_bytes"] is not None]
    assert sized
    for case in sized:
        assert {len(event["message"].encode()) for event in case["events"]} == {case["plan"]["size_bytes"]}


def test_node_agrees_with_the_vectors() -> None:
    answer = _replay_in_node(VECTORS)
    assert answer.returncode == 0, answer.stderr


def test_the_replay_notices_a_wrong_message(tmp_path: Path) -> None:
    vectors = copy.deepcopy(json.loads(VECTORS.read_text(encoding="utf-8")))
    vectors["cases"][0]["events"][0]["message"] += "x"
    vectors["cases"][-1]["requests"][0]["body"] += "x"
    planted = tmp_path / "rendering.json"
    planted.write_text(json.dumps(vectors))
    answer = _replay_in_node(planted)
    assert answer.returncode == 1
    assert len(answer.stderr.splitlines()) == 2


def test_k6_agrees_with_the_vectors() -> None:
    script = HERE / "rendering_replay_k6.js"
    command = [
        str(k6_path()),
        "run",
        "--quiet",
        "--address=",
        "--no-usage-report",
        "--env",
        f"VECTORS={VECTORS}",
        str(script),
    ]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
    assert "cases agree" in answer.stderr, answer.stderr


def _segments(plan: dict[str, Any]) -> list[Any]:
    formats = [segment for kind in plan["keys"] for segment in kind["format"]]
    variants = [segment for op in plan["operations"] for variant in op["variants"] for segment in variant]
    return formats + variants


def _replay_in_node(vectors: Path) -> "subprocess.CompletedProcess[str]":
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the PATH: install Node.js 18 or newer")
    command = [node, str(HERE / "rendering_replay_node.mjs"), str(vectors)]
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
