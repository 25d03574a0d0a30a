"""Starts Uvicorn with one process for each core."""

import uvicorn

from app.settings import BIND, PORT, WORKERS

STOP_TIMEOUT_S = 9
MAX_CONNECTIONS = 8192

if __name__ == "__main__":
    uvicorn.run(
        "app.main:app",
        host=BIND,
        port=PORT,
        workers=WORKERS,
        access_log=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=STOP_TIMEOUT_S,
    )
