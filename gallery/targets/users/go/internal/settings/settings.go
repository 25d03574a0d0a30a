// Package settings reads the settings of the targets from the environment and checks them before anything starts.
package settings

import (
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are all settings, each usable.
type Settings struct {
	// Address to listen on; port 0 takes a free one.
	Address netip.AddrPort
	// Store is memory or postgresql.
	Store       string
	DatabaseURL string
	// ReadURL is that of a replica to read from, empty without one.
	ReadURL     string
	Connections int
	PerRequest  bool
	Flushers    int
	Queue       int
	// Intake is the bytes that unfinished large requests of the gateway may occupy together.
	Intake int64
	// Workers are the threads that run Go code.
	Workers int
	Timeout time.Duration
	// Rate is the limit of requests per second; 0 is none.
	Rate      int
	Keepalive bool
	Gateway   string
	CallGzip  bool
	ReplyGzip bool
	HTTP2     bool
	// Limits are those of each connection.
	Limits   Limits
	LogLevel slog.Level
	LogJSON  bool
}

// Limits are how long a client may take, and how much it may ask at once. A target has no setting for a limit that is
// zero in its defaults.
type Limits struct {
	// ReadHeader is for the head of a request, and over gRPC for the handshake of a connection.
	ReadHeader time.Duration
	// Read is for a request.
	Read time.Duration
	// Idle is for a connection without a request. Over gRPC it is pinged then, and ends without an answer.
	Idle time.Duration
	// Streams is for requests in flight on a connection of HTTP/2.
	Streams int
}

// Offer is what a target reads besides the settings of all.
type Offer struct {
	// PortVariable holds the port.
	PortVariable string
	DefaultPort  int
	// Limits are the defaults; the variable of a limit that is zero is not read.
	Limits Limits
}

// Read reads variables by lookup, which is os.LookupEnv outside of tests. One that is empty counts as unset.
func Read(lookup func(string) (string, bool), offer Offer) (Settings, error) {
	r := reader{lookup: lookup}
	port := uint16(r.number(offer.PortVariable, offer.DefaultPort, 0, 65_535))
	settings := Settings{
		Address:     netip.AddrPortFrom(r.address("BIND"), port),
		Store:       r.word("STORE", "postgresql", "memory"),
		DatabaseURL: r.text("DATABASE_URL", "postgresql://postgres:password@localhost:5432/users"),
		ReadURL:     r.text("DATABASE_READ_URL", ""),
		Connections: r.number("DB_POOL_SIZE", 10, 1, 1_000),
		PerRequest:  r.word("WRITE_MODE", "group-commit", "per-request") == "per-request",
		Flushers:    r.number("FLUSHERS", 2, 1, 64),
		Queue:       r.number("QUEUE_REQUESTS", 20_000, 1, 10_000_000),
		Intake:      int64(r.number("INTAKE_MB", 64, 1, 65_536)) << 20,
		Workers:     r.number("WORKERS", runtime.GOMAXPROCS(0), 1, 1_024),
		Timeout:     r.duration("REQUEST_TIMEOUT", 5*time.Second),
		Rate:        r.number("RATE_LIMIT", 0, 0, 1_000_000_000),
		Keepalive:   r.isOn("KEEPALIVE", "on", "off"),
		Gateway:     r.word("GATEWAY", "loopback", "in-process", "direct"),
		CallGzip:    r.isOn("GATEWAY_GZIP", "off", "on"),
		ReplyGzip:   r.isOn("REPLY_GZIP", "off", "on"),
		HTTP2:       r.isOn("HTTP2", "on", "off"),

		Limits: Limits{
			ReadHeader: r.duration("READ_HEADER_TIMEOUT", offer.Limits.ReadHeader),
			Read:       r.duration("READ_TIMEOUT", offer.Limits.Read),
			Idle:       r.duration("IDLE_TIMEOUT", offer.Limits.Idle),
			Streams:    r.streams("MAX_STREAMS", offer.Limits.Streams),
		},

		LogJSON: r.word("LOG_FORMAT", "text", "json") == "json",
	}
	r.check(settings.LogLevel.UnmarshalText([]byte(r.word("LOG_LEVEL", "info", "error", "warn", "debug"))))
	return settings, r.err
}

// reader reads variables and keeps the first error.
type reader struct {
	lookup func(string) (string, bool)
	err    error
}

func (r *reader) check(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) reject(name, value, advice string) {
	r.check(fmt.Errorf("%s is %q: use %s", name, value, advice))
}

func (r *reader) text(name, standard string) string {
	if value, _ := r.lookup(name); value != "" {
		return value
	}
	return standard
}

func (r *reader) number(name string, standard, least, most int) int {
	value := r.text(name, strconv.Itoa(standard))
	number, err := strconv.Atoi(value)
	if err != nil || number < least || number > most {
		r.reject(name, value, fmt.Sprintf("a whole number from %d to %d", least, most))
		return standard
	}
	return number
}

// streams is zero when standard is: the target has no such limit.
func (r *reader) streams(name string, standard int) int {
	if standard == 0 {
		return 0
	}
	return r.number(name, standard, 1, 1_000_000)
}

// duration is zero when standard is: the target has no such limit.
func (r *reader) duration(name string, standard time.Duration) time.Duration {
	if standard == 0 {
		return 0
	}
	value := r.text(name, standard.String())
	duration, err := time.ParseDuration(value)
	if err != nil || duration <= 0 {
		r.reject(name, value, "a duration such as 5s or 500ms")
		return standard
	}
	return duration
}

func (r *reader) address(name string) netip.Addr {
	value := r.text(name, "127.0.0.1")
	address, err := netip.ParseAddr(value)
	if err != nil {
		r.reject(name, value, "an IP address such as 127.0.0.1 or ::")
	}
	return address
}

// word is one of words; the first is the default.
func (r *reader) word(name string, words ...string) string {
	value := r.text(name, words[0])
	if !slices.Contains(words, value) {
		last := len(words) - 1
		r.reject(name, value, strings.Join(words[:last], ", ")+" or "+words[last])
		return words[0]
	}
	return value
}

// isOn is a switch; the first word is the default.
func (r *reader) isOn(name string, words ...string) bool { return r.word(name, words...) == "on" }
