"""Completion as bash asks for it, through the launcher; and the scripts for each shell."""

import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.project import Project

_ASK = """
eval "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_bakeoff_completion ./bakeoff
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(clone: Project) -> str:
    """The launcher's script for bash, printed once."""
    asked = ["./bakeoff", "completion", "bash"]
    return subprocess.run(asked, cwd=clone.root, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ru"], {"run", "runs"}),
        (["run", "qu"], {"quick"}),
        (
            ["run", "--target", "ingest"],
            {f"ingest-{kind}" for kind in ("rest", "grpc", "rest-tuned", "grpc-tuned")},
        ),
        (["runs", "list", "--pay"], {"--payload"}),
        (["up", "ingest-rest-"], {"ingest-rest-tuned"}),
        (["runs", "list", "--api", "ingest-g"], {"ingest-grpc", "ingest-grpc-tuned"}),
        (["run", "--target", "missing"], {""}),
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash(clone: Project, script: str, typed: list[str], offered: set[str]) -> None:
    asked = ["bash", "-c", _ASK, "bash", script, "./bakeoff", *typed]
    done = subprocess.run(asked, cwd=clone.root, capture_output=True, text=True, check=False)
    assert set(done.stdout.splitlines()) == offered, done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell_speaks_its_protocol(shell: str) -> None:
    script = CliRunner().invoke(app, ["completion", shell]).stdout
    assert f"_BAKEOFF_COMPLETE=complete_{shell}" in script
