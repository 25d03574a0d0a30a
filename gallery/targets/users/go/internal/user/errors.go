package user

import "errors"

// Errors of the service; each has one status in each protocol.
var (
	ErrNotFound    = errors.New("id: no such user")
	ErrEmailTaken  = errors.New("email: another user has it")
	ErrUnavailable = errors.New("the database is unavailable")
	ErrOverloaded  = errors.New("too many requests are waiting")
)

// InvalidError is a request that breaks a rule: the path of the field, and which rule.
type InvalidError struct{ Field, Rule string }

func (e *InvalidError) Error() string { return e.Field + ": " + e.Rule }
