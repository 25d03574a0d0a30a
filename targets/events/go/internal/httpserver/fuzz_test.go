package httpserver

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// FuzzConnection holds: whatever comes, the server does not panic, it replies in HTTP or not at all, and it hangs up
// on a client that says no more.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		post("/", "body"), post("/ignore", "body"), post("/", "", "Expect: 100-continue"), post("/1", "") + post("/2", "x"),
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
		"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			heard := converse(New(http.HandlerFunc(echo), nil, slog.New(slog.DiscardHandler)), sent)
			if len(heard) > 0 && !bytes.HasPrefix(heard, []byte("HTTP/1.1 ")) {
				t.Errorf("%q: got %q", sent, heard)
			}
			// A minute for the request, one for the body that nobody wanted, and one for the next.
			if took := time.Since(start); took > 3*patience {
				t.Errorf("%q: it took %v", sent, took)
			}
		})
	})
}

// converse sends to a server and returns what it replies until it hangs up.
func converse(server *Server, sent []byte) []byte {
	client, accepted := net.Pipe()
	defer client.Close()
	go newConn(server, accepted).serve()
	go func() { _, _ = client.Write(sent) }()
	var heard bytes.Buffer
	_, _ = io.Copy(&heard, client)
	return heard.Bytes()
}
