package writer

import (
	"errors"
	"reflect"
	"testing"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

func TestBulk(t *testing.T) {
	modes(t, 10, func(t *testing.T, storage *fakeStorage, w *Writer) {
		storage.fail = refuseID("bad")
		report, err := w.StoreBulk(t.Context(), []event.Decoded{
			{Event: update("{}", "1")},
			{Err: fault.New(fault.Invalid, "eventHeader: required")},
			{Event: update("{}", "bad")},
			{Event: update("{}", "2")},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []Failure{{1, "eventHeader: required"}, {2, "internal error"}}
		if report.Processed != 2 || !reflect.DeepEqual(report.Failures, want) || report.Success() {
			t.Errorf("got %+v", report)
		}
		if got := report.Message(); got != "2 of 4 events processed" {
			t.Errorf("got %s", got)
		}
		if len(report.BatchID) != 36 || report.BatchID[14] != '4' {
			t.Errorf("%s is no random UUID", report.BatchID)
		}
	})
}

func TestABulkWithoutAValidEventFails(t *testing.T) {
	modes(t, 10, func(t *testing.T, _ *fakeStorage, w *Writer) {
		_, err := w.StoreBulk(t.Context(), []event.Decoded{{Err: fault.New(fault.Invalid, "x: required")}, {Err: errRefused}})
		if want := "0 of 2 events processed; event 0: x: required"; err == nil || err.Error() != want || fault.Of(err).Kind != fault.Invalid {
			t.Errorf("got %v, want %s", err, want)
		}
	})
}

func TestABulkWithoutDatabaseFailsAsAWhole(t *testing.T) {
	modes(t, 10, func(t *testing.T, storage *fakeStorage, w *Writer) {
		storage.fail = func(Rows) error { return ErrDatabaseUnavailable }
		_, err := w.StoreBulk(t.Context(), []event.Decoded{{Event: update("{}", "1")}, {Err: errRefused}})
		if !errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	})
}
