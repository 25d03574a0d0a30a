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

type store struct{ pool *pgxpool.Pool }

type identity struct{ ID int64 }

func (s *store) create(ctx context.Context, wanted newOrder) (created order, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		created, err = one[order](ctx, tx, "INSERT INTO orders (customer_id, total_cents) VALUES ($1, $2) RETURNING "+columns,
			wanted.CustomerID, wanted.totalCents())
		if err != nil {
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
	if found, is := errors.AsType[*pgconn.PgError](err); is && found.Code == foreignKeyViolation {
		return created, invalid("customerId: no such customer")
	}
	return created, err
}

func (s *store) get(ctx context.Context, id int64) (found orderWithLines, err error) {
	if found.order, err = one[order](ctx, s.pool, "SELECT "+columns+" FROM orders WHERE id = $1", id); err != nil {
		return found, err
	}
	found.Lines, err = all[line](ctx, s.pool,
		"SELECT sku, quantity, unit_price_cents FROM order_lines WHERE order_id = $1 ORDER BY position", id)
	return found, err
}

func (s *store) update(ctx context.Context, id int64, wanted change) (order, error) {
	updated, err := one[order](ctx, s.pool,
		"UPDATE orders SET status = $3, version = version + 1 WHERE id = $1 AND version = $2::bigint RETURNING "+columns,
		id, wanted.Version, wanted.Status)
	if err != errNotFound {
		return updated, err
	}
	if _, err := one[identity](ctx, s.pool, "SELECT id FROM orders WHERE id = $1", id); err != nil {
		return updated, err
	}
	return updated, errConflict
}

// The database deletes the lines with their order.
func (s *store) remove(ctx context.Context, id int64) (identity, error) {
	return one[identity](ctx, s.pool, "DELETE FROM orders WHERE id = $1 RETURNING id", id)
}

func (s *store) list(ctx context.Context, wanted listing) ([]order, error) {
	query := "SELECT " + columns + " FROM orders WHERE customer_id = @customer"
	if wanted.status != nil {
		query += " AND status = @status"
	}
	if wanted.after != nil {
		query += " AND id < @after"
	}
	return all[order](ctx, s.pool, query+" ORDER BY id DESC LIMIT @limit", pgx.NamedArgs{
		"customer": wanted.customer, "status": wanted.status, "after": wanted.after, "limit": wanted.limit,
	})
}

func (s *store) summarise(ctx context.Context, id int64) (summary, error) {
	found := summary{CustomerID: id, ByStatus: map[string]int64{"new": 0, "paid": 0, "shipped": 0, "cancelled": 0}}
	customer, err := one[struct{ Name string }](ctx, s.pool, "SELECT name FROM customers WHERE id = $1", id)
	if err != nil {
		return found, err
	}
	found.Name = customer.Name
	totals, err := all[struct {
		Status        string
		Orders, Cents int64
	}](ctx, s.pool,
		"SELECT status, count(*), sum(total_cents)::bigint FROM orders WHERE customer_id = $1 GROUP BY status", id)
	for _, each := range totals {
		found.ByStatus[each.Status] = each.Orders
		found.OrderCount += each.Orders
		found.TotalCents += each.Cents
	}
	return found, err
}

type querier interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
}

// An error of Query is that of the rows as well, where the collecting functions return it.
func all[T any](ctx context.Context, from querier, sql string, arguments ...any) ([]T, error) {
	rows, _ := from.Query(ctx, sql, arguments...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

func one[T any](ctx context.Context, from querier, sql string, arguments ...any) (T, error) {
	rows, _ := from.Query(ctx, sql, arguments...)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return found, errNotFound
	}
	return found, err
}
