"""`hit` against servers that answer as no framework would: each figure is true, and each failure has its reason."""

import json
import os
import re
import signal
import ssl
import subprocess
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from scripted_servers import OK, always, serving

from bakeoff.engines.manifest import find_engine
from bakeoff.project import FORMATS
from bakeoff.results import histograms
from build_once import build_once
from certificates import Certificate, self_signed
from described_service import Part, parts_of

pytestmark = pytest.mark.end_to_end

Hit = Callable[..., subprocess.CompletedProcess[str]]

QUICK = ("-u", "1", "--no-capacity")


@pytest.fixture(scope="session")
def program() -> Path:
    engine = find_engine("native")
    build_once(engine.build)
    return engine.build.program


@pytest.fixture
def hit(program: Path) -> Hit:
    def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(program), "hit", *arguments]
        own = {**os.environ, **(environment or {})}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=own)

    return run


def headers(request: bytes) -> list[tuple[str, str]]:
    lines = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
    return [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-n", "99999999999999999999"), "1 to 1000000000000"),
        (("-n", "0"), "1 to 1000000000000"),
        (("-n", "1e20"), "1 to 1000000000000"),
        (("-q", "inf"), "0.1 to 1000000"),
        (("-q", "nan"), "0.1 to 1000000"),
        (("-q", "1e9"), "0.1 to 1000000"),
        (("--rate=-5",), "0.1 to 1000000"),
        (("-z", "99999999999h"), "168h"),
        (("--timeout", "99999999999h"), "168h"),
        (("--arrivals", "poisson"), "--rate"),
        (("-u", "100001"), "1..=100000"),
    ],
)
def test_a_number_beyond_its_range_is_refused_before_anything_is_sent(
    hit: Hit, arguments: Sequence[str], words: str
) -> None:
    with serving(always(OK)) as server:
        done = hit(server.url, *arguments)
    assert (done.returncode, done.stdout, server.requests) == (2, "", [])
    assert words in done.stderr


def test_an_unexpected_status_is_shown_with_the_expected_one(hit: Hit) -> None:
    with serving(always(OK)) as server:
        done = hit(server.url, "-n", "5", *QUICK, "--expect", "201")
    assert "errors      status_200: 5 (expected 201)" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this", "91 bytes of its body are missing"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\nok", "content-length is not a number"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nok", "two content-length values"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello", "the end of its chunked body is missing"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "a line of its head has no colon"),
        (b"HTTP/1.1 200 OK\r\nx: y", "its head is incomplete"),
        (b"SSH-2.0-OpenSSH\r\n", "does not begin with an HTTP/1 status line"),
    ],
)
def test_a_first_reply_that_is_no_good_has_its_reason(hit: Hit, answer: bytes, words: str) -> None:
    with serving(always(answer), closes=True) as server:
        done = hit(server.url, "-n", "5", *QUICK)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{server.url} accepts the request, and its reply is no good: " in done.stderr
        assert words in done.stderr
        measured = hit(server.url, "-n", "2", *QUICK, "--expect", "200", "--json")
    reasons = json.loads(measured.stdout)["reasons"]
    assert any(words in reason for reason in reasons.values())


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n"
        + b"".join(b"x-%d: y\r\n" % each for each in range(300))
        + b"content-length: 2\r\n\r\nok",
        b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" + OK,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + OK,
    ],
    ids=["300 headers", "early hints", "continue"],
)
def test_the_first_request_takes_what_the_load_takes(hit: Hit, answer: bytes) -> None:
    with serving(always(answer)) as server:
        done = hit(server.url, "-n", "5", *QUICK)
    assert "5 sent, 5 good, 0 failed" in done.stdout, done.stderr


