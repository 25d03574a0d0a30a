"""Which texts are timestamps."""

import calendar
import re
from collections.abc import Collection

_RFC_3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_EPOCH = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_MAXIMUM_EPOCH_DIGITS = 15
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_timestamp(text: str, rules: Collection[str]) -> bool:
    """Whether the text is RFC 3339 or epoch milliseconds, under these rules."""
    return _is_rfc_3339(text, rules) or is_epoch(text, rules)


def is_epoch(literal: str, rules: Collection[str]) -> bool:
    """Whether a number, or the text of one, is epoch milliseconds."""
    if "timestamp-epoch" not in rules:
        return False
    if not _EPOCH.fullmatch(literal):
        return "epoch-is-integer" not in rules and bool(re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", literal))
    maximum = _MAXIMUM_EPOCH_DIGITS - ("inclusive-limits" not in rules)
    return len(literal.lstrip("-")) <= maximum or "timestamp-epoch-length" not in rules


def _is_rfc_3339(text: str, rules: Collection[str]) -> bool:
    parts = _RFC_3339.fullmatch(text)
    if parts is None:
        return False
    fraction, zone = parts[5] or "", parts[6]
    return (
        _day_exists(int(parts[1]), int(parts[2]), int(parts[3]), rules)
        and ("timestamp-fraction" in rules or len(fraction) <= len(".000"))
        and ("timestamp-offset" in rules or zone in "Zz")
        and ("timestamp-any-case" in rules or text == text.upper())
    )


def _day_exists(year: int, month: int, day: int, rules: Collection[str]) -> bool:
    if not 1 <= month <= 12:
        return False
    if "timestamp-day-exists" not in rules:
        return 1 <= day <= 31
    is_leap_february = month == 2 and calendar.isleap(year) and "timestamp-leap-years" in rules
    return 1 <= day <= _DAYS[month - 1] + is_leap_february
