"""Where a target stores what it acknowledges, which follows from its manifest and its settings."""

from collections.abc import Mapping

from bakeoff.targets.manifest import Place, Target
from bakeoff.targets.settings import settings_in_force


def stores_in(target: Target, given: Mapping[str, str], inherited: Mapping[str, str], usual: Place) -> Place:
    """The place that a level of one of its settings names, or that of its manifest, or the `usual` one of its workload.

    `given` are the lab's settings, `inherited` the environment that the target gets from the lab.
    """
    storage = target.manifest.storage
    found = settings_in_force(target, given, inherited)
    for name, places in storage.settings.items():
        level, _origin = found.get(name, ("", ""))
        if level in places:
            return places[level]
    return usual if storage.place is None else storage.place
