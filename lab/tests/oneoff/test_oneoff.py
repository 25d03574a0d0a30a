"""`bakeoff hit`: what is sent, what is refused before anything is sent, and what a stream comes to."""

import base64
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

import made_up_records
from as_json import as_json
from bakeoff.cli.hit import HitOptions, request_of
from bakeoff.engines.stream import PhaseEnd
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.oneoff.first_request import status_of
from bakeoff.oneoff.measure import hit_of
from bakeoff.oneoff.text import described, lines_of, warnings_of
from bakeoff.oneoff.url_request import OneOff, checked_headers, checked_url

OPTIONS = HitOptions(
    url="http://127.0.0.1:3000/a?b=c",
    users=64,
    short=[],
    duration="10s",
    requests=None,
    rate=None,
    arrivals="constant",
    method=None,
    header=[],
    data=None,
    content_type=None,
    connections=None,
    timeout="30s",
    warm_up="1s",
    ca_file=None,
    expect=None,
    as_json=False,
)


def histogram(*milliseconds: float) -> str:
    recorded = HdrHistogram(1, 3_600_000_000_000, 3)
    for value in milliseconds:
        recorded.record_value(round(value * 1e6))
    text = recorded.encode()
    return text.decode() if isinstance(text, bytes) else text


def phase_end(**changes: Any) -> PhaseEnd:
    values: dict[str, Any] = {
        "duration_ns": 2_000_000_000,
        "sent": 10,
        "ok": 7,
        "failed": 3,
        "bytes_sent": 1000,
        "bytes_received": 4000,
        "errors": {"status_500": 2, "timeout": 1},
        "service_histogram": histogram(1, 2, 3),
    }
    return made_up_records.phase_end(**{**values, **changes})


def test_a_url_alone_is_a_get_by_64_users_for_10_s_after_a_warm_up() -> None:
    plan = request_of(OPTIONS).plan(200)
    (operation,) = as_json(plan)["operations"]
    assert operation["http"] == {
        "method": "GET",
        "path": ["/a?b=c"],
        "headers": {},
        "expect": 200,
        "reply": {},
        "capture": {},
    }
    assert as_json(plan)["phases"] == [
        {"name": "Warm-up", "duration_ms": 1000, "virtual_users": 64},
        {"name": "Measured", "duration_ms": 10_000, "virtual_users": 64},
    ]


def test_nothing_of_the_users_own_is_taken_for_a_slot() -> None:
    options = replace(OPTIONS, url="http://h/${uuid}", data='{"a": "${uuid}"}')
    (operation,) = as_json(request_of(options).plan(200))["operations"]
    assert operation["variants"] == [['{"a": "${uuid}"}']]
    assert operation["http"]["path"] == ["/${uuid}"]


def test_a_body_makes_it_a_post_of_json(tmp_path: Path) -> None:
    file = tmp_path / "body.json"
    file.write_text('{"a": 1}')
    request = request_of(replace(OPTIONS, short=["2s", f"@{file}"]))
    assert (request.method, request.body, request.duration_s) == ("POST", '{"a": 1}', 2.0)
    assert request.headers == {"content-type": "application/json"}


def test_a_count_takes_the_place_of_the_duration_and_the_warm_up() -> None:
    request = request_of(replace(OPTIONS, requests=20))
    assert as_json(request.plan(200))["phases"] == [{"name": "Requests", "virtual_users": 20, "iterations": 20}]


def test_a_rate_makes_the_model_open() -> None:
    measured = as_json(request_of(replace(OPTIONS, rate=500.0, arrivals="poisson")).plan(200))["phases"][-1]
    assert measured["rate"] == 500.0
    assert measured["arrival"] == "poisson"
    assert measured["max_virtual_users"] == 64


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"url": "127.0.0.1:3000"}, "is not a URL of an HTTP server"),
        ({"url": "ftp://h/x"}, "is not a URL of an HTTP server"),
        ({"url": "http://h:99999/"}, "is not a URL"),
        ({"url": "http://me:secret@h/"}, "send it as a header"),
        ({"url": "http://h/ü"}, "percent-encode"),
        ({"method": "BREW"}, "There is no method"),
        ({"header": ["no colon"]}, "is not a header"),
        ({"header": ["Host: other"]}, "The engine sets host itself"),
        ({"data": "@/nowhere/at/all"}, "cannot be read"),
        ({"requests": 5, "rate": 5.0}, "leave one of them out"),
        ({"connections": 65}, "only 64 --users"),
        ({"arrivals": "often"}, "--arrivals"),
        ({"duration": "soon"}, "is not a duration"),
    ],
)
def test_what_cannot_be_sent_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        request_of(replace(OPTIONS, **changes))  # type: ignore[arg-type]


def test_a_body_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "body"
    file.write_bytes(base64.b64decode("//79"))
    with pytest.raises(UsageError, match="not UTF-8"):
        request_of(replace(OPTIONS, data=f"@{file}"))


def test_header_names_are_lower_case_and_override_the_usual_type() -> None:
    assert checked_headers(["Content-Type: text/plain", "X-A:1"], "application/json") == {
        "content-type": "text/plain",
        "x-a": "1",
    }


def test_the_last_phase_counts_and_failures_are_told_apart() -> None:
    hit = hit_of([phase_end(ok=999), phase_end()], 200, 1000.0)
    assert hit.requests_per_s == 3.5
    assert hit.statuses == {200: 7, 500: 2}
    assert hit.errors == {"timeout": 1}
    assert hit.percentiles_ms["p50"] == pytest.approx(2, rel=0.001)


def test_a_redirect_that_is_expected_counts_as_a_good_reply() -> None:
    assert hit_of([phase_end(ok=4, failed=0, errors={})], 302, None).statuses == {302: 4}


def test_latency_in_the_open_model_begins_when_a_request_was_due() -> None:
    assert hit_of([phase_end(response_histogram=histogram(100))], 200, None).mean_ms == pytest.approx(100, rel=0.001)


def test_figures_near_the_generators_own_limit_are_doubtful() -> None:
    hit = hit_of([phase_end()], 200, 4.0)
    assert any("near its own limit" in warning for warning in warnings_of(hit))
    assert not list(warnings_of(replace(hit, capacity_per_s=100.0)))


def test_a_generator_that_sends_late_says_so() -> None:
    hit = hit_of([phase_end(send_lag_histogram=histogram(5))], 200, None)
    assert any("late" in warning for warning in warnings_of(hit))


def test_everything_is_printed_and_is_json() -> None:
    request, hit = request_of(OPTIONS), hit_of([phase_end()], 200, 1000.0)
    text = "\n".join(lines_of(request, hit))
    for part in ("10 sent, 7 good, 3 failed (30.00%)", "200: 7, 500: 2", "timeout: 1", "p99.9", "mean", "1,000/s"):
        assert part in text
    assert json.loads(json.dumps(described(request, hit)))["requests_per_s"] == 3.5


@pytest.fixture
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302 if self.path == "/moved" else 404 if self.path == "/none" else 201)
            self.send_header("Location", "/there")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


def test_the_first_reply_says_what_a_good_one_is(server: str) -> None:
    assert status_of(OneOff(checked_url(f"{server}/"))) == 201


def test_a_redirect_is_refused_with_its_place(server: str) -> None:
    with pytest.raises(BakeoffError, match="redirects to /there"):
        status_of(OneOff(f"{server}/moved"))


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(BakeoffError, match="does not answer: Connection refused"):
        status_of(OneOff("http://127.0.0.1:1/x"))
