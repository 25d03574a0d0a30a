package restapi

import (
	"io"
	"strings"
	"testing"
)

func TestHeadersComeBeforeTheBody(t *testing.T) {
	for _, test := range []struct{ contentType, coding, message string }{
		{"application/json", "", "eventHeader: required"},
		{"APPLICATION/Json; charset=utf-8", "Identity", "eventHeader: required"},
		{"text/plain", "gzip", "content-type: must be application/json"},
		{"", "", "content-type: must be application/json"},
		{"application/jsonx", "", "content-type: must be application/json"},
		{"application/json", "gzip", "content-encoding: must be identity"},
		{"application/json", "identity, gzip", "content-encoding: must be identity"},
	} {
		request := post("/api/v1/events", "{}")
		request.Header.Set("Content-Type", test.contentType)
		if test.coding != "" {
			request.Header.Set("Content-Encoding", test.coding)
		}
		if _, _, reply := call(t, storage{}, request); reply["message"] != test.message {
			t.Errorf("%+v: got %v", test, reply)
		}
	}
}

func TestTruncatedBodyIsIncomplete(t *testing.T) {
	request := post("/api/v1/events", "")
	request.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{}))
	if status, _, reply := call(t, storage{}, request); status != 400 || reply["message"] != "body: incomplete" {
		t.Errorf("got %d %v", status, reply)
	}
}

func TestBodyGetsRoomForWhatItAnnouncedOrForTwiceWhatHasArrived(t *testing.T) {
	const kib = 1 << 10
	for _, test := range []struct{ come, announced, limit, want int }{
		{1, 0, 1024 * kib, kib},
		{kib, 0, 1024 * kib, 2 * kib},
		{768 * kib, 0, 1024 * kib, 1024*kib + 1},
		{64*kib + 1, 200 * kib, 1024 * kib, 200*kib + 1},
		{11, 10, 1024 * kib, kib},
	} {
		if room := roomFor(test.come, test.announced, test.limit); room != test.want {
			t.Errorf("%+v: got %d", test, room)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
