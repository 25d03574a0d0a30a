// Package jsonbody reads the JSON body of a request, for any framework.
package jsonbody

import (
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
)

// Read returns a body of at most limit bytes that is declared to be JSON and is valid UTF-8, which encoding/json does not
// require.
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
		return nil, fault.OfReading(err)
	case !utf8.Valid(body):
		return nil, errNotUTF8
	default:
		return body, nil
	}
}

// mostClaimed is the most memory that a client gets for the length that it claims, before it sends anything.
const mostClaimed = 64 << 10

// readAll reads to the end, into one allocation where the length is known and small.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length <= 0 || length > mostClaimed {
		return io.ReadAll(body)
	}
	// One byte more than net/http returns, to see the end.
	read := make([]byte, length+1)
	n, err := io.ReadFull(body, read)
	if int64(n) == length && errors.Is(err, io.ErrUnexpectedEOF) {
		return read[:n], nil
	}
	return nil, err
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
