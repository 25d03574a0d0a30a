// Package process is the life of a target's process, the same over both protocols.
package process

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"grpc-user-service/internal/grpcapi"
	"grpc-user-service/internal/memory"
	"grpc-user-service/internal/postgres"
	"grpc-user-service/internal/settings"
	"grpc-user-service/internal/user"
)

const (
	// startLimit is how long a start waits for the database.
	startLimit = 30 * time.Second
	// stopLimit leaves the rest of the contract's 10 s for the process to exit.
	stopLimit = 9 * time.Second
)

// Target is what differs between the binaries.
type Target struct {
	// Name is as in its manifest; connections to the database carry it too.
	Name string
	// Offer is what it reads besides the settings of all.
	Offer settings.Offer
	// NewServer makes the server of its protocol.
	NewServer func(context.Context, user.Repository, settings.Settings, *slog.Logger) (Server, error)
}

// Server is a protocol's server.
type Server interface {
	// Serve serves until it is stopped.
	Serve(net.Listener) error
	// Stop stops accepting and returns when all that was accepted is answered, or when ctx ends.
	Stop(ctx context.Context) error
}

// ServiceOptions are the settings of the gRPC service.
func ServiceOptions(config settings.Settings) grpcapi.Options {
	return grpcapi.Options{Timeout: config.Timeout, Rate: config.Rate, Keepalive: config.Keepalive}
}

// Main runs a target until SIGTERM or SIGINT and returns the process's exit code.
func Main(target Target) int {
	if err := run(target); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
}

func run(target Target) error {
	config, err := settings.Read(os.LookupEnv, target.Offer)
	if err != nil {
		return err
	}
	log := newLogger(config)
	runtime.GOMAXPROCS(config.Workers)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	// Before waiting for the database, so that a port in use is reported at once.
	listener, err := net.Listen("tcp", config.Address.String())
	if err != nil {
		return fmt.Errorf("cannot listen: %w: stop the process that uses it, or set %s or BIND", err, target.Offer.PortVariable)
	}
	defer listener.Close()
	users, closeUsers, err := openStore(ctx, target, config)
	if err != nil {
		return err
	}
	defer closeUsers()
	server, err := target.NewServer(ctx, users, config, log)
	if err != nil {
		return fmt.Errorf("setting up the server: %w", err)
	}
	return serve(ctx, server, listener, target.Name, log)
}

func openStore(ctx context.Context, target Target, config settings.Settings) (user.Repository, func(), error) {
	if config.Store == "memory" {
		return memory.New(), func() {}, nil
	}
	starting, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	opened, err := postgres.Open(starting, postgres.Options{
		URL: config.DatabaseURL, ReadURL: config.ReadURL, Application: target.Name, Connections: config.Connections,
		PerRequest: config.PerRequest, Flushers: config.Flushers, Queue: config.Queue,
	})
	if err != nil {
		return nil, nil, err
	}
	return opened, opened.Close, nil
}

// serve serves until ctx ends, then answers what was accepted.
func serve(ctx context.Context, server Server, listener net.Listener, name string, log *slog.Logger) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	log.Info("listening", "address", listener.Addr().String(), "target", name)
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping")
	limit, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if err := server.Stop(limit); err != nil {
		log.Warn("some replies were not delivered before the timeout", "reason", err)
	}
	log.Info("stopped")
	return nil
}

// newLogger writes structured lines to standard output.
func newLogger(config settings.Settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: config.LogLevel}
	if config.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stdout, options))
	}
	return slog.New(slog.NewTextHandler(os.Stdout, options))
}
