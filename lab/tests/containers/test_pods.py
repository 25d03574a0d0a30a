"""Agents as pods: the Job of a run, the lines of each, its ledger, and what is said when a pod does not run."""

import base64
import io
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from bakeoff.containers.pods import EngineJobs, PodEngine, job_of, read_template, running_pod
from bakeoff.engines.manifest import find_engine
from bakeoff.engines.transport import Assignment
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.workload.plan_records import Plan


@dataclass
class FakePlan:
    """All of a plan that a transport looks at."""

    ledger: str | None = None


@dataclass
class FakeStreams:
    """Streams that a pod has written, in pieces."""

    pieces: list[tuple[bytes, bytes]]
    sent: list[bytes] = field(default_factory=list)
    is_closed: bool = False
    meanwhile: Callable[[], None] | None = None

    def send(self, data: bytes) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        self.sent.append(data)

    def read(self, timeout_s: float) -> tuple[bytes, bytes] | None:  # noqa: ARG002
        return self.pieces.pop(0) if self.pieces else None

    def close(self) -> None:
        self.is_closed = True


@dataclass
class FakeCluster:
    """A cluster whose pods have the status given."""

    status: Mapping[str, Any] | None = field(default_factory=lambda: {"phase": "Running"})
    streams: list[FakeStreams] = field(default_factory=list)
    namespace: str = "there"
    created: list[dict[str, Any]] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)

    def create_job(self, manifest: dict[str, Any]) -> None:
        self.created.append(manifest)

    def delete_job(self, name: str) -> None:
        self.deleted.append(name)

    def pod_of(self, job: str, index: int) -> dict[str, Any] | None:
        return None if self.status is None else {"metadata": {"name": f"{job}-{index}"}, "status": dict(self.status)}

    def attach(self, pod: str) -> FakeStreams:  # noqa: ARG002 — as the protocol has it
        if not self.streams:
            raise BakeoffError("attach is not allowed")
        return self.streams.pop(0)


def assignment(
    project: Project, number: int = 1, of: int = 2, ledger: Path | None = None, engine: str = "native"
) -> Assignment:
    plan: Plan = FakePlan(None if ledger is None else str(ledger))  # type: ignore[assignment]
    return Assignment(find_engine(engine), plan, Path("plan.json"), Path("log"), number, of)


def jobs(project: Project, cluster: FakeCluster) -> EngineJobs:
    return EngineJobs(cluster, project, read_template())


