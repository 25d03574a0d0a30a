package jsonevent

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/fuzzcorpus"
)

// deepest is how deep JSON may nest for encoding/json; for us it may nest deeper outside of the attributes.
const deepest = 10_000

// FuzzEvent holds: syntax is at fault when encoding/json says so, and an accepted event is what encoding/json reads.
func FuzzEvent(f *testing.F) {
	f.Add(withAttributes(`{"a":[1,-0.5e-7,"\u00e9\ud83d\ude00",{"b":null}],"a":true}`))
	f.Add(withAttributes(`{"a":"\ud800"}`))
	for _, seed := range seeds {
		f.Add(seed)
		f.Add(withAttributes(seed))
	}
	fuzzcorpus.Add[string](f)
	f.Fuzz(func(t *testing.T, text string) {
		skipTooDeep(t, text)
		decoded, err := Decode(text)
		checkSyntax(t, text, err)
		if err == nil {
			checkEvent(t, decoded, text)
		}
	})
}

// FuzzBulk checks that syntax is at fault when encoding/json says so, and a bulk is its elements, each decoded by itself.
func FuzzBulk(f *testing.F) {
	f.Add("[" + withAttributes(`{"a":[1]}`) + ", {} ,7," + withAttributes(`{"a":"\ud800"}`) + "]")
	for _, seed := range seeds {
		f.Add("[" + seed + "]")
	}
	fuzzcorpus.Add[string](f)
	f.Fuzz(func(t *testing.T, text string) {
		skipTooDeep(t, text)
		events, err := DecodeBulk(text)
		checkSyntax(t, text, err)
		if err != nil {
			return
		}
		var elements []json.RawMessage
		if err := json.Unmarshal([]byte(text), &elements); err != nil || len(elements) != len(events) {
			t.Fatalf("%q: got %d events; encoding/json %d, %v", text, len(events), len(elements), err)
		}
		want := make([]event.Decoded, len(elements))
		for i, element := range elements {
			alone, err := Decode(string(element))
			if err == errBodyNoObject {
				err = errEventNoObject
			}
			want[i] = event.Decoded{Event: alone, Err: err}
		}
		event.ChargeFor(len(text), want)
		if !reflect.DeepEqual(events, want) {
			t.Errorf("%q: got %+v, each by itself %+v", text, events, want)
		}
	})
}

func skipTooDeep(t *testing.T, text string) {
	if strings.Count(text, "[")+strings.Count(text, "{") > deepest {
		t.Skip("encoding/json has its own limit")
	}
}

// checkSyntax expects invalid JSON to be malformed, and nothing else.
func checkSyntax(t *testing.T, text string, err error) {
	t.Helper()
	malformed := err != nil && fault.Of(err).Kind == fault.Malformed
	if valid := utf8.ValidString(text) && json.Valid([]byte(text)); malformed == valid {
		t.Errorf("%q: got %v, but encoding/json says %v", text, err, valid)
	}
	if err != nil && fault.Of(err).Kind == fault.Internal {
		t.Errorf("%q: %v", text, err)
	}
}

func checkEvent(t *testing.T, got event.Event, text string) {
	t.Helper()
	whole := parse(t, text).(map[string]any)
	entities := whole["eventBody"].(map[string]any)["entities"].([]any)
	if len(got.Entities) != len(entities) {
		t.Fatalf("%q: got %d entities, want %d", text, len(got.Entities), len(entities))
	}
	for i, entity := range got.Entities {
		attributes := parse(t, entity.Attributes)
		want := entities[i].(map[string]any)
		found := []any{entity.Type, entity.ID, attributes}
		if !reflect.DeepEqual(found, []any{want["entityType"], want["entityId"], want["updatedAttributes"]}) {
			t.Errorf("%q: entity %d is %v, want %v", text, i, found, want)
		}
		checkStorable(t, attributes, 1)
	}
}

// parse keeps the text of numbers.
func parse(t *testing.T, text string) any {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

// checkStorable checks a value, whose objects and arrays are of level depth, against the contract's rules for attributes.
func checkStorable(t *testing.T, value any, depth int) {
	t.Helper()
	switch value := value.(type) {
	case string:
		if strings.Contains(value, "\x00") {
			t.Errorf("%q is accepted", value)
		}
	case json.Number:
		digits, _ := cutExponent(value.String())
		double, err := value.Float64()
		if err != nil || math.IsInf(double, 0) || (double == 0) != !strings.ContainsAny(digits, "123456789") {
			t.Errorf("%s is accepted, but as a double it is %v, %v", value, double, err)
		}
	case []any:
		checkDepth(t, depth)
		for _, element := range value {
			checkStorable(t, element, depth+1)
		}
	case map[string]any:
		checkDepth(t, depth)
		for name, member := range value {
			checkStorable(t, name, depth)
			checkStorable(t, member, depth+1)
		}
	}
}

func checkDepth(t *testing.T, depth int) {
	t.Helper()
	if depth > event.MaxDepth {
		t.Errorf("level %d is accepted", depth)
	}
}
