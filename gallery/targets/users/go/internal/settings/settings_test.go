package settings_test

import (
	"strings"
	"testing"
	"time"

	"grpc-user-service/internal/settings"
)

var limits = settings.Limits{ReadHeader: 1, Read: 2, Idle: 3, Streams: 4}

func read(variables map[string]string) (settings.Settings, error) {
	lookup := func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
	return settings.Read(lookup, settings.Offer{PortVariable: "SERVER_PORT", DefaultPort: 8080, Limits: limits})
}

func TestDefaults(t *testing.T) {
	got, err := read(map[string]string{"STORE": ""})
	if err != nil {
		t.Fatal(err)
	}
	if got.Address.String() != "127.0.0.1:8080" || got.Store != "postgresql" || got.Timeout != 5*time.Second ||
		got.PerRequest || !got.Keepalive || !got.HTTP2 || got.CallGzip || got.Gateway != "loopback" ||
		got.Limits != limits {
		t.Errorf("%+v", got)
	}
}

func TestValues(t *testing.T) {
	got, err := read(map[string]string{
		"SERVER_PORT": "0", "STORE": "memory", "GATEWAY": "direct", "KEEPALIVE": "off", "WRITE_MODE": "per-request",
		"REQUEST_TIMEOUT": "300ms", "LOG_LEVEL": "debug",
		"READ_HEADER_TIMEOUT": "500ms", "READ_TIMEOUT": "5s", "IDLE_TIMEOUT": "1m30s", "MAX_STREAMS": "7",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Address.Port() != 0 || got.Store != "memory" || got.Gateway != "direct" || got.Keepalive || !got.PerRequest ||
		got.Timeout != 300*time.Millisecond || got.LogLevel.String() != "DEBUG" ||
		got.Limits != (settings.Limits{ReadHeader: 500 * time.Millisecond, Read: 5 * time.Second, Idle: 90 * time.Second, Streams: 7}) {
		t.Errorf("%+v", got)
	}
}

func TestALimitThatATargetDoesNotHaveIsNotRead(t *testing.T) {
	variables := map[string]string{"READ_TIMEOUT": "none", "MAX_STREAMS": "none"}
	lookup := func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
	got, err := settings.Read(lookup, settings.Offer{PortVariable: "SERVER_PORT"})
	if err != nil || got.Limits != (settings.Limits{}) {
		t.Errorf("%+v, %v", got.Limits, err)
	}
}

func TestAnInvalidValueNamesItsVariableAndTheValidOnes(t *testing.T) {
	for variable, value := range map[string]string{
		"SERVER_PORT": "80x", "BIND": "localhost", "STORE": "redis", "GATEWAY": "bridge", "FLUSHERS": "0",
		"REQUEST_TIMEOUT": "-1s", "READ_HEADER_TIMEOUT": "10", "READ_TIMEOUT": "1", "IDLE_TIMEOUT": "0s", "MAX_STREAMS": "0",
		"KEEPALIVE": "yes", "LOG_LEVEL": "loud", "RATE_LIMIT": "many",
	} {
		_, err := read(map[string]string{variable: value})
		if err == nil || !strings.Contains(err.Error(), variable+" is \""+value+"\": use ") {
			t.Errorf("%s: %v", variable, err)
		}
	}
}
