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

	"example.com/bakeoff/events/internal/postgres"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

// shutdownLimit leaves of the contract's 10 s what the process needs to end.
const shutdownLimit = 9 * time.Second

// Target is what a binary has of its own.
type Target struct {
	// Name is as in its manifest; connections to the database carry it too.
	Name string
	// PortVariable holds the port.
	PortVariable string
	DefaultPort  int
	// NewServer makes the server of its protocol.
	NewServer func(*writer.Writer, settings.Settings, *slog.Logger) (Server, error)
}

// Server answers requests.
type Server interface {
	// Serve serves until it is stopped.
	Serve(net.Listener) error
	// Stop stops accepting and returns when all that was accepted is answered, or when ctx ends.
	Stop(ctx context.Context) error
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
	config, err := settings.Read(os.LookupEnv, target.PortVariable, target.DefaultPort)
	if err != nil {
		return err
	}
	log := newLogger(config)
	runtime.GOMAXPROCS(config.Workers)
	tuneCollector(os.LookupEnv)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	// Before the database is waited for, so that a taken port is told at once.
	listener, err := net.Listen("tcp", config.Address.String())
	if err != nil {
		return fmt.Errorf("cannot listen: %w: stop what uses it, or set %s or BIND", err, target.PortVariable)
	}
	defer listener.Close()
	database, err := openDatabase(ctx, config, target.Name, log)
	if err != nil {
		return err
	}
	defer database.Close()
	return serve(ctx, target, listener, database, config, log)
}

func openDatabase(
	ctx context.Context, config settings.Settings, name string, log *slog.Logger,
) (*postgres.Database, error) {
	database, err := postgres.Open(ctx, config.Database, name, config.Connections)
	if err != nil {
		return nil, err
	}
	if err := writer.NewOutage(log).RideOut(ctx, database.Prepare); err != nil {
		database.Close()
		return nil, fmt.Errorf("cannot use database %s at %s:%d: %w: start it, or set DATABASE_URL",
			config.Database.Database, config.Database.Host, config.Database.Port, err)
	}
	return database, nil
}

// serve serves until ctx ends, then answers what was accepted.
func serve(
	ctx context.Context, target Target, listener net.Listener,
	storage writer.Storage, config settings.Settings, log *slog.Logger,
) error {
	// Writing outlives ctx: what was accepted is still to be stored.
	writing, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	store := writer.Start(writing, storage, config.Writer, log)
	server, err := target.NewServer(store, config, log)
	if err != nil {
		return fmt.Errorf("setting up the server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	log.Info("listening", "address", listener.Addr().String(), "target", target.Name, "write_mode", config.Writer.Mode)
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}

	log.Info("stopping")
	limit, cancel := context.WithTimeout(writing, shutdownLimit)
	defer cancel()
	context.AfterFunc(limit, giveUp)
	if err := server.Stop(limit); err != nil {
		log.Warn("some clients did not take their replies in time", "reason", err)
	}
	store.Drain()
	log.Info("stopped")
	return nil
}
