package writer

import (
	"testing"
)

func TestRingKeepsTheOrder(t *testing.T) {
	var r ring[int]
	next := 0
	for i := range 1_000 {
		r.push(i)
		if i%3 == 0 {
			continue
		}
		if got := *r.front(); got != next {
			t.Fatalf("got %d, want %d", got, next)
		}
		r.pop()
		next++
	}
	if r.len() != 1_000-next {
		t.Errorf("%d are left, want %d", r.len(), 1_000-next)
	}
}
