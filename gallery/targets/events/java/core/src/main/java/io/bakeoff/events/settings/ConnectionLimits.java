package io.bakeoff.events.settings;

import java.time.Duration;

/**
 * How long a client may take, and how much it may ask at once.
 *
 * @param readHeader time for the handshake of a connection over gRPC
 * @param read time for a request or a message to arrive
 * @param idle time without a request after which a connection ends; over gRPC it is pinged then, and ends without an answer
 * @param streams requests in flight on a connection of HTTP/2
 */
public record ConnectionLimits(Duration readHeader, Duration read, Duration idle, int streams) {}
