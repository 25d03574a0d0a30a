package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/user"
)

// read is a user that a caller waits for.
type read struct {
	ctx   context.Context
	id    int64
	found user.User
	done  chan error
}

func (r *read) context() context.Context { return r.ctx }
func (r *read) end(err error)            { r.done <- err }

// Get returns the user with this id. Concurrent calls share a statement.
func (r *Repository) Get(ctx context.Context, id int64) (user.User, error) {
	wanted := &read{ctx: ctx, id: id, done: make(chan error, 1)}
	if err := r.reads.do(wanted); err != nil {
		return user.User{}, err
	}
	select {
	case err := <-wanted.done:
		return wanted.found, fault(err)
	case <-ctx.Done():
		return user.User{}, ctx.Err()
	}
}

// fetch ends all reads.
func (r *Repository) fetch(ctx context.Context, reads []*read) {
	found, err := r.users(ctx, reads)
	for _, read := range reads {
		one, exists := found[read.id]
		switch {
		case err != nil:
			read.end(err)
		case !exists:
			read.end(user.ErrNotFound)
		default:
			read.found = one
			read.end(nil)
		}
	}
}

func (r *Repository) users(ctx context.Context, reads []*read) (map[int64]user.User, error) {
	ids := make([]int64, len(reads))
	for i, read := range reads {
		ids[i] = read.id
	}
	rows, err := r.readPool.Query(ctx, getSQL, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]user.User, len(ids))
	var one user.User
	_, err = pgx.ForEachRow(rows, []any{&one.ID, &one.Name, &one.Email}, func() error {
		found[one.ID] = one
		return nil
	})
	return found, err
}
