"""The loads of the tools, and the behaviour of the server during them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from null_server import DELAYED
from tools import RATE, SATURATION

# Of the time of a run, in its middle.
STALLED_SHARE = 0.2


@dataclass(frozen=True)
class Scenario:
    """One load on one server."""

    title: str
    protocol: str
    model: str
    server: Sequence[str] = ()
    stalls: bool = False

    def known_ms(self, seconds: float) -> Mapping[int, float]:
        """Percentiles that are known beforehand, from the instant at which requests were due; no tool can see less."""
        if self.stalls:
            # A fifth of the requests was due while the server stood still; the first of them waited longest.
            stall_ms = STALLED_SHARE * seconds * 1000
            return {50: 2, 90: stall_ms * (1 - 0.10 / STALLED_SHARE), 99: stall_ms * (1 - 0.01 / STALLED_SHARE)}
        return {50: 2, 90: 2, 99: 20} if self.server else {}


SCENARIOS = (
    Scenario("HTTP, as fast as it goes", "http", SATURATION),
    Scenario("gRPC, as fast as it goes", "grpc", SATURATION),
    Scenario("HTTP at a constant rate; a reply takes 2 ms, one of fifty 20 ms", "http", RATE, DELAYED),
    Scenario("gRPC at a constant rate; a reply takes 2 ms, one of fifty 20 ms", "grpc", RATE, DELAYED),
    Scenario(
        "HTTP at the same rate; the server stands still for a fifth of the time", "http", RATE, DELAYED, stalls=True
    ),
)
