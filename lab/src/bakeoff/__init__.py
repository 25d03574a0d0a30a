"""A lab for fair head-to-head performance tests of API implementations."""

import os

__version__ = "0.1.0"

# The lab forks only to exec at once: gRPC need not prepare its threads for more, nor warn that it cannot.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
