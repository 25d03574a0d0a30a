"""Builds of tests that several workers run."""

import fcntl
import hashlib

from bakeoff.builds.build import Build


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
