// A service of orders on net/http and pgx.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	stopTimeout    = 9 * time.Second
	replyTimeout   = time.Minute
	maxHeaderBytes = 16 << 10
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pool, err := openPool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	address := net.JoinHostPort(cmp.Or(os.Getenv("BIND"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "8080"))
	server := &http.Server{
		Addr: address, Handler: routes(&store{pool}),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeaderBytes,
	}
	if err := readTimeouts(map[string]*time.Duration{
		"READ_HEADER_TIMEOUT": &server.ReadHeaderTimeout,
		"READ_TIMEOUT":        &server.ReadTimeout,
		"IDLE_TIMEOUT":        &server.IdleTimeout,
	}); err != nil {
		return err
	}
	// Counted from the head of the request.
	server.WriteTimeout = server.ReadTimeout + replyTimeout
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		closing, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		stopped <- server.Shutdown(closing)
	})
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// Durations of the environment, such as 500ms, in place of the defaults.
func readTimeouts(timeouts map[string]*time.Duration) error {
	for name, timeout := range timeouts {
		if text := os.Getenv(name); text != "" {
			given, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*timeout = given
		}
	}
	return nil
}

func openPool(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseInt(cmp.Or(os.Getenv("DB_POOL_SIZE"), "16"), 10, 32)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(size)
	return pgxpool.NewWithConfig(ctx, config)
}
