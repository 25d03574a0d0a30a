"""Two commits of a repository of one's own are compared: each side is its own program, under the same requests."""

import json
import subprocess
from pathlib import Path

import pytest
from bakeoff_process import bakeoff

from bakeoff.project import PROJECT_FILE, Project

pytestmark = pytest.mark.end_to_end

SERVICE = """
import http.server, os
print("version {version}", flush=True)
class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 8192
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Api).serve_forever()
"""
PROJECT = """
[targets.api]
directory = ".."
run = "exec python3 service.py"
storage = "none"
[workloads.api]
[[workloads.api.operations]]
name = "{operation}"
http = {{ method = "GET", path = "/", expect = 200 }}
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def write(repository: Path, version: str, operation: str) -> None:
    (repository / "service.py").write_text(SERVICE.replace("{version}", version))
    (repository / "perf" / PROJECT_FILE).write_text(PROJECT.format(operation=operation))


@pytest.fixture
def repository(tmp_path: Path, own_databases: Project) -> Path:
    """A repository of two commits and a change, in a path of any letters, with its project in a folder below."""
    del own_databases
    repository = tmp_path / "größe 東" / "a repository"
    (repository / "perf").mkdir(parents=True)
    git(repository, "init", "-q")
    for version, operation in (("one", "Old"), ("two", "Read")):
        write(repository, version, operation)
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", version)
    write(repository, "three", "Read")
    return repository


def test_each_side_is_its_own_version_under_the_workload_of_the_checkout(repository: Path) -> None:
    project = Project(repository / "perf")
    results = repository.parent / "results"
    done = bakeoff(project, "run", "smoke", "--against", "HEAD~1", "--json", results=results)
    assert done.returncode == 0, done.stderr
    assert "The candidate is the checkout as it is, with 1 uncommitted change" in done.stderr
    (document,) = [json.loads(done.stdout)]
    assert "Read" in json.dumps(document) and "Old" not in json.dumps(document)
    logs = [log for log in (results / "api").glob("*.log") if ".engine" not in log.name]
    assert sorted(log.read_text() for log in logs) == ["version one\n", "version three\n"]


def test_what_goes_wrong_at_the_start_is_one_message(repository: Path) -> None:
    project = Project(repository / "perf")
    git(repository, "rm", "-q", "--cached", f"perf/{PROJECT_FILE}")
    git(repository, "commit", "-qm", "Without the project")
    done = bakeoff(project, "gate", "--against", "HEAD", results=repository.parent / "results")
    assert done.returncode == 0
    assert f"has no perf/{PROJECT_FILE}, so the lab cannot start its services" in done.stdout + done.stderr
