package settings_test

import (
	"strings"
	"testing"
	"time"

	"grpc-user-service/internal/settings"
)

func read(variables map[string]string) (settings.Settings, error) {
	lookup := func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
	return settings.Read(lookup, "SERVER_PORT", 8080)
}

func TestDefaults(t *testing.T) {
	got, err := read(map[string]string{"STORE": ""})
	if err != nil {
		t.Fatal(err)
	}
	if got.Address.String() != "127.0.0.1:8080" || got.Store != "postgresql" || got.Timeout != 5*time.Second ||
		got.PerRequest || !got.Keepalive || !got.HTTP2 || got.CallGzip || got.Gateway != "loopback" ||
		got.ReadHeaderTimeout != 10*time.Second || got.ReadTimeout != 30*time.Second || got.IdleTimeout != 120*time.Second {
		t.Errorf("%+v", got)
	}
}

func TestValues(t *testing.T) {
	got, err := read(map[string]string{
		"SERVER_PORT": "0", "STORE": "memory", "GATEWAY": "direct", "KEEPALIVE": "off", "WRITE_MODE": "per-request",
		"REQUEST_TIMEOUT": "300ms", "LOG_LEVEL": "debug",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Address.Port() != 0 || got.Store != "memory" || got.Gateway != "direct" || got.Keepalive || !got.PerRequest ||
		got.Timeout != 300*time.Millisecond || got.LogLevel.String() != "DEBUG" {
		t.Errorf("%+v", got)
	}
}

func TestAnInvalidValueNamesItsVariableAndTheValidOnes(t *testing.T) {
	for variable, value := range map[string]string{
		"SERVER_PORT": "80x", "BIND": "localhost", "STORE": "redis", "GATEWAY": "bridge", "FLUSHERS": "0",
		"REQUEST_TIMEOUT": "-1s", "READ_HEADER_TIMEOUT": "10", "READ_TIMEOUT": "1", "IDLE_TIMEOUT": "0s", "KEEPALIVE": "yes", "LOG_LEVEL": "loud", "RATE_LIMIT": "many",
	} {
		_, err := read(map[string]string{variable: value})
		if err == nil || !strings.Contains(err.Error(), variable+" is \""+value+"\": use ") {
			t.Errorf("%s: %v", variable, err)
		}
	}
}
