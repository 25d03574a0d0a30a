"""gRPC channels of Python's own to a target; apart from `access`, because gRPC takes a while to load."""

from pathlib import Path

import grpc

from bakeoff.targets.access import Access

# Loopback must not go through a proxy that the environment names.
_OPTIONS = (("grpc.enable_http_proxy", 0),)


def grpc_channel(access: Access) -> grpc.Channel:
    tls = access.tls
    if tls is None:
        return grpc.insecure_channel(access.address, options=_OPTIONS)
    roots = None if tls.ca_file is None else Path(tls.ca_file).read_bytes()
    return grpc.secure_channel(access.address, grpc.ssl_channel_credentials(root_certificates=roots), options=_OPTIONS)
