package rules

import (
	"reflect"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/event"
)

// present is a field that holds text.
func present(value string) Text { return Text{Is: Present, Value: value} }

// valid is the draft of an event without a fault.
func valid() *Draft {
	return &Draft{
		HeaderIs: Present,
		Header:   Header{UUID: present("550e8400-E29B-41d4-a716-446655440000"), Name: present("CarCreated")},
		BodyIs:   Present,
		Body: Body{EntitiesAre: Present, Count: 1, Entities: []EntityDraft{{
			Is: Present, Type: present("Car"), ID: present("car-1"), AttributesAre: Present, Attributes: `{"a":1}`,
		}}},
	}
}

func TestValidEvent(t *testing.T) {
	got, err := Validate(valid(), 99)
	want := event.Event{Entities: []event.Entity{{Type: "Car", ID: "car-1", Attributes: `{"a":1}`}}, Source: 99}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
	if got.Bytes() != 15 || got.Footprint() != 114 {
		t.Errorf("got %d bytes and a footprint of %d; want 15 and 114", got.Bytes(), got.Footprint())
	}
}

func TestOptionalFields(t *testing.T) {
	for _, is := range []State{Absent, Null} {
		draft := valid()
		draft.Header.CreatedDate.Is, draft.Header.SavedDate.Is, draft.Header.Type.Is = is, is, is
		if _, err := Validate(draft, 0); err != nil {
			t.Errorf("state %d: %v", is, err)
		}
	}
}

