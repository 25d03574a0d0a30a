package ginapi

import (
	"bytes"
	"io"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/standard/jsonbody"
	"example.com/bakeoff/events/internal/standard/model"
)

// bindBody is ShouldBindJSON for a body of at most limit bytes, which it returns. The body must be one JSON value: Gin's
// decoder would accept any text after the first.
func bindBody(c *gin.Context, limit int, into any) ([]byte, error) {
	body, err := jsonbody.Read(c.Writer, c.Request, limit)
	if err != nil {
		return nil, err
	}
	unread := &lastByteApart{bytes.TrimRight(body, " \t\r\n")}
	c.Request.Body = io.NopCloser(unread)
	err = c.ShouldBindJSON(into)
	if len(unread.left) > 0 {
		return nil, model.ErrNotJSON
	}
	return body, err
}

// lastByteApart returns the last byte in a read of its own. A decoder that has not asked for it has found the end of a
// value before.
type lastByteApart struct{ left []byte }

func (r *lastByteApart) Read(into []byte) (int, error) {
	if len(r.left) == 0 {
		return 0, io.EOF
	}
	n := copy(into, r.left[:max(1, len(r.left)-1)])
	r.left = r.left[n:]
	return n, nil
}
