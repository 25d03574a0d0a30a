// Package fault is the one kind of error that reaches a client. Each transport maps its kind once,
// to its own status.
package fault

import (
	"errors"
	"fmt"
	"os"
)

// Kind is the class of a failure; it decides the status.
type Kind int

// Kinds of failure.
const (
	// Internal is a defect here or in the database; details are in the log only.
	Internal Kind = iota
	// Malformed is a body or message whose syntax is broken. It ends a stream, a broken rule does not.
	Malformed
	// BadFraming is a call that breaks the rules of its protocol, before the contract's apply.
	BadFraming
	// Incomplete is a body that breaks off.
	Incomplete
	// TooSlow is a body or message that does not arrive in time.
	TooSlow
	// Invalid is a request that breaks a rule of the contract.
	Invalid
	// TooLarge is a request of more bytes or events than the contract allows.
	TooLarge
	// UnsupportedMedia is a media type or content coding that the contract does not allow.
	UnsupportedMedia
	// Unauthenticated is a request without the required token.
	Unauthenticated
	// Overloaded means that the write queue is full.
	Overloaded
	// Exhausted means that unfinished requests occupy all the memory that they may.
	Exhausted
	// Unavailable means that the database was unavailable for too long, or that the process is stopping.
	Unavailable
)

// Error is a failure with the exact message for the client.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string { return e.Message }

// Errors that are always the same.
var (
	ErrInternal        error = &Error{Internal, "internal error"}
	ErrUnauthenticated error = &Error{Unauthenticated, "authorization: a valid bearer token is required"}
	ErrIncomplete      error = &Error{Incomplete, "body: incomplete"}
	ErrTooSlow         error = &Error{TooSlow, "body: incomplete"}
	ErrOverloaded      error = &Error{Overloaded, "overloaded: the write queue is full, retry later"}
	ErrTooManyBytes    error = &Error{Exhausted, "server: unfinished requests occupy too much memory, retry later"}
	ErrUnavailable     error = &Error{Unavailable, "database: unavailable, retry later"}
	ErrStopping        error = &Error{Unavailable, "server: stopping, retry later"}
)

// New is a failure of any kind.
func New(kind Kind, message string) error {
	return &Error{kind, message}
}

// Broken is a broken rule of the field at path.
func Broken(path fmt.Stringer, reason string) error {
	return &Error{Invalid, path.String() + ": " + reason}
}

// BodyTooLarge is a body or message of more than limit bytes.
func BodyTooLarge(limit int) error {
	return &Error{TooLarge, fmt.Sprintf("body: larger than %d bytes", limit)}
}

// OfReading returns why the body of a request could not be read.
func OfReading(err error) error {
	switch {
	case errors.Is(err, ErrTooManyBytes):
		return ErrTooManyBytes
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrTooSlow
	default:
		return ErrIncomplete
	}
}

// Of returns err as an Error. One that is none becomes ErrInternal: internal text never reaches a client.
func Of(err error) *Error {
	var failure *Error
	if errors.As(err, &failure) {
		return failure
	}
	return ErrInternal.(*Error)
}
