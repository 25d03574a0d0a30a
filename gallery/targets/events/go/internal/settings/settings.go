// Package settings reads the contract's settings from the environment and checks them before anything starts.
package settings

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/limits"
	"example.com/bakeoff/events/internal/postgres"
	"example.com/bakeoff/events/internal/writer"
)

const (
	defaultDatabase = "postgresql://postgres:password@localhost:5432/car_entities"
	longestToken    = 256
)

// Settings are all settings, each usable.
type Settings struct {
	Database *postgres.Config
	// Connections to the database at the most.
	Connections int
	// Address to listen on; port 0 takes a free one.
	Address netip.AddrPort
	Writer  writer.Options
	// Intake is how many bytes unfinished requests may occupy together.
	Intake int64
	// Limits are those of each connection.
	Limits limits.Connection
	// Workers are the threads that serve requests.
	Workers int
	// TLS is nil for a server without.
	TLS *tls.Config
	// Token is nil for a server that requires none.
	Token    *bearer.Token
	LogLevel slog.Level
	LogJSON  bool
	// Variant is what a target offers beside its default.
	Variant Variant
}

// Variant is the implementation of a part that a standard target can exchange.
type Variant struct {
	// Framework is "gin" or "net/http".
	Framework string
	// Driver is "pgx" or "database/sql".
	Driver string
}

// Offer is what a target reads besides the settings of all.
type Offer struct {
	// PortVariable holds the port.
	PortVariable string
	DefaultPort  int
	// Limits are the defaults; the variable of a limit that is zero is not read.
	Limits limits.Connection
	// Frameworks and Drivers that can be chosen, the default first. Without any the variable is not read.
	Frameworks, Drivers []string
}

// Read reads variables by lookup, which is os.LookupEnv outside of tests. One that is empty counts as unset.
func Read(lookup func(string) (string, bool), offer Offer) (Settings, error) {
	r := reader{lookup: lookup}
	settings := Settings{
		Database:    r.database("DATABASE_URL"),
		Connections: r.number("DB_POOL_SIZE", 10, 1, 1_000),
		Address:     netip.AddrPortFrom(r.address("BIND"), uint16(r.number(offer.PortVariable, offer.DefaultPort, 0, 65_535))),
		Writer: writer.Options{
			Mode: oneOf(&r, "WRITE_MODE",
				choice[writer.Mode]{"group-commit", writer.GroupCommit}, choice[writer.Mode]{"per-request", writer.PerRequest}),
			Flushers:    r.number("FLUSHERS", 2, 1, 8),
			QueueEvents: r.number("QUEUE_EVENTS", 20_000, 1, 10_000_000),
		},
		Intake: int64(r.number("INTAKE_MB", 64, 1, 65_536)) << 20,
		Limits: limits.Connection{
			ReadHeader: r.duration("READ_HEADER_TIMEOUT", offer.Limits.ReadHeader),
			Read:       r.duration("READ_TIMEOUT", offer.Limits.Read),
			Idle:       r.duration("IDLE_TIMEOUT", offer.Limits.Idle),
			Streams:    r.streams("MAX_STREAMS", offer.Limits.Streams),
		},
		Workers: r.number("WORKERS", runtime.NumCPU(), 1, 1_024),
		TLS:     r.tls("TLS_CERT_FILE", "TLS_KEY_FILE"),
		Token:   r.token("API_TOKEN"),
		LogLevel: oneOf(&r, "LOG_LEVEL",
			choice[slog.Level]{"info", slog.LevelInfo}, choice[slog.Level]{"error", slog.LevelError},
			choice[slog.Level]{"warn", slog.LevelWarn}, choice[slog.Level]{"debug", slog.LevelDebug}),
		LogJSON: oneOf(&r, "LOG_FORMAT", choice[bool]{"text", false}, choice[bool]{"json", true}),
		Variant: Variant{
			Framework: r.name("HTTP_FRAMEWORK", offer.Frameworks),
			Driver:    r.name("DB_DRIVER", offer.Drivers),
		},
	}
	if settings.Writer.Mode == writer.GroupCommit {
		// One more than the flushers use is for health checks.
		settings.Connections = min(settings.Connections, settings.Writer.Flushers+1)
	}
	return settings, r.err
}

