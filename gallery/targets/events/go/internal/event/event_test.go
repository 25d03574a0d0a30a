package event

import (
	"errors"
	"testing"
)

func TestMessageOfABulkIsCountedOnce(t *testing.T) {
	valid := func(source int) Decoded { return Decoded{Event: Event{Source: source}} }
	invalid := Decoded{Err: errors.New("invalid")}
	for _, test := range []struct {
		events []Decoded
		want   []int
	}{
		{nil, nil},
		{[]Decoded{invalid}, []int{0}},
		{[]Decoded{valid(10)}, []int{100}},
		{[]Decoded{invalid, valid(10), invalid, valid(20)}, []int{0, 80, 0, 20}},
	} {
		ChargeFor(100, test.events)
		for i, want := range test.want {
			if got := test.events[i].Event.Source; got != want {
				t.Errorf("%+v: event %d keeps %d bytes, want %d", test.events, i, got, want)
			}
		}
	}
}

func TestCountOfABulk(t *testing.T) {
	const message = "events: must hold 1 to 10000 events"
	for count, want := range map[int]string{0: message, 1: "", 10_000: "", 10_001: message} {
		got := ""
		if err := CheckCount(count); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d events: got %q, want %q", count, got, want)
		}
	}
}
