package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/go-playground/validator/v10"
	"github.com/gofiber/fiber/v3"
)

type api struct{ store *store }

func newApp(store *store, config fiber.Config) *fiber.App {
	a := api{store}
	config.StructValidator, config.ErrorHandler = newRules(), sendProblem
	app := fiber.New(config)
	app.Post("/orders", a.create)
	app.Get("/orders", a.list)
	// A text that is no id names nothing: the constraint leads to 404.
	app.Get("/orders/:id<int>", a.get)
	app.Patch("/orders/:id<int>", a.update)
	app.Delete("/orders/:id<int>", a.remove)
	app.Get("/customers/:id<int>/summary", a.summarise)
	app.Get("/healthz", a.health)
	return app
}

func (a api) create(c fiber.Ctx) error {
	var wanted newOrder
	if err := c.Bind().WithAutoHandling().JSON(&wanted); err != nil {
		return err
	}
	created, err := a.store.create(c.Context(), wanted)
	if err != nil {
		return err
	}
	c.Location(fmt.Sprintf("/orders/%d", created.ID))
	return c.Status(fiber.StatusCreated).JSON(created)
}

func (a api) get(c fiber.Ctx) error {
	found, err := a.store.get(c.Context(), fiber.Params[int64](c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(found)
}

func (a api) update(c fiber.Ctx) error {
	var wanted change
	if err := c.Bind().WithAutoHandling().JSON(&wanted); err != nil {
		return err
	}
	updated, err := a.store.update(c.Context(), fiber.Params[int64](c, "id"), wanted)
	if err != nil {
		return err
	}
	return c.JSON(updated)
}

func (a api) remove(c fiber.Ctx) error {
	if err := a.store.remove(c.Context(), fiber.Params[int64](c, "id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

func (a api) list(c fiber.Ctx) error {
	var wanted listing
	if err := c.Bind().WithAutoHandling().Query(&wanted); err != nil {
		return err
	}
	found, err := a.store.list(c.Context(), wanted)
	if err != nil {
		return err
	}
	result := page{Items: found}
	if len(found) == wanted.Limit {
		result.NextAfter = &found[len(found)-1].ID
	}
	return c.JSON(result)
}

func (a api) summarise(c fiber.Ctx) error {
	found, err := a.store.summarise(c.Context(), fiber.Params[int64](c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(found)
}

func (a api) health(c fiber.Ctx) error {
	return a.store.ping(c.Context())
}

func sendProblem(c fiber.Ctx, err error) error {
	found, known := errors.AsType[*fiber.Error](err)
	if !known {
		slog.Error("request failed", "method", c.Method(), "path", c.Path(), "error", err)
		found = fiber.NewError(fiber.StatusServiceUnavailable, "the order could not be processed")
	}
	body := fiber.Map{"title": http.StatusText(found.Code), "status": found.Code, "detail": found.Message}
	return c.Status(found.Code).JSON(body, "application/problem+json")
}

// The rules of the structs' tags, and that of a SKU.
type rules struct{ validate *validator.Validate }

var skuPattern = regexp.MustCompile(`\A[A-Z0-9-]{1,40}\z`)

func newRules() rules {
	validate := validator.New()
	isSKU := func(field validator.FieldLevel) bool { return skuPattern.MatchString(field.Field().String()) }
	if err := validate.RegisterValidation("sku", isSKU); err != nil {
		panic(err)
	}
	return rules{validate}
}

func (r rules) Validate(wanted any) error {
	if err := r.validate.Struct(wanted); err != nil {
		return fiber.NewError(fiber.StatusBadRequest, err.Error())
	}
	return nil
}
