package main

import (
	"os"
	"testing"
)

func TestTheGeneratedCodeIsThatOfTheContract(t *testing.T) {
	for plugin, path := range plugins {
		want, err := generate(t.Context(), plugin, "../../../../../../contract/events")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../" + path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the contract's event_service.proto gives: run go generate ./...", path)
		}
	}
}
