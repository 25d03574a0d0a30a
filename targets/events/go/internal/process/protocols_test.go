package process

import (
	"context"
	"log/slog"
	"net"
	"testing"

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
	// incomplete is that reply.
	incomplete string
}

var protocols = map[string]protocol{
	"rest": {newREST, connectREST, beginREST, `400 {"success":false,"message":"body: incomplete"} <nil>`},
	"grpc": {newGRPC, connectGRPC, beginGRPC, "4 body: incomplete"},
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
