"""A TestRun of k6-operator made from a plan: scripts and plan in a ConfigMap, the load divided by execution segments.

The template is deploy/kubernetes/k6/test-run.yaml, in which a team writes its requests and rules. The operator's pods
run stock k6, whose figures are k6's own: no agent leads them, and nothing audits what they sent.
"""

import base64
import copy
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import yaml

from bakeoff.containers.pods import KubernetesObject
from bakeoff.documents.checked import Json
from bakeoff.engines.manifest import Engine, TestRunTable
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import Project
from bakeoff.targets.access import is_loopback
from bakeoff.workload.plan_records import PlannedPhase, PlannedProto, PlannedTls

TEMPLATE = Path("deploy", "kubernetes", "k6", "test-run.yaml")
FOLDER = "/load"
_PLAN, _SERVICES = "plan.json", "services.protoset"
# Of a ConfigMap, by the API; what surrounds the files is small.
_MOST_BYTES = 1_000_000


class _Transport(msgspec.Struct, frozen=True):
    protocol: str
    host: str
    port: int
    tls: PlannedTls | None = None


class _Plan(msgspec.Struct, frozen=True):
    """What the manifests depend on of a plan."""

    run: str
    transport: _Transport
    phases: Sequence[PlannedPhase]
    proto: PlannedProto | None


def manifests_of(project: Project, engine: Engine, document: bytes, parallelism: int) -> list[KubernetesObject]:
    """A ConfigMap, the TestRun, and a NetworkPolicy; `document` is a plan, as its schema wants it.

    Raises BakeoffError for a plan that pods cannot run.
    """
    plan = msgspec.json.decode(document, type=_Plan)
    table = engine.manifest.test_run
    if table is None:
        raise UsageError(f"The engine {engine.name} has no [test_run] in its engine.toml: k6-operator runs k6 alone.")
    _check(plan, parallelism)
    name = f"load-{plan.run}"
    files = _files(engine.directory, table, plan, document)
    return [_config_map(name, files), *_filled(project, name, table, plan, parallelism, list(files))]


def _check(plan: _Plan, parallelism: int) -> None:
    transport = plan.transport
    if is_loopback(transport.host):
        raise UsageError(
            f"The plan sends to {transport.host}:{transport.port}, which in a pod is the pod itself: "
            "make it with --attach NAME=http://SERVICE:PORT."
        )
    if transport.tls is not None and transport.tls.ca_file is not None:
        raise UsageError("The plan trusts a certificate of this machine, which pods do not have: attach it over http.")
    counted = [phase for phase in plan.phases if phase.iterations is not None]
    arriving = [phase for phase in plan.phases if phase.rate is not None]
    if (counted and len(plan.phases) > 1) or (arriving and len(arriving) < len(plan.phases)):
        raise UsageError("k6 runs phases of one kind in one test, and one phase of iterations: make a plan of those.")
    fewest = min(phase.virtual_users or phase.max_virtual_users or 1 for phase in plan.phases)
    if parallelism > fewest:
        raise UsageError(f"--parallelism is {parallelism}, and a phase has {fewest} users to divide: use fewer pods.")


def _files(directory: Path, table: TestRunTable, plan: _Plan, document: bytes) -> dict[str, bytes]:
    """What the pods read, by its path in their folder."""
    named = [directory / name for name in (table.scripts[plan.transport.protocol], *table.files)]
    paths = [each for path in named for each in ([path] if path.is_file() else sorted(path.rglob("*.js")))]
    files = {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}
    files[_PLAN] = document
    if plan.proto is not None:
        files[_SERVICES] = base64.b64decode(plan.proto.descriptor_set)
    size = sum(map(len, files.values()))
    if size > _MOST_BYTES:
        raise BakeoffError(
            f"Plan and scripts have {size:,} bytes, and a ConfigMap holds {_MOST_BYTES:,}: use a smaller --payload."
        )
    return files


def _config_map(name: str, files: Mapping[str, bytes]) -> KubernetesObject:
    text = {_key(path): content.decode() for path, content in files.items() if path != _SERVICES}
    binary = {_key(path): base64.b64encode(content).decode() for path, content in files.items() if path == _SERVICES}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": text,
        **({"binaryData": binary} if binary else {}),
    }


def _key(path: str) -> str:
    """A ConfigMap's keys have no folders."""
    return path.replace("/", ".")


def _filled(
    project: Project, name: str, table: TestRunTable, plan: _Plan, parallelism: int, paths: Sequence[str]
) -> list[KubernetesObject]:
    run, policy = copy.deepcopy(_template(project))
    run["metadata"]["name"] = policy["metadata"]["name"] = name
    # The labels that the operator gives to the pods of this TestRun.
    policy["spec"]["podSelector"]["matchLabels"]["k6_cr"] = name
    script = table.scripts[plan.transport.protocol]
    run["spec"] |= {"parallelism": parallelism, "script": {"localFile": f"{FOLDER}/{script}"}}
    runner = run["spec"]["runner"]
    runner["image"] = f"{runner['image']}:{table.version}"
    variables = {"BAKEOFF_PLAN": f"{FOLDER}/{_PLAN}", "BAKEOFF_FIRST_PHASE": "0"}
    if _SERVICES in paths:
        variables["BAKEOFF_DESCRIPTOR_SET"] = f"{FOLDER}/{_SERVICES}"
    given = [{"name": variable, "value": value} for variable, value in variables.items()]
    runner["env"] = [*runner.get("env", []), *given]
    items = [{"key": _key(path), "path": path} for path in paths]
    runner["volumes"] = [*runner.get("volumes", []), {"name": "load", "configMap": {"name": name, "items": items}}]
    runner["volumeMounts"] = [*runner.get("volumeMounts", []), {"name": "load", "mountPath": FOLDER}]
    return [run, policy]


def _template(project: Project) -> list[KubernetesObject]:
    path = project.root / TEMPLATE
    try:
        found: list[KubernetesObject] = list(yaml.safe_load_all(path.read_text("utf-8")))
        kinds = [each["kind"] for each in found]
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise BakeoffError(f"{path} cannot be read: {error!r}. Restore it from the repository.") from error
    if kinds != ["TestRun", "NetworkPolicy"]:
        raise BakeoffError(f"{path} holds {', '.join(kinds)}, and must hold a TestRun and a NetworkPolicy.")
    return found


def as_yaml(manifests: list[KubernetesObject]) -> str:
    """For kubectl; what the template has once and means twice is written twice."""
    documents: list[Json] = msgspec.json.decode(msgspec.json.encode(manifests))
    return yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True)
