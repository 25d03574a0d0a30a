package ginapi

import (
	"bytes"
	"io"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/standard/jsonbody"
)

// readBody makes a request's body ready for ShouldBindJSON, or replies why it cannot be bound.
func readBody(limit int) gin.HandlerFunc {
	return func(c *gin.Context) {
		body, err := jsonbody.Read(c.Writer, c.Request, limit)
		if err != nil {
			replyError(c, err)
			return
		}
		c.Set(gin.BodyBytesKey, body)
		c.Request.Body = io.NopCloser(bytes.NewReader(body))
	}
}

// bodyOf returns what readBody read.
func bodyOf(c *gin.Context) []byte {
	return c.MustGet(gin.BodyBytesKey).([]byte)
}
