package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/user"
)

// sorted are writes by kind, in an order in which concurrent transactions wait for each other without a deadlock.
type sorted [deletes + 1][]*write

func sort(writes []*write) sorted {
	var by sorted
	for _, write := range writes {
		by[write.kind] = append(by[write.kind], write)
	}
	slices.SortStableFunc(by[creates], func(a, b *write) int { return cmp.Compare(*a.email, *b.email) })
	for _, changes := range [][]*write{by[updates], by[deletes]} {
		slices.SortFunc(changes, func(a, b *write) int { return cmp.Compare(a.id, b.id) })
	}
	return by
}

// transaction stores all writes in one transaction, sent as one batch, and returns the outcome of each. With an error
// nothing is stored, or nothing is known of it where the connection was lost.
func (r *Repository) transaction(ctx context.Context, writes []*write) (map[*write]error, error) {
	by := sort(writes)
	batch := new(pgx.Batch)
	outcomes := make(map[*write]error, len(writes))
	queueCreates(batch, by[creates], outcomes)
	queueChanges(batch, updateSQL, by[updates], outcomes)
	queueChanges(batch, deleteSQL, by[deletes], outcomes)
	// Without an explicit transaction a batch is one; Close returns the error of its commit.
	return outcomes, r.pool.SendBatch(ctx, batch).Close()
}

func queueCreates(batch *pgx.Batch, writes []*write, outcomes map[*write]error) {
	if len(writes) == 0 {
		return
	}
	names, emails := make([]string, len(writes)), make([]string, len(writes))
	byEmail := make(map[string]*write, len(writes))
	for i, write := range writes {
		names[i], emails[i] = *write.name, *write.email
		outcomes[write] = user.ErrEmailTaken
		// Of several with one address the first one is stored.
		if _, known := byEmail[emails[i]]; !known {
			byEmail[emails[i]] = write
		}
	}
	batch.Queue(createSQL, names, emails).Query(func(rows pgx.Rows) error {
		var id int64
		var email string
		_, err := pgx.ForEachRow(rows, []any{&id, &email}, func() error {
			byEmail[email].id = id
			outcomes[byEmail[email]] = nil
			return nil
		})
		return err
	})
}

func queueChanges(batch *pgx.Batch, statement string, writes []*write, outcomes map[*write]error) {
	if len(writes) == 0 {
		return
	}
	ids := make([]int64, len(writes))
	names, emails := make([]*string, len(writes)), make([]*string, len(writes))
	byID := make(map[int64]*write, len(writes))
	for i, write := range writes {
		ids[i], names[i], emails[i] = write.id, write.name, write.email
		outcomes[write] = user.ErrNotFound
		byID[write.id] = write
	}
	arguments := []any{ids}
	if writes[0].kind == updates {
		arguments = append(arguments, names, emails)
	}
	batch.Queue(statement, arguments...).Query(func(rows pgx.Rows) error {
		var id int64
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			outcomes[byID[id]] = nil
			return nil
		})
		return err
	})
}
