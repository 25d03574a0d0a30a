package jsonevent

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/bakeoff/events/internal/tuned/rules"
)

// unescaped is the text that the string stands for; one that cannot be stored is no name of ours and so empty.
func (s rawString) unescaped() string {
	text, _ := s.decode()
	return text
}

// decode returns the text that the string stands for, or what keeps it from being stored.
// The syntax of its escapes has been checked.
func (s rawString) decode() (string, rules.Flaw) {
	if !s.escaped {
		return s.inside, rules.NoFlaw
	}
	text := make([]byte, 0, len(s.inside))
	rest := s.inside
	for {
		plain, escape, found := cutEscape(rest)
		text = append(text, plain...)
		if !found {
			return string(text), rules.NoFlaw
		}
		character, length, flaw := decodeEscape(escape)
		if flaw != rules.NoFlaw {
			return "", flaw
		}
		text = utf8.AppendRune(text, character)
		rest = escape[length:]
	}
}

// flaw is what keeps the string from being stored.
func (s rawString) flaw() rules.Flaw {
	rest := s.inside
	for {
		_, escape, found := cutEscape(rest)
		if !found {
			return rules.NoFlaw
		}
		_, length, flaw := decodeEscape(escape)
		if flaw != rules.NoFlaw {
			return flaw
		}
		rest = escape[length:]
	}
}

// cutEscape cuts before the first escape.
func cutEscape(text string) (plain, escape string, found bool) {
	backslash := strings.IndexByte(text, '\\')
	if backslash < 0 {
		return text, "", false
	}
	return text[:backslash], text[backslash:], true
}

// decodeEscape returns the character that the escape at the start of text stands for, and the escape's length.
func decodeEscape(text string) (rune, int, rules.Flaw) {
	switch c := text[1]; c {
	case 'b':
		return '\b', 2, rules.NoFlaw
	case 'f':
		return '\f', 2, rules.NoFlaw
	case 'n':
		return '\n', 2, rules.NoFlaw
	case 'r':
		return '\r', 2, rules.NoFlaw
	case 't':
		return '\t', 2, rules.NoFlaw
	case 'u':
		return decodeUnicodeEscape(text)
	default:
		return rune(c), 2, rules.NoFlaw
	}
}

func decodeUnicodeEscape(text string) (rune, int, rules.Flaw) {
	const length = len(`\u0000`)
	unit := codeUnit(text)
	switch {
	case unit == 0:
		return 0, length, rules.NUL
	case !utf16.IsSurrogate(unit):
		return unit, length, rules.NoFlaw
	}
	pair := utf16.DecodeRune(unit, codeUnit(text[length:]))
	if pair == utf8.RuneError {
		return 0, length, rules.LoneSurrogate
	}
	return pair, 2 * length, rules.NoFlaw
}

// codeUnit is the UTF-16 code unit of the \uXXXX at the start of text, or -1 if there is none.
func codeUnit(text string) rune {
	if !strings.HasPrefix(text, `\u`) {
		return -1
	}
	var unit rune
	for i := 2; i < 6; i++ {
		unit = unit<<4 | hexValue(text[i])
	}
	return unit
}

func hexValue(digit byte) rune {
	if isDigit(digit) {
		return rune(digit - '0')
	}
	return rune(digit|0x20-'a') + 10
}
