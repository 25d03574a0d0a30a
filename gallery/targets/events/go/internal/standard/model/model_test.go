package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-playground/validator/v10"
)

const header = `"eventHeader":{"uuid":"550e8400-E29B-41d4-a716-446655440000","eventName":"CarCreated"}`

func newValidator(t *testing.T) *validator.Validate {
	t.Helper()
	validate := validator.New()
	validate.SetTagName("binding")
	if err := Register(validate); err != nil {
		t.Fatal(err)
	}
	return validate
}

// check returns what a client gets for an event.
func check(t *testing.T, text string) string {
	t.Helper()
	var e Event
	err := json.Unmarshal([]byte(text), &e)
	if err == nil {
		err = newValidator(t).Struct(&e)
	}
	if err == nil {
		return ""
	}
	return Fault(err).Error()
}

func withEntity(entity string) string {
	return "{" + header + `,"eventBody":{"entities":[` + entity + `]}}`
}

func withAttributes(attributes string) string {
	return withEntity(`{"entityType":"Car","entityId":"car-1","updatedAttributes":` + attributes + `}`)
}

func withHeader(members string) string {
	event := withAttributes("{}")
	return strings.Replace(event, `"eventName":"CarCreated"`, members, 1)
}

func TestValidEvents(t *testing.T) {
	for _, text := range []string{
		withAttributes(`{}`),
		withAttributes(`{"a":[1,"b",{"c":null}],"n":12345678901234567890,"m":0.10}`),
		withHeader(`"eventName":"` + strings.Repeat("日", 100) + `","createdDate":1705314600000,"savedDate":"-1","eventType":null`),
		withHeader(`"eventName":"x","createdDate":"2024-02-29t23:59:59.123456789+23:59","savedDate":null`),
	} {
		if got := check(t, text); got != "" {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

func TestBrokenRules(t *testing.T) {
	const notADate = "must be an RFC 3339 timestamp or epoch milliseconds"
	for text, want := range map[string]string{
		`{}`:                         "eventHeader: required",
		`[]`:                         "body: must be an object",
		`{"eventHeader":1}`:          "eventHeader: must be an object",
		"{" + header + "}":           "eventBody: required",
		withHeader(`"eventName":""`): "eventHeader.eventName: required",
		withHeader(`"eventName":7`):  "eventHeader.eventName: must be a string",
		withHeader(`"eventName":"` + strings.Repeat("ä", 101) + `"`):                      "eventHeader.eventName: must have at most 100 characters",
		withHeader(`"eventName":"x\u0000"`):                                               `eventHeader.eventName: contains \u0000, which cannot be stored`,
		withHeader(`"eventName":"x","createdDate":true`):                                  "eventHeader.createdDate: " + notADate,
		withHeader(`"eventName":"x","savedDate":1.5`):                                     "eventHeader.savedDate: " + notADate,
		strings.Replace(withAttributes("{}"), "550e8400-", "550e8400", 1):                 "eventHeader.uuid: must be a UUID",
		"{" + header + `,"eventBody":{}}`:                                                 "eventBody.entities: must hold 1 to 1000 entities",
		"{" + header + `,"eventBody":{"entities":{}}}`:                                    "eventBody.entities: must be an array",
		withEntity(strings.Repeat("{},", 1_000) + "{}"):                                   "eventBody.entities: must hold 1 to 1000 entities",
		withEntity(`{"entityType":"Car","updatedAttributes":{}}`):                         "eventBody.entities[0].entityId: required",
		withEntity(`{"entityType":"Car","entityId":"1"}`):                                 "eventBody.entities[0].updatedAttributes: required",
		withAttributes("null"):                                                            "eventBody.entities[0].updatedAttributes: required",
		withAttributes("[]"):                                                              "eventBody.entities[0].updatedAttributes: must be an object",
		withAttributes(`{"a":"\u0000"}`):                                                  `eventBody.entities[0].updatedAttributes: contains \u0000, which cannot be stored`,
		withAttributes(`{"\ud800":1}`):                                                    "eventBody.entities[0].updatedAttributes: contains a lone surrogate, which cannot be stored",
		withAttributes(`{"a":1e999}`):                                                     "eventBody.entities[0].updatedAttributes: contains a number outside the double range",
		withAttributes(`{"a":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`): "eventBody.entities[0].updatedAttributes: nested deeper than 32 levels",
	} {
		if got := check(t, text); got != want {
			t.Errorf("%.120s: got %q, want %q", text, got, want)
		}
	}
}

func TestTimestamps(t *testing.T) {
	for text, want := range map[string]bool{
		"2024-01-15T10:30:00Z": true, "2024-01-15t10:30:00.123456789012345678901z": true, "0000-01-01T00:00:00-00:00": true,
		"999999999999999": true, "1000000000000000": false, "+1": false, "1e3": false,
		"2024-01-15 10:30:00Z": false, "2024-01-15T10:30:00": false, "2024-01-15T10:30:00,5Z": false, "2024-01-15T1:30:00Z": false,
		"2023-02-29T10:30:00Z": false, "2024-01-15T10:30:60Z": false, "2024-01-15T10:30:00+24:00": false,
		"2024-01-15T10:30:00+01:60": false, "2024-01-15T10:30:00.Z": false,
	} {
		got := check(t, withHeader(fmt.Sprintf(`"eventName":"x","createdDate":%q`, text)))
		if (got == "") != want {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for literal, want := range map[string]bool{
		"-0": true, "1.7976931348623157E+308": true, "5e-324": true, "0e1100": true, "0e1101": false, "1e-324": false, "-1e309": false,
		"0." + strings.Repeat("1", 1_098): true, "0." + strings.Repeat("1", 1_099): false, "0e99999999999999999999": false,
	} {
		if got := isStorable(json.Number(literal)); got != want {
			t.Errorf("%.40s: got %v", literal, got)
		}
	}
}

func TestNUL(t *testing.T) {
	for text, want := range map[string]bool{
		`"\u0000"`: true, `"\\\u0000"`: true, `"\\u0000"`: false, `"\u00001"`: true, `"\u0001"`: false, `"u0000"`: false,
	} {
		if got := hasNUL([]byte(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestLoneSurrogates(t *testing.T) {
	for text, want := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\uD83D\uDE00x"`: false, `"\\ud800"`: false, `"\ufffd"`: false,
		`"\ud800"`: true, `"\udc00\ud800"`: true, `"\\\ud800"`: true, `"\ud83d\\ude00"`: true, `"\ud83d\ud83d\ude00"`: true,
	} {
		if got := hasLoneSurrogate([]byte(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestReplacedTextIsFound(t *testing.T) {
	var e Event
	text := strings.Replace(withAttributes("{}"), "car-1", `\ud800`, 1)
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	const want = "eventBody.entities[0].entityId: contains a lone surrogate, which cannot be stored"
	if err := e.CheckText([]byte(text)); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestStoredKeepsTheTextOfAttributes(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(withAttributes(`{ "n":0.10, "n" : 2 }`)), &e); err != nil {
		t.Fatal(err)
	}
	stored := e.Stored(99)
	if len(stored.Entities) != 1 || stored.Entities[0].Attributes != `{ "n":0.10, "n" : 2 }` || stored.Source != 99 {
		t.Errorf("got %+v", stored)
	}
}
