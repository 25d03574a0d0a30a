"""Lists in pages of every kind, from a description to a measured run: no request fails, and later pages are reached."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console

import lists_api
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.project import Project
from bakeoff.scaffold.import_files import imported_scaffold, write_import

pytestmark = pytest.mark.end_to_end

QUICK = ComparisonRequest("quick", "a test", users=[2], phase_duration_s=2, warm_up_s=0)


@pytest.fixture
def service() -> Iterator[tuple[lists_api.ListsApi, int]]:
    """The API and its port."""
    api = lists_api.ListsApi()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, document, headers = api.answer(self.path)
            body = json.dumps(document).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield api, server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_lists_of_all_kinds_are_read_page_after_page(
    measuring_checkout: Project, service: tuple[lists_api.ListsApi, int], tmp_path: Path
) -> None:
    api, port = service
    file = tmp_path / "lists.json"
    file.write_text(json.dumps(lists_api.document()), "utf-8")
    described = import_openapi(file)
    write_import(measuring_checkout, imported_scaffold("lists", described, None), described, file)

    request = replace(QUICK, attached={"lists-rest": f"http://127.0.0.1:{port}"})
    comparison = compare(measuring_checkout, request, PlainProgress(Console(quiet=True)))

    (run,) = comparison.runs
    assert run.total is not None
    assert (run.total.failed, api.refused) == (0, [])
    assert {name: sorted(set(starts)) for name, starts in api.starts.items()} == dict.fromkeys(
        lists_api.KINDS, lists_api.STARTS
    )
