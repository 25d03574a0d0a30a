package bearer

import (
	"errors"
	"testing"

	"example.com/bakeoff/events/internal/fault"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		authorization []string
		allowed       bool
	}{
		{[]string{"Bearer secret"}, true},
		{[]string{"bearer secret"}, true},
		{[]string{"BEARER secret"}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"Bearer"}, false},
		{[]string{"Bearer "}, false},
		{[]string{"Bearer secre"}, false},
		{[]string{"Bearer secrets"}, false},
		{[]string{"Bearer SECRET"}, false},
		{[]string{"Bearer  secret"}, false},
		{[]string{"Bearer secret "}, false},
		{[]string{"Bearersecret"}, false},
		{[]string{"Basic secret"}, false},
		{[]string{"secret"}, false},
		{[]string{"Bearer secret", "Bearer secret"}, false},
		{[]string{"Bearer other", "Bearer secret"}, false},
		{[]string{"Bearer secret, Bearer secret"}, false},
	} {
		err := NewToken("secret").Check(test.authorization)
		if allowed := err == nil; allowed != test.allowed || !allowed && !errors.Is(err, fault.ErrUnauthenticated) {
			t.Errorf("%q: got %v", test.authorization, err)
		}
	}
}

func TestWithoutATokenAllPass(t *testing.T) {
	var none *Token
	if err := none.Check(nil); err != nil {
		t.Error(err)
	}
}
