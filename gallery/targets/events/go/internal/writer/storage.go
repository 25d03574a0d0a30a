package writer

import (
	"context"
	"errors"
)

// Storage stores rows; tests use a fake.
type Storage interface {
	// Store stores all rows or none, durably when it returns.
	// An error that is not ErrDatabaseUnavailable means that the database rejects these rows.
	Store(ctx context.Context, rows Rows) error
	// Check returns an error unless the database answers now.
	Check(ctx context.Context) error
}

// ErrDatabaseUnavailable means that the database cannot be reached or cannot take writes now; it may later.
var ErrDatabaseUnavailable = errors.New("database unavailable")
