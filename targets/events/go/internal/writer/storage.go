package writer

import (
	"context"
	"errors"
)

// Storage is where rows go. Tests put a fake here.
type Storage interface {
	// Store stores all rows or none, durably when it returns.
	// An error that is not ErrAway means that the database refuses these rows.
	Store(ctx context.Context, rows Rows) error
	// Check returns an error unless the database answers now.
	Check(ctx context.Context) error
}

// ErrAway says that the database cannot be reached or cannot take writes now; it may another time.
var ErrAway = errors.New("database away")
