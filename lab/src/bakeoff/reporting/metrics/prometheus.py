"""Measured phases in the text format of Prometheus, for the textfile collector of its node exporter."""

from collections.abc import Iterable, Iterator, Sequence

from bakeoff.reporting.metrics.phases import FAMILIES, Family, Labels, MeasuredPhase
from bakeoff.results.histograms import PERCENTILES

_PREFIX = "bakeoff_run_"
_SUFFIXES = {"s": "_seconds", "By": "_bytes"}
_LATENCY = "latency_seconds"
_LATENCY_HELP = "Latency by quantile; in the open model from the instant at which each request was due."


def prometheus_text(phases: Sequence[MeasuredPhase]) -> str:
    """The whole file. A figure that does not exist has no sample."""
    lines: list[str] = []
    for family in FAMILIES:
        name = f"{family.name}{_SUFFIXES.get(family.unit, '')}{'_total' if family.is_counter else ''}"
        samples = [(phase, *figure) for phase in phases for figure in phase.figures(family)]
        lines += _metric(name, family.help, _kind(family), samples)
    quantiles = [(phase, *quantile) for phase in phases for quantile in _quantiles(phase)]
    lines += _metric(_LATENCY, _LATENCY_HELP, "gauge", quantiles)
    return "".join(f"{line}\n" for line in lines)


def _kind(family: Family) -> str:
    return "counter" if family.is_counter else "gauge"


def _quantiles(phase: MeasuredPhase) -> Iterator[tuple[Labels, float]]:
    shown = phase.measured.latency.shown
    for name, percentile in PERCENTILES.items():
        if (milliseconds := shown[name]) is not None:
            yield {"quantile": f"{percentile / 100:.10g}"}, milliseconds / 1e3


def _metric(name: str, help: str, kind: str, samples: Iterable[tuple[MeasuredPhase, Labels, float]]) -> Iterator[str]:
    written = [
        f"{_PREFIX}{name}{{{_written({**phase.source, **phase.labels, **own})}}} {value!r}"
        for phase, own, value in samples
    ]
    if written:
        yield f"# HELP {_PREFIX}{name} {help}"
        yield f"# TYPE {_PREFIX}{name} {kind}"
        yield from written


def _written(labels: Labels) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
