package httpserver

import (
	"net/http"
	"strconv"
	"time"
)

// response buffers a reply until it is complete. The connection reuses it.
type response struct {
	header http.Header
	status int
	body   []byte
}

func (r *response) reset() {
	clear(r.header)
	r.status = 0
	r.body = r.body[:0]
}

// Header returns the header that will be sent.
func (r *response) Header() http.Header { return r.header }

// WriteHeader sets the status; only the first counts.
func (r *response) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write adds to the body.
func (r *response) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, p...)
	return len(p), nil
}

// reply sends the response. Errors of a bufio.Writer stick until Flush.
func (c *conn) reply(keep, headOnly bool) bool {
	r := &c.response
	r.WriteHeader(http.StatusOK)
	now := time.Now()
	c.allowWriting(now)
	buffer := c.writer.AvailableBuffer()
	buffer = append(buffer, "HTTP/1.1 "...)
	buffer = strconv.AppendInt(buffer, int64(r.status), 10)
	buffer = append(buffer, ' ')
	buffer = append(buffer, http.StatusText(r.status)...)
	buffer = append(buffer, "\r\nDate: "...)
	buffer = now.UTC().AppendFormat(buffer, http.TimeFormat)
	buffer = append(buffer, "\r\nContent-Length: "...)
	buffer = strconv.AppendInt(buffer, int64(len(r.body)), 10)
	buffer = append(buffer, "\r\n"...)
	if !keep {
		buffer = append(buffer, "Connection: close\r\n"...)
	}
	_, _ = c.writer.Write(buffer)
	_ = r.header.Write(c.writer)
	_, _ = c.writer.WriteString("\r\n")
	if !headOnly {
		_, _ = c.writer.Write(r.body)
	}
	if err := c.writer.Flush(); err != nil {
		c.server.log.Debug("writing a reply failed", "reason", err)
		return false
	}
	return true
}
