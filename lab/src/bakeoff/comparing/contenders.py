"""The contenders of a comparison: each target in each variant that it can be measured in."""

import os
from collections.abc import Iterator, Mapping, Sequence

from bakeoff.containers.database import IMAGE_VARIABLE
from bakeoff.engines.manifest import Engine
from bakeoff.engines.transport import FEATURE as AGENTS
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.kinds import agents_in
from bakeoff.options.option import MeasuredWith, options_of
from bakeoff.options.table import DOCKER, IN_PROCESSES, FactorTable
from bakeoff.options.variant import Variant, factors_of
from bakeoff.postgres.binaries import has_extension
from bakeoff.postgres.extensions import ELSEWHERE, is_available
from bakeoff.postgres.server import user_server
from bakeoff.running.contender import Contender
from bakeoff.targets.manifest import Target
from bakeoff.targets.storage import POSTGRESQL
from bakeoff.text.hints import nearest
from bakeoff.workload.features import needed_features
from bakeoff.workload.loader import Workload

# Features whose option is not named like them.
_OPTIONS = {
    "keep-alive-off": "no-keep-alive",
    "http2": "http-version 2",
    "grpc-gzip": "gzip",
    "pings": "ping",
    "grpc-streaming": "batch",
}


def contenders_of(
    targets: Sequence[Target],
    variants: Sequence[Variant],
    workloads: Mapping[str, Workload],
    engines: Mapping[str, Engine],
) -> tuple[list[Contender], dict[str, str]]:
    """Every target in every variant, and those that cannot be, each with the reason.

    A REST target cannot stream, for example. It is an error where no contender is left.
    """
    _check_known(variants, workloads)
    possible, impossible = [], {}
    for target in targets:
        for variant, factors in zip(variants, factors_of(variants), strict=True):
            contender = Contender(target, workloads[target.workload], engines[variant.engine], variant, factors)
            reason = next(_reasons(contender), None)
            if reason is None:
                possible.append(contender)
            else:
                impossible[contender.key] = reason
    if not possible:
        raise UsageError(next(iter(impossible.values())))
    return possible, impossible


def _check_known(variants: Sequence[Variant], workloads: Mapping[str, Workload]) -> None:
    """A level that one workload has leaves the targets of the others out; one that none has is a UsageError."""
    overlays = sorted({name for each in workloads.values() for name in each.overlays})
    for variant in variants:
        if all(variant.payload not in workload.payloads for workload in workloads.values()):
            known = (f"Payloads of {each.name}: {', '.join(each.payloads)}." for each in workloads.values())
            raise UsageError(f'There is no payload "{variant.payload}". {" ".join(known)}')
        if variant.overlay is not None and variant.overlay not in overlays:
            own = " ".join(map(overlays_in_words, workloads.values()))
            raise UsageError(f'There is no overlay "{variant.overlay}". {own}{nearest(variant.overlay, overlays)}')


def _reasons(contender: Contender) -> Iterator[str]:
    """Why the engine or the workload does not support a contender."""
    engine, workload, variant, protocol = contender.engine, contender.workload, contender.variant, contender.protocol
    if variant.payload not in workload.payloads:
        yield f"{workload.name} has no payload {variant.payload}, only {', '.join(workload.payloads)}."
    if protocol not in engine.manifest.protocols:
        yield f"The engine {engine.name} does not speak {protocol}: use another --engine."
    if variant.overlay is not None and variant.overlay not in workload.overlays:
        yield f"{workload.name} has no overlay {variant.overlay}. {overlays_in_words(workload)}"
    measured_with = _measured_with(contender)
    for option in options_of(FactorTable).values():
        if getattr(variant, option.field) != option.default and (reason := option.unsuited(measured_with)) is not None:
            yield reason
    yield from _missing_features(contender)


def _measured_with(contender: Contender) -> MeasuredWith:
    variant, protocol, manifest = contender.variant, contender.protocol, contender.target.manifest
    effects = [each.effect for each in contender.workload.declared.operations if each.needs is None]
    return MeasuredWith(
        protocol=protocol,
        is_http2=protocol == "grpc" or variant.http_version == "2",
        is_process=variant.runs_in == IN_PROCESSES,
        uses_tls=variant.tls,
        uses_pooler=variant.pgbouncer is not None,
        stores_in_postgresql=contender.storage == POSTGRESQL,
        prepares_itself=manifest.storage.prepare is not None,
        reads_from_replica=manifest.run.read_url_variable is not None,
        creates=any(effect is not None and effect.document is not None for effect in effects),
    )


def _missing_features(contender: Contender) -> Iterator[str]:
    engine, workload, variant, protocol = contender.engine, contender.workload, contender.variant, contender.protocol
    for feature, operation in needed_features(workload, protocol).items():
        if not engine.can(feature):
            yield (
                f"The engine {engine.name} has no {feature}, which the operation {operation} of {workload.name} needs: "
                "use another --engine."
            )
    batch, stream = workload.declared.batch, workload.declared.stream
    # Over gRPC a batch without a field of its own is a stream of messages.
    is_message_stream = protocol == "grpc" and batch.grpc is not None and batch.grpc.field is None
    wanted = {
        AGENTS: agents_in(variant.agents) > 1,
        "batch": variant.transport.batch > 1,
        "stream": variant.transport.stream,
        "shared-connections": variant.connections is not None,
        "keep-alive-off": variant.no_keep_alive,
        "http2": variant.http_version == "2",
        "grpc-gzip": variant.gzip,
        "pings": variant.ping is not None,
        "grpc-streaming": variant.transport.batch > 1 and is_message_stream,
    }
    declared = {"batch": batch.over(protocol) is not None, "stream": stream.over(protocol) is not None}
    for feature in (name for name, is_wanted in wanted.items() if is_wanted):
        option = _OPTIONS.get(feature, feature)
        if not engine.can(feature):
            yield f"The engine {engine.name} cannot do --{option}: leave it out, or choose another --engine."
        if not declared.get(feature, True):
            yield f"{workload.name} has no [{feature}] for {protocol}: leave out --{feature}."


def check_extensions(contender: Contender) -> None:
    """Raises BakeoffError where a contender's server lacks an extension that its overlay uses."""
    overlay = contender.overlay
    if overlay is None:
        return
    for extension in overlay.extensions:
        lacking = _server_without(contender, extension)
        if lacking is not None:
            raise BakeoffError(
                f"--overlay {overlay.name} needs the PostgreSQL extension {extension}, which {lacking} does not have. "
                f"{ELSEWHERE} Or leave out the overlay."
            )


def _server_without(contender: Contender, extension: str) -> str | None:
    """The server of a contender in words, where it is known to lack the extension."""
    url, choice = os.environ.get("DATABASE_URL"), contender.target.manifest.storage.postgres
    if contender.variant.runs_in == DOCKER:
        return None if os.environ.get(IMAGE_VARIABLE) else "the container of PostgreSQL that the lab starts"
    if not url:
        return None if has_extension(choice, extension) else f"the {choice} PostgreSQL"
    server = user_server(url, "DATABASE_URL")
    return None if is_available(server, extension) else f"the server {server.shown_url}"


def overlays_in_words(workload: Workload) -> str:
    if not workload.uses_database:
        return f"{workload.name} has no database, and so no overlays."
    return f"Overlays of {workload.name}: {', '.join(sorted(workload.overlays)) or 'none'}."
