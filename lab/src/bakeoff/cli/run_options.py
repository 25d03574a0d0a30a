"""What the options of `bakeoff run` ask for: text as it was typed, turned into a request. Errors name the option."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from bakeoff.comparing.experiment import read_experiment
from bakeoff.comparing.rate_search import START_PER_S
from bakeoff.comparing.request import TWINS, ComparisonRequest, Matrix
from bakeoff.durations import seconds_of
from bakeoff.errors import UsageError
from bakeoff.factors.variant import Sending
from bakeoff.project import Project
from bakeoff.running.isolation import Isolation, memory_of, pins_of, usable_cpus
from bakeoff.running.modes import ARRIVALS, RATE
from bakeoff.targets.access import access_of


@dataclass(frozen=True)
class RunOptions:
    """The command line's options, as typed; None where one was left out."""

    what: str | None
    command: str
    resume: bool = False
    targets: Sequence[str] = ()
    rounds: int | None = None
    payload: str | None = None
    engine: str | None = None
    write_mode: str | None = None
    settings: Sequence[str] = ()
    phase_duration: str | None = None
    users: str | None = None
    rate: str | None = None
    arrivals: str | None = None
    think_time: str | None = None
    warm_up: str | None = None
    connections: int | None = None
    batch: int = 1
    stream: bool = False
    window: int = 1
    seed: int | None = None
    update_share: float | None = None
    zipf: float | None = None
    shared_keys: int | None = None
    preload: int = 0
    tls: bool = False
    token: bool = False
    aa: bool = False
    pin: str | None = None
    limit_cpus: float | None = None
    limit_memory: str | None = None
    attach: Sequence[str] = ()
    containers: Sequence[str] = ()
    agents: int | None = None
    slo: str | None = None
    as_json: bool = False


# What options are called where their names differ.
_OPTIONS = {"targets": "target", "settings": "set", "containers": "container"}


def refuse_beside_resume(options: RunOptions) -> None:
    """Raises UsageError where `--resume` is not alone: a comparison goes on as it was asked for."""
    given = [
        each.name
        for each in fields(RunOptions)
        if each.name not in ("command", "resume", "what", "as_json") and getattr(options, each.name) != each.default
    ]
    names = [f"--{_OPTIONS.get(name, name.replace('_', '-'))}" for name in given]
    beside = [*([] if options.what is None else [options.what]), *names]
    if beside:
        raise UsageError(
            f"--resume goes on with a comparison as it was asked for: leave out {', '.join(beside)}, or leave out "
            "--resume to measure anew."
        )


def request_of(project: Project, options: RunOptions) -> ComparisonRequest:
    """The comparison that the options ask for: a mode's, or an experiment's with what is given changed in it."""
    if options.what is None:
        raise UsageError("Missing argument: name a mode, such as ./bakeoff run quick, or an experiment's file.")
    if options.what.endswith(".toml"):
        request = replace(read_experiment(project, Path(options.what)), command=options.command)
    else:
        request = ComparisonRequest(options.what, options.command)
    changed = _changes(options)
    if options.slo is not None and options.rate is None:
        changed = {**changed, "rates": [START_PER_S]}
    request = replace(request, **changed, matrix=_matrix(options, request.matrix))
    # Says now what is wrong with phases and factors, before anything is built.
    _ = request.phases, request.matrix.variants()
    return request


def settings_of(write_mode: str | None, assignments: Sequence[str]) -> dict[str, str]:
    """Settings of the target by their names, from --write-mode and each --set."""
    settings = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals and value):
            raise UsageError(f'--set is "{assignment}": write name=value, such as pool_size=20.')
        settings[name] = value
    if write_mode not in (None, "group-commit", "per-request"):
        raise UsageError(f'--write-mode is "{write_mode}": use group-commit or per-request.')
    return settings if write_mode is None else {**settings, "write_mode": write_mode}


def users_of(text: str | None) -> list[int]:
    """Numbers of virtual users, from a list with commas."""
    if text is None:
        return []
    counts = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not all(1 <= count <= 100_000 for count in counts):
        raise UsageError(f'--users is "{text}": write numbers from 1 to 100,000 with commas, such as 64,256.')
    return counts


