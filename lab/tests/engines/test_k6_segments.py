"""Agents of the k6 engine: k6's execution segments, and what the lab writes to standard input."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from k6_engine.instructions import Clock, Go, Instructions
from k6_engine.plan import Plan, plan_of, refusal
from k6_engine.segment import Segment, segment_of
from k6_harness import Record, arrivals, as_text, held, iterations, plan_for


@pytest.mark.parametrize("total", [1, 2, 5, 64, 2000])
@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_shares_add_up_and_are_those_of_users_dealt_one_by_one(total: int, of: int) -> None:
    shares = [Segment(number, of).share_of(total) for number in range(1, of + 1)]
    assert shares == [sum(user % of == place for user in range(total)) for place in range(of)]
    assert sum(shares) == total


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("1/1", []),
        ("1/2", ["--execution-segment=0:1/2", "--execution-segment-sequence=0,1/2,1"]),
        ("2/3", ["--execution-segment=1/3:2/3", "--execution-segment-sequence=0,1/3,2/3,1"]),
        ("4/4", ["--execution-segment=3/4:1", "--execution-segment-sequence=0,1/4,1/2,3/4,1"]),
    ],
)
def test_an_agent_is_an_execution_segment(text: str, options: list[str]) -> None:
    assert segment_of(text).options == options


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "1/1001", "-1/2", "a/b", "1/2/3"])
def test_what_is_no_number_of_an_agent(text: str) -> None:
    with pytest.raises(ValueError, match="must be K/N, such as 2/3"):
        segment_of(text)


def divided(of: int, *phases: Record) -> list[Plan]:
    content = as_text(plan_for("http", 1, *phases)).encode()
    return [plan_of(content, "of a test", Segment(number, of)) for number in range(1, of + 1)]


def test_users_are_divided_and_numbered_as_in_the_whole_test() -> None:
    plans = divided(3, held(5, 100), held(9, 100), arrivals(5, 4, 100), iterations(7, users=3))
    users = [[phase.virtual_users for phase in plan.phases] for plan in plans]
    assert users == [[2, 3, 2, 1], [2, 3, 1, 1], [1, 3, 1, 1]]
    assert [[group.first_user for group in plan.groups()] for plan in plans] == [[0, 9, 13]] * 3
    assert [refusal(plan) for plan in plans] == [None] * 3


@pytest.mark.parametrize(
    ("phase", "words"),
    [
        (held(2, 100), "agent 3 of 3 has none of the 2 users of the phase 2 users: use fewer agents"),
        (iterations(2, users=5), "agent 3 of 3 has none of the 2 iterations of the phase smoke: use fewer agents"),
    ],
)
def test_an_agent_without_a_share_is_refused(phase: Record, words: str) -> None:
    assert [refusal(plan) for plan in divided(3, phase)] == [None, None, words]


@contextmanager
def written(*blocks: bytes) -> Iterator[Instructions]:
    """Instructions of these blocks, after which the input stays open."""
    reads, writes = os.pipe()
    try:
        for block in blocks:
            os.write(writes, block)
        yield Instructions(reads)
    finally:
        os.close(reads)
        os.close(writes)


def test_the_plan_is_the_first_line_and_instructions_follow() -> None:
    with written(b'{"version"', b":1}\nclock 7\ngo", b" 1800000000000000000\ngo\n") as instructions:
        assert instructions.plan() == b'{"version":1}'
        assert instructions.next(0) == Clock(7)
        assert not instructions.are_over()
        assert [instructions.next(0) for _ in range(3)] == [Go(1_800_000_000_000_000_000), Go(None), None]


def test_a_plan_longer_than_any_block_arrives_whole() -> None:
    reads, writes = os.pipe()
    with os.fdopen(reads, "rb", buffering=0) as source, os.fdopen(writes, "wb", buffering=0) as sink:
        instructions = Instructions(source.fileno())
        parts = [bytes([65 + number]) * 40_000 for number in range(6)]
        for part in parts:
            sink.write(part)
            assert not instructions.are_over()
        sink.write(b"\nstop\n")
        assert instructions.are_over()
        assert instructions.plan() == b"".join(parts)


def test_looking_for_the_end_keeps_what_else_has_arrived() -> None:
    with written(b"{}\nclock 1\n") as instructions:
        assert instructions.plan() == b"{}"
        assert not instructions.are_over()
        assert instructions.next(0) == Clock(1)


@pytest.mark.parametrize("ends_by", ["stop", "the end of the input"])
def test_stop_and_the_end_of_the_input_end_it(ends_by: str) -> None:
    reads, writes = os.pipe()
    instructions = Instructions(reads)
    os.write(writes, b"{}\n")
    assert not instructions.are_over()
    if ends_by == "stop":
        os.write(writes, b"stop\n")
    os.close(writes)
    assert instructions.are_over()
    assert instructions.next(10) is None
    os.close(reads)


def test_an_input_without_a_line_has_no_plan() -> None:
    reads, writes = os.pipe()
    os.write(writes, b'{"version":1')
    os.close(writes)
    assert Instructions(reads).plan() is None
    os.close(reads)
