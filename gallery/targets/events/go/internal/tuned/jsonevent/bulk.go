package jsonevent

import (
	"unicode/utf8"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/tuned/rules"
)

var (
	errBodyNoArray   = fault.New(fault.Invalid, "body: must be an array")
	errEventNoObject = fault.New(fault.Invalid, "event: must be an object")
)

// DecodeBulk returns the events that a body holds, each by itself right or wrong. They refer to parts of body.
func DecodeBulk(body string) ([]event.Decoded, error) {
	if !utf8.ValidString(body) {
		return nil, errNotUTF8
	}
	r := reader{text: body}
	if r.peek() != '[' {
		r.skip()
		if !r.end() {
			return nil, errNotJSON
		}
		return nil, errBodyNoArray
	}
	var events []event.Decoded
	var draft rules.Draft
	count := 0
	for range r.elements() {
		// Events after the last allowed one are read for their syntax only.
		if count++; count > event.MaxBulkEvents {
			r.skip()
			continue
		}
		events = append(events, r.bulkElement(&draft))
	}
	if !r.end() {
		return nil, errNotJSON
	}
	event.ChargeFor(len(body), events)
	return events, event.CheckCount(count)
}

func (r *reader) bulkElement(draft *rules.Draft) event.Decoded {
	r.peek()
	start := r.position
	draft.Reset()
	is := r.draft(draft)
	size := r.position - start
	switch {
	case size > event.MaxBytes:
		return event.Decoded{Err: event.ErrTooLargeInBulk}
	case is != rules.Present:
		return event.Decoded{Err: errEventNoObject}
	}
	valid, err := rules.Validate(draft, size)
	return event.Decoded{Event: valid, Err: err}
}
