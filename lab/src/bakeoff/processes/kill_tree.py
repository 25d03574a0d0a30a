"""Killing a process with all it started, though it starts processes while it is killed."""

import contextlib
import time

import psutil

_POLL_S = 0.001


def kill_tree(pid: int, timeout_s: float = 30) -> None:
    """SIGKILL to a process and all it started, and waits until they have ended.

    Each process is stopped before its children are listed, so that none of them is started behind the list.
    """
    members = [psutil.Process(pid)]
    for member in members:
        # The list grows while it is walked.
        with contextlib.suppress(psutil.NoSuchProcess):
            member.suspend()
            # A fork in progress finishes first.
            while member.status() not in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP, psutil.STATUS_ZOMBIE):
                time.sleep(_POLL_S)
            members += member.children()
    for member in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(members, timeout=timeout_s)
