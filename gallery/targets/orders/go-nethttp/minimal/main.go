// The least that answers one operation of the contract, with the statements of the target beside it: an order by its
// id. side-by-side/minimal-orders.toml compares both.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type line struct {
	SKU            string `json:"sku"`
	Quantity       int32  `json:"quantity"`
	UnitPriceCents int32  `json:"unitPriceCents"`
}

type order struct {
	ID         int64     `json:"id"`
	CustomerID int64     `json:"customerId"`
	Status     string    `json:"status"`
	TotalCents int64     `json:"totalCents"`
	Version    int32     `json:"version"`
	CreatedAt  time.Time `json:"createdAt"`
	Lines      []line    `json:"lines" db:"-"`
}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		found, err := get(r.Context(), pool, r.PathValue("id"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(found); err != nil {
			log.Print(err)
		}
	})
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}

func get(ctx context.Context, pool *pgxpool.Pool, id string) (found order, err error) {
	rows, err := pool.Query(ctx, "SELECT id, customer_id, status, total_cents, version, created_at FROM orders WHERE id = $1", id)
	if err != nil {
		return found, err
	}
	if found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[order]); err != nil {
		return found, err
	}
	rows, err = pool.Query(ctx, "SELECT sku, quantity, unit_price_cents FROM order_lines WHERE order_id = $1 ORDER BY position", id)
	if err != nil {
		return found, err
	}
	found.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[line])
	return found, err
}
