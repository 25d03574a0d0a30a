"""A target's settings: given ones, and defaults."""

import re
from collections.abc import Mapping

import msgspec
import pytest

from bakeoff.project import Project
from bakeoff.targets.manifest import DeclaredSetting, find_targets
from bakeoff.targets.settings import in_words, settings_in_force
from made_up_manifests import RUN, target

SETTINGS = {
    "write_mode": DeclaredSetting("WRITE_MODE", "group-commit"),
    "pool_size": DeclaredSetting("DB_POOL_SIZE", "10"),
    "unknown": "UNKNOWN",
    "api_token": DeclaredSetting("API_TOKEN"),
}


@pytest.mark.parametrize(
    ("given", "manifest", "inherited", "pool_size"),
    [
        ({}, {}, {}, "pool_size 10 (default)"),
        ({"pool_size": "5"}, {"DB_POOL_SIZE": "7"}, {"DB_POOL_SIZE": "8"}, "pool_size 5 (given)"),
        ({}, {"DB_POOL_SIZE": "7"}, {"DB_POOL_SIZE": "8"}, "pool_size 7 (its manifest)"),
        ({}, {}, {"DB_POOL_SIZE": "8"}, "pool_size 8 (environment)"),
        ({}, {}, {"DB_POOL_SIZE": ""}, "pool_size 10 (default)"),
    ],
)
def test_the_origin_of_a_setting(
    given: Mapping[str, str], manifest: Mapping[str, str], inherited: Mapping[str, str], pool_size: str
) -> None:
    made_up = target("one", settings=SETTINGS, run=msgspec.structs.replace(RUN, environment=manifest))
    secrets = {"API_TOKEN": "a secret", "UNKNOWN": "perhaps a secret"}
    found = settings_in_force(made_up, given, {**secrets, **inherited})
    assert in_words(found) == f"write_mode group-commit (default), {pool_size}"


def test_a_setting_without_a_known_default_is_recorded_when_it_is_given() -> None:
    made_up = target("one", settings=SETTINGS)
    found = settings_in_force(made_up, {"unknown": "3"}, {})
    assert found["unknown"] == ("3", "given")


def test_shipped_manifests_tell_the_defaults_that_their_readmes_do(gallery: Project) -> None:
    for shipped in find_targets(gallery):
        readme = (shipped.directory / "README.md").read_text("utf-8")
        reported = dict(re.findall(r"^\| `([A-Z0-9_]+)` \| (.*?) \|", readme, re.MULTILINE))
        defaults = {each.variable: each.default for each in shipped.settings if each.default is not None}
        assert defaults, shipped.name
        told = {variable: reported[variable].strip("`") for variable in defaults if variable in reported}
        assert told == {variable: defaults[variable] for variable in told}, shipped.name
        # What is the same for all targets of a workload stands in its contract.
        contract = (gallery.root / "contract" / shipped.workload / "README.md").read_text("utf-8")
        assert all(f"| `{variable}` |" in contract for variable in defaults.keys() - told.keys()), shipped.name


def test_options_of_the_jvm_are_a_setting_of_every_target_on_it(gallery: Project) -> None:
    on_the_jvm = [shipped for shipped in find_targets(gallery) if shipped.language == "java"]
    assert on_the_jvm
    for shipped in on_the_jvm:
        assert shipped.setting_variable("jvm_options") == "JDK_JAVA_OPTIONS", shipped.name
