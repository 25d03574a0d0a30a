import pytest

from bakeoff.judging.bottleneck import PeakUsage, bottleneck_of

IDLE = {"target": 20.0, "database": 30.0, "engine": 5.0}
WAITS = {"IO:WalSync": 0.4, "LWLock:WALWrite": 0.3, "CPU": 0.3}


@pytest.mark.parametrize(
    ("usage", "kind", "words"),
    [
        (PeakUsage({}, None), "unknown", "no CPU use was measured"),
        (PeakUsage({}, 2, more_load_helped=True), "unknown", "no CPU use was measured"),
        (PeakUsage(IDLE, 2), "unknown", "available (the target 20% of a core, PostgreSQL 30%, the load generator 5%)"),
        (PeakUsage(IDLE, None), "unknown", "no other resource was saturated"),
        (PeakUsage(IDLE, 2, more_load_helped=True), "load", "the highest level was the best"),
        (PeakUsage(IDLE, 2, ceiling_share=0.4), "generator", "40% of what it can do"),
        (PeakUsage(IDLE, 2, ceiling_share=1.4, agents=2), "generator", "140% of what one of its 2 engines can do"),
        (PeakUsage(IDLE, 2, ceiling_share=0.32), "unknown", ""),
        (PeakUsage({"target": 140, "database": 30}, 2), "target-cpu", "CPU of the target, on 2 cores"),
        (PeakUsage({"target": 40, "database": 140}, 2), "database", "CPU of PostgreSQL"),
        (PeakUsage({"target": 40, "database": 30, "engine": 120}, 2), "generator", "CPU of the load generator"),
        (PeakUsage({"target": 70, "database": 70, "engine": 35}, 2), "machine", "2 cores (shared)"),
        (PeakUsage({"target": 70, "database": 70, "engine": 29}, 2), "unknown", ""),
        (PeakUsage({"target": 90, "database": 10}, 8, target_cores=1), "target-cpu", "90% of the 100% it may use"),
        (PeakUsage(IDLE, 2, active=9.0, sessions=10), "pool", "9.0 of its 10 sessions"),
        (PeakUsage(IDLE, 2, active=8.0, sessions=10), "unknown", ""),
        # Two sessions that batch what is queued are always active.
        (PeakUsage(IDLE, 2, active=2.0, sessions=2), "unknown", ""),
        (
            PeakUsage(IDLE, 2, active=2.0, sessions=2, waits=WAITS),
            "database",
            "70% of their time, mostly for IO:WalSync",
        ),
        (PeakUsage(IDLE, 2, active=0.3, sessions=2, waits=WAITS), "unknown", ""),
        (PeakUsage(IDLE, 2, active=2.0, sessions=2, waits={"CPU": 0.6, "Client:ClientRead": 0.4}), "unknown", ""),
        (PeakUsage(IDLE, 2, limiting_lines={"one upsert per event": 0.9}), "database", "90% of what it does without"),
    ],
)
def test_a_bottleneck(usage: PeakUsage, kind: str, words: str) -> None:
    found = bottleneck_of(usage)
    assert found.kind == kind
    assert found.words.startswith("The bottleneck ")
    assert words in found.words


@pytest.mark.parametrize("names", [("IO:WalSync", "LWLock:WALWrite"), ("LWLock:WALWrite", "IO:WalSync")])
def test_order_does_not_decide_between_waits_that_tie(names: tuple[str, str]) -> None:
    found = bottleneck_of(PeakUsage(IDLE, 2, active=2.0, sessions=2, waits=dict.fromkeys(names, 0.5)))
    assert "mostly for IO:WalSync (50%)" in found.words
