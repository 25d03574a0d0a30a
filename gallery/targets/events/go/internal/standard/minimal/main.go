// Command minimal measures what a standard target adds to its framework: it serves either the framework's minimal
// example, which binds, validates and replies, or the target itself, whose storage discards the rows. Neither uses a
// database, and the target's write mode is per-request, because a queue is no part of a framework. docs/lab-notes/go.md
// has the figures.
//
//	go run ./internal/standard/minimal rest-example 127.0.0.1:9083
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"

	"example.com/bakeoff/events/internal/standard/ginapi"
	"example.com/bakeoff/events/internal/standard/grpcapi"
	"example.com/bakeoff/events/internal/standard/httpserver"
	"example.com/bakeoff/events/internal/writer"
)

type server interface{ Serve(net.Listener) error }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	servers := map[string]func() (server, error){
		"rest-example": restExample, "rest-target": restTarget, "grpc-example": grpcExample, "grpc-target": grpcTarget,
	}
	if len(arguments) != 2 || servers[arguments[0]] == nil {
		return fmt.Errorf("usage: minimal rest-example|rest-target|grpc-example|grpc-target ADDRESS")
	}
	served, err := servers[arguments[0]]()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", arguments[1])
	if err != nil {
		return err
	}
	return served.Serve(listener)
}

// discard is a storage without a database.
type discard struct{}

func (discard) Store(context.Context, writer.Rows) error { return nil }

func (discard) Check(context.Context) error { return nil }

var log = slog.New(slog.DiscardHandler)

func discarding() *writer.Writer {
	options := writer.Options{Mode: writer.PerRequest, QueueEvents: 20_000}
	return writer.Start(context.Background(), discard{}, options, log)
}

func restTarget() (server, error) {
	handler, err := ginapi.NewHandler(discarding(), nil, log)
	if err != nil {
		return nil, err
	}
	return httpserver.New(handler, httpserver.Limits, nil, log), nil
}

func grpcTarget() (server, error) {
	return grpcapi.NewServer(discarding(), grpcapi.Limits, nil, nil, log)
}
