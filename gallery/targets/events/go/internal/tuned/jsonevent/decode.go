// Package jsonevent decodes events from JSON.
//
// The parser is our own because the contract asks for what encoding/json does not give: syntax errors before all
// others wherever they occur, wrong kinds and duplicates by path, lone surrogates and numbers out of range separate
// from broken syntax, and the attributes as their original text, scanned once.
// Tests compare its grammar with encoding/json.
package jsonevent

import (
	"unicode/utf8"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/tuned/rules"
)

var (
	errNotUTF8      = fault.New(fault.Malformed, "body: not valid UTF-8")
	errNotJSON      = fault.New(fault.Malformed, "body: not valid JSON")
	errBodyNoObject = fault.New(fault.Invalid, "body: must be an object")
)

// Decode returns the event that a body holds, or the first rule that it breaks. The event refers to parts of body.
func Decode(body string) (event.Event, error) {
	if !utf8.ValidString(body) {
		return event.Event{}, errNotUTF8
	}
	r := reader{text: body}
	var draft rules.Draft
	is := r.draft(&draft)
	if !r.end() {
		return event.Event{}, errNotJSON
	}
	if is != rules.Present {
		return event.Event{}, errBodyNoObject
	}
	return rules.Validate(&draft, len(body))
}

func (r *reader) draft(draft *rules.Draft) rules.State {
	if r.peek() != '{' {
		return r.otherKind()
	}
	for name := range r.members() {
		switch {
		case name == "eventHeader" && !draft.HeaderIs.Repeats():
			draft.HeaderIs = r.header(&draft.Header)
		case name == "eventBody" && !draft.BodyIs.Repeats():
			draft.BodyIs = r.body(&draft.Body)
		default:
			r.skip()
		}
	}
	return rules.Present
}

func (r *reader) header(header *rules.Header) rules.State {
	if r.peek() != '{' {
		return r.otherKind()
	}
	for name := range r.members() {
		switch name {
		case "uuid":
			r.textField(&header.UUID)
		case "eventName":
			r.textField(&header.Name)
		case "createdDate":
			r.textField(&header.CreatedDate)
		case "savedDate":
			r.textField(&header.SavedDate)
		case "eventType":
			r.textField(&header.Type)
		default:
			r.skip()
		}
	}
	return rules.Present
}

func (r *reader) body(body *rules.Body) rules.State {
	if r.peek() != '{' {
		return r.otherKind()
	}
	for name := range r.members() {
		if name == "entities" && !body.EntitiesAre.Repeats() {
			body.EntitiesAre = r.entities(body)
		} else {
			r.skip()
		}
	}
	return rules.Present
}

func (r *reader) entities(body *rules.Body) rules.State {
	if r.peek() != '[' {
		return r.otherKind()
	}
	for range r.elements() {
		if draft := body.Append(); draft != nil {
			draft.Is = r.entity(draft)
		} else {
			r.skip()
		}
	}
	return rules.Present
}

func (r *reader) entity(entity *rules.EntityDraft) rules.State {
	if r.peek() != '{' {
		return r.otherKind()
	}
	for name := range r.members() {
		switch {
		case name == "entityType":
			r.textField(&entity.Type)
		case name == "entityId":
			r.textField(&entity.ID)
		case name == "updatedAttributes" && !entity.AttributesAre.Repeats():
			entity.AttributesAre = r.attributes(entity)
		default:
			r.skip()
		}
	}
	return rules.Present
}

// attributes keeps the object's text.
func (r *reader) attributes(entity *rules.EntityDraft) rules.State {
	if r.peek() != '{' {
		return r.otherKind()
	}
	start := r.position
	r.walk(&entity.Flaw)
	entity.Attributes = r.text[start:r.position]
	return rules.Present
}

func (r *reader) textField(text *rules.Text) {
	if text.Is.Repeats() {
		r.skip()
		return
	}
	switch c := r.peek(); {
	case c == '"':
		text.Is = rules.Present
		text.Value, text.Flaw = r.string().decode()
	case c == '-' || isDigit(c):
		literal, integer := r.number()
		if !integer {
			text.Is = rules.WrongKind
			return
		}
		text.Is, text.Value = rules.Integer, literal
	default:
		text.Is = r.otherKind()
	}
}

// otherKind reads a value that is not of the kind that belongs here.
func (r *reader) otherKind() rules.State {
	if r.peek() == 'n' {
		r.word("null")
		return rules.Null
	}
	r.skip()
	return rules.WrongKind
}
