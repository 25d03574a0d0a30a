"""The stored request of a comparison as the lab compares by it."""

from fnmatch import fnmatchcase

from bakeoff.comparing.request import ComparisonRequest, request_from
from bakeoff.history.run_figures import RunFigures
from bakeoff.history.run_references import Requested
from bakeoff.options.variant import factors_of, key_of


def request_of(requested: Requested | None) -> ComparisonRequest | None:
    """None where the request is unknown."""
    # Beside the request stands the machine that it was for.
    document = (
        {} if requested is None else {name: each for name, each in requested.document.items() if name != "machine"}
    )
    return request_from(document) if document else None


def wants(request: ComparisonRequest | None, run: RunFigures) -> bool:
    """Whether a run as this one, of another comparison, is part of the request too."""
    if request is None or run.mode != request.mode:
        return False
    # No targets: all of them.
    targets = request.targets or list(request.attached)
    if targets and not any(fnmatchcase(run.target, each) for each in targets):
        return False
    variants = request.variants()
    return (run.contender, run.payload, run.engine) in {
        (key_of(run.target, factors), variant.payload, variant.engine)
        for variant, factors in zip(variants, factors_of(variants), strict=True)
    }
