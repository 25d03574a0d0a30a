package model

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/go-playground/validator/v10"
)

// Timestamp is RFC 3339, or epoch milliseconds as a number or a string.
type Timestamp string

// UnmarshalJSON keeps the text of a string and the literal of a number; the rule timestamp rejects other kinds.
func (t *Timestamp) UnmarshalJSON(raw []byte) error {
	switch {
	case string(raw) == "null":
		return nil
	case raw[0] == '"':
		return json.Unmarshal(raw, (*string)(t))
	default:
		*t = Timestamp(raw)
		return nil
	}
}

var (
	epochMilliseconds = regexp.MustCompile(`^-?[0-9]{1,15}$`)
	// time.Parse checks the calendar; it would also accept a comma, an hour of one digit, and any offset.
	rfc3339 = regexp.MustCompile(`^[0-9-]{10}[Tt][0-9:]{8}(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
)

func isTimestamp(field validator.FieldLevel) bool {
	text := field.Field().String()
	if epochMilliseconds.MatchString(text) {
		return true
	}
	_, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	return err == nil && rfc3339.MatchString(text)
}
