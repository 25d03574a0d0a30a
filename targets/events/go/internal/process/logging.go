package process

import (
	"log/slog"
	"os"

	"example.com/bakeoff/events/internal/settings"
)

// newLogger writes structured lines to standard output.
func newLogger(config settings.Settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: config.LogLevel}
	if config.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stdout, options))
	}
	return slog.New(slog.NewTextHandler(os.Stdout, options))
}
