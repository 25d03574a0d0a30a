package rules

import "strings"

// isTimestamp reports whether a text is RFC 3339 or epoch milliseconds. Timestamps are checked, never stored.
//
// time.Parse is too lenient: it accepts a comma in a fraction and an hour of one digit,
// and does not limit offsets.
func isTimestamp(text string) bool {
	return isEpochMilliseconds(text) || isRFC3339(text)
}

// isEpochMilliseconds accepts 1 to 15 digits with an optional minus sign.
func isEpochMilliseconds(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return 1 <= len(digits) && len(digits) <= 15 && digitsBefore(digits) == len(digits)
}

func isRFC3339(text string) bool {
	const dateTime = len("2024-01-15T10:30:00")
	if len(text) < dateTime || text[10] != 'T' && text[10] != 't' {
		return false
	}
	rest, ok := withoutFraction(text[dateTime:])
	return ok && isDate(text[:10]) && isTime(text[11:dateTime]) && isOffset(rest)
}

func isDate(text string) bool {
	if text[4] != '-' || text[7] != '-' {
		return false
	}
	year, month, day := number(text[:4]), number(text[5:7]), number(text[8:])
	return year >= 0 && 1 <= day && day <= daysIn(year, month)
}

func isTime(text string) bool {
	return text[2] == ':' && text[5] == ':' &&
		isUpTo(23, text[:2]) && isUpTo(59, text[3:5]) && isUpTo(59, text[6:])
}

func isOffset(text string) bool {
	if text == "Z" || text == "z" {
		return true
	}
	return len(text) == len("+00:00") && (text[0] == '+' || text[0] == '-') && text[3] == ':' &&
		isUpTo(23, text[1:3]) && isUpTo(59, text[4:])
}

// withoutFraction returns what follows the fraction, if any; a point without digits is none.
func withoutFraction(text string) (string, bool) {
	fraction, hasPoint := strings.CutPrefix(text, ".")
	if !hasPoint {
		return text, true
	}
	digits := digitsBefore(fraction)
	return fraction[digits:], digits > 0
}

// digitsBefore counts the digits at the start.
func digitsBefore(text string) int {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return i
		}
	}
	return len(text)
}

func isUpTo(limit int, digits string) bool {
	value := number(digits)
	return 0 <= value && value <= limit
}

// number is -1 for what is no number.
func number(digits string) int {
	value := 0
	for i := range len(digits) {
		if !isDigit(digits[i]) {
			return -1
		}
		value = value*10 + int(digits[i]-'0')
	}
	return value
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// daysIn is 0 for a month that does not exist.
func daysIn(year, month int) int {
	switch month {
	case 1, 3, 5, 7, 8, 10, 12:
		return 31
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 0
	}
}
