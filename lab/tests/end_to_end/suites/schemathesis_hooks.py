"""Loaded by Schemathesis: protobuf writes 64-bit integers as texts, whose format it does not know."""

import schemathesis  # type: ignore[import-not-found]
from hypothesis import strategies

schemathesis.openapi.format("int64", strategies.integers(1, 2**63 - 1).map(str))
