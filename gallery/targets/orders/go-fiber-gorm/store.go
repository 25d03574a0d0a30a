package main

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

const healthTimeout = 2 * time.Second

var (
	errNoCustomer = fiber.NewError(fiber.StatusBadRequest, "customerId: no such customer")
	errConflict   = fiber.NewError(fiber.StatusConflict, "the order has another version")
)

type store struct{ db *gorm.DB }

func (s *store) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	return s.db.WithContext(ctx).Exec("SELECT 1").Error
}

// GORM stores the order and its lines in one transaction.
func (s *store) create(ctx context.Context, wanted newOrder) (order, error) {
	created := order{CustomerID: wanted.CustomerID, Lines: wanted.Lines}
	for index := range created.Lines {
		each := &created.Lines[index]
		each.Position = index + 1
		created.TotalCents += each.Quantity * *each.UnitPriceCents
	}
	err := s.db.WithContext(ctx).Create(&created).Error
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return created, errNoCustomer
	}
	return created, err
}

func (s *store) get(ctx context.Context, id int64) (found order, err error) {
	byPosition := func(lines *gorm.DB) *gorm.DB { return lines.Order("position") }
	err = s.db.WithContext(ctx).Preload("Lines", byPosition).Take(&found, id).Error
	return found, orNotFound(err)
}

// A version may exceed the column's 32 bits: no order has it.
func (s *store) update(ctx context.Context, id int64, wanted change) (updated order, err error) {
	db := s.db.WithContext(ctx)
	result := db.Model(&updated).Clauses(clause.Returning{}).
		Where("id = ? AND version = CAST(? AS bigint)", id, wanted.Version).
		Updates(map[string]any{"status": wanted.Status, "version": gorm.Expr("version + 1")})
	if result.Error != nil || result.RowsAffected > 0 {
		return updated, result.Error
	}
	if err := db.Select("id").Take(&updated, id).Error; err != nil {
		return updated, orNotFound(err)
	}
	return updated, errConflict
}

// The database deletes the lines with their order.
func (s *store) remove(ctx context.Context, id int64) error {
	result := s.db.WithContext(ctx).Delete(&order{}, id)
	if result.Error == nil && result.RowsAffected == 0 {
		return fiber.ErrNotFound
	}
	return result.Error
}

func (s *store) list(ctx context.Context, wanted listing) (found []order, err error) {
	query := s.db.WithContext(ctx).Where("customer_id = ?", wanted.Customer)
	if wanted.Status != nil {
		query = query.Where("status = ?", wanted.Status)
	}
	if wanted.After != nil {
		query = query.Where("id < ?", wanted.After)
	}
	err = query.Order("id DESC").Limit(wanted.Limit).Find(&found).Error
	return found, err
}

func (s *store) summarise(ctx context.Context, id int64) (summary, error) {
	found := summary{CustomerID: id, ByStatus: map[string]int64{"new": 0, "paid": 0, "shipped": 0, "cancelled": 0}}
	db := s.db.WithContext(ctx)
	var named customer
	if err := db.Take(&named, id).Error; err != nil {
		return found, orNotFound(err)
	}
	var totals []statusTotals
	err := db.Model(&order{}).Where("customer_id = ?", id).Group("status").
		Select("status, count(*) AS orders, sum(total_cents)::bigint AS total_cents").Scan(&totals).Error
	found.Name = named.Name
	for _, each := range totals {
		found.ByStatus[each.Status] = each.Orders
		found.OrderCount += each.Orders
		found.TotalCents += each.TotalCents
	}
	return found, err
}

func orNotFound(err error) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return fiber.ErrNotFound
	}
	return err
}
