// A service of orders on Fiber and GORM.
package main

import (
	"cmp"
	"context"
	"fmt"
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

const (
	stopTimeout  = 8 * time.Second
	replyTimeout = time.Minute
	maxBodyBytes = 64 << 10
	// As many goroutines: fasthttp keeps one for each connection.
	maxConnections = 8192
)

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
	config := fiber.Config{
		BodyLimit: maxBodyBytes, Concurrency: maxConnections,
		ReadTimeout: time.Minute, WriteTimeout: replyTimeout, IdleTimeout: time.Minute,
	}
	if err := readTimeouts(map[string]*time.Duration{
		"READ_TIMEOUT": &config.ReadTimeout,
		"IDLE_TIMEOUT": &config.IdleTimeout,
	}); err != nil {
		return err
	}
	app := newApp(&store{db}, config)
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- app.ShutdownWithTimeout(stopTimeout) })
	address := net.JoinHostPort(cmp.Or(os.Getenv("BIND"), "127.0.0.1"), cmp.Or(os.Getenv("PORT"), "8080"))
	if err := app.Listen(address, fiber.ListenConfig{DisableStartupMessage: true}); err != nil {
		return err
	}
	return <-stopped
}

// Durations of the environment, such as 500ms, in place of the defaults.
func readTimeouts(timeouts map[string]*time.Duration) error {
	for name, timeout := range timeouts {
		if text := os.Getenv(name); text != "" {
			given, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			*timeout = given
		}
	}
	return nil
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
