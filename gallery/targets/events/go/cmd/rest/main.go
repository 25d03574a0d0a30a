// Command rest is the target producer-api-go-rest: the events API over REST with Gin.
package main

import (
	"log/slog"
	"os"
	"runtime/debug"

	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/process"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/standard/ginapi"
	"example.com/bakeoff/events/internal/standard/httpserver"
	"example.com/bakeoff/events/internal/standard/nethttpapi"
	"example.com/bakeoff/events/internal/writer"
)

// memoryLimit is soft. Growing buffers of large bodies leave copies behind, which are collected before they exceed it.
const memoryLimit = 256 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	os.Exit(process.Main(process.Target{
		Name: "producer-api-go-rest",
		Offer: settings.Offer{
			PortVariable: "SERVER_PORT", DefaultPort: 9083, Limits: httpserver.Limits,
			Frameworks: []string{"gin", "net/http"}, Drivers: []string{"pgx", "database/sql"},
		},
		NewServer: func(w *writer.Writer, config settings.Settings, log *slog.Logger) (process.Server, error) {
			newHandler := ginapi.NewHandler
			if config.Variant.Framework == "net/http" {
				newHandler = nethttpapi.NewHandler
			}
			handler, err := newHandler(w, config.Token, log)
			if err != nil {
				return nil, err
			}
			return httpserver.New(intake.Handler(handler, intake.NewBudget(config.Intake)), config.Limits, config.TLS, log), nil
		},
	}))
}
