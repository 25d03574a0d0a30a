package protoevent

import (
	"math"
	"strconv"
	"unsafe"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/tuned/rules"
)

// attributesWriter writes maps of string to google.protobuf.Value as the JSON text of objects, one behind the other,
// entry by entry.
type attributesWriter struct {
	// text is only appended to, except within the object that is being written: those before it are handed out.
	text  []byte
	start int
	flaw  rules.Flaw
}

// newAttributesWriter has room for the attributes of a message, whose JSON is seldom longer.
func newAttributesWriter(message string) *attributesWriter {
	return &attributesWriter{text: make([]byte, 0, len(message))}
}

// beginObject begins the attributes of the next entity.
func (w *attributesWriter) beginObject() {
	w.start = len(w.text)
	w.flaw = rules.NoFlaw
	w.text = append(w.text, '{')
}

// endObject returns them, without a copy.
func (w *attributesWriter) endObject() string {
	w.text = append(w.text, '}')
	object := w.text[w.start:]
	return unsafe.String(unsafe.SliceData(object), len(object))
}

// kind is what a Value holds so far. The last that is set counts, but a struct or list that comes in parts is one.
type kind uint8

const (
	unset kind = iota
	scalar
	object
	list
)

// value is one Value while it is written; it may come in parts.
type value struct {
	start int
	holds kind
}

// entry adds an entry of a map: {1: key, 2: value}. Its value's objects and lists are of level depth.
func (w *attributesWriter) entry(entry string, depth int) error {
	// The key may come after the value, or not at all, and the value in parts.
	key, part, parts := "", "", 0
	fields := scan(entry)
	for fields.next() {
		switch {
		case fields.is(1, bytesType):
			key = fields.text()
		case fields.is(2, bytesType):
			part = fields.bytes
			parts++
		}
	}
	if fields.err != nil {
		return fields.err
	}
	w.separate('{')
	w.string(key)
	w.text = append(w.text, ':')
	found := w.begin()
	if parts > 1 {
		return w.inParts(&found, entry, depth)
	}
	err := w.merge(&found, part, depth)
	w.finish(found)
	return err
}

// inParts writes the value of an entry whose value comes in parts.
func (w *attributesWriter) inParts(found *value, entry string, depth int) error {
	for fields := scan(entry); fields.next(); {
		if !fields.is(2, bytesType) {
			continue
		}
		if err := w.merge(found, fields.bytes, depth); err != nil {
			return err
		}
	}
	w.finish(*found)
	return nil
}

func (w *attributesWriter) begin() value { return value{start: len(w.text)} }

func (w *attributesWriter) finish(found value) {
	if found.holds == unset {
		w.flaw.Note(rules.NoKind)
		w.text = append(w.text, "null"...)
	}
}

// merge writes what a part of a Value sets.
func (w *attributesWriter) merge(found *value, part string, depth int) error {
	fields := scan(part)
	for fields.next() {
		if err := w.set(found, &fields, depth); err != nil {
			return err
		}
	}
	return fields.err
}

func (w *attributesWriter) set(found *value, field *scanner, depth int) error {
	switch {
	case field.is(1, varintType):
		w.replace(found, scalar)
		w.text = append(w.text, "null"...)
	case field.is(2, fixed64Type):
		w.replace(found, scalar)
		w.number(math.Float64frombits(field.scalar))
	case field.is(3, bytesType):
		w.replace(found, scalar)
		w.string(field.text())
	case field.is(4, varintType):
		w.replace(found, scalar)
		w.text = strconv.AppendBool(w.text, field.scalar != 0)
	case field.is(5, bytesType):
		return w.structure(found, field.bytes, depth)
	case field.is(6, bytesType):
		return w.list(found, field.bytes, depth)
	}
	return nil
}

func (w *attributesWriter) structure(found *value, message string, depth int) error {
	w.open(found, object, '{', depth)
	err := w.repeated(message, depth, func(entry string) error {
		return w.entry(entry, depth+1)
	})
	w.text = append(w.text, '}')
	return err
}

func (w *attributesWriter) list(found *value, message string, depth int) error {
	w.open(found, list, '[', depth)
	err := w.repeated(message, depth, func(part string) error {
		w.separate('[')
		element := w.begin()
		err := w.merge(&element, part, depth+1)
		w.finish(element)
		return err
	})
	w.text = append(w.text, ']')
	return err
}

// repeated hands on what field 1 of a Struct or ListValue repeats; nothing of it below the deepest level,
// so that a hostile message cannot use up the stack.
func (w *attributesWriter) repeated(message string, depth int, element func(string) error) error {
	fields := scan(message)
	for fields.next() {
		if !fields.is(1, bytesType) || depth > event.MaxDepth {
			continue
		}
		if err := element(fields.bytes); err != nil {
			return err
		}
	}
	return fields.err
}

// replace forgets what the value held.
func (w *attributesWriter) replace(found *value, by kind) {
	w.text = w.text[:found.start]
	found.holds = by
}

// open opens an object or list, or opens again the one that the value holds.
func (w *attributesWriter) open(found *value, kind kind, bracket byte, depth int) {
	if found.holds == kind {
		w.text = w.text[:len(w.text)-1]
	} else {
		w.replace(found, kind)
		w.text = append(w.text, bracket)
	}
	if depth > event.MaxDepth {
		w.flaw.Note(rules.Depth)
	}
}

// separate writes a comma, unless the bracket has just been opened.
func (w *attributesWriter) separate(bracket byte) {
	if w.text[len(w.text)-1] != bracket {
		w.text = append(w.text, ',')
	}
}

// number writes the shortest text that reads back as the same double, with an exponent where JSON clients
// write one, for 1e308 has 309 digits.
func (w *attributesWriter) number(double float64) {
	magnitude := math.Abs(double)
	switch {
	case math.IsNaN(double) || math.IsInf(double, 0):
		w.flaw.Note(rules.NumberRange)
		w.text = append(w.text, "null"...)
	case magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21):
		w.text = strconv.AppendFloat(w.text, double, 'e', -1, 64)
	default:
		w.text = strconv.AppendFloat(w.text, double, 'f', -1, 64)
	}
}

func (w *attributesWriter) string(text string) {
	w.text = append(w.text, '"')
	plain := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		w.text = append(w.text, text[plain:i]...)
		w.escape(c)
		plain = i + 1
	}
	w.text = append(w.text, text[plain:]...)
	w.text = append(w.text, '"')
}

func (w *attributesWriter) escape(c byte) {
	const digits = "0123456789abcdef"
	switch c {
	case '"', '\\':
		w.text = append(w.text, '\\', c)
	case 0:
		w.flaw.Note(rules.NUL)
	default:
		w.text = append(w.text, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
	}
}
