package writer

import (
	"reflect"
	"testing"

	"example.com/bakeoff/events/internal/event"
)

func entities(parts ...string) event.Event {
	var e event.Event
	for i := 0; i < len(parts); i += 3 {
		e.Entities = append(e.Entities, event.Entity{Type: parts[i], ID: parts[i+1], Attributes: parts[i+2]})
	}
	return e
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name   string
		events []event.Event
		want   Rows
	}{
		{
			"rows are sorted by type, then by ID",
			[]event.Event{entities("b", "1", "{}", "a", "2", "{}"), entities("a", "10", "{}"), entities("a", "1b", "{}")},
			Rows{[]string{"a", "a", "a", "b"}, []string{"10", "1b", "2", "1"}, []string{"{}", "{}", "{}", "{}"}},
		},
		{
			"a key is a pair, not a text",
			[]event.Event{entities("ab", "c", `{"x":1}`), entities("a", "bc", `{"x":2}`)},
			Rows{[]string{"a", "ab"}, []string{"bc", "c"}, []string{`{"x":2}`, `{"x":1}`}},
		},
		{
			"updates of an entity are merged in the order of arrival",
			[]event.Event{
				entities("k", "1", `{"a":1}`, "k", "2", "{}", "k", "1", `{"b":2}`),
				entities("k", "0", `{"z":0}`),
				entities("k", "1", "{ }"),
				entities("k", "1", `{ "a" : 3 }`, "k", "2", `{"c":4}`),
				entities("k", "3", "{}", "k", "3", "{\n}"),
			},
			Rows{
				[]string{"k", "k", "k", "k"}, []string{"0", "1", "2", "3"},
				[]string{`{"z":0}`, `{"a":1,"b":2,"a" : 3}`, `{"c":4}`, "{}"},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := merge(test.events); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
