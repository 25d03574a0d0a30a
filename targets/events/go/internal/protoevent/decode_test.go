package protoevent

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
)

func request(attributes map[string]*structpb.Value) *eventpb.EventRequest {
	return &eventpb.EventRequest{
		EventHeader: &eventpb.EventHeader{Uuid: "550e8400-e29b-41d4-a716-446655440000", EventName: "CarCreated"},
		EventBody: &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{
			{EntityType: "Car", EntityId: "car-1", UpdatedAttributes: attributes},
		}},
	}
}

func encode(t testing.TB, message proto.Message) string {
	t.Helper()
	encoded, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// attributesOf is what is stored of one value, named v.
func attributesOf(t *testing.T, value *structpb.Value) (string, error) {
	t.Helper()
	decoded, err := Decode(encode(t, request(map[string]*structpb.Value{"v": value})))
	if err != nil {
		return "", err
	}
	return decoded.Entities[0].Attributes, nil
}

func TestValuesBecomeJSON(t *testing.T) {
	nested, err := structpb.NewValue(map[string]any{"l": []any{nil, true, "a\"\\\n\x01é", []any{}, map[string]any{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		value *structpb.Value
		want  string
	}{
		{structpb.NewNullValue(), `null`},
		{structpb.NewBoolValue(false), `false`},
		{structpb.NewNumberValue(0), `0`},
		{structpb.NewNumberValue(-12), `-12`},
		{structpb.NewNumberValue(0.1), `0.1`},
		{structpb.NewNumberValue(1e20), `100000000000000000000`},
		{structpb.NewNumberValue(1e21), `1e+21`},
		{structpb.NewNumberValue(5e-324), `5e-324`},
		{structpb.NewNumberValue(math.MaxFloat64), `1.7976931348623157e+308`},
		{structpb.NewStringValue(""), `""`},
		{nested, `{"l":[null,true,"a\"\\\u000a\u0001é",[],{}]}`},
	} {
		got, err := attributesOf(t, test.value)
		if want := `{"v":` + test.want + `}`; err != nil || got != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestFlawsOfValues(t *testing.T) {
	const path = "eventBody.entities[0].updatedAttributes: "
	deep := func(levels int) *structpb.Value {
		value := structpb.NewListValue(&structpb.ListValue{})
		for range levels - 2 {
			value = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{value}})
		}
		return value
	}
	if _, err := attributesOf(t, deep(32)); err != nil {
		t.Errorf("32 levels: %v", err)
	}
	for _, test := range []struct {
		value *structpb.Value
		want  string
	}{
		{deep(33), "nested deeper than 32 levels"},
		{deep(5_000), "nested deeper than 32 levels"},
		{&structpb.Value{}, "contains a value without a kind"},
		{structpb.NewNumberValue(math.NaN()), "contains a number outside the double range"},
		{structpb.NewNumberValue(math.Inf(-1)), "contains a number outside the double range"},
		{structpb.NewStringValue("a\x00"), `contains \u0000, which cannot be stored`},
	} {
		if _, err := attributesOf(t, test.value); err == nil || err.Error() != path+test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestMessagesMayComeInParts(t *testing.T) {
	whole := encode(t, request(map[string]*structpb.Value{"a": structpb.NewNumberValue(1)}))
	more := encode(t, &eventpb.EventRequest{EventBody: &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{
		{EntityType: "Loan", EntityId: "l-1"},
	}}})
	decoded, err := Decode(whole + more)
	if err != nil {
		t.Fatal(err)
	}
	want := []event.Entity{{Type: "Car", ID: "car-1", Attributes: `{"a":1}`}, {Type: "Loan", ID: "l-1", Attributes: "{}"}}
	if !reflect.DeepEqual(decoded.Entities, want) {
		t.Errorf("got %+v, want %+v", decoded.Entities, want)
	}
}

func TestWhatDoesNotDecodeIsMalformed(t *testing.T) {
	whole := encode(t, request(nil))
	for _, message := range []string{whole[:len(whole)-1], "\x0a\x03\x0a\x01\xff", "\xff", whole + "\x0b"} {
		if _, err := Decode(message); err != ErrNotAMessage {
			t.Errorf("% x: got %v", message, err)
		}
		if _, err := DecodeBulk("\x0a" + string(rune(len(message))) + message); err == nil {
			t.Errorf("% x in a bulk is accepted", message)
		}
	}
}

func TestDecodeBulk(t *testing.T) {
	large := request(map[string]*structpb.Value{"a": structpb.NewStringValue(strings.Repeat("x", event.MaxBytes))})
	events, err := DecodeBulk(encode(t, &eventpb.EventBatchRequest{
		Events: []*eventpb.EventRequest{request(nil), {}, large},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"", "eventHeader: required", "event: larger than 1048576 bytes"}
	for i, decoded := range events {
		got := ""
		if decoded.Err != nil {
			got = decoded.Err.Error()
		}
		if got != want[i] {
			t.Errorf("event %d: got %q, want %q", i, got, want[i])
		}
	}
	if _, err := DecodeBulk(""); err == nil || err.Error() != "events: must hold 1 to 10000 events" {
		t.Errorf("no events: got %v", err)
	}
}

// FuzzDecodeProtobuf holds: no panic, what protobuf refuses is refused, and the attributes are what they are in protobuf.
func FuzzDecodeProtobuf(f *testing.F) {
	nested, err := structpb.NewValue(map[string]any{"l": []any{nil, true, "é", 1.5}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(encode(f, request(map[string]*structpb.Value{"a": nested, "b": structpb.NewNumberValue(-1e300)}))))
	f.Add([]byte(encode(f, &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{request(nil), {}}})))
	f.Fuzz(func(t *testing.T, message []byte) {
		if _, err := DecodeBulk(string(message)); err != nil && fault.Of(err).Kind == fault.Internal {
			t.Errorf("% x: %v", message, err)
		}
		decoded, err := Decode(string(message))
		if err != nil {
			if fault.Of(err).Kind == fault.Internal {
				t.Errorf("% x: %v", message, err)
			}
			return
		}
		parsed := new(eventpb.EventRequest)
		if err := proto.Unmarshal(message, parsed); err != nil {
			t.Fatalf("% x: accepted, but %v", message, err)
		}
		for i, update := range parsed.GetEventBody().GetEntities() {
			checkEntity(t, decoded.Entities[i], update)
		}
	})
}

func checkEntity(t *testing.T, got event.Entity, want *eventpb.EntityUpdate) {
	t.Helper()
	if got.Type != want.GetEntityType() || got.ID != want.GetEntityId() || !utf8.ValidString(got.Attributes) {
		t.Errorf("got %+v, want %v", got, want)
	}
	attributes := map[string]any{}
	if err := json.Unmarshal([]byte(got.Attributes), &attributes); err != nil {
		t.Fatalf("%s: %v", got.Attributes, err)
	}
	if expected := (&structpb.Struct{Fields: want.GetUpdatedAttributes()}).AsMap(); !reflect.DeepEqual(attributes, expected) {
		t.Errorf("got %v, want %v", attributes, expected)
	}
}

func BenchmarkDecode(b *testing.B) {
	attributes, err := structpb.NewStruct(map[string]any{"id": "car-1", "make": "Toyota", "model": "Corolla", "year": 2020, "cost": 81.37})
	if err != nil {
		b.Fatal(err)
	}
	message := encode(b, request(attributes.GetFields()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}
