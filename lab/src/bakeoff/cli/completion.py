"""Values that the shell completes."""

from bakeoff.errors import BakeoffError


def complete_target(incomplete: str) -> list[str]:
    """Names of targets that begin with what has been typed."""
    from bakeoff.project import find_project
    from bakeoff.targets.manifest import find_targets

    try:
        return [target.name for target in find_targets(find_project()) if target.name.startswith(incomplete)]
    except BakeoffError:
        # A shell that completes has no place for words.
        return []
