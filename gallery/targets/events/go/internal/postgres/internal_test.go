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

func TestTransientErrors(t *testing.T) {
	for code, want := range map[string]bool{
		"08006": true, "40001": true, "40P01": true, "53300": true, "57014": true, "57P01": true, "57P03": true, "25006": true,
		"22P02": false, "22003": false, "28P01": false, "3D000": false, "42P01": false, "25001": false, "54000": false,
	} {
		if got := isTransient(code); got != want {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
}
