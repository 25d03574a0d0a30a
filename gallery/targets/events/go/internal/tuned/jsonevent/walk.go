package jsonevent

import (
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/tuned/rules"
)

// skip reads a value of any kind and checks its syntax only.
func (r *reader) skip() { r.walk(nil) }

// walk reads a value of any kind and records the first flaw in flaw, unless that is nil.
// It does not recurse: a hostile body may nest as deep as it is long.
func (r *reader) walk(flaw *rules.Flaw) {
	r.open = r.open[:0]
	for {
		if r.opening(flaw) {
			continue
		}
		// A value has ended, and with it perhaps those around it.
		for {
			if r.failed || len(r.open) == 0 {
				return
			}
			closing := r.open[len(r.open)-1]
			if r.take(',') {
				if closing == '}' {
					noteString(flaw, r.name())
				}
				break
			}
			r.token(closing)
			r.open = r.open[:len(r.open)-1]
		}
	}
}

// opening reads a scalar, an empty object or array, or the opening of one that is not: then it returns true,
// and a value follows.
func (r *reader) opening(flaw *rules.Flaw) bool {
	var closing byte
	switch r.peek() {
	case '{':
		closing = '}'
	case '[':
		closing = ']'
	default:
		r.scalar(flaw)
		return false
	}
	r.position++
	if flaw != nil && len(r.open) >= event.MaxDepth {
		flaw.Note(rules.Depth)
	}
	if r.take(closing) {
		return false
	}
	r.open = append(r.open, closing)
	if closing == '}' {
		noteString(flaw, r.name())
	}
	return !r.failed
}

func (r *reader) scalar(flaw *rules.Flaw) {
	switch c := r.peek(); {
	case c == '"':
		noteString(flaw, r.string())
	case c == '-' || isDigit(c):
		literal, _ := r.number()
		if flaw != nil && !r.failed && !isStorable(literal) {
			flaw.Note(rules.NumberRange)
		}
	case c == 't':
		r.word("true")
	case c == 'f':
		r.word("false")
	default:
		r.word("null")
	}
}

func noteString(flaw *rules.Flaw, found rawString) {
	if flaw != nil && found.escaped {
		flaw.Note(found.flaw())
	}
}
