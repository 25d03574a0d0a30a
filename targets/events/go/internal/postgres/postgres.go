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
	// connectTimeout makes a host that swallows packets be noticed.
	connectTimeout = 2 * time.Second
	checkTimeout   = 3 * time.Second
	// statementTimeout is the server's, so that a statement that is given up does not store anything later.
	statementTimeout = 10 * time.Second
	// storeTimeout is for a connection over which nothing comes any more.
	storeTimeout = statementTimeout + time.Second
	closeTimeout = 500 * time.Millisecond
)

// Database is a database and the connections to it.
type Database struct {
	pool *pgxpool.Pool
}

// Config is where a database is, and as whom to use it.
type Config = pgx.ConnConfig

// ParseURL reads a URL such as postgresql://USER:PASSWORD@HOST:PORT/DATABASE.
func ParseURL(url string) (*Config, error) {
	if !strings.HasPrefix(url, "postgresql://") && !strings.HasPrefix(url, "postgres://") {
		return nil, errors.New("no PostgreSQL URL")
	}
	return pgx.ParseConfig(url)
}

// Open returns a database that connects when a connection is first needed, to at most connections at a time.
func Open(ctx context.Context, config *Config, application string, connections int) (*Database, error) {
	pooled, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, fmt.Errorf("default pool configuration: %w", err)
	}
	pooled.ConnConfig = config.Copy()
	pooled.ConnConfig.ConnectTimeout = connectTimeout
	setDefault(pooled.ConnConfig.RuntimeParams, "application_name", application)
	setDefault(pooled.ConnConfig.RuntimeParams, "statement_timeout", fmt.Sprint(statementTimeout.Milliseconds()))
	pooled.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(ctx, pooled)
	if err != nil {
		return nil, fmt.Errorf("connection pool: %w", err)
	}
	return &Database{pool}, nil
}

func setDefault(parameters map[string]string, name, value string) {
	if _, set := parameters[name]; !set {
		parameters[name] = value
	}
}

// Prepare makes the table if there is none. An error that waiting cannot mend, such as a wrong password,
// is not writer.ErrAway.
func (d *Database) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// One simple query is one transaction.
	_, err := d.pool.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol)
	return classify(err)
}

// Store stores all rows or none: one statement outside of a transaction is a transaction of its own,
// without BEGIN and COMMIT.
func (d *Database) Store(ctx context.Context, rows writer.Rows) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := connected(classify(d.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		return storeOver(ctx, conn.Conn(), rows)
	})))
	if errors.Is(err, writer.ErrAway) {
		// What broke this connection has broken the others: not each of them must cost an attempt.
		d.pool.Reset()
	}
	return err
}

func storeOver(ctx context.Context, conn *pgx.Conn, rows writer.Rows) error {
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

// Close closes the connections. Those that a database which hangs does not let go of are left to the process's end.
func (d *Database) Close() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		d.pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
}

// connected takes whatever keeps a connection from being made for the database being away: once the
// process has started, even a wrong password is one that will be right again.
func connected(err error) error {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) && !errors.Is(err, writer.ErrAway) {
		return fmt.Errorf("%w: %w", writer.ErrAway, err)
	}
	return err
}

// classify wraps errors that may pass in writer.ErrAway.
func classify(err error) error {
	if err == nil {
		return nil
	}
	var answer *pgconn.PgError
	if errors.As(err, &answer) && !passes(answer.Code) {
		return err
	}
	return fmt.Errorf("%w: %w", writer.ErrAway, err)
}

// passes tells whether a SQLSTATE is of a class that passes: connection, rolled back for others' sake, out of
// resources, operator intervention (shutdown, starting up, timeout), and a standby that is not yet promoted.
func passes(code string) bool {
	return slices.ContainsFunc([]string{"08", "40", "53", "57", "25006"}, func(class string) bool {
		return strings.HasPrefix(code, class)
	})
}
