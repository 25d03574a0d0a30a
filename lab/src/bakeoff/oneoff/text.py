"""A one-off measurement in the words and the order that oha, wrk and hey print it in."""

from collections.abc import Iterator
from dataclasses import asdict

from bakeoff.documents.checked import Json
from bakeoff.oneoff.measure import Hit
from bakeoff.oneoff.url_request import OneOff

# Above this share of what the engine can do, the figure may be the engine's.
_GENERATOR_BOUND = 2 / 3
# A send lag of more than this share of the median latency is worth a warning.
_LAG_SHARE = 0.1

_UNITS = ("B", "kB", "MB", "GB")


def lines_of(request: OneOff, hit: Hit) -> Iterator[str]:
    """The result, a line for each subject; latencies in milliseconds."""
    yield f"{request.method} {request.url}"
    yield f"  {_load(request)}, {hit.duration_s:.2f} s{' (interrupted)' if hit.interrupted else ''}"
    yield ""
    yield f"  {'requests/s':<12}{hit.requests_per_s:,.0f}"
    yield f"  {'requests':<12}{hit.requests:,} sent, {hit.ok:,} good, {hit.failed:,} failed ({_share(hit):.2%})"
    if hit.unsent:
        yield f"  {'unsent':<12}{hit.unsent:,} requests were due and found no free user: raise --users"
    yield f"  {'data':<12}{_size(hit.bytes_received, hit)} received, {_size(hit.bytes_sent, hit)} sent"
    yield ""
    figures = {"min": hit.min_ms, "mean": hit.mean_ms, **hit.percentiles_ms, "max": hit.max_ms}
    yield f"  {'latency, ms':<12}{''.join(f'{name:>9}' for name in figures)}"
    yield f"  {'':<12}{''.join(f'{_milliseconds(value):>9}' for value in figures.values())}"
    if request.rate_per_s is not None:
        yield f"  {'':<12}from the instant at which each request was due"
    yield ""
    yield f"  {'status':<12}{_counts(hit.statuses) or 'no reply'}"
    if hit.errors:
        yield f"  {'errors':<12}{_counts(hit.errors)}"
    yield f"  {'generator':<12}{_generator(hit)}"
    yield from (f"  warning: {warning}" for warning in warnings_of(hit))


def warnings_of(hit: Hit) -> Iterator[str]:
    """Why the figures may be the load generator's and not the server's."""
    if hit.capacity_per_s is not None and hit.requests_per_s > _GENERATOR_BOUND * hit.capacity_per_s:
        yield "The load generator was near its own limit: the server may be faster than this."
    median_ms = hit.percentiles_ms["p50"]
    if hit.send_lag_p99_ms is not None and hit.send_lag_p99_ms > max(1.0, _LAG_SHARE * median_ms):
        yield f"Requests left up to {hit.send_lag_p99_ms:.1f} ms late (p99): this machine has too little CPU to spare."


def described(request: OneOff, hit: Hit) -> dict[str, Json]:
    """The same as JSON holds it. Rates are per second, latencies milliseconds."""
    return {
        "url": request.url,
        "method": request.method,
        "users": request.users,
        "rate_per_s": request.rate_per_s,
        **asdict(hit),
        "requests_per_s": hit.requests_per_s,
        "warnings": list(warnings_of(hit)),
    }


def _load(request: OneOff) -> str:
    if request.rate_per_s is not None:
        return f"{request.rate_per_s:,g} requests/s ({request.arrivals}), at most {request.users:,} in flight"
    shared = "" if request.connections is None else f" on {request.connections:,} connections"
    warm_up = f", warm-up of {request.warm_up_s:g} s before" if request.warm_up_s and request.requests is None else ""
    return f"{request.users:,} user{'' if request.users == 1 else 's'}{shared}{warm_up}"


def _share(hit: Hit) -> float:
    return hit.failed / hit.requests if hit.requests else 0.0


def _size(count: int, hit: Hit) -> str:
    value = count / hit.duration_s if hit.duration_s > 0 else 0.0
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            return f"{value:,.1f} {unit}/s"
        value /= 1000
    raise AssertionError


def _milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.3f}"


def _counts(counts: object) -> str:
    assert isinstance(counts, dict)
    return ", ".join(f"{name}: {count:,}" for name, count in counts.items() if count)


def _generator(hit: Hit) -> str:
    if hit.capacity_per_s is None:
        return "its own limit was not measured"
    share = hit.requests_per_s / hit.capacity_per_s
    return f"sends {hit.capacity_per_s:,.0f}/s of these requests to a server that does nothing; {share:.0%} of it used"
