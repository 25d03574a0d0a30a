package rules

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

const (
	required     = "required"
	mustBeObject = "must be an object"
	mustBeArray  = "must be an array"
	mustBeString = "must be a string"
	mustBeUUID   = "must be a UUID"
	mustBeDate   = "must be an RFC 3339 timestamp or epoch milliseconds"
	duplicate    = "duplicate field"
)

// Validate returns the event that the draft of a message of source bytes is, or the first rule that it breaks,
// in the contract's order.
func Validate(draft *Draft, source int) (event.Event, error) {
	if err := object(draft.HeaderIs, field("eventHeader")); err != nil {
		return event.Event{}, err
	}
	if err := object(draft.BodyIs, field("eventBody")); err != nil {
		return event.Event{}, err
	}
	if err := validateHeader(&draft.Header); err != nil {
		return event.Event{}, err
	}
	entities, err := validateEntities(&draft.Body)
	return event.Event{Entities: entities, Source: source}, err
}

func validateHeader(header *Header) error {
	if err := requiredText(&header.UUID, field("eventHeader.uuid")); err != nil {
		return err
	}
	if !isUUID(header.UUID.Value) {
		return fault.Broken(field("eventHeader.uuid"), mustBeUUID)
	}
	if err := requiredUpTo(100, &header.Name, field("eventHeader.eventName")); err != nil {
		return err
	}
	if err := date(&header.CreatedDate, field("eventHeader.createdDate")); err != nil {
		return err
	}
	if err := date(&header.SavedDate, field("eventHeader.savedDate")); err != nil {
		return err
	}
	if err := text(&header.Type, field("eventHeader.eventType")); err != nil {
		return err
	}
	return upTo(100, header.Type.Value, field("eventHeader.eventType"))
}

func validateEntities(body *Body) ([]event.Entity, error) {
	at := field("eventBody.entities")
	switch body.EntitiesAre {
	case WrongKind:
		return nil, fault.Broken(at, mustBeArray)
	case Duplicate:
		return nil, fault.Broken(at, duplicate)
	}
	if body.Count < 1 || body.Count > event.MaxEntities {
		return nil, fault.Broken(at, "must hold 1 to 1000 entities")
	}
	entities := make([]event.Entity, len(body.Entities))
	for i := range body.Entities {
		draft := &body.Entities[i]
		if err := validateEntity(draft, i); err != nil {
			return nil, err
		}
		entities[i] = event.Entity{Type: draft.Type.Value, ID: draft.ID.Value, Attributes: draft.Attributes}
	}
	return entities, nil
}

func validateEntity(entity *EntityDraft, index int) error {
	if entity.Is != Present {
		return fault.Broken(entityField(index, ""), mustBeObject)
	}
	if err := requiredUpTo(100, &entity.Type, entityField(index, ".entityType")); err != nil {
		return err
	}
	if err := requiredUpTo(255, &entity.ID, entityField(index, ".entityId")); err != nil {
		return err
	}
	at := entityField(index, ".updatedAttributes")
	if err := object(entity.AttributesAre, at); err != nil {
		return err
	}
	if entity.Flaw != NoFlaw {
		return fault.Broken(at, entity.Flaw.reason())
	}
	return nil
}

func object(is State, at path) error {
	switch is {
	case Present:
		return nil
	case Absent, Null:
		return fault.Broken(at, required)
	case Duplicate:
		return fault.Broken(at, duplicate)
	default:
		return fault.Broken(at, mustBeObject)
	}
}

// text checks a text that may be absent.
func text(found *Text, at path) error {
	switch found.Is {
	case Absent, Null:
		return nil
	case Present:
		return storable(found, at)
	case Duplicate:
		return fault.Broken(at, duplicate)
	default:
		return fault.Broken(at, mustBeString)
	}
}

// requiredText treats the empty text as absent.
func requiredText(found *Text, at path) error {
	if err := text(found, at); err != nil {
		return err
	}
	if found.Value == "" {
		return fault.Broken(at, required)
	}
	return nil
}

func requiredUpTo(limit int, found *Text, at path) error {
	if err := requiredText(found, at); err != nil {
		return err
	}
	return upTo(limit, found.Value, at)
}

func storable(found *Text, at path) error {
	flaw := found.Flaw
	if flaw == NoFlaw && strings.IndexByte(found.Value, 0) >= 0 {
		flaw = NUL
	}
	if flaw != NoFlaw {
		return fault.Broken(at, flaw.reason())
	}
	return nil
}

func date(found *Text, at path) error {
	switch found.Is {
	case Integer:
		if isEpochMilliseconds(found.Value) {
			return nil
		}
	case WrongKind:
	default:
		if err := text(found, at); err != nil {
			return err
		}
		if found.Value == "" || isTimestamp(found.Value) {
			return nil
		}
	}
	return fault.Broken(at, mustBeDate)
}

// upTo counts characters, which are Unicode code points.
func upTo(limit int, value string, at path) error {
	// No text has more characters than bytes, which spares nearly every text the counting.
	if len(value) <= limit || utf8.RuneCountInString(value) <= limit {
		return nil
	}
	return fault.Broken(at, fmt.Sprintf("must have at most %d characters", limit))
}

// isUUID accepts 8-4-4-4-12 hexadecimal digits.
func isUUID(value string) bool {
	if len(value) != 36 {
		return false
	}
	for i := range len(value) {
		switch i {
		case 8, 13, 18, 23:
			if value[i] != '-' {
				return false
			}
		default:
			if !isHexDigit(value[i]) {
				return false
			}
		}
	}
	return true
}

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// path locates a field. It is formatted only when a rule is broken, and converted to an interface no sooner: that
// would be an allocation for each rule.
type path struct {
	// name is all of it for a field that an event has once, and what follows the element in an element of entities.
	name string
	// entity counts the elements of entities from 1; 0 is none.
	entity int
}

// field is the path of a field that an event has once.
func field(name string) path { return path{name: name} }

// entityField is the path of an element of entities or, with a name, of a field of it.
func entityField(index int, name string) path { return path{name, index + 1} }

func (p path) String() string {
	if p.entity == 0 {
		return p.name
	}
	return "eventBody.entities[" + strconv.Itoa(p.entity-1) + "]" + p.name
}
