package event

import "strconv"

// path locates a field. It is formatted only when a rule is broken, and converted to an interface no sooner: that
// would be an allocation for each rule.
type path struct {
	// name is all of it for a field that an event has once, and what follows the element in an element of entities.
	name string
	// entity counts the elements of entities from 1; 0 is none.
	entity int
}

// field is the path of a field that an event has once.
func field(name string) path { return path{name: name} }

// entityField is the path of an element of entities or, with a name, of a field of it.
func entityField(index int, name string) path { return path{name, index + 1} }

func (p path) String() string {
	if p.entity == 0 {
		return p.name
	}
	return "eventBody.entities[" + strconv.Itoa(p.entity-1) + "]" + p.name
}
