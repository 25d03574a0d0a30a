"""Where a workload takes each call of its cases."""

from bakeoff.conformance.case import Call
from bakeoff.documents import Document
from bakeoff.errors import BakeoffError
from bakeoff.workload.loader import Workload


def call_table(workload: Workload, call: Call, protocol: str) -> Document:
    """The `http` or `grpc` table of the call in workload.toml; a single message goes where the first operation goes."""
    document = workload.document
    entry = document["operations"][0] if call is Call.SINGLE else document.get(call.value, {})
    if protocol not in entry:
        raise BakeoffError(f"{workload.name}: a case makes a {call} call, but workload.toml has no {protocol} for it.")
    return dict(entry[protocol])
