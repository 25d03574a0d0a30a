package postgres

import (
	"context"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"grpc-user-service/internal/user"
)

// shortestIndexed is the number of characters from which the index can find a text.
const shortestIndexed = 3

// firstPage is the first page of all users, which a caller waits for.
type firstPage struct {
	call
	limit int64
	page  user.Page
}

// List returns a page of the users that match. Concurrent calls for the first page of all users share a statement.
func (r *Repository) List(ctx context.Context, query user.Query) (user.Page, error) {
	text, offset := user.Folded(query.Text), query.Offset()
	switch {
	case text == "" && offset == 0:
		return r.first(ctx, query.Limit)
	case text == "":
		return r.page(ctx, query.Limit, listPageSQL, offset)
	case utf8.RuneCountInString(text) < shortestIndexed:
		return r.page(ctx, query.Limit, searchShortSQL, text, offset)
	default:
		return r.page(ctx, query.Limit, searchSQL, text, offset)
	}
}

func (r *Repository) first(ctx context.Context, limit int64) (user.Page, error) {
	wanted := &firstPage{call: newCall(ctx), limit: limit}
	if err := r.firsts.do(wanted); err != nil {
		return user.Page{}, err
	}
	if err := wanted.outcome(); err != nil {
		return user.Page{}, err
	}
	return wanted.page, nil
}

// fetchFirst ends all calls with the first users of the longest page.
func (r *Repository) fetchFirst(ctx context.Context, pages []*firstPage) {
	var longest int64
	for _, wanted := range pages {
		longest = max(longest, wanted.limit)
	}
	page, err := r.page(ctx, longest, listFirstSQL)
	for _, wanted := range pages {
		length := min(len(page.Users), int(wanted.limit))
		wanted.page = user.Page{Users: page.Users[:length:length], Total: page.Total}
		wanted.end(err)
	}
}

// page runs a statement for a page, whose last argument is the limit.
func (r *Repository) page(ctx context.Context, limit int64, statement string, arguments ...any) (user.Page, error) {
	rows, err := r.readPool.Query(ctx, statement, append(arguments, limit)...)
	if err != nil {
		return user.Page{}, fault(err)
	}
	page := user.Page{Users: make([]user.User, 0, limit)}
	var id *int64
	var name, email *string
	_, err = pgx.ForEachRow(rows, []any{&page.Total, &id, &name, &email}, func() error {
		if id != nil {
			page.Users = append(page.Users, user.User{ID: *id, Name: *name, Email: *email})
		}
		return nil
	})
	return page, fault(err)
}
