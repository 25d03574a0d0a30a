"""The settings of a target, given or left as they are, and the kind of its storage that follows from them."""

from collections.abc import Mapping

from bakeoff.targets.manifest import Target
from bakeoff.targets.storage import StorageKind

GIVEN, MANIFEST, INHERITED, DEFAULT = "given", "its manifest", "environment", "default"


def settings_in_force(
    target: Target, given: Mapping[str, str], inherited: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """By the lab's names, each setting's value and where it comes from; what has no default is left out unless given.

    `inherited` are the environment variables that the target gets from the lab: what is set there counts too, and an
    empty one as unset. Secrets have no default, and so are never shown.
    """
    sources = ((target.manifest.run.environment, MANIFEST), (inherited, INHERITED))
    found = {}
    for setting in target.settings:
        if setting.name in given:
            found[setting.name] = given[setting.name], GIVEN
        elif setting.default is not None:
            set_elsewhere = [
                (variables[setting.variable], origin)
                for variables, origin in sources
                if variables.get(setting.variable)
            ]
            found[setting.name] = next(iter(set_elsewhere), (setting.default, DEFAULT))
    return found


def in_words(settings: Mapping[str, tuple[str, str]]) -> str:
    """`pool_size 5 (given), flushers 2 (default)`."""
    return ", ".join(f"{name} {value} ({origin})" for name, (value, origin) in settings.items())


def stores_in(
    target: Target, given: Mapping[str, str], inherited: Mapping[str, str], usual: StorageKind
) -> StorageKind:
    """The kind that a level of one of its settings names, or that of its manifest, or the `usual` one of its workload.

    `given` are the lab's settings, `inherited` the environment that the target gets from the lab.
    """
    storage = target.manifest.storage
    found = settings_in_force(target, given, inherited)
    for name, kinds in storage.settings.items():
        level, _origin = found.get(name, ("", ""))
        if level in kinds:
            return kinds[level]
    return usual if storage.kind is None else storage.kind


def variables_of(target: Target, settings: Mapping[str, str]) -> dict[str, str]:
    """The target's own environment variables for settings of the lab's names."""
    return {target.setting_variable(name): value for name, value in settings.items()}
