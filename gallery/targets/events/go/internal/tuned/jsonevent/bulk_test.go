package jsonevent

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/event"
)

func TestDecodeBulk(t *testing.T) {
	one := withAttributes(`{"a":1}`)
	tooLarge := withAttributes(`{"a":"` + strings.Repeat("x", event.MaxBytes) + `"}`)
	body := " [" + one + ", {} ,7," + tooLarge + "]"
	events, err := DecodeBulk(body)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, decoded := range events {
		got = append(got, fmt.Sprint(decoded.Err))
	}
	want := []string{"<nil>", "eventHeader: required", "event: must be an object", "event: larger than 1048576 bytes"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if events[0].Event.Source != len(body) {
		t.Errorf("the only valid event keeps %d bytes, want %d", events[0].Event.Source, len(body))
	}
}

func TestBrokenBulks(t *testing.T) {
	for text, want := range map[string]string{
		"[]":  "events: must hold 1 to 10000 events",
		"{}":  "body: must be an array",
		"{":   "body: not valid JSON",
		"[{}": "body: not valid JSON",
		"[" + strings.Repeat("1,", event.MaxBulkEvents) + "1]":  "events: must hold 1 to 10000 events",
		"[" + strings.Repeat("1,", event.MaxBulkEvents) + "1]]": "body: not valid JSON",
		"[\"\xff\"]": "body: not valid UTF-8",
	} {
		if _, err := DecodeBulk(text); err == nil || err.Error() != want {
			t.Errorf("%.20q…: got %v, want %s", text, err, want)
		}
	}
}
