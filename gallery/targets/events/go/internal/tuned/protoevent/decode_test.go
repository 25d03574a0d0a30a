package protoevent

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
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

// typical is an event as the workload has them.
func typical(b *testing.B) *eventpb.EventRequest {
	b.Helper()
	attributes, err := structpb.NewStruct(map[string]any{
		"id": "car-1-000001", "carId": "car-1-000001", "vin": "ABCDEFGH23456789X", "make": "Toyota", "model": "Corolla",
		"year": 2020, "cost": 81.37, "serviceDate": "2024-01-15", "description": "oil change",
	})
	if err != nil {
		b.Fatal(err)
	}
	return request(attributes.GetFields())
}

func BenchmarkDecode(b *testing.B) {
	message := encode(b, typical(b))
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(message); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeBulk decodes 500 events.
func BenchmarkDecodeBulk(b *testing.B) {
	batch := new(eventpb.EventBatchRequest)
	for range 500 {
		batch.Events = append(batch.Events, typical(b))
	}
	message := encode(b, batch)
	b.SetBytes(int64(len(message)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeBulk(message); err != nil {
			b.Fatal(err)
		}
	}
}
