package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/user"
)

// read is a user that a caller waits for.
type read struct {
	call
	id    int64
	found user.User
}

// Get returns the user with this id. Concurrent calls share a statement.
func (r *Repository) Get(ctx context.Context, id int64) (user.User, error) {
	wanted := &read{call: newCall(ctx), id: id}
	if err := r.reads.do(wanted); err != nil {
		return user.User{}, err
	}
	if err := wanted.outcome(); err != nil {
		return user.User{}, err
	}
	return wanted.found, nil
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
