package protoevent

import (
	"errors"
	"unicode/utf8"
)

// errMalformed means that bytes are not a message.
var errMalformed = errors.New("malformed protobuf message")

// maxGroupDepth is how many groups may nest; groups are deprecated, and must be skipped all the same.
const maxGroupDepth = 100

type wireType uint8

const (
	varintType     wireType = 0
	fixed64Type    wireType = 1
	bytesType      wireType = 2
	startGroupType wireType = 3
	endGroupType   wireType = 4
	fixed32Type    wireType = 5
)

// scanner reads the fields of a message in the order of the wire.
//
// Not protowire: that reads []byte, and the texts of an event are to be parts of one string.
type scanner struct {
	rest string
	err  error

	// The field that next found.
	number uint32
	wire   wireType
	// scalar is the value of a varint or fixed field.
	scalar uint64
	// bytes is the value of a field of text, bytes or a message.
	bytes string
}

func scan(message string) scanner { return scanner{rest: message} }

// next finds the next field. It returns false at the end and after the first error, which is kept.
func (s *scanner) next() bool {
	if s.err != nil || s.rest == "" {
		return false
	}
	s.tag()
	switch s.wire {
	case startGroupType:
		s.skipGroup()
	case endGroupType:
		s.fail()
	default:
		s.value()
	}
	return s.err == nil
}

// is reports whether the field has this number and wire type. A known number of another type is an unknown field.
func (s *scanner) is(number uint32, wire wireType) bool {
	return s.number == number && s.wire == wire
}

func (s *scanner) fail() {
	s.err = errMalformed
	s.rest = ""
}

func (s *scanner) tag() {
	tag := s.varint()
	s.number, s.wire = uint32(tag>>3), wireType(tag&7)
	if tag>>32 != 0 || s.number == 0 {
		s.fail()
	}
}

func (s *scanner) value() {
	switch s.wire {
	case varintType:
		s.scalar = s.varint()
	case fixed64Type:
		s.scalar = s.littleEndian(8)
	case fixed32Type:
		s.scalar = s.littleEndian(4)
	case bytesType:
		s.bytes = s.take(s.varint())
	default:
		s.fail()
	}
}

// skipGroup skips to the end of the group that has just begun.
func (s *scanner) skipGroup() {
	group := s.number
	open := []uint32{group}
	for len(open) > 0 && s.err == nil {
		s.tag()
		switch innermost := open[len(open)-1]; {
		case s.wire == startGroupType && len(open) < maxGroupDepth:
			open = append(open, s.number)
		case s.wire == endGroupType && s.number == innermost:
			open = open[:len(open)-1]
		default:
			s.value()
		}
	}
	s.number, s.wire = group, startGroupType
}

func (s *scanner) varint() uint64 {
	var value uint64
	for i := range len(s.rest) {
		c := s.rest[i]
		// The tenth byte has room for one bit.
		if i == 9 && c > 1 {
			break
		}
		value |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			s.rest = s.rest[i+1:]
			return value
		}
	}
	s.fail()
	return 0
}

func (s *scanner) littleEndian(bytes int) uint64 {
	var value uint64
	for i, c := range []byte(s.take(uint64(bytes))) {
		value |= uint64(c) << (8 * i)
	}
	return value
}

func (s *scanner) take(length uint64) string {
	if length > uint64(len(s.rest)) {
		s.fail()
		return ""
	}
	taken := s.rest[:length]
	s.rest = s.rest[length:]
	return taken
}

// text is the value of a string field.
func (s *scanner) text() string {
	if !utf8.ValidString(s.bytes) {
		s.fail()
	}
	return s.bytes
}
