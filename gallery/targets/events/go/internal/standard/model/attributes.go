package model

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"

	"example.com/bakeoff/events/internal/event"
)

// Reasons why PostgreSQL or the contract does not accept a value.
const (
	ReasonRequired  = "required"
	ReasonNUL       = `contains \u0000, which cannot be stored`
	ReasonSurrogate = "contains a lone surrogate, which cannot be stored"
	ReasonNumber    = "contains a number outside the double range"
	ReasonDepth     = "nested deeper than 32 levels"
)

func areAttributes(field validator.FieldLevel) bool {
	return attributesReason(field.Field().Bytes()) == ""
}

// attributesReason returns why valid JSON cannot be attributes, or nothing.
func attributesReason(raw json.RawMessage) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ReasonRequired
	case raw[0] != '{':
		return "must be an object"
	case hasNUL(raw):
		return ReasonNUL
	case hasLoneSurrogate(raw):
		return ReasonSurrogate
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var members map[string]any
	if err := decoder.Decode(&members); err != nil {
		return "not valid JSON"
	}
	return valueReason(members, 1)
}

// valueReason checks a value; if it is an object or an array, it is of level depth.
func valueReason(value any, depth int) string {
	switch value := value.(type) {
	case json.Number:
		if !isStorable(value) {
			return ReasonNumber
		}
	case map[string]any:
		return childrenReason(maps.Values(value), depth)
	case []any:
		return childrenReason(slices.Values(value), depth)
	}
	return ""
}

func childrenReason(children iter.Seq[any], depth int) string {
	if depth > event.MaxDepth {
		return ReasonDepth
	}
	for child := range children {
		if reason := valueReason(child, depth+1); reason != "" {
			return reason
		}
	}
	return ""
}

// isStorable reports whether the nearest double is finite, and zero only if the number is, and whether PostgreSQL can
// read its text.
func isStorable(number json.Number) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number.String()), "e")
	if len(number) > event.MaxNumberLength || !isExponent(exponent) {
		return false
	}
	double, err := number.Float64()
	return err == nil && (double != 0 || !strings.ContainsAny(mantissa, "123456789"))
}

func isExponent(text string) bool {
	if text == "" {
		return true
	}
	exponent, err := strconv.Atoi(text)
	return err == nil && -event.MaxNumberExponent <= exponent && exponent <= event.MaxNumberExponent
}

var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// hasNUL reports whether an escape in valid JSON is U+0000.
func hasNUL(raw []byte) bool {
	return hasUnicodeEscape(raw) && bytes.Contains(withoutBackslashes(raw), []byte(`\u0000`))
}

// hasLoneSurrogate reports whether an escape in valid JSON is half of a surrogate pair.
func hasLoneSurrogate(raw []byte) bool {
	return hasUnicodeEscape(raw) && surrogate.Match(surrogatePair.ReplaceAll(withoutBackslashes(raw), nil))
}

// hasUnicodeEscape is false for most JSON, and much faster than what follows.
func hasUnicodeEscape(raw []byte) bool { return bytes.Contains(raw, []byte(`\u`)) }

// withoutBackslashes removes escaped backslashes, so that each that remains begins an escape.
func withoutBackslashes(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte(`\\`), []byte("  ")) }
