"""Simulates the throughput of more hosts; it measures nothing. `python lab/benchmarks/scale_simulation.py [--help]`.

A closed queueing network: users send, a target's cores work, then a database's cores, then the log is flushed, and the
engine's cores take part in each request. Throughput by exact mean value analysis (Reiser and Lavenberg 1980), stations
of several cores by Seidmann's approximation. Assumptions, each printed with the result:

- CPU per event of engine and target is what was measured on two shared cores (docs/RESULTS.md), and the same on every
  host. That of PostgreSQL is what these leave of the two cores, which is the most that it can be: two cores at 62,175
  events/s are 32.2 µs for each event. What several hosts cost more (network, coherency between targets) is
  --network-us for each event.
- Load is divided evenly; rows are independent, so that no two events wait for one lock.
- Every database is one shard with its own log. Group commit: a flush takes --flush-us and carries --batch events.
"""

import argparse
import math
from collections.abc import Mapping

from bakeoff.judging.judgement import UslFit
from bakeoff.judging.usl import fit_usl

_MILLION = 1_000_000


def main() -> None:
    """Prints throughput by number of targets with the law through it, and what a million events a second need."""
    given = _arguments()
    print("SIMULATED, not measured. Assumptions:")
    for name, value in sorted(vars(given).items()):
        print(f"  {name.replace('_', ' ')}: {value:g}")
    print("\n| targets | events/s | full |\n|---:|---:|---|")
    rates: dict[int, dict[int, float]] = {}
    for targets in (1, 2, 3, 4, 6, 8, 12, 16):
        demands = _demands_us(given, targets)
        rate = _throughput_per_s(demands, given.users)
        full = max(demands, key=lambda station: demands[station][0] / demands[station][1])
        share = rate * demands[full][0] / demands[full][1] / _MILLION
        print(f"| {targets} | {rate:,.0f} | {full if share > 0.85 else 'nothing'} ({share:.0%}) |")
        rates[targets] = {1: rate}
    fit = fit_usl(rates)
    assert isinstance(fit, UslFit), fit
    print(f"\nThe law: λ {fit.rate_per_s.value:,.0f}/s, σ {fit.contention.value:.3g}, κ {fit.coherency.value:.2g}.")
    _needs(given)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, words in (
        ("engine-us", 4.2, "CPU of the engine per event"),
        ("target-us", 10.3, "CPU of the target per event"),
        ("database-us", 17.7, "CPU of PostgreSQL per event"),
        ("network-us", 5.0, "more CPU of the target per event, for the network between hosts"),
        ("flush-us", 400.0, "one flush of the log"),
        ("batch", 500.0, "events that a flush carries"),
        ("cores", 4.0, "cores of each host"),
        ("databases", 8.0, "shards, each on its own host"),
        ("engines", 4.0, "hosts with an engine"),
        ("users", 4096.0, "virtual users"),
    ):
        parser.add_argument(f"--{name}", type=float, default=default, help=f"{words} [{default:g}]")
    return parser.parse_args()


def _demands_us(given: argparse.Namespace, targets: int) -> Mapping[str, tuple[float, float]]:
    """Work of each station per event, and how many servers share it."""
    return {
        "engine CPU": (given.engine_us, given.cores * given.engines),
        "target CPU": (given.target_us + given.network_us, given.cores * targets),
        "database CPU": (given.database_us, given.cores * given.databases),
        "log flushes": (given.flush_us / given.batch, given.databases),
    }


def _throughput_per_s(demands_us: Mapping[str, tuple[float, float]], users: float) -> float:
    """Exact mean value analysis over queueing stations of one server; the rest of each is a delay (Seidmann)."""
    queues = [demand / servers for demand, servers in demands_us.values()]
    delay = sum(demand * (servers - 1) / servers for demand, servers in demands_us.values())
    waiting, rate = [0.0] * len(queues), 0.0
    for number in range(1, round(users) + 1):
        times = [demand * (1 + queue) for demand, queue in zip(queues, waiting, strict=True)]
        rate = number / (delay + sum(times))
        waiting = [rate * time for time in times]
    return rate * _MILLION


def _needs(given: argparse.Namespace) -> None:
    """Cores at 70% use: queues grow without bound near 100%."""
    print("\nA million events a second, at 70% of each core:")
    for name, cpu_us in (
        ("engines", given.engine_us),
        ("targets", given.target_us + given.network_us),
        ("databases", given.database_us),
    ):
        cores = cpu_us / 0.7
        print(f"  {name}: {cores:.1f} cores, {math.ceil(cores / given.cores)} hosts of {given.cores:g}")
    flushes = _MILLION / given.batch
    print(f"  log: {flushes:,.0f} flushes/s, {math.ceil(flushes * given.flush_us / 0.7 / _MILLION)} logs (shards)")


if __name__ == "__main__":
    main()
