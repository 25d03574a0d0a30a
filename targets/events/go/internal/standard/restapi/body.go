package restapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/standard/model"
)

var (
	errMediaType     = fault.New(fault.UnsupportedMedia, "content-type: must be application/json")
	errContentCoding = fault.New(fault.UnsupportedMedia, "content-encoding: must be identity")
	errNotUTF8       = fault.New(fault.Malformed, "body: not valid UTF-8")
	errNotJSON       = fault.New(fault.Malformed, "body: not valid JSON")
)

// readBody accepts only requests whose body is JSON of at most limit bytes. ShouldBindJSON alone would accept invalid
// UTF-8, and any text behind the first JSON value.
func readBody(limit int) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := checkHeaders(c); err != nil {
			replyError(c, err)
			return
		}
		c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, int64(limit))
		body, err := c.GetRawData()
		if err != nil {
			replyError(c, bodyFault(err, limit))
			return
		}
		if err := checkJSON(body); err != nil {
			replyError(c, err)
			return
		}
		c.Set(gin.BodyBytesKey, body)
		c.Request.Body = io.NopCloser(bytes.NewReader(body))
	}
}

func checkHeaders(c *gin.Context) error {
	if !strings.EqualFold(c.ContentType(), gin.MIMEJSON) {
		return errMediaType
	}
	if coding := c.GetHeader("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return errContentCoding
	}
	return nil
}

func bodyFault(err error, limit int) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.BodyTooLarge(limit)
	}
	return fault.ErrIncomplete
}

func checkJSON(body []byte) error {
	switch {
	case !utf8.Valid(body):
		return errNotUTF8
	case !json.Valid(body):
		return errNotJSON
	default:
		return nil
	}
}

// bodyOf returns what readBody read.
func bodyOf(c *gin.Context) []byte {
	return c.MustGet(gin.BodyBytesKey).([]byte)
}

// checkText rejects text that encoding/json changed.
func checkText(request *model.Event, raw []byte) error {
	if !model.HasLoneSurrogate(raw) {
		return nil
	}
	return request.CheckText()
}
