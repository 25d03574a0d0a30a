package httpserver

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	maxHeadBytes = 16 << 10
	// writeTimeout limits how long a client reads a reply. A slower one would hold a connection for nothing.
	writeTimeout = time.Minute
	// precision is the part of a timeout that deadlines may be off: setting them for each request would cost a microsecond.
	precision = 60
	// Limits for reading the rest of a body that the handler did not read, before the reply. A connection that
	// is closed with unread bytes is reset, and the client may never see the reply.
	discardBytes   = 32 << 20
	discardTimeout = 2 * time.Second
)

var errHeadTooLarge = errors.New("the head of the request is too large")

// A connection is idle until the first byte of a request arrives, and again after the reply.
const (
	idle int32 = iota
	active
	closed
)

type conn struct {
	net.Conn
	server *Server
	state  atomic.Int32
	reader *bufio.Reader
	writer *bufio.Writer
	// mayRead is how many more bytes the connection may read.
	mayRead int
	// timeout is the one whose deadline was set at extendedAt.
	timeout    time.Duration
	extendedAt time.Time
	response   response
	probe      [1]byte
}

func newConn(server *Server, accepted net.Conn) *conn {
	if server.secure != nil {
		accepted = tls.Server(accepted, server.secure.config)
	}
	c := &conn{Conn: accepted, server: server}
	c.reader = bufio.NewReader(limited{c})
	c.writer = bufio.NewWriter(accepted)
	c.response.header = http.Header{}
	return c
}

// limited reads at most mayRead bytes.
type limited struct{ *conn }

func (l limited) Read(p []byte) (int, error) {
	if l.mayRead <= 0 {
		return 0, errHeadTooLarge
	}
	n, err := l.Conn.Read(p[:min(len(p), l.mayRead)])
	l.mayRead -= n
	return n, err
}

// serve answers requests one after another.
func (c *conn) serve() {
	defer c.close()
	for c.await() {
		request, status := c.read()
		if status != http.StatusOK {
			c.refuse(status)
			return
		}
		if !c.answer(request) {
			return
		}
	}
}

// await waits for the first byte of a request.
func (c *conn) await() bool {
	c.mayRead = maxHeadBytes
	c.extendDeadline(c.server.limits.Idle)
	c.state.Store(idle)
	if c.server.stopping.Load() {
		return false
	}
	if _, err := c.reader.Peek(1); err != nil {
		return false
	}
	c.extendDeadline(c.server.limits.Read)
	return c.state.CompareAndSwap(idle, active)
}

// closeIfIdle closes the connection unless a request has begun to arrive.
func (c *conn) closeIfIdle() {
	if c.state.CompareAndSwap(idle, closed) {
		c.close()
	}
}

func (c *conn) close() {
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		c.server.log.Debug("closing a connection", "reason", err)
	}
}

func (c *conn) extendDeadline(timeout time.Duration) {
	now := time.Now()
	if timeout == c.timeout && now.Sub(c.extendedAt) < timeout/precision {
		return
	}
	c.timeout, c.extendedAt = timeout, now
	if err := errors.Join(c.SetReadDeadline(now.Add(timeout)), c.SetWriteDeadline(now.Add(writeTimeout))); err != nil {
		c.server.log.Debug("setting a connection's deadline failed", "reason", err)
	}
}

// allowWriting gives a client that was slow to send the full time to read its reply.
func (c *conn) allowWriting(now time.Time) {
	if now.Sub(c.extendedAt) < writeTimeout/precision {
		return
	}
	if err := c.SetWriteDeadline(now.Add(writeTimeout)); err != nil {
		c.server.log.Debug("setting a connection's deadline failed", "reason", err)
	}
}

// read reads the head of a request, which is nil with any status but OK.
func (c *conn) read() (*http.Request, int) {
	request, err := http.ReadRequest(c.reader)
	// The handler bounds the body.
	c.mayRead = math.MaxInt
	switch {
	case errors.Is(err, errHeadTooLarge):
		return nil, http.StatusRequestHeaderFieldsTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	case request.ProtoMajor != 1:
		return nil, http.StatusHTTPVersionNotSupported
	case request.ProtoAtLeast(1, 1) && request.Host == "", !isWellFormed(request):
		return nil, http.StatusBadRequest
	}
	request.RemoteAddr = c.RemoteAddr().String()
	return request, http.StatusOK
}

// isWellFormed checks what http.Server checks in addition to the parser.
func isWellFormed(request *http.Request) bool {
	for name, values := range request.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return false
			}
		}
	}
	return httpguts.ValidHostHeader(request.Host)
}

// refuse replies to an invalid request and closes the connection.
func (c *conn) refuse(status int) {
	c.response.reset()
	c.response.WriteHeader(status)
	if c.reply(false, false) {
		c.linger()
	}
}

// linger lets the client read the reply and close first, after a request whose end is unknown or far.
func (c *conn) linger() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.discard(c.reader)
	}
}

// answer reports whether the connection can be reused.
func (c *conn) answer(request *http.Request) bool {
	unread := c.bodyOf(request)
	c.response.reset()
	c.server.handler.ServeHTTP(&c.response, request)
	consumed := unread() == nil
	keep := consumed && !request.Close && request.ProtoAtLeast(1, 1) && !c.server.stopping.Load()
	replied := c.reply(keep, request.Method == http.MethodHead)
	if replied && !consumed {
		c.linger()
	}
	return replied && keep
}

// bodyOf returns a function that reads the rest of the body; an error means that some of it is left.
func (c *conn) bodyOf(request *http.Request) func() error {
	if request.Header.Get("Expect") == "" {
		return func() error { return c.discard(request.Body) }
	}
	expected := &continueBody{ReadCloser: request.Body, writer: c.writer}
	request.Body = expected
	return func() error {
		if !expected.continued {
			// A client that waits for 100 Continue has not sent the body, and might still.
			return errNotContinued
		}
		return c.discard(expected)
	}
}

// discard reads to the end; an error means that it was not reached.
func (c *conn) discard(body io.Reader) error {
	// Nearly every body has been read, and then this costs nothing.
	if n, err := body.Read(c.probe[:]); n == 0 && err != nil {
		return endOf(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(discardTimeout)); err != nil {
		return err
	}
	c.extendedAt = time.Time{}
	_, err := io.CopyN(io.Discard, body, discardBytes)
	return endOf(err)
}

var (
	errNotContinued = errors.New("the client still waits for 100 Continue")
	errTooLong      = errors.New("the body is too long to be read to its end")
)

// endOf turns the end of a body into no error.
func endOf(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return errTooLong
	default:
		return err
	}
}

// continueBody sends 100 Continue when the handler first reads the body.
type continueBody struct {
	io.ReadCloser
	writer    *bufio.Writer
	continued bool
}

func (b *continueBody) Read(p []byte) (int, error) {
	if !b.continued {
		b.continued = true
		if _, err := b.writer.WriteString("HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return 0, err
		}
		if err := b.writer.Flush(); err != nil {
			return 0, err
		}
	}
	return b.ReadCloser.Read(p)
}
