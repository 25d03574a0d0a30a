"""The record of a gauge that a target shows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gauge:
    """What one gauge came to in a span: `readings` of it, their mean and the highest of them."""

    unit: str
    mean: float
    maximum: float
    readings: int
