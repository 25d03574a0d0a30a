"""The files of gallery/experiments/side-by-side name what exists, and ratios come out as the rounds have them."""

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.project import Project, own_checkout
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload

FILES = sorted((own_checkout().root / "gallery" / "experiments" / "side-by-side").glob("*.toml"))

SMALL = """
question = "Which?"
workload = "events"
servers = [{ name = "a", protocol = "rest", command = ["a"] }, { name = "b", target = "b" }]
sides = [{ name = "one", server = "a" }, { name = "two", server = "b" }, { name = "three", server = "b" }]
ratios = [{ of = ["one"], to = ["two", "three"], goal = 0.9 }]
"""


ONE = 'name = "one", server = "a"'


def tool(command: str = "true", per_s: str = "Requests/sec: (.*)") -> str:
    words = ", ".join(f'"{word}"' for word in command.split())
    return f"tools = [{{ name = 'it', command = [{words}], per_s = '{per_s}', failed = 'Non-2xx' }}]\nservers"


@pytest.fixture(scope="module")
def side_by_side(clone: Project) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(clone.root / "lab" / "benchmarks")
        return importlib.import_module("side_by_side")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_files_name_what_exists(gallery: Project, side_by_side: ModuleType, file: Path) -> None:
    declared = side_by_side.read(file)
    workload, targets = load_workload(gallery, declared.workload), {each.name: each for each in find_targets(gallery)}
    operations = {each.name for each in [*workload.declared.operations, *declared.operations]}
    for server in declared.servers:
        assert (gallery.root / server.directory).is_dir()
        for name in {server.target, server.beside} - {None}:
            assert name in targets
        if server.target is not None:
            assert set(server.settings) <= {setting.name for setting in targets[server.target].settings}
    for side in declared.sides:
        assert set(side.send) | set(side.before.send if side.before else ()) <= operations
    assert all(ratio.goal is None or ratio.goal > 0 for ratio in declared.ratios)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('to = ["two", "three"]', 'to = ["four"]'), "there is no side four"),
        (('server = "a"', 'server = "c"'), "there is no server c"),
        (('name = "one", server = "a"', 'name = "one", server = "a", database = "d"'), "there is no database d"),
        (('server = "a"', 'server = "a", pgbench = "SELECT 1"'), "either a server and what to send, or pgbench"),
        (('command = ["a"]', 'target = "a", command = ["a"]'), "either a target, or a command and its protocol"),
        (("question", "quesiton"), "quesiton"),
        ((ONE, f"{ONE}, tool = 'it'"), "there is no tool it"),
        (("servers", tool("true {adress}")), "a name in braces other than .*adress"),
        (("servers", tool("")), "has no command"),
        (("servers", tool(per_s="Requests/sec")), "per_s needs one group"),
        (("servers", tool(per_s="(")), "no regular expression"),
        ((ONE, f"{ONE}, reuse = 2"), "the reuse of side one is 2"),
        ((ONE, f"{ONE}, reuse = 0.5, tool = 'it'"), "sends what its command says"),
        ((ONE, f"{ONE}, send = {{ a = 1 }}, tool = 'it'"), "sends what its command says"),
    ],
)
def test_names_that_nothing_has_are_refused(
    side_by_side: ModuleType, tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(*change), "utf-8")
    with pytest.raises(BakeoffError, match=words):
        side_by_side.read(file)


def test_a_ratio_is_that_of_the_fastest_of_each_round(side_by_side: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    rates = {"one": (90.0, 180.0, 90.0), "two": (100.0, 150.0, 80.0), "three": (50.0, 200.0, 100.0)}
    measured = {
        name: {number: side_by_side.Figures(rate, 10.0) for number, rate in enumerate(by_round)}
        for name, by_round in rates.items()
    }
    lines = side_by_side.lines_of(side_by_side.read(file), measured)
    assert lines[0] == "Which?"
    assert lines[1] == "  one: 90/s, 10.0 µs of CPU each"
    assert lines[-1].startswith("one ÷ two or three: 0.900×")
    assert lines[-1].endswith("goal ≥ 0.9: met ✅")


def test_each_round_has_another_order(side_by_side: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL, "utf-8")
    sides = side_by_side.read(file).sides
    orders = ["".join(side.name[1] for side in side_by_side.order_of(sides, number)) for number in range(4)]
    assert orders == ["nwh", "hwn", "whn", "nhw"]


@pytest.mark.parametrize(
    ("printed", "outcome"),
    [
        ("Requests/sec: 1234.5\n", 1234.5),
        ("Requests/sec: 1234.5\nNon-2xx or 3xx responses: 3\n", "requests failed: Non-2xx"),
        ("unable to connect\n", "printed nothing like"),
        ("Requests/sec: many\n", "'many' is no rate"),
    ],
)
def test_a_tool_s_rate_is_taken_only_where_no_request_failed(
    side_by_side: ModuleType, tmp_path: Path, printed: str, outcome: float | str
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("servers", tool(), 1), "utf-8")
    declared = side_by_side.read(file)
    side, used = declared.sides[0], declared.tools[0]
    if isinstance(outcome, float):
        assert side_by_side.rate_of(side, used, printed) == outcome
    else:
        with pytest.raises(BakeoffError, match=outcome):
            side_by_side.rate_of(side, used, printed)


def test_a_tool_that_is_not_installed_is_named(side_by_side: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("servers", tool("no-such-program {url}"), 1), "utf-8")
    with pytest.raises(BakeoffError, match="needs no-such-program: install it"):
        side_by_side.check_installed(side_by_side.read(file).tools)
