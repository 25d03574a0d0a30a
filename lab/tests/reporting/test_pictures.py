"""Charts as pictures: valid SVG, PNG of the right size, ticks where people expect them."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from functools import partial
from pathlib import Path

import msgspec
import pytest
import resvg_py

from bakeoff.reporting.chart import Axis
from bakeoff.reporting.pictures.png import png_of
from bakeoff.reporting.pictures.scales import Scale, even_ticks, fitted, ticks
from bakeoff.reporting.pictures.svg import svg_of
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_files import write_report
from hostile import hostile_comparison
from judgements import SPEEDS, Shape, comparison

LINEAR = Axis("", "linear", "rate")
LOG = Axis("", "log", "ms")
NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_each_chart_becomes_a_file(tmp_path: Path) -> None:
    data = report_of(*comparison())
    written = write_report(data, "svg", tmp_path / "pictures")
    assert {path.name for path in written} == {f"{chart.id}.svg" for chart in data.charts}
    for path in written:
        ElementTree.fromstring(path.read_text("utf-8"))  # noqa: S314 — our own file


def test_every_contender_is_named_in_its_picture() -> None:
    chart = next(each for each in report_of(*comparison()).charts if each.slot == "throughput")
    assert {"Rust REST", "Rust gRPC", "Go REST", "virtual users"} <= set(_words(svg_of(chart)))


def test_nothing_lies_outside_a_picture() -> None:
    for chart in report_of(*comparison(Shape(targets=tuple(SPEEDS)))).charts:
        for element in ElementTree.fromstring(svg_of(chart)).iter(f"{NAMESPACE}text"):  # noqa: S314
            assert 0 <= float(element.attrib["x"]) <= 1280
            assert 0 <= float(element.attrib["y"]) <= 720


@pytest.mark.parametrize(("words", "is_whole"), [(15, True), (30, True), (50, True), (120, False)])
def test_a_note_has_three_lines_at_most(words: int, is_whole: bool) -> None:
    chart = next(each for each in report_of(*comparison()).charts if each.slot == "throughput")
    note = " ".join(f"word-{number}" for number in range(words))
    drawn = " ".join(_words(svg_of(msgspec.structs.replace(chart, note=note, beyond=[]))))
    assert (note in drawn) is is_whole
    assert ("…" in drawn) is not is_whole


def test_hostile_names_stay_words() -> None:
    for chart in report_of(*hostile_comparison()).charts:
        root = ElementTree.fromstring(svg_of(chart))  # noqa: S314
        assert not [each for each in root.iter() if each.tag.removeprefix(NAMESPACE) in ("script", "img", "image")]


def test_a_png_is_twice_as_large_as_its_drawing() -> None:
    png = png_of(svg_of(report_of(*comparison()).charts[0]))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (2560, 1440)


def test_letters_are_drawn_without_fonts_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = svg_of(report_of(*comparison()).charts[0])
    with_machine = png_of(svg)
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))
    assert png_of(svg) == with_machine
    assert png_of(svg) != png_of(re.sub("<text.*?</text>", "", svg))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0, 47_000, [0, 10_000, 20_000, 30_000, 40_000]),
        (0, 0.0004, [0, 0.0001, 0.0002, 0.0003, 0.0004]),
        (0.86, 1.48, [1.0, 1.2, 1.4]),
    ],
)
def test_ticks_are_even(low: float, high: float, expected: list[float]) -> None:
    assert even_ticks(low, high) == pytest.approx(expected)


def test_ticks_of_a_logarithmic_scale() -> None:
    short = fitted(LOG, [0.9, 30], 0, 100)
    assert [words for _, words in ticks(LOG, short)] == ["1", "2", "5", "10", "20"]
    long = fitted(LOG, [0.9, 9_000], 0, 100)
    assert [value for value, _ in ticks(LOG, long)] == [1, 10, 100, 1_000, 10_000]
    # Between 2 and 10 only 5 would be left of 1, 2 and 5: one line says nothing of a scale.
    between = fitted(LOG, [2.2, 8.5], 0, 100)
    assert [words for _, words in ticks(LOG, between)] == ["4", "6", "8"]


def test_thousands_are_written_alike_along_an_axis() -> None:
    assert [words for _, words in ticks(LINEAR, Scale(0, 21_000, 0, 1))] == ["0", "5k", "10k", "15k", "20k"]
    assert [words for _, words in ticks(LINEAR, Scale(0, 2_100, 0, 1))] == ["0", "500", "1,000", "1,500", "2,000"]


@pytest.mark.parametrize("values", [[], [0.0], [5.0], [5.0, 5.0]])
def test_a_scale_has_room_whatever_there_is(values: list[float]) -> None:
    for axis in (LINEAR, LOG):
        scale = fitted(axis, values, 0, 100, from_zero=True)
        assert scale.low < scale.high
        assert all(0 <= scale.at(value) <= 100 for value in values)


def _words(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text")]  # noqa: S314
