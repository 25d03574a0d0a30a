package restapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/fault"
)

// trustedLength is as much as the announced length of a body may reserve before it has come.
const trustedLength = 64 << 10

var (
	errMediaType     = fault.New(fault.UnsupportedMedia, "content-type: must be application/json")
	errContentCoding = fault.New(fault.UnsupportedMedia, "content-encoding: must be identity")
)

// accept returns a request's body of at most limit bytes.
func accept(c *gin.Context, limit int) (string, error) {
	if err := checkHeaders(c.Request.Header); err != nil {
		return "", err
	}
	if c.Request.ContentLength <= int64(limit) {
		body, err := readUpTo(limit, c.Request)
		if err != nil {
			return "", fault.ErrIncomplete
		}
		if len(body) <= limit {
			return body, nil
		}
	}
	return "", fault.BodyTooLarge(limit)
}

func checkHeaders(header http.Header) error {
	if !isJSON(header.Get("Content-Type")) {
		return errMediaType
	}
	for _, coding := range header["Content-Encoding"] {
		if !strings.EqualFold(coding, "identity") {
			return errContentCoding
		}
	}
	return nil
}

// isJSON ignores parameters: application/json; charset=utf-8 is JSON, too.
func isJSON(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(mediaType), "application/json")
}

// copyBuffers are what bodies are copied through.
var copyBuffers = sync.Pool{New: func() any { return new([8 << 10]byte) }}

// readUpTo reads a body to its end, or a byte more than limit.
func readUpTo(limit int, request *http.Request) (string, error) {
	buffer := copyBuffers.Get().(*[8 << 10]byte)
	defer copyBuffers.Put(buffer)
	var body strings.Builder
	body.Grow(int(min(max(request.ContentLength, 0), trustedLength)))
	for body.Len() <= limit {
		n, err := request.Body.Read(buffer[:min(len(buffer), limit+1-body.Len())])
		body.Write(buffer[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	return body.String(), nil
}
