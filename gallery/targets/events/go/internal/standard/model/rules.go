package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// Register teaches a validator the rules of this package, and the names that clients know.
func Register(validate *validator.Validate) error {
	validate.RegisterTagNameFunc(func(field reflect.StructField) string { return field.Tag.Get("json") })
	return errors.Join(
		validate.RegisterValidation("timestamp", isTimestamp),
		// It is required, and so checked when it is absent.
		validate.RegisterValidation("attributes", areAttributes, true),
	)
}

// Fault returns what a client gets for an error of decoding or validating an event.
func Fault(err error) error {
	var broken validator.ValidationErrors
	if errors.As(err, &broken) {
		// The namespace starts with the name of the struct.
		_, path, _ := strings.Cut(broken[0].Namespace(), ".")
		return fault.New(fault.Invalid, path+": "+reason(broken[0]))
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		path := kind.Field
		if path == "" {
			path = "body"
		}
		return fault.New(fault.Invalid, path+": must be "+nameOf(kind.Type.Kind()))
	}
	return fault.New(fault.Malformed, "body: not valid JSON")
}

func reason(broken validator.FieldError) string {
	switch broken.Tag() {
	case "required":
		return ReasonRequired
	case "uuid_rfc4122":
		return "must be a UUID"
	case "timestamp":
		return "must be an RFC 3339 timestamp or epoch milliseconds"
	case "excludes":
		return ReasonNUL
	case "attributes":
		return attributesReason(broken.Value().(json.RawMessage))
	}
	if broken.Kind() == reflect.Slice {
		return fmt.Sprintf("must hold 1 to %d entities", event.MaxEntities)
	}
	return fmt.Sprintf("must have at most %s characters", broken.Param())
}

func nameOf(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

// CheckText rejects an event of this JSON if encoding/json replaced a lone surrogate in a text field by U+FFFD.
func (e *Event) CheckText(raw []byte) error {
	if !hasLoneSurrogate(raw) {
		return nil
	}
	texts := []struct{ path, value string }{
		{"eventHeader.uuid", e.Header.UUID}, {"eventHeader.eventName", e.Header.EventName},
		{"eventHeader.eventType", e.Header.EventType},
	}
	for i, entity := range e.Body.Entities {
		path := fmt.Sprintf("eventBody.entities[%d].", i)
		texts = append(texts,
			struct{ path, value string }{path + "entityType", entity.EntityType},
			struct{ path, value string }{path + "entityId", entity.EntityID})
	}
	for _, text := range texts {
		if strings.ContainsRune(text.value, '\uFFFD') {
			return fault.New(fault.Invalid, text.path+": "+ReasonSurrogate)
		}
	}
	return nil
}
