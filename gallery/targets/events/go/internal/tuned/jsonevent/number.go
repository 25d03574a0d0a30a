package jsonevent

import (
	"strconv"
	"strings"

	"example.com/bakeoff/events/internal/event"
)

// Without an exponent a literal shorter than this is neither too large nor too small for a double.
const safeLength = 300

// isStorable reports whether the nearest double is finite, and zero only if the literal is; and whether PostgreSQL's
// numeric, which has its own limits, can read the literal.
func isStorable(literal string) bool {
	mantissa, exponent := cutExponent(literal)
	if exponent == "" && len(literal) < safeLength {
		return true
	}
	if len(literal) > event.MaxNumberLength || !isExponent(exponent) {
		return false
	}
	if !strings.ContainsAny(mantissa, "123456789") {
		return true
	}
	// An error is a double that overflows.
	double, err := strconv.ParseFloat(literal, 64)
	return err == nil && double != 0
}

func cutExponent(literal string) (mantissa, exponent string) {
	e := strings.IndexAny(literal, "eE")
	if e < 0 {
		return literal, ""
	}
	return literal[:e], literal[e+1:]
}

// isExponent reports whether the exponent is absent or within the limit.
func isExponent(exponent string) bool {
	digits := strings.TrimLeft(strings.TrimLeft(exponent, "+-"), "0")
	if digits == "" {
		return true
	}
	value, err := strconv.Atoi(digits)
	return err == nil && value <= event.MaxNumberExponent
}
