package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestInternalTextNeverReachesAClient(t *testing.T) {
	if got := Of(errors.New("secret")); got.Kind != Internal || got.Message != "internal error" {
		t.Errorf("got %+v", got)
	}
}

func TestAnErrorIsFoundInsideAnother(t *testing.T) {
	if got := Of(fmt.Errorf("storing: %w", ErrOverloaded)); got.Kind != Overloaded {
		t.Errorf("got %+v", got)
	}
}
