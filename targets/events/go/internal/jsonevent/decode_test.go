package jsonevent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

const (
	header = `"eventHeader":{"uuid":"550e8400-e29b-41d4-a716-446655440000","eventName":"CarCreated"}`
	body   = `"eventBody":{"entities":[{"entityType":"Car","entityId":"car-1","updatedAttributes":{}}]}`
)

// withAttributes is an event with the attributes.
func withAttributes(attributes string) string {
	return "{" + header + "," + strings.Replace(body, "{}", attributes, 1) + "}"
}

func TestDecode(t *testing.T) {
	text := `{"more":[{}],` + header + `,"eventBody":{"x":null,"entities":[
		{"entityId":"a\u00e9","entityType":"Car","updatedAttributes": { "n" : 0.10, "n":12345678901234567890 } },
		{"updatedAttributes":{},"entityType":"Loan","entityId":"l-1","other":1e999}]}}`
	got, err := Decode(text)
	want := event.Event{Source: len(text), Entities: []event.Entity{
		{Type: "Car", ID: "aé", Attributes: `{ "n" : 0.10, "n":12345678901234567890 }`},
		{Type: "Loan", ID: "l-1", Attributes: "{}"},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestBrokenEvents(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "body: not valid JSON"},
		{"UTF-8 before syntax", "{\xff", "body: not valid UTF-8"},
		{"mark", "\ufeff{}", "body: not valid JSON"},
		{"trailing", "{" + header + "," + body + "}x", "body: not valid JSON"},
		{"syntax before rules", `{"eventHeader":1,"x":tru}`, "body: not valid JSON"},
		{"array", "[]", "body: must be an object"},
		{"null", "null", "body: must be an object"},
		{"empty", "{}", "eventHeader: required"},
		{"two headers", "{" + header + "," + header + "," + body + "}", "eventHeader: duplicate field"},
		{"two headers, one of them null", `{"eventHeader":null,` + header + "," + body + "}", "eventHeader: duplicate field"},
		{"a name with escapes", `{"\u0065ventHeader":{},` + header + "}", "eventHeader: duplicate field"},
		{"two uuids", `{"eventHeader":{"uuid":"","uuid":""},` + body + "}", "eventHeader.uuid: duplicate field"},
		{"number for a name", `{"eventHeader":{"uuid":12},` + body + "}", "eventHeader.uuid: must be a string"},
		{"fraction for a date", `{"eventHeader":{"uuid":"550e8400-e29b-41d4-a716-446655440000","eventName":"x","savedDate":1.5},` + body + "}",
			"eventHeader.savedDate: must be an RFC 3339 timestamp or epoch milliseconds"},
		{"entities that are none", "{" + header + `,"eventBody":{"entities":{}}}`, "eventBody.entities: must be an array"},
		{"entity that is none", "{" + header + `,"eventBody":{"entities":[7]}}`, "eventBody.entities[0]: must be an object"},
		{"attributes twice", "{" + header + `,"eventBody":{"entities":[{"entityType":"a","entityId":"b","updatedAttributes":{},"updatedAttributes":{}}]}}`,
			"eventBody.entities[0].updatedAttributes: duplicate field"},
		{"too many entities", "{" + header + `,"eventBody":{"entities":[` + strings.Repeat("1,", 1_000) + "1]}}",
			"eventBody.entities: must hold 1 to 1000 entities"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Decode(test.text); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestOnlyBrokenSyntaxIsMalformed(t *testing.T) {
	for text, want := range map[string]fault.Kind{"{": fault.Malformed, "\xff": fault.Malformed, "[]": fault.Invalid, "{}": fault.Invalid} {
		if _, err := Decode(text); fault.Of(err).Kind != want {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestTheFirstFlawOfAttributesIsFound(t *testing.T) {
	const path = "eventBody.entities[0].updatedAttributes: "
	nested := func(levels int) string {
		return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + "}"
	}
	for attributes, want := range map[string]string{
		`{ "a" : [1, "b", {"c": null}] }`: "",
		`{"a":"\u0000"}`:                  path + `contains \u0000, which cannot be stored`,
		`{"a":{"\u0000":1}}`:              path + `contains \u0000, which cannot be stored`,
		`{"a":["\ud800"]}`:                path + "contains a lone surrogate, which cannot be stored",
		`{"a":1e999}`:                     path + "contains a number outside the double range",
		`{"a":[1e999,"\u0000"]}`:          path + "contains a number outside the double range",
		`{"a":["\u0000",1e999]}`:          path + `contains \u0000, which cannot be stored`,
		nested(32):                        "",
		nested(33):                        path + "nested deeper than 32 levels",
	} {
		_, err := Decode(withAttributes(attributes))
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: got %s, want %s", attributes, got, want)
		}
	}
}

func TestDecodeBulk(t *testing.T) {
	one := withAttributes(`{"a":1}`)
	tooLarge := withAttributes(`{"a":"` + strings.Repeat("x", event.MaxBytes) + `"}`)
	events, err := DecodeBulk(" [" + one + ", {} ,7," + tooLarge + "]")
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
	if events[0].Event.Source != len(one) {
		t.Errorf("the first event keeps %d bytes, want %d", events[0].Event.Source, len(one))
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

// FuzzDecodeEvent holds: no panic, an error that is a client's, and texts that encoding/json takes.
func FuzzDecodeEvent(f *testing.F) {
	f.Add(withAttributes(`{"a":[1,-0.5e-7,"\u00e9\ud83d\ude00",{"b":null}],"a":true}`))
	f.Add("[" + withAttributes(`{"a":"\ud800"}`) + ",{}]")
	for _, seed := range seeds {
		f.Add(seed)
		f.Add(withAttributes(seed))
	}
	f.Fuzz(func(t *testing.T, text string) {
		decoded, err := Decode(text)
		if err != nil {
			checkRefusal(t, text, err)
		} else {
			checkEvent(t, decoded)
		}
		events, err := DecodeBulk(text)
		if err != nil {
			checkRefusal(t, text, err)
		}
		for _, element := range events {
			if element.Err == nil {
				checkEvent(t, element.Event)
			}
		}
	})
}

func checkRefusal(t *testing.T, text string, err error) {
	t.Helper()
	failure := fault.Of(err)
	if failure.Kind == fault.Internal {
		t.Errorf("%q: %v", text, err)
	}
	if failure.Message == "body: not valid JSON" && json.Valid([]byte(text)) {
		t.Errorf("%q is JSON", text)
	}
}

func checkEvent(t *testing.T, decoded event.Event) {
	t.Helper()
	for _, entity := range decoded.Entities {
		var object map[string]any
		if err := json.Unmarshal([]byte(entity.Attributes), &object); err != nil {
			t.Errorf("attributes %q: %v", entity.Attributes, err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	text := withAttributes(`{"id":"car-1","make":"Toyota","model":"Corolla","year":2020,"vin":"ABCDEFGH23456789X","cost":81.37,"kind":"oil change"}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
