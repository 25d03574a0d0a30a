"""The model prints jsonb as PostgreSQL does: its rows are only as good as that."""

import os

import pytest
from json_reader import read_json
from jsonb_text import jsonb_text

from bakeoff.postgres.server import Server

TEXTS = {
    '{"bb": 1, "a": 2, "é": 3, "ccc": 4, "A": 5, "": 6}': '{"": 6, "A": 5, "a": 2, "bb": 1, "é": 3, "ccc": 4}',
    '{"a": 1, "b": 2, "a": {"x": 1, "x": 2}}': '{"a": {"x": 2}, "b": 2}',
    '[ ] ': "[]",
    '[{}, [[]], null, true, false]': "[{}, [[]], null, true, false]",
    r'"\u0041\u00e9\ud83d\ude00\/\b\f\n\r\t\u0001\u001f\u007f\"\\"': '"Aé😀/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\"\\\\"',
    "0.10": "0.10",
    "-0": "0",
    "-0.00": "0.00",
    "0e5": "0",
    "0e-5": "0.00000",
    "1E+2": "100",
    "1.50e1": "15.0",
    "1.5e3": "1500",
    "-25e-4": "-0.0025",
    "123.456e-2": "1.23456",
    "12345678901234567890": "12345678901234567890",
    "1e23": "1" + "0" * 23,
    "5e-324": "0." + "0" * 323 + "5",
}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_the_model_prints(text: str) -> None:
    assert jsonb_text(read_json(text)) == TEXTS[text]


@pytest.mark.end_to_end
@pytest.mark.skipif("TEST_DATABASE_URL" not in os.environ, reason="./bakeoff test gives TEST_DATABASE_URL")
def test_postgresql_prints_the_same() -> None:
    with Server(os.environ["TEST_DATABASE_URL"], None, embedded=False).connect() as connection:
        rows = connection.execute("SELECT t, t::jsonb::text FROM unnest(%s::text[]) AS t", [list(TEXTS)]).fetchall()

    assert dict(rows) == TEXTS