def test_304_is_no_redirect_and_a_redirect_without_a_place_is_named(hit: Hit) -> None:
    with serving(always(b"HTTP/1.1 304 Not Modified\r\n\r\n")) as server:
        assert "status      304: 5" in hit(server.url, "-n", "5", *QUICK).stdout
    with serving(always(b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n")) as server:
        assert "redirects to a place that it does not name (status 302)" in hit(server.url, "-n", "5").stderr


def test_no_reply_has_no_latency(hit: Hit) -> None:
    with serving(always(None)) as server:
        done = hit(server.url, "-n", "3", *QUICK, "--expect", "200")
        figures = json.loads(hit(server.url, "-n", "3", *QUICK, "--expect", "200", "--json").stdout)
    assert "0.000" not in done.stdout
    assert "p99 –" in re.sub(" +", " ", done.stderr)
    assert set(figures["percentiles_ms"].values()) == {None}
    assert (figures["min_ms"], figures["mean_ms"], figures["max_ms"]) == (None, None, None)


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(hit: Hit) -> None:
    # The first request is hit's look; each later one answers after a further 60 ms.
    import time

    def slower(number: int) -> bytes:
        time.sleep(0.06 * number)
        return OK

    with serving(slower) as server:
        figures = json.loads(hit(server.url, "-n", "6", *QUICK, "--json").stdout)
    percentiles = figures["percentiles_ms"]
    assert percentiles["p90"] == percentiles["p95"] == pytest.approx(figures["max_ms"])
    # Too few requests lie beyond them.
    assert percentiles["p99"] is None and percentiles["p99.9"] is None
    assert percentiles["p75"] < percentiles["p90"]
    assert percentiles["p10"] == pytest.approx(figures["min_ms"], rel=0.01)


def test_repeated_headers_a_host_and_methods_are_sent_as_given(hit: Hit) -> None:
    with serving(always(OK)) as server:
        done = hit(server.url, "-n", "1", *QUICK, "-H", "X-Tag: one", "-H", "X-Tag: two", "-H", "Host: shop.test")
        assert done.returncode == 0, done.stderr
        first, second = server.requests
        assert headers(first) == headers(second)
        assert [value for name, value in headers(second) if name == "x-tag"] == ["one", "two"]
        assert ("host", "shop.test") in headers(second)
        for method in ("HEAD", "OPTIONS"):
            script = always(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n" if method == "HEAD" else OK)
            with serving(script) as other:
                assert hit(other.url, "-n", "2", *QUICK, "-m", method).returncode == 0
                assert {request.split()[0].decode() for request in other.requests} == {method}


def test_a_body_goes_out_as_given_the_first_time_too(hit: Hit, tmp_path: Path) -> None:
    (tmp_path / "body.bin").write_bytes(bytes(range(256)))
    for given, sent in [
        ('{"name":"日本"}', '{"name":"日本"}'.encode()),
        ('{"name":"ü"}', '{"name":"ü"}'.encode()),
        (f"@{tmp_path / 'body.bin'}", bytes(range(256))),
    ]:
        with serving(always(OK)) as server:
            assert hit(server.url, "-n", "2", *QUICK, "--data", given).returncode == 0
        assert [request.partition(b"\r\n\r\n")[2] for request in server.requests] == [sent] * 3


@pytest.mark.parametrize("sent_signal", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_load_with_the_figures_so_far(program: Path, sent_signal: signal.Signals) -> None:
    enough = threading.Event()

    def script(number: int) -> bytes:
        if number > 100:
            enough.set()
        return OK

    with serving(script) as server:
        command = [str(program), "hit", server.url, "-u", "2", "-d", "60s", "--warm-up", "0s", "--json"]
        # Tests under nohup ignore the signal, and their children would.
        unignored = partial(signal.signal, sent_signal, signal.SIG_DFL)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=unignored
        )
        assert enough.wait(60)
        process.send_signal(sent_signal)
        out, _ = process.communicate(timeout=60)
    figures = json.loads(out)
    assert process.returncode == 128 + sent_signal
    assert figures["interrupted"]
    assert figures["ok"] > 50


def test_a_hangup_that_nohup_ignores_stays_ignored(program: Path) -> None:
    seen = threading.Event()

    def script(number: int) -> bytes:
        if number == 20:
            seen.set()
        return OK

    with serving(script) as server:
        command = ["nohup", str(program), "hit", server.url, "-n", "3000", "-u", "2", "--no-capacity", "--json"]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert seen.wait(60)
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["ok"]) == (0, 3000)


def test_a_result_that_standard_output_refuses_is_still_shown(program: Path) -> None:
    with serving(always(OK)) as server, Path("/dev/full").open("w") as full:
        command = [str(program), "hit", server.url, "-n", "5", *QUICK]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert "5 sent, 5 good" in done.stderr
    assert "standard output took nothing" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("answer", "surplus"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and much more", True),
        (OK + OK, True),
        (b"HTTP/1.1 204 No Content\r\n\r\nbody", True),
        (OK, False),
    ],
    ids=["more than its length", "two replies", "204 with a body", "right"],
)
def test_bytes_after_a_reply_are_counted_and_warned_of(hit: Hit, answer: bytes, surplus: bool) -> None:
    with serving(always(answer)) as server:
        figures = json.loads(hit(server.url, "-n", "10", *QUICK, "--json").stdout)
        text = hit(server.url, "-n", "10", *QUICK).stdout
    assert figures["ok"] == 10
    assert figures["bytes_received"] >= 9 * len(answer)
    assert (figures["surplus"] > 0) is surplus
    assert ("after the end of a reply" in " ".join(text.split())) is surplus


def test_every_line_fits_into_80_columns(hit: Hit) -> None:
    with serving(always(OK)) as server:
        texts = [
            hit(server.url, "-n", "20", "-u", "1").stdout,
            hit(server.url, "-d", "200ms", "--warm-up", "0s", "-u", "1", "--rate", "5000").stdout,
            hit(server.url, "-n", "5", *QUICK, "--expect", "201").stdout,
        ]
    assert max(len(line) for text in texts for line in text.splitlines()) <= 80, texts


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """As openssl makes it by default: of an authority, and used as the server's own."""
    return self_signed(tmp_path_factory.mktemp("certificate"))


def _context(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    return context


def test_a_certificate_that_is_named_is_trusted_and_others_are_refused_with_the_reason(
    hit: Hit, certificate: Certificate
) -> None:
    with serving(always(OK), tls=_context(certificate)) as server:
        url = f"https://127.0.0.1:{server.port}/"
        named = ("--ca-file", str(certificate.file))
        done = hit(url, "-n", "5", *QUICK, *named, "--server-name", "shop.test")
        assert "5 good, 0 failed" in done.stdout, done.stderr
        assert "5 good, 0 failed" in hit(url, "-n", "5", *QUICK, "--insecure").stdout
        done = hit(url, "-n", "5", *QUICK, *named)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"The certificate of 127.0.0.1:{server.port} is refused: " in done.stderr
        assert "--server-name" in done.stderr
        untrusted = hit(url, "-n", "5", *QUICK, "--server-name", "shop.test")
        assert "is refused: " in untrusted.stderr
        measured = hit(url, "-n", "3", *QUICK, "--expect", "200")
    assert re.search(r"certificate: 3 \(\S", measured.stdout), measured.stdout


def test_a_plain_server_has_no_tls_and_a_file_without_certificates_is_named(hit: Hit, tmp_path: Path) -> None:
    with serving(always(b"HTTP/1.1 400 Bad Request\r\n\r\n"), closes=True) as server:
        done = hit(f"https://127.0.0.1:{server.port}/", "-n", "5", "--insecure")
    assert "the server does not answer with TLS" in done.stderr
    empty = tmp_path / "no.pem"
    empty.write_text("no certificate")
    done = hit("https://127.0.0.1:1/", "-n", "5", "--ca-file", str(empty))
    assert (done.returncode, f"cannot use {empty}: it holds no certificate" in done.stderr) == (2, True)


def test_a_client_shows_its_own_certificate(hit: Hit, certificate: Certificate) -> None:
    context = _context(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificate.file)
    own = ("--cert", str(certificate.file), "--key", str(certificate.key))
    with serving(always(OK), tls=context) as server:
        url = f"https://127.0.0.1:{server.port}/"
        assert "5 good" in hit(url, "-n", "5", *QUICK, "--insecure", *own).stdout
        done = hit(url, "-n", "5", *QUICK, "--insecure")
    assert (done.returncode, done.stdout) == (1, "")


def test_where_connections_go(hit: Hit, tmp_path: Path) -> None:
    with serving(always(OK)) as server:
        named = f"http://shop.test:{server.port}/"
        assert hit(named, "-n", "2", *QUICK, "--resolve", f"shop.test:{server.port}:127.0.0.1").returncode == 0
        assert ("host", f"shop.test:{server.port}") in headers(server.requests[0])
        done = hit(named, "-n", "2", "--resolve", "other.test:80:127.0.0.1")
        assert (done.returncode, "is not for shop.test" in done.stderr) == (2, True)
    path = tmp_path / "socket"
    with serving(always(OK), path=path) as server:
        assert "5 good" in hit("http://localhost/x", "-n", "5", *QUICK, "--unix-socket", str(path)).stdout
        assert server.requests[0].startswith(b"GET /x HTTP/1.1\r\nHost: localhost:80\r\n")
    missing = hit("http://localhost/x", "--unix-socket", str(tmp_path / "none"))
    assert (missing.returncode, missing.stdout) == (1, "")
    assert f"No server answers at the Unix socket {tmp_path / 'none'}. Start it, or check the path." in missing.stderr


@pytest.mark.parametrize(
    ("scheme", "option", "advice"),
    [
        ("http", ("--http2",), "Leave out --http2 where the server does not have it"),
        ("grpc", (), "Check that a gRPC server listens there."),
    ],
)
def test_a_server_of_another_protocol_is_explained(hit: Hit, scheme: str, option: tuple[str, ...], advice: str) -> None:
    with serving(always(OK)) as server:
        done = hit(f"{scheme}://127.0.0.1:{server.port}/shop.Items/Create", *option)
    assert (done.returncode, done.stdout) == (1, "")
    assert advice in done.stderr


def test_connections_are_not_kept_where_that_is_asked(hit: Hit) -> None:
    with serving(always(OK)) as server:
        assert hit(server.url, "-n", "5", *QUICK, "--disable-keepalive").returncode == 0
    assert all(("connection", "close") in headers(request) for request in server.requests[1:])


def test_authentication(hit: Hit, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("abc\n")
    for arguments, value in [(("--basic", "me:secret"), "Basic bWU6c2VjcmV0"), (("--bearer", "abc"), "Bearer abc")]:
        with serving(always(OK)) as server:
            assert hit(server.url, "-n", "1", *QUICK, *arguments).returncode == 0
        assert all(("authorization", value) in headers(request) for request in server.requests)
    with serving(always(OK)) as server:
        assert hit(server.url, "-n", "1", *QUICK, "--bearer", f"@{tmp_path / 'token'}").returncode == 0
    assert ("authorization", "Bearer abc") in headers(server.requests[1])


def test_urls_bodies_and_rows_out_of_files(hit: Hit, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,name\n1,Ä b\n2,plain\n")
    (tmp_path / "bodies").write_text('{"n":1}\n\n{"n":2}\n')
    with serving(always(OK)) as server:
        (tmp_path / "urls").write_text(f"/a\n{server.url}b?c=d\n")
        body = '{"name":"${name}"}'
        rows = ("--csv", str(tmp_path / "rows.csv"), "-H", "X-Id: ${id}", "--data", body)
        assert hit(server.url + "items/${id}/${name}", "-n", "40", *QUICK, *rows).returncode == 0
        seen = {(each.split()[1], each.partition(b"\r\n\r\n")[2].decode()) for each in server.requests}
        assert seen == {
            (b"/items/1/%C3%84%20b", '{"name":"Ä b"}'),
            (b"/items/2/plain", '{"name":"plain"}'),
        }
        assert all(("x-id", each.split()[1].decode().split("/")[2]) in headers(each) for each in server.requests)
        server.requests.clear()
        files = ("--urls", str(tmp_path / "urls"), "--bodies", str(tmp_path / "bodies"))
        assert hit(server.url, "-n", "80", *QUICK, *files).returncode == 0
        seen = {(each.split()[1], each.partition(b"\r\n\r\n")[2].decode()) for each in server.requests}
        assert seen == {(path, body) for path in (b"/a", b"/b?c=d") for body in ('{"n":1}', '{"n":2}')}
        (tmp_path / "urls").write_text("http://elsewhere.test/\n")
        done = hit(server.url, "-n", "5", "--urls", str(tmp_path / "urls"))
        assert (done.returncode, "is not of the server" in done.stderr) == (2, True)


def test_a_form_with_a_file(hit: Hit, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\xff\r\n\0")
    with serving(always(OK)) as server:
        parts = ("-F", "title=Grün", "-F", f"photo=@{tmp_path / 'a.png'}", "-F", "meta={};type=application/json")
        assert hit(server.url, "-n", "3", *QUICK, *parts).returncode == 0
    for request in server.requests:
        content_type = dict(headers(request))["content-type"]
        assert parts_of(content_type, request.partition(b"\r\n\r\n")[2]) == [
            Part("title", None, None, "Grün".encode()),
            Part("photo", "a.png", "image/png", b"\xff\r\n\0"),
            Part("meta", None, "application/json", b"{}"),
        ]


def test_json_follows_its_schema(hit: Hit) -> None:
    schema = json.loads((FORMATS / "hit.schema.json").read_text("utf-8"))
    with serving(always(OK)) as server:
        for arguments in (("-n", "5"), ("-d", "200ms", "--rate", "50"), ("-n", "5", "--expect", "201")):
            figures = json.loads(hit(server.url, *arguments, *QUICK, "--json").stdout)
            jsonschema.validate(figures, schema)
            assert set(figures) == set(schema["properties"])


def test_the_json_goes_to_files_too(hit: Hit, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.json", "two.json")]
    files[0].write_text("of an earlier measurement")
    with serving(always(OK)) as server:
        done = hit(server.url, "-n", "5", *QUICK, "--json", *(part for file in files for part in ("-o", str(file))))
        missing = hit(server.url, "-n", "5", *QUICK, "--output", str(tmp_path / "no" / "hit.json"))
        unwritable = hit(server.url, "-n", "5", *QUICK, "--output", "/dev/full")
    assert [file.read_text() for file in files] == [done.stdout] * 2
    assert (missing.returncode, missing.stdout) == (2, "")
    assert f"--output {tmp_path / 'no' / 'hit.json'}: No such file or directory." in missing.stderr
    assert (unwritable.returncode, "5 sent, 5 good" in unwritable.stdout) == (1, True)
    assert "/dev/full was not written: No space left on device." in unwritable.stderr


def test_the_histogram_has_the_percentiles(hit: Hit) -> None:
    with serving(always(OK)) as server:
        figures = json.loads(hit(server.url, "-n", "200", *QUICK, "--json").stdout)
    latency = histograms.summarise(histograms.merge([figures["histogram"]]))
    shown = [figures["percentiles_ms"][name] for name in ("p50", "p90", "p95")]
    assert (latency.count, [latency.percentiles_ms[name] for name in ("p50", "p90", "p95")]) == (200, shown)


def test_a_ramp_comes_before_what_is_measured(hit: Hit) -> None:
    with serving(always(OK)) as server:
        done = hit(server.url, "-n", "20", "-u", "4", "--no-capacity", "--ramp", "500ms", "--json")
    assert json.loads(done.stdout)["requests"] == 20
    assert len(server.requests) > 30


def test_the_text_format_of_prometheus(hit: Hit) -> None:
    with serving(always(OK)) as server:
        text = hit(server.url, "-n", "2000", *QUICK, "--expect", "201", "--prometheus").stdout
    labels = f'url="{server.url}",method="GET"'
    assert f"bakeoff_hit_requests_total{{{labels}}} 2000" in text
    assert f'bakeoff_hit_failures_total{{{labels},kind="status_200"}} 2000' in text
    assert f'bakeoff_hit_latency_seconds{{{labels},quantile="0.99"}} ' in text


def test_a_proxy_of_the_environment_is_not_used_and_that_is_said(hit: Hit) -> None:
    with serving(always(OK)) as server:
        url = f"http://shop.test:{server.port}/"
        through = {"HTTP_PROXY": "http://127.0.0.1:1"}
        resolved = ("--resolve", f"shop.test:{server.port}:127.0.0.1")
        done = hit(url, "-n", "2", *QUICK, *resolved, "--json", environment=through)
        here = hit(server.url, "-n", "2", *QUICK, "--json", environment=through)
    # A busy machine may add that requests left late.
    said, silent = (
        [warning for warning in json.loads(each.stdout)["warnings"] if "PROXY" in warning] for each in (done, here)
    )
    assert said == ["HTTP_PROXY is set and not used: requests go straight to the server."]
    assert silent == []
