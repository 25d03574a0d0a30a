"""A gate as GitLab's code quality report, which a merge request shows beside its changes."""

import hashlib
import json

from bakeoff.gating.check import Gate, Outcome

_SEVERITIES = {Outcome.FAILED: "major", Outcome.UNCLEAR: "info"}


def code_quality_of(gate: Gate, path: str) -> str:
    """An issue for each check that is not simply well. `path` is the project's file in the repository."""
    issues = [
        {
            "description": f"{check.metric} of {check.series.label}: {check.words}",
            "check_name": f"bakeoff {check.metric}",
            # The same in the next pipeline, so that GitLab knows which issues are new.
            "fingerprint": hashlib.sha256(f"{check.metric} {check.series}".encode()).hexdigest(),
            "severity": _SEVERITIES[check.outcome],
            "location": {"path": path, "lines": {"begin": 1}},
        }
        for check in gate.checks
        if check.outcome in _SEVERITIES
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
