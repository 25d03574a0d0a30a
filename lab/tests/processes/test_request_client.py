"""The client of single requests: threads share it, and what ends it is reported."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.processes.launching import PROCESSES
from bakeoff.processes.request_client import ClientReply, RequestClient

# Answers two requests, the later one first, each with its path.
REVERSED = """
import base64, json, sys
for asked in reversed([json.loads(sys.stdin.readline()) for _ in range(2)]):
    body = base64.b64encode(asked["path"].encode()).decode()
    print(json.dumps({"id": asked["id"], "status": "200", "headers": [["a", "b"]], "body_base64": body, "error": None,
                      "then": [{"status": None, "headers": [], "body_base64": "",
                                "error": {"kind": "closed", "message": "gone"}}]}), flush=True)
sys.stdin.read()
"""
HERE = ("127.0.0.1", 1)


def scripted(script: str) -> RequestClient:
    return RequestClient([sys.executable, "-c", script], PROCESSES)


def test_each_thread_gets_its_own_reply() -> None:
    client = scripted(REVERSED)
    with ThreadPoolExecutor(2) as pool:
        replies = list(pool.map(lambda path: client.ask(HERE, "http", path, timeout_s=30), ["/a", "/b"]))
    then = [ClientReply(headers=[], failure="closed", reason="gone", then=[])]
    assert replies == [ClientReply("200", [("a", "b")], body, then=then) for body in (b"/a", b"/b")]


def test_a_client_that_ends_is_an_error_and_is_started_again() -> None:
    client = scripted("import sys; sys.stdin.readline(); sys.exit(3)")
    for _ in range(2):
        with pytest.raises(BakeoffError, match="has ended"):
            client.ask(HERE, "http", "/", timeout_s=30)


def test_a_request_that_cannot_be_sent_is_an_error_with_its_reason(client: RequestClient) -> None:
    with pytest.raises(BakeoffError, match=r"No request can be sent to 127\.0\.0\.1:1: the header \"a b\""):
        client.ask(HERE, "http", "/", timeout_s=1, headers=[["a b", "c"]])
    assert client.ask(HERE, "http", "/", timeout_s=1).failure == "refused"