def rates_of(text: str) -> list[float]:
    """Arrival rates, from a list with commas."""
    try:
        rates = [float(part) for part in text.split(",")]
    except ValueError:
        rates = []
    if not rates or not all(0 < rate <= 10_000_000 for rate in rates):
        raise UsageError(f'--rate is "{text}": write arrivals a second with commas, such as 1000,5000.')
    return rates


def _changes(options: RunOptions) -> Mapping[str, Any]:
    """What the options say of the request itself."""
    if options.arrivals not in (None, *ARRIVALS):
        raise UsageError(f'--arrivals is "{options.arrivals}": use {" or ".join(ARRIVALS)}.')
    if options.arrivals is not None and options.what != RATE:
        raise UsageError("--arrivals belongs to the mode rate: ./bakeoff run rate --rate 1000 --arrivals poisson.")
    given = {
        "targets": options.targets or None,
        "rounds": options.rounds,
        "seed": options.seed,
        "phase_duration_s": None if options.phase_duration is None else seconds_of(options.phase_duration),
        "users": users_of(options.users) or None,
        "rates": None if options.rate is None else rates_of(options.rate),
        "arrivals": options.arrivals,
        "think_time_s": None if options.think_time is None else seconds_of(options.think_time, shortest_s=0),
        "attached": attached_of(options.attach) or None,
        "containers": containers_of(options.containers) or None,
        "agents": options.agents,
        "isolation": _isolation(options),
        "warm_up_s": None if options.warm_up is None else seconds_of(options.warm_up, shortest_s=0),
    }
    return {name: value for name, value in given.items() if value is not None}


def attached_of(assignments: Sequence[str]) -> dict[str, str]:
    """Targets and where they run, from each --attach."""
    attached = {}
    for assignment in assignments:
        name, equals, url = assignment.partition("=")
        if not (name and equals and url):
            raise UsageError(f'--attach is "{assignment}": write TARGET=http://host:port.')
        access_of(url)
        attached[name] = url
    return attached


def containers_of(assignments: Sequence[str]) -> dict[str, str]:
    """Attached targets, or the database, and the containers that they run in, from each --container."""
    containers = {}
    for assignment in assignments:
        name, equals, container = assignment.partition("=")
        if not (name and equals and container):
            raise UsageError(f'--container is "{assignment}": write TARGET=container or database=container.')
        containers[name] = container
    return containers


def _isolation(options: RunOptions) -> Isolation | None:
    if (options.pin, options.limit_cpus, options.limit_memory) == (None, None, None):
        return None
    return Isolation(
        pin={} if options.pin is None else pins_of(options.pin, usable_cpus()),
        limit_cpus=options.limit_cpus,
        limit_memory_bytes=None if options.limit_memory is None else memory_of(options.limit_memory),
    )


def _matrix(options: RunOptions, matrix: Matrix) -> Matrix:
    """The factors, each with the one level that an option gives it."""
    settings = settings_of(options.write_mode, options.settings)
    sending = Sending(options.batch, options.stream, options.window if options.stream else 1)
    given = {
        "payload": None if options.payload is None else (options.payload,),
        "engine": None if options.engine is None else (options.engine,),
        "connections": None if options.connections is None else (options.connections,),
        "sending": None if sending == Sending() else (sending.name,),
        "update_share": None if options.update_share is None else (options.update_share,),
        "key_pick": None if options.zipf is None else (f"zipf:{options.zipf:g}",),
        "shared_keys": None if options.shared_keys is None else (options.shared_keys,),
        "preload": (options.preload,) if options.preload else None,
        "tls": (True,) if options.tls else None,
        "token": (True,) if options.token else None,
        "twins": TWINS if options.aa else None,
    }
    changed: dict[str, Any] = {name: levels for name, levels in given.items() if levels is not None}
    return replace(matrix, **changed, settings={**matrix.settings, **{name: (v,) for name, v in settings.items()}})
