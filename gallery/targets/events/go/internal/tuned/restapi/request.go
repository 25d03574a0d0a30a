package restapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"unsafe"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/intake"
)

const (
	// trustedLength is how much memory the announced length of a body gets before it arrives; for more, some must have
	// arrived and the budget must allow it.
	trustedLength = 64 << 10
	leastRoom     = 1 << 10
)

var (
	errMediaType     = fault.New(fault.UnsupportedMedia, "content-type: must be application/json")
	errContentCoding = fault.New(fault.UnsupportedMedia, "content-encoding: must be identity")
)

// readBody returns a request's body of at most limit bytes.
func readBody(c *gin.Context, limit int) (string, error) {
	if err := checkHeaders(c.Request.Header); err != nil {
		return "", err
	}
	if c.Request.ContentLength <= int64(limit) {
		body, err := readUpTo(limit, c.Request)
		if err != nil {
			return "", fault.OfReading(err)
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

// readUpTo reads a body to its end, or a byte more than limit.
func readUpTo(limit int, request *http.Request) (string, error) {
	announced := int(max(request.ContentLength, 0))
	// One byte more is room to see the end.
	body := make([]byte, 0, min(announced, trustedLength)+1)
	for len(body) <= limit {
		if len(body) == cap(body) {
			room := roomFor(len(body), announced, limit)
			if err := intake.Reserve(request.Body, room); err != nil {
				return "", err
			}
			body = append(make([]byte, 0, room), body...)
		}
		n, err := request.Body.Read(body[len(body):min(cap(body), limit+1)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
	}
	// No code writes to body from here on, so it needs no copy.
	return unsafe.String(unsafe.SliceData(body), len(body)), nil
}

// roomFor is how much memory a body gets of which some bytes have arrived: what it announced, or else twice as much.
func roomFor(arrived, announced, limit int) int {
	if announced >= arrived {
		return announced + 1
	}
	return min(max(2*arrived, leastRoom), limit+1)
}
