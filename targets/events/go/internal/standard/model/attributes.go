package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
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

// attributesReason returns why valid JSON cannot be attributes, or nothing. encoding/json replaces lone surrogates and
// keeps the other values as they are, so its tokens show the rest.
func attributesReason(raw json.RawMessage) string {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ReasonRequired
	case raw[0] != '{':
		return "must be an object"
	case hasLoneSurrogate(raw):
		return ReasonSurrogate
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			return "not valid JSON"
		}
		if reason := tokenReason(token, &depth); reason != "" {
			return reason
		}
	}
}

func tokenReason(token json.Token, depth *int) string {
	switch value := token.(type) {
	case json.Delim:
		if value == '}' || value == ']' {
			*depth--
		} else if *depth++; *depth > event.MaxDepth {
			return ReasonDepth
		}
	case string:
		if strings.ContainsRune(value, 0) {
			return ReasonNUL
		}
	case json.Number:
		if !isStorable(value) {
			return ReasonNumber
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

// hasLoneSurrogate reports whether an escape in valid JSON is half of a surrogate pair.
func hasLoneSurrogate(raw []byte) bool {
	// Nearly no JSON has such an escape, and this is much faster than a regular expression.
	if !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	// What remains without escaped backslashes and pairs is alone.
	rest := bytes.ReplaceAll(raw, []byte(`\\`), []byte("  "))
	return surrogate.Match(surrogatePair.ReplaceAll(rest, nil))
}
