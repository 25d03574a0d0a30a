package settings

import (
	"crypto/tls"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/bakeoff/events/internal/limits"
	"example.com/bakeoff/events/internal/tlstest"
	"example.com/bakeoff/events/internal/writer"
)

var defaultLimits = limits.Connection{ReadHeader: 1, Read: 2, Idle: 3, Streams: 4}

func read(variables map[string]string) (Settings, error) {
	return Read(func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}, Offer{
		PortVariable: "SERVER_PORT", DefaultPort: 9083, Limits: defaultLimits,
		Frameworks: []string{"gin", "net/http"}, Drivers: []string{"pgx", "database/sql"},
	})
}

func TestDefaults(t *testing.T) {
	settings, err := read(map[string]string{"WRITE_MODE": "", "DATABASE_URL": ""})
	if err != nil {
		t.Fatal(err)
	}
	if got := settings.Address.String(); got != "127.0.0.1:9083" {
		t.Errorf("got %s", got)
	}
	if want := (writer.Options{Mode: writer.GroupCommit, Flushers: 2, QueueEvents: 20_000}); !reflect.DeepEqual(settings.Writer, want) {
		t.Errorf("got %+v", settings.Writer)
	}
	if settings.LogLevel != slog.LevelInfo || settings.LogJSON || settings.Workers < 1 || settings.Limits != defaultLimits {
		t.Errorf("got %+v", settings)
	}
	if settings.Database.Host != "localhost" || settings.Database.Port != 5432 || settings.Database.Database != "car_entities" {
		t.Errorf("got %s:%d/%s", settings.Database.Host, settings.Database.Port, settings.Database.Database)
	}
}

func TestEverySettingCanBeSet(t *testing.T) {
	settings, err := read(map[string]string{
		"DATABASE_URL": "postgres://u:p@db.example:6543/d", "SERVER_PORT": "0", "BIND": "::1", "WRITE_MODE": "per-request",
		"DB_POOL_SIZE": "7", "FLUSHERS": "8", "WORKERS": "3", "INTAKE_MB": "9", "QUEUE_EVENTS": "1", "LOG_LEVEL": "debug",
		"LOG_FORMAT": "json", "READ_HEADER_TIMEOUT": "500ms", "READ_TIMEOUT": "5s", "IDLE_TIMEOUT": "1m30s", "MAX_STREAMS": "7",
	})
	if err != nil {
		t.Fatal(err)
	}
	if settings.Database.Database != "d" || settings.Address.String() != "[::1]:0" || settings.Connections != 7 ||
		settings.Writer != (writer.Options{Mode: writer.PerRequest, Flushers: 8, QueueEvents: 1}) ||
		settings.Workers != 3 || settings.Intake != 9<<20 || settings.LogLevel != slog.LevelDebug || !settings.LogJSON ||
		settings.Limits != (limits.Connection{ReadHeader: 500 * time.Millisecond, Read: 5 * time.Second, Idle: 90 * time.Second, Streams: 7}) {
		t.Errorf("got %+v", settings)
	}
}

func TestGroupCommitOpensNoMoreConnectionsThanItUses(t *testing.T) {
	for _, test := range []struct {
		pool, flushers string
		want           int
	}{{"10", "2", 3}, {"2", "8", 2}, {"10", "1", 2}} {
		settings, err := read(map[string]string{"DB_POOL_SIZE": test.pool, "FLUSHERS": test.flushers})
		if err != nil || settings.Connections != test.want {
			t.Errorf("%+v: got %d, %v", test, settings.Connections, err)
		}
	}
}

