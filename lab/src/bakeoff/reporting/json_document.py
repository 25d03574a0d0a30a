"""The judgement and its report as JSON: their members as they are, with the digits that are useful."""

import json
import math
from typing import Any

import msgspec

from bakeoff.reporting.numbers import rounded
from bakeoff.reporting.report import Report


def json_report(report: Report) -> str:
    """The whole file."""
    return json.dumps(plain_json(report), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain_json(value: Any) -> Any:
    """Values as JSON holds them. Histograms are left out: `runs export` writes them."""
    return _plain(msgspec.to_builtins(value))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name != "histogram"}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return rounded(value) if math.isfinite(value) else None
    return value
