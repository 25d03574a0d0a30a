package postgres

import (
	"os"
	"testing"
)

func TestTheEmbeddedStatementsAreThoseOfTheContract(t *testing.T) {
	for name, embedded := range map[string]string{"schema.sql": schema, "upsert.sql": upsert} {
		want, err := os.ReadFile("../../../../../contract/events/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if embedded != string(want) {
			t.Errorf("%s is not the contract's: run go generate ./...", name)
		}
	}
}
