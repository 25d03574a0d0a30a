"""Builds of tests that several workers run."""

import fcntl
import hashlib

import pytest

from bakeoff.builds.build import Build
from bakeoff.engines.client import client_engine, client_of
from bakeoff.processes.request_client import RequestClient


def build_once(build: Build) -> None:
    """Builds what is stale; of several workers one builds in a folder, and those that need its builds wait for it."""
    if not build.is_stale():
        return
    # Workers share this folder of their projects.
    build.stamp.parent.mkdir(parents=True, exist_ok=True)
    folder = hashlib.sha256(str(build.directory.resolve()).encode()).hexdigest()[:16]
    with (build.stamp.parent / f"test-builds-{folder}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if build.is_stale():
            build.run(lambda _: None)


def built_client() -> RequestClient:
    """The engine's client; the test is skipped where it can neither be found nor built."""
    engine = client_engine()
    if engine.toolchain_is_missing:
        pytest.skip(f"{', '.join(engine.manifest.toolchain.missing)} not found")
    build_once(engine.build)
    return client_of()
