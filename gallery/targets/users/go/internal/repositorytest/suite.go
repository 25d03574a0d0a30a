// Package repositorytest is what every repository must do: one suite, many implementations.
package repositorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grpc-user-service/internal/user"
)

// Run runs the suite on a repository without users.
func Run(t *testing.T, users user.Repository) {
	t.Run("changes", func(t *testing.T) { changes(t, users) })
	t.Run("one of 64 gets an address", func(t *testing.T) { raced(t, users) })
	t.Run("pages", func(t *testing.T) { pages(t, users) })
	t.Run("first pages at once", func(t *testing.T) { firstPages(t, users) })
	t.Run("a deadline that has passed", func(t *testing.T) { late(t, users) })
}

func changes(t *testing.T, users user.Repository) {
	ctx := t.Context()
	id := create(t, users, "Ada Moreau", "changes@example.org")
	name := "Grace Silva"
	expect(t, users.Update(ctx, id, user.Change{Name: &name}), nil)
	found, err := users.Get(ctx, id)
	expect(t, err, nil)
	if want := (user.User{ID: id, Name: name, Email: "changes@example.org"}); found != want {
		t.Errorf("got %v, want %v", found, want)
	}
	other := create(t, users, "Alan Novak", "changes-2@example.org")
	taken := "changes@example.org"
	expect(t, users.Update(ctx, other, user.Change{Email: &taken}), user.ErrEmailTaken)
	expect(t, users.Delete(ctx, id), nil)
	expect(t, users.Delete(ctx, id), user.ErrNotFound)
	expect(t, users.Update(ctx, id, user.Change{Name: &name}), user.ErrNotFound)
	_, err = users.Get(ctx, id)
	expect(t, err, user.ErrNotFound)
	expect(t, users.Update(ctx, other, user.Change{Email: &taken}), nil)
	expect(t, users.Delete(ctx, other), nil)
}

// raced has 64 callers compete for one address, by creating and by changing.
func raced(t *testing.T, users user.Repository) {
	const callers = 64
	ctx, address := t.Context(), "raced@example.org"
	rivals := make([]int64, callers/2)
	for i := range rivals {
		rivals[i] = create(t, users, "Rival of all", fmt.Sprintf("rival-%d@example.org", i))
	}
	errs := make(chan error, callers)
	var ready sync.WaitGroup
	begin := make(chan struct{})
	for i := range callers {
		ready.Add(1)
		go func() {
			ready.Done()
			<-begin
			if i < len(rivals) {
				errs <- users.Update(ctx, rivals[i], user.Change{Email: &address})
				return
			}
			_, err := users.Create(ctx, "Rival of all", address)
			errs <- err
		}()
	}
	ready.Wait()
	close(begin)
	won := 0
	for range callers {
		if err := <-errs; err == nil {
			won++
		} else {
			expect(t, err, user.ErrEmailTaken)
		}
	}
	page, err := users.List(ctx, user.Query{Text: address, Page: 1, Limit: 100})
	expect(t, err, nil)
	if won != 1 || page.Total != 1 {
		t.Errorf("%d callers won, and %d users have the address: want 1", won, page.Total)
	}
}

// pages compares every page with the users in order, where many have been deleted.
func pages(t *testing.T, users user.Repository) {
	const many = 3000
	ctx := t.Context()
	var made sync.WaitGroup
	for worker := range 30 {
		made.Go(func() {
			for i := range many / 30 {
				id, err := users.Create(ctx, "Paged user", fmt.Sprintf("paged-%d-%d@example.org", worker, i))
				if err == nil && i%3 == 0 {
					err = users.Delete(ctx, id)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	made.Wait()
	for _, text := range []string{"", "PAGED-"} {
		var last, count int64
		for page := int64(1); ; page++ {
			got, err := users.List(ctx, user.Query{Text: text, Page: page, Limit: 100})
			expect(t, err, nil)
			for _, one := range got.Users {
				if one.ID <= last {
					t.Fatalf("user %d follows %d", one.ID, last)
				}
				last = one.ID
				count++
			}
			if len(got.Users) < 100 {
				if count != got.Total {
					t.Errorf("%q: %d users on all pages, but a total of %d", text, count, got.Total)
				}
				break
			}
		}
	}
}

// firstPages asks for pages of every length at once, while users are created: each has the first users and no others, and
// a total that counts every user whose creation had ended.
func firstPages(t *testing.T, users user.Repository) {
	ctx := t.Context()
	longest, err := users.List(ctx, user.Query{Page: 1, Limit: 100})
	expect(t, err, nil)
	var created atomic.Int64
	var calls sync.WaitGroup
	for limit := range int64(100) {
		calls.Go(func() {
			if _, err := users.Create(ctx, "Listed later", fmt.Sprintf("listed-%d@example.org", limit)); err != nil {
				t.Error(err)
			}
			least := longest.Total + created.Add(1)
			page, err := users.List(ctx, user.Query{Page: 1, Limit: limit + 1})
			if err != nil || page.Total < least || !slices.Equal(page.Users, longest.Users[:limit+1]) {
				t.Errorf("%d users requested, got %d of %d, %v", limit+1, len(page.Users), page.Total, err)
			}
		})
	}
	calls.Wait()
}

func late(t *testing.T, users user.Repository) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := users.Get(ctx, 1)
	expect(t, err, context.DeadlineExceeded)
	_, err = users.Create(ctx, "Too late", "late@example.org")
	expect(t, err, context.DeadlineExceeded)
	_, err = users.List(ctx, user.Query{Page: 1, Limit: 10})
	expect(t, err, context.DeadlineExceeded)
}

func create(t *testing.T, users user.Repository, name, email string) int64 {
	t.Helper()
	id, err := users.Create(t.Context(), name, email)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func expect(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got the error %v, want %v", got, want)
	}
}
