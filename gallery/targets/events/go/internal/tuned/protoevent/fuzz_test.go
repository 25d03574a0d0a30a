package protoevent

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/fuzzcorpus"
	"example.com/bakeoff/events/internal/tuned/jsonevent"
)

const attributes = ".updatedAttributes"

// FuzzEvent holds: a message does not decode when protobuf says so, and what does is the same event, or breaks the
// same rule, as its JSON that protojson writes.
func FuzzEvent(f *testing.F) {
	nested, err := structpb.NewValue(map[string]any{"l": []any{nil, true, "é", 1.5}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(encode(f, request(map[string]*structpb.Value{"a": nested, "b": structpb.NewNumberValue(-1e300)}))))
	f.Add([]byte(encode(f, request(map[string]*structpb.Value{"a": structpb.NewStringValue("\x00")}))))
	fuzzcorpus.Add[[]byte](f)
	f.Fuzz(func(t *testing.T, message []byte) { checkAgainstJSON(t, string(message)) })
}

// FuzzEntity is FuzzEvent with an event whose only fault can be its entity.
func FuzzEntity(f *testing.F) {
	nested, err := structpb.NewList([]any{nil, false, "\"\\\n", 1e-7, map[string]any{"": []any{}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(encode(f, &eventpb.EntityUpdate{EntityType: "Car", EntityId: "car-1", UpdatedAttributes: map[string]*structpb.Value{
		"a": structpb.NewListValue(nested), "b": {},
	}})))
	header := encode(f, &eventpb.EventRequest{EventHeader: request(nil).EventHeader})
	fuzzcorpus.Add[[]byte](f)
	f.Fuzz(func(t *testing.T, entity []byte) {
		body := protowire.AppendBytes([]byte("\x0a"), entity)
		checkAgainstJSON(t, header+string(protowire.AppendBytes([]byte("\x12"), body)))
	})
}

// FuzzBatch checks that a batch is its events, each decoded by itself.
func FuzzBatch(f *testing.F) {
	batch := &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{request(nil), {}, request(nil)}}
	f.Add([]byte(encode(f, batch)))
	fuzzcorpus.Add[[]byte](f)
	f.Fuzz(func(t *testing.T, message []byte) {
		events, err := DecodeBulk(string(message))
		want, decodes := eachByItself(message)
		event.ChargeFor(len(message), want)
		if decodes == (err == ErrNotAMessage) {
			t.Fatalf("% x: got %v, want it to decode: %v", message, err, decodes)
		}
		if err == nil && !reflect.DeepEqual(events, want) {
			t.Errorf("% x: got %+v, want %+v", message, events, want)
		}
	})
}

// eachByItself decodes the elements of a batch, and reports whether the whole decodes.
func eachByItself(batch []byte) ([]event.Decoded, bool) {
	var events []event.Decoded
	for len(batch) > 0 {
		length := fieldLength(batch)
		if length < 0 {
			return nil, false
		}
		if number, wire, tag := protowire.ConsumeTag(batch); number == 1 && wire == protowire.BytesType {
			element, _ := protowire.ConsumeBytes(batch[tag:])
			decoded, err := Decode(string(element))
			if err == ErrNotAMessage {
				return nil, false
			}
			events = append(events, event.Decoded{Event: decoded, Err: err})
		}
		batch = batch[length:]
	}
	return events, true
}

func checkAgainstJSON(t *testing.T, message string) {
	t.Helper()
	got, err := Decode(message)
	parsed := new(eventpb.EventRequest)
	if problem := proto.Unmarshal([]byte(message), parsed); problem != nil {
		// Values that lie too deep are not decoded.
		if err != ErrNotAMessage && reason(err) != "nested deeper than 32 levels" {
			t.Fatalf("% x: got %v, but %v", message, err, problem)
		}
		return
	}
	if err == ErrNotAMessage && hasUnknownFields(parsed, message) {
		// protobuf is more lenient inside of groups, which only unknown fields can be.
		return
	}
	text, problem := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(parsed)
	if problem != nil {
		checkFlaw(t, message, err, problem)
		return
	}
	want, wanted := jsonevent.Decode(string(text))
	if strings.HasSuffix(rule(err), attributes) && proto.Size(parsed) < len(message) {
		// Attributes are held to the rules although others of the same name replace them; protobuf forgets them.
		return
	}
	if rule(err) != rule(wanted) {
		t.Fatalf("% x: got %v, want %v", message, err, wanted)
	}
	if found, want := parse(t, got), parse(t, want); !reflect.DeepEqual(found, want) {
		t.Errorf("% x: got %v, want %v", message, found, want)
	}
}

// checkFlaw expects a message without JSON to be rejected.
func checkFlaw(t *testing.T, message string, err, problem error) {
	t.Helper()
	if err == nil || fault.Of(err).Kind != fault.Invalid {
		t.Errorf("% x: got %v, but %v", message, err, problem)
	}
}

func hasUnknownFields(parsed *eventpb.EventRequest, message string) bool {
	known := new(eventpb.EventRequest)
	err := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal([]byte(message), known)
	return err != nil || proto.Size(known) != proto.Size(parsed)
}

// rule is an error without what depends on the order of attributes, which a map does not keep.
func rule(err error) string {
	if err == nil {
		return ""
	}
	if path, _, found := strings.Cut(err.Error(), attributes+": "); found {
		return path + attributes
	}
	return err.Error()
}

// reason is an error without its path.
func reason(err error) string {
	if err == nil {
		return ""
	}
	_, reason, _ := strings.Cut(err.Error(), ": ")
	return reason
}

// parse is what an event stores, whatever its numbers and strings look like.
func parse(t *testing.T, e event.Event) [][3]any {
	t.Helper()
	var entities [][3]any
	for _, entity := range e.Entities {
		var object any
		if err := json.Unmarshal([]byte(entity.Attributes), &object); err != nil {
			t.Fatalf("%q: %v", entity.Attributes, err)
		}
		entities = append(entities, [3]any{entity.Type, entity.ID, object})
	}
	return entities
}
