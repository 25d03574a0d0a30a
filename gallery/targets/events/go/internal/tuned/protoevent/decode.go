// Package protoevent decodes events from protobuf messages.
//
// They are read straight from the wire: the attributes become JSON text without a tree of Values in between.
// Tests compare it with google.golang.org/protobuf.
package protoevent

import (
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/tuned/rules"
)

// ErrNotAMessage is a message that does not decode.
var ErrNotAMessage = fault.New(fault.Malformed, "body: not a valid message")

// Decode returns the event that an EventRequest holds, or the first rule that it breaks.
// The event refers to parts of message.
func Decode(message string) (event.Event, error) {
	var draft rules.Draft
	if err := mergeEvent(&draft, message, newAttributesWriter(message)); err != nil {
		return event.Event{}, ErrNotAMessage
	}
	return rules.Validate(&draft, len(message))
}

// DecodeBulk returns the events that an EventBatchRequest holds, each by itself right or wrong.
// They refer to parts of message.
func DecodeBulk(message string) ([]event.Decoded, error) {
	var events []event.Decoded
	count := 0
	attributes := newAttributesWriter(message)
	var draft rules.Draft
	fields := scan(message)
	for fields.next() {
		if !fields.is(1, bytesType) {
			continue
		}
		draft.Reset()
		if err := mergeEvent(&draft, fields.bytes, attributes); err != nil {
			return nil, ErrNotAMessage
		}
		// Events after the last allowed one are read for their syntax only.
		if count++; count <= event.MaxBulkEvents {
			events = append(events, bulkElement(&draft, len(fields.bytes)))
		}
	}
	if fields.err != nil {
		return nil, ErrNotAMessage
	}
	event.ChargeFor(len(message), events)
	return events, event.CheckCount(count)
}

func bulkElement(draft *rules.Draft, size int) event.Decoded {
	if size > event.MaxBytes {
		return event.Decoded{Err: event.ErrTooLargeInBulk}
	}
	valid, err := rules.Validate(draft, size)
	return event.Decoded{Event: valid, Err: err}
}

// mergeEvent and those below merge: a message in a field may come in parts.
func mergeEvent(draft *rules.Draft, message string, attributes *attributesWriter) error {
	fields := scan(message)
	for fields.next() {
		var err error
		switch {
		case fields.is(1, bytesType):
			draft.HeaderIs = rules.Present
			err = mergeHeader(&draft.Header, fields.bytes)
		case fields.is(2, bytesType):
			draft.BodyIs = rules.Present
			err = mergeBody(&draft.Body, fields.bytes, attributes)
		}
		if err != nil {
			return err
		}
	}
	return fields.err
}

func mergeHeader(header *rules.Header, message string) error {
	fields := scan(message)
	for fields.next() {
		if fields.wire != bytesType {
			continue
		}
		switch fields.number {
		case 1:
			header.UUID = text(&fields)
		case 2:
			header.Name = text(&fields)
		case 3:
			header.CreatedDate = text(&fields)
		case 4:
			header.SavedDate = text(&fields)
		case 5:
			header.Type = text(&fields)
		}
	}
	return fields.err
}

func mergeBody(body *rules.Body, message string, attributes *attributesWriter) error {
	body.EntitiesAre = rules.Present
	fields := scan(message)
	for fields.next() {
		if !fields.is(1, bytesType) {
			continue
		}
		var beyond rules.EntityDraft
		draft := body.Append()
		if draft == nil {
			draft = &beyond
		}
		if err := decodeEntity(draft, fields.bytes, attributes); err != nil {
			return err
		}
	}
	return fields.err
}

func decodeEntity(entity *rules.EntityDraft, message string, attributes *attributesWriter) error {
	entity.Is, entity.AttributesAre = rules.Present, rules.Present
	attributes.beginObject()
	fields := scan(message)
	for fields.next() {
		switch {
		case fields.is(1, bytesType):
			entity.Type = text(&fields)
		case fields.is(2, bytesType):
			entity.ID = text(&fields)
		case fields.is(3, bytesType):
			if err := attributes.entry(fields.bytes, 2); err != nil {
				return err
			}
		}
	}
	entity.Attributes = attributes.endObject()
	entity.Flaw = attributes.flaw
	return fields.err
}

// text is a string field. proto3 cannot distinguish an empty string from none; nor does the contract.
func text(field *scanner) rules.Text {
	return rules.Text{Is: rules.Present, Value: field.text()}
}
