import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.running.lock import only_lab

HOLDER = """
import sys
from pathlib import Path
from bakeoff.running.lock import only_lab

with only_lab(Path(sys.argv[1])):
    print("held", flush=True)
    input()
"""


def test_a_second_lab_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "state" / "lock"
    with only_lab(lock):
        pass
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BakeoffError, match=f"process {holder.pid}"), only_lab(lock):
        pass
    # A lab that is killed holds nothing any more.
    holder.kill()
    holder.communicate()
    with only_lab(lock):
        pass
