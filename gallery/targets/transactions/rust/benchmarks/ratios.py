"""The gateway's throughput as ratios of one comparison: `python3 benchmarks/ratios.py [ROUNDS] [SECONDS]`.

Health checks and transactions at 100 connections, over Unix sockets and over NATS, beside the framework's own minimal
server; every round measures each for so many seconds, in an order that rotates. Then the echoes of the bus alone. For
docs/TRANSACTION_GATEWAY.md, on a machine that is left alone.
"""

import sys
from contextlib import ExitStack
from statistics import median
from typing import Any

import processes

_CONNECTIONS = "100"

BARE, HEALTH, TRANSACTION = "bare OK", "health", "transaction"
NATS_HEALTH, NATS_TRANSACTION = "health, NATS", "transaction, NATS"


def main() -> None:
    """Prints every figure, then every ratio beside its goal."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    seconds = sys.argv[2] if len(sys.argv) > 2 else "4"
    with ExitStack() as started:
        nats = started.enter_context(processes.nats_server())
        local = started.enter_context(processes.local_gateway())
        over_nats = started.enter_context(processes.nats_gateway(nats))
        sale = ("--data", processes.SALE)
        measured: dict[str, tuple[str, ...]] = {
            BARE: (started.enter_context(processes.bare()),),
            HEALTH: (local,),
            TRANSACTION: (f"{local}/api/transaction", *sale),
            NATS_HEALTH: (over_nats,),
            NATS_TRANSACTION: (f"{over_nats}/api/transaction", *sale),
        }
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in measured}
        for number in range(rounds):
            for name in _rotated(list(measured), number):
                url, *options = measured[name]
                results[name].append(processes.hit(url, *options, "-c", _CONNECTIONS, "-z", f"{seconds}s"))
        echoes = processes.bus_echoes(nats)
    _print(results, echoes)


def _rotated(names: list[str], by: int) -> list[str]:
    by %= len(names)
    return [*names[by:], *names[:by]]


def _print(results: dict[str, list[dict[str, Any]]], echoes: dict[str, float]) -> None:
    rates = {name: median(each["requests_per_s"] for each in hits) for name, hits in results.items()}
    p50 = median(each["percentiles_ms"]["p50"] for each in results[TRANSACTION])
    p99 = median(each["percentiles_ms"]["p99"] for each in results[TRANSACTION])
    for name, rate in rates.items():
        each = " ".join(f"{hit['requests_per_s']:,.0f}" for hit in results[name])
        print(f"{name:<20}{rate:>10,.0f}/s   rounds: {each}")
    for name, rate in echoes.items():
        print(f"{'echo, ' + name:<20}{rate:>10,.0f}/s")
    print(f"{'transaction latency':<20}{p50:>10.3f} ms p50, {p99:.3f} ms p99")
    possible = 1 / (1 / rates[NATS_HEALTH] + 1 / echoes["NATS"])
    print()
    _goal("transaction / health", rates[TRANSACTION] / rates[HEALTH], "at least 0.5")
    _goal("transaction p99 / p50", p99 / p50, "at most 3")
    _goal("health / bare OK", rates[HEALTH] / rates[BARE], "at least 0.9")
    alone, together = (echoes["local bus"] / echoes[f"bare frames, {how}"] for how in ("each alone", "all together"))
    _goal("local bus / bare frames, each alone", alone, "at least 0.8")
    _goal("local bus / bare frames, all together", together, "at least 0.8")
    _goal("NATS transaction / (1 / (1/health + 1/echo))", rates[NATS_TRANSACTION] / possible, "at least 0.7")


def _goal(name: str, ratio: float, goal: str) -> None:
    print(f"{name:<46}{ratio:>6.2f}   goal: {goal}")


if __name__ == "__main__":
    main()
