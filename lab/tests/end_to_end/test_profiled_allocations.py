"""`run --profile` of two services: what a request of each allocates, beside the CPU."""

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bakeoff.cli.app import app
from bakeoff.comparing import cpu_profiles
from bakeoff.project import PROJECT_FILE, PROJECT_VARIABLE, Project, prepare_state

pytestmark = pytest.mark.end_to_end

NODE = """
const size = Number(process.env.NUMBERS)
require('node:http').createServer((request, reply) => {
  const numbers = new Array(size).fill(size)
  reply.end(String(numbers.length))
}).listen(process.env.PORT, '127.0.0.1')
"""
JAVA = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

class Service {
    static long[] kept;

    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(System.getenv("NUMBERS"));
        var address = new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT")));
        var server = HttpServer.create(address, 0);
        server.createContext("/", exchange -> {
            kept = new long[size];
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }
}
"""
SERVICES = {"node": ("service.js", NODE), "java": ("Service.java", JAVA)}
PROJECT = """
[targets.lean]
run = "{runtime} {file}"
env = {{ NUMBERS = "1" }}
storage = "none"
[targets.lavish]
run = "{runtime} {file}"
env = {{ NUMBERS = "12500" }}
storage = "none"
[workloads.numbers]
[[workloads.numbers.operations]]
name = "count"
http = {{ method = "GET", path = "/", expect = 200 }}
"""


@pytest.mark.parametrize("runtime", SERVICES)
def test_what_a_request_allocates_is_shown_for_both(
    runtime: str, tmp_path: Path, own_databases: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    del own_databases
    if shutil.which(runtime) is None:
        pytest.skip(f"{runtime} is not on PATH")
    file, service = SERVICES[runtime]
    root = tmp_path / "a project"
    root.mkdir()
    (root / file).write_text(service)
    (root / PROJECT_FILE).write_text(PROJECT.format(runtime=runtime, file=file))
    # How many requests a profile has does not matter here.
    monkeypatch.setattr(cpu_profiles, "_WARM_S", 0.5)
    monkeypatch.setattr(cpu_profiles, "_SAMPLED_S", 1.5)
    monkeypatch.setenv(PROJECT_VARIABLE, str(root))
    prepare_state(Project(root))
    short = ["--users", "2", "--phase-duration", "1s", "--warm-up", "0s", "--rounds", "1"]
    done = CliRunner().invoke(app, ["run", "quick", "--profile", "-t", "lean", "-t", "lavish", *short])
    assert done.exit_code == 0, done.output
    found = re.search(
        r"Allocations of lavish per request: ([\d.,]+) kB → ([\d.,]+) kB\.", " ".join(done.output.split())
    )
    assert found is not None, done.output
    lean, lavish = (float(each.replace(",", "")) for each in found.groups())
    # An array of 12,500 numbers has 100 kB.
    assert 80 < lavish - lean < 130