func TestBrokenRules(t *testing.T) {
	nameOf := func(length int) string { return strings.Repeat("ä", length) }
	tests := []struct {
		name    string
		corrupt func(*Draft)
		want    string
	}{
		{"no header", func(d *Draft) { d.HeaderIs = Absent }, "eventHeader: required"},
		{"null header", func(d *Draft) { d.HeaderIs = Null }, "eventHeader: required"},
		{"other header", func(d *Draft) { d.HeaderIs = WrongKind }, "eventHeader: must be an object"},
		{"two headers", func(d *Draft) { d.HeaderIs = Duplicate }, "eventHeader: duplicate field"},
		{"no body", func(d *Draft) { d.BodyIs = Absent }, "eventBody: required"},
		{"body before uuid", func(d *Draft) { d.BodyIs = Absent; d.Header.UUID = Text{} }, "eventBody: required"},
		{"no uuid", func(d *Draft) { d.Header.UUID = Text{} }, "eventHeader.uuid: required"},
		{"empty uuid", func(d *Draft) { d.Header.UUID.Value = "" }, "eventHeader.uuid: required"},
		{"uuid of another kind", func(d *Draft) { d.Header.UUID.Is = Integer }, "eventHeader.uuid: must be a string"},
		{"short uuid", func(d *Draft) { d.Header.UUID.Value = "550e8400" }, "eventHeader.uuid: must be a UUID"},
		{"uuid with other dashes", func(d *Draft) { d.Header.UUID.Value = "550e8400e-29b-41d4-a716-446655440000" }, "eventHeader.uuid: must be a UUID"},
		{"uuid with a g", func(d *Draft) { d.Header.UUID.Value = "550e8400-e29b-41d4-a716-44665544000g" }, "eventHeader.uuid: must be a UUID"},
		{"no name", func(d *Draft) { d.Header.Name = Text{} }, "eventHeader.eventName: required"},
		{"long name", func(d *Draft) { d.Header.Name.Value = nameOf(101) }, "eventHeader.eventName: must have at most 100 characters"},
		{"two names", func(d *Draft) { d.Header.Name.Is = Duplicate }, "eventHeader.eventName: duplicate field"},
		{"no date", func(d *Draft) { d.Header.CreatedDate = present("today") }, "eventHeader.createdDate: must be an RFC 3339 timestamp or epoch milliseconds"},
		{"long number for a date", func(d *Draft) { d.Header.SavedDate = Text{Is: Integer, Value: "1234567890123456"} }, "eventHeader.savedDate: must be an RFC 3339 timestamp or epoch milliseconds"},
		{"date of another kind", func(d *Draft) { d.Header.SavedDate.Is = WrongKind }, "eventHeader.savedDate: must be an RFC 3339 timestamp or epoch milliseconds"},
		{"two dates", func(d *Draft) { d.Header.SavedDate.Is = Duplicate }, "eventHeader.savedDate: duplicate field"},
		{"long type", func(d *Draft) { d.Header.Type = present(nameOf(101)) }, "eventHeader.eventType: must have at most 100 characters"},
		{"no entities", func(d *Draft) { d.Body = Body{} }, "eventBody.entities: must hold 1 to 1000 entities"},
		{"too many entities", func(d *Draft) { d.Body.Count = 1_001 }, "eventBody.entities: must hold 1 to 1000 entities"},
		{"entities of another kind", func(d *Draft) { d.Body.EntitiesAre = WrongKind }, "eventBody.entities: must be an array"},
		{"entities twice", func(d *Draft) { d.Body.EntitiesAre = Duplicate }, "eventBody.entities: duplicate field"},
		{"null entity", func(d *Draft) { d.Body.Entities[0].Is = Null }, "eventBody.entities[0]: must be an object"},
		{"no entity type", func(d *Draft) { d.Body.Entities[0].Type = Text{} }, "eventBody.entities[0].entityType: required"},
		{"long entity type", func(d *Draft) { d.Body.Entities[0].Type.Value = nameOf(101) }, "eventBody.entities[0].entityType: must have at most 100 characters"},
		{"long entity id", func(d *Draft) { d.Body.Entities[0].ID.Value = nameOf(256) }, "eventBody.entities[0].entityId: must have at most 255 characters"},
		{"nul in an id", func(d *Draft) { d.Body.Entities[0].ID.Value = "a\x00" }, `eventBody.entities[0].entityId: contains \u0000, which cannot be stored`},
		{"surrogate in an id", func(d *Draft) { d.Body.Entities[0].ID.Flaw = LoneSurrogate }, "eventBody.entities[0].entityId: contains a lone surrogate, which cannot be stored"},
		{"no attributes", func(d *Draft) { d.Body.Entities[0].AttributesAre = Null }, "eventBody.entities[0].updatedAttributes: required"},
		{"attributes of another kind", func(d *Draft) { d.Body.Entities[0].AttributesAre = WrongKind }, "eventBody.entities[0].updatedAttributes: must be an object"},
		{"attributes with a flaw", func(d *Draft) { d.Body.Entities[0].Flaw = Depth }, "eventBody.entities[0].updatedAttributes: nested deeper than 32 levels"},
		{"value without a kind", func(d *Draft) { d.Body.Entities[0].Flaw = NoKind }, "eventBody.entities[0].updatedAttributes: contains a value without a kind"},
		{"number out of range", func(d *Draft) { d.Body.Entities[0].Flaw = NumberRange }, "eventBody.entities[0].updatedAttributes: contains a number outside the double range"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			draft := valid()
			test.corrupt(draft)
			_, err := Validate(draft, 0)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestLengthsCountCharacters(t *testing.T) {
	draft := valid()
	draft.Header.Name.Value = strings.Repeat("日", 100)
	draft.Body.Entities[0].ID.Value = strings.Repeat("😀", 255)
	if _, err := Validate(draft, 0); err != nil {
		t.Error(err)
	}
}

func TestEntitiesBeyondTheLimitAreCountedNotKept(t *testing.T) {
	var body Body
	for i := range event.MaxEntities + 5 {
		if kept := body.Append() != nil; kept != (i < event.MaxEntities) {
			t.Fatalf("entity %d: kept %v", i, kept)
		}
	}
	if body.Count != event.MaxEntities+5 || len(body.Entities) != event.MaxEntities {
		t.Errorf("counted %d and kept %d", body.Count, len(body.Entities))
	}
}
