"""The cluster of the current kubeconfig context, or the one that the lab runs in, by the kubernetes client."""

import contextlib
import functools
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bakeoff.containers.pods import KubernetesObject
from bakeoff.errors import BakeoffError

DEFAULT_NAMESPACE = "bakeoff"
INDEX = "batch.kubernetes.io/job-completion-index"

_NAMESPACE_VARIABLE = "BAKEOFF_NAMESPACE"
_INSIDE = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_CONTAINER = "engine"
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_TIMEOUT_S = 30


class KubernetesCluster:
    """One namespace: `BAKEOFF_NAMESPACE`, else the pod's own or the context's, else `bakeoff`."""

    def __init__(self) -> None:
        # Imported where it is needed: it takes a second to load.
        try:
            from kubernetes import client
            from kubernetes import config as untyped
        except ImportError as error:
            raise BakeoffError(
                "The Kubernetes client is not installed: pip install 'bakeoff[kubernetes]' adds it."
            ) from error

        config: Any = untyped
        try:
            if _INSIDE.exists():
                config.load_incluster_config()
                own = _INSIDE.read_text("utf-8").strip()
            else:
                config.load_kube_config()
                _, context = config.list_kube_config_contexts()
                own = context["context"].get("namespace", "")
        except config.ConfigException as error:
            raise BakeoffError(
                f"No Kubernetes cluster is configured: {error}. Set KUBECONFIG, or choose a context with "
                "kubectl config use-context."
            ) from error
        self.namespace = os.environ.get(_NAMESPACE_VARIABLE) or own or DEFAULT_NAMESPACE
        self._client: Any = client.ApiClient()
        self._core = client.CoreV1Api(self._client)
        self._batch: Any = client.BatchV1Api(self._client)

    def check(self) -> None:
        """Raises BakeoffError where the API does not answer, or refuses a request of every run."""
        with self._refused("list pods"):
            self._core.list_namespaced_pod(self.namespace, limit=1, _request_timeout=_TIMEOUT_S)

    def create_job(self, manifest: KubernetesObject) -> None:
        with self._refused("create Jobs"):
            self._batch.create_namespaced_job(self.namespace, manifest, _request_timeout=_TIMEOUT_S)

    def delete_job(self, name: str) -> None:
        with self._refused("delete Jobs", missing_is_fine=True):
            self._batch.delete_namespaced_job(
                name, self.namespace, propagation_policy="Background", _request_timeout=_TIMEOUT_S
            )

    def pod_of(self, job: str, index: int) -> KubernetesObject | None:
        selector = f"job-name={job},{INDEX}={index}"
        with self._refused("list pods"):
            found = self._core.list_namespaced_pod(self.namespace, label_selector=selector, _request_timeout=_TIMEOUT_S)
        pods = [self._client.sanitize_for_serialization(pod) for pod in found.items]
        return max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)

    def attach(self, pod: str) -> "PodStreams":
        from kubernetes.stream import stream

        with self._refused("attach to pods"):
            socket = stream(
                self._core.connect_get_namespaced_pod_attach,
                pod,
                self.namespace,
                container=_CONTAINER,
                stdin=True,
                stdout=True,
                stderr=True,
                tty=False,
                binary=True,
                _preload_content=False,
            )
        return PodStreams(socket)

    @contextlib.contextmanager
    def _refused(self, what: str, *, missing_is_fine: bool = False) -> Iterator[None]:
        """Errors of the API in words."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        try:
            yield
        except ApiException as error:
            if error.status == 404 and missing_is_fine:
                return
            advice = {
                403: f"Its Role must allow to {what} there: deploy/kubernetes/base/lab.yaml",
                404: "Create it first: kubectl apply --kustomize deploy/kubernetes/overlays/one-node",
            }.get(error.status or 0, "kubectl get events shows what the cluster knows")
            raise BakeoffError(
                f"Kubernetes does not let the lab {what} in the namespace {self.namespace}: {error.status} "
                f"{error.reason}. {advice}."
            ) from error
        except HTTPError as error:
            raise BakeoffError(
                f"The Kubernetes API at {self._client.configuration.host} does not answer: {error}."
            ) from error


class PodStreams:
    """An attachment: a web socket, which one thread reads and others write to."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._lock = threading.Lock()

    def send(self, data: bytes) -> None:
        # One that has ended reads none, and its stream shows why.
        with contextlib.suppress(OSError, *_lost()), self._lock:
            if self._socket.is_open():
                self._socket.write_channel(_STDIN, data)

    def read(self, timeout_s: float) -> tuple[bytes, bytes] | None:
        with contextlib.suppress(OSError, *_lost()):
            self._socket.update(timeout=timeout_s)
            return self._arrived()
        # Data from before the connection was lost is handed on first.
        self._socket.close()
        return self._arrived()

    def _arrived(self) -> tuple[bytes, bytes] | None:
        out, errors = (bytes(self._socket._channels.pop(channel, b"")) for channel in (_STDOUT, _STDERR))
        return (out, errors) if out or errors or self._socket.is_open() else None

    def close(self) -> None:
        with contextlib.suppress(OSError, *_lost()), self._lock:
            self._socket.close()


@functools.cache
def _lost() -> tuple[type[Exception], ...]:
    from websocket import WebSocketException

    return (WebSocketException,)