def ledger_lines(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("ledger")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return base64.encodebytes(packed.getvalue())


def engine(project: Project, streams: FakeStreams, ledger: Path | None = None) -> PodEngine:
    cluster = FakeCluster(streams=[streams])
    found = jobs(project, cluster).places(1)[0].start(assignment(project, of=1, ledger=ledger))
    assert isinstance(found, PodEngine)
    return found


def test_a_run_has_one_job_with_a_pod_for_each_agent(project: Project) -> None:
    cluster = FakeCluster(streams=[FakeStreams([]), FakeStreams([])])
    places = jobs(project, cluster).places(2)
    agents = [place.start(assignment(project, place.number)) for place in places]
    (job,) = cluster.created
    assert (job["spec"]["completions"], job["spec"]["parallelism"]) == (2, 2)
    assert [place.name for place in places] == ["pod 1 in there", "pod 2 in there"]
    agents[0].end()
    agents[0].end()
    assert cluster.deleted == []
    agents[1].end()
    assert cluster.deleted == [job["metadata"]["name"]]


def test_the_job_is_valid_and_starts_the_engine_as_images_have_it(project: Project) -> None:
    job = job_of(read_template(), "engine-1", assignment(project, of=8))
    kubernetes_validate.validate(job, "1.34", strict=True)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == "bakeoff/engine-native:latest"
    assert container["command"][4:] == ["/bakeoff/load/native/target/release/bakeoff-load", "run"]
    assert {"name": "AGENTS", "value": "8"} in container["env"]


def test_an_engine_gets_the_image_the_command_and_the_resources_of_its_manifest(project: Project) -> None:
    template = read_template()
    job = job_of(template, "engine-1", assignment(project, of=3, engine="k6"))
    kubernetes_validate.validate(job, "1.34", strict=True)
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == "bakeoff/engine-k6:latest"
    assert container["command"][4:] == [
        *("python3", "/bakeoff/load/k6/engine.py"),
        *("--k6", "/bakeoff/.bakeoff/bin/k6"),
    ]
    own = {"cpu": "500m", "memory": "1Gi"}
    assert container["resources"] == {"requests": own, "limits": own}
    usual = job_of(template, "engine-2", assignment(project))["spec"]["template"]["spec"]["containers"][0]
    assert usual["resources"]["limits"] == {"cpu": "250m", "memory": "128Mi"}


def test_the_root_is_read_only_and_what_engines_write_has_a_volume() -> None:
    pod = read_template()["spec"]["template"]["spec"]
    mounts = {mount["mountPath"]: mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    assert mounts.keys() == {"/ledger", "/tmp"}  # noqa: S108 — of the pod
    assert set(mounts.values()) == {volume["name"] for volume in pod["volumes"] if "emptyDir" in volume}


def test_the_team_s_registry_and_tag_stay(project: Project) -> None:
    template = read_template()
    template["spec"]["template"]["spec"]["containers"][0]["image"] = "images.example:5000/team/engine-native:v7"
    job = job_of(template, "engine-1", assignment(project))
    image = job["spec"]["template"]["spec"]["containers"][0]["image"]
    assert image == "images.example:5000/team/engine-native:v7"
    assert template["spec"]["completions"] == 1


def test_lines_arrive_whole_and_the_ledger_behind_them(project: Project, tmp_path: Path) -> None:
    wanted = tmp_path / "ledger"
    packed = ledger_lines(b"what was acknowledged")
    streams = FakeStreams(
        [
            (b'{"type":"re', b""),
            (b'ady"}\n{"type":"end"', b"a warning\n"),
            (b"}\n\nbakeoff: exit 0\n" + packed[:30], b""),
            (packed[30:], b""),
        ]
    )
    own = engine(project, streams, wanted)
    assert own.ledger == "/ledger/ledger"
    own.send(b"the plan")
    assert list(own.lines()) == [b'{"type":"ready"}\n', b'{"type":"end"}\n']
    assert own.status() == 0
    own.fetch_ledger()
    assert wanted.read_bytes() == b"what was acknowledged"
    own.interrupt()
    assert streams.sent == [b"the plan\n", b"stop\n"]
    own.end()
    assert streams.is_closed


def test_an_interruption_while_a_line_is_sent_follows_it(project: Project) -> None:
    """Ctrl-C is handled in the thread that sends, in the middle of what it does."""
    streams = FakeStreams([])
    own = engine(project, streams)
    streams.meanwhile = own.interrupt
    own.send(b"the plan")
    assert streams.sent == [b"the plan\n", b"stop\n"]


@pytest.mark.parametrize(
    "behind",
    [b"bakeoff: no ledger\n", b"", ledger_lines(b"acknowledged")[:-20]],
    ids=["reported", "nothing", "cut short"],  # compressed bytes hold the time
)
def test_a_ledger_that_is_missing_or_cut_short_is_no_ledger(project: Project, tmp_path: Path, behind: bytes) -> None:
    own = engine(project, FakeStreams([(b"bakeoff: exit 0\n" + behind, b"")]), tmp_path / "ledger")
    assert list(own.lines()) == []
    with pytest.raises(BakeoffError, match=r"ledger|did not arrive whole"):
        own.fetch_ledger()
    assert not (tmp_path / "ledger").exists()


def test_a_pod_that_was_killed_has_no_good_status_and_says_how_it_ended(project: Project) -> None:
    ended = {
        "phase": "Failed",
        "containerStatuses": [{"state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}],
    }
    cluster = FakeCluster(streams=[FakeStreams([(b'{"type":"ready"}\n', b"last words")])])
    own = jobs(project, cluster).places(1)[0].start(assignment(project, of=1))
    cluster.status = ended
    assert len(list(own.lines())) == 1
    assert own.status() != 0
    assert "last words" in own.last_lines() and "OOMKilled, exit status 137" in own.last_lines()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ErrImageNeverPull"}}}]},
            "does not run: ErrImageNeverPull",
        ),
        ({"phase": "Failed", "reason": "DeadlineExceeded"}, "is Failed: DeadlineExceeded"),
        (
            {
                "phase": "Pending",
                "conditions": [
                    {"status": "False", "reason": "Unschedulable", "message": "0/1 nodes: Insufficient cpu"}
                ],
            },
            "Unschedulable: 0/1 nodes: Insufficient cpu",
        ),
        (None, "Kubernetes has not made it"),
    ],
)
def test_a_pod_that_does_not_run_is_named_with_the_reason(
    project: Project, status: Mapping[str, Any] | None, words: str
) -> None:
    clock = iter([0.0, 1e9])
    with pytest.raises(BakeoffError) as raised:
        running_pod(jobs(project, FakeCluster(status)), "engine-1", 0, lambda: next(clock))
    assert words in raised.value.message and "engine_job.yaml" in raised.value.message


def test_a_job_whose_first_agent_cannot_be_attached_is_removed(project: Project) -> None:
    cluster = FakeCluster()
    with pytest.raises(BakeoffError, match="attach is not allowed"):
        jobs(project, cluster).places(2)[0].start(assignment(project))
    assert len(cluster.deleted) == len(cluster.created) == 1
