// Package postgrestest gives each test its own schema.
package postgrestest

import (
	"context"
	"crypto/rand"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/bakeoff/events/internal/postgres"
)

// Variable names the server for tests, whose user may create schemas.
const Variable = "TEST_DATABASE_URL"

// Config connects to a new schema that the test drops at its end. Without a server the test is skipped.
func Config(t testing.TB) *postgres.Config {
	t.Helper()
	url := os.Getenv(Variable)
	if url == "" {
		t.Skipf("%s is not set: it names the PostgreSQL that this test would use", Variable)
	}
	config, err := postgres.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	schema := "test_" + rand.Text()
	Exec(t, config, `CREATE SCHEMA "`+schema+`"`)
	t.Cleanup(func() { Exec(t, config, `DROP SCHEMA "`+schema+`" CASCADE`) })
	own := config.Copy()
	own.RuntimeParams["search_path"] = `"` + schema + `"`
	return own
}

// Open returns a prepared database.
func Open(t testing.TB, config *postgres.Config) *postgres.Database {
	t.Helper()
	return OpenWith(t, config, postgres.Options{Application: t.Name(), Connections: 3})
}

// OpenWith returns a prepared database with these options.
func OpenWith(t testing.TB, config *postgres.Config, options postgres.Options) *postgres.Database {
	t.Helper()
	database, err := postgres.Open(t.Context(), config, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(database.Close)
	if err := database.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return database
}

// Exec runs a statement over its own connection.
func Exec(t testing.TB, config *postgres.Config, statement string) {
	t.Helper()
	within(t, config, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// Documents are what is stored, by ID.
func Documents(t testing.TB, config *postgres.Config) map[string]string {
	t.Helper()
	documents := map[string]string{}
	within(t, config, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT id, data::text FROM car_entities")
		if err != nil {
			return err
		}
		var id, document string
		_, err = pgx.ForEachRow(rows, []any{&id, &document}, func() error {
			documents[id] = document
			return nil
		})
		return err
	})
	return documents
}

// Locked holds a lock on the table while do runs.
func Locked(t testing.TB, config *postgres.Config, do func()) {
	t.Helper()
	within(t, config, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "LOCK TABLE car_entities"); err != nil {
				return err
			}
			do()
			return nil
		})
	})
}

func within(t testing.TB, config *postgres.Config, do func(context.Context, *pgx.Conn) error) {
	t.Helper()
	// Not the test's context, which has ended when its cleanups run.
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := do(ctx, conn); err != nil {
		t.Fatal(err)
	}
}
