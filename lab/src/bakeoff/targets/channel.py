"""gRPC channels of Python's own to a target; apart from `access`, because gRPC takes a while to load."""

from collections.abc import Sequence

import grpc

from bakeoff.targets.access import Access

# Loopback must not go through a proxy that the environment names.
_OPTIONS = (("grpc.enable_http_proxy", 0),)


def grpc_channel(access: Access, options: Sequence[tuple[str, int]] = ()) -> grpc.Channel:
    tls = access.tls
    if tls is None:
        return grpc.insecure_channel(access.address, options=[*_OPTIONS, *options])
    roots = None if tls.ca_file is None else tls.ca_file.read_bytes()
    return grpc.secure_channel(
        access.address, grpc.ssl_channel_credentials(root_certificates=roots), options=[*_OPTIONS, *options]
    )
