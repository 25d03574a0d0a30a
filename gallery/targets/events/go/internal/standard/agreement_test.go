package standard

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fuzzcorpus"
	"example.com/bakeoff/events/internal/standard/model"
	"example.com/bakeoff/events/internal/tuned/jsonevent"
)

var names = []string{
	"eventHeader", "eventBody", "uuid", "eventName", "createdDate", "savedDate", "eventType", "entities", "entityType",
	"entityId", "updatedAttributes",
}

var anyName = regexp.MustCompile(`(?i)"(` + strings.Join(names, "|") + `)"`)

// FuzzAgreement checks that the standard target stores an event when the tuned one does, and the same of it. What the
// decoders differ in by design is left out: duplicate names, what they replace, and names in another case.
func FuzzAgreement(f *testing.F) {
	validate := validator.New()
	validate.SetTagName("binding")
	if err := model.Register(validate); err != nil {
		f.Fatal(err)
	}
	f.Add(valid)
	f.Add(strings.Replace(valid, `{"a":1}`, `{"n":0.10,"n":1e308,"t":"\ud83d\ude00","o":{"l":[null,{}]}}`, 1))
	fuzzcorpus.AddFrom[string](f, "../tuned/jsonevent/testdata/FuzzEvent.txt")
	f.Fuzz(func(t *testing.T, text string) {
		tuned, tunedErr := jsonevent.Decode(text)
		if tunedErr != nil && strings.HasSuffix(tunedErr.Error(), "duplicate field") || hasOtherCase(text) || replaces(text, tunedErr) {
			t.Skip("the decoders differ by design")
		}
		found, err := decode(validate, text)
		if (err == nil) != (tunedErr == nil) {
			t.Fatalf("%q: got %v, the tuned target %v", text, err, tunedErr)
		}
		if err == nil && !reflect.DeepEqual(parsed(t, found), parsed(t, tuned)) {
			t.Errorf("%q: got %+v, the tuned target %+v", text, found, tuned)
		}
	})
}

// decode does what the handlers do between the body and the writer.
func decode(validate *validator.Validate, text string) (event.Event, error) {
	if !utf8.ValidString(text) {
		return event.Event{}, errors.New("not valid UTF-8")
	}
	var found model.Event
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return event.Event{}, err
	}
	if err := validate.Struct(&found); err != nil {
		return event.Event{}, err
	}
	return found.Stored(0), found.CheckText([]byte(text))
}

// hasOtherCase reports whether a name of the contract occurs in another case.
func hasOtherCase(text string) bool {
	for _, match := range anyName.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, match[1]) {
			return true
		}
	}
	return false
}

// replaces reports whether the tuned decoder rejects only what a duplicate name replaces.
func replaces(text string, tunedErr error) bool {
	if tunedErr == nil {
		return false
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return false
	}
	single, err := json.Marshal(value)
	if err != nil || !utf8.ValidString(text) || strings.Contains(text, `\u`) {
		return false
	}
	_, err = jsonevent.Decode(string(single))
	return err == nil
}

func parsed(t *testing.T, e event.Event) [][3]any {
	t.Helper()
	var entities [][3]any
	for _, entity := range e.Entities {
		var attributes any
		if err := json.Unmarshal([]byte(entity.Attributes), &attributes); err != nil {
			t.Fatal(err)
		}
		entities = append(entities, [3]any{entity.Type, entity.ID, attributes})
	}
	return entities
}
