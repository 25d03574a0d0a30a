"""Agents in Kubernetes: each a pod of one Indexed Job; the lab attaches to its standard input and output.

Scheduling is Kubernetes': the Job's template is engine_job.yaml, in which a team writes its images,
requests and rules. The lab needs to make and remove Jobs, to list pods, and to attach to them.
"""

import base64
import binascii
import contextlib
import copy
import io
import secrets
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import yaml

from bakeoff.engines.transport import Assignment, Instructions, StartedEngine
from bakeoff.errors import BakeoffError
from bakeoff.project import Project

TEMPLATE = Path(__file__).with_name("engine_job.yaml")
LEDGER = "/ledger/ledger"

_EXIT, _NO_LEDGER = b"bakeoff: exit ", b"bakeoff: no ledger"
# The engine, then how it ended, and its ledger as base64: the attached output is the only way out of a pod that ends.
# An agent's number is the pod's index, from 1.
_SCRIPT = f"""
"$@" --plan - --agent "$((JOB_COMPLETION_INDEX + 1))/$AGENTS"
status=$?
printf '\\n{_EXIT.decode()}%d\\n' "$status"
if [ -e {LEDGER} ]
then tar -c -z -C {Path(LEDGER).parent} {Path(LEDGER).name} | base64
else echo '{_NO_LEDGER.decode()}'
fi
exit "$status"
"""
_READY_TIMEOUT_S = 180.0
_LOOK_S = 0.25
_STDERR_KEPT = 4096
# Waiting does not help: the image does not exist, or the manifest is invalid.
_HOPELESS = ("ErrImageNeverPull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError")

# A manifest or an answer of the API, or a part of one.
KubernetesObject = dict[str, Any]


class Attached(Protocol):
    """The standard streams of a pod's container."""

    def send(self, data: bytes) -> None:
        """To its standard input; nothing where it has ended."""
        ...

    def read(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        """The bytes that arrived of standard output and standard error; None once both have ended."""
        ...

    def close(self) -> None:
        """Ends the attachment, and with it the container's standard input. May be called again."""
        ...


class Cluster(Protocol):
    """A cluster, in one namespace. Every call raises BakeoffError."""

    namespace: str

    def create_job(self, manifest: KubernetesObject) -> None: ...

    def delete_job(self, name: str) -> None:
        """With its pods; one that is not there is no error."""
        ...

    def pod_of(self, job: str, index: int) -> KubernetesObject | None:
        """The newest pod of an index as the API describes it, or None before it exists."""
        ...

    def attach(self, pod: str) -> Attached: ...


@dataclass
class EngineJobs:
    """The Jobs of a comparison: one for each run, made for its first agent and removed after its last."""

    cluster: Cluster
    project: Project
    template: KubernetesObject
    _job: str = ""
    _left: int = field(default=0)

    def begin(self, assignment: Assignment) -> str:
        """The name of the run's Job, which agent 1 makes."""
        if assignment.number == 1:
            self._job = f"engine-{secrets.token_hex(4)}"
            self._left = assignment.of
            self.cluster.create_job(job_of(self.template, self._job, assignment))
        return self._job

    def ended(self, job: str) -> None:
        """Notes that an agent of this Job needs its pod no more."""
        self._left -= 1
        if self._left <= 0:
            self.remove(job)

    def remove(self, job: str) -> None:
        """Removes a Job that is still there, with its pods."""
        if job == self._job:
            self._job = ""
            self.cluster.delete_job(job)

    def places(self, count: int) -> list["PodPlace"]:
        return [PodPlace(self, number) for number in range(1, count + 1)]


@dataclass(frozen=True)
class PodPlace:
    """The transport of one pod of the Job."""

    jobs: EngineJobs
    number: int

    @property
    def name(self) -> str:
        return f"pod {self.number} in {self.jobs.cluster.namespace}"

    def start(self, assignment: Assignment) -> "PodEngine":
        """Waits until the pod runs, and attaches to it."""
        job = self.jobs.begin(assignment)
        try:
            pod = running_pod(self.jobs, job, assignment.number - 1)
            attached = self.jobs.cluster.attach(pod)
        except BaseException:
            # Without this agent there is no run, and those after it are not started.
            self.jobs.remove(job)
            raise
        return PodEngine(self.jobs, job, pod, attached, assignment)


class PodEngine(StartedEngine):
    ledger_there = LEDGER

    def __init__(self, jobs: EngineJobs, job: str, pod: str, attached: Attached, assignment: Assignment) -> None:
        super().__init__(assignment, Instructions(attached.send))
        self._jobs = jobs
        self._job = job
        self._pod = pod
        self._attached = attached
        self._errors = b""
        self._status: int | None = None
        self._ledger = b""

    def lines(self) -> Iterator[bytes]:
        """Of the engine; what the pod sends after them is kept for `status` and `fetch_ledger`."""
        lines = self._all_lines()
        for line in lines:
            if line.startswith(_EXIT):
                self._status = int(line.removeprefix(_EXIT))
                self._ledger = b"".join(lines)
                return
            # The script ends the engine's last line, should it have none.
            if line.strip():
                yield line

    def _all_lines(self) -> Iterator[bytes]:
        rest = b""
        while (arrived := self._attached.read(_LOOK_S)) is not None:
            out, errors = arrived
            self._errors = (self._errors + errors)[-_STDERR_KEPT:]
            *whole, rest = (rest + out).split(b"\n")
            yield from (line + b"\n" for line in whole)
        if rest:
            yield rest

    def status(self) -> int:
        return -1 if self._status is None else self._status

    def last_lines(self) -> str:
        """The engine's standard error, and its end as Kubernetes reports it."""
        said = self._errors.decode("utf-8", "replace").strip()
        if self._status is None:
            with contextlib.suppress(BakeoffError):
                found = self._jobs.cluster.pod_of(self._job, self._assignment.number - 1)
                said = f"{said}\nThe pod {self._pod} {_ending_of(found)}.".strip()
        return said

    def fetch_ledger(self) -> None:
        wanted = self._assignment.plan.ledger
        if wanted is None:
            return
        if not self._ledger or self._ledger.startswith(_NO_LEDGER):
            raise BakeoffError(f"The engine in the pod {self._pod} left no ledger: the run cannot be audited.")
        try:
            packed = base64.b64decode(self._ledger.replace(b"\n", b""), validate=True)
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                member = archive.extractfile(Path(LEDGER).name)
                assert member is not None
                Path(wanted).write_bytes(member.read())
        except (binascii.Error, tarfile.TarError, EOFError, OSError, KeyError) as error:
            raise BakeoffError(f"The ledger of the pod {self._pod} did not arrive whole: {error}.") from error

    def _end(self) -> None:
        self._attached.close()
        self._jobs.ended(self._job)


def read_template() -> KubernetesObject:
    path = TEMPLATE
    try:
        found = yaml.safe_load(path.read_text("utf-8"))
        assert found["kind"] == "Job"
        found["spec"]["template"]["spec"]["containers"][0]["image"]
    except (OSError, yaml.YAMLError, AssertionError, KeyError, IndexError, TypeError) as error:
        raise BakeoffError(f"{path} is not the Job of an engine: {error!r}. Restore it from the repository.") from error
    return dict(found)


def job_of(template: KubernetesObject, name: str, assignment: Assignment) -> KubernetesObject:
    """The Job of a run: a pod for each agent; its index is the agent's number, from 1."""
    job: KubernetesObject = copy.deepcopy(template)
    job["metadata"]["name"] = name
    job["spec"] |= {"completions": assignment.of, "parallelism": assignment.of}
    container = job["spec"]["template"]["spec"]["containers"][0]
    pod = assignment.engine.manifest.pod
    if pod is not None:
        own = {"cpu": pod.cpu, "memory": pod.memory}
        container["resources"] = {"requests": own, "limits": dict(own)}
    container["image"] = _image_of(container["image"], assignment.engine.name)
    command = assignment.engine.contained().command
    container["command"] = ["/bin/sh", "-c", _SCRIPT, "engine", *command]
    container["env"] = [*container.get("env", []), {"name": "AGENTS", "value": str(assignment.of)}]
    return job


def _image_of(image: str, engine: str) -> str:
    """The template's image, of this engine: the team's registry and tag stay."""
    path, colon, tag = image.rpartition(":")
    if not colon or "/" in tag:
        path, colon, tag = image, "", ""
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}engine-{engine}{colon}{tag}"


