package jsonevent

import (
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
