package rules

import (
	"regexp"
	"testing"
	"time"

	"example.com/bakeoff/events/internal/fuzzcorpus"
)

var (
	epochMilliseconds = regexp.MustCompile(`^-?[0-9]{1,15}$`)
	rfc3339           = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?([Zz]|[+-]([0-9]{2}:[0-9]{2}))$`)
)

// FuzzTimestamp checks that a text is a timestamp when the contract's grammar, written as patterns, and package time,
// which knows the calendar, say so.
func FuzzTimestamp(f *testing.F) {
	for _, seed := range []string{
		"0", "-1705314600000", "999999999999999", "1000000000000000",
		"2024-01-15T10:30:00Z", "2024-02-29t23:59:59.123456789+23:59", "1900-02-29T10:30:00z", "2024-01-15T10:30:60-00:00",
	} {
		f.Add(seed)
	}
	fuzzcorpus.Add[string](f)
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := isTimestamp(text), isTimestampByTime(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}

func isTimestampByTime(text string) bool {
	if epochMilliseconds.MatchString(text) {
		return true
	}
	parts := rfc3339.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	offset := parts[5]
	if offset == "" {
		offset = "00:00"
	}
	return parses(time.DateOnly, parts[1]) && parses(time.TimeOnly, parts[2]) && parses("15:04", offset)
}

func parses(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}
