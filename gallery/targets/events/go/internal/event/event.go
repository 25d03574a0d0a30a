// Package event is what a target stores, and the contract's rules for it, the same over both protocols.
package event

import "cmp"

// Event is the stored part of a valid event. Its entities are applied all or none, in their order.
type Event struct {
	Entities []Entity
	// Source is the size of the message whose parts the entities are, and which they keep in memory.
	Source int
}

// Entity is one update of one entity.
type Entity struct {
	// Type and ID are the row's key.
	Type, ID string
	// Attributes is the JSON text of an object, without white space around it.
	Attributes string
}

// Footprint is what the event costs to keep in memory, in bytes.
func (e Event) Footprint() int { return e.Source + e.Bytes() }

// Bytes is what is sent to the database.
func (e Event) Bytes() int {
	bytes := 0
	for i := range e.Entities {
		entity := &e.Entities[i]
		bytes += len(entity.Type) + len(entity.ID) + len(entity.Attributes)
	}
	return bytes
}

// ChargeFor accounts for a bulk's message, which any valid event of it keeps in memory whole: the first valid one bears
// what the others do not.
func ChargeFor(size int, events []Decoded) {
	var first *Event
	for i := range events {
		if events[i].Err == nil {
			first = cmp.Or(first, &events[i].Event)
			size -= events[i].Event.Source
		}
	}
	if first != nil {
		first.Source += size
	}
}

// Decoded is what became of one event of a bulk: the event, or the rule that it breaks.
type Decoded struct {
	Event Event
	Err   error
}
