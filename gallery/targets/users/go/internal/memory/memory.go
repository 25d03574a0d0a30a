// Package memory stores users in memory: reads take no lock, and no operation slows down as users grow.
package memory

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"grpc-user-service/internal/user"
)

const (
	blockBits = 10
	blockSize = 1 << blockBits
	shards    = 64
)

// block holds the users of blockSize ids, one after another.
type block struct {
	users [blockSize]atomic.Pointer[user.User]
	count atomic.Int64
}

// emails are the ids of users by e-mail address, of a part of all addresses.
type emails struct {
	sync.Mutex
	ids map[string]int64
}

// Repository is a user.Repository.
type Repository struct {
	seed   maphash.Seed
	lastID atomic.Int64
	total  atomic.Int64
	// blocks is replaced by a longer copy when ids need one more block.
	blocks  atomic.Pointer[[]*block]
	growing sync.Mutex
	emails  [shards]emails
	// changing makes changes of one user wait for each other. It is locked before emails.
	changing [shards]sync.Mutex
}

// New returns a repository without users.
func New() *Repository {
	r := &Repository{seed: maphash.MakeSeed()}
	r.blocks.Store(new([]*block))
	for i := range r.emails {
		r.emails[i].ids = make(map[string]int64)
	}
	return r
}

// Create stores a new user and returns its id.
func (r *Repository) Create(ctx context.Context, name, email string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	part := r.emailsOf(email)
	part.Lock()
	defer part.Unlock()
	if _, taken := part.ids[email]; taken {
		return 0, user.ErrEmailTaken
	}
	id := r.lastID.Add(1)
	part.ids[email] = id
	block := r.blockFor(id)
	block.users[id%blockSize].Store(&user.User{ID: id, Name: name, Email: email})
	block.count.Add(1)
	r.total.Add(1)
	return id, nil
}

// Get returns the user with this id.
func (r *Repository) Get(ctx context.Context, id int64) (user.User, error) {
	if err := ctx.Err(); err != nil {
		return user.User{}, err
	}
	if found := r.find(id); found != nil {
		return *found, nil
	}
	return user.User{}, user.ErrNotFound
}

// Update changes a user.
func (r *Repository) Update(ctx context.Context, id int64, change user.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	changing := &r.changing[id%shards]
	changing.Lock()
	defer changing.Unlock()
	found := r.find(id)
	if found == nil {
		return user.ErrNotFound
	}
	changed := *found
	if change.Name != nil {
		changed.Name = *change.Name
	}
	if change.Email != nil && *change.Email != found.Email {
		if !r.move(id, found.Email, *change.Email) {
			return user.ErrEmailTaken
		}
		changed.Email = *change.Email
	}
	r.blockFor(id).users[id%blockSize].Store(&changed)
	return nil
}

// Delete removes a user.
func (r *Repository) Delete(ctx context.Context, id int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	changing := &r.changing[id%shards]
	changing.Lock()
	defer changing.Unlock()
	found := r.find(id)
	if found == nil {
		return user.ErrNotFound
	}
	part := r.emailsOf(found.Email)
	part.Lock()
	defer part.Unlock()
	delete(part.ids, found.Email)
	block := r.blockFor(id)
	block.users[id%blockSize].Store(nil)
	block.count.Add(-1)
	r.total.Add(-1)
	return nil
}

// Healthy returns nil: memory is always there.
func (r *Repository) Healthy(context.Context) error { return nil }

// find returns nil where there is no user with this id.
func (r *Repository) find(id int64) *user.User {
	blocks := *r.blocks.Load()
	if number := id >> blockBits; number >= 0 && number < int64(len(blocks)) {
		return blocks[number].users[id%blockSize].Load()
	}
	return nil
}

// blockFor returns the block of an id, which it makes if there is none.
func (r *Repository) blockFor(id int64) *block {
	number := int(id >> blockBits)
	if blocks := *r.blocks.Load(); number < len(blocks) {
		return blocks[number]
	}
	r.growing.Lock()
	defer r.growing.Unlock()
	blocks := *r.blocks.Load()
	if number >= len(blocks) {
		longer := append(make([]*block, 0, number+1), blocks...)
		for len(longer) <= number {
			longer = append(longer, new(block))
		}
		blocks = longer
		r.blocks.Store(&blocks)
	}
	return blocks[number]
}

// move gives a user another e-mail address, and reports whether no other user has it.
func (r *Repository) move(id int64, from, to string) bool {
	first, second := r.shard(from), r.shard(to)
	if first > second {
		first, second = second, first
	}
	r.emails[first].Lock()
	defer r.emails[first].Unlock()
	if second != first {
		r.emails[second].Lock()
		defer r.emails[second].Unlock()
	}
	if _, taken := r.emailsOf(to).ids[to]; taken {
		return false
	}
	delete(r.emailsOf(from).ids, from)
	r.emailsOf(to).ids[to] = id
	return true
}

func (r *Repository) shard(email string) int {
	return int(maphash.String(r.seed, email) % shards)
}

func (r *Repository) emailsOf(email string) *emails { return &r.emails[r.shard(email)] }
