// Package rules checks decoded events against the contract, in the contract's order.
package rules

import "example.com/bakeoff/events/internal/event"

// Draft is a decoded event before any rule but the syntax has been checked.
//
// A decoder must read a message to its end before it may report anything, for broken syntax comes first,
// and the first broken rule is the first in the contract's order, not in the order of the message.
// So decoders only record what they find, and Validate decides.
type Draft struct {
	HeaderIs State
	Header   Header
	BodyIs   State
	Body     Body
}

// Reset empties the draft for the next event of a bulk, which reuses its memory.
func (d *Draft) Reset() { *d = Draft{Body: Body{Entities: d.Body.Entities[:0]}} }

// Header is a decoded eventHeader.
type Header struct {
	UUID, Name, CreatedDate, SavedDate, Type Text
}

// Body is a decoded eventBody.
type Body struct {
	EntitiesAre State
	// Entities are the first of them, as many as an event may have.
	Entities []EntityDraft
	// Count is how many there are.
	Count int
}

// EntityDraft is a decoded element of entities.
type EntityDraft struct {
	Is            State
	Type, ID      Text
	AttributesAre State
	// Attributes is the JSON text of an object.
	Attributes string
	// Flaw is the first part of Attributes that cannot be stored.
	Flaw Flaw
}

// Append adds a draft of the next entity and returns it, or nil when an event may not have so many:
// the rest is counted, not kept.
func (b *Body) Append() *EntityDraft {
	b.Count++
	if b.Count > event.MaxEntities {
		return nil
	}
	b.Entities = append(b.Entities, EntityDraft{})
	return &b.Entities[len(b.Entities)-1]
}

// State is what a decoder found for a field.
type State uint8

// States of a field.
const (
	Absent State = iota
	// Null is the same as Absent, except that the name must not come again.
	Null
	// Present is a value of the field's kind.
	Present
	// Integer is a JSON number without fraction and exponent where text belongs, which dates may be.
	Integer
	// WrongKind is a value of any other kind.
	WrongKind
	// Duplicate is a name that occurs more than once.
	Duplicate
)

// Repeats records that the field's name occurs, and reports whether it has occurred before.
func (s *State) Repeats() bool {
	if *s == Absent {
		return false
	}
	*s = Duplicate
	return true
}

// Text is a field that holds text.
type Text struct {
	Is State
	// Value is the text without escapes, or the literal of an Integer.
	Value string
	// Flaw is what keeps the text from being stored.
	Flaw Flaw
}

// Flaw is why something cannot be stored although its syntax is right.
type Flaw uint8

// Flaws in the contract.
const (
	NoFlaw Flaw = iota
	// NUL is U+0000.
	NUL
	// LoneSurrogate is half of a surrogate pair.
	LoneSurrogate
	// NumberRange is a number that a double cannot hold, or whose literal is too long.
	NumberRange
	// Depth is too many levels.
	Depth
	// NoKind is a protobuf Value in which nothing is set.
	NoKind
)

// Note records the first flaw.
func (f *Flaw) Note(found Flaw) {
	if *f == NoFlaw {
		*f = found
	}
}

// reason is the contract's text for the flaw.
func (f Flaw) reason() string {
	switch f {
	case NUL:
		return `contains \u0000, which cannot be stored`
	case LoneSurrogate:
		return "contains a lone surrogate, which cannot be stored"
	case NumberRange:
		return "contains a number outside the double range"
	case Depth:
		return "nested deeper than 32 levels"
	case NoKind:
		return "contains a value without a kind"
	default:
		return ""
	}
}
