package event

import (
	"fmt"

	"example.com/bakeoff/events/internal/fault"
)

// The numbers of the contract.
const (
	// MaxBytes is the size of the largest event, as a body, a message, or an element of a bulk.
	MaxBytes = 1_048_576
	// MaxBulkBytes is the size of the largest body or message of a bulk.
	MaxBulkBytes = 16_777_216
	// MaxBulkEvents is the number of events that a bulk may hold.
	MaxBulkEvents = 10_000
	// MaxEntities is the number of entities that an event may hold.
	MaxEntities = 1_000
	// MaxDepth is how deep updatedAttributes may nest, itself being the first level.
	MaxDepth = 32
	// MaxNumberLength is the length of the longest number in updatedAttributes.
	MaxNumberLength = 1_100
	// MaxNumberExponent is the largest exponent of a number in updatedAttributes, and less its sign the smallest.
	MaxNumberExponent = 1_100
)

// ErrTooLargeInBulk is an element of a bulk above the size of a single event.
var ErrTooLargeInBulk = fault.New(fault.Invalid, fmt.Sprintf("event: larger than %d bytes", MaxBytes))

// CheckCount checks that a bulk has 1 to 10,000 events.
func CheckCount(count int) error {
	const message = "events: must hold 1 to 10000 events"
	switch {
	case count == 0:
		return fault.New(fault.Invalid, message)
	case count > MaxBulkEvents:
		return fault.New(fault.TooLarge, message)
	default:
		return nil
	}
}
