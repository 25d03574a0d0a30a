// Package fuzzcorpus gives a fuzz test the inputs that earlier fuzzing found: one file for each test instead of one
// for each input. A line is a quoted Go string, as in the files that go test -fuzz writes to testdata/fuzz: to keep such
// an input, copy its string.
package fuzzcorpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Add adds each line of testdata/<name of the test>.txt to the seed corpus, which plain go test runs too.
func Add[T string | []byte](f *testing.F) {
	f.Helper()
	AddFrom[T](f, filepath.Join("testdata", f.Name()+".txt"))
}

// AddFrom adds each line of a file.
func AddFrom[T string | []byte](f *testing.F, path string) {
	f.Helper()
	inputs, err := read(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, input := range inputs {
		f.Add(T(input))
	}
}

func read(path string) ([]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var inputs []string
	for line := range strings.Lines(string(content)) {
		input, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("%s: %s is not a quoted string: %w", path, line, err)
		}
		inputs = append(inputs, input)
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return inputs, nil
}
