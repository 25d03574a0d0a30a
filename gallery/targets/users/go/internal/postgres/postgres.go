// Package postgres stores users in PostgreSQL with pgx. Writes of concurrent requests share transactions.
package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"grpc-user-service/internal/user"
)

//go:generate cp ../../../../../contract/users/schema.sql schema.sql

var (
	//go:embed schema.sql
	schemaSQL string
	//go:embed create.sql
	createSQL string
	//go:embed get.sql
	getSQL string
	//go:embed update.sql
	updateSQL string
	//go:embed delete.sql
	deleteSQL string
	//go:embed list_first.sql
	listFirstSQL string
	//go:embed list_page.sql
	listPageSQL string
	//go:embed search.sql
	searchSQL string
	//go:embed search_short.sql
	searchShortSQL string
)

// Options are the settings of a repository.
type Options struct {
	URL string
	// ReadURL is where users are read, empty for URL. What is there must have every change that is acknowledged.
	ReadURL     string
	Application string
	// Connections are the most to each of them.
	Connections int
	// PerRequest gives each write its own transaction.
	PerRequest bool
	// Flushers are how many run at once of the transactions of shared writes, of shared reads by id, and of shared
	// first pages.
	Flushers int
	// Queue is how many operations wait at most.
	Queue int
}

// Repository is a user.Repository.
type Repository struct {
	pool *pgxpool.Pool
	// readPool is pool without a replica.
	readPool *pgxpool.Pool
	writes   *gatherer[*write]
	reads    *gatherer[*read]
	firsts   *gatherer[*firstPage]
}

// Open connects and creates the tables; it tries again until ctx ends.
func Open(ctx context.Context, options Options) (*Repository, error) {
	pool, err := connect(ctx, "DATABASE_URL", options.URL, options)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	readPool := pool
	if options.ReadURL != "" {
		if readPool, err = connect(ctx, "DATABASE_READ_URL", options.ReadURL, options); err != nil {
			pool.Close()
			return nil, err
		}
	}
	r := &Repository{pool: pool, readPool: readPool}
	limit := gatherLimit{flushers: options.Flushers, queue: options.Queue, perRequest: options.PerRequest}
	r.writes = newGatherer(limit, func(ctx context.Context, writes []*write) { r.store(ctx, writes) })
	r.reads = newGatherer(limit, func(ctx context.Context, reads []*read) { r.fetch(ctx, reads) })
	r.firsts = newGatherer(limit, func(ctx context.Context, pages []*firstPage) { r.fetchFirst(ctx, pages) })
	return r, nil
}

// connect makes a pool of connections, which are opened when they are needed.
func connect(ctx context.Context, variable, url string, options Options) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%s is not a PostgreSQL URL: use postgresql://USER:PASSWORD@HOST:PORT/DATABASE", variable)
	}
	config.MaxConns = int32(options.Connections)
	config.ConnConfig.RuntimeParams["application_name"] = options.Application
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("setting up the pool of connections: %w", err)
	}
	return pool, nil
}

// prepare applies the schema.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	for {
		// Without arguments Exec sends a simple query, and so one transaction.
		_, err := pool.Exec(ctx, schemaSQL)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cannot use the database: %w: start it, or set DATABASE_URL", err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Close finishes what was accepted and disconnects.
func (r *Repository) Close() {
	r.writes.close()
	r.reads.close()
	r.firsts.close()
	r.pool.Close()
	if r.readPool != r.pool {
		r.readPool.Close()
	}
}

// Healthy reports whether the database answers, and its replica.
func (r *Repository) Healthy(ctx context.Context) error {
	if err := r.pool.Ping(ctx); err != nil {
		return fault(err)
	}
	if r.readPool == r.pool {
		return nil
	}
	return fault(r.readPool.Ping(ctx))
}

// Codes of PostgreSQL's errors.
const (
	uniqueViolation = "23505"
	deadlock        = "40P01"
)

// isCode reports whether PostgreSQL refused a statement with one of these codes.
func isCode(err error, codes ...string) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return false
	}
	for _, code := range codes {
		if refused.Code == code {
			return true
		}
	}
	return false
}

// fault is an error as a repository returns it: everything but the context's own makes the database unavailable, for the
// caller; the cause is kept for the log.
func fault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, user.ErrNotFound), errors.Is(err, user.ErrEmailTaken), errors.Is(err, user.ErrUnavailable),
		errors.Is(err, context.Canceled):
		return err
	case isCode(err, uniqueViolation):
		return user.ErrEmailTaken
	case errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return fmt.Errorf("%w: %w", user.ErrUnavailable, err)
	}
}
