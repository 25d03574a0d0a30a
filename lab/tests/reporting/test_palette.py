"""The palette in the eyes of readers who see colours otherwise, and of those who print in black and white."""

from itertools import combinations

import numpy as np
import pytest

from bakeoff.reporting.palette import DARK, LIGHT, Theme, outline, style

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# Machado, Oliveira and Fernandes (2009), severity 1.
SIGHTS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_TO_LMS = np.array(
    [[0.4122215, 0.5363325, 0.0514460], [0.2119035, 0.6806995, 0.1073970], [0.0883025, 0.2817188, 0.6299787]]
)
_TO_OKLAB = np.array(
    [[0.2104543, 0.7936178, -0.0040720], [1.9779985, -2.4285922, 0.4505937], [0.0259040, 0.7827718, -0.8086758]]
)
TOLD_APART = 0.085
"""Distance in Oklab; 0.02 is just noticeable side by side."""


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_colours_can_be_told_apart(theme: Theme, sight: str) -> None:
    seen = {colour: _oklab(SIGHTS[sight] @ _linear(colour)) for colour in theme.series}
    nearest = min(combinations(seen, 2), key=lambda pair: _distance(seen[pair[0]], seen[pair[1]]))
    assert _distance(seen[nearest[0]], seen[nearest[1]]) > TOLD_APART, nearest


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_and_words_stand_out_from_the_background(theme: Theme) -> None:
    assert min(_contrast(colour, theme.background) for colour in theme.series) >= 3
    assert min(_contrast(colour, theme.background) for colour in (theme.text, theme.muted, theme.accent)) >= 4.5


def test_twenty_four_styles_differ_without_colour() -> None:
    looks = {(look.shape, look.hollow, tuple(look.dash), look.colour) for look in map(style, range(24))}
    assert len(looks) == 24
    assert len({(look.shape, look.hollow, tuple(look.dash)) for look in map(style, range(24))}) == 24


def test_languages_differ_in_hue_and_dash_and_protocols_in_point() -> None:
    assert len({(style(number).colour, tuple(style(number).dash)) for number in range(8)}) == 8
    assert len({(style(8 * number).shape, style(8 * number).hollow) for number in range(8)}) == 8
    assert len({style(8 * number).colour for number in range(8)}) == 1


def test_points_are_closed_paths() -> None:
    assert {outline(style(number).shape, 0, 0, 5)[-1] for number in range(8)} == {"Z"}


def _linear(colour: str) -> Vector:
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear: Vector = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear


def _oklab(linear: Vector) -> Vector:
    seen: Vector = _TO_OKLAB @ np.cbrt(_TO_LMS @ np.clip(linear, 0, 1))
    return seen


def _distance(one: Vector, other: Vector) -> float:
    return float(np.linalg.norm(one - other))


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((float(_linear(each) @ [0.2126, 0.7152, 0.0722]) for each in (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
