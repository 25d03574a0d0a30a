"""The settings, all of them environment variables."""

import os

DATABASE_URL = os.environ["DATABASE_URL"]
BIND = os.environ.get("BIND") or "127.0.0.1"
PORT = int(os.environ.get("PORT") or 8080)
WORKERS = int(os.environ.get("WORKERS") or len(os.sched_getaffinity(0)))
POOL_SIZE = max(1, int(os.environ.get("DB_POOL_SIZE") or 16) // WORKERS)
