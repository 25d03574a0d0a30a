"""The cause of a failure that a PostgreSQL program reports in its log."""

from pathlib import Path


def cause_in(output: str, folder: Path) -> str:
    """A sentence for the cause and its fix, to follow the failure; empty where the output names neither."""
    if "shared memory segment" in output:
        return (
            " PostgreSQL needs a /dev/shm that its account may write to: mount -t tmpfs -o mode=1777 tmpfs /dev/shm. "
            "In a container that has filled it, give it a larger one: --shm-size 1g."
        )
    if "No space left on device" in output:
        return " The disk is full: free some space and start again."
    if "ermission denied" in output or "not permitted" in output:
        return (
            f" The account that runs PostgreSQL may not use {folder}: make it and the folders above it accessible for "
            "that account (chmod, chown)."
        )
    if "could not look up effective user" in output:
        return (
            " The account of this process has no name, and PostgreSQL needs one: in a container that runs with --user, "
            "mount the names too (--volume /etc/passwd:/etc/passwd:ro), or install libnss-wrapper in its image."
        )
    if "incompatible with server" in output:
        return (
            f" Another version of PostgreSQL made its data: use that, or remove {folder} (stored results go with it)."
        )
    return ""
