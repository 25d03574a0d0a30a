"""The record of a gauge that a target shows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gauge:
    """One gauge in a span: the number of `readings`, their mean and the highest of them."""

    unit: str
    mean: float
    maximum: float
    readings: int
