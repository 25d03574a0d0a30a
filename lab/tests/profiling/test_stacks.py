"""Stacks of samples, the functions whose share grew, and the picture of both profiles."""

from collections import Counter
from xml.etree import ElementTree

import pytest

from bakeoff.profiling.flame_graph import differential_flame_graph
from bakeoff.profiling.stacks import Growth, Stacks, grown, shares_of, stacks_of_lines, stacks_of_perf

PERF = """tokio-rt-worker
\t    55d0c0ffee <hyper::Conn as Future>::poll::h0123456789abcdef (/opt/bin/api (deleted))
\t    55d0c0ff00 main+0x12 (/opt/bin/api)

java-worker
\t    7f00000001 [unknown] ([heap])
\t    7f00000002 org.example.Api.list(int) (/tmp/perf-12.map)

"""
SVG = "{http://www.w3.org/2000/svg}"
BEFORE: Stacks = Counter({("main", "read"): 90, ("main", "write"): 10})
AFTER: Stacks = Counter({("main", "read"): 50, ("main", "read", "query <all>"): 45, ("main", "write"): 5})


def test_blocks_of_perf_are_stacks_from_the_outermost_function() -> None:
    assert stacks_of_perf(iter(PERF.splitlines())) == {
        ("main", "<hyper::Conn as Future>::poll"): 1,
        ("org.example.Api.list(int)", "[[heap]]"): 1,
    }


def test_lines_of_one_function_are_one_frame() -> None:
    lines = ["serve (api.py:3);list (api.py:9) 4", "serve (api.py:4);list (api.py:11) 2", "", "no count"]
    assert stacks_of_lines(iter(lines)) == {("serve (api.py)", "list (api.py)"): 6}


def test_the_functions_that_grew_come_with_both_shares() -> None:
    assert grown(BEFORE, AFTER) == [Growth("query <all>", 0.0, 0.45)]
    assert grown(AFTER, BEFORE)[0] == Growth("read", 0.5, 0.9)
    assert grown(BEFORE, BEFORE) == []
    assert shares_of(Counter()) == {}


@pytest.mark.parametrize(
    ("before", "after"), [(BEFORE, AFTER), (AFTER, BEFORE), (Counter(), AFTER), (BEFORE, Counter())]
)
def test_the_picture_is_well_formed_and_no_row_is_wider_than_the_one_below(before: Stacks, after: Stacks) -> None:
    picture = ElementTree.fromstring(differential_flame_graph(before, after, "api <1>"))  # noqa: S314 — our own
    rows: dict[str, float] = {}
    for box in picture.iterfind(f"{SVG}g/{SVG}rect"):
        rows[box.attrib["y"]] = rows.get(box.attrib["y"], 0.0) + float(box.attrib["width"])
    widths = [rows[y] for y in sorted(rows, key=float, reverse=True)]
    assert widths == sorted(widths, reverse=True)
    assert max(widths) <= 1180.5


def test_a_larger_share_is_red_and_a_smaller_blue() -> None:
    picture = ElementTree.fromstring(differential_flame_graph(BEFORE, AFTER, "api"))  # noqa: S314 — our own
    frames = picture.findall(f"{SVG}g")
    colours = {each.findtext(f"{SVG}title"): each.find(f"{SVG}rect").get("fill") for each in frames}  # type: ignore[union-attr]
    assert colours["query <all>: 0.0% → 45.0%"] == "rgb(255,105,105)"
    assert colours["write: 10.0% → 5.0%"] == "rgb(180,180,255)"
    assert colours["main: 100.0% → 100.0%"] == "rgb(255,255,255)"
