package postgres

import (
	"context"

	"grpc-user-service/internal/user"
)

type kind int

const (
	creates kind = iota
	updates
	deletes
)

// write is a change that a caller waits for.
type write struct {
	call
	kind        kind
	id          int64
	name, email *string
}

// Create stores a new user and returns its id.
func (r *Repository) Create(ctx context.Context, name, email string) (int64, error) {
	change := &write{call: newCall(ctx), kind: creates, name: &name, email: &email}
	if err := r.write(change); err != nil {
		return 0, err
	}
	return change.id, nil
}

// Update changes a user.
func (r *Repository) Update(ctx context.Context, id int64, change user.Change) error {
	return r.write(&write{call: newCall(ctx), kind: updates, id: id, name: change.Name, email: change.Email})
}

// Delete removes a user.
func (r *Repository) Delete(ctx context.Context, id int64) error {
	return r.write(&write{call: newCall(ctx), kind: deletes, id: id})
}

// write returns when the change is durable. A caller whose context ends before does not know whether it is stored.
func (r *Repository) write(change *write) error {
	if err := r.writes.do(change); err != nil {
		return err
	}
	return change.outcome()
}

// store ends all writes. No two that share a transaction touch the same user, since one statement changes a row once.
func (r *Repository) store(ctx context.Context, writes []*write) {
	for len(writes) > 0 {
		var together, later []*write
		touched := make(map[int64]bool, len(writes))
		for _, write := range writes {
			if write.kind != creates && touched[write.id] {
				later = append(later, write)
				continue
			}
			touched[write.id] = write.kind != creates
			together = append(together, write)
		}
		r.storeTogether(ctx, together)
		writes = later
	}
}

// storeTogether stores writes in one transaction. If one of them is refused, each gets its own transaction.
func (r *Repository) storeTogether(ctx context.Context, writes []*write) {
	outcomes, err := r.transaction(ctx, writes)
	if len(writes) > 1 && isCode(err, uniqueViolation, deadlock) {
		for i := range writes {
			r.storeTogether(ctx, writes[i:i+1])
		}
		return
	}
	for _, write := range writes {
		if err != nil {
			write.end(err)
		} else {
			write.end(outcomes[write])
		}
	}
}
