"""Names of targets in files that are older than classes; migration 0009 does the same in the metrics database."""

import re
from dataclasses import replace

from bakeoff.results.run import RunResult

# The shipped targets of that time are called tuned today, and their names belong to other programs.
_SHIPPED = re.compile(r"producer-api-(rust|go|java)-(rest|grpc)")


def with_present_names(run: RunResult) -> RunResult:
    """A run of before classes, under the names that its target and contender have today."""
    if not _SHIPPED.fullmatch(run.target):
        return run
    contender = _SHIPPED.sub(r"\g<0>-tuned", run.contender, count=1)
    return replace(run, target=f"{run.target}-tuned", contender=contender, target_class="tuned")
