"""Lets the tests of this folder import the k6 engine's own package, which is no part of the lab."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "load" / "k6"))
