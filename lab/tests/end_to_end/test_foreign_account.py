"""The installed wheel as an account that the machine does not know: no name, no home, as with `docker run --user`."""

import ctypes.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from installed_programs import installed_programs
from test_strangers_repository import RUN, SHOP

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.xdist_group("stranger"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as an account of no name"),
]

ACCOUNT = 54_321


@pytest.fixture(scope="module")
def reachable(clone: Project) -> Iterator[Path]:
    """A folder that any account can enter, with programs and the shop; pytest's own are private."""
    python = shutil.which("python3", path=os.defpath)
    if python is None or _version(python) < (3, 11):
        pytest.skip("no Python 3.11 or newer in /usr/bin, where every account can start it")
    with tempfile.TemporaryDirectory(prefix="bakeoff-reachable-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        installed_programs(clone, root, python)
        shutil.copytree(SHOP, root / "shop")
        subprocess.run(["chown", "-R", f"{ACCOUNT}:{ACCOUNT}", root / "shop"], check=True)
        yield root


def _version(python: str) -> tuple[int, ...]:
    asked = [python, "-c", "import sys; print(*sys.version_info[:2])"]
    return tuple(map(int, subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()))


def bakeoff(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment: Mapping[str, str] = {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        MACHINE_LOCK_VARIABLE: str(folder / "shop" / "lock"),
        **variables,
    }
    return subprocess.run(
        [folder / "venv" / "bin" / "bakeoff", *arguments], cwd=folder / "shop", env=environment, user=ACCOUNT,
        group=ACCOUNT, extra_groups=[], capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_it_measures_where_postgresql_runs_elsewhere(reachable: Path, server: Server) -> None:
    made = bakeoff(reachable, "init", "--openapi", "openapi.yaml")
    assert made.returncode == 0, made.stderr
    file = reachable / "shop" / "bakeoff.toml"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(RUN if line.lstrip("# ").startswith("run = ") else line for line in lines), "utf-8")
    server.execute_script("CREATE DATABASE of_a_foreign_account")
    url = server.in_database("of_a_foreign_account").url
    smoke = bakeoff(reachable, "run", "smoke", METRICS_DATABASE_URL=url)
    assert smoke.returncode == 0, f"{smoke.stdout}{smoke.stderr}"


def test_its_own_postgresql_needs_a_name_for_the_account(reachable: Path) -> None:
    listed = bakeoff(reachable, "runs", "list")
    if ctypes.util.find_library("nss_wrapper"):
        assert listed.returncode == 0, listed.stderr
    else:
        assert listed.returncode == 2, listed.stdout
        assert "has no name" in listed.stderr and "libnss-wrapper" in listed.stderr
        assert "Traceback" not in listed.stderr


@pytest.mark.parametrize("command", [["--version"], ["doctor"], ["targets"]])
def test_what_needs_no_server_works(reachable: Path, command: list[str]) -> None:
    done = bakeoff(reachable, *command)
    assert "Traceback" not in done.stderr and done.stdout, done.stderr
