package postgres

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/bakeoff/events/internal/writer"
)

// SQLDatabase is a database that is used through database/sql, with pgx as its driver.
type SQLDatabase struct {
	db *sql.DB
}

// OpenSQL returns a database that connects when a connection is first needed.
func OpenSQL(config *Config, options Options) *SQLDatabase {
	db := stdlib.OpenDB(*configured(config, options))
	db.SetMaxOpenConns(options.Connections)
	// The default of 2 would close and open connections under load.
	db.SetMaxIdleConns(options.Connections)
	return &SQLDatabase{db}
}

// Prepare is as that of Database.
func (d *SQLDatabase) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	_, err := d.db.ExecContext(ctx, schema, pgx.QueryExecModeSimpleProtocol)
	return classify(err)
}

// Store stores all rows or none.
func (d *SQLDatabase) Store(ctx context.Context, rows writer.Rows) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	_, err := d.db.ExecContext(ctx, upsert, rows.Types, rows.IDs, rows.Documents)
	return withConnectErrorsTransient(classify(err))
}

// Check returns an error unless the database answers now.
func (d *SQLDatabase) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return d.db.PingContext(ctx)
}

// Close closes the connections.
func (d *SQLDatabase) Close() { closeWithin(closeTimeout, func() { _ = d.db.Close() }) }
