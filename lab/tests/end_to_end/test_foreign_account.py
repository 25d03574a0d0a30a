"""The installed wheel as an account that the machine does not know: no name, no home, as with `docker run --user`."""

import ctypes.util
import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from test_strangers_repository import RUN, SHOP

from bakeoff.postgres.server import Server
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.xdist_group("stranger"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as an account of no name"),
]

ACCOUNT = 54_321


@pytest.fixture(scope="module")
def shop(programs: Path) -> Path:
    """The account's own copy of the shop."""
    python = (programs / "python").resolve()
    if not all(folder.stat().st_mode & stat.S_IXOTH for folder in python.parents):
        pytest.skip(f"other accounts cannot start {python}")
    folder = programs.parents[1] / "shop"
    shutil.copytree(SHOP, folder)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, ACCOUNT, ACCOUNT)
    return folder


def bakeoff(shop: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment: Mapping[str, str] = {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        MACHINE_LOCK_VARIABLE: str(shop / "lock"),
        **variables,
    }
    return subprocess.run(
        [shop.parent / "venv" / "bin" / "bakeoff", *arguments], cwd=shop, env=environment, user=ACCOUNT,
        group=ACCOUNT, extra_groups=[], capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_it_measures_where_postgresql_runs_elsewhere(shop: Path, database: Server) -> None:
    made = bakeoff(shop, "init", "--openapi", "openapi.yaml")
    assert made.returncode == 0, made.stderr
    file = shop / "bakeoff.toml"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(RUN if line.lstrip("# ").startswith("run = ") else line for line in lines), "utf-8")
    smoke = bakeoff(shop, "run", "smoke", METRICS_DATABASE_URL=database.url)
    assert smoke.returncode == 0, f"{smoke.stdout}{smoke.stderr}"


def test_its_own_postgresql_needs_a_name_for_the_account(shop: Path) -> None:
    listed = bakeoff(shop, "runs", "list")
    if ctypes.util.find_library("nss_wrapper"):
        assert listed.returncode == 0, listed.stderr
    else:
        assert listed.returncode == 1, listed.stdout
        assert "has no name" in listed.stderr and "libnss-wrapper" in listed.stderr
        assert "Traceback" not in listed.stderr


@pytest.mark.parametrize("command", [["--version"], ["doctor"], ["targets"]])
def test_what_needs_no_server_works(shop: Path, command: list[str]) -> None:
    done = bakeoff(shop, *command)
    assert "Traceback" not in done.stderr and done.stdout, done.stderr
