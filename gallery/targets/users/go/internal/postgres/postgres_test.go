package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/postgres"
	"grpc-user-service/internal/repositorytest"
	"grpc-user-service/internal/user"
)

// open returns a repository in its own schema, and a URL that leads to it.
func open(t *testing.T, perRequest bool) (*postgres.Repository, string) {
	t.Helper()
	url := os.Getenv("TEST_DATABASE_URL")
	if url == "" {
		t.Skip("TEST_DATABASE_URL is not set")
	}
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	schema := fmt.Sprintf("users_test_%d", time.Now().UnixNano())
	if _, err := admin.Exec(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatal(err)
	}
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	url += separator + "search_path=" + schema
	users, err := postgres.Open(t.Context(), postgres.Options{
		URL: url, Application: "test",
		Connections: 8, PerRequest: perRequest, Flushers: 3, Queue: 10_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		users.Close()
		if _, err := admin.Exec(context.Background(), "DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Error(err)
		}
		if err := admin.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return users, url
}

// connect returns a connection that ends with the test.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := connection.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return connection
}

// TestReadsGoToTheReplica has a database apart in its place, so that it shows which of the two is asked.
func TestReadsGoToTheReplica(t *testing.T) {
	_, apart := open(t, false)
	for _, perRequest := range []bool{false, true} {
		_, url := open(t, perRequest)
		users, err := postgres.Open(t.Context(), postgres.Options{
			URL: url, ReadURL: apart, Application: "test",
			Connections: 4, PerRequest: perRequest, Flushers: 1, Queue: 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(users.Close)
		id, err := users.Create(t.Context(), "Ada", "ada@example.org")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := users.Get(t.Context(), id); !errors.Is(err, user.ErrNotFound) {
			t.Errorf("got %v from the database that is written to", err)
		}
		page, err := users.List(t.Context(), user.Query{Page: 1, Limit: 10})
		if err != nil || page.Total != 0 {
			t.Errorf("listed %d users, %v, of the database that is written to", page.Total, err)
		}
		if err := users.Healthy(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestAURLThatIsNoneIsNamed(t *testing.T) {
	_, url := open(t, false)
	_, err := postgres.Open(t.Context(), postgres.Options{URL: url, ReadURL: "http://", Connections: 1, Flushers: 1})
	if err == nil || !strings.HasPrefix(err.Error(), "DATABASE_READ_URL is not a PostgreSQL URL") {
		t.Error(err)
	}
}

func TestSharedTransactions(t *testing.T) {
	users, _ := open(t, false)
	repositorytest.Run(t, users)
}

func TestTransactionsOfTheirOwn(t *testing.T) {
	users, _ := open(t, true)
	repositorytest.Run(t, users)
}

// TestBlocksOfEverySize begins before the end of a large block of ids, so that pages are on both sides of it.
func TestBlocksOfEverySize(t *testing.T) {
	users, url := open(t, false)
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = connection.Exec(t.Context(), "SELECT setval('users_id_seq', (1 << 15) - 300)")
	if err := errors.Join(err, connection.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	repositorytest.Run(t, users)
}

// TestAQueryUsesTheIndex asks for a plan without sequential scans, which PostgreSQL prefers in small tables: it can only
// avoid one where the expression of the statement is that of the index.
func TestAQueryUsesTheIndex(t *testing.T) {
	_, url := open(t, false)
	search, err := os.ReadFile("search.sql")
	if err != nil {
		t.Fatal(err)
	}
	connection := connect(t, url)
	if _, err := connection.Exec(t.Context(), "SET enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"ada", "ǂƾǁ", "50%_\\"} {
		rows, err := connection.Query(t.Context(), "EXPLAIN "+string(search), pgx.QueryExecModeSimpleProtocol, query, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); !strings.Contains(plan, "users_by_runs") {
			t.Errorf("%q does not use the index:\n%s", query, plan)
		}
	}
}

// TestAPlanForAnyIDsUsesTheIndex asks for the plan that connections keep for statements, of a table of 2,000 users.
func TestAPlanForAnyIDsUsesTheIndex(t *testing.T) {
	_, url := open(t, false)
	connection := connect(t, url)
	const filled = "INSERT INTO users (name, email) SELECT 'Ada', 'ada-' || n || '@example.org' FROM generate_series(1, 2000) n"
	for _, statement := range []string{filled, "ANALYZE users"} {
		if _, err := connection.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"get.sql", "update.sql", "delete.sql"} {
		statement, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// pgx itself would put values in the place of $1.
		results, err := connection.PgConn().Exec(t.Context(), "EXPLAIN (GENERIC_PLAN) "+string(statement)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range results[0].Rows {
			if strings.Contains(string(row[0]), "Seq Scan on users") {
				t.Errorf("%s reads all users: %s", file, row[0])
			}
		}
	}
}

func TestTheSchemaIsTheContracts(t *testing.T) {
	for path, copied := range map[string]string{"../../../../../contract/users/schema.sql": "schema.sql"} {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(copied)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s differs from %s: run go generate ./...", copied, path)
		}
	}
}