def running_pod(jobs: EngineJobs, job: str, index: int, clock: Callable[[], float] = time.monotonic) -> str:
    """The name of a pod of the Job once it runs. Raises BakeoffError with the reason why it does not run."""
    deadline = clock() + _READY_TIMEOUT_S
    while True:
        pod = jobs.cluster.pod_of(job, index)
        phase = None if pod is None else pod["status"].get("phase")
        if pod is not None and phase == "Running":
            return str(pod["metadata"]["name"])
        reason = _why_not_running(pod)
        is_final = phase in ("Succeeded", "Failed") or any(word in reason for word in _HOPELESS)
        if is_final or clock() >= deadline:
            raise BakeoffError(
                f"Pod {index + 1} of the Job {job} in {jobs.cluster.namespace} does not run: {reason}. Images and "
                f"requests are in {TEMPLATE}; kubectl describe pods --selector job-name={job} shows more."
            )
        time.sleep(_LOOK_S)


def _why_not_running(pod: KubernetesObject | None) -> str:
    if pod is None:
        return "Kubernetes has not made it"
    status = pod["status"]
    for container in status.get("containerStatuses") or ():
        waiting = (container.get("state") or {}).get("waiting")
        if waiting:
            return f"{waiting.get('reason')}: {waiting.get('message') or 'no message'}"
    for condition in status.get("conditions") or ():
        if condition.get("status") == "False" and condition.get("message"):
            return f"{condition.get('reason')}: {condition['message']}"
    return _ending_of(pod)


def _ending_of(pod: KubernetesObject | None) -> str:
    if pod is None:
        return "is gone"
    status = pod["status"]
    for container in status.get("containerStatuses") or ():
        ended = (container.get("state") or {}).get("terminated")
        if ended:
            return f"ended: {ended.get('reason')}, exit status {ended.get('exitCode')}"
    words = ": ".join(str(status[name]) for name in ("phase", "reason", "message") if status.get(name))
    return f"is {words or 'of no known state'}"
