"""A shell line that sends the first request of a plan."""

import base64
import json
import shlex

from bakeoff.workload.bodies import encoded
from bakeoff.workload.plan_records import Plan, PlannedOperation
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render


def request_line(plan: Plan) -> str:
    """A shell line that sends the plan's first operation: curl for HTTP, grpcurl for gRPC."""
    operation, transport = plan.operations[0], plan.transport
    key_format = [] if operation.key is None else plan.keys[operation.key].format
    bare = Event(plan.run, 0, 0, plan.base_time_ms)
    numbers = RandomNumbers(int(plan.seed, 16), 0, 0)
    event = Event(plan.run, 0, 0, plan.base_time_ms, key=render(key_format, numbers, bare))
    message = render(operation.variants[0], numbers, event)
    address = f"{transport.host}:{transport.port}"
    authority = None if transport.tls is None else transport.tls.ca_file
    if operation.http is None or transport.protocol == "grpc":
        assert operation.grpc is not None
        security = f"-cacert {shlex.quote(authority)}" if authority else "-plaintext"
        return f"grpcurl {security} -d {shlex.quote(message)} {address} {operation.grpc.method}"
    path = render(operation.http.path, numbers, event)
    headers = " ".join(f"-H {shlex.quote(f'{name}: {value}')}" for name, value in operation.http.headers.items())
    before, data = _curl_body(operation, message)
    body = f" {headers} {data}" if message else ""
    security, scheme = (f" --cacert {shlex.quote(authority)}", "https") if authority else ("", "http")
    return f"{before}curl{security} -X {operation.http.method}{body} {scheme}://{address}{path}"


def _curl_body(operation: PlannedOperation, message: str) -> tuple[str, str]:
    """The command before curl, and curl's option for the body; bytes come from a pipe."""
    if operation.body is None:
        is_json = operation.http is None or operation.http.headers.get("content-type") == "application/json"
        text = json.dumps(json.loads(message)) if is_json and message else message
        return "", f"{'-d' if is_json else '--data-raw'} {shlex.quote(text)}"
    content = encoded(operation.body, message if operation.body == "binary" else json.loads(message))
    if operation.body == "form":
        return "", f"--data-raw {shlex.quote(content.decode())}"
    return f"echo {base64.b64encode(content).decode()} | base64 -d | ", "--data-binary @-"
