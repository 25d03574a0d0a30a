// Package jsonbody reads the JSON body of a request, for any framework.
package jsonbody

import (
	"bytes"
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
	body, err := readAll(http.MaxBytesReader(w, request.Body, int64(limit)), request.ContentLength)
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

// mostClaimed is the memory that a client gets for the length that it claims, before it sends anything.
const mostClaimed = 64 << 10

// readAll reads to the end, into one allocation where the length is known.
func readAll(body io.Reader, length int64) ([]byte, error) {
	var read bytes.Buffer
	// ReadFrom wants room for bytes.MinRead more, to see the end.
	read.Grow(int(min(max(length, 0), mostClaimed)) + bytes.MinRead)
	_, err := read.ReadFrom(body)
	return read.Bytes(), err
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
