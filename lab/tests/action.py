"""The steps of action.yml, run as GitHub Actions runs them."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ACTION = Path(__file__).parents[2] / "action.yml"


def action() -> Mapping[str, Any]:
    document: Mapping[str, Any] = yaml.safe_load(ACTION.read_text("utf-8"))
    return document


def run_step(
    name: str, folder: Path, environment: Mapping[str, str], **given: str
) -> "subprocess.CompletedProcess[str]":
    """The script of a step in a folder; `given` are the values of its own variables, and others get their defaults."""
    step = next(each for each in action()["runs"]["steps"] if each.get("name") == name)
    inputs = {each: str(value.get("default", "")) for each, value in action()["inputs"].items()}

    def value_of(variable: str, expression: str) -> str:
        found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", expression)
        return given.get(variable, inputs[found.group(1)] if found else "")

    own = {variable: value_of(variable, expression) for variable, expression in step["env"].items()}
    # As `shell: bash` does.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(
        command, cwd=folder, env={**environment, **own}, capture_output=True, text=True, timeout=290,
        check=False,
    )  # fmt: skip
