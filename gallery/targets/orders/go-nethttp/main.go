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
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
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
	server := &http.Server{
		Addr:              net.JoinHostPort(cmp.Or(os.Getenv("BIND"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "8080")),
		Handler:           routes(&store{pool}),
		ReadHeaderTimeout: timeout("READ_HEADER_TIMEOUT", 10*time.Second),
		ReadTimeout:       timeout("READ_TIMEOUT", time.Minute),
		IdleTimeout:       timeout("IDLE_TIMEOUT", time.Minute),
		MaxHeaderBytes:    16 << 10,
	}
	// A minute to reply, counted from the head of the request.
	server.WriteTimeout = server.ReadTimeout + time.Minute
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		closing, cancel := context.WithTimeout(context.Background(), 9*time.Second)
		defer cancel()
		stopped <- server.Shutdown(closing)
	})
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// A duration of the environment, such as 500ms, or the usual one.
func timeout(name string, usual time.Duration) time.Duration {
	given, err := time.ParseDuration(cmp.Or(os.Getenv(name), usual.String()))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return given
}

func openPool(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscan(cmp.Or(os.Getenv("DB_POOL_SIZE"), "16"), &config.MaxConns); err != nil {
		return nil, fmt.Errorf("DB_POOL_SIZE: %w", err)
	}
	return pgxpool.NewWithConfig(ctx, config)
}
