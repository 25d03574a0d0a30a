package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/postgres"
	"grpc-user-service/internal/repositorytest"
)

// open returns a repository in a schema of its own.
func open(t *testing.T, perRequest bool) *postgres.Repository {
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
	users, err := postgres.Open(t.Context(), postgres.Options{
		URL: url + separator + "search_path=" + schema, Application: "test",
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
	return users
}

func TestSharedTransactions(t *testing.T) { repositorytest.Run(t, open(t, false)) }

func TestTransactionsOfTheirOwn(t *testing.T) { repositorytest.Run(t, open(t, true)) }

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
