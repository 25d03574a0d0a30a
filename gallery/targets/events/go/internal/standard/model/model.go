// Package model is the request model of the standard targets: the contract's rules as tags of go-playground/validator.
package model

import (
	"encoding/json"

	"example.com/bakeoff/events/internal/event"
)

// Event is one event.
type Event struct {
	Header *Header `json:"eventHeader" binding:"required"`
	Body   *Body   `json:"eventBody" binding:"required"`
}

// Header describes an event. It is checked and not stored.
type Header struct {
	UUID        string    `json:"uuid" binding:"required,uuid_rfc4122"`
	EventName   string    `json:"eventName" binding:"required,max=100,excludes=\u0000"`
	CreatedDate Timestamp `json:"createdDate" binding:"omitempty,timestamp"`
	SavedDate   Timestamp `json:"savedDate" binding:"omitempty,timestamp"`
	EventType   string    `json:"eventType" binding:"max=100,excludes=\u0000"`
}

// Body holds what an event changes.
type Body struct {
	Entities []Entity `json:"entities" binding:"min=1,max=1000,dive"`
}

// Entity is one update of one entity.
type Entity struct {
	EntityType string `json:"entityType" binding:"required,max=100,excludes=\u0000"`
	EntityID   string `json:"entityId" binding:"required,max=255,excludes=\u0000"`
	// UpdatedAttributes stays JSON text, which keeps numbers to the digit.
	UpdatedAttributes json.RawMessage `json:"updatedAttributes" binding:"attributes"`
}

// Stored returns the part of a valid event that is stored. source is the size of its message.
func (e *Event) Stored(source int) event.Event {
	entities := make([]event.Entity, len(e.Body.Entities))
	for i := range e.Body.Entities {
		entity := &e.Body.Entities[i]
		entities[i] = event.Entity{Type: entity.EntityType, ID: entity.EntityID, Attributes: string(entity.UpdatedAttributes)}
	}
	return event.Event{Entities: entities, Source: source}
}
