"""The one request before all others: whether the server answers, and what a good reply is."""

import http.client
import ssl

from bakeoff.errors import BakeoffError
from bakeoff.oneoff.url_request import OneOff

_REDIRECTS = range(300, 400)


def status_of(request: OneOff) -> int:
    """The status of the server's reply to one request. Raises BakeoffError if it does not answer, or redirects."""
    access = request.access
    context = access.ssl_context()
    connection = (
        http.client.HTTPConnection(access.host, access.port, timeout=request.timeout_s)
        if context is None
        else http.client.HTTPSConnection(access.host, access.port, timeout=request.timeout_s, context=context)
    )
    try:
        connection.request(request.method, request.path, request.body, dict(request.headers))
        reply = connection.getresponse()
        reply.read()
    except ssl.SSLCertVerificationError as error:
        raise BakeoffError(
            f"The certificate of {access.address} is not trusted ({error.verify_message}): name its authority with "
            "--ca-file."
        ) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise BakeoffError(
            f"{request.url} does not answer: {reason}. Start the server, or check the address."
        ) from error
    finally:
        connection.close()
    if reply.status in _REDIRECTS:
        place = reply.getheader("Location", "nowhere")
        raise BakeoffError(
            f"{request.url} redirects to {place} (status {reply.status}). Measure that "
            f"address, or accept the redirect as the reply with --expect {reply.status}."
        )
    return reply.status
