package event

import "strconv"

// field is the path of a field that an event has once.
type field string

func (f field) String() string { return string(f) }

// entityField is the path of an element of entities or, with a name, of a field of it.
// It is written out only when a rule is broken.
type entityField struct {
	index int
	name  string
}

func (f entityField) String() string {
	return "eventBody.entities[" + strconv.Itoa(f.index) + "]" + f.name
}
