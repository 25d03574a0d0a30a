// Package bearer checks the bearer token that API_TOKEN requires.
package bearer

import (
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"example.com/bakeoff/events/internal/fault"
)

// Token is what requests must carry; nil accepts every request.
type Token struct {
	// Digests have one length, so that comparing them does not reveal the token's.
	digest [sha256.Size]byte
}

// NewToken returns the token of this text.
func NewToken(text string) *Token {
	return &Token{sha256.Sum256([]byte(text))}
}

// Check returns fault.ErrUnauthenticated unless the values of the header or metadata entry "authorization" are one,
// and that is "Bearer" in any case, a space and the token.
func (t *Token) Check(authorization []string) error {
	if t == nil {
		return nil
	}
	if len(authorization) != 1 {
		return fault.ErrUnauthenticated
	}
	scheme, credentials, _ := strings.Cut(authorization[0], " ")
	digest := sha256.Sum256([]byte(credentials))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(digest[:], t.digest[:]) == 0 {
		return fault.ErrUnauthenticated
	}
	return nil
}
