// Package postgres keeps events in PostgreSQL.
//
//go:generate cp ../../../../../contract/events/schema.sql ../../../../../contract/events/upsert.sql .
package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/bakeoff/events/internal/writer"
)

// The contract's files; an embedded file cannot lie outside of the module, so a test holds the copies equal.
var (
	//go:embed schema.sql
	schema string
	//go:embed upsert.sql
	upsert string
)

const (
	// connectTimeout detects a host that drops packets.
	connectTimeout = 2 * time.Second
	checkTimeout   = 3 * time.Second
	// statementTimeout is enforced by the server, so that a cancelled statement stores nothing later.
	statementTimeout = 10 * time.Second
	// storeTimeout covers a connection that has gone silent.
	storeTimeout = statementTimeout + time.Second
	closeTimeout = 500 * time.Millisecond
)

// Database is a database and the connections to it.
type Database struct {
	pool      *pgxpool.Pool
	ownArrays bool
}

// Options choose how a database is used.
type Options struct {
	// Application is the name of the connections.
	Application string
	// Connections is the maximum.
	Connections int
	// OwnArrays encodes arrays with this package instead of pgx.
	OwnArrays bool
}

// Config is a database's address and credentials.
type Config = pgx.ConnConfig

// ParseURL reads a URL such as postgresql://USER:PASSWORD@HOST:PORT/DATABASE.
func ParseURL(url string) (*Config, error) {
	if !strings.HasPrefix(url, "postgresql://") && !strings.HasPrefix(url, "postgres://") {
		return nil, errors.New("no PostgreSQL URL")
	}
	return pgx.ParseConfig(url)
}

// Open returns a database that connects when a connection is first needed.
func Open(ctx context.Context, config *Config, options Options) (*Database, error) {
	pooled, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, fmt.Errorf("default pool configuration: %w", err)
	}
	pooled.ConnConfig = configured(config, options)
	pooled.MaxConns = int32(options.Connections)
	pool, err := pgxpool.NewWithConfig(ctx, pooled)
	if err != nil {
		return nil, fmt.Errorf("connection pool: %w", err)
	}
	return &Database{pool, options.OwnArrays}, nil
}

// configured is a copy of config with the settings of every connection.
func configured(config *Config, options Options) *Config {
	config = config.Copy()
	config.ConnectTimeout = connectTimeout
	setDefault(config.RuntimeParams, "application_name", options.Application)
	setDefault(config.RuntimeParams, "statement_timeout", fmt.Sprint(statementTimeout.Milliseconds()))
	return config
}

func setDefault(parameters map[string]string, name, value string) {
	if _, set := parameters[name]; !set {
		parameters[name] = value
	}
}

// Prepare makes the table if there is none. An error that waiting cannot fix, such as a wrong password,
// is not writer.ErrDatabaseUnavailable.
func (d *Database) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// One simple query is one transaction.
	_, err := d.pool.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol)
	return classify(err)
}

// Store stores all rows or none: one statement outside of a transaction is its own transaction,
// without BEGIN and COMMIT.
func (d *Database) Store(ctx context.Context, rows writer.Rows) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := withConnectErrorsTransient(classify(d.store(ctx, rows)))
	if errors.Is(err, writer.ErrDatabaseUnavailable) {
		// The fault of this connection has broken the others: without a reset each of them would cost an attempt.
		d.pool.Reset()
	}
	return err
}

func (d *Database) store(ctx context.Context, rows writer.Rows) error {
	if d.ownArrays {
		return d.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error { return storeOwnArrays(ctx, conn.Conn(), rows) })
	}
	_, err := d.pool.Exec(ctx, upsert, rows.Types, rows.IDs, rows.Documents)
	return err
}

func storeOwnArrays(ctx context.Context, conn *pgx.Conn, rows writer.Rows) error {
	// Only the first time on a connection is this a round trip.
	statement, err := conn.Prepare(ctx, "upsert", upsert)
	if err != nil {
		return err
	}
	parameters := [][]byte{textArray(rows.Types), textArray(rows.IDs), textArray(rows.Documents)}
	binaryFormat := []int16{pgx.BinaryFormatCode}
	return conn.PgConn().ExecPrepared(ctx, statement.Name, parameters, binaryFormat, nil).Read().Err
}

// Check returns an error unless the database answers now.
func (d *Database) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return d.pool.Ping(ctx)
}

// Close closes the connections. Connections that a hanging database does not release are left to the end of the process.
func (d *Database) Close() { closeWithin(closeTimeout, d.pool.Close) }

func closeWithin(timeout time.Duration, closing func()) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		closing()
	}()
	select {
	case <-closed:
	case <-time.After(timeout):
	}
}

// withConnectErrorsTransient treats every failure to connect as an unavailable database: once the
// process has started, even a wrong password may be corrected.
func withConnectErrorsTransient(err error) error {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) && !errors.Is(err, writer.ErrDatabaseUnavailable) {
		return fmt.Errorf("%w: %w", writer.ErrDatabaseUnavailable, err)
	}
	return err
}

// classify wraps transient errors in writer.ErrDatabaseUnavailable.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var answer *pgconn.PgError
	if errors.As(err, &answer) && !isTransient(answer.Code) {
		return err
	}
	return fmt.Errorf("%w: %w", writer.ErrDatabaseUnavailable, err)
}

// isTransient reports whether a SQLSTATE belongs to a transient class: connection, transaction rollback, insufficient
// resources, operator intervention (shutdown, starting up, timeout), or a standby that is not yet promoted.
func isTransient(code string) bool {
	return slices.ContainsFunc([]string{"08", "40", "53", "57", "25006"}, func(class string) bool {
		return strings.HasPrefix(code, class)
	})
}