func TestASettingThatCannotBeUsedIsNamedWithWhatCan(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"WRITE_MODE", "batch", `WRITE_MODE is "batch": use group-commit or per-request`},
		{"LOG_LEVEL", "INFO", `LOG_LEVEL is "INFO": use info, error, warn or debug`},
		{"LOG_FORMAT", "xml", `LOG_FORMAT is "xml": use text or json`},
		{"FLUSHERS", "9", `FLUSHERS is "9": use a whole number from 1 to 8`},
		{"FLUSHERS", "0", `FLUSHERS is "0": use a whole number from 1 to 8`},
		{"DB_POOL_SIZE", "ten", `DB_POOL_SIZE is "ten": use a whole number from 1 to 1000`},
		{"WORKERS", "-1", `WORKERS is "-1": use a whole number from 1 to 1024`},
		{"QUEUE_EVENTS", "1e3", `QUEUE_EVENTS is "1e3": use a whole number from 1 to 10000000`},
		{"READ_TIMEOUT", "30", `READ_TIMEOUT is "30": use a duration such as 5s or 500ms`},
		{"READ_HEADER_TIMEOUT", "-1s", `READ_HEADER_TIMEOUT is "-1s": use a duration such as 5s or 500ms`},
		{"IDLE_TIMEOUT", "0s", `IDLE_TIMEOUT is "0s": use a duration such as 5s or 500ms`},
		{"MAX_STREAMS", "0", `MAX_STREAMS is "0": use a whole number from 1 to 1000000`},
		{"SERVER_PORT", "65536", `SERVER_PORT is "65536": use a whole number from 0 to 65535`},
		{"BIND", "localhost", `BIND is "localhost": use an IP address such as 127.0.0.1 or ::`},
	} {
		if _, err := read(map[string]string{test.name: test.value}); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestALimitThatATargetDoesNotHaveIsNotRead(t *testing.T) {
	variables := map[string]string{"READ_TIMEOUT": "none", "MAX_STREAMS": "none"}
	settings, err := Read(func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}, Offer{PortVariable: "SERVER_PORT"})
	if err != nil || settings.Limits != (limits.Connection{}) {
		t.Errorf("got %+v, %v", settings.Limits, err)
	}
}

func TestTLS(t *testing.T) {
	certFile, keyFile, _ := tlstest.Files(t)
	settings, err := read(map[string]string{"TLS_CERT_FILE": certFile, "TLS_KEY_FILE": keyFile})
	if err != nil || len(settings.TLS.Certificates) != 1 || settings.TLS.MinVersion != tls.VersionTLS12 {
		t.Errorf("got %+v, %v", settings.TLS, err)
	}
	settings, err = read(nil)
	if err != nil || settings.TLS != nil {
		t.Errorf("by default: got %+v, %v", settings.TLS, err)
	}
	const half = "only one of TLS_CERT_FILE and TLS_KEY_FILE is set: set both, or neither"
	for _, test := range []struct{ cert, key, want string }{
		{certFile, "", half},
		{"", keyFile, half},
		{certFile, certFile + "x", "TLS_CERT_FILE and TLS_KEY_FILE: open " + certFile + "x: "},
		{keyFile, keyFile, "TLS_CERT_FILE and TLS_KEY_FILE: tls: "},
	} {
		_, err := read(map[string]string{"TLS_CERT_FILE": test.cert, "TLS_KEY_FILE": test.key})
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestToken(t *testing.T) {
	for _, token := range []string{"s", "!~" + strings.Repeat("x", 254)} {
		settings, err := read(map[string]string{"API_TOKEN": token})
		if err != nil {
			t.Fatal(err)
		}
		if settings.Token.Check(nil) == nil || settings.Token.Check([]string{"Bearer " + token}) != nil {
			t.Errorf("%s is not the token", token)
		}
	}
	for _, token := range []string{"secret secret", "secret\n", "sécret", "secret\x7f", strings.Repeat("secret", 43)} {
		_, err := read(map[string]string{"API_TOKEN": token})
		if err == nil || err.Error() != "API_TOKEN cannot be used: use 1 to 256 visible ASCII characters" {
			t.Errorf("got %v", err)
		}
	}
	if settings, err := read(nil); err != nil || settings.Token != nil {
		t.Errorf("by default: got %v, %v", settings.Token, err)
	}
}

func TestADatabaseURLThatCannotBeUsedIsNotRepeated(t *testing.T) {
	for _, url := range []string{"mysql://u:secret@h/d", "secret", "postgresql://u:secret@h:port/d"} {
		_, err := read(map[string]string{"DATABASE_URL": url})
		if err == nil || !strings.HasPrefix(err.Error(), "DATABASE_URL is not a PostgreSQL URL: use ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v", err)
		}
	}
}

func TestVariants(t *testing.T) {
	settings, err := read(map[string]string{"DB_DRIVER": "database/sql"})
	if want := (Variant{Framework: "gin", Driver: "database/sql"}); err != nil || settings.Variant != want {
		t.Errorf("got %+v, %v", settings.Variant, err)
	}
	_, err = read(map[string]string{"HTTP_FRAMEWORK": "echo"})
	if err == nil || err.Error() != `HTTP_FRAMEWORK is "echo": use gin or net/http` {
		t.Errorf("got %v", err)
	}
}
