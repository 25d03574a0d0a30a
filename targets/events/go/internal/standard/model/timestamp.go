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

var epochMilliseconds = regexp.MustCompile(`^-?[0-9]{1,15}$`)

func isTimestamp(field validator.FieldLevel) bool {
	text := field.Field().String()
	// UnmarshalText is strict about RFC 3339, but for lower case; time.Parse is not.
	return epochMilliseconds.MatchString(text) || new(time.Time).UnmarshalText([]byte(strings.ToUpper(text))) == nil
}
