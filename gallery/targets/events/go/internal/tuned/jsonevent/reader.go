package jsonevent

import (
	"iter"
	"strings"
)

// reader reads a JSON text from its start to its end, by RFC 8259, byte by byte.
//
// The first syntax error moves the reader to the end of the text, where nothing more is found,
// so that callers need to look at failed only once, at their end.
type reader struct {
	text     string
	position int
	failed   bool
	// open holds the closing brackets that a walk waits for; it is kept for its memory only.
	open []byte
}

// rawString is the inside of a string, between its quotes.
type rawString struct {
	inside  string
	escaped bool
}

func (r *reader) fail() {
	r.failed = true
	r.position = len(r.text)
}

// peek returns the first byte of the next token, which is not read yet; 0 at the end, which begins no token.
func (r *reader) peek() byte {
	for {
		switch c := r.byte(); c {
		case ' ', '\n', '\t', '\r':
			r.position++
		default:
			return c
		}
	}
}

// end expects only white space to be left, and reports whether the whole text was JSON.
func (r *reader) end() bool {
	r.peek()
	return !r.failed && r.position == len(r.text)
}

// members reads an object. It yields each name; the caller reads the value.
func (r *reader) members() iter.Seq[string] {
	return func(yield func(string) bool) {
		r.token('{')
		if r.take('}') {
			return
		}
		for {
			name := r.name()
			if r.failed || !yield(name.unescaped()) {
				return
			}
			if !r.take(',') {
				r.token('}')
				return
			}
		}
	}
}

// elements reads an array. It yields the index of each element; the caller reads the value.
func (r *reader) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		r.token('[')
		if r.take(']') {
			return
		}
		for i := 0; !r.failed && yield(i); i++ {
			if !r.take(',') {
				r.token(']')
				return
			}
		}
	}
}

func (r *reader) name() rawString {
	name := r.string()
	r.token(':')
	return name
}

func (r *reader) string() rawString {
	r.token('"')
	start, escaped := r.position, false
	for {
		switch c := r.byte(); {
		case c == '"':
			inside := r.text[start:r.position]
			r.position++
			return rawString{inside, escaped}
		case c == '\\':
			escaped = true
			r.escape()
		case c < ' ':
			r.fail()
			return rawString{}
		default:
			r.position++
		}
	}
}

func (r *reader) escape() {
	r.position++
	switch r.byte() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		r.position++
	case 'u':
		r.position++
		for range 4 {
			if !isHexDigit(r.byte()) {
				r.fail()
				return
			}
			r.position++
		}
	default:
		r.fail()
	}
}

// number returns the literal, and whether it has neither fraction nor exponent.
func (r *reader) number() (literal string, integer bool) {
	start := r.position
	integer = true
	r.takeByte('-')
	if !r.takeByte('0') {
		r.digits()
	}
	if r.takeByte('.') {
		integer = false
		r.digits()
	}
	if r.takeByte('e') || r.takeByte('E') {
		integer = false
		if !r.takeByte('-') {
			r.takeByte('+')
		}
		r.digits()
	}
	return r.text[start:r.position], integer
}

// digits expects at least one.
func (r *reader) digits() {
	start := r.position
	for isDigit(r.byte()) {
		r.position++
	}
	if r.position == start {
		r.fail()
	}
}

func (r *reader) word(word string) {
	if !strings.HasPrefix(r.text[r.position:], word) {
		r.fail()
		return
	}
	r.position += len(word)
}

// token expects this token next.
func (r *reader) token(token byte) {
	if !r.take(token) {
		r.fail()
	}
}

// take reads the next token if it is this one.
func (r *reader) take(token byte) bool {
	r.peek()
	return r.takeByte(token)
}

func (r *reader) takeByte(c byte) bool {
	if r.byte() != c {
		return false
	}
	r.position++
	return true
}

// byte is 0 at the end of the text.
func (r *reader) byte() byte {
	if r.position < len(r.text) {
		return r.text[r.position]
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHexDigit(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
