package fault

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
)

func TestInternalTextNeverReachesAClient(t *testing.T) {
	if got := Of(errors.New("secret")); got.Kind != Internal || got.Message != "internal error" {
		t.Errorf("got %+v", got)
	}
}

func TestABodyThatIsTooSlowIsNoBrokenOne(t *testing.T) {
	for err, want := range map[error]error{
		io.ErrUnexpectedEOF:                        ErrIncomplete,
		&net.OpError{Err: os.ErrDeadlineExceeded}:  ErrTooSlow,
		fmt.Errorf("reading: %w", ErrTooManyBytes): ErrTooManyBytes,
	} {
		if got := OfReading(err); got != want {
			t.Errorf("%v: got %v", err, got)
		}
	}
}

func TestAnErrorIsFoundInsideAnother(t *testing.T) {
	if got := Of(fmt.Errorf("storing: %w", ErrOverloaded)); got.Kind != Overloaded {
		t.Errorf("got %+v", got)
	}
}
