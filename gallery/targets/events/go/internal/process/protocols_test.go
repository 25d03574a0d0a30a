package process

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

// protocol is a binary's server and its client.
type protocol struct {
	newServer func(*writer.Writer, settings.Settings, *slog.Logger) (Server, error)
	connect   func(*testing.T, *pipenet.Listener) client
	// begin sends the first part of an event; answer waits for the reply to it.
	begin func(*testing.T, net.Conn) (answer func() string)
	// incomplete is that reply after a minute, or nothing where the library does not limit the time of a message.
	incomplete string
	// silence is how long a connection may stay without a byte.
	silence time.Duration
}

const incompleteREST = `408 {"success":false,"message":"body: incomplete"}, closes: true, <nil>`

var protocols = map[string]protocol{
	"rest":       {newREST, connectREST, beginREST, incompleteREST, time.Minute},
	"grpc":       {newGRPC, connectGRPC, beginGRPC, "", 2 * time.Minute},
	"rest-tuned": {newTunedREST, connectREST, beginREST, incompleteREST, time.Minute},
	"grpc-tuned": {newTunedGRPC, connectGRPC, beginGRPC, "4 body: incomplete", time.Minute},
}

type client interface {
	// send sends an event that updates one entity.
	send(ctx context.Context, id string) outcome
	close()
}

// outcome is what a client receives, whatever the protocol.
type outcome string

const (
	stored      outcome = "Event processed successfully"
	overloaded  outcome = "overloaded: the write queue is full, retry later"
	unavailable outcome = "database: unavailable, retry later"
	// unanswered means that there was no connection, or that it closed before the reply.
	unanswered outcome = "no answer"
)
