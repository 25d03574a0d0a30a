"""Gunicorn's settings: one process for each core, in it one thread for each connection to PostgreSQL."""

import os

wsgi_app = "shop.wsgi"
bind = f"{os.environ.get('BIND') or '127.0.0.1'}:{os.environ.get('PORT') or 8080}"
workers = int(os.environ.get("WORKERS") or len(os.sched_getaffinity(0)))
worker_class = "gthread"
threads = max(1, int(os.environ.get("DB_POOL_SIZE") or 16) // workers)
graceful_timeout = 9
# Its path is the same for all Gunicorns of a user, and several may run at once.
control_socket_disable = True
