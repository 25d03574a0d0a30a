package jsonevent

import (
	"testing"

	"example.com/bakeoff/events/internal/tuned/rules"
)

func TestEscapesStandForCharacters(t *testing.T) {
	for inside, want := range map[string]string{
		"":                         "",
		"plain ä":                  "plain ä",
		`\"\\\/\b\f\n\r\t`:         "\"\\/\b\f\n\r\t",
		`a\u00e9b`:                 "aéb",
		`\u00E9\u0001`:             "é\x01",
		`\ud83d\ude00`:             "😀",
		`\uD800\uDC00\uDBFF\uDFFF`: "\U00010000\U0010ffff",
		`\ud7ff\ue000\uffff`:       "\ud7ff\ue000\uffff",
		`\ufffd`:                   "\ufffd",
		`\\u0000`:                  `\u0000`,
	} {
		found := rawString{inside, true}
		if got, flaw := found.decode(); got != want || flaw != rules.NoFlaw {
			t.Errorf("%s: got %q, %v", inside, got, flaw)
		}
		if flaw := found.flaw(); flaw != rules.NoFlaw {
			t.Errorf("%s: got flaw %v", inside, flaw)
		}
	}
}

func TestWhatCannotBeStored(t *testing.T) {
	for inside, want := range map[string]rules.Flaw{
		`\u0000`:             rules.NUL,
		`a\\\u0000`:          rules.NUL,
		`\ud800`:             rules.LoneSurrogate,
		`\udc00`:             rules.LoneSurrogate,
		`\ude00\ud83d`:       rules.LoneSurrogate,
		`\ud83dx`:            rules.LoneSurrogate,
		`\ud83d\n`:           rules.LoneSurrogate,
		`\ud83d\u0041`:       rules.LoneSurrogate,
		`\ud83d\ud83d\ude00`: rules.LoneSurrogate,
		`\udbff日`:            rules.LoneSurrogate,
	} {
		found := rawString{inside, true}
		if _, flaw := found.decode(); flaw != want {
			t.Errorf("%s: decoding got %v, want %v", inside, flaw, want)
		}
		if flaw := found.flaw(); flaw != want {
			t.Errorf("%s: got %v, want %v", inside, flaw, want)
		}
	}
}
