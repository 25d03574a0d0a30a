package main

import (
	"fmt"
	"regexp"
	"slices"
	"time"
)

const (
	maxLines          = 20
	maxQuantity       = 1000
	maxUnitPriceCents = 10_000_000
	defaultLimit      = 20
	maxLimit          = 100
)

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
	customer int64
	status   *string
	after    *int64
	limit    int64
}

func (o newOrder) check() error {
	if o.CustomerID == nil {
		return invalid("customerId: required")
	}
	if len(o.Lines) < 1 || len(o.Lines) > maxLines {
		return invalid("lines: must have 1 to %d elements", maxLines)
	}
	for index, each := range o.Lines {
		switch {
		case !skuPattern.MatchString(each.SKU):
			return invalid("lines/%d/sku: must be 1 to 40 of A-Z, 0-9 and -", index)
		case !within(each.Quantity, 1, maxQuantity):
			return invalid("lines/%d/quantity: must be 1 to %d", index, maxQuantity)
		case !within(each.UnitPriceCents, 0, maxUnitPriceCents):
			return invalid("lines/%d/unitPriceCents: must be 0 to %d", index, maxUnitPriceCents)
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
	if !slices.Contains(statuses, c.Status) {
		return invalid("status: must be one of %v", statuses)
	}
	if c.Version == nil {
		return invalid("version: required")
	}
	return nil
}

func within(value *int64, low, high int64) bool {
	return value != nil && low <= *value && *value <= high
}

func invalid(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", errInvalid, fmt.Sprintf(format, arguments...))
}
