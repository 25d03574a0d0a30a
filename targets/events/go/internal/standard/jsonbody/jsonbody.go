// Package jsonbody reads the JSON body of a request, for any framework.
package jsonbody

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"example.com/bakeoff/events/internal/fault"
)

var (
	errMediaType     = fault.New(fault.UnsupportedMedia, "content-type: must be application/json")
	errContentCoding = fault.New(fault.UnsupportedMedia, "content-encoding: must be identity")
	errNotUTF8       = fault.New(fault.Malformed, "body: not valid UTF-8")
	errNotJSON       = fault.New(fault.Malformed, "body: not valid JSON")
)

// Read returns a body that is JSON of at most limit bytes. A json.Decoder would accept invalid UTF-8, and any text after
// the first JSON value.
func Read(w http.ResponseWriter, request *http.Request, limit int) ([]byte, error) {
	if err := checkHeader(request.Header); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, int64(limit)))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.BodyTooLarge(limit)
	case err != nil:
		return nil, fault.ErrIncomplete
	case !utf8.Valid(body):
		return nil, errNotUTF8
	case !json.Valid(body):
		return nil, errNotJSON
	default:
		return body, nil
	}
}

func checkHeader(header http.Header) error {
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(mediaType), "application/json") {
		return errMediaType
	}
	for _, coding := range header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return errContentCoding
		}
	}
	return nil
}
