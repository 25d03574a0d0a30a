package postgres_test

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"sync"
	"testing"

	"example.com/bakeoff/events/internal/postgres"
	"example.com/bakeoff/events/internal/postgres/postgrestest"
	"example.com/bakeoff/events/internal/writer"
)

func rows(id string, document string) writer.Rows {
	return writer.Rows{Types: []string{"Car"}, IDs: []string{id}, Documents: []string{document}}
}

func TestStoreMergesShallowly(t *testing.T) {
	for _, ownArrays := range []bool{false, true} {
		t.Run(fmt.Sprintf("own arrays %v", ownArrays), func(t *testing.T) {
			config := postgrestest.Config(t)
			database := postgrestest.OpenWith(t, config, postgres.Options{Connections: 1, OwnArrays: ownArrays})
			checkMerge(t, config, database)
		})
	}
}

func TestDatabaseSQL(t *testing.T) {
	config := postgrestest.Config(t)
	database := postgres.OpenSQL(config, postgres.Options{Application: t.Name(), Connections: 2})
	defer database.Close()
	for range 2 {
		if err := database.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	checkMerge(t, config, database)
	err := database.Store(t.Context(), rows("2", "no JSON"))
	if err == nil || errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("got %v", err)
	}
	postgrestest.Exec(t, config, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+t.Name()+"'")
	if err := database.Store(t.Context(), rows("2", "{}")); err != nil && !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := database.Check(t.Context()); err != nil {
		t.Error(err)
	}
	wrong := config.Copy()
	wrong.Database = "no such database"
	missing := postgres.OpenSQL(wrong, postgres.Options{Connections: 1})
	defer missing.Close()
	if err := missing.Prepare(t.Context()); err == nil || errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("at start: got %v", err)
	}
	if err := missing.Store(t.Context(), rows("1", "{}")); !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("later: got %v", err)
	}
}

func checkMerge(t *testing.T, config *postgres.Config, database writer.Storage) {
	for _, batch := range []writer.Rows{
		rows("1", `{"a":{"x":1},"b":0.10,"b":12345678901234567890}`),
		{Types: []string{"Car", "Loan"}, IDs: []string{"1", "ä"}, Documents: []string{`{"a":{"y":null},"c":null}`, "{}"}},
	} {
		if err := database.Store(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"1": `{"a": {"y": null}, "b": 12345678901234567890, "c": null}`, "ä": "{}"}
	if got := postgrestest.Documents(t, config); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestABatchIsStoredAllOrNone(t *testing.T) {
	config := postgrestest.Config(t)
	database := postgrestest.Open(t, config)
	err := database.Store(t.Context(), writer.Rows{
		Types: []string{"Car", "Car"}, IDs: []string{"1", "2"}, Documents: []string{"{}", "no JSON"},
	})
	if err == nil || errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("got %v", err)
	}
	if got := postgrestest.Documents(t, config); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
	// The connection can be used again.
	if err := database.Store(t.Context(), rows("3", "{}")); err != nil {
		t.Error(err)
	}
}

func TestBrokenConnectionsAreReplaced(t *testing.T) {
	config := postgrestest.Config(t)
	database := postgrestest.Open(t, config)
	if err := database.Store(t.Context(), rows("1", "{}")); err != nil {
		t.Fatal(err)
	}
	postgrestest.Exec(t, config, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+t.Name()+"'")
	if err := database.Store(t.Context(), rows("2", "{}")); err != nil && !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := database.Store(t.Context(), rows("2", "{}")); err != nil {
		t.Errorf("the second attempt: %v", err)
	}
	if err := database.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSlowStatementIsCancelled(t *testing.T) {
	config := postgrestest.Config(t)
	postgrestest.Open(t, config)
	hasty := config.Copy()
	hasty.RuntimeParams["statement_timeout"] = "100"
	database, err := postgres.Open(t.Context(), hasty, postgres.Options{Application: t.Name(), Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	postgrestest.Locked(t, config, func() {
		if err := database.Store(t.Context(), rows("1", "{}")); !errors.Is(err, writer.ErrDatabaseUnavailable) {
			t.Errorf("got %v", err)
		}
	})
	if err := database.Store(t.Context(), rows("2", "{}")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if got := postgrestest.Documents(t, config); !reflect.DeepEqual(got, map[string]string{"2": "{}"}) {
		t.Errorf("stored %v", got)
	}
}

func TestConcurrentPrepare(t *testing.T) {
	config := postgrestest.Config(t)
	var preparing sync.WaitGroup
	for range 8 {
		preparing.Go(func() {
			database, err := postgres.Open(t.Context(), config, postgres.Options{Application: "test", Connections: 1})
			if err != nil {
				t.Error(err)
				return
			}
			defer database.Close()
			if err := database.Prepare(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	preparing.Wait()
}

func TestMissingDatabaseIsAnError(t *testing.T) {
	config := postgrestest.Config(t).Copy()
	config.Database = "no such database"
	database, err := postgres.Open(t.Context(), config, postgres.Options{Application: "test", Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if err := database.Prepare(t.Context()); err == nil || errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("at start: got %v", err)
	}
	if err := database.Store(t.Context(), rows("1", "{}")); !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("later: got %v", err)
	}
}

func TestServerThatDoesNotListenIsUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	config, err := postgres.ParseURL("postgresql://postgres@" + address + "/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	database, err := postgres.Open(t.Context(), config, postgres.Options{Application: "test", Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	if err := database.Prepare(t.Context()); !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("preparing: got %v", err)
	}
	if err := database.Store(t.Context(), rows("1", "{}")); !errors.Is(err, writer.ErrDatabaseUnavailable) {
		t.Errorf("storing: got %v", err)
	}
	if err := database.Check(t.Context()); err == nil {
		t.Error("the check finds it")
	}
}
