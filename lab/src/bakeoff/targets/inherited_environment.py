"""The variables that a target inherits from the lab: those that programs need or its manifest names, no secrets."""

from collections.abc import Mapping

from bakeoff.targets.manifest import Target

# Variables that programs of any kind need, and where a toolchain's run time is found.
_FOR_ALL = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "JAVA_HOME", "LD_LIBRARY_PATH")
_FOR_ALL_PREFIX = "LC_"


def passed_into_a_container(target: Target, environment: Mapping[str, str]) -> dict[str, str]:
    """Those that a container of it gets: what programs need is of its image."""
    named = {*target.manifest.run.inherits, *(setting.variable for setting in target.settings)}
    return {name: value for name, value in environment.items() if name in named}


def inherited_by(target: Target, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of the lab's environment that the target may see."""
    named = {*_FOR_ALL, *target.manifest.run.inherits, *(setting.variable for setting in target.settings)}
    return {name: value for name, value in environment.items() if name in named or name.startswith(_FOR_ALL_PREFIX)}
