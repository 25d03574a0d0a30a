"""`bakeoff serve`."""

import contextlib
import os
import socket
from typing import Annotated

import typer

from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import find_project

_BACKLOG = 128
_TIMEOUT_S = 2
"""How long responses in flight may take at the end; longer than pages that follow a run need to notice it."""


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free port.")] = 8080,
    token: Annotated[
        str | None, typer.Option(help="Bearer token that clients must send. [none on loopback, otherwise random]")
    ] = None,
) -> None:
    """Show results in a browser. Pages: comparisons, runs, trends, and the progress of the current run."""
    from bakeoff.targets.access import is_loopback

    if token is not None and not (8 <= len(token) <= 256 and token.isascii() and token.isprintable()):
        raise UsageError("--token must have 8 to 256 printable ASCII characters.")
    if token is None and not is_loopback(host):
        import secrets

        token = secrets.token_urlsafe(24)
    with listening(host, port) as listener, stored_history() as database:
        import uvicorn

        from bakeoff.serving.web_app import create_app

        pages = create_app(find_project(), database, token, is_ending=lambda: server.should_exit)
        server = uvicorn.Server(
            uvicorn.Config(pages, log_level="warning", access_log=False, timeout_graceful_shutdown=_TIMEOUT_S)
        )
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        typer.echo(f"{address}{'' if token is None else f'?token={token}'} (Ctrl-C stops)")
        # The server has ended in good order when it passes the interrupt on.
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one."""
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=_BACKLOG
        )
    except socket.gaierror as error:
        raise BakeoffError(f"Cannot listen on {host}: {error.strerror}. Choose another --host.") from error
    except OSError as error:
        # The library's own words name the address a second time.
        reason = os.strerror(error.errno) if error.errno else error
        raise BakeoffError(
            f"Cannot listen on {host}, port {port}: {reason}. Choose another --port, or 0 for a free one."
        ) from error
