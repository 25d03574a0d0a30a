package protoevent

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/eventpb"
)

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

// They are written one behind the other, into memory that grows, and a value may be replaced.
func TestAttributesAreNotTouchedByThoseThatFollow(t *testing.T) {
	var batch []byte
	var want []string
	for i := range 20 {
		text := strings.Repeat("\x01", i)
		want = append(want, `{"v":"`+strings.Repeat(`\u0001`, i)+`"}`)
		twice := encode(t, structpb.NewBoolValue(true)) + encode(t, structpb.NewStringValue(text))
		entry := protowire.AppendString([]byte("\x0a\x01v\x12"), twice)
		entity := protowire.AppendBytes([]byte(encode(t, &eventpb.EntityUpdate{EntityType: "Car", EntityId: "1"})+"\x1a"), entry)
		body := protowire.AppendBytes([]byte("\x0a"), entity)
		header := encode(t, &eventpb.EventRequest{EventHeader: request(nil).EventHeader})
		batch = protowire.AppendBytes(append(batch, '\x0a'), protowire.AppendBytes([]byte(header+"\x12"), body))
	}
	events, err := DecodeBulk(string(batch))
	if err != nil {
		t.Fatal(err)
	}
	for i, decoded := range events {
		if decoded.Err != nil || decoded.Event.Entities[0].Attributes != want[i] {
			t.Errorf("event %d: got %+v, want %s", i, decoded, want[i])
		}
	}
}
