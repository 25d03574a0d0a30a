// Package limits has what a connection may take of a server.
package limits

import "time"

// Connection is how long a client may take, and how much it may ask at once. A target has no setting for a limit that is
// zero in its defaults.
type Connection struct {
	// ReadHeader is for the head of a request, and over gRPC for the handshake of a connection.
	ReadHeader time.Duration
	// Read is for a body or a message.
	Read time.Duration
	// Idle is for a connection without a request. Over gRPC it is pinged then, and ends without an answer.
	Idle time.Duration
	// Streams is for requests in flight on a connection of HTTP/2.
	Streams int
}
