package main

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
)

const maxLines = 20

var (
	statuses   = []string{"new", "paid", "shipped", "cancelled"}
	skuPattern = regexp.MustCompile(`\A[A-Z0-9-]{1,40}\z`)
)

type order struct {
	ID         int64     `json:"id"`
	CustomerID int64     `json:"customerId"`
	Status     string    `json:"status"`
	TotalCents int64     `json:"totalCents"`
	Version    int64     `json:"version"`
	CreatedAt  time.Time `json:"createdAt"`
}

type orderWithLines struct {
	order
	Lines []line `json:"lines"`
}

// A line; its members are pointers in requests alone, where one may be absent.
type line struct {
	SKU            string `json:"sku"`
	Quantity       *int64 `json:"quantity"`
	UnitPriceCents *int64 `json:"unitPriceCents"`
}

type newOrder struct {
	CustomerID *int64 `json:"customerId"`
	Lines      []line `json:"lines"`
}

type change struct {
	Status  string `json:"status"`
	Version *int64 `json:"version"`
}

type page struct {
	Items     []order `json:"items"`
	NextAfter *int64  `json:"nextAfter"`
}

type summary struct {
	CustomerID int64            `json:"customerId"`
	Name       string           `json:"name"`
	OrderCount int64            `json:"orderCount"`
	TotalCents int64            `json:"totalCents"`
	ByStatus   map[string]int64 `json:"byStatus"`
}

type listing struct {
	status          *string
	customer, after *int64
	limit           int64
}

func listingOf(query url.Values) (wanted listing, err error) {
	if status := query.Get("status"); query.Has("status") {
		if !slices.Contains(statuses, status) {
			return wanted, invalid("status: must be one of %v", statuses)
		}
		wanted.status = &status
	}
	limit := new(int64(20))
	for name, value := range map[string]**int64{"customer": &wanted.customer, "after": &wanted.after, "limit": &limit} {
		if number, err := strconv.ParseInt(query.Get(name), 10, 64); err == nil {
			*value = &number
		} else if query.Has(name) || name == "customer" {
			return wanted, invalid("%s: must be a whole number", name)
		}
	}
	wanted.limit = *limit
	return wanted, between("limit", limit, 1, 100)
}

func (o newOrder) check() error {
	if o.CustomerID == nil || len(o.Lines) < 1 || len(o.Lines) > maxLines {
		return invalid("a customerId and 1 to %d lines are required", maxLines)
	}
	for _, each := range o.Lines {
		if !skuPattern.MatchString(each.SKU) {
			return invalid("sku: must be 1 to 40 of A-Z, 0-9 and -")
		}
		quantity := between("quantity", each.Quantity, 1, 1_000)
		if err := cmp.Or(quantity, between("unitPriceCents", each.UnitPriceCents, 0, 10_000_000)); err != nil {
			return err
		}
	}
	return nil
}

func (o newOrder) totalCents() (total int64) {
	for _, each := range o.Lines {
		total += *each.Quantity * *each.UnitPriceCents
	}
	return total
}

func (c change) check() error {
	if c.Version == nil || !slices.Contains(statuses, c.Status) {
		return invalid("a version and a status of %v are required", statuses)
	}
	return nil
}

func between(name string, value *int64, low, high int64) error {
	if value == nil || *value < low || *value > high {
		return invalid("%s: must be %d to %d", name, low, high)
	}
	return nil
}
