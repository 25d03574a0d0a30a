package main

import "time"

type customer struct {
	ID   int64
	Name string
}

type order struct {
	ID         int64       `json:"id"`
	CustomerID int64       `json:"customerId"`
	Status     string      `json:"status" gorm:"default:new"`
	TotalCents int64       `json:"totalCents"`
	Version    int64       `json:"version" gorm:"default:1"`
	CreatedAt  time.Time   `json:"createdAt" gorm:"autoCreateTime:false;default:now()"`
	Lines      []orderLine `json:"lines,omitempty"`
}

// A line as it is stored, and as requests and replies show it; a price of 0 is not an absent one.
type orderLine struct {
	ID             int64  `json:"-"`
	OrderID        int64  `json:"-"`
	Position       int    `json:"-"`
	SKU            string `json:"sku" validate:"sku"`
	Quantity       int64  `json:"quantity" validate:"min=1,max=1000"`
	UnitPriceCents *int64 `json:"unitPriceCents" validate:"required,min=0,max=10000000"`
}

type newOrder struct {
	CustomerID int64       `json:"customerId" validate:"required"`
	Lines      []orderLine `json:"lines" validate:"min=1,max=20,dive"`
}

type change struct {
	Status  string `json:"status" validate:"oneof=new paid shipped cancelled"`
	Version *int64 `json:"version" validate:"required"`
}

type listing struct {
	Customer *int64  `query:"customer" validate:"required"`
	Status   *string `query:"status" validate:"omitnil,oneof=new paid shipped cancelled"`
	After    *int64  `query:"after"`
	Limit    int     `query:"limit,default:20" validate:"min=1,max=100"`
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

type statusTotals struct {
	Status             string
	Orders, TotalCents int64
}
