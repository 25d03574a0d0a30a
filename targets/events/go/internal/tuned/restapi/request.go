package restapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"unsafe"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/fault"
)

const (
	// trustedLength is how much memory the announced length of a body may reserve before it arrives,
	// and trustedGrowth times what has arrived is how much it may reserve later.
	trustedLength = 64 << 10
	trustedGrowth = 4
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

// readUpTo reads a body to its end, or a byte more than limit.
func readUpTo(limit int, request *http.Request) (string, error) {
	announced := int(max(request.ContentLength, 0))
	// One byte more is room to see the end.
	body := make([]byte, 0, min(announced, trustedLength)+1)
	for len(body) <= limit {
		if len(body) == cap(body) {
			body = grown(body, announced, limit)
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

// grown is body with room for more: the announced length, or else limit plus one, but no more than a few times
// what has arrived.
func grown(body []byte, announced, limit int) []byte {
	most := limit + 1
	if announced >= len(body) {
		most = announced + 1
	}
	room := min(max(trustedGrowth*len(body), leastRoom), most)
	return append(make([]byte, 0, room), body...)
}
