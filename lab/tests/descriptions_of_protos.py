"""APIs of proto files that tests write."""

import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.descriptions.imported import ImportedApi, ImportedOperation
from bakeoff.descriptions.proto_import import import_proto
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.workload.expressible import first_rendered


def imported(folder: Path, text: str, name: str = "api.proto") -> ImportedApi:
    """The API of a file; every message is read by its type, and what it captures is created, before it is returned."""
    file = folder / name
    file.write_text(textwrap.dedent(text), "utf-8")
    api, codec = import_proto(ProtoSource(file)), ProtoCodec(ProtoSource(file))
    for each in api.operations:
        method = codec.method(str(each.call["method"]))
        assert method is not None
        codec.encode(method.request, json.loads(first_rendered(str(each.message), ["next"])))
        known = [other.call["capture"] for other in api.operations if each.needs and other.creates == each.needs]
        captured = set(re.findall(r"\$\{captured\.(\w+)\}", f"{each.message} {each.call}")) - {"next"}
        assert captured <= set(*known), each.name
    return api


def by_name(api: ImportedApi) -> Mapping[str, ImportedOperation]:
    return {each.name: each for each in api.operations}


def sent(operation: ImportedOperation) -> Any:
    return json.loads(first_rendered(str(operation.message)))
