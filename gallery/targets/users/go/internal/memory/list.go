package memory

import (
	"context"

	"grpc-user-service/internal/user"
)

// checkEvery is how many blocks a search looks at before it looks whether its caller still waits.
const checkEvery = 16

// List returns a page of the users that match.
func (r *Repository) List(ctx context.Context, query user.Query) (user.Page, error) {
	if err := ctx.Err(); err != nil {
		return user.Page{}, err
	}
	if query.Text == "" {
		return r.page(query), nil
	}
	return r.search(ctx, query)
}

// page skips whole blocks by their counts, so that a far page costs about as much as the first one.
func (r *Repository) page(query user.Query) user.Page {
	page := user.Page{Total: r.total.Load(), Users: make([]user.User, 0, query.Limit)}
	skip := query.Offset()
	for _, block := range *r.blocks.Load() {
		if count := block.count.Load(); count <= skip {
			skip -= count
			continue
		}
		for i := range block.users {
			found := block.users[i].Load()
			switch {
			case found == nil:
			case skip > 0:
				skip--
			default:
				page.Users = append(page.Users, *found)
				if int64(len(page.Users)) == query.Limit {
					return page
				}
			}
		}
	}
	return page
}

// search looks at every user, since the total is exact.
func (r *Repository) search(ctx context.Context, query user.Query) (user.Page, error) {
	page := user.Page{Users: []user.User{}}
	text, skip := user.Folded(query.Text), query.Offset()
	for number, block := range *r.blocks.Load() {
		if number%checkEvery == 0 && ctx.Err() != nil {
			return user.Page{}, ctx.Err()
		}
		for i := range block.users {
			found := block.users[i].Load()
			if found == nil || !found.Matches(text) {
				continue
			}
			if page.Total >= skip && int64(len(page.Users)) < query.Limit {
				page.Users = append(page.Users, *found)
			}
			page.Total++
		}
	}
	return page, nil
}
