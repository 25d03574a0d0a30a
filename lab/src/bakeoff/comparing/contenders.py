"""The contenders of a comparison: each target in each variant that it can be measured in."""

from collections.abc import Mapping, Sequence

from bakeoff.comparing.overlays import check_overlays, why_not_laid_out
from bakeoff.engines.manifest import Engine
from bakeoff.engines.transport import FEATURE as AGENTS
from bakeoff.errors import UsageError
from bakeoff.options.kinds import agents_in
from bakeoff.options.table import IN_PROCESSES
from bakeoff.options.variant import Variant, factors_of
from bakeoff.running.contender import Contender
from bakeoff.targets.manifest import POSTGRESQL, Target
from bakeoff.workload.declaration import Operation
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
    _check_payloads(variants, workloads)
    check_overlays(variants, workloads)
    possible, impossible = [], {}
    for target in targets:
        for variant, factors in zip(variants, factors_of(variants), strict=True):
            contender = Contender(target, workloads[target.workload], engines[variant.engine], variant, factors)
            reason = why_impossible(contender)
            if reason is None:
                possible.append(contender)
            else:
                impossible[contender.key] = reason
    if not possible:
        raise UsageError(next(iter(impossible.values())))
    return possible, impossible


def _check_payloads(variants: Sequence[Variant], workloads: Mapping[str, Workload]) -> None:
    """A size that one workload has and another has not leaves the targets of the other out."""
    for variant in variants:
        if all(variant.payload not in workload.payloads for workload in workloads.values()):
            known = (f"Payloads of {each.name}: {', '.join(each.payloads)}." for each in workloads.values())
            raise UsageError(f'There is no payload "{variant.payload}". {" ".join(known)}')


def why_impossible(contender: Contender) -> str | None:
    """Why the engine or the workload does not support a contender, or None."""
    engine, workload, variant = contender.engine, contender.workload, contender.variant
    if variant.payload not in workload.payloads:
        return f"{workload.name} has no payload {variant.payload}, only {', '.join(workload.payloads)}."
    if contender.protocol not in engine.manifest.protocols:
        return f"The engine {engine.name} does not speak {contender.protocol}: use another --engine."
    if variant.preload and not any(_stores(operation) for operation in workload.declared.operations):
        return f"No operation of {workload.name} creates anything that --preload could store: leave it out."
    if reason := _why_not_stored_like_this(contender) or _why_not_of(variant, contender.protocol):
        return reason
    for feature, operation in needed_features(workload, contender.protocol).items():
        if not engine.can(feature):
            return (
                f"The engine {engine.name} has no {feature}, which the operation {operation} of {workload.name} needs: "
                "use another --engine."
            )
    features = (
        (agents_in(variant.agents) > 1, AGENTS),
        (variant.transport.batch > 1, "batch"),
        (variant.transport.stream, "stream"),
        (variant.connections is not None, "shared-connections"),
        (variant.no_keep_alive, "keep-alive-off"),
        (variant.http_version == "2", "http2"),
        (variant.gzip, "grpc-gzip"),
        (variant.ping is not None, "pings"),
        (variant.transport.batch > 1 and _is_message_stream(contender), "grpc-streaming"),
    )
    for is_wanted, feature in features:
        if not is_wanted:
            continue
        if not engine.can(feature):
            option = _OPTIONS.get(feature, feature)
            return f"The engine {engine.name} cannot do --{option}: leave it out, or choose another --engine."
        is_declared = {
            "batch": workload.declared.batch.over(contender.protocol) is not None,
            "stream": workload.declared.stream.over(contender.protocol) is not None,
        }
        if not is_declared.get(feature, True):
            return f"{workload.name} has no [{feature}] for {contender.protocol}: leave out --{feature}."
    return None


def _stores(operation: Operation) -> bool:
    effect = operation.effect
    return operation.needs is None and effect is not None and effect.document is not None


def _why_not_replicated(variant: Variant, protocol: str) -> str | None:
    if protocol == "grpc" or variant.tls or variant.http_version == "2":
        return "--replicas puts HAProxy before REST over HTTP/1.1 without TLS: leave it out."
    if variant.runs_in != IN_PROCESSES:
        return "--replicas is for targets that the lab starts as processes: in a cluster, scale the Deployment."
    return None


def _why_not_stored_like_this(contender: Contender) -> str | None:
    return why_not_laid_out(contender) or _why_not_pooled(contender) or _why_not_read_elsewhere(contender)


def _why_not_read_elsewhere(contender: Contender) -> str | None:
    variant, target = contender.variant, contender.target
    if not variant.read_replica:
        return None
    if variant.runs_in != IN_PROCESSES:
        return "--read-replica is for targets that the lab starts as processes: leave it out."
    if contender.place != POSTGRESQL:
        return "It stores nothing in PostgreSQL: leave out --read-replica."
    if target.manifest.run.read_url_variable is None:
        return (
            "It cannot read from a replica, since its target.toml names no read_url_variable: leave out --read-replica."
        )
    return None


def _why_not_pooled(contender: Contender) -> str | None:
    variant = contender.variant
    if variant.pgbouncer is None:
        is_usual = variant.pgbouncer_connections == Variant().pgbouncer_connections
        return None if is_usual else "--pgbouncer-connections needs --pgbouncer session or transaction."
    if variant.runs_in != IN_PROCESSES:
        return "--pgbouncer is for targets that the lab starts as processes: leave it out."
    if contender.place != POSTGRESQL:
        return "It stores nothing in PostgreSQL: leave out --pgbouncer."
    return None


def _why_not_of(variant: Variant, protocol: str) -> str | None:
    """Why a protocol cannot be sent like this, or None."""
    if variant.replicas is not None and (reason := _why_not_replicated(variant, protocol)):
        return reason
    is_http2 = protocol == "grpc" or variant.http_version == "2"
    rules = (
        (variant.no_keep_alive and is_http2, "HTTP/2 and gRPC keep their connections: leave out --no-keep-alive."),
        (variant.http_version == "2" and protocol == "grpc", "gRPC is HTTP/2 always: leave out --http-version."),
        (variant.gzip and protocol != "grpc", "--gzip compresses gRPC messages: name gRPC targets."),
        (variant.ping is not None and not is_http2, "--ping needs gRPC, or --http-version 2."),
    )
    return next((reason for is_wrong, reason in rules if is_wrong), None)


def _is_message_stream(contender: Contender) -> bool:
    """Whether a batch over gRPC is a stream of messages, and not a field of one."""
    batch = contender.workload.declared.batch.grpc
    return contender.protocol == "grpc" and batch is not None and batch.field is None
