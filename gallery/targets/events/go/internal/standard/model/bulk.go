package model

import (
	"encoding/json"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// ErrBulkNoArray is a bulk that is no array.
var ErrBulkNoArray = fault.New(fault.Invalid, "body: must be an array")

var errEventNoObject = fault.New(fault.Invalid, "event: must be an object")

// Bulk is the events of a bulk before each is bound: one is valid or not by itself.
type Bulk []Element

// Element is the JSON of an event. It is a struct because Gin validates a slice of slices element by element, and so
// byte by byte.
type Element struct{ json.RawMessage }

// Decode returns the events of a body of size bytes. bind decodes and validates one, as the framework does it.
func (b Bulk) Decode(size int, bind func(raw []byte, into any) error) ([]event.Decoded, error) {
	if b == nil {
		return nil, ErrBulkNoArray
	}
	if err := event.CheckCount(len(b)); err != nil {
		return nil, err
	}
	events := make([]event.Decoded, len(b))
	for i, element := range b {
		events[i].Event, events[i].Err = element.decode(bind)
	}
	event.ChargeFor(size, events)
	return events, nil
}

func (e Element) decode(bind func([]byte, any) error) (event.Event, error) {
	if len(e.RawMessage) > event.MaxBytes {
		return event.Event{}, event.ErrTooLargeInBulk
	}
	if e.RawMessage[0] != '{' {
		return event.Event{}, errEventNoObject
	}
	var found Event
	if err := bind(e.RawMessage, &found); err != nil {
		return event.Event{}, Fault(err)
	}
	if err := found.CheckText(e.RawMessage); err != nil {
		return event.Event{}, err
	}
	return found.Stored(len(e.RawMessage)), nil
}