// reader reads variables and keeps the first error.
type reader struct {
	lookup func(string) (string, bool)
	err    error
}

// value reports whether the variable is set.
func (r *reader) value(name string) (string, bool) {
	value, _ := r.lookup(name)
	return value, value != ""
}

func (r *reader) reject(name, value, advice string) {
	r.fail(fmt.Errorf("%s is %q: use %s", name, value, advice))
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) number(name string, standard, least, most int) int {
	value, set := r.value(name)
	if !set {
		return standard
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < least || number > most {
		r.reject(name, value, fmt.Sprintf("a whole number from %d to %d", least, most))
		return standard
	}
	return number
}

// duration is zero when standard is: the target has no such limit.
func (r *reader) duration(name string, standard time.Duration) time.Duration {
	value, set := r.value(name)
	if !set || standard == 0 {
		return standard
	}
	duration, err := time.ParseDuration(value)
	if err != nil || duration <= 0 {
		r.reject(name, value, "a duration such as 5s or 500ms")
		return standard
	}
	return duration
}

// streams is zero when standard is: the target has no such limit.
func (r *reader) streams(name string, standard int) int {
	if standard == 0 {
		return 0
	}
	return r.number(name, standard, 1, 1_000_000)
}

func (r *reader) address(name string) netip.Addr {
	value, set := r.value(name)
	if !set {
		value = "127.0.0.1"
	}
	address, err := netip.ParseAddr(value)
	if err != nil {
		r.reject(name, value, "an IP address such as 127.0.0.1 or ::")
	}
	return address
}

// database does not repeat the URL, which holds a password.
func (r *reader) database(name string) *postgres.Config {
	url, set := r.value(name)
	if !set {
		url = defaultDatabase
	}
	config, err := postgres.ParseURL(url)
	if err != nil {
		r.fail(errors.New(name + " is not a PostgreSQL URL: use postgresql://USER:PASSWORD@HOST:PORT/DATABASE"))
	}
	return config
}

// tls leaves the protocols to the server.
func (r *reader) tls(certName, keyName string) *tls.Config {
	certFile, certSet := r.value(certName)
	keyFile, keySet := r.value(keyName)
	if !certSet && !keySet {
		return nil
	}
	if certSet != keySet {
		r.fail(fmt.Errorf("only one of %s and %s is set: set both, or neither", certName, keyName))
		return nil
	}
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		r.fail(fmt.Errorf("%s and %s: %w: use PEM files of a certificate and its key", certName, keyName, err))
		return nil
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
}

// token does not repeat the value, which is secret.
func (r *reader) token(name string) *bearer.Token {
	text, set := r.value(name)
	if !set {
		return nil
	}
	if len(text) > longestToken || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		r.fail(fmt.Errorf("%s cannot be used: use 1 to %d visible ASCII characters", name, longestToken))
		return nil
	}
	return bearer.NewToken(text)
}

// name is one of names; without names it is empty.
func (r *reader) name(variable string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	choices := make([]choice[string], len(names))
	for i, name := range names {
		choices[i] = choice[string]{name, name}
	}
	return oneOf(r, variable, choices...)
}

// choice is an accepted value and its meaning.
type choice[T any] struct {
	word    string
	meaning T
}

// oneOf is one of some words; the first is the default.
func oneOf[T any](r *reader, name string, choices ...choice[T]) T {
	value, set := r.value(name)
	if !set {
		return choices[0].meaning
	}
	words := make([]string, len(choices))
	for i, choice := range choices {
		if choice.word == value {
			return choice.meaning
		}
		words[i] = choice.word
	}
	last := len(words) - 1
	r.reject(name, value, strings.Join(words[:last], ", ")+" or "+words[last])
	return choices[0].meaning
}
