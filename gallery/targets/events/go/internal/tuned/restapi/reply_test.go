package restapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"example.com/bakeoff/events/internal/writer"
)

func TestAReportSaysWhatFailed(t *testing.T) {
	_, _, reply := call(t, storage{}, post("/api/v1/events/bulk", "["+valid+",{}]"))
	failures, _ := json.Marshal(reply["failures"])
	if string(failures) != `[{"index":1,"message":"eventHeader: required"}]` || reply["success"] != false ||
		reply["processedCount"] != 1.0 || reply["failedCount"] != 1.0 || reply["batchId"] == "" || reply["processingTimeMs"] == nil {
		t.Errorf("got %v", reply)
	}
	_, _, reply = call(t, storage{}, post("/api/v1/events/bulk", "["+valid+"]"))
	if failures, ok := reply["failures"].([]any); !ok || len(failures) != 0 || reply["success"] != true {
		t.Errorf("got %v", reply)
	}
}

func TestUnavailableDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, header, reply := call(t, storage{err: writer.ErrDatabaseUnavailable}, post("/api/v1/events", valid))
		if status != 503 || reply["message"] != "database: unavailable, retry later" || header.Get("Retry-After") == "" {
			t.Errorf("got %d %v %v", status, reply, header)
		}
	})
}

func TestADefectIsAnInternalError(t *testing.T) {
	for _, s := range []storage{{err: io.ErrClosedPipe}, {panics: true}} {
		if status, _, reply := call(t, s, post("/api/v1/events", valid)); status != 500 || reply["message"] != "internal error" {
			t.Errorf("got %d %v", status, reply)
		}
	}
}

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		storage storage
		status  int
		message string
	}{{storage{}, 200, "OK"}, {storage{err: writer.ErrDatabaseUnavailable}, 503, "database: unavailable"}} {
		status, _, reply := call(t, test.storage, httptest.NewRequest(http.MethodGet, "/api/v1/events/health", nil))
		if status != test.status || reply["message"] != test.message || reply["healthy"] != (status == 200) {
			t.Errorf("got %d %v", status, reply)
		}
	}
}
