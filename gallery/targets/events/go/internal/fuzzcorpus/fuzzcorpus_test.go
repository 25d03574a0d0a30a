package fuzzcorpus

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReadReturnsEveryInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inputs.txt")
	write(t, path, `"a\n\xff"`+"\n"+`""`+"\n")
	got, err := read(path)
	if err != nil || !slices.Equal(got, []string{"a\n\xff", ""}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestReadRejectsWhatIsNoCorpus(t *testing.T) {
	for _, content := range []string{"", "unquoted\n"} {
		path := filepath.Join(t.TempDir(), "inputs.txt")
		write(t, path, content)
		if got, err := read(path); err == nil {
			t.Errorf("%q: got %q", content, got)
		}
	}
	if _, err := read(filepath.Join(t.TempDir(), "missing.txt")); err == nil {
		t.Error("a missing file is read")
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
