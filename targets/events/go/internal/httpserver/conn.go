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
	// patience is how long a client may be idle, take to send a request, and take to read a reply.
	// Who takes longer holds a connection for nothing.
	patience = time.Minute
	// patienceStep is how exact that is: setting deadlines anew for each request would cost a microsecond.
	patienceStep = time.Second
	// How much of a body that the handler did not read is read, and for how long, before the reply. A connection that
	// is closed with bytes unread is reset, and the client may never see the reply.
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
	// mayRead is how many bytes may still come from the network.
	mayRead  int
	renewed  time.Time
	response response
	probe    [1]byte
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

// limited reads from the network as much as the connection may.
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
	c.renewPatience()
	c.state.Store(idle)
	if c.server.stopping.Load() {
		return false
	}
	if _, err := c.reader.Peek(1); err != nil {
		return false
	}
	c.renewPatience()
	return c.state.CompareAndSwap(idle, active)
}

// closeIfIdle lets a request that has begun to arrive be answered.
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

func (c *conn) renewPatience() {
	now := time.Now()
	if now.Sub(c.renewed) < patienceStep {
		return
	}
	c.renewed = now
	if err := c.SetDeadline(now.Add(patience)); err != nil {
		c.server.log.Debug("a connection without deadline", "reason", err)
	}
}

// allowWriting leaves a client that was slow to send the time to take its reply.
func (c *conn) allowWriting(now time.Time) {
	if now.Sub(c.renewed) < patienceStep {
		return
	}
	if err := c.SetWriteDeadline(now.Add(patience)); err != nil {
		c.server.log.Debug("a connection without deadline", "reason", err)
	}
}

// read reads the head of a request; with any status but OK there is none.
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

// isWellFormed checks what the parser lets pass and http.Server checks as well.
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

// refuse replies to what is no request, and hangs up.
func (c *conn) refuse(status int) {
	c.response.reset()
	c.response.WriteHeader(status)
	if c.reply(false, false) {
		c.linger()
	}
}

// linger follows the reply to a request whose end is unknown or far: the client is to see the reply and hang up itself.
func (c *conn) linger() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_ = c.discard(c.reader)
	}
}

// answer tells whether the connection can be used again.
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

// bodyOf returns what is to be done with the rest of the body; an error means that there is still more of it.
func (c *conn) bodyOf(request *http.Request) func() error {
	if request.Header.Get("Expect") == "" {
		return func() error { return c.discard(request.Body) }
	}
	asking := &askingBody{ReadCloser: request.Body, writer: c.writer}
	request.Body = asking
	return func() error {
		if !asking.asked {
			// Who waits to be asked for the body has not sent it, and might still.
			return errNotAsked
		}
		return c.discard(asking)
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
	c.renewed = time.Time{}
	_, err := io.CopyN(io.Discard, body, discardBytes)
	return endOf(err)
}

var (
	errNotAsked = errors.New("the client was not asked for the body")
	errTooLong  = errors.New("the body is too long to be read to its end")
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

// askingBody tells a client that expects it to go on, when its body is wanted.
type askingBody struct {
	io.ReadCloser
	writer *bufio.Writer
	asked  bool
}

func (b *askingBody) Read(p []byte) (int, error) {
	if !b.asked {
		b.asked = true
		if _, err := b.writer.WriteString("HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return 0, err
		}
		if err := b.writer.Flush(); err != nil {
			return 0, err
		}
	}
	return b.ReadCloser.Read(p)
}
