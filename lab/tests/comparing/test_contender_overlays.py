"""Which contenders have an overlay, and what is refused before anything is built."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.comparing.contenders import check_extensions, contenders_of
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.containers.database import IMAGE_VARIABLE
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.variant import Level, Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.targets.manifest import Target
from bakeoff.targets.storage import StorageTable
from bakeoff.workload.loader import Workload, load_workload
from made_up_manifests import declared, engine, target, workload


def with_overlays(extension: str) -> Workload:
    """A workload with two overlays, of which citus uses this extension."""
    citus = {"sql": "c.sql", "when": "after-schema", "extensions": [extension]}
    return workload(overlays={"partitioned": {"sql": "p.sql", "when": "before-schema"}, "citus": citus})


EVENTS = with_overlays("citus")
SMALL = Workload("small", Path("/nowhere"), declared())
OTHER = workload("other")


def chosen(
    targets: Sequence[Target], workloads: Sequence[Workload], levels: Mapping[str, Sequence[Level]]
) -> tuple[list[str], dict[str, str]]:
    request = ComparisonRequest("quick", "", levels=levels)
    named = {each.name: each for each in workloads}
    possible, impossible = contenders_of(targets, request.variants(), named, {"native": engine("native")})
    return [contender.key for contender in possible], impossible


def test_an_overlay_is_a_level() -> None:
    named, impossible = chosen([target("a-rest")], [EVENTS], {"overlay": [None, "partitioned"]})
    assert (named, impossible) == (["a-rest overlay=no-overlay", "a-rest overlay=partitioned"], {})
    assert Variant(overlay="partitioned").differences_from_default() == {"overlay": "partitioned"}


@pytest.mark.parametrize(
    ("name", "workloads", "words"),
    [
        ("partitoned", [EVENTS], 'no overlay "partitoned". Overlays of events: citus, partitioned. Did you mean parti'),
        ("xyz", [EVENTS], 'no overlay "xyz". Overlays of events: citus, partitioned.'),
        ("xyz", [OTHER], 'no overlay "xyz". Overlays of other: none.'),
        ("partitioned", [SMALL], 'no overlay "partitioned". small has no database, and so no overlays.'),
    ],
)
def test_an_overlay_that_no_workload_has_is_refused(name: str, workloads: Sequence[Workload], words: str) -> None:
    targets = [target("a-rest", workload=each.name) for each in workloads]
    with pytest.raises(UsageError) as refused:
        chosen(targets, workloads, {"overlay": [None, name]})
    assert words in refused.value.message


def test_targets_of_a_workload_without_it_are_left_out_with_the_reason() -> None:
    targets = [target("a-rest"), target("b-rest", workload="other"), target("c-rest", workload="small")]
    named, impossible = chosen(targets, [EVENTS, OTHER, SMALL], {"overlay": ["partitioned"]})
    assert named == ["a-rest"]
    assert impossible == {
        "b-rest": "other has no overlay partitioned. Overlays of other: none.",
        "c-rest": "small has no overlay partitioned. small has no database, and so no overlays.",
    }


def test_a_target_that_stores_elsewhere_has_none() -> None:
    elsewhere = target("a-rest", storage=StorageTable(kind="memory"))
    with pytest.raises(UsageError, match="--overlay is for targets that store in PostgreSQL: leave it out"):
        chosen([elsewhere], [EVENTS], {"overlay": ["partitioned"]})


def laid_out(overlay: str | None, **levels: str) -> Contender:
    return Contender(target("a-rest"), EVENTS, engine("native"), replace(Variant(overlay=overlay), **levels))  # type: ignore[arg-type]


def test_a_server_without_the_extension_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(BakeoffError, match="needs the PostgreSQL extension citus, which the embedded PostgreSQL does"):
        check_extensions(laid_out("citus"))
    with pytest.raises(BakeoffError, match="which the container of PostgreSQL that the lab starts does not have"):
        check_extensions(laid_out("citus", runs_in="docker"))
    monkeypatch.setenv(IMAGE_VARIABLE, "postgres-with-citus")
    check_extensions(laid_out("citus", runs_in="docker"))
    check_extensions(laid_out("partitioned"))
    check_extensions(laid_out(None))


def test_the_embedded_server_is_asked_for_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    check_extensions(replace(laid_out("citus"), workload=with_overlays("plpgsql")))


@pytest.mark.end_to_end
def test_a_server_of_ones_own_is_asked_for_what_it_has(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", server.url)
    with pytest.raises(
        BakeoffError, match=r"which the server postgresql://.* does not have\. Use .*\(DATABASE_URL\)"
    ) as why:
        check_extensions(laid_out("citus"))
    assert server.url not in why.value.message
    check_extensions(replace(laid_out("citus"), workload=with_overlays("plpgsql")))


def test_the_shipped_overlays_can_be_asked_for(gallery: Project) -> None:
    events = load_workload(gallery, "events")
    named, impossible = chosen([target("a-rest")], [events], {"overlay": [None, *events.overlays]})
    assert len(named) == 3
    assert impossible == {}
