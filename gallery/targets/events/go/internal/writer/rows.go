package writer

import (
	"slices"
	"strings"

	"example.com/bakeoff/events/internal/event"
)

// Rows are the columns of what one statement stores: sorted by type and ID, no pair twice.
type Rows struct {
	Types, IDs, Documents []string
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.IDs) }

// merge returns the rows of events in this order.
func merge(events []event.Event) Rows {
	updates := updatesOf(events)
	// Stable: updates of one entity stay in their order.
	slices.SortStableFunc(updates, compareKeys)
	columns := make([]string, 3*len(updates))
	rows := Rows{
		Types:     columns[0:0:len(updates)],
		IDs:       columns[len(updates) : len(updates) : 2*len(updates)],
		Documents: columns[2*len(updates) : 2*len(updates)],
	}
	for len(updates) > 0 {
		same := 1
		for same < len(updates) && compareKeys(updates[0], updates[same]) == 0 {
			same++
		}
		rows.Types = append(rows.Types, updates[0].Type)
		rows.IDs = append(rows.IDs, updates[0].ID)
		rows.Documents = append(rows.Documents, mergeObjects(updates[:same]))
		updates = updates[same:]
	}
	return rows
}

func updatesOf(events []event.Event) []*event.Entity {
	updates := make([]*event.Entity, 0, len(events))
	for i := range events {
		entities := events[i].Entities
		for j := range entities {
			updates = append(updates, &entities[j])
		}
	}
	return updates
}

func compareKeys(a, b *event.Entity) int {
	if order := strings.Compare(a.Type, b.Type); order != 0 {
		return order
	}
	return strings.Compare(a.ID, b.ID)
}

// mergeObjects returns one object with the members of all. PostgreSQL keeps the last of members with the same name,
// so their concatenation is what merging one object after another would give.
func mergeObjects(updates []*event.Entity) string {
	if len(updates) == 1 {
		return updates[0].Attributes
	}
	size := 0
	for _, update := range updates {
		size += len(update.Attributes)
	}
	var object strings.Builder
	object.Grow(size)
	object.WriteByte('{')
	for _, update := range updates {
		members := membersOf(update.Attributes)
		if members != "" && object.Len() > 1 {
			object.WriteByte(',')
		}
		object.WriteString(members)
	}
	object.WriteByte('}')
	return object.String()
}

// membersOf is the text between the braces.
func membersOf(object string) string {
	return strings.Trim(object[1:len(object)-1], " \n\t\r")
}
