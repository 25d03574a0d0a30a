"""Coordinates of a trend."""

import pytest

from bakeoff.history.trends import ChangePoint
from bakeoff.serving.trend_chart import HEIGHT, WIDTH, trend_chart


def test_nothing_to_draw() -> None:
    assert trend_chart([], []) is None


def test_higher_values_lie_higher_and_inside_the_box() -> None:
    chart = trend_chart([1.0, 3.0, 2.0], [])
    assert chart is not None
    assert chart.points[1].y < chart.points[2].y < chart.points[0].y
    assert all(0 <= point.x <= WIDTH and 0 <= point.y <= HEIGHT for point in chart.points)
    assert chart.levels == []


@pytest.mark.parametrize(
    ("highest", "top"), [(55_518.0, "60,000"), (1.0, "1.00"), (0.007, "0.0080"), (101.0, "150"), (0.0, "1.00")]
)
def test_the_grid_ends_at_a_round_figure(highest: float, top: str) -> None:
    chart = trend_chart([highest], [])
    assert chart is not None
    assert chart.grid[-1][1] == top


def test_each_level_reaches_to_the_next_change() -> None:
    chart = trend_chart([1.0, 1.0, 1.0, 2.0, 2.0, 2.0], [ChangePoint(3, 1.0, 2.0)])
    assert chart is not None
    assert [(level.x1, level.x2) for level in chart.levels] == [
        (chart.points[0].x, chart.points[2].x),
        (chart.points[3].x, chart.points[5].x),
    ]
    assert [level.y for level in chart.levels] == [chart.points[0].y, chart.points[3].y]


def test_zeros_and_a_single_value_are_drawn() -> None:
    chart = trend_chart([0.0], [])
    assert chart is not None
    assert len(chart.points) == 1


def test_the_axis_names_the_first_and_the_last_run_and_few_between() -> None:
    names = [f"{day} Jul abc" for day in range(1, 31)]
    chart = trend_chart([1.0] * 30, [], names)
    assert chart is not None
    words = [each for _, each in chart.ticks]
    assert (len(words), words[0], words[-1]) == (6, names[0], names[-1])
    assert [x for x, _ in chart.ticks] == [chart.points[names.index(each)].x for each in words]
