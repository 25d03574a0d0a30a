package ginapi

import (
	"bytes"
	"io"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/standard/jsonbody"
)

// readBody returns a request's body, which it makes ready for ShouldBindJSON.
func readBody(c *gin.Context, limit int) ([]byte, error) {
	body, err := jsonbody.Read(c.Writer, c.Request, limit)
	c.Request.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}
