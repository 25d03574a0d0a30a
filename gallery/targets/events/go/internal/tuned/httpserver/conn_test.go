package httpserver

import (
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestAConnectionServesOneRequestAfterAnother(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	// The last two arrive together.
	for _, sent := range []string{post("/1", "one"), post("/2", "") + post("/3", "three")} {
		c.send(sent)
	}
	for _, want := range []string{"/1:one", "/2:", "/3:three"} {
		response, body := c.reply(http.MethodPost)
		if response.StatusCode != http.StatusOK || body != want || response.Header.Get("X-Method") != "POST" || response.Close {
			t.Errorf("got %d %s, want %s", response.StatusCode, body, want)
		}
		if response.Header.Get("Date") == "" {
			t.Error("a reply has a date")
		}
	}
}

func TestABodyMayComeInChunks(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	c.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
	if _, body := c.reply(http.MethodPost); body != "/:abcde" {
		t.Errorf("got %s", body)
	}
	c.send(post("/", "next"))
	if _, body := c.reply(http.MethodPost); body != "/:next" {
		t.Errorf("got %s", body)
	}
}

func TestIgnoredBodyIsSkipped(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	c.send(post("/ignore", strings.Repeat("x", 1<<20)) + post("/", "next"))
	if response, _ := c.reply(http.MethodPost); response.StatusCode != http.StatusTeapot || response.Close {
		t.Errorf("got %d", response.StatusCode)
	}
	if _, body := c.reply(http.MethodPost); body != "/:next" {
		t.Errorf("got %s", body)
	}
}

func TestContinueIsSent(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	head, body, _ := strings.Cut(post("/", "later", "Expect: 100-continue"), "\r\n\r\n")
	c.send(head + "\r\n\r\n")
	if response, _ := c.reply(http.MethodPost); response.StatusCode != http.StatusContinue {
		t.Fatalf("got %d", response.StatusCode)
	}
	c.send(body)
	if _, got := c.reply(http.MethodPost); got != "/:later" {
		t.Errorf("got %s", got)
	}
}

func TestConnectionClosesWithoutContinue(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	c.send("POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
	if response, _ := c.reply(http.MethodPost); response.StatusCode != http.StatusTeapot || !response.Close {
		t.Errorf("got %d", response.StatusCode)
	}
	c.closed()
}

func TestTheReplyToHEADHasNoBody(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	c.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n")
	if response, body := c.reply(http.MethodHead); response.ContentLength != 3 || body != "" {
		t.Errorf("got %d bytes announced and %q", response.ContentLength, body)
	}
	c.send(post("/", "next"))
	if _, body := c.reply(http.MethodPost); body != "/:next" {
		t.Errorf("got %s", body)
	}
}

func TestAConnectionEndsWhenTheClientWantsItTo(t *testing.T) {
	_, address := start(t, echo)
	for _, request := range []string{
		post("/", "", "Connection: close"),
		"GET / HTTP/1.0\r\n\r\n",
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
	} {
		c := dial(t, address)
		c.send(request)
		if response, body := c.reply(http.MethodGet); !response.Close || body != "/:" {
			t.Errorf("%q: got %v %s", request, response.Close, body)
		}
		c.closed()
	}
}

func TestInvalidRequestsAreRejected(t *testing.T) {
	_, address := start(t, echo)
	for request, want := range map[string]int{
		"hello\r\n\r\n":          http.StatusBadRequest,
		"GET / HTTP/1.1\r\n\r\n": http.StatusBadRequest,
		"GET / HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n":                             http.StatusBadRequest,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n": http.StatusBadRequest,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n":                     http.StatusBadRequest,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n":                http.StatusBadRequest,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                             http.StatusHTTPVersionNotSupported,
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", maxHeadBytes):         http.StatusRequestHeaderFieldsTooLarge,
	} {
		c := dial(t, address)
		c.send(request)
		if response, _ := c.reply(http.MethodGet); response.StatusCode != want || !response.Close {
			t.Errorf("%.40q…: got %d, want %d", request, response.StatusCode, want)
		}
	}
}

func TestRejectedClientReadsTheReplyWhileItSends(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	// More than the kernel would buffer.
	c.send("hello\r\n\r\n" + strings.Repeat("x", 8<<20))
	if response, _ := c.reply(http.MethodGet); response.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", response.StatusCode)
	}
}

func TestTruncatedBodyIsAReadError(t *testing.T) {
	_, address := start(t, echo)
	c := dial(t, address)
	c.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
	if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if response, _ := c.reply(http.MethodPost); response.StatusCode != http.StatusBadRequest {
		t.Errorf("got %d", response.StatusCode)
	}
}
