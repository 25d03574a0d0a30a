"""The engine's own client: what it sends is sent as the load is."""

from functools import cache

from bakeoff.engines.manifest import Engine, engine_files, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.processes.launching import PROCESSES, Launcher
from bakeoff.processes.request_client import RequestClient


def client_engine(launcher: Launcher = PROCESSES) -> Engine:
    """The engine that sends single requests, as a process or in a container."""
    engines = map(find_engine, engine_files())
    engine = next((each for each in engines if each.manifest.request is not None), None)
    if engine is None:
        raise BakeoffError("No engine here sends single requests: install the whole package again.")
    return engine.in_docker() if launcher.in_containers else engine


def has_client() -> bool:
    """Whether this machine has the client, or can build it."""
    return not client_engine().toolchain_is_missing


def client_of(launcher: Launcher = PROCESSES) -> RequestClient:
    """The client that all use whose programs this launcher starts. Raises BakeoffError where it is not built."""
    return _client_of(launcher if launcher.in_containers else PROCESSES)


@cache
def _client_of(launcher: Launcher) -> RequestClient:
    engine = client_engine(launcher)
    engine.check_toolchain()
    if engine.build.is_stale():
        raise BakeoffError(f"The engine {engine.name}, which sends single requests, is not built.")
    return RequestClient(engine.request_command(), launcher, *engine.in_container)
