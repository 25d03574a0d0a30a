package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheCodeIsThatOfTheContract(t *testing.T) {
	for plugin, output := range plugins {
		t.Run(plugin, func(t *testing.T) {
			t.Parallel()
			want, err := generate(t.Context(), plugin, "../"+contract)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range output.paths {
				got, err := os.ReadFile(filepath.Join("..", path))
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != want {
					t.Errorf("%s is not what %s makes of the contract: run go generate ./...", path, plugin)
				}
			}
		})
	}
}
