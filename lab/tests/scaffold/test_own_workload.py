"""A workload of one's own, from `bakeoff init` to an audited run, with everything real: nothing else in the checkout
names it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.results.run import RunResult
from bakeoff.scaffold.scaffold import scaffold_of, write_scaffold
from bakeoff.workload.loader import load_workload

pytestmark = pytest.mark.end_to_end

API = Path(__file__).with_name("things_api.py")


@pytest.fixture
def checkout(measuring_checkout: Project) -> Project:
    return measuring_checkout


def run_smoke(checkout: Project, **attached: str) -> Comparison:
    targets = {name.replace("_", "-"): url for name, url in attached.items()}
    return run(checkout, ComparisonRequest("smoke", "a test", attached=targets))


def run(checkout: Project, request: ComparisonRequest) -> Comparison:
    return compare(checkout, request, PlainProgress(Console(quiet=True)))


def requests_of(result: RunResult) -> tuple[int, int]:
    """How many were sent, and how many failed."""
    assert result.total is not None
    return result.total.requests, result.total.failed


def describe_target(checkout: Project, *environment: str) -> None:
    """Fills in what `init` leaves open: how the API is started."""
    manifest = checkout.root / "targets" / "things" / "rest" / "target.toml"
    schema = checkout.root / "contract" / "things" / "schema.sql"
    text = manifest.read_text("utf-8")
    text = text.replace('commands = ["replace-me"]', f"commands = [{json.dumps(sys.executable)}]")
    text = text.replace('command = ["replace-me"]', f"command = {json.dumps([sys.executable, str(API)])}")
    variables = ", ".join([f"SCHEMA = {json.dumps(str(schema))}", *environment])
    manifest.write_text(text.replace("[settings]", f"environment = {{ {variables} }}\n\n[settings]"), "utf-8")


def test_a_stored_workload_is_proven_driven_and_audited(checkout: Project) -> None:
    write_scaffold(checkout, scaffold_of("things", "rest", "postgresql", None))
    describe_target(checkout)

    comparison = run_smoke(checkout)

    assert comparison.not_measured == {}
    (result,) = comparison.runs
    assert (result.workload, result.target, requests_of(result)) == ("things", "things-rest", (5, 0))
    assert result.audit is not None
    assert result.audit.clean is True
    # One of the five was a read.
    assert result.audit.acknowledged_operations == 4


def test_the_deletion_that_the_documentation_adds_is_driven_and_audited(checkout: Project, clone: Project) -> None:
    write_scaffold(checkout, scaffold_of("things", "rest", "postgresql", None))
    describe_target(checkout)
    documentation = (clone.root / "docs" / "WRITE_A_WORKLOAD.md").read_text("utf-8")
    deletion = (
        documentation.split("A deletion, ")[1].split("```toml\n")[1].split("```")[0].replace("/books/", "/things/")
    )
    workload = checkout.root / "contract" / "things" / "workload.toml"
    saved_once = workload.read_text("utf-8").replace('reuse = { share = 0.5, pick = "uniform" }\n', "")
    workload.write_text(saved_once + "\n" + deletion, "utf-8")

    comparison = run(checkout, ComparisonRequest("quick", "a test", users=[4], phase_duration_s=2, warm_up_s=0))

    (result,) = comparison.runs
    assert requests_of(result)[1] == 0
    assert result.audit is not None
    assert result.audit.clean is True
    assert result.audit.entities > result.audit.rows > 0


def test_an_api_that_keeps_nothing_is_not_measured(checkout: Project) -> None:
    write_scaffold(checkout, scaffold_of("things", "rest", "postgresql", None))
    describe_target(checkout, 'FORGETS = "1"')

    comparison = run_smoke(checkout)

    assert "things-rest" in comparison.not_measured
    assert "conformance cases failed (reply-waits-for-the-commit" in comparison.not_measured["things-rest"]


@contextmanager
def started_by_somebody_else() -> Iterator[int]:
    """The API without a database; gives its port."""
    port = ports.free_port()
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    with subprocess.Popen([sys.executable, str(API)], env={**environment, "PORT": str(port)}) as api:
        try:
            yield port
        finally:
            api.send_signal(signal.SIGTERM)


def test_an_api_that_runs_already_needs_no_edit_at_all(checkout: Project) -> None:
    with started_by_somebody_else() as port:
        url = f"http://127.0.0.1:{port}"
        write_scaffold(checkout, scaffold_of("things", "rest", "none", f"{url}/things"))

        comparison = run_smoke(checkout, things_rest=url)

    (result,) = comparison.runs
    assert (result.workload, requests_of(result), result.audit) == ("things", (5, 0), None)


class GrpcApi(grpc.GenericRpcHandler):
    """The service of the scaffold's proto file, in memory."""

    def __init__(self, codec: ProtoCodec) -> None:
        self._codec = codec
        self._entries: dict[str, bytes] = {}

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[bytes, bytes]":
        method = str(handler_call_details.method).rsplit("/", 1)[1]
        return grpc.unary_unary_rpc_method_handler(
            {"Save": self._save, "Read": self._read, "Check": lambda *_: b"\x08\x01"}[method]
        )

    def _identity(self, message: str, request: bytes) -> str:
        decoded = self._codec.decode(message, request)
        assert isinstance(decoded, dict)
        return str(decoded["id"])

    def _save(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        identity = self._identity("things.v1.Entry", request)
        if not identity:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "id: required")
        self._entries[identity] = request
        return self._codec.encode("things.v1.SaveReply", {"id": identity})

    def _read(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        identity = self._identity("things.v1.ReadRequest", request)
        if identity not in self._entries:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such entry")
        return self._entries[identity]


def test_a_grpc_api_that_runs_already(checkout: Project) -> None:
    write_scaffold(checkout, scaffold_of("things", "grpc", "none", None))
    server = grpc.server(ThreadPoolExecutor(4), handlers=[GrpcApi(codec_of(load_workload(checkout, "things")))])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        comparison = run_smoke(checkout, things_grpc=f"http://127.0.0.1:{port}")
    finally:
        server.stop(None).wait()

    (result,) = comparison.runs
    assert (result.workload, requests_of(result)) == ("things", (5, 0))
