package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	columns             = "id, customer_id, status, total_cents, version, created_at"
	foreignKeyViolation = "23503"
)

var (
	errInvalid  = errors.New("invalid")
	errNotFound = errors.New("not found")
	errConflict = errors.New("the order has another version")
)

type store struct{ pool *pgxpool.Pool }

func (s *store) ping(ctx context.Context) error {
	return s.pool.Ping(ctx)
}

func (s *store) create(ctx context.Context, wanted newOrder) (created order, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "INSERT INTO orders (customer_id, total_cents) VALUES ($1, $2) RETURNING "+columns,
			wanted.CustomerID, wanted.totalCents())
		if err != nil {
			return err
		}
		if created, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[order]); err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"order_lines"},
			[]string{"order_id", "position", "sku", "quantity", "unit_price_cents"},
			pgx.CopyFromSlice(len(wanted.Lines), func(i int) ([]any, error) {
				each := wanted.Lines[i]
				return []any{created.ID, i + 1, each.SKU, each.Quantity, each.UnitPriceCents}, nil
			}))
		return err
	})
	if found := new(pgconn.PgError); errors.As(err, &found) && found.Code == foreignKeyViolation {
		return created, invalid("customerId: no such customer")
	}
	return created, err
}

func (s *store) get(ctx context.Context, id int64) (found orderWithLines, err error) {
	rows, err := s.pool.Query(ctx, "SELECT "+columns+" FROM orders WHERE id = $1", id)
	if err != nil {
		return found, err
	}
	if found.order, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[order]); err != nil {
		return found, orNotFound(err)
	}
	rows, err = s.pool.Query(ctx, "SELECT sku, quantity, unit_price_cents FROM order_lines WHERE order_id = $1 ORDER BY position", id)
	if err != nil {
		return found, err
	}
	found.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[line])
	return found, err
}

func (s *store) update(ctx context.Context, id int64, wanted change) (order, error) {
	rows, err := s.pool.Query(ctx, "UPDATE orders SET status = $3, version = version + 1 WHERE id = $1 AND version = $2::bigint RETURNING "+columns,
		id, wanted.Version, wanted.Status)
	if err != nil {
		return order{}, err
	}
	updated, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[order])
	if !errors.Is(err, pgx.ErrNoRows) {
		return updated, err
	}
	var exists bool
	if err := s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM orders WHERE id = $1)", id).Scan(&exists); err != nil {
		return order{}, err
	}
	if exists {
		return order{}, errConflict
	}
	return order{}, errNotFound
}

// The database deletes the lines with their order.
func (s *store) remove(ctx context.Context, id int64) error {
	deleted, err := s.pool.Exec(ctx, "DELETE FROM orders WHERE id = $1", id)
	if err == nil && deleted.RowsAffected() == 0 {
		return errNotFound
	}
	return err
}

func (s *store) list(ctx context.Context, wanted listing) ([]order, error) {
	query, arguments := "SELECT "+columns+" FROM orders WHERE customer_id = @customer", pgx.NamedArgs{"customer": wanted.customer, "limit": wanted.limit}
	if wanted.status != nil {
		query, arguments["status"] = query+" AND status = @status", *wanted.status
	}
	if wanted.after != nil {
		query, arguments["after"] = query+" AND id < @after", *wanted.after
	}
	rows, err := s.pool.Query(ctx, query+" ORDER BY id DESC LIMIT @limit", arguments)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[order])
}

func (s *store) summarise(ctx context.Context, id int64) (summary, error) {
	found := summary{CustomerID: id, ByStatus: map[string]int64{}}
	for _, status := range statuses {
		found.ByStatus[status] = 0
	}
	if err := s.pool.QueryRow(ctx, "SELECT name FROM customers WHERE id = $1", id).Scan(&found.Name); err != nil {
		return found, orNotFound(err)
	}
	rows, err := s.pool.Query(ctx, "SELECT status, count(*), sum(total_cents)::bigint FROM orders WHERE customer_id = $1 GROUP BY status", id)
	if err != nil {
		return found, err
	}
	var status string
	var count, total int64
	_, err = pgx.ForEachRow(rows, []any{&status, &count, &total}, func() error {
		found.ByStatus[status] = count
		found.OrderCount += count
		found.TotalCents += total
		return nil
	})
	return found, err
}

func orNotFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errNotFound
	}
	return err
}
