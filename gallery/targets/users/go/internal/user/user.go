// Package user is the core of the service: users, the rules that they keep, and the errors that break them.
package user

import "context"

// User is a stored user.
type User struct {
	ID          int64
	Name, Email string
}

// Change is an update: a nil field keeps its value.
type Change struct {
	Name, Email *string
}

// Query selects a page of the users that match a text; every user matches an empty one.
type Query struct {
	Text        string
	Page, Limit int64
}

// Page is the users of one page in order of their ids, and how many match in all.
type Page struct {
	Users []User
	Total int64
}

// Repository stores users. Its methods return ErrNotFound, ErrEmailTaken and ErrUnavailable, or the context's error. A
// change is stored when a method returns: every later read sees it, also after a crash where the store is durable.
type Repository interface {
	Create(ctx context.Context, name, email string) (int64, error)
	Get(ctx context.Context, id int64) (User, error)
	Update(ctx context.Context, id int64, change Change) error
	Delete(ctx context.Context, id int64) error
	List(ctx context.Context, query Query) (Page, error)
	// Healthy reports why the store cannot be used, or nil.
	Healthy(ctx context.Context) error
}
