"""Stacks, from the facts of runs."""

import pytest

from bakeoff.results.stack import INSTALL_BYTES, SOURCE_LINES, STACK, Stack, in_words, parts_in, stack_in


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"framework": "Flask 3.1"},
        {"framework": "Flask 3.1", "orm": "SQLAlchemy 2.1, Flask-SQLAlchemy 3.1", "http-server": "Gunicorn: gthread"},
    ],
)
def test_parts_are_read_as_they_were_written(parts: dict[str, str]) -> None:
    assert parts_in(in_words(parts)) == parts


def test_facts_that_are_absent_are_unknown() -> None:
    assert stack_in({}) == Stack()
    facts = {STACK: "driver: pgx 5", INSTALL_BYTES: "12", SOURCE_LINES: "many"}
    assert stack_in(facts) == Stack({"driver": "pgx 5"}, 12, None)
