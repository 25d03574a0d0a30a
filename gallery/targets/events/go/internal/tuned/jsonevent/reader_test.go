package jsonevent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func isJSON(text string) bool {
	r := reader{text: text}
	r.skip()
	return r.end()
}

var seeds = []string{
	`{"a":[1,-2.5e+10,0.1E-7,{"b":null}],"c":"x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`,
	` [ true , false , null , [ ] , { } , [ [ ] ] , { "a" : { } } ] `,
	`"plain ä 日本"`,
	"-0",
	"[0,10,1.0,1e5,1E5,-1.5e-05]",
	`{"":{"":""}}`,
	"[[[[[[1]]]]]]",
	`{"k":"\u12aF"}`,
}

// Every seed, with each byte dropped, doubled or replaced, and cut off after it.
func TestAcceptsWhatEncodingJSONAcceptsAndNothingElse(t *testing.T) {
	accepted := 0
	for _, seed := range seeds {
		if !isJSON(seed) {
			t.Errorf("%s is JSON", seed)
		}
		for _, variant := range variantsOf(seed) {
			want := json.Valid([]byte(variant))
			if !utf8.ValidString(variant) {
				continue
			}
			if got := isJSON(variant); got != want {
				t.Errorf("%s: got %v, want %v", variant, got, want)
			}
			if want {
				accepted++
			}
		}
	}
	if accepted < 100 {
		t.Errorf("the variants must not all be broken: %d", accepted)
	}
}

func variantsOf(seed string) []string {
	var variants []string
	for i := range len(seed) {
		before, after := seed[:i], seed[i+1:]
		variants = append(variants, before, before+after)
		for _, other := range "\x00\x1f \n\"\\/{}[]:,.-+01eEuatfn" {
			variants = append(variants, before+string(other)+after, before+string(other)+seed[i:])
		}
	}
	return variants
}

func TestWhiteSpaceIsTheFourCharactersOfTheRFC(t *testing.T) {
	if !isJSON(" \t\r\n[ \t\r\n1 \t\r\n, 2 ] \t\r\n") {
		t.Error("white space is allowed")
	}
	for _, space := range []string{"\ufeff", "\u00a0", "\v", "\f", "\x00"} {
		if isJSON(space+"1") || isJSON("1"+space) {
			t.Errorf("%q is no white space", space)
		}
	}
}

func TestDepthUsesNoStack(t *testing.T) {
	const levels = 1_000_000
	opened := strings.Repeat("[", levels)
	if !isJSON(opened + strings.Repeat("]", levels)) {
		t.Error("deep JSON is JSON")
	}
	if isJSON(opened) || isJSON(strings.Repeat(`{"a":`, levels)) {
		t.Error("what is not closed is no JSON")
	}
}

func TestNumbersKnowWhetherTheyAreIntegers(t *testing.T) {
	for text, want := range map[string]bool{"0": true, "-12": true, "1.0": false, "1e0": false, "-0.5E-1": false} {
		r := reader{text: text}
		if literal, integer := r.number(); literal != text || integer != want {
			t.Errorf("%s: got %s, %v", text, literal, integer)
		}
	}
}
