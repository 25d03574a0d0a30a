"""Small real servers for the engine to load: HTTP over asyncio, gRPC over grpcio, each on a free port."""

import asyncio
import base64
import json
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from grpc_tools import protoc

from certificates import Certificate

PROTO = """
syntax = "proto3";
package probe;
service Store {
  rpc Put(Item) returns (Answer);
  rpc PutAll(Items) returns (Answer);
}
message Item { string id = 1; double amount = 2; string text = 3; }
message Items { repeated Item members = 1; }
message Answer { bool stored = 1; uint32 refused = 2; }
"""

OK_REPLY = b'{"stored":true,"refused":0}'


@dataclass(frozen=True)
class Received:
    """One request: path and body of HTTP, method and JSON of gRPC; headers or metadata under lower-case names."""

    path: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass
class Server:
    """A running server and what reached it."""

    port: int = 0
    seen: list[Received] = field(default_factory=list)
    connections: int = 0


@dataclass(frozen=True)
class HttpReply:
    """The server's reply. Without a status it disconnects, with `silent` it never replies."""

    status: int | None = 200
    body: bytes = OK_REPLY
    silent: bool = False


@contextmanager
def http_server(
    answer: Callable[[int], HttpReply] = lambda _number: HttpReply(), certificate: Certificate | None = None
) -> Iterator[Server]:
    """Answers request by request, as `answer` says for its number, from 0; over TLS where there is a certificate."""
    server = Server()
    loop = asyncio.new_event_loop()
    listener = loop.run_until_complete(
        asyncio.start_server(_http_handler(server, answer), "127.0.0.1", 0, ssl=_tls(certificate))
    )
    server.port = listener.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listener.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


def _tls(certificate: Certificate | None) -> ssl.SSLContext | None:
    if certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    # Offered and not spoken: a client that prefers it does not do what a plan says.
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def _http_handler(server: Server, answer: Callable[[int], HttpReply]) -> Callable[..., Any]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while True:
                server.seen.append(await _http_request(reader))
                reply = answer(len(server.seen) - 1)
                if reply.status is None:
                    break
                if not reply.silent:
                    head = f"HTTP/1.1 {reply.status} X\r\ncontent-length: {len(reply.body)}\r\n\r\n"
                    writer.write(head.encode() + reply.body)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    return handle


async def _http_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    lengths = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
    body = await reader.readexactly(int(lengths[0])) if lengths else b""
    lines = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
    return Received(head.split()[1], body.decode(), {name.lower(): value for name, _, value in lines})


def probe_proto() -> dict[str, str]:
    """The plan's `proto`; the descriptor set is all that the engine uses of it."""
    return {"file": "/nowhere/probe.proto", "import_path": "/nowhere", "descriptor_set": _descriptor_set()}


def _descriptor_set() -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "probe.proto").write_text(PROTO)
        out = Path(folder) / "probe.set"
        status = protoc.main(["", f"-I{folder}", f"--descriptor_set_out={out}", "--include_imports", "probe.proto"])
        assert status == 0
        return base64.b64encode(out.read_bytes()).decode()


@contextmanager
def grpc_server(
    status: grpc.StatusCode = grpc.StatusCode.OK,
    answer: dict[str, Any] | None = None,
    silent: bool = False,
    certificate: Certificate | None = None,
) -> Iterator[Server]:
    """Answers every call alike: with a status, and `answer` as the message; `silent` keeps calls waiting."""
    server = Server()
    finished = threading.Event()
    handlers = _GrpcHandlers(server, status, answer or json.loads(OK_REPLY), finished if silent else None)
    listener = grpc.server(ThreadPoolExecutor(4), handlers=[handlers])
    if certificate is None:
        server.port = listener.add_insecure_port("127.0.0.1:0")
    else:
        pair = (certificate.key.read_bytes(), certificate.file.read_bytes())
        server.port = listener.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
    listener.start()
    try:
        yield server
    finally:
        finished.set()
        listener.stop(None).wait()


class _GrpcHandlers(grpc.GenericRpcHandler):
    def __init__(
        self, server: Server, status: grpc.StatusCode, answer: dict[str, Any], held: threading.Event | None
    ) -> None:
        files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(_descriptor_set()))
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        self._methods = pool.FindServiceByName("probe.Store").methods_by_name
        self._server, self._status, self._answer, self._held = server, status, answer, held
        self._peers: set[str] = set()

    def service(self, details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any]":
        method = self._methods[details.method.rsplit("/", 1)[1]]
        request_class = message_factory.GetMessageClass(method.input_type)
        reply = json_format.ParseDict(self._answer, message_factory.GetMessageClass(method.output_type)())

        def call(request: Any, context: grpc.ServicerContext) -> Any:
            self._note(method.name, request, context)
            if self._held is not None:
                self._held.wait()
            if self._status is not grpc.StatusCode.OK:
                context.abort(self._status, "as the test asks")
            return reply

        return grpc.unary_unary_rpc_method_handler(call, request_class.FromString, lambda m: m.SerializeToString())

    def _note(self, method: str, request: Any, context: grpc.ServicerContext) -> None:
        metadata = {name: str(value) for name, value in context.invocation_metadata()}
        self._server.seen.append(Received(method, json_format.MessageToJson(request, indent=None), metadata))
        self._peers.add(context.peer())
        self._server.connections = len(self._peers)
