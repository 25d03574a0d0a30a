"""Gunicorn's settings: one process for each core, in it one thread for each connection of its pool."""

from orders.settings import BIND, POOL_SIZE, PORT, WORKERS

wsgi_app = "orders:create_app()"
bind = f"{BIND}:{PORT}"
workers = WORKERS
worker_class = "gthread"
threads = POOL_SIZE
graceful_timeout = 9
# Its path is the same for all Gunicorns of a user, and several may run at once.
control_socket_disable = True
