"""Refuses overlays that a contender or its server cannot have, before anything is built."""

import os
from collections.abc import Mapping, Sequence

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.table import DOCKER
from bakeoff.options.variant import Variant
from bakeoff.postgres.binaries import has_extension
from bakeoff.postgres.extensions import is_available
from bakeoff.postgres.server import user_server
from bakeoff.running.contender import Contender
from bakeoff.text.hints import nearest
from bakeoff.workload.loader import Workload


def check_overlays(variants: Sequence[Variant], workloads: Mapping[str, Workload]) -> None:
    """Raises UsageError for an overlay that no workload has."""
    known = sorted({name for each in workloads.values() for name in each.overlays})
    for variant in variants:
        if variant.overlay is not None and variant.overlay not in known:
            own = " ".join(map(overlays_in_words, workloads.values()))
            raise UsageError(f'There is no overlay "{variant.overlay}". {own}{nearest(variant.overlay, known)}')


def check_extensions(contender: Contender) -> None:
    """Raises BakeoffError where a contender's server lacks an extension that its overlay uses."""
    overlay = contender.overlay
    if overlay is None:
        return
    for extension in overlay.extensions:
        lacking = _server_without(contender.variant, extension)
        if lacking is not None:
            raise BakeoffError(
                f"--overlay {overlay.name} needs the PostgreSQL extension {extension}, which {lacking} does not have: "
                "set DATABASE_URL to a server that has it, or leave out the overlay."
            )


def _server_without(variant: Variant, extension: str) -> str | None:
    """The server of a variant in words, where it lacks the extension."""
    url = os.environ.get("DATABASE_URL")
    if variant.runs_in == DOCKER:
        return "the container of PostgreSQL that the lab starts"
    if not url:
        return None if has_extension(extension) else "the embedded PostgreSQL"
    server = user_server(url, "DATABASE_URL")
    return None if is_available(server, extension) else f"the server {server.shown_url}"


def overlays_in_words(workload: Workload) -> str:
    if not workload.uses_database:
        return f"{workload.name} has no database, and so no overlays."
    return f"Overlays of {workload.name}: {', '.join(sorted(workload.overlays)) or 'none'}."
