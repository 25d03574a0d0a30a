"""Builds of tests that several workers run."""

import fcntl

from bakeoff.builds.build import Build


def build_once(build: Build) -> None:
    """Builds what is stale; of several workers one builds, and the others wait for it."""
    # Workers share this folder of their projects.
    build.stamp.parent.mkdir(parents=True, exist_ok=True)
    with (build.stamp.parent / "test-builds.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if build.is_stale():
            build.run(lambda _: None)
