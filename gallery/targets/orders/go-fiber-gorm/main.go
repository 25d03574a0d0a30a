// A service of orders on Fiber and GORM.
package main

import (
	"cmp"
	"context"
	"log"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

const stopTimeout = 8 * time.Second

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	db, err := openDatabase()
	if err != nil {
		return err
	}
	app := newApp(&store{db})
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- app.ShutdownWithTimeout(stopTimeout) })
	address := net.JoinHostPort(cmp.Or(os.Getenv("BIND"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "8080"))
	if err := app.Listen(address, fiber.ListenConfig{DisableStartupMessage: true}); err != nil {
		return err
	}
	return <-stopped
}

func openDatabase() (*gorm.DB, error) {
	size, err := strconv.Atoi(cmp.Or(os.Getenv("DB_POOL_SIZE"), "16"))
	if err != nil {
		return nil, err
	}
	// Errors are logged where they are answered.
	config := gorm.Config{TranslateError: true, Logger: logger.Default.LogMode(logger.Silent)}
	db, err := gorm.Open(postgres.Open(os.Getenv("DATABASE_URL")), &config)
	if err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return db, nil
}
