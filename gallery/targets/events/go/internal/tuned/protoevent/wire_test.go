package protoevent

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"example.com/bakeoff/events/internal/fuzzcorpus"
)

// count returns how many fields a message has, or -1 if it is malformed.
func count(message string) int {
	fields, n := scan(message), 0
	for fields.next() {
		n++
	}
	if fields.err != nil {
		return -1
	}
	return n
}

// countByProtowire is the same by the official package, which alone would let field numbers above the largest pass.
func countByProtowire(message []byte) int {
	n := 0
	for ; len(message) > 0; n++ {
		length := fieldLength(message)
		if length < 0 {
			return -1
		}
		message = message[length:]
	}
	return n
}

// fieldLength is -1 for what is no field.
func fieldLength(message []byte) int {
	number, wire, tag := protowire.ConsumeTag(message)
	if tag < 0 || number > protowire.MaxValidNumber {
		return -1
	}
	if wire != protowire.StartGroupType {
		if value := protowire.ConsumeFieldValue(number, wire, message[tag:]); value >= 0 {
			return tag + value
		}
		return -1
	}
	for length := tag; length < len(message); {
		if end, wire, tag := protowire.ConsumeTag(message[length:]); tag >= 0 && end == number && wire == protowire.EndGroupType {
			return length + tag
		}
		inside := fieldLength(message[length:])
		if inside < 0 {
			return -1
		}
		length += inside
	}
	return -1
}

func TestFieldsOfEveryWireType(t *testing.T) {
	fields := scan("\x08\x96\x01\x11\x01\x00\x00\x00\x00\x00\x00\x00\x1d\x02\x00\x00\x00\x22\x02hi\x0b\x08\x01\x0c")
	type field struct {
		number uint32
		wire   wireType
		scalar uint64
		bytes  string
	}
	for _, want := range []field{
		{1, varintType, 150, ""}, {2, fixed64Type, 1, ""}, {3, fixed32Type, 2, ""}, {4, bytesType, 2, "hi"},
		{1, startGroupType, 1, "hi"},
	} {
		if !fields.next() {
			t.Fatalf("no field where %+v should be: %v", want, fields.err)
		}
		got := field{fields.number, fields.wire, fields.scalar, fields.bytes}
		if want.wire == bytesType || want.wire == startGroupType {
			got.scalar, want.scalar = 0, 0
		} else {
			got.bytes = ""
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if fields.next() || fields.err != nil {
		t.Errorf("the message ends here: %v", fields.err)
	}
}

func TestGroupsNestToALimit(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat("\x0b", levels) + strings.Repeat("\x0c", levels) }
	if count(nested(100)) != 1 || count(nested(101)) != -1 {
		t.Error("100 levels are allowed, and no more")
	}
}

func TestMalformedMessages(t *testing.T) {
	for name, message := range map[string]string{
		"no value":           "\x08",
		"varint cut off":     "\x08\x80",
		"65 bits":            "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
		"11 bytes":           "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"7 of 8 bytes":       "\x11\x00\x00\x00\x00\x00\x00\x00",
		"3 of 4 bytes":       "\x1d\x00\x00\x00",
		"1 of 2 bytes":       "\x22\x02h",
		"longer than memory": "\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"number 0":           "\x00\x00",
		"wire type 6":        "\x0e\x00",
		"number above 2^29":  "\xff\xff\xff\xff\x7f\x00",
		"group without end":  "\x0b",
		"end without group":  "\x0c",
		"end of another":     "\x0b\x14",
		"groups not nested":  "\x0b\x13\x0c\x14",
	} {
		if count(message) != -1 {
			t.Errorf("%s: % x is no message", name, message)
		}
	}
}

// FuzzWire compares the scanner with protowire, except for the group limit.
func FuzzWire(f *testing.F) {
	for _, seed := range []string{"", "\x08\x96\x01", "\x11\x01\x00\x00\x00\x00\x00\x00\x00", "\x22\x02hi", "\x0b\x08\x01\x13\x14\x22\x01x\x0c\x18\x07"} {
		f.Add([]byte(seed))
	}
	fuzzcorpus.Add[[]byte](f)
	f.Fuzz(func(t *testing.T, message []byte) {
		if bytes.Count(message, []byte{0x0b}) >= maxGroupDepth {
			t.Skip("the limits of groups differ")
		}
		if got, want := count(string(message)), countByProtowire(message); got != want {
			t.Errorf("% x: got %d fields, want %d", message, got, want)
		}
	})
}
