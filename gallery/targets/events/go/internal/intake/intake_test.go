package intake

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/fault"
)

func TestRequestsShareTheBudgetAndReturnTheirPart(t *testing.T) {
	budget := NewBudget(3 * step)
	first, second := budget.Charge(), budget.Charge()
	if err := first.Grow(freeBytes + 2*step); err != nil {
		t.Fatal(err)
	}
	if err := second.Grow(freeBytes + step + 1); !errors.Is(err, fault.ErrTooManyBytes) {
		t.Errorf("got %v for more than is left", err)
	}
	if err := second.Grow(freeBytes + step); err != nil {
		t.Errorf("got %v for what is left", err)
	}
	first.Release()
	if err := second.Grow(freeBytes + 3*step); err != nil {
		t.Errorf("got %v for what was released", err)
	}
	second.Release()
	second.Release()
	if used := budget.used.Load(); used != 0 {
		t.Errorf("%d bytes are still charged", used)
	}
}

func TestSmallRequestsAreServedWhileTheBudgetIsExhausted(t *testing.T) {
	budget := NewBudget(step)
	large := budget.Charge()
	if err := large.Grow(freeBytes + step); err != nil {
		t.Fatal(err)
	}
	for _, announced := range []bool{true, false} {
		if err := read(budget, strings.Repeat("x", freeBytes-1), announced); err != nil {
			t.Errorf("a small body, announced %v: %v", announced, err)
		}
		if err := read(budget, strings.Repeat("x", freeBytes+1), announced); !errors.Is(err, fault.ErrTooManyBytes) {
			t.Errorf("a large body, announced %v: %v", announced, err)
		}
	}
	if used := budget.used.Load(); used != step {
		t.Errorf("%d bytes are charged", used)
	}
}

func TestMemoryForALargeBodyIsReservedBeforeItIsAllocated(t *testing.T) {
	budget := NewBudget(2 * step)
	Handler(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		if err := Reserve(request.Body, freeBytes+2*step); err != nil {
			t.Error(err)
		}
		if err := Reserve(request.Body, freeBytes+2*step+1); !errors.Is(err, fault.ErrTooManyBytes) {
			t.Errorf("got %v", err)
		}
		if used := budget.used.Load(); used != 2*step {
			t.Errorf("%d bytes are charged", used)
		}
	}), budget).ServeHTTP(httptest.NewRecorder(), post(strings.Repeat("x", freeBytes+1), true))
	if err := Reserve(strings.NewReader(""), 1<<40); err != nil {
		t.Errorf("a body outside of the budget: %v", err)
	}
}

// read reads a body through the handler.
func read(budget *Budget, body string, announced bool) error {
	var failure error
	Handler(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		_, failure = io.ReadAll(request.Body)
	}), budget).ServeHTTP(httptest.NewRecorder(), post(body, announced))
	return failure
}

func post(body string, announced bool) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	if !announced {
		request.ContentLength = -1
	}
	return request
}
