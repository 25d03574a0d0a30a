package user

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Limits of the contract.
const (
	ShortestName, LongestName = 3, 100
	LongestEmail              = 254
	LongestQuery              = 100
	DefaultLimit, MostUsers   = 10, 100
)

// email is the expression that the HTML standard gives for e-mail addresses.
var email = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?" +
	`(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)

// CheckNew returns an InvalidError for the first rule that a new user breaks.
func CheckNew(name, email string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return checkEmail(email)
}

// Check returns an InvalidError for the first rule that the change of a user breaks.
func (c Change) Check(id int64) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if c.Name != nil {
		if err := checkName(*c.Name); err != nil {
			return err
		}
	}
	if c.Email != nil {
		return checkEmail(*c.Email)
	}
	return nil
}

// CheckID returns an InvalidError for an id that no user can have.
func CheckID(id int64) error {
	if id < 1 {
		return &InvalidError{"id", "must be at least 1"}
	}
	return nil
}

// NewQuery returns the query of a request, whose page and limit may be absent, or an InvalidError.
func NewQuery(text string, page, limit *int64) (Query, error) {
	query := Query{Text: text, Page: 1, Limit: DefaultLimit}
	if utf8.RuneCountInString(text) > LongestQuery {
		return query, &InvalidError{"query", "must have at most 100 characters"}
	}
	if strings.ContainsRune(text, 0) {
		return query, &InvalidError{"query", `contains \u0000`}
	}
	if page != nil {
		query.Page = *page
	}
	if query.Page < 1 {
		return query, &InvalidError{"page", "must be at least 1"}
	}
	if limit != nil {
		query.Limit = *limit
	}
	if query.Limit < 1 || query.Limit > MostUsers {
		return query, &InvalidError{"limit", "must be from 1 to 100"}
	}
	return query, nil
}

// Offset is how many users come before the page, or a number that no store reaches where that overflows.
func (q Query) Offset() int64 {
	const most = 1 << 60
	if q.Page-1 > most/q.Limit {
		return most
	}
	return (q.Page - 1) * q.Limit
}

// Pages is how many pages there are of so many users.
func (q Query) Pages(total int64) int64 {
	return (total + q.Limit - 1) / q.Limit
}

func checkName(name string) error {
	if length := utf8.RuneCountInString(name); length < ShortestName || length > LongestName {
		return &InvalidError{"name", "must have 3 to 100 characters"}
	}
	if strings.ContainsRune(name, 0) {
		return &InvalidError{"name", `contains \u0000, which cannot be stored`}
	}
	return nil
}

func checkEmail(address string) error {
	if len(address) > LongestEmail || !email.MatchString(address) {
		return &InvalidError{"email", "must be an e-mail address of at most 254 characters"}
	}
	return nil
}

// Folded is a text as queries compare it: letters A to Z in lower case, all else as it is.
func Folded(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text)
}

// Matches reports whether a user matches a folded text.
func (u User) Matches(folded string) bool {
	return strings.Contains(Folded(u.Name), folded) || strings.Contains(Folded(u.Email), folded)
}
