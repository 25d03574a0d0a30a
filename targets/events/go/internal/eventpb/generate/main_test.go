package main

import (
	"os"
	"testing"
)

func TestTheGeneratedCodeIsThatOfTheContract(t *testing.T) {
	want, err := generate(t.Context(), "../../../../../../contract/events")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../event_service.pb.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("event_service.pb.go is not what the contract's event_service.proto gives: run go generate ./...")
	}
}
