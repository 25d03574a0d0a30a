"""The shipped targets keep the rules of their classes, as far as manifests and READMEs show it."""

import re
from pathlib import Path

import pytest

from bakeoff.cli.targets import details_of
from bakeoff.project import Project
from bakeoff.running.target_ports import ports_of
from bakeoff.targets.manifest import STANDARD, TUNED, Target
from checkouts import gallery_targets

pytestmark = pytest.mark.gallery

EVENTS = [target for target in gallery_targets() if target.workload == "events"]
ORDERS = [target for target in gallery_targets() if target.workload == "orders"]
STANDARD_TARGETS = [target for target in EVENTS if target.target_class == STANDARD]
TUNED_TARGETS = [target for target in EVENTS if target.target_class == TUNED]

SOURCES = {".go", ".java", ".js", ".php", ".py", ".rb", ".rs", ".ts"}
# Folders of what only the build runs.
OF_THE_BUILD = {"bin", "debian"}
# An attribute of PHP or Rust is code.
NO_CODE = re.compile(r"\s*($|//|#(?![\[!])|/?\*)")

# What has nothing to do with a protocol: where one target of a language replaces it, its sibling does too.
OF_NO_PROTOCOL = {
    "accept loop",
    "allocator",
    "array encoding",
    "connection pool",
    "encoding of arrays in the PostgreSQL driver",
    "event loops of the driver",
    "garbage collector's target",
    "JVM defaults",
    "Spring Boot's connection pool",
    "validation library",
}


def named(target: Target) -> str:
    return target.name


def test_there_are_six_of_each_class_and_each_has_its_sibling() -> None:
    assert {f"{target.name}-tuned" for target in STANDARD_TARGETS} == {target.name for target in TUNED_TARGETS}
    assert len(STANDARD_TARGETS) == len(TUNED_TARGETS) == 6


@pytest.mark.parametrize("target", TUNED_TARGETS, ids=named)
def test_a_tuned_target_says_what_it_replaces(target: Target) -> None:
    assert target.manifest.replaces
    lines = list(details_of(target))
    assert all(any(each.by in line and each.why in line for line in lines) for each in target.manifest.replaces)


@pytest.mark.parametrize("target", STANDARD_TARGETS, ids=named)
def test_each_deviation_of_a_standard_target_stands_in_its_readme_with_its_link(target: Target) -> None:
    assert not target.manifest.replaces
    readme = (target.directory / "README.md").read_text("utf-8")
    assert [each.setting for each in target.manifest.documented_settings if each.link not in readme] == []
    lines = list(details_of(target))
    assert all(any(each.link in line for line in lines) for each in target.manifest.documented_settings)


@pytest.mark.parametrize("language", sorted({target.language for target in TUNED_TARGETS}))
def test_what_one_protocols_target_replaces_its_sibling_replaces_too(language: str) -> None:
    parts = [
        {each.part for each in target.manifest.replaces} & OF_NO_PROTOCOL
        for target in TUNED_TARGETS
        if target.language == language
    ]
    assert len(parts) == 2
    assert parts[0] == parts[1] != set()


def test_every_target_has_a_port_of_its_own_where_all_run_together() -> None:
    ports = ports_of(EVENTS, lambda _port: True)
    assert len(set(ports.values())) == len(EVENTS)
    for target in EVENTS:
        # No number was searched for: each is in the manifest, and so in the documentation.
        assert ports[target.name] in (target.default_port, target.manifest.run.second_port)


def test_java_is_trained_without_a_request(gallery: Project) -> None:
    """The classes that a start loads are cached, and nothing that the benchmark's own messages would touch."""
    folder: Path = gallery.root / "targets" / "events" / "java"
    run, build = ((folder / name).read_text("utf-8") for name in ("run.sh", "build.sh"))
    (training,) = [line for line in run.splitlines() if '"$make"' in line]
    assert "-Dspring.context.exit=onRefresh" in training
    assert build.count("--train") == 1
    assert not {"curl", "grpcurl", "bakeoff-load", "k6"} & set(build.replace("/", " ").split())


@pytest.mark.parametrize("target", ORDERS, ids=named)
def test_a_target_of_orders_is_small(target: Target) -> None:
    files = [path for _, path in target.build.sources() if path.suffix in SOURCES and "test" not in path.name]
    lines = [
        line
        for path in files
        if not OF_THE_BUILD & set(path.relative_to(target.directory).parts)
        for line in path.read_text("utf-8").splitlines()
        if not NO_CODE.match(line)
    ]
    assert 150 < len(lines) < 400
