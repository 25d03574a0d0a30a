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
	"runtime/debug"
	"syscall"
	"time"

	"example.com/bakeoff/events/internal/postgres"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

// shutdownLimit leaves the rest of the contract's 10 s for the process to exit.
const shutdownLimit = 9 * time.Second

// Target is what differs between the binaries.
type Target struct {
	// Name is as in its manifest; connections to the database carry it too.
	Name string
	// Offer is what it reads besides the settings of all.
	Offer settings.Offer
	// Tuned replaces the library's defaults that tuned targets of both protocols replace: pgx's encoding of arrays, and
	// the garbage collector's target.
	Tuned bool
	// NewServer makes the server of its protocol.
	NewServer func(*writer.Writer, settings.Settings, *slog.Logger) (Server, error)
}

// Server is a protocol's server.
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
	config, err := settings.Read(os.LookupEnv, target.Offer)
	if err != nil {
		return err
	}
	log := newLogger(config)
	runtime.GOMAXPROCS(config.Workers)
	if target.Tuned {
		tuneCollector(os.LookupEnv)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	// Before waiting for the database, so that a port in use is reported at once.
	listener, err := net.Listen("tcp", config.Address.String())
	if err != nil {
		return fmt.Errorf("cannot listen: %w: stop the process that uses it, or set %s or BIND", err, target.Offer.PortVariable)
	}
	defer listener.Close()
	storage, err := openDatabase(ctx, config, target, log)
	if err != nil {
		return err
	}
	defer storage.Close()
	return serve(ctx, target, listener, storage, config, log)
}

// openStorage is a storage that has to be prepared and closed.
type openStorage interface {
	writer.Storage
	Prepare(context.Context) error
	Close()
}

func openDatabase(ctx context.Context, config settings.Settings, target Target, log *slog.Logger) (openStorage, error) {
	opened, err := connect(ctx, config, target)
	if err != nil {
		return nil, err
	}
	if err := writer.NewOutage(log).Retry(ctx, opened.Prepare); err != nil {
		opened.Close()
		return nil, fmt.Errorf("cannot use database %s at %s:%d: %w: start it, or set DATABASE_URL",
			config.Database.Database, config.Database.Host, config.Database.Port, err)
	}
	return opened, nil
}

func connect(ctx context.Context, config settings.Settings, target Target) (openStorage, error) {
	options := postgres.Options{Application: target.Name, Connections: config.Connections, OwnArrays: target.Tuned}
	if config.Variant.Driver == "database/sql" {
		return postgres.OpenSQL(config.Database, options), nil
	}
	return postgres.Open(ctx, config.Database, options)
}

// serve serves until ctx ends, then answers what was accepted.
func serve(
	ctx context.Context, target Target, listener net.Listener,
	storage writer.Storage, config settings.Settings, log *slog.Logger,
) error {
	// Writing outlives ctx: accepted events must still be stored.
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
		log.Warn("some replies were not delivered before the timeout", "reason", err)
	}
	store.Drain()
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

// gcPercent trades memory for CPU: live memory is a few megabytes, garbage under load hundreds per second.
const gcPercent = 200

// tuneCollector sets the garbage collector's target, unless GOGC is set.
func tuneCollector(lookup func(string) (string, bool)) {
	if _, set := lookup("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
}
